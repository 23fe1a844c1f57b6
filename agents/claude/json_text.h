// Members of a JSON object as the text they came in, so that what is only handed on is handed on byte for byte: numbers that no
// double holds, the order of members, escapes.
//
// REQUIRES everywhere: the text is JSON (base/json_reader.h has read it). Names are compared as they are written, escapes and
// all.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace muster::claude {

struct TextMember {
  std::string_view name;   // without quotes
  std::string_view value;  // without the blanks around it
};

// Empty for what is no object.
std::vector<TextMember> text_members(std::string_view object);
// The last of that name.
std::optional<std::string_view> text_member(std::string_view object, std::string_view name);

// The object with some members replaced where they stand; those it does not have follow at the end.
std::string with_members(std::string_view object, const std::vector<std::pair<std::string, std::string>>& replaced);

// `text` as JSON.
std::string json_string(std::string_view text);

}  // namespace muster::claude
