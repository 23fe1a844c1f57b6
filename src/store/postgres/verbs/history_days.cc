#include "store/postgres/verbs/history_days.h"

namespace muster::store::postgres {
namespace {

const Sql kOpenDays{"prune_open_days"};
const Sql kDays{"prune_days"};
const Sql kDayCount{"prune_day_count"};
const Sql kDayKeys{"prune_day_keys"};
const Sql kDaySteps{"prune_day_steps"};
const Sql kDayName{"prune_day_name"};
const Sql kDropDay{"prune_drop_day"};
const Sql kDayGone{"prune_day_gone"};

constexpr std::int64_t kKeysPerPassMax = 10'000;
constexpr std::int64_t kStepsPerPassMax = 50'000;

}  // namespace

std::vector<HistoryDay> open_history_days(Tx& tx) {
  tx.write(kOpenDays);
  const Rows rows = tx.ask(kDays);
  std::vector<HistoryDay> days;
  for (std::size_t i = 0; i < rows.size(); ++i)
    days.push_back({rows.text(i, 0), rows.integer(i, 1), rows.integer(i, 2), rows.integer(i, 3)});
  return days;
}

std::int64_t count_day(Tx& tx, const HistoryDay& day, std::int64_t most) {
  const Rows rows = tx.ask(kDayCount, std::move(Params().int8(day.from_ms).int8(day.to_ms).int8(most)));
  return rows.size() == 0 ? 0 : rows.integer(0, 0);
}

DayFate drop_day(Tx& tx, const HistoryDay& day) {
  const Rows keys = tx.ask(kDayKeys, std::move(Params().int8(day.from_ms).int8(day.to_ms).int8(kKeysPerPassMax)));
  if (keys.affected() == static_cast<std::size_t>(kKeysPerPassMax)) return DayFate::keys_left;
  const Rows steps = tx.ask(kDaySteps, std::move(Params().int8(day.from_ms).int8(day.to_ms).int8(kStepsPerPassMax)));
  if (steps.affected() == static_cast<std::size_t>(kStepsPerPassMax)) return DayFate::keys_left;
  tx.write(kDayName, std::move(Params().text(day.name)));
  tx.write(kDropDay);
  const Rows gone = tx.ask(kDayGone, std::move(Params().text(day.name)));
  return gone.size() == 1 && gone.integer(0, 0) != 0 ? DayFate::dropped : DayFate::kept;
}

}  // namespace muster::store::postgres
