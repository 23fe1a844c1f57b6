// The HTTP front: docs/protocol-http.md on a listener of its own. server/ starts and stops it.
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
#include "net/io_loop.h"

namespace muster::http {

class HttpFront {
 public:
  // Listens before it returns. loop, door and metrics outlive the front; the loop may be started before or after.
  // unavailable: the address is in use or not ours. invalid_argument: a certificate, a token or an address is wrong, or
  // the address is not loopback and TLS or authentication is missing.
  static Result<std::unique_ptr<HttpFront>> start(net::IoLoop& loop, command::Door& door, Metrics& metrics, HttpOptions options);
  ~HttpFront();  // stops without grace

  std::uint16_t port() const;   // the real one, when 0 was asked for
  std::string address() const;  // "127.0.0.1:8080", "[::1]:8080"

  // For SIGHUP. Both apply to the next request or connection; event streams whose token is gone are closed.
  Status set_tokens(AuthOptions auth);
  Status reload_tls();  // reads the same files again; on failure the old certificate stays
  // Who carries out calls of gRPC-Web; empty: nobody does, and their paths are unknown.
  void set_rpc(RpcHandler handler);
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
  std::shared_ptr<State> state_;  // shared with replies of the engine that are still on their way
};

}  // namespace muster::http
