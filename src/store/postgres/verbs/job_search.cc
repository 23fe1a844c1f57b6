#include "store/postgres/verbs/job_search.h"

namespace muster::store::postgres {
namespace {

constexpr std::int64_t kEverySource = 15;

std::int64_t source_of(JobState state) {
  switch (state) {
    case JobState::scheduled:
    case JobState::ready: return 1;
    case JobState::running: return 2;
    case JobState::dead: return 4;
    case JobState::completed:
    case JobState::cancelled: return 8;
  }
  return 0;
}

}  // namespace

std::int64_t sources_of(const std::vector<JobState>& states) {
  std::int64_t sources = 0;
  for (const JobState state : states) sources |= source_of(state);
  return states.empty() ? kEverySource : sources;
}

std::int64_t bits_of(const std::vector<JobState>& states) {
  std::int64_t bits = 0;
  for (const JobState state : states) bits |= std::int64_t{1} << static_cast<int>(state);
  return bits;
}

std::vector<LaneKey> lanes_for(const Directory& directory, const JobFilter& filter) {
  std::vector<LaneKey> out;
  for (const QueueRef& queue : directory.queues()) {
    if (!filter.ns.empty() && queue->ns_name != filter.ns) continue;
    if (!filter.queue.empty() && queue->name != filter.queue) continue;
    for (const LanePtr& lane : directory.lanes_of_queue(queue->key))
      if (filter.type.empty() || lane->lane->type == filter.type) out.push_back(lane->key);
  }
  return out;
}

}  // namespace muster::store::postgres
