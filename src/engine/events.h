// What happened, after its commit, in a bounded ring with growing numbers. Readers resume by number; one that fell behind the
// ring is told so and re-reads what it needs. Thread-safe; a leaf mutex guards the ring.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <variant>
#include <vector>

#include "base/unique_function.h"
#include "model/change.h"
#include "store/store.h"

namespace muster::engine {

struct Event {
  std::uint64_t number = 0;  // unique and growing across restarts of the process
  std::variant<JobChange, WorkerChange, QueueChanged> what;
};

enum class SubscriptionId : std::uint64_t {};

class Events {
 public:
  // first_number: where numbering starts; derived from the wall clock at start, so that an id of an earlier process is
  // always older than the ring and shows as a gap.
  Events(std::size_t kept, std::uint64_t first_number);
  ~Events();

  void publish(const store::Committed& commit);

  struct Slice {
    std::vector<Event> events;
    std::uint64_t next = 0;  // pass this as `after` next time
    bool gap = false;        // events between `after` and the first one returned are gone, or `after` is not ours
  };
  // Events with number > after, at most `limit`.
  Slice read(std::uint64_t after, std::size_t limit) const;
  std::uint64_t newest() const;

  // `wake` is called on the publishing thread after each publish: it must only post. Several wakes may be folded into one.
  SubscriptionId subscribe(UniqueFunction<void()> wake);
  // A wake that is under way on another thread may still end after this returns. Unknown ids are ignored.
  void unsubscribe(SubscriptionId id);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace muster::engine
