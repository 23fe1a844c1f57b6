#include "fronts/ws/feed/quiet_log.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "fronts/ws/feed/event_buffer.h"

namespace muster::ws::feed {

void QuietLog::dispatched(Dispatched dispatch, Instant at) {
  const JobId job = dispatch.job;
  const auto kept = std::make_shared<const Dispatched>(std::move(dispatch));
  if (running_.size() < kRunsShownMax || running_.contains(job)) running_.insert_or_assign(job, Running{at, next_, kept});
  add({.at = at, .bytes = sizeof(Dispatched), .dispatch = kept, .tell = {}});
}

void QuietLog::happened(Instant at, std::size_t bytes, Tell tell) {
  add({.at = at, .bytes = bytes, .dispatch = {}, .tell = std::move(tell)});
}

void QuietLog::add(Happening happening) {
  bytes_ += happening.bytes;
  latest_.push_back(std::move(happening));
  ++next_;
  while (latest_.size() > kFeedEventsMax || (bytes_ > kFeedBytesMax && latest_.size() > 1)) {
    bytes_ -= latest_.front().bytes;
    latest_.pop_front();
  }
}

void QuietLog::tell_all(Teller teller) {
  std::deque<Happening> latest = std::exchange(latest_, {});
  std::vector<Running> before;  // whose dispatch is not among the latest
  for (auto& [job, running] : std::exchange(running_, {}))
    if (running.number < next_ - latest.size()) before.push_back(std::move(running));
  bytes_ = 0;
  std::sort(before.begin(), before.end(), [](const Running& a, const Running& b) { return a.number < b.number; });
  const auto tell_dispatch = [&](Instant at, const DispatchRef& dispatch) {
    Tell tell([this, &dispatch] { tell_dispatch_(*dispatch); });
    teller(at, tell);
  };
  for (const Running& running : before) tell_dispatch(running.at, running.dispatch);
  for (Happening& happening : latest)
    happening.dispatch ? tell_dispatch(happening.at, happening.dispatch) : teller(happening.at, happening.tell);
}

}  // namespace muster::ws::feed
