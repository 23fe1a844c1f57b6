// What the sweeps share: they ask whether this node leads together with their first question, and report alike.
#pragma once

#include <algorithm>
#include <optional>
#include <vector>

#include "store/codec/id_codec.h"
#include "store/postgres/tx.h"
#include "store/verbs.h"

namespace muster::store::postgres {

// Jobs one pass moves at most, whatever it may; the statements of the passes name the same number.
inline constexpr std::size_t kPassRowsMax = 2'000;

// The answer of the statement, or nothing when another node leads. REQUIRES: a statement that only reads, since it is asked
// either way.
std::optional<Rows> ask_leading(Tx& tx, Sql statement, Params params = {});

// What a pass may do: one more row is asked for than it may move, to know whether there is more.
struct PassBudget {
  explicit PassBudget(std::size_t limit) : rows(std::min(limit, kPassRowsMax)) {}
  Params params() const { return std::move(Params().int8(static_cast<std::int64_t>(rows + 1))); }
  // The first column of as many rows as may be moved.
  std::vector<std::int64_t> keys(const Rows& found) const;
  bool more(const Rows& found) const { return found.size() > rows; }
  const std::size_t rows;
};

// The one instant a statement answers.
std::optional<Instant> ask_instant(Tx& tx, Sql statement);

}  // namespace muster::store::postgres
