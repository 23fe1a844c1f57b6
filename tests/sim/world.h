// One simulated world: a process (engine and store on a faulty disk) that dies and comes back, and the wires to it.
//
// Everything runs on one thread from one seed. The world owns time, the disk and the process; actors call rpc() and hear an
// answer, a refusal, or nothing until their own time-out says outcome_unknown.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "base/metrics.h"
#include "engine/engine.h"
#include "store/sqlite/store.h"
#include "tests/sim/disk.h"
#include "tests/sim/faulty_vfs.h"
#include "tests/sim/observed_store.h"
#include "tests/sim/plan.h"
#include "tests/sim/shadow.h"
#include "tests/sim/timeline.h"
#include "tests/sim/trace.h"

namespace muster::sim {

class World {
 public:
  World(std::uint64_t seed, bool print_trace);
  ~World();

  Random& random() { return random_; }
  SimClock& clock() { return clock_; }
  Trace& trace() { return trace_; }
  Shadow& shadow() { return shadow_; }
  const Plan& plan() const { return plan_; }
  Timeline& timeline() { return timeline_; }
  engine::Engine* engine() { return engine_.get(); }  // nullptr while the process is down

  std::uint64_t life() const { return disk_.life(); }  // grows with each start of the process

  // Starts the process for the first time.
  void start();
  // One event, then whatever trouble the plan has for this step. False: nothing is left to happen.
  bool step();
  // No more faults from here on: the network is perfect, the disk is whole, the clock is steady.
  void make_peace();
  bool peaceful() const { return peaceful_; }
  // At a quiet moment: compares counts and a sample of jobs (0: all of them) with what the shadow was promised.
  void audit(std::size_t sample);
  // What the engine says about a job that should have finished, for the report of a failure.
  void explain(const JobId& job);

  // One request. `call` runs at the server, perhaps twice or never; `hear` is called once: with the answer, with unavailable when
  // nobody listens, or with outcome_unknown at the time-out. `undelivered` runs at the server when an answer had no way back.
  template <class T>
  struct Request {
    std::function<void(engine::Engine&, Reply<T>)> call;
    std::function<void(Result<T>)> hear;
    std::function<void(engine::Engine&, Result<T>)> undelivered;
    Duration timeout{5'000};
  };
  template <class T>
  void rpc(Request<T> request);

 private:
  template <class T>
  struct Exchange {
    Request<T> request;
    bool heard = false;
  };
  Duration latency();
  template <class T>
  void arrive(std::shared_ptr<Exchange<T>> exchange);
  template <class T>
  void answer(std::shared_ptr<Exchange<T>> exchange, Result<T> result);
  template <class T>
  void deliver(std::shared_ptr<Exchange<T>> exchange, Result<T> result);

  void trouble();
  bool due(std::uint64_t every) { return every != 0 && random_.below(every) == 0; }
  void work_arrived();
  void pump();
  void tick();
  void schedule_tick(Duration delay);
  void open();
  void die(std::string_view how);
  void restart_cleanly();
  void compare_after_crash();
  bool settle();  // pumps until nothing is queued; false when the process died meanwhile

  Random random_;
  Plan plan_;
  SimClock clock_;
  Trace trace_;
  Timeline timeline_;
  Shadow shadow_;
  Disk disk_;
  FaultyVfs vfs_;
  Metrics metrics_;
  std::uint64_t store_seed_;
  std::unique_ptr<store::sqlite::SqliteStore> store_;
  std::unique_ptr<ObservedStore> observed_;
  std::unique_ptr<engine::Engine> engine_;
  bool pump_planned_ = false;
  bool peaceful_ = false;
  bool ever_opened_ = false;
  std::uint64_t tick_number_ = 0;  // only the newest planned tick counts
};

template <class T>
void World::rpc(Request<T> request) {
  auto exchange = std::make_shared<Exchange<T>>(Exchange<T>{std::move(request)});
  timeline_.after(exchange->request.timeout, [exchange] {
    if (std::exchange(exchange->heard, true)) return;
    exchange->request.hear(Status::outcome_unknown("no answer came"));
  });
  const bool dropped = !peaceful_ && random_.chance(plan_.drop);
  const bool repeated = !peaceful_ && random_.chance(plan_.repeat);
  for (int copies = dropped ? 0 : (repeated ? 2 : 1); copies > 0; --copies)
    timeline_.after(latency(), [this, exchange] { arrive(exchange); });
}

template <class T>
void World::arrive(std::shared_ptr<Exchange<T>> exchange) {
  if (engine_ == nullptr) {  // connection refused
    timeline_.after(latency(), [this, exchange] { deliver<T>(exchange, Status::unavailable("the server is down")); });
    return;
  }
  exchange->request.call(*engine_, [this, exchange](Result<T> result) { answer(exchange, std::move(result)); });
}

template <class T>
void World::answer(std::shared_ptr<Exchange<T>> exchange, Result<T> result) {
  if (!peaceful_ && random_.chance(plan_.drop)) {
    if (exchange->request.undelivered && random_.chance(0.5) && engine_ != nullptr)
      exchange->request.undelivered(*engine_, result);
    return;
  }
  timeline_.after(latency(), [this, exchange, result = std::move(result)]() mutable { deliver(exchange, std::move(result)); });
}

template <class T>
void World::deliver(std::shared_ptr<Exchange<T>> exchange, Result<T> result) {
  if (std::exchange(exchange->heard, true)) {
    // The second of two answers: the caller has gone on, and the connection is closed under it.
    if (exchange->request.undelivered && engine_ != nullptr && random_.chance(0.5))
      exchange->request.undelivered(*engine_, std::move(result));
    return;
  }
  exchange->request.hear(std::move(result));
}

}  // namespace muster::sim
