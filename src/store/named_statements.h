// The statements of SQL files that hold many: each begins with a line `-- name: NAME` and ends where the next begins.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "base/embedded.h"

namespace muster::store {

struct NamedStatement {
  std::string_view name;
  std::string_view text;  // its comments are part of it, the line with the name is not
};

// Sorted by name. A name given twice, or text before the first name, is a mistake of ours and ends the program.
std::vector<NamedStatement> named_statements(std::span<const embedded::File> files);

// The statement's place in a sorted list. REQUIRES: it is there.
std::size_t statement_index(std::span<const NamedStatement> sorted, std::string_view name);

}  // namespace muster::store
