// The version this program calls itself. A test keeps it equal to the project's.
#pragma once

#include <string_view>

namespace muster::server {

inline constexpr std::string_view kVersion = "0.1.0";

}  // namespace muster::server
