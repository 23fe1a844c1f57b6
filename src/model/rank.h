// The order of waiting jobs, as one number both stores can sort by.
//
// A job is taken in the order of (rank, arrival), lowest first. Rank is the due time in microseconds, moved earlier by
// kAgeingPerPoint for each point of priority: a job of priority p goes before everything that became due less than
// p × kAgeingPerPoint earlier, and nothing waits for ever, because ranks do not move while new ones keep growing. That
// is "priority with ageing" without ever rewriting a waiting row.
//
// Fairness is start-time fair queueing stamped at enqueue: each key of a lane has a virtual finish, the lane has a virtual
// time (the stamp of the last fair job taken from it), and a job starts at the later of the two.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>

#include "base/clock.h"

namespace muster {

using Rank = std::int64_t;  // microseconds

inline constexpr std::chrono::microseconds kAgeingPerPoint = std::chrono::seconds(60);
inline constexpr std::int64_t kFairQuantum = 1'000;  // microseconds of virtual time a job of weight 1 costs

constexpr std::int64_t due_us(Instant due) {
  return std::chrono::duration_cast<std::chrono::microseconds>(due.time_since_epoch()).count();
}

constexpr Rank rank_of(Instant due, std::int32_t priority) { return due_us(due) - priority * kAgeingPerPoint.count(); }

struct FairStamp {
  std::int64_t start = 0;   // the job's virtual due time
  std::int64_t finish = 0;  // the key's next earliest start
};

// What one job of a key with this weight costs in virtual time.
constexpr std::int64_t fair_cost(std::uint32_t weight) {
  return std::max<std::int64_t>(1, kFairQuantum / static_cast<std::int64_t>(weight));
}

// key_finish and lane_time are 0 for a key or lane not seen before.
constexpr FairStamp fair_stamp(Instant due, std::int64_t lane_time, std::int64_t key_finish, std::uint32_t weight) {
  // A lane that stood idle restarts at the present, or a key that was silent would be owed all the time in between.
  const std::int64_t start = std::max({lane_time == 0 ? due_us(due) : lane_time, key_finish});
  return {start, start + fair_cost(weight)};
}

constexpr Rank fair_rank(const FairStamp& stamp, std::int32_t priority) {
  return stamp.start - priority * kAgeingPerPoint.count();
}

}  // namespace muster
