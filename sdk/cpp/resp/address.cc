#include "sdk/cpp/resp/address.h"

#include <fmt/format.h>
#include <sys/un.h>

#include <charconv>

namespace muster::sdk::resp {
namespace {

constexpr std::string_view kForms = "expected HOST:PORT, [IPV6]:PORT, unix:/path, resp://HOST:PORT or resps://HOST:PORT";

Error wrong(std::string_view text, std::string_view why) {
  return {.code = Code::invalid_argument, .detail = fmt::format("address `{}`: {}; {}", text, why, kForms)};
}

}  // namespace

std::string Address::text() const {
  if (is_unix) return "unix:" + host;
  const bool bare_v6 = host.find(':') != host.npos;
  return fmt::format("{}{}{}{}:{}", tls ? "resps://" : "", bare_v6 ? "[" : "", host, bare_v6 ? "]" : "", port);
}

Result<Address> parse_address(std::string_view text) {
  Address out;
  std::string_view rest = text;
  if (rest.starts_with("resps://")) {
    out.tls = true;
    rest.remove_prefix(8);
  } else if (rest.starts_with("resp://")) {
    rest.remove_prefix(7);
  }
  if (rest.starts_with("unix:")) {
    out.is_unix = true;
    out.host = rest.substr(5);
    if (out.host.empty()) return wrong(text, "the socket has no path");
    if (out.host.size() >= sizeof(sockaddr_un::sun_path)) return wrong(text, "the path of the socket is too long");
    return out;
  }
  if (rest.find("://") != rest.npos) return wrong(text, "only RESP is spoken here");
  std::size_t colon = rest.rfind(':');
  if (rest.starts_with('[')) {
    const std::size_t close = rest.find("]:");
    if (close == rest.npos) return wrong(text, "the port is missing");
    out.host = rest.substr(1, close - 1);
    colon = close + 1;
  } else {
    if (colon == rest.npos) return wrong(text, "the port is missing");
    out.host = rest.substr(0, colon);
    if (out.host.find(':') != out.host.npos) return wrong(text, "an IPv6 address needs brackets");
  }
  if (out.host.empty()) return wrong(text, "the host is missing");
  const std::string_view port = rest.substr(colon + 1);
  const auto [stop, error] = std::from_chars(port.data(), port.data() + port.size(), out.port);
  if (port.empty() || error != std::errc() || stop != port.data() + port.size() || out.port == 0)
    return wrong(text, "the port is not a number from 1 to 65535");
  return out;
}

}  // namespace muster::sdk::resp
