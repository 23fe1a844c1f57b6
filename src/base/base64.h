// Base64 (RFC 4648, section 4, with padding): how bytes that are not JSON travel inside JSON.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace muster {

std::string to_base64(std::string_view bytes);
// nullopt: a letter outside the alphabet, wrong padding, or set bits after the end.
std::optional<std::string> from_base64(std::string_view text);

}  // namespace muster
