#include "fronts/http/event_pulse.h"

#include <algorithm>
#include <set>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

namespace muster::http {
namespace {

// What this turn has told of already. What happens to no job, worker or queue is told each time.
class Seen {
 public:
  bool is_first(const JobChange& change) { return jobs_.insert(change.id).second; }
  bool is_first(const WorkerChange& change) { return workers_.emplace(change.ns.text(), change.id.text()).second; }
  bool is_first(const QueueChanged& change) { return queues_.emplace(change.ns.text(), change.queue.text()).second; }
  bool is_first(const command::ExtensionTold&) { return true; }
  bool is_first(const PackageChange&) { return true; }

 private:
  using Names = std::set<std::pair<std::string_view, std::string_view>>;  // of a namespace
  std::unordered_set<JobId> jobs_;
  Names workers_;
  Names queues_;
};

// The newest of each that the filter lets pass, oldest first.
std::vector<const command::Event*> newest_of_each(const std::vector<command::Event>& events, const EventFilter& filter) {
  std::vector<const command::Event*> told;
  Seen seen;
  for (auto event = events.rbegin(); event != events.rend(); ++event)
    if (passes(filter, *event) && std::visit([&](const auto& change) { return seen.is_first(change); }, event->what))
      told.push_back(&*event);
  std::reverse(told.begin(), told.end());
  return told;
}

}  // namespace

Pulse pulse_of(const command::Events& events, const EventFilter& filter, std::uint64_t after) {
  const std::uint64_t newest = events.newest();
  const bool far_behind = newest > after && newest - after > kPulseReadMax;
  const command::Events::Slice slice = events.read(far_behind ? newest - kPulseReadMax : after, kPulseReadMax);
  std::vector<const command::Event*> told = newest_of_each(slice.events, filter);
  const bool too_many = told.size() > kPulseToldMax;
  if (too_many) told.erase(told.begin(), told.end() - static_cast<std::ptrdiff_t>(kPulseToldMax));
  Pulse pulse{.bytes = {}, .next = slice.next};
  // The number before the first event that follows, so that a reader who reconnects right here misses nothing.
  if (slice.gap || far_behind || too_many) append_gap(pulse.bytes, told.empty() ? slice.next : told.front()->number - 1);
  for (const command::Event* event : told) append_event(pulse.bytes, *event);
  return pulse;
}

}  // namespace muster::http
