// A worker for durable workflows in one object: registers, polls over gRPC, runs each workflow on a thread of its own, and
// reports.
//
//   pollers:     poll ─► a thread per run: workflow ─► complete | fail | left (parked, lost)
//   heartbeat:   its own thread, from registration until the last run has ended, drained or not
//
// The heartbeat renews every lease and tells which runs are cancelled or no longer ours: their contexts say cancelled(), their
// calls leave the workflow, and what they return is dropped. When the server has forgotten the worker (it restarted, or the
// worker was silent too long) the worker registers again. While the server is away, calls back off with jitter.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "sdk/cpp/workflow/handler.h"
#include "sdk/cpp/workflow/options.h"

namespace muster::sdk::workflow {

// docs/limits.md
inline constexpr std::uint32_t kConcurrentDefault = 100;
inline constexpr std::uint32_t kConcurrentMax = 1'000;
inline constexpr std::uint32_t kStepThreadsDefault = 16;
inline constexpr std::uint32_t kStepThreadsMax = 256;

struct WorkerSettings {
  Connection connection;
  std::string queue;
  std::uint32_t max_concurrent = kConcurrentDefault;
  std::uint32_t step_threads = kStepThreadsDefault;  // on which steps of coroutines run side by side
  std::string hostname;                              // empty: this machine's
  std::string version;
  std::map<std::string, std::string> labels;
  RetryPolicy steps;
  Duration drain_deadline{30'000};
  bool handles_signals = true;                // run(): SIGINT and SIGTERM drain, the second one stops
  std::function<Instant()> clock;             // empty: the system's
  std::function<void(std::string_view)> log;  // one line for people; empty: stderr
};

class Worker;

class WorkerBuilder {
 public:
  WorkerBuilder(std::string address, std::string queue) {
    settings_.connection.address = std::move(address);
    settings_.queue = std::move(queue);
  }
  WorkerBuilder& ns(std::string name) { return settings_.connection.ns = std::move(name), *this; }
  WorkerBuilder& max_concurrent(std::uint32_t runs) { return settings_.max_concurrent = runs, *this; }
  WorkerBuilder& step_threads(std::uint32_t threads) { return settings_.step_threads = threads, *this; }
  WorkerBuilder& hostname(std::string name) { return settings_.hostname = std::move(name), *this; }
  WorkerBuilder& version(std::string text) { return settings_.version = std::move(text), *this; }
  WorkerBuilder& label(std::string key, std::string value) {
    return settings_.labels.insert_or_assign(std::move(key), std::move(value)), *this;
  }
  WorkerBuilder& token(std::string secret) { return settings_.connection.token = std::move(secret), *this; }
  WorkerBuilder& tls(Tls tls) { return settings_.connection.tls = std::move(tls), *this; }
  WorkerBuilder& default_step_retry(RetryPolicy policy) { return settings_.steps = std::move(policy), *this; }
  WorkerBuilder& drain_deadline(Duration deadline) { return settings_.drain_deadline = deadline, *this; }
  WorkerBuilder& handle_signals(bool handle) { return settings_.handles_signals = handle, *this; }
  WorkerBuilder& clock(std::function<Instant()> now) { return settings_.clock = std::move(now), *this; }
  WorkerBuilder& log(std::function<void(std::string_view)> write) { return settings_.log = std::move(write), *this; }

  // invalid_argument: which setting, its value and what it may be. No connection is made here.
  Result<Worker> build() const;

 private:
  WorkerSettings settings_;
};

struct WorkerStatus {
  std::string worker_id;  // empty: not registered
  std::uint32_t running = 0;
  std::uint64_t completed = 0;
  std::uint64_t failed = 0;
  std::uint64_t parked = 0;
  std::uint64_t dropped = 0;  // left because they were lost or cancelled
  std::uint64_t registrations = 0;
};

class Worker {
 public:
  static WorkerBuilder builder(std::string address, std::string queue) { return {std::move(address), std::move(queue)}; }
  Worker(Worker&&) noexcept;
  Worker& operator=(Worker&&) noexcept;
  ~Worker();  // as stop(), and waits for it

  // `function` is Out(Context&, In) or Task<Out>(Context&, In), each with any type that JSON can say, void, or no input at all.
  // Before start() or run(); a mistake (a name twice, an empty one) is told by those.
  template <class F>
  Worker& register_workflow(std::string name, F&& function) {
    return add(std::move(name), handler(std::forward<F>(function)));
  }

  // start(), then waits for the end. Errors: what the server will never change its mind about (unauthenticated, invalid_argument,
  // …).
  Result<Nothing> run();
  // Begins on threads of its own. invalid_argument: no workflow, or a mistake in one. Once.
  Result<Nothing> start();
  // Until the worker has ended, by shutdown(), a signal or an operator's drain.
  Result<Nothing> wait();

  // No new runs; those that are under way go on until they end, park, or the deadline passes and they are handed back. The first
  // form takes the deadline of the builder. Any thread, any number of times; the earliest deadline counts.
  void shutdown();
  void drain(Duration deadline);
  // As drain() with the deadline now.
  void stop() { drain(Duration(0)); }

  WorkerStatus status() const;

 private:
  friend class WorkerBuilder;
  struct State;
  explicit Worker(std::shared_ptr<State> state);
  Worker& add(std::string name, Handler handler);
  std::shared_ptr<State> state_;  // shared with its threads, which may outlive a deadline
};

}  // namespace muster::sdk::workflow
