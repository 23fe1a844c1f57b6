// When each timer of a job is really due; nullopt: not any more. What sweeps judge by and what tidy() keeps.
#pragma once

#include <optional>

#include "store/runs/rules.h"
#include "store/sqlite/hot/job.h"

namespace muster::store::sqlite {

inline std::optional<Instant> due_time(const HotJob& job) {
  const bool waits = job.state == JobState::scheduled && !job.blocked() && job.run_at() < runs::kForever;
  return waits ? std::optional(job.run_at()) : std::nullopt;
}

inline std::optional<Ticks> lease_end(const HotJob& job) {
  return job.running ? std::optional(job.running->lease_ends) : std::nullopt;
}

inline std::optional<Ticks> time_out(const HotJob& job) { return job.running ? job.running->times_out : std::nullopt; }

inline std::optional<Instant> expiry(const HotJob& job) { return job.wishes ? job.wishes->expires_at : std::nullopt; }

inline std::optional<Instant> preference_end(const HotJob& job) {
  if (job.state != JobState::ready || job.lane == job.home || !job.wishes || job.wishes->waits_for_key) return std::nullopt;
  return job.wishes->prefer_until;
}

}  // namespace muster::store::sqlite
