// Requests and answers of the verbs about schedules.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/schedule.h"
#include "store/verbs.h"

namespace muster::store {

// Newest first.
struct ScheduleQuery {
  NamespaceName ns;  // empty: all
  QueueName queue;   // of the template
  JobType type;
  std::optional<bool> enabled;
  std::size_t limit = limits::kPageDefault;
  std::string cursor;  // opaque
};

struct SchedulePage {
  std::vector<Schedule> schedules;
  std::string next;
  std::uint64_t total = 0;  // that match, whatever the page
};

// Enabled schedules whose next fire or buffered one may be due, earliest first.
struct DueSchedules {
  std::vector<Schedule> schedules;
  bool more = false;
  std::optional<Instant> next_due;  // of those that are not due yet
};

// One step of a schedule: its jobs are enqueued and its row is replaced, or neither. `after.revision` is the one that was read.
struct ScheduleFire {
  Schedule after;
  std::vector<JobSpec> jobs;
};

struct ScheduleFired {
  Schedule schedule;
  std::vector<Enqueued> jobs;
};

}  // namespace muster::store
