#include "engine/events.h"

#include <algorithm>
#include <deque>
#include <mutex>
#include <utility>

#include "base/check.h"

namespace muster::engine {
namespace {

struct Subscriber {
  SubscriptionId id{};
  UniqueFunction<void()> wake;
};

using Subscribers = std::vector<std::shared_ptr<Subscriber>>;

}  // namespace

struct Events::State {
  State(std::size_t kept_max, std::uint64_t first_number)
      : kept(kept_max), first(first_number), next_number(first_number), oldest(first_number) {
    check(kept > 0 && first > 0, "the ring of events holds at least one, numbered from one or higher");
  }

  const std::size_t kept;
  const std::uint64_t first;
  mutable std::mutex mutex;  // leaf; guards everything below
  std::vector<Event> ring;   // grows with use up to `kept`
  std::uint64_t next_number;
  std::uint64_t oldest;  // the first number held; next_number while there is none
  struct Payload {
    std::uint64_t number = 0;
    std::size_t bytes = 0;
  };
  std::deque<Payload> payloads;   // of extension frames, the oldest first; some may have left the ring
  std::size_t payload_bytes = 0;  // of those
  std::uint64_t next_subscription = 1;
  // Shared with publishers that are walking it; replaced, never changed in place.
  std::shared_ptr<const Subscribers> subscribers = std::make_shared<const Subscribers>();

  std::size_t place(std::uint64_t number) const { return (number - first) % kept; }

  void append(Event event) {
    event.number = next_number++;
    if (place(event.number) < ring.size())
      ring[place(event.number)] = std::move(event);
    else
      ring.push_back(std::move(event));
    if (next_number - oldest > kept) ++oldest;
  }

  // Payloads have a bound of their own: the oldest ones make room.
  void append(ExtensionTold told) {
    if (told.payload) {
      payload_bytes += told.payload->size();
      payloads.push_back({next_number, told.payload->size()});
    }
    append(Event{.what = std::move(told)});
    while (!payloads.empty() && (payloads.front().number < oldest || payload_bytes > kExtensionEventsBytesMax)) {
      const Payload eldest = payloads.front();
      payloads.pop_front();
      payload_bytes -= eldest.bytes;
      if (eldest.number >= oldest) std::get<ExtensionTold>(ring[place(eldest.number)].what).payload.reset();
    }
  }
};

Events::Events(std::size_t kept, std::uint64_t first_number) : state_(std::make_unique<State>(kept, first_number)) {}
Events::~Events() = default;

void Events::publish(const store::Committed& commit) {
  if (commit.jobs.empty() && commit.workers.empty() && commit.queues.empty()) return;
  std::shared_ptr<const Subscribers> subscribers;
  {
    const std::lock_guard lock(state_->mutex);
    // Workers first: who reads "registered" before "claimed" sees the world in order.
    for (const WorkerChange& change : commit.workers) state_->append({.what = change});
    for (const QueueChanged& change : commit.queues) state_->append({.what = change});
    for (const JobChange& change : commit.jobs) state_->append({.what = change});
    subscribers = state_->subscribers;
  }
  for (const std::shared_ptr<Subscriber>& subscriber : *subscribers) subscriber->wake();
}

void Events::publish(ExtensionTold told) {
  if (told.payload && told.payload->size() > kExtensionEventBytesMax) told.payload.reset();
  std::shared_ptr<const Subscribers> subscribers;
  {
    const std::lock_guard lock(state_->mutex);
    state_->append(std::move(told));
    subscribers = state_->subscribers;
  }
  for (const std::shared_ptr<Subscriber>& subscriber : *subscribers) subscriber->wake();
}

void Events::publish(std::vector<PackageChange> changes) {
  if (changes.empty()) return;
  std::shared_ptr<const Subscribers> subscribers;
  {
    const std::lock_guard lock(state_->mutex);
    for (PackageChange& change : changes) state_->append({.what = std::move(change)});
    subscribers = state_->subscribers;
  }
  for (const std::shared_ptr<Subscriber>& subscriber : *subscribers) subscriber->wake();
}

Events::Slice Events::read(std::uint64_t after, std::size_t limit) const {
  const std::lock_guard lock(state_->mutex);
  Slice slice;
  // A number above all of ours is of a process with another clock: nothing is known about what lies between.
  if (after >= state_->next_number) return {.events = {}, .next = state_->next_number - 1, .gap = true};
  std::uint64_t from = after + 1;
  if (from < state_->oldest) {
    slice.gap = true;
    from = state_->oldest;
  }
  const std::uint64_t count = std::min<std::uint64_t>(limit, state_->next_number - from);
  slice.events.reserve(count);
  for (std::uint64_t number = from; number < from + count; ++number) slice.events.push_back(state_->ring[state_->place(number)]);
  slice.next = from + count - 1;
  return slice;
}

std::uint64_t Events::newest() const {
  const std::lock_guard lock(state_->mutex);
  return state_->next_number - 1;
}

SubscriptionId Events::subscribe(UniqueFunction<void()> wake) {
  const std::lock_guard lock(state_->mutex);
  const SubscriptionId id{state_->next_subscription++};
  Subscribers changed = *state_->subscribers;
  changed.push_back(std::make_shared<Subscriber>(Subscriber{id, std::move(wake)}));
  state_->subscribers = std::make_shared<const Subscribers>(std::move(changed));
  return id;
}

void Events::unsubscribe(SubscriptionId id) {
  std::shared_ptr<const Subscribers> before;  // let go after the lock: a wake may own things whose end takes time
  const std::lock_guard lock(state_->mutex);
  before = state_->subscribers;
  Subscribers changed = *before;
  std::erase_if(changed, [id](const std::shared_ptr<Subscriber>& subscriber) { return subscriber->id == id; });
  state_->subscribers = std::make_shared<const Subscribers>(std::move(changed));
}

}  // namespace muster::engine
