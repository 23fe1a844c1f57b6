#include "store/postgres/cluster/outbox.h"

#include "store/postgres/cluster/notifier.h"

namespace muster::store::postgres {

void Outbox::set_listener(Listener* listener) {
  const std::lock_guard lock(mutex_);
  listener_ = listener;
}

void Outbox::tell(const Changes& changes, bool remote) {
  if (changes.empty()) return;
  {
    const std::lock_guard lock(mutex_);
    if (listener_ != nullptr) {
      std::vector<LaneRef> wakes;
      wakes.reserve(changes.wakes.size());
      for (const LanePtr& lane : changes.wakes) wakes.push_back(lane->lane);
      try {
        listener_->committed(
            {.jobs = changes.jobs, .workers = changes.workers, .queues = changes.queues, .wakes = wakes, .keys = changes.keys});
      } catch (...) {
        const Incident incident(incidents_, "listener");
      }
    }
  }
  if (!remote && notifier_ != nullptr && !changes.quiet()) notifier_->enqueue(changes);
}

}  // namespace muster::store::postgres
