// JSON that somebody else wrote, read without exceptions: payloads, results, plans, stored documents.
//
// The library's own accessors throw when a value is of another type than expected. These answer nullopt or nullptr instead, so a
// reader says for every member what it does without it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>

#include "base/json_depth.h"
#include "base/status.h"

namespace muster::json {

using Tree = nlohmann::json;

// nullopt: not JSON, a number that no double holds, or deeper than kDepthMax.
std::optional<Tree> parse(std::string_view text);
std::optional<Tree> parse_object(std::string_view text);  // nullopt for everything that is no object, too

// The same for those who are told why: invalid_argument "Invalid JSON: …". `place` says where the byte is at which the text stops
// being JSON, counted from 1.
Result<Tree> read(std::string_view text, const std::function<std::string(std::size_t byte)>& place);

// A member of an object. nullptr or nullopt: `value` is no object, has no such member, or the member is of another kind.
const Tree* member(const Tree& value, const char* name);
const Tree* array(const Tree& value, const char* name);
const std::string* text(const Tree& value, const char* name);
std::optional<std::int64_t> integer(const Tree& value, const char* name);  // of 64 bits, with a sign
std::optional<std::uint64_t> natural(const Tree& value, const char* name);
std::optional<bool> flag(const Tree& value, const char* name);

// Whether a value can be read as a T: bool, a number, a text, or a vector or map of these.
template <class T>
bool holds(const Tree& value) {
  if constexpr (std::is_same_v<T, bool>) {
    return value.is_boolean();
  } else if constexpr (std::is_integral_v<T>) {
    return value.is_number_integer();
  } else if constexpr (std::is_floating_point_v<T>) {
    return value.is_number();
  } else if constexpr (std::is_same_v<T, std::string>) {
    return value.is_string();
  } else if constexpr (requires { typename T::mapped_type; }) {
    return value.is_object() && std::all_of(value.begin(), value.end(), holds<typename T::mapped_type>);
  } else {
    return value.is_array() && std::all_of(value.begin(), value.end(), holds<typename T::value_type>);
  }
}

// A member that can be read as a T.
template <class T>
std::optional<T> get(const Tree& value, const char* name) {
  const Tree* found = member(value, name);
  if (found == nullptr || !holds<T>(*found)) return std::nullopt;
  return found->get<T>();
}

// Compact. Bytes that are not UTF-8 become U+FFFD.
std::string dump(const Tree& value);

}  // namespace muster::json
