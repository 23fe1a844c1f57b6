// Addresses: the server's base URL, path segments and query strings, percent-encoded.
#pragma once

#include <string>
#include <string_view>

#include "sdk/cpp/result.h"

namespace muster::sdk {

// `http://host:port` or `https://…`, without a trailing slash. A bare `host:port` means http. invalid_argument: anything else.
Result<std::string> base_url(std::string_view server);

// Everything but unreserved characters becomes %XX, so that a queue named `a/b` stays one segment.
std::string percent_encoded(std::string_view text);

// Builds `/jobs/ID?x=1&y=2`. Empty values are left out.
class Path {
 public:
  explicit Path(std::string_view literal) : text_(literal) {}
  Path& segment(std::string_view name);
  Path& literal(std::string_view rest);
  Path& query(std::string_view key, std::string_view value);
  const std::string& text() const { return text_; }

 private:
  std::string text_;
  bool has_query_ = false;
};

}  // namespace muster::sdk
