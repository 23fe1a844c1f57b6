// The members of a JSON object without a tree of it: results and elements may be large, and only a few words of them matter here.
//
// Every element that is pushed and every report passes here, so the usual text, one without escapes, is read in one pass that
// copies nothing.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace muster::resp::work {

struct Member {
  enum class Kind : std::uint8_t { null, boolean, number, text, array, object };
  std::string_view name;
  Kind kind = Kind::null;
  double number = 0;
  bool whole = false;  // the number is an integer
  std::string_view text;
};

// Its texts stand in the JSON it was read from, or in `unescaped`.
struct TopLevel {
  std::vector<Member> members;                                // the last of a name that stands twice counts
  std::vector<std::unique_ptr<const std::string>> unescaped;  // each where it was made, whoever has it now
  const Member* find(std::string_view name) const;            // null: none
};

// nullopt: not a JSON object, or one that is nested deeper than json::kDepthMax. The text outlives what is read from it.
std::optional<TopLevel> read_top_level(std::string_view json);

}  // namespace muster::resp::work
