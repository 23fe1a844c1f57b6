// When a schedule fires: timings as text, and the instants they name. Pure; time zones come from the system's tz database.
//
// Cron: `[seconds] minutes hours day-of-month month day-of-week [year]`. Six or seven fields begin with seconds; five fields have
// none. With six or seven fields the days of the week are 1 to 7, 1 = Sunday, and both day fields must match; with five fields
// they are 0 to 7, 0 and 7 = Sunday, and a day matches when either restricted day field does. Lists, ranges, steps and names as
// usual; `?` in a day field is `*`. Shorthands: @yearly @annually @monthly @weekly @daily @midnight @hourly. Intervals: `every
// 90s`, also ms, m, h, d, counted from the epoch.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/status.h"
#include "model/schedule.h"

namespace muster::cron {

inline constexpr Duration kJitterMax{24 * 60 * 60 * 1'000};

class Plan {  // immutable, cheap to copy, any thread
 public:
  // invalid_argument: the message names the field, what stands there and what may. CronForm::kagzi: six or seven fields and the
  // five shorthands @yearly @monthly @weekly @daily @hourly.
  static Result<Plan> parse(const Timing& timing);

  // In words, for people: "at 09:00, Monday to Friday, Europe/Berlin".
  std::string explanation() const;

  // The first fire after `at`, without jitter; nullopt: there is none.
  std::optional<Instant> next(Instant at) const;
  // Fires in (from, to], at most the newest `keep`, in order. `left_out`, when given, gets how many older ones there were
  // (counting stops at a bound).
  std::vector<Instant> between(Instant from, Instant to, std::size_t keep, std::uint64_t* left_out = nullptr) const;

 private:
  struct State;
  explicit Plan(std::shared_ptr<const State> state) : state_(std::move(state)) {}
  std::shared_ptr<const State> state_;
};

// How late a fire of this schedule is: the same for the same instant, on every node.
Duration jitter_of(const ScheduleSpec& spec, Instant fire_at);

}  // namespace muster::cron
