// The gRPC front: docs/protocol-grpc.md on a listener of its own, and the same calls for whoever brings them by another way
// (gRPC-Web). server/ starts and stops it.
//
// It runs on gRPC's threads. Calls are dispatched by path through methods.h; every bound of options.h has its answer in
// docs/limits.md.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>

#include "base/clock.h"
#include "base/metrics.h"
#include "base/status.h"
#include "command/door.h"
#include "fronts/grpc/options.h"
#include "fronts/grpc/web.h"

namespace muster::rpc {

struct Core;

class GrpcFront {
 public:
  // Listens before it returns. door and metrics outlive the front. unavailable: the address is in use or not ours.
  // invalid_argument: a certificate, a token or an address is wrong, or the address is not loopback and TLS or authentication is
  // missing.
  static Result<std::unique_ptr<GrpcFront>> start(command::Door& door, Metrics& metrics, GrpcOptions options);
  ~GrpcFront();  // stops without grace

  std::uint16_t port() const;   // the real one, when 0 was asked for
  std::string address() const;  // "127.0.0.1:50051", "[::1]:50051"

  // For SIGHUP; applies to the next call.
  Status set_tokens(auth::AuthOptions tokens);
  // Certificates are read again by themselves within kCertificateLookEvery; this checks what is there now.
  Status check_tls() const;

  // A call that came by gRPC-Web; see web.h. From any thread.
  WebCancel call(WebRequest request, WebReply reply);

  // Begins nothing any more, tells those who wait to try elsewhere, lets calls under way finish within `grace`, then cancels what
  // is left. Returns when all calls of the listener are done. Idempotent.
  void stop(Duration grace);

  // For tests that look inside.
  Core& core();

 private:
  struct State;
  explicit GrpcFront(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace muster::rpc
