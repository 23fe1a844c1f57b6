// The HTTP front: docs/protocol-http.md over HTTP/1.1 and HTTP/2, on a listener of its own and for whoever brings connections or
// streams. server/ starts and stops it.
//
// It runs on the I/O loop it is given. Requests become commands, replies of the engine are posted back to the loop, and every
// bound of options.h has its answer in docs/limits.md.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "base/clock.h"
#include "base/metrics.h"
#include "base/status.h"
#include "command/door.h"
#include "fronts/http/options.h"
#include "fronts/http/rpc.h"
#include "fronts/http/run_events.h"
#include "fronts/http/upgrade.h"
#include "fronts/http2/first_bytes.h"
#include "fronts/http2/stream.h"
#include "net/io_loop.h"
#include "net/listener.h"

namespace muster::http {

class HttpFront {
 public:
  // Listens before it returns. loop, door and metrics outlive the front; the loop may be started before or after.
  // unavailable: the address is in use or not ours. invalid_argument: a certificate, a token or an address is wrong, or
  // the address is not loopback and TLS or authentication is missing.
  static Result<std::unique_ptr<HttpFront>> start(net::IoLoop& loop, command::Door& door, Metrics& metrics, HttpOptions options);
  ~HttpFront();  // stops without grace

  std::uint16_t port() const;   // the real one, when 0 was asked for; 0: it has no listener of its own
  std::string address() const;  // "127.0.0.1:8080", "[::1]:8080"; empty: it has no listener of its own

  // A second address for the same, beside the first or instead of it. Once.
  struct ListenAt {
    std::string host;
    std::uint16_t port = 0;
  };
  Status listen(const ListenAt& at);
  std::string second_address() const;  // empty: there is none

  // The same for connections and streams of other listeners.
  http2::MakeSession sessions() const;
  http2::Serve streams() const;
  // Who takes streams of HTTP/2 before this front does; it answers null for those that are not its own.
  void set_other_streams(http2::Serve others);

  // Of the dashboard: signs a browser in as the holder of this token, once and soon. Where no token is asked for, simply "/".
  // unauthenticated: the token is wrong. REQUIRES: not inside the loop, which runs.
  Result<std::string> sign_in_path(const std::string& token);

  // For SIGHUP. Both apply to the next request or connection; event streams whose token is gone are closed.
  Status set_tokens(AuthOptions auth);
  Status reload_tls();  // reads the same files again; on failure the old certificate stays
  // Who carries out calls of gRPC-Web; empty: nobody does, and their paths are unknown.
  void set_rpc(RpcHandler handler, RpcAnswersMuch answers_much = {});
  // Who takes over WebSockets; empty: nobody does, and their path is unknown.
  void set_upgrade(UpgradeHandler handler);
  // Who tells what happens to runs; empty: nobody does, and their path is unknown.
  void set_run_events(RunEventsHandler handler);

  // Accepts no more, answers parked claims with an empty list, lets requests under way finish within `grace`, then closes
  // what is left. Returns when all connections are gone. Idempotent. REQUIRES: not inside the loop.
  void stop(Duration grace);

 private:
  struct State;
  explicit HttpFront(std::shared_ptr<State> state);
  Result<std::unique_ptr<net::Listener>> open(const ListenAt& at);
  std::shared_ptr<State> state_;  // shared with replies of the engine that are still on their way
};

}  // namespace muster::http
