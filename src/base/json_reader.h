// JSON that somebody else wrote, read without exceptions: payloads, results, plans, stored documents.
//
// The library's own accessors throw when a value is of another type than expected. These answer nullopt or nullptr instead, so a
// reader says for every member what it does without it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

namespace muster::json {

using Tree = nlohmann::json;

// Arrays and objects in each other. A deeper text is never made into a tree: walking it could exhaust the stack.
inline constexpr std::size_t kDepthMax = 128;
bool is_too_deep(std::string_view text);

// nullopt: not JSON, a number that no double holds, or too deep.
std::optional<Tree> parse(std::string_view text);
std::optional<Tree> parse_object(std::string_view text);  // nullopt for everything that is no object, too

// A member of an object. nullptr or nullopt: `value` is no object, has no such member, or the member is of another kind.
const Tree* member(const Tree& value, const char* name);
const Tree* array(const Tree& value, const char* name);
const std::string* text(const Tree& value, const char* name);
std::optional<std::int64_t> integer(const Tree& value, const char* name);  // of 64 bits, with a sign
std::optional<std::uint64_t> natural(const Tree& value, const char* name);
std::optional<bool> flag(const Tree& value, const char* name);

// Compact. Bytes that are not UTF-8 become U+FFFD.
std::string dump(const Tree& value);

}  // namespace muster::json
