// Retention: finished jobs go by age, and the oldest of them by count. Live jobs are never touched.
//
// Whole days of history go at once; rows are removed one by one where there is no other way: in the default partition, among the
// dead, by count, and in a day that is only partly old when it is small. A large day is left alone until all of it is old, since
// its rows would be removed twice, with all the log that costs.
#include <algorithm>
#include <charconv>

#include <fmt/format.h>

#include "store/postgres/verbs/sweeps.h"
#include "store/postgres/verbs/verbs.h"

namespace muster::store::postgres {
namespace {

constexpr std::int64_t kKeysPerPassMax = 10'000;
constexpr std::int64_t kStepsPerPassMax = 50'000;

}  // namespace

std::vector<HistoryDay> open_history_days(Tx& tx) {
  tx.write("prune_open_days"_sql);
  const Rows rows = tx.ask("prune_days"_sql);
  std::vector<HistoryDay> days;
  for (std::size_t i = 0; i < rows.size(); ++i)
    days.push_back({rows.text(i, 0), rows.integer(i, 1), rows.integer(i, 2), rows.integer(i, 3)});
  return days;
}

std::int64_t count_day(Tx& tx, const HistoryDay& day, std::int64_t most) {
  const Rows rows = tx.ask("prune_day_count"_sql, std::move(Params().int8(day.from_ms).int8(day.to_ms).int8(most)));
  return rows.size() == 0 ? 0 : rows.integer(0, 0);
}

DayFate drop_day(Tx& tx, const HistoryDay& day) {
  const Rows keys = tx.ask("prune_day_keys"_sql, std::move(Params().int8(day.from_ms).int8(day.to_ms).int8(kKeysPerPassMax)));
  if (keys.affected() == static_cast<std::size_t>(kKeysPerPassMax)) return DayFate::keys_left;
  const Rows steps = tx.ask("prune_day_steps"_sql, std::move(Params().int8(day.from_ms).int8(day.to_ms).int8(kStepsPerPassMax)));
  if (steps.affected() == static_cast<std::size_t>(kStepsPerPassMax)) return DayFate::keys_left;
  tx.write("prune_day_name"_sql, std::move(Params().text(day.name)));
  tx.write("prune_drop_day"_sql);
  const Rows gone = tx.ask("prune_day_gone"_sql, std::move(Params().text(day.name)));
  return gone.size() == 1 && gone.integer(0, 0) != 0 ? DayFate::dropped : DayFate::kept;
}

namespace {

constexpr std::int64_t kTrimRowsMax = 20'000;         // of a day whose rows are removed one by one
constexpr std::uint64_t kCountExactMax = 2'000'000;   // finished jobs that are counted; more are estimated
constexpr std::uint64_t kExcessCountedMax = 200'000;  // above the bound, counted in one go

// Finished jobs found to be too many, and under which bound: kept in the database from pass to pass, since counting is dear.
struct Excess {
  std::uint64_t bound = 0;
  std::uint64_t rows = 0;

  std::string text() const { return fmt::format("{} {}", bound, rows); }
  static Excess from_text(std::string_view text) {
    Excess out;
    const auto first = std::from_chars(text.data(), text.data() + text.size(), out.bound);
    if (first.ptr != text.data() + text.size()) std::from_chars(first.ptr + 1, text.data() + text.size(), out.rows);
    return out;
  }
};

class Pruning {
 public:
  Pruning(Tx& tx, const Retention& retention, std::size_t limit)
      : tx_(tx),
        retention_(retention),
        limit_(std::min(limit, kPassRowsMax)),
        completed_cut_(to_ms(tx.now() - retention.completed_kept)),
        dead_cut_(to_ms(tx.now() - retention.dead_kept)) {}

  SweepReport run() {
    for (const HistoryDay& day : open_history_days(tx_)) {
      if (day.from_ms > completed_cut_) break;
      if (prune_day(day) == Pass::over) return {moved_, true, std::nullopt};
    }
    prune_rest();
    prune_dead();
    prune_by_count();
    return {moved_, more_ || room() == 0, std::nullopt};
  }

 private:
  enum class Pass : bool { goes_on, over };
  std::size_t room() const { return limit_ - std::min(limit_, moved_); }
  Params with_room(Params params) const { return std::move(params.int8(static_cast<std::int64_t>(room()))); }

  Pass prune_day(const HistoryDay& day) {
    if (room() == 0) return Pass::over;
    const bool whole = day.to_ms - 1 <= completed_cut_;
    const std::int64_t rows = count_day(tx_, day, kTrimRowsMax + 1);
    const bool large = rows > kTrimRowsMax;
    if (whole && (large || rows <= static_cast<std::int64_t>(room()))) {
      const DayFate fate = drop_day(tx_, day);
      if (fate == DayFate::dropped) moved_ += static_cast<std::size_t>(large ? std::max(rows, day.estimated) : rows);
      if (fate != DayFate::kept) return Pass::over;
    }
    if (rows == 0 || (large && !whole)) return Pass::goes_on;
    Params params;
    params.int8(day.from_ms).int8(std::min(day.to_ms - 1, completed_cut_));
    remove_history(tx_.ask("prune_pick"_sql, with_room(std::move(params))));
    return Pass::goes_on;
  }

