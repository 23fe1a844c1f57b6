#include "websocket/upgrade.h"

#include <fmt/format.h>
#include <openssl/sha.h>

#include <algorithm>

#include "base/ascii.h"
#include "base/base64.h"
#include "websocket/deflate_negotiation.h"
#include "websocket/extensions.h"

namespace muster::websocket {
namespace {

constexpr std::string_view kAcceptSuffix = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";  // RFC 6455, section 1.3
constexpr std::string_view kVersion = "13";

// Whether a list of tokens has one, whatever its case and wherever its lines are cut.
bool has_token(const HeaderValues& headers, std::string_view name, std::string_view wanted) {
  for (std::string_view line : headers(name)) {
    while (!line.empty()) {
      const std::string_view entry = line.substr(0, line.find(','));
      line.remove_prefix(std::min(line.size(), entry.size() + 1));
      if (same_in_any_case(trimmed(entry), wanted)) return true;
    }
  }
  return false;
}

// The value of a header that stands once; nullopt: it is missing or stands several times.
std::optional<std::string_view> only_value(const HeaderValues& headers, std::string_view name) {
  const auto values = headers(name);
  if (values.size() != 1) return std::nullopt;
  return trimmed(values.front());
}

UpgradeRefusal refuse(unsigned status, std::string reason, HeaderLines headers = {}) {
  return {.status = status, .reason = std::move(reason), .headers = std::move(headers)};
}

UpgradeRefusal upgrade_required(std::string reason) {
  return refuse(426, std::move(reason),
                {{"Upgrade", "websocket"}, {"Connection", "Upgrade"}, {"Sec-WebSocket-Version", std::string(kVersion)}});
}

// A value that a refusal repeats. Bytes that are no printable ASCII are not: the reason ends up in JSON and in terminals.
std::string shown(std::optional<std::string_view> value) {
  constexpr std::size_t kShownBytes = 64;
  if (!value) return "missing or given several times";
  if (!std::all_of(value->begin(), value->end(), [](char c) { return c >= 0x20 && c < 0x7F; })) return "not printable";
  return fmt::format("'{}'", value->substr(0, kShownBytes));
}

// nullopt: nothing is wrong with it so far.
std::optional<UpgradeRefusal> refusal_of(const UpgradeRequest& request) {
  if (request.method != "GET") return refuse(405, "a WebSocket begins with GET", {{"Allow", "GET"}});
  if (request.version_major != 1 || request.version_minor < 1)
    return refuse(
        400, fmt::format("HTTP/{}.{} cannot become a WebSocket; HTTP/1.1 can", request.version_major, request.version_minor));
  if (!only_value(request.headers, "host")) return refuse(400, "header Host is missing or given several times");
  if (!has_token(request.headers, "upgrade", "websocket")) return upgrade_required("header Upgrade does not name websocket");
  if (!has_token(request.headers, "connection", "upgrade")) return refuse(400, "header Connection does not name upgrade");
  const auto version = only_value(request.headers, "sec-websocket-version");
  if (version != kVersion)
    return upgrade_required(fmt::format("Sec-WebSocket-Version is {}; {} is accepted", shown(version), kVersion));
  const auto key = only_value(request.headers, "sec-websocket-key");
  const auto nonce = key ? from_base64(*key) : std::nullopt;
  if (!nonce || nonce->size() != sizeof(UpgradeNonce))
    return refuse(400, fmt::format("Sec-WebSocket-Key is {}; {} bytes in base64 are accepted", shown(key), sizeof(UpgradeNonce)));
  return std::nullopt;
}

std::string key_of(const UpgradeNonce& nonce) { return to_base64({nonce.data(), nonce.size()}); }

bool has_control(std::string_view text) {
  return std::any_of(text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; });
}

bool fits_request_line(std::string_view text) { return !text.empty() && !has_control(text) && text.find(' ') == text.npos; }

// Headers that only this file may say.
bool is_own(std::string_view name) {
  constexpr std::string_view kStart = "sec-websocket-";
  return same_in_any_case(name.substr(0, kStart.size()), kStart) || same_in_any_case(name, "host") ||
         same_in_any_case(name, "upgrade") || same_in_any_case(name, "connection");
}

Status judge_header(std::string_view name, std::string_view value) {
  if (!fits_request_line(name) || name.find(':') != name.npos)
    return Status::invalid_argument("the name of a header is empty or has a blank, a colon or a control character");
  if (is_own(name)) return Status::invalid_argument(fmt::format("header {} is the upgrade's own", name));
  if (has_control(value)) return Status::invalid_argument(fmt::format("the value of header {} has a control character", name));
  return {};
}

Status refused(unsigned status) {
  const std::string message = fmt::format("the server answered {} instead of 101", status);
  switch (status) {
    case 401: return Status::unauthenticated(message);
    case 403: return Status::permission_denied(message);
    case 404: return Status::not_found(message);
    case 429: return Status::exhausted(message);
    default: return status >= 500 ? Status::unavailable(message) : Status::invalid_argument(message);
  }
}

}  // namespace

