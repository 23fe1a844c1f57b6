// A reply before it becomes bytes, and the head it gets.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/clock.h"

namespace muster::http {

struct Response {
  unsigned status = 200;
  std::string_view content_type = "application/json";  // a constant; not sent with an empty body
  std::string body;
  std::vector<std::pair<std::string_view, std::string>> headers;  // beyond those every reply has
  bool encoded = false;  // the body is sent as it is: it is compressed already, or must not be
};

std::string_view reason_phrase(unsigned status);

struct HeadOptions {
  std::string_view date;
  bool keep_alive = true;
  std::optional<std::size_t> content_length;  // empty: the body ends with the connection
  bool gzip = false;
};

// Status line and headers, the empty line included.
std::string head_of(const Response& response, const HeadOptions& options);

// "Sun, 15 Nov 2026 09:00:00 GMT"
std::string http_date(Instant at);

}  // namespace muster::http
