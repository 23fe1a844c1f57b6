// The RESP front: docs/protocol-resp.md on listeners of its own. server/ starts and stops it.
//
// It runs on the I/O loop it is given. Bytes become commands (wire/, session), commands are answered by the sub-folders
// (commands.h), and every bound of options.h has its answer in docs/limits.md.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/metrics.h"
#include "base/status.h"
#include "command/door.h"
#include "fronts/resp/options.h"
#include "net/io_loop.h"

namespace muster::resp {

struct Core;

class RespFront {
 public:
  // Listens on every address before it returns. loop, door and metrics outlive the front; the loop may be started before or
  // after. unavailable: an address is in use or not ours. invalid_argument: a certificate, a key or an address is wrong, or an
  // address that other machines can reach lacks TLS or keys.
  static Result<std::unique_ptr<RespFront>> start(net::IoLoop& loop, command::Door& door, Metrics& metrics, RespOptions options);
  ~RespFront();  // stops without grace

  // In the order of the options, as people write them: "127.0.0.1:6380", "[::1]:6380", "unix:/run/muster.sock".
  std::vector<std::string> addresses() const;
  std::string address() const;  // all of them, separated by commas

  // For SIGHUP. Connections whose key is no longer accepted are closed.
  Status set_keys(std::vector<Key> keys);
  Status reload_tls();  // reads the same files again, for new connections; on failure the old certificate stays

  // Accepts no more, answers those who wait with nothing, lets commands under way finish within `grace`, then closes what is
  // left. Returns when all connections are gone. Idempotent. REQUIRES: not inside the loop.
  void stop(Duration grace);

  // For tests that look inside; on the loop's thread only.
  Core& core();

 private:
  struct State;
  explicit RespFront(std::shared_ptr<State> state);
  std::shared_ptr<State> state_;  // shared with replies of the engine that are still on their way
};

}  // namespace muster::resp
