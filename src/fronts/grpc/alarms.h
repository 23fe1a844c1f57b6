// Things to do a little later, in real time: deadlines of calls, looks at the health, answers that are held back. One timer of
// the loop serves them all. Used through Core.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>

#include "base/clock.h"
#include "base/unique_function.h"
#include "net/io_loop.h"

namespace muster::rpc {

class Alarms {
 public:
  explicit Alarms(net::IoLoop& loop);
  ~Alarms();  // as stop(), and drops the rest
  Alarms(const Alarms&) = delete;
  Alarms& operator=(const Alarms&) = delete;

  using Key = std::pair<Ticks, std::uint64_t>;
  // REQUIRES of both: inside the loop. What is cancelled is dropped; a key whose work has run is no harm.
  Key set(Duration wait, UniqueFunction<void()> work);
  void cancel(const Key& key);
  // As set(), from any thread, and for good: the work runs on the loop's thread.
  void remind(Duration wait, UniqueFunction<void()> work);

  // The same for what is only held back: when stopping, it does not wait any longer.
  void run_after(Duration wait, UniqueFunction<void()> work);
  // Runs what is held back now; what is held back later runs at once. The rest keeps its time: calls under way have theirs.
  // Returns when nothing that was held back is under way. Idempotent.
  void stop();

 private:
  struct State;
  std::shared_ptr<State> state_;  // shared with what is posted to the loop
};

}  // namespace muster::rpc
