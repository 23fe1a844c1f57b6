// The statements of SQL files that hold many: each begins with a line `-- name: NAME` and ends where the next begins.
//
// Numbers that C++ and SQL share have names in both: `{state.dead}` in a statement is JobState::dead. What several statements of
// one store say alike is a part, which begins with a line `-- part: NAME` and stands in them as `{part.NAME}`.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/embedded.h"

namespace muster::store {

struct NamedNumber {
  std::string_view name;  // with a dot in it
  std::int64_t value = 0;
};

struct NamedStatement {
  std::string_view name;
  std::string text;  // its comments are part of it, the line with the name is not
};

// Sorted by name, with numbers for their names, a store's own ones and those of states, events, workers, steps and keys, which
// every store has, and parts for theirs. A name given twice, one that stands for nothing, or text before the first name, is a
// mistake of ours and ends the program.
std::vector<NamedStatement> named_statements(std::span<const embedded::File> files, std::span<const NamedNumber> own = {});

// The statement's place in a sorted list. REQUIRES: it is there.
std::size_t statement_index(std::span<const NamedStatement> sorted, std::string_view name);

}  // namespace muster::store
