// What others do to the workers and jobs of this front, told to their sessions as it happens: a drain, a cancelled job, a lease
// that is over, a package that is wanted. A beat or a poll tells the same within half a minute, so what is missed here only comes
// later. On the loop's thread.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>

#include "command/door.h"

namespace muster::ws {

struct Core;

class ChangeWatch : public std::enable_shared_from_this<ChangeWatch> {
 public:
  explicit ChangeWatch(Core& core);

  // Only while there is somebody to tell: every commit of the server wakes the loop for it. Idempotent.
  void start();
  // Nothing is told any more. A wake on another thread may keep the watch itself for a moment longer.
  void stop();

 private:
  void read();
  void tell(const JobChange& change);
  void tell(const WorkerChange& change);
  void tell(const command::ExtensionTold& told);
  void tell(const PackageChange& change);

  Core& core_;
  command::Events& events_;
  std::uint64_t after_ = 0;
  std::atomic<bool> wake_pending_{false};  // the only thing a publishing thread touches
  bool watching_ = false;
  command::SubscriptionId subscription_{};
};

}  // namespace muster::ws
