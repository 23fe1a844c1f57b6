// The members of a JSON object without a tree of it: results and elements may be large, and only a few words of them matter here.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace muster::resp::work {

struct Member {
  enum class Kind : std::uint8_t { null, boolean, number, text, array, object };
  std::string name;
  Kind kind = Kind::null;
  double number = 0;
  bool whole = false;  // the number is an integer
  std::string text;
};

struct TopLevel {
  std::vector<Member> members;                      // the last of a name that stands twice counts
  const Member* find(std::string_view name) const;  // null: none
};

// nullopt: not a JSON object, or one that is nested deeper than json::kDepthMax.
std::optional<TopLevel> read_top_level(std::string_view json);

}  // namespace muster::resp::work
