// Connections that leave HTTP: WebSockets. Who takes them over is given by the server (HttpFront::set_upgrade).
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/status.h"
#include "fronts/http/request.h"
#include "net/connection.h"

namespace muster::http {

inline constexpr std::string_view kUpgradePath = "/ws/worker";

struct UpgradeRefusal {
  unsigned status = 400;
  Status why;
  std::vector<std::pair<std::string_view, std::string>> headers;
};

struct UpgradeTaken {
  std::string response;                   // the bytes to send; everything after them is the new session's
  std::shared_ptr<net::Session> session;  // kept by the connection
};

// Judges a request whose page and host were accepted. On the loop's thread.
using UpgradeHandler = std::function<std::variant<UpgradeTaken, UpgradeRefusal>(const Request&, net::Connection&)>;

}  // namespace muster::http
