// The runtime's own thread: tasks in the order in which they were posted, and tasks that are due later. Everything the runtime
// knows is touched by these tasks alone, so none of it is locked. Tests run the tasks themselves instead of starting the thread.
#pragma once

#include <condition_variable>
#include <deque>
#include <map>
#include <mutex>
#include <thread>

#include "base/clock.h"
#include "base/incident.h"
#include "base/unique_function.h"

namespace muster::agents {

class Agenda {
 public:
  using Task = UniqueFunction<void()>;

  Agenda(const Clock& clock, Metrics& metrics) : clock_(clock), incidents_(metrics, "engine") {}
  ~Agenda() { stop(); }

  // Any thread. After stop() tasks are dropped.
  void post(Task task);
  void after(Duration delay, Task task);

  // Does everything that is due now. False: there was nothing. What a task throws is an incident, and the next one follows.
  bool run_due();

  void start();
  void stop();  // waits for the task under way; idempotent

 private:
  void run();
  void guarded(Task& task);

  // A timer is late by this at most when the clock is moved by hand.
  static constexpr Duration kSleepMax{20};

  const Clock& clock_;
  const Incidents incidents_;
  std::mutex mutex_;  // leaf; guards the four below
  std::condition_variable more_;
  std::deque<Task> tasks_;
  std::multimap<Ticks, Task> timers_;
  bool stopped_ = false;
  std::thread thread_;
};

}  // namespace muster::agents
