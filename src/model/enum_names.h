// Enumerators by name, for those whose names stand in an array in their order.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <string_view>

namespace muster {

template <std::size_t kCount, class Enum>
constexpr std::string_view name_of(const std::array<std::string_view, kCount>& names, Enum value) {
  return names[static_cast<std::size_t>(value)];
}

template <class Enum, std::size_t kCount>
constexpr std::optional<Enum> named(const std::array<std::string_view, kCount>& names, std::string_view name) {
  const auto it = std::find(names.begin(), names.end(), name);
  if (it == names.end()) return std::nullopt;
  return static_cast<Enum>(it - names.begin());
}

}  // namespace muster
