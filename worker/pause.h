// Waiting that can be ended: the seam through which loops let time pass. Tests replace it and count.
#pragma once

#include <condition_variable>
#include <mutex>

#include "base/clock.h"

namespace muster::worker {

class Pause {
 public:
  virtual ~Pause() = default;
  // False: it is time to stop. At most `wait`, less when woken.
  virtual bool wait(Duration wait) = 0;
};

// Until stop(), from any thread.
class StoppablePause final : public Pause {
 public:
  bool wait(Duration wait) override {
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, wait, [this] { return stopped_ || woken_; });
    woken_ = false;
    return !stopped_;
  }
  void wake() { set(woken_); }
  void stop() { set(stopped_); }
  bool stopped() const {
    const std::lock_guard lock(mutex_);
    return stopped_;
  }

 private:
  void set(bool& flag) {
    {
      const std::lock_guard lock(mutex_);
      flag = true;
    }
    changed_.notify_all();
  }

  mutable std::mutex mutex_;  // leaf; guards the two below
  std::condition_variable changed_;
  bool woken_ = false;
  bool stopped_ = false;
};

}  // namespace muster::worker
