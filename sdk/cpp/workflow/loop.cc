#include "sdk/cpp/workflow/loop.h"

#include <stdexcept>
#include <utility>

namespace muster::sdk::workflow::detail {

void Loop::run(std::coroutine_handle<> root, const std::function<bool()>& left) {
  std::coroutine_handle<> handle = root;
  while (handle) {
    handle.resume();
    if (root.done()) break;
    std::unique_lock lock(mutex_);
    handle = next(lock, left);
  }
  wait_for_steps();
  if (!root.done() && !left())
    throw std::logic_error("the workflow awaits something that is not of its context, and nothing else can go on");
}

// Null: the run was left, or nothing can go on.
std::coroutine_handle<> Loop::next(std::unique_lock<std::mutex>& lock, const std::function<bool()>& left) {
  for (;;) {
    if (left()) return nullptr;
    if (!ready_.empty()) {
      const auto handle = ready_.front();
      ready_.pop_front();
      return handle;
    }
    if (steps_ == 0) {
      if (quiet_.empty()) return nullptr;
      const auto handle = quiet_.front();
      quiet_.pop_front();
      return handle;
    }
    changed_.wait(lock);
  }
}

void Loop::offload(std::function<void()> work, std::coroutine_handle<> then) {
  {
    const std::lock_guard lock(mutex_);
    ++steps_;
  }
  const auto ended = [this, then] {
    // Notified under the lock: the loop may be gone right after it.
    const std::lock_guard lock(mutex_);
    --steps_;
    ready_.push_back(then);
    changed_.notify_all();
  };
  const bool posted = crew_.post([work = std::move(work), ended] {
    work();
    ended();
  });
  // A crew that is closed belongs to a worker that has ended; its runs are lost, and the branch never goes on.
  if (posted) return;
  const std::lock_guard lock(mutex_);
  --steps_;
  changed_.notify_all();
}

void Loop::when_quiet(std::coroutine_handle<> then) {
  const std::lock_guard lock(mutex_);
  quiet_.push_back(then);
}

void Loop::wait_for_steps() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return steps_ == 0; });
}

void Loop::wake() {
  const std::lock_guard lock(mutex_);
  changed_.notify_all();
}

}  // namespace muster::sdk::workflow::detail
