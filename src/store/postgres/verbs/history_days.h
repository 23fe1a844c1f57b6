// History by days: a partition per day of the database's calendar (UTC), made ahead and dropped whole when its last row is old
// enough.
//
// Rows of a day without a partition are in the default one, `history_rest`; they are removed row by row like those of a small
// day.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "store/postgres/tx.h"

namespace muster::store::postgres {

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
