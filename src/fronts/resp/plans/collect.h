// Listings that are longer than a page: reads page after page, up to a bound.
//
// For the commands and views that answer with all there is. `then` runs on the loop's thread.
#pragma once

#include <cstddef>
#include <vector>

#include "base/status.h"
#include "base/unique_function.h"
#include "fronts/resp/core.h"
#include "model/plan.h"

namespace muster::resp::plans {

inline constexpr std::size_t kCollectedMax = 100'000;                // things of one answer
inline constexpr std::size_t kCollectedBytesMax = 32 * 1024 * 1024;  // of their payloads

template <class T>
struct Collected {
  std::vector<T> items;
  bool more = false;  // the bound was reached before the end
};

template <class T>
using CollectedThen = UniqueFunction<void(Result<Collected<T>>)>;

// `most` items at most. What the query says about pages (limit, cursor, offset) is where it starts.
void collect(const CallRef& call, store::JobQuery query, std::size_t most, CollectedThen<Job> then);
void collect(const CallRef& call, store::WorkerQuery query, std::size_t most, CollectedThen<Worker> then);
void collect(const CallRef& call, store::PlanQuery query, std::size_t most, CollectedThen<Plan> then);
void collect(const CallRef& call, store::ActionListQuery query, std::size_t most, CollectedThen<Action> then);

// Shows every job of the ids that still exists, in their order, few at a time; then says how it went.
void visit_jobs(const CallRef& call, std::vector<JobId> ids, UniqueFunction<void(const Job&)> each,
                UniqueFunction<void(Status)> done);

}  // namespace muster::resp::plans