std::string accept_value(std::string_view key) {
  const std::string text = fmt::format("{}{}", key, kAcceptSuffix);
  std::array<unsigned char, SHA_DIGEST_LENGTH> digest{};
  SHA1(reinterpret_cast<const unsigned char*>(text.data()), text.size(), digest.data());
  return to_base64({reinterpret_cast<const char*>(digest.data()), digest.size()});
}

bool asks_for_websocket(const HeaderValues& headers) { return has_token(headers, "upgrade", "websocket"); }

std::variant<UpgradeAcceptance, UpgradeRefusal> judge_upgrade(const UpgradeRequest& request, const DeflatePolicy& policy) {
  if (auto refusal = refusal_of(request)) return *std::move(refusal);
  const auto offers = parse_extensions(request.headers("sec-websocket-extensions"));
  if (!offers.ok()) return refuse(400, offers.status().message());
  const auto deflate = choose_deflate(*offers, policy);
  UpgradeAcceptance accepted;
  accepted.response =
      fmt::format("HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: {}\r\n",
                  accept_value(*only_value(request.headers, "sec-websocket-key")));
  if (deflate) {
    accepted.deflate = deflate->terms;
    accepted.response += fmt::format("Sec-WebSocket-Extensions: {}\r\n", deflate->answer);
  }
  accepted.response += "\r\n";
  return accepted;
}

Result<std::string> upgrade_request(const UpgradeDemand& demand, const UpgradeNonce& nonce, const DeflatePolicy& policy) {
  if (!fits_request_line(demand.host)) return Status::invalid_argument("the host is empty or has a blank or control character");
  if (!fits_request_line(demand.target) || !demand.target.starts_with('/'))
    return Status::invalid_argument("the target does not begin with '/', or has a blank or control character");
  std::string out = fmt::format(
      "GET {} HTTP/1.1\r\nHost: {}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
      "Sec-WebSocket-Key: {}\r\n",
      demand.target, demand.host, key_of(nonce));
  if (policy.enabled) out += fmt::format("Sec-WebSocket-Extensions: {}\r\n", deflate_offer(policy));
  for (const auto& [name, value] : demand.headers) {
    if (Status judged = judge_header(name, value); !judged.ok()) return judged;
    out += fmt::format("{}: {}\r\n", name, value);
  }
  out += "\r\n";
  return out;
}

Result<std::optional<DeflateTerms>> judge_response(const UpgradeResponse& response, const UpgradeNonce& nonce,
                                                   const DeflatePolicy& policy) {
  if (response.status != 101) return refused(response.status);
  const auto wrong = [](std::string_view what) {
    return Status::invalid_argument(fmt::format("the server's answer is not a WebSocket's: {}", what));
  };
  if (!same_in_any_case(only_value(response.headers, "upgrade").value_or(""), "websocket"))
    return wrong("header Upgrade is not websocket");
  if (!has_token(response.headers, "connection", "upgrade")) return wrong("header Connection does not name upgrade");
  if (only_value(response.headers, "sec-websocket-accept") != accept_value(key_of(nonce)))
    return wrong("Sec-WebSocket-Accept does not belong to this request");
  if (!response.headers("sec-websocket-protocol").empty()) return wrong("it names a subprotocol, and none was asked for");
  const auto extensions = parse_extensions(response.headers("sec-websocket-extensions"));
  if (!extensions.ok()) return extensions.status();
  return judge_deflate_answer(*extensions, policy);
}

}  // namespace muster::websocket
