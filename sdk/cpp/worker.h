// A worker process in one object: registers, claims with a long poll, runs a handler in `slots` threads, reports outcomes.
//
//   run() thread:  register ─► claim ─► queue ─► slot threads: handler ─► complete | fail | snooze | release
//   beat thread:   heartbeat with all held leases, from registration until the last job is settled, drained or not
//
// The heartbeat renews every lease, brings cancellations and an operator's drain, and names leases that were lost: a result of a
// lost lease is dropped, because somebody else owns the job. When the server has forgotten the worker (it restarted, or the
// worker was silent too long) the worker registers again. While the server is away, calls back off with jitter.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "sdk/cpp/backoff.h"
#include "sdk/cpp/client.h"

namespace muster::sdk {

// What a handler makes of a job.
struct Outcome {
  enum class Kind : std::uint8_t { complete, fail, snooze, release };
  Kind kind = Kind::complete;
  std::optional<Content> result;  // complete
  FailRequest failure;            // fail
  Duration delay{0};              // snooze
  std::string reason;             // release

  static Outcome completed(std::string json);
  static Outcome completed_with(Content result);
  static Outcome failed(Failure error);           // retried as its policy allows
  static Outcome failed_for_good(Failure error);  // not retried
  static Outcome snoozed(Duration delay);         // again later; costs no attempt
  static Outcome released(std::string reason);    // back to the queue; costs no attempt
};

// One attempt in the hands of a handler. Lives while the handler runs; callable from any thread.
class Task {
 public:
  virtual ~Task() = default;
  virtual const Grant& grant() const = 0;
  // Stop early: somebody cancelled the job, the lease was lost, or the worker's drain deadline has passed.
  virtual bool cancelled() const = 0;
  // Also renews the lease. lease_lost: stop working.
  virtual Result<Nothing> report(const Progress& progress) = 0;
};

// Must not throw; an exception all the same becomes a failure of kind `handler_error`.
using Handler = std::function<Outcome(Task&)>;

struct WorkerOptions {
  WorkerSpec spec;
  Duration claim_wait{20'000};
  Duration drain_deadline{30'000};  // then running jobs are handed back
  Backoff::Limits backoff;
  std::function<void(std::string_view)> log;  // one line for people about what went wrong; may be empty
};

struct WorkerCounts {
  std::uint64_t completed = 0;
  std::uint64_t failed = 0;
  std::uint64_t dropped = 0;  // results of lost leases
  std::uint32_t running = 0;
};

class Worker {
 public:
  // invalid_argument: the address.
  static Result<std::unique_ptr<Worker>> open(const ClientOptions& client, WorkerOptions options, Handler handler);
  ~Worker();
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  // Blocks until drained. Errors: what the server will never change its mind about (unauthenticated, invalid_argument, …), or
  // lease_lost when another process registered under the same name. Call once.
  Result<Nothing> run();

  // No new work; running jobs finish or are handed back at the deadline; then run() returns. Any thread, any number of times.
  void drain();
  // As drain() with the deadline now.
  void stop();

  WorkerCounts counts() const;

 private:
  struct State;
  explicit Worker(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace muster::sdk
