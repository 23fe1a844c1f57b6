// The letters of JSON and their escapes, for the reader and the writer.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace muster::http {

// Bytes of the escape `text` begins with, a surrogate pair counting as one; 0 when it begins with none.
std::size_t escape_length(std::string_view text);
// REQUIRES: the inside of a string that the reader has checked.
std::string unescape(std::string_view inside);
// 'x', or byte 0x07 when it cannot be shown.
std::string quoted_char(char c);
// Appends `text` in double quotes. Bytes that are not UTF-8 become U+FFFD, so that a reply is valid whatever a worker reported.
void append_quoted(std::string& out, std::string_view text);

}  // namespace muster::http
