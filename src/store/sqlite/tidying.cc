// The index grows with live jobs, not with lives: entries are hints that nobody searches to remove, so those of jobs that have
// moved on are dropped here, all at once, when they are more than half. A pass costs one walk over the live jobs and comes after
// at least as many new entries, so a life pays a constant for it.
#include <unordered_set>

#include "store/sqlite/core.h"
#include "store/sqlite/due_times.h"

namespace muster::store::sqlite {
namespace {

constexpr std::size_t kStaleEntriesMax = 1'024;  // tolerated in each part beyond one for every live job

bool mostly_stale(std::size_t entries, std::size_t live) { return entries > 2 * live + kStaleEntriesMax; }

template <class Time, class When>
void tidy_timers(TimersOf<Time>& timers, const std::unordered_map<JobKey, HotJob>& jobs, When when) {
  if (!mostly_stale(timers.size(), jobs.size())) return;
  TimersOf<Time> kept;
  for (const auto& [key, job] : jobs)
    if (const std::optional<Time> at = when(job)) kept.add(*at, key);
  timers = std::move(kept);
}

}  // namespace

void Core::tidy_arrivals(HotQueue& queue) {
  if (!mostly_stale(queue.arrivals.size(), queue.ready)) return;
  std::unordered_set<JobKey> seen;
  std::deque<HotQueue::Arrival> kept;
  for (const HotQueue::Arrival& arrival : queue.arrivals) {
    const HotJob* job = find(arrival.key);
    const bool waits = job != nullptr && job->state == JobState::ready && job->run_at_ms == arrival.run_at_ms;
    if (waits && seen.insert(arrival.key).second) kept.push_back(arrival);
  }
  arrivals -= queue.arrivals.size() - kept.size();
  queue.arrivals = std::move(kept);
}

void Core::tidy() {
  tidy_timers(due, jobs, due_time);
  tidy_timers(leases, jobs, lease_end);
  tidy_timers(timeouts, jobs, time_out);
  tidy_timers(expiries, jobs, expiry);
  tidy_timers(preferences, jobs, preference_end);
  if (mostly_stale(lanes.entries(), jobs.size()))
    lanes.keep_entries([this](LaneIndex lane, const LaneEntry& entry) { return stands_at(find(entry.key), lane, entry); });
  if (lanes.mostly_idle(lanes_max)) forget_idle_lanes();
}

void Core::forget_idle_lanes() {
  lanes.forget_idle();
  for (QueueIndex i = 0; i < queues.size(); ++i)
    std::erase_if(queues.at(i).lanes, [this](LaneIndex lane) { return !lanes.known(lane); });
  for (const auto& [name, key] : workers.ordered())
    std::erase_if(workers.find(key)->own_lanes, [this](LaneIndex lane) { return !lanes.known(lane); });
}

}  // namespace muster::store::sqlite
