// A store on its own threads with a worker that may hold everything, and callers that live whole job lives as chains of
// callbacks.
#pragma once

#include <atomic>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "base/clock.h"
#include "base/metrics.h"
#include "store/sqlite/store.h"

namespace muster::bench {

inline constexpr std::size_t kPayloadBytes = 128;
inline constexpr std::size_t kQueues = 8;
inline constexpr std::size_t kTypes = 4;

// Waits for the one answer of an asynchronous verb. A failure ends the program: a benchmark has nothing to recover.
template <class T>
class Waiter {
 public:
  Reply<T> reply() {
    return [this](Result<T> result) {
      const std::lock_guard lock(mutex_);
      result_ = std::move(result);
      done_.notify_one();
    };
  }
  Result<T> wait() {
    std::unique_lock lock(mutex_);
    done_.wait(lock, [this] { return result_.has_value(); });
    return std::move(*result_);
  }

 private:
  std::mutex mutex_;  // leaf; guards result_
  std::condition_variable done_;
  std::optional<Result<T>> result_;
};

class Rig {
 public:
  explicit Rig(const std::string& folder);
  ~Rig();

  store::sqlite::SqliteStore& store() { return *store_; }
  const Clock& clock() const { return clock_; }
  Metrics& metrics() { return metrics_; }
  store::StoreInfo info();
  void register_worker();
  void fill(std::size_t jobs);

  struct Load {
    double lives_per_second = 0;
    double lives_per_commit = 0;
  };
  // `callers` chains of enqueue, claim, complete, for that long.
  Load run_lives(std::size_t callers, double seconds);

  static JobSpec job(std::size_t number);

 private:
  struct Chain;
  void step_enqueue(Chain& chain);
  void step_claim(Chain& chain);
  void step_complete(Chain& chain, LeaseRef lease);
  void chain_ends();

  RealClock clock_;
  Metrics metrics_;
  std::unique_ptr<store::sqlite::SqliteStore> store_;
  std::atomic<bool> stopping_{false};
  std::atomic<std::size_t> lives_{0};
  std::mutex mutex_;  // leaf; guards chains_left_
  std::condition_variable ended_;
  std::size_t chains_left_ = 0;
};

[[noreturn]] void give_up(std::string_view what, const Status& status);

}  // namespace muster::bench
