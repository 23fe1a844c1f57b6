// The gRPC front: docs/protocol-grpc.md over HTTP/2 on a listener of its own, and the same calls for whoever brings them by
// another way: streams of another listener, and gRPC-Web. server/ starts and stops it.
//
// It runs on the I/O loop it is given. Calls are dispatched by path through methods.h, and replies of the engine are posted back
// to the loop; every bound of options.h has its answer in docs/limits.md.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/metrics.h"
#include "base/status.h"
#include "command/door.h"
#include "fronts/grpc/options.h"
#include "fronts/grpc/web.h"
#include "fronts/http2/first_bytes.h"
#include "fronts/http2/limits.h"
#include "fronts/http2/stream.h"
#include "net/io_loop.h"

namespace muster::rpc {

struct Core;

// What calls need of a connection of HTTP/2, whoever listens.
http2::Limits http2_limits(const Limits& limits);

class GrpcFront {
 public:
  // Listens before it returns. loop, door and metrics outlive the front; the loop may be started before or after.
  // unavailable: the address is in use or not ours. invalid_argument: a certificate, a token or an address is wrong, or the
  // address is not loopback and TLS or authentication is missing.
  static Result<std::unique_ptr<GrpcFront>> start(net::IoLoop& loop, command::Door& door, Metrics& metrics, GrpcOptions options);
  ~GrpcFront();  // stops without grace

  std::uint16_t port() const;   // the real one, when 0 was asked for; 0: it has no listener
  std::string address() const;  // "127.0.0.1:50051", "[::1]:50051"; empty: it has no listener

  // For SIGHUP. Both apply to the next call or connection.
  Status set_tokens(auth::AuthOptions tokens);
  Status reload_tls();  // reads the same files again; on failure the old certificate stays

  // A call that came by gRPC-Web; see web.h. From any thread.
  WebCancel call(WebRequest request, WebReply reply);

  // Whether the method at a path may answer with megabytes. From any thread.
  bool answers_much(std::string_view path) const;

  // Serves streams of other listeners whose content is gRPC's; null for others.
  http2::Serve streams() const;
  // Who serves what is not gRPC on this listener: sessions of HTTP/1.1, and the other streams of HTTP/2. Nobody: connections
  // that do not begin as HTTP/2 are closed, and streams that are not gRPC's are answered 415.
  void set_http(http2::MakeSession sessions, http2::Serve streams);

  // Begins nothing any more, tells those who wait to try elsewhere, lets calls under way finish within `grace`, then ends what
  // is left. Returns when all connections are gone. Idempotent. REQUIRES: not inside the loop.
  void stop(Duration grace);

  // For tests that look inside.
  Core& core();

 private:
  struct State;
  explicit GrpcFront(std::shared_ptr<State> state);
  std::shared_ptr<State> state_;  // shared with what is posted to the loop
};

}  // namespace muster::rpc
