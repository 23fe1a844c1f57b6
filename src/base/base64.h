// Base64 (RFC 4648): how bytes that are not JSON travel inside JSON, with the alphabet of section 4 and padding, and inside
// tokens, with the alphabet of section 5 and none.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace muster {

std::string to_base64(std::string_view bytes);
// nullopt: a letter outside the alphabet, wrong padding, or set bits after the end.
std::optional<std::string> from_base64(std::string_view text);

// The same with `-` and `_` instead of `+` and `/`, without padding.
std::string to_base64url(std::string_view bytes);
std::optional<std::string> from_base64url(std::string_view text);

}  // namespace muster
