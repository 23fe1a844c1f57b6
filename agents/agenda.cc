#include "agents/agenda.h"

#include <algorithm>
#include <utility>

namespace muster::agents {

void Agenda::post(Task task) {
  {
    const std::lock_guard lock(mutex_);
    if (stopped_) return;
    tasks_.push_back(std::move(task));
  }
  more_.notify_one();
}

void Agenda::after(Duration delay, Task task) {
  {
    const std::lock_guard lock(mutex_);
    if (stopped_) return;
    timers_.emplace(clock_.elapsed() + delay, std::move(task));
  }
  more_.notify_one();
}

void Agenda::guarded(Task& task) {
  try {
    task();
  } catch (...) {
    const Incident incident(incidents_, "agents");
  }
}

bool Agenda::run_due() {
  std::deque<Task> due;
  {
    const std::lock_guard lock(mutex_);
    due.swap(tasks_);
    const Ticks now = clock_.elapsed();
    while (!timers_.empty() && timers_.begin()->first <= now) {
      due.push_back(std::move(timers_.begin()->second));
      timers_.erase(timers_.begin());
    }
  }
  for (Task& task : due) guarded(task);
  return !due.empty();
}

void Agenda::start() {
  if (!thread_.joinable()) thread_ = std::thread([this] { run(); });
}

void Agenda::run() {
  std::unique_lock lock(mutex_);
  while (!stopped_) {
    lock.unlock();
    run_due();
    lock.lock();
    if (stopped_ || !tasks_.empty()) continue;
    Ticks sleep = kSleepMax;
    if (timers_.empty())
      more_.wait(lock);
    else if ((sleep = std::min<Ticks>(sleep, timers_.begin()->first - clock_.elapsed())) > Ticks(0))
      more_.wait_for(lock, sleep);
  }
}

void Agenda::stop() {
  {
    const std::lock_guard lock(mutex_);
    stopped_ = true;
  }
  more_.notify_all();
  if (thread_.joinable()) thread_.join();
  // What is left may own what posts again: it goes without the lock.
  std::deque<Task> tasks;
  std::multimap<Ticks, Task> timers;
  {
    const std::lock_guard lock(mutex_);
    tasks.swap(tasks_);
    timers.swap(timers_);
  }
}

}  // namespace muster::agents
