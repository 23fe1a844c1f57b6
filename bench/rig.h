// A store on its own threads with a worker that may hold everything, and callers that live whole job lives as chains of
// callbacks.
#pragma once

#include <atomic>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/metrics.h"
#include "store/store.h"

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

// Opens the store that is measured; a failure ends the program.
using OpenStore = std::function<std::unique_ptr<store::Store>(const Clock&, Metrics&)>;
OpenStore sqlite_in(const std::string& folder);

// Which verbs a caller repeats.
enum class Verbs : std::uint8_t {
  life,   // enqueue, claim, complete
  drain,  // claim, complete; the jobs are there already
};

// What a claim asks for.
enum class Claims : std::uint8_t {
  own_queue,  // each caller names one of the queues and stays with it
  any_queue,  // whatever its worker may serve
};

class Rig {
 public:
  explicit Rig(const OpenStore& open);
  ~Rig();

  store::Store& store() { return *store_; }
  const Clock& clock() const { return clock_; }
  Metrics& metrics() { return metrics_; }
  store::StoreInfo info();
  // Adds those that are missing. They take turns: caller i claims as worker i modulo their number.
  void register_workers(std::size_t count = 1);
  void fill(std::size_t jobs);

  struct Load {
    double lives_per_second = 0;
    std::size_t lives = 0;  // those of the first and last moments too
  };
  // `callers` chains of verbs, kept up for that long.
  Load run(std::size_t callers, double seconds, Verbs verbs = Verbs::life);
  void set_claims(Claims claims) { claims_ = claims; }

  static JobSpec job(std::size_t number);

 private:
  struct Chain;
  void step(Chain& chain);
  void step_enqueue(Chain& chain);
  void step_claim(Chain& chain);
  void step_complete(Chain& chain, LeaseRef lease);
  void chain_ends();

  RealClock clock_;
  Metrics metrics_;
  std::unique_ptr<store::Store> store_;
  std::vector<WorkerId> workers_;
  Verbs verbs_ = Verbs::life;
  Claims claims_ = Claims::own_queue;
  std::atomic<bool> stopping_{false};
  std::atomic<std::size_t> lives_{0};
  std::mutex mutex_;  // leaf; guards chains_left_
  std::condition_variable ended_;
  std::size_t chains_left_ = 0;
};

[[noreturn]] void give_up(std::string_view what, const Status& status);

}  // namespace muster::bench