  void prune_rest() {
    if (room() > 0) remove_history(tx_.ask("prune_pick_rest"_sql, with_room(std::move(Params().int8(completed_cut_)))));
  }

  void prune_dead() {
    if (room() == 0) return;
    const Rows rows = tx_.ask("prune_pick_dead"_sql, with_room(std::move(Params().int8(dead_cut_))));
    std::vector<std::int64_t> keys;
    for (std::size_t i = 0; i < rows.size(); ++i) keys.push_back(rows.integer(i, 0));
    remove_dead(keys, dead_cut_);
  }

  void prune_by_count() {
    const Rows stored = tx_.ask("prune_excess_read"_sql);
    const Excess before = stored.size() == 1 ? Excess::from_text(stored.view(0, 0)) : Excess();
    Excess excess = before;
    if (excess.bound != retention_.finished_count_max || excess.rows == 0) {
      excess.bound = retention_.finished_count_max;
      excess.rows = count_excess();
    }
    if (excess.rows > 0 && room() > 0) {
      const std::size_t removed = remove_oldest(std::min<std::size_t>(room(), excess.rows));
      // Nothing left to remove: the estimate was too high.
      excess.rows = removed == 0 ? 0 : excess.rows - std::min<std::uint64_t>(removed, excess.rows);
    }
    if (excess.text() != before.text()) tx_.write("prune_excess_put"_sql, std::move(Params().text(excess.text())));
    more_ = excess.rows > 0;
  }

  std::uint64_t count_excess() {
    const std::uint64_t most = retention_.finished_count_max;
    const bool exact = most <= kCountExactMax;
    const Rows rows =
        exact ? tx_.ask("prune_count"_sql, std::move(Params().int8(static_cast<std::int64_t>(most + kExcessCountedMax))))
              : tx_.ask("prune_estimate"_sql);
    const auto count = static_cast<std::uint64_t>(rows.size() == 0 ? 0 : rows.integer(0, 0));
    return count > most ? count - most : 0;
  }

  std::size_t remove_oldest(std::size_t wanted) {
    const Rows rows = tx_.ask("prune_pick_oldest"_sql, std::move(Params().int8(static_cast<std::int64_t>(wanted))));
    std::vector<std::int64_t> dead;
    const std::size_t before = moved_;
    for (std::size_t i = 0; i < rows.size(); ++i)
      if (rows.integer(i, 2) != 0) dead.push_back(rows.integer(i, 0));
    remove_dead(dead, tx_.now_ms());
    remove_history(rows, [&rows](std::size_t i) { return rows.integer(i, 2) == 0; });
    return moved_ - before;
  }

  // Rows are (id, finished_at, …).
  template <class Wanted>
  void remove_history(const Rows& rows, Wanted wanted) {
    std::vector<std::int64_t> keys;
    std::int64_t first = INT64_MAX, last = 0;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      if (!wanted(i)) continue;
      keys.push_back(rows.integer(i, 0));
      first = std::min(first, rows.integer(i, 1));
      last = std::max(last, rows.integer(i, 1));
    }
    if (keys.empty()) return;
    forget(tx_.ask("prune_history"_sql, std::move(Params().int8s(keys).int8(first).int8(last))));
  }
  void remove_history(const Rows& rows) {
    remove_history(rows, [](std::size_t) { return true; });
  }

  void remove_dead(const std::vector<std::int64_t>& keys, std::int64_t finished_by) {
    if (!keys.empty()) forget(tx_.ask("prune_dead"_sql, std::move(Params().int8s(keys).int8(finished_by))));
  }

  // Idempotency keys, steps and signals go with their jobs. A job that was re-driven in between is not among those removed.
  void forget(const Rows& removed) {
    std::vector<std::int64_t> keys;
    for (std::size_t i = 0; i < removed.size(); ++i) keys.push_back(removed.integer(i, 0));
    if (keys.empty()) return;
    moved_ += keys.size();
    tx_.write("prune_keys"_sql, Params().int8s(keys));
    tx_.write("prune_steps"_sql, Params().int8s(keys));
    forget_action_jobs(tx_, removed);
  }

  Tx& tx_;
  const Retention& retention_;
  const std::size_t limit_;
  const std::int64_t completed_cut_;
  const std::int64_t dead_cut_;
  std::size_t moved_ = 0;
  bool more_ = false;
};

}  // namespace

SweepReport prune_finished(Tx& tx, const Retention& retention, std::size_t limit) {
  if (!leads(tx)) return {};
  return Pruning(tx, retention, limit).run();
}

}  // namespace muster::store::postgres
