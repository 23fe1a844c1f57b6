// The connection on which the worker reports: heartbeats, progress, results, verdicts. It never waits at the server.
//
// Shared by the threads that report; one command at a time. When the server is away, tries are spaced 1, 2, 4 … 60 s with jitter,
// and in between say() answers at once.
#pragma once

#include <atomic>
#include <mutex>

#include "base/clock.h"
#include "sdk/cpp/backoff.h"
#include "sdk/cpp/resp/client.h"

namespace muster::worker {

inline constexpr sdk::Backoff::Limits kReconnect{.min = std::chrono::seconds(1), .max = std::chrono::seconds(60)};

class Control {
 public:
  Control(sdk::resp::ClientOptions options, const Clock& clock, std::uint64_t seed);

  // unreachable: not connected, and the next try is not due or failed. outcome_unknown: it broke on the way.
  sdk::Result<sdk::resp::Value> say(const sdk::resp::Words& words);
  // Closes; the next say() connects again, at once.
  void drop();
  // The server is known to be there: the next say() need not wait. Never blocks.
  void retry_now() { next_try_ = 0; }

 private:
  const Clock& clock_;
  std::mutex mutex_;  // held while the server answers: reports queue behind each other
  sdk::resp::Client client_;
  sdk::Backoff backoff_;
  std::atomic<Ticks::rep> next_try_{0};  // on clock_.elapsed()
};

}  // namespace muster::worker
