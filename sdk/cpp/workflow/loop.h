// Drives the coroutines of one run on the run's own thread, while the functions of its steps run on others.
//
// Whatever parks a run ends its lease, so that nothing another branch still does could be recorded. A branch that is about to
// park therefore waits until it is quiet: no step is under way and no branch can go on. One at a time then goes on.
#pragma once

#include <condition_variable>
#include <coroutine>
#include <cstddef>
#include <deque>
#include <functional>
#include <mutex>

#include "sdk/cpp/crew.h"

namespace muster::sdk::workflow::detail {

class Loop {
 public:
  // crew: where steps run; outlives the loop.
  explicit Loop(Crew& crew) : crew_(crew) {}

  // Resumes `root` and all that it leads to until it is done, or until `left` says that the run is parked or lost; returns when
  // no step is under way any more. Throws std::logic_error when nothing can go on: the workflow awaits what is not of its
  // context.
  void run(std::coroutine_handle<> root, const std::function<bool()>& left);

  // Runs `work` elsewhere, then resumes `then` here.
  void offload(std::function<void()> work, std::coroutine_handle<> then);
  // Resumes `then` when it is quiet.
  void when_quiet(std::coroutine_handle<> then);
  // Blocks until no step is under way. For calls that are no coroutines.
  void wait_for_steps();
  // Something changed that run() must look at. Any thread.
  void wake();

 private:
  std::coroutine_handle<> next(std::unique_lock<std::mutex>& lock, const std::function<bool()>& left);

  Crew& crew_;
  std::mutex mutex_;  // leaf; guards what follows
  std::condition_variable changed_;
  std::deque<std::coroutine_handle<>> ready_;
  std::deque<std::coroutine_handle<>> quiet_;
  std::size_t steps_ = 0;  // under way elsewhere
};

class Offload {
 public:
  Offload(Loop& loop, std::function<void()> work) : loop_(loop), work_(std::move(work)) {}
  bool await_ready() const noexcept { return false; }
  void await_suspend(std::coroutine_handle<> then) { loop_.offload(std::move(work_), then); }
  void await_resume() const noexcept {}

 private:
  Loop& loop_;
  std::function<void()> work_;
};

class Quiet {
 public:
  explicit Quiet(Loop& loop) : loop_(loop) {}
  bool await_ready() const noexcept { return false; }
  void await_suspend(std::coroutine_handle<> then) { loop_.when_quiet(then); }
  void await_resume() const noexcept {}

 private:
  Loop& loop_;
};

}  // namespace muster::sdk::workflow::detail
