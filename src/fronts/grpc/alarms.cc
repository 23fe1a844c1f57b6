#include "fronts/grpc/alarms.h"

#include <algorithm>
#include <future>
#include <map>
#include <utility>

namespace muster::rpc {

// Lives on the loop's thread.
struct Alarms::State : std::enable_shared_from_this<State> {
  explicit State(net::IoLoop& with) : loop(with) {}

  Key set(Duration wait, UniqueFunction<void()> work) {
    loop.assert_inside();
    const Key key{stopped ? Ticks::zero() : clock.elapsed() + wait, ++last};
    const auto at = waiting.emplace(key, std::move(work)).first;
    if (at == waiting.begin()) arm();
    return key;
  }

  void arm() {
    if (waiting.empty()) return;
    if (!timer) timer = std::make_unique<net::Timer>(loop);
    const Ticks wait = std::max(waiting.begin()->first.first - clock.elapsed(), Ticks::zero());
    timer->start(std::chrono::ceil<Duration>(wait), [weak = weak_from_this()] {
      if (const auto self = weak.lock()) self->fire();
    });
  }

  // What throws ends in the loop's guard: the rest has its turn first.
  void fire() {
    const Ticks now = clock.elapsed();
    while (!waiting.empty() && waiting.begin()->first.first <= now)
      loop.post(std::move(waiting.extract(waiting.begin()).mapped()));
    arm();
  }

  void stop() {
    stopped = true;
    timer.reset();
    for (auto& [key, work] : std::exchange(waiting, {})) loop.post(std::move(work));
  }

  net::IoLoop& loop;
  RealClock clock;
  std::map<Key, UniqueFunction<void()>> waiting;  // by when they are due
  std::unique_ptr<net::Timer> timer;              // made at its first use, and gone on the loop's thread
  std::uint64_t last = 0;
  bool stopped = false;
};

Alarms::Alarms(net::IoLoop& loop) : state_(std::make_shared<State>(loop)) {}
Alarms::~Alarms() { stop(); }

Alarms::Key Alarms::set(Duration wait, UniqueFunction<void()> work) { return state_->set(wait, std::move(work)); }

void Alarms::cancel(const Key& key) {
  state_->loop.assert_inside();
  state_->waiting.erase(key);
}

void Alarms::run_after(Duration wait, UniqueFunction<void()> work) {
  if (state_->loop.inside()) {
    state_->set(wait, std::move(work));
    return;
  }
  state_->loop.post([state = state_, wait, work = std::move(work)]() mutable { state->set(wait, std::move(work)); });
}

void Alarms::stop() {
  if (state_->loop.inside() || !state_->loop.running()) return state_->stop();
  std::promise<void> done;
  auto stopped = done.get_future();
  state_->loop.post([state = state_, done = std::move(done)]() mutable {
    state->stop();
    state->loop.post([done = std::move(done)]() mutable { done.set_value(); });
  });
  stopped.wait();  // a loop that ends meanwhile drops the promise, which ends the wait too
}

}  // namespace muster::rpc
