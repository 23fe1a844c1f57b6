// What the sweeps share: they ask whether this node leads together with their first question, and report alike.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "store/codec/id_codec.h"
#include "store/postgres/tx.h"
#include "store/verbs.h"

namespace muster::store::postgres {

// Jobs one pass moves at most, whatever it may.
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

// History by days: a partition per day of the database's calendar (UTC), made ahead and dropped whole when its last row is old
// enough.
//
// Rows of a day without a partition are in the default one, `history_rest`; they are removed row by row like those of a small
// day.

struct HistoryDay {
  std::string name;
  std::int64_t from_ms = 0;
  std::int64_t to_ms = 0;      // the first instant of the next day
  std::int64_t estimated = 0;  // rows
};

// Makes those of today and the days after as far as it can, and lists all, the oldest first.
std::vector<HistoryDay> open_history_days(Tx& tx);
// Its rows, counted up to `most`.
std::int64_t count_day(Tx& tx, const HistoryDay& day, std::int64_t most);
// Removes the idempotency keys, steps and signals of its jobs, then the day. The last thing in a transaction: everybody who
// finishes a job waits for the commit.
enum class DayFate : std::uint8_t {
  dropped,
  keys_left,  // it has more keys or steps than one pass removes
  kept,       // the role may not drop it, or somebody is writing for too long
};
DayFate drop_day(Tx& tx, const HistoryDay& day);

}  // namespace muster::store::postgres
