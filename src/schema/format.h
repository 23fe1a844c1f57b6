// Formats that a schema may have asserted. Each judges a text by the specification it names; texts are UTF-8.
#pragma once

#include <optional>
#include <string_view>

namespace muster::schema {

enum class Format : unsigned char {
  date_time,     // RFC 3339, with an offset
  date,          // RFC 3339
  time,          // RFC 3339, with an offset; leap seconds only where UTC has them
  uri,           // RFC 3986, with a scheme
  uuid,          // RFC 4122, with dashes
  email,         // RFC 5321
  ipv4,          // RFC 2673
  ipv6,          // RFC 4291
  json_pointer,  // RFC 6901
};

// nullopt: not one of these. It is an annotation.
std::optional<Format> find_format(std::string_view name);
std::string_view name_of(Format format);
bool is_format(Format format, std::string_view text);

}  // namespace muster::schema
