// How texts and bytes travel in headers, where only printable ASCII may.
#pragma once

#include <string>
#include <string_view>

namespace muster {

// Every byte that is not printable ASCII, and the percent sign, as %XX.
std::string percent_encoded(std::string_view text);
// Base64 as in base/base64.h, without its padding.
std::string to_unpadded_base64(std::string_view bytes);

}  // namespace muster
