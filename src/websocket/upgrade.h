// How an HTTP/1.1 connection becomes a WebSocket (RFC 6455, section 4), for both sides, without an HTTP library: whoever reads
// the request or the response lends its headers through a function. The bytes behind the head of either are the first frames.
//
// Who may connect (tokens, origins) is the front's to say before it asks here. No subprotocol is ever chosen: a client that
// insists on one goes away by itself.
#pragma once

#include <array>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/status.h"
#include "websocket/deflate_terms.h"

namespace muster::websocket {

// The values of a header, one for each line that has its name, in order. Asked with a lower-case name; the views stay valid until
// the function here that asks for them returns.
using HeaderValues = std::function<std::vector<std::string_view>(std::string_view name)>;
using HeaderLines = std::vector<std::pair<std::string, std::string>>;

// --- server

struct UpgradeRequest {
  std::string_view method;
  unsigned version_major = 1;
  unsigned version_minor = 1;
  HeaderValues headers;
};

struct UpgradeAcceptance {
  std::string response;                 // the bytes to send; frames follow
  std::optional<DeflateTerms> deflate;  // what both sides' decoder and encoder are made with
};

struct UpgradeRefusal {
  unsigned status = 400;  // 400, 405, 426
  std::string reason;     // for people
  HeaderLines headers;    // that the answer must have; a `Connection` among them joins what the answer says of itself
};

// Whether a request asks for a WebSocket at all. False: it is an ordinary request.
bool asks_for_websocket(const HeaderValues& headers);
std::variant<UpgradeAcceptance, UpgradeRefusal> judge_upgrade(const UpgradeRequest& request, const DeflatePolicy& policy);

// --- client

// 16 bytes that nobody can guess, new for every connection.
using UpgradeNonce = std::array<char, 16>;

struct UpgradeDemand {
  std::string host;     // of the header Host, with the port when it is not the scheme's own
  std::string target;   // "/path?query"
  HeaderLines headers;  // beside those of the upgrade: Authorization, Origin, User-Agent
};

// The bytes of the request. invalid_argument: the host, the target or a header has a character that would end its line, or is
// empty where something must stand, or a header is one of the upgrade's own.
Result<std::string> upgrade_request(const UpgradeDemand& demand, const UpgradeNonce& nonce, const DeflatePolicy& policy);

struct UpgradeResponse {
  unsigned status = 0;
  HeaderValues headers;
};

// What was agreed. unauthenticated, permission_denied, not_found, exhausted, unavailable: the server refused with a status that
// means it; invalid_argument: it refused otherwise, or what it answered is not a WebSocket's answer to this request.
Result<std::optional<DeflateTerms>> judge_response(const UpgradeResponse& response, const UpgradeNonce& nonce,
                                                   const DeflatePolicy& policy);

// The value of Sec-WebSocket-Accept for that of Sec-WebSocket-Key.
std::string accept_value(std::string_view key);

}  // namespace muster::websocket
