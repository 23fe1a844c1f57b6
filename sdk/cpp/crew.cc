#include "sdk/cpp/crew.h"

#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>
#include <utility>

namespace muster::sdk {

struct Crew::State {
  explicit State(std::size_t most) : threads_max(most) {}

  const std::size_t threads_max;
  std::mutex mutex;  // leaf; guards what follows
  std::condition_variable posted;
  std::deque<std::function<void()>> waiting;
  std::size_t threads = 0;
  std::size_t idle = 0;
  bool closed = false;

  void work_off() {
    std::unique_lock lock(mutex);
    for (;;) {
      ++idle;
      posted.wait(lock, [this] { return closed || !waiting.empty(); });
      --idle;
      if (waiting.empty()) break;
      std::function<void()> work = std::move(waiting.front());
      waiting.pop_front();
      lock.unlock();
      work();
      work = nullptr;  // what it held goes before the next one begins
      lock.lock();
    }
    --threads;
  }
};

Crew::Crew(std::size_t threads_max) : state_(std::make_shared<State>(threads_max)) {}

Crew::~Crew() { close(); }

bool Crew::post(std::function<void()> work) {
  const std::lock_guard lock(state_->mutex);
  if (state_->closed) return false;
  state_->waiting.push_back(std::move(work));
  if (state_->idle < state_->waiting.size() && state_->threads < state_->threads_max) {
    ++state_->threads;
    std::thread([state = state_] { state->work_off(); }).detach();
  }
  state_->posted.notify_one();
  return true;
}

void Crew::close() {
  {
    const std::lock_guard lock(state_->mutex);
    state_->closed = true;
  }
  state_->posted.notify_all();
}

}  // namespace muster::sdk
