// Schedules: changed by people, fired by tick().
//
// One pass reads what is due, lets cron/ name the fires in (caught_up_to, now], keeps the newest catchup_max of them, and writes
// jobs and row in one transaction. A fire happens once: its job carries fire_key(), and the row is only replaced at the revision
// that was read. Passes are due when the store says (its next_due) and every scheduler_every at the latest.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/metrics.h"
#include "base/reply.h"
#include "engine/options.h"
#include "engine/runs.h"
#include "store/store.h"

namespace muster::engine {

// What is empty stays.
struct ScheduleChange {
  NamespaceName ns;
  ScheduleId id;
  std::optional<Timing> timing;
  std::optional<JobSpec> job;
  std::optional<Overlap> overlap;
  std::optional<std::uint32_t> catchup_max;
  std::optional<bool> enabled;
  std::optional<Instant> next_fire_at;
  std::optional<std::string> note;
  // Enabling makes up for what was missed while it was disabled, within catchup_max; otherwise it goes on from now.
  bool catch_up = false;
};

struct ScheduleRange {
  NamespaceName ns;
  ScheduleId id;
  Instant from{};  // exclusive
  Instant to{};    // inclusive
};

class Schedules {
 public:
  Schedules(store::Store& store, Runs& runs, const Clock& clock, Metrics& metrics, const Options& options);
  ~Schedules();

  // Gives it an id when it has none. invalid_argument: the timing (the message points at the field), or it never fires.
  void create(ScheduleSpec spec, Reply<Schedule> reply);
  void update(ScheduleChange change, Reply<Schedule> reply);
  void get(NamespaceName ns, ScheduleId id, Reply<Schedule> reply);
  void list(store::ScheduleQuery query, Reply<store::SchedulePage> reply);
  void remove(NamespaceName ns, ScheduleId id, Reply<Schedule> reply);
  // One job now, also of a schedule that is not enabled; its fires are not touched.
  void trigger(NamespaceName ns, ScheduleId id, Reply<store::Enqueued> reply);
  // The next `count` fires after `after`, jitter included.
  void preview(NamespaceName ns, ScheduleId id, std::size_t count, std::optional<Instant> after,
               Reply<std::vector<Instant>> reply);
  // The fires of the range, oldest first, each enqueued once: those that were made already count as existed. exhausted: more than
  // kBackfillMax.
  void backfill(ScheduleRange range, Reply<std::vector<store::Enqueued>> reply);

  // A job that a buffered fire waits for may have finished.
  void committed(const store::Committed& commit);
  Duration tick();
  void stop();

 private:
  class Shared;
  std::shared_ptr<Shared> shared_;  // shared with replies that are still on their way when this goes
};

}  // namespace muster::engine
