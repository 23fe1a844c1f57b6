// What one look at a schedule decides, and what may be a schedule: pure rules, without a store and without a clock.
//
// Fires are taken in their order. A fire is due at its instant plus its jitter; one that is not due yet holds those behind it, so
// that caught_up_to stays one instant. A row's next_fire_at is when its next fire is due, jitter included.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/status.h"
#include "cron/cron.h"
#include "model/schedule.h"

namespace muster::engine {

inline constexpr std::size_t kScheduleNoteBytesMax = 4 * 1024;
inline constexpr std::size_t kFireBytesMax = 32 * 1024 * 1024;  // of payloads in one step of a schedule; one job always fits

struct ScheduleLook {
  Instant now{};
  Duration grace{};                  // how late a fire may be that is made although nothing is caught up on
  std::size_t fires_max = 1;         // at least one
  bool previous_unfinished = false;  // the schedule's last job; asked for unless overlap is allowed
};

struct ScheduleStep {
  bool writes = false;  // otherwise there is nothing to do, and the rest but look_at says nothing
  Schedule after;
  std::vector<Instant> fires;  // to make, in order
  bool cancels_previous = false;
  std::optional<Instant> look_at;  // when there may be more to do, as far as the schedule itself knows
};

ScheduleStep next_step(const Schedule& schedule, const cron::Plan& plan, const ScheduleLook& look);

// When the first fire after `after` is due.
std::optional<Instant> due_after(const ScheduleSpec& spec, const cron::Plan& plan, Instant after);

// How many jobs of this template one step may enqueue.
std::size_t jobs_per_step(const ScheduleSpec& spec);

// The template as a job of this schedule.
JobSpec job_of(const ScheduleSpec& spec, std::string external_id);
// The job of one fire: also its key, under which it is enqueued once.
JobSpec job_of_fire(const ScheduleSpec& spec, Instant fire_at);

// Everything but the timing, which is Plan::parse().
Status validate(const ScheduleSpec& spec);
// With the reason in the message when the timing has no fire after `now`.
Result<cron::Plan> plan_from(const ScheduleSpec& spec, Instant now);

}  // namespace muster::engine
