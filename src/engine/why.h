// Rule 11: for every job that is not running there is a reason. A pure rule over the store's facts.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/job.h"
#include "store/verbs.h"

namespace muster::engine {

enum class WhyCode : std::uint8_t {
  running,
  finished,
  waiting_until,      // scheduled for later: delay, retry backoff, snooze
  waiting_for_jobs,   // dependencies
  paused,             // its queue
  no_capable_worker,  // nobody live offers what it needs; `missing` names it
  no_worker,          // nobody live serves the queue at all, or whoever could asks for other ones
  workers_draining,   // able workers exist, all of them draining
  workers_full,       // all able workers are at their slots
  held_for_worker,    // sticky or preferred worker
  concurrency_key,    // the key is held by other jobs
  queue_full,         // the queue's cap
  type_full,          // the per-type cap
  rate_limited,
  next_in_line,  // an able worker is free: it will be taken at the next claim
};

struct Why {
  JobId id;
  JobState state = JobState::ready;
  WhyCode code = WhyCode::next_in_line;
  std::string text;                  // one sentence for people
  std::vector<std::string> missing;  // capabilities
  std::vector<std::string> workers;  // able ones, or the one it is held for
  std::vector<JobId> jobs;           // holders of the key, dependencies
  std::optional<Instant> until;
  std::uint64_t ahead = 0;  // jobs of its lane before it
};

Why explain(const store::WaitFacts& facts);
std::string_view to_string(WhyCode code);

}  // namespace muster::engine
