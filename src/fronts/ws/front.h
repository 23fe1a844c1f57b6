// The WebSocket front: AstraFlow's workers of both protocols, on connections that the HTTP front hands over. server/ starts and
// stops it; docs/protocol-ws.md is what it speaks.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/metrics.h"
#include "base/status.h"
#include "command/door.h"
#include "fronts/ws/feed/run_feed.h"
#include "fronts/ws/options.h"
#include "net/connection.h"
#include "net/io_loop.h"

namespace muster::ws {

struct Core;

// A request to become a WebSocket, as far as it matters here.
struct UpgradeAsked {
  std::string_view method;
  const std::vector<std::pair<std::string, std::string>>& headers;  // lower-case names
};
struct Refused {
  unsigned status = 400;
  Status why;
  std::vector<std::pair<std::string_view, std::string>> headers;
};
struct Taken {
  std::string response;
  std::shared_ptr<net::Session> session;
};

// The schemas of both protocols, by the path under which they say they are found: "/schemas/session/ack.schema.json".
std::map<std::string, std::string_view> schema_documents();

class WsFront {
 public:
  // loop, door and metrics outlive the front. invalid_argument: a token is wrong, or there is no secret.
  static Result<std::unique_ptr<WsFront>> start(net::IoLoop& loop, command::Door& door, Metrics& metrics, WsOptions options);
  ~WsFront();

  // On the loop's thread.
  std::variant<Taken, Refused> take(const UpgradeAsked& asked, net::Connection& connection);

  // A stream of what happens to runs and workers, on a connection whose request asked for it. exhausted: too many are open.
  // On the loop's thread.
  Result<std::shared_ptr<net::Session>> listen(feed::Listener listener, net::Connection& connection);

  // Ends the streams of those who would not be let in any more. On the loop's thread.
  void revoke_listeners(const std::function<bool(const auth::Credential&)>& still_valid);

  // What is due by the clock is done now; a timer does this by itself a moment later. On the loop's thread.
  void look();

  // For SIGHUP: sockets whose token is gone are closed.
  Status set_tokens(AuthOptions auth);
  // Takes no more sockets and asks for no more work. Those there are end with their listener.
  void stop();

 private:
  explicit WsFront(std::shared_ptr<Core> core) : core_(std::move(core)) {}
  std::shared_ptr<Core> core_;  // shared with sockets and answers that are on their way
};

}  // namespace muster::ws
