// Which bytes are UTF-8: overlong forms, surrogates, values above U+10FFFF and cut sequences are not.
#pragma once

#include <cstddef>
#include <string_view>

namespace muster {

// Bytes of the sequence at the front; 0: there is none.
std::size_t utf8_length(std::string_view text);
bool is_utf8(std::string_view text);
// The front of `text` within so many bytes; it does not end inside a character.
std::string_view utf8_front(std::string_view text, std::size_t bytes_max);

}  // namespace muster
