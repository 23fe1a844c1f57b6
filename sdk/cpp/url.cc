#include "sdk/cpp/url.h"

#include <fmt/format.h>

namespace muster::sdk {
namespace {

bool unreserved(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '.' || c == '_' ||
         c == '~';
}

Error refused(std::string_view server) {
  return Error{.code = Code::invalid_argument,
               .status = 0,
               .detail = fmt::format("server `{}` is not an address: expected http://HOST:PORT or https://HOST:PORT", server),
               .retry_after = {}};
}

}  // namespace

Result<std::string> base_url(std::string_view server) {
  std::string_view rest = server;
  std::string scheme = "http://";
  if (const auto end = rest.find("://"); end != std::string_view::npos) {
    scheme = std::string(rest.substr(0, end + 3));
    rest.remove_prefix(end + 3);
  }
  while (rest.ends_with('/')) rest.remove_suffix(1);
  if (scheme != "http://" && scheme != "https://") return refused(server);
  if (rest.empty() || rest.front() == ':') return refused(server);
  for (const char c : rest)
    if (static_cast<unsigned char>(c) <= ' ' || c == '?' || c == '#' || c == '@' || c == '"') return refused(server);
  return scheme.append(rest);
}

std::string percent_encoded(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (const char c : text) {
    if (unreserved(c))
      out.push_back(c);
    else
      out += fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return out;
}

Path& Path::segment(std::string_view name) {
  text_.append("/").append(percent_encoded(name));
  return *this;
}

Path& Path::literal(std::string_view rest) {
  text_.append(rest);
  return *this;
}

Path& Path::query(std::string_view key, std::string_view value) {
  if (value.empty()) return *this;
  text_.append(has_query_ ? "&" : "?").append(key).append("=").append(percent_encoded(value));
  has_query_ = true;
  return *this;
}

}  // namespace muster::sdk
