// The I/O loop: one thread that owns every socket, timer and session of the fronts, and the way other threads reach it.
//
// server/ makes one and starts it before the fronts; fronts live on it. What the operating system offers for it stays behind this
// header.
//
// What is posted, a timer's call or a session's call that throws ends there, as an incident (base/incident.h): the loop goes on.
#pragma once

#include <memory>
#include <vector>

#include "base/clock.h"
#include "base/metrics.h"
#include "base/unique_function.h"

namespace muster {
class Helper;
}

namespace muster::net {

class IoLoop {
 public:
  // The clock judges time-outs of connections. It and the metrics, which count incidents, outlive the loop.
  explicit IoLoop(const Clock& clock, Metrics* metrics = nullptr);
  ~IoLoop();  // stops

  // Starts the loop's thread. Work posted before is run first.
  void start();
  // Ends the thread after the call it is in; what is still posted, and what is posted later, is dropped without being run.
  // Idempotent, and harmless before start(). REQUIRES: not inside the loop.
  void stop();

  // Runs `work` on the loop's thread, in order of posting. From any thread. Many posts cost one wake-up.
  void post(UniqueFunction<void()> work);
  // Its rounds help (base/wake.h). Asked for what it cannot do any more after stop(), and not after the loop is gone.
  std::shared_ptr<Helper> helper();
  bool running() const;        // between start() and stop()
  bool inside() const;         // is this the loop's thread?
  void assert_inside() const;  // aborts when it is not
  const Clock& clock() const;

  // `on_signal` runs on the loop's thread for each arrival of one of `signals` (SIGTERM, SIGHUP, …). Once per loop.
  void on_signals(std::vector<int> signals, UniqueFunction<void(int)> on_signal);

  struct State;  // net/io_loop_state.h, for this folder alone
  State& state() { return *state_; }

 private:
  std::unique_ptr<State> state_;
};

// One shot at a time, on the loop's thread. Real time. Destroying or restarting it cancels what was waiting.
class Timer {
 public:
  explicit Timer(IoLoop& loop);
  ~Timer();
  void start(Duration after, UniqueFunction<void()> fire);  // REQUIRES: inside the loop
  void cancel();                                            // REQUIRES: inside the loop

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace muster::net
