// A schedule: when to enqueue a copy of one job, again and again.
//
// What stands in a timing's text is src/cron/; here are the facts the registry keeps. A fire is one instant of the schedule; its
// job carries the idempotency key fire_key(), so that it is enqueued once whatever crashes and however many nodes look.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "model/ids.h"
#include "model/job.h"

namespace muster {

using ScheduleId = Id<struct ScheduleTag>;  // a UUID's text, given by the engine

// Which grammar a cron text is read with: five fields and shorthands besides, or only what the Kagzi dialects take.
enum class CronForm : std::uint8_t { native, kagzi };
// A local time that does not exist that day: the first instant after the gap, or not at all.
enum class GapRule : std::uint8_t { next, skip };
// A local time that comes twice that day: at its first coming, or at both.
enum class FoldRule : std::uint8_t { once, twice };

struct Timing {
  std::string text;  // cron fields, `@daily` and the like, or `every 90s`
  CronForm form = CronForm::native;
  std::string zone = "UTC";  // of the tz database
  GapRule gap = GapRule::next;
  FoldRule fold = FoldRule::once;
  Duration jitter{0};  // each fire is late by an even share of this, the same whenever it is asked for
  friend bool operator==(const Timing&, const Timing&) = default;
};

// What happens to a fire while the job of the one before is unfinished.
enum class Overlap : std::uint8_t { allow, skip, buffer_one, cancel_previous };

inline constexpr std::uint32_t kCatchupDefault = 100;
inline constexpr std::uint32_t kCatchupMax = 10'000;

struct ScheduleSpec {
  NamespaceName ns{kDefaultNamespace};
  ScheduleId id;
  Timing timing;
  JobSpec job;  // the template; its namespace is the schedule's
  Overlap overlap = Overlap::allow;
  std::uint32_t catchup_max = kCatchupDefault;  // missed fires that are made up for, the newest; 0: none
  bool enabled = true;
  std::string note;
  friend bool operator==(const ScheduleSpec&, const ScheduleSpec&) = default;
};

struct Schedule {
  ScheduleSpec spec;
  Instant created_at{};
  Instant updated_at{};
  std::optional<Instant> next_fire_at;   // empty: it has no further fire, or is not enabled
  std::optional<Instant> last_fired_at;  // the newest fire that was made or skipped
  std::optional<Instant> caught_up_to;   // fires up to here are dealt with; empty: since created_at
  std::optional<Instant> buffered;       // a fire that waits for the job before it
  std::optional<JobId> last_job;
  std::uint64_t fired = 0;
  std::uint64_t skipped = 0;
  std::uint64_t revision = 0;  // grows with every write
};

// `schedule:{id}:{fire_at}`, the instant as 2025-12-06T12:00:00+00:00.
std::string fire_key(const ScheduleId& schedule, Instant fire_at);

std::string_view to_string(Overlap overlap);
std::optional<Overlap> parse_overlap(std::string_view name);  // allow, skip, buffer_one, cancel_previous

}  // namespace muster
