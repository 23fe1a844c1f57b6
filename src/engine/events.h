// What happened, after its commit, in a bounded ring with growing numbers. Readers resume by number; one that fell behind the
// ring is told so and re-reads what it needs. Thread-safe; a leaf mutex guards the ring.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "base/unique_function.h"
#include "model/change.h"
#include "model/package.h"
#include "store/store.h"

namespace muster::engine {

inline constexpr std::size_t kExtensionEventBytesMax = 64 * 1024;         // of a payload that is told
inline constexpr std::size_t kExtensionEventsBytesMax = 8 * 1024 * 1024;  // of all payloads in the ring

// A frame that is nobody's here: between a worker and whoever reads the events.
struct ExtensionTold {
  enum class Way : std::uint8_t { from_worker, to_worker };
  NamespaceName ns;
  WorkerId worker;
  Way way = Way::from_worker;
  std::string type;  // ext.vendor.…
  // JSON object. Null: it is too long to be told, or what came later took its room. Shared by the ring and its readers.
  std::shared_ptr<const std::string> payload;
  std::uint64_t payload_bytes = 0;
  Instant at{};
};

struct Event {
  std::uint64_t number = 0;  // unique and growing across restarts of the process
  std::variant<JobChange, WorkerChange, QueueChanged, ExtensionTold, PackageChange> what;
};

enum class SubscriptionId : std::uint64_t {};

class Events {
 public:
  // first_number: where numbering starts; derived from the wall clock at start, so that an id of an earlier process is
  // always older than the ring and shows as a gap.
  Events(std::size_t kept, std::uint64_t first_number);
  ~Events();

  void publish(const store::Committed& commit);
  // Of a frame that no commit belongs to. A payload beyond the bounds is left out.
  void publish(ExtensionTold told);
  void publish(std::vector<PackageChange> changes);

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
