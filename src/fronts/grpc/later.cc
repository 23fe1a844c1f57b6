#include "fronts/grpc/later.h"

#include <grpcpp/alarm.h>

#include <chrono>
#include <condition_variable>
#include <map>
#include <mutex>
#include <utility>
#include <vector>

namespace muster::rpc {

struct Later::State {
  struct Entry {
    grpc::Alarm alarm;
    UniqueFunction<void()> work;
  };

  explicit State(Incidents where) : incidents(std::move(where)) {}

  void run(UniqueFunction<void()>& work) const {
    try {
      work();
    } catch (...) {
      const Incident incident(incidents, "timer");
      work = {};  // a call that it holds is answered under this incident
    }
  }

  void fire(std::uint64_t number) {
    std::shared_ptr<Entry> entry;
    {
      const std::lock_guard lock(mutex);
      const auto at = entries.find(number);
      entry = std::move(at->second);
      entries.erase(at);
      ++running;
    }
    run(entry->work);
    entry.reset();
    const std::lock_guard lock(mutex);
    if (--running == 0 && entries.empty()) idle.notify_all();
  }

  const Incidents incidents;
  std::mutex mutex;
  std::condition_variable idle;
  std::map<std::uint64_t, std::shared_ptr<Entry>> entries;  // shared with stop()
  std::uint64_t last = 0;
  std::size_t running = 0;
  bool stopped = false;
};

Later::Later(Incidents incidents) : state_(std::make_shared<State>(std::move(incidents))) {}
Later::~Later() { stop(); }

void Later::run_after(Duration wait, UniqueFunction<void()> work) {
  {
    const std::lock_guard lock(state_->mutex);
    if (!state_->stopped) {
      const std::uint64_t number = ++state_->last;
      auto& entry = state_->entries[number];
      entry = std::make_shared<State::Entry>();
      entry->work = std::move(work);
      // A timer that stop() cancels runs its work too, early.
      entry->alarm.Set(std::chrono::system_clock::now() + wait, [state = state_, number](bool) { state->fire(number); });
      return;
    }
  }
  state_->run(work);
}

void Later::stop() {
  std::unique_lock lock(state_->mutex);
  state_->stopped = true;
  std::vector<std::shared_ptr<State::Entry>> waiting;
  for (const auto& [number, entry] : state_->entries) waiting.push_back(entry);
  lock.unlock();
  for (const auto& entry : waiting) entry->alarm.Cancel();
  lock.lock();
  state_->idle.wait(lock, [&] { return state_->entries.empty() && state_->running == 0; });
}

}  // namespace muster::rpc
