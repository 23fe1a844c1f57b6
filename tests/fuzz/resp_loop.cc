#include "tests/fuzz/resp_loop.h"

#include <mutex>
#include <vector>

namespace muster::net {

struct IoLoop::State {
  explicit State(const Clock& with) : clock(with) {}
  const Clock& clock;
  std::mutex mutex;  // leaf; guards `posted`
  std::vector<UniqueFunction<void()>> posted;
};

IoLoop::IoLoop(const Clock& clock, Metrics*) : state_(std::make_unique<State>(clock)) {}
IoLoop::~IoLoop() = default;
void IoLoop::start() {}
void IoLoop::stop() {}
void IoLoop::post(UniqueFunction<void()> work) {
  const std::lock_guard lock(state_->mutex);
  state_->posted.push_back(std::move(work));
}
bool IoLoop::running() const { return true; }
bool IoLoop::inside() const { return true; }
void IoLoop::assert_inside() const {}
const Clock& IoLoop::clock() const { return state_->clock; }

struct Timer::State {};
Timer::Timer(IoLoop&) : state_(std::make_shared<State>()) {}
Timer::~Timer() = default;
void Timer::start(Duration, UniqueFunction<void()>) {}
void Timer::cancel() {}

bool run_posted(IoLoop& loop, int rounds) {
  for (int round = 0; round < rounds; ++round) {
    std::vector<UniqueFunction<void()>> batch;
    {
      const std::lock_guard lock(loop.state().mutex);
      batch.swap(loop.state().posted);
    }
    if (batch.empty()) return true;
    for (UniqueFunction<void()>& work : batch) work();
  }
  return false;
}

}  // namespace muster::net
