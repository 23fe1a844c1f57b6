#include "sdk/cpp/ws/endpoint.h"

#include <fmt/format.h>

#include "sdk/cpp/ws/errors.h"

namespace muster::sdk::ws {
namespace {

Error wrong(std::string_view url, std::string_view why) {
  return error_of(Code::invalid_argument,
                  fmt::format("address `{}`: {}; expected ws://HOST[:PORT][/PATH] or wss://HOST[:PORT][/PATH]", url, why));
}

bool is_printable(std::string_view text) {
  for (const char c : text)
    if (c <= 0x20 || c >= 0x7F) return false;
  return true;
}

}  // namespace

Result<Endpoint> parse_endpoint(std::string_view url) {
  constexpr std::string_view kPlain = "ws://";
  constexpr std::string_view kSecure = "wss://";
  const bool tls = url.starts_with(kSecure);
  if (!tls && !url.starts_with(kPlain)) return wrong(url, "it begins with neither ws:// nor wss://");
  if (!is_printable(url)) return wrong(url, "it has a blank or another character that no address has");
  std::string_view rest = url.substr(tls ? kSecure.size() : kPlain.size());
  const std::size_t slash = rest.find_first_of("/?#");
  std::string_view target = slash == rest.npos ? std::string_view() : rest.substr(slash);
  const std::string_view host = rest.substr(0, slash);
  if (host.empty()) return wrong(url, "the host is missing");
  if (host.find('@') != host.npos) return wrong(url, "it names a user; the token is sent with the handshake");
  if (target.find('#') != target.npos) return wrong(url, "it has a fragment");
  const std::size_t colon = host.rfind(':');
  const bool has_port = colon != host.npos && host.back() != ']';
  auto address = resp::parse_address(has_port ? std::string(host) : fmt::format("{}:{}", host, tls ? 443 : 80));
  if (!address.ok()) return wrong(url, address.error().detail);
  address->tls = tls;
  address->tls_scheme = kSecure;
  Endpoint out{.address = std::move(*address), .host = std::string(host), .target = std::string(target), .url = std::string(url)};
  if (out.target.empty() || out.target == "/") out.target = "/ws/worker";
  if (out.target.front() == '?') out.target.insert(0, "/ws/worker");
  return out;
}

}  // namespace muster::sdk::ws
