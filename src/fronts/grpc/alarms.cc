#include "fronts/grpc/alarms.h"

#include <algorithm>
#include <future>
#include <map>
#include <utility>

namespace muster::rpc {

// Lives on the loop's thread.
struct Alarms::State : std::enable_shared_from_this<State> {
  explicit State(net::IoLoop& with) : loop(with) {}

  struct Entry {
    UniqueFunction<void()> work;
    bool held_back = false;
  };

  Key set(Duration wait, Entry entry) {
    loop.assert_inside();
    const Key key{stopped && entry.held_back ? Ticks::zero() : clock.elapsed() + wait, ++last};
    const auto at = waiting.emplace(key, std::move(entry)).first;
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
      loop.post(std::move(waiting.extract(waiting.begin()).mapped().work));
    arm();
  }

  static void set_on_loop(std::shared_ptr<State> state, Duration wait, Entry entry) {
    net::IoLoop& loop = state->loop;
    if (loop.inside()) {
      state->set(wait, std::move(entry));
      return;
    }
    loop.post([state = std::move(state), wait, entry = std::move(entry)]() mutable { state->set(wait, std::move(entry)); });
  }

  void stop(bool drop) {
    stopped = true;
    timer.reset();
    for (auto& [key, entry] : std::exchange(waiting, {})) {
      if (entry.held_back)
        loop.post(std::move(entry.work));
      else if (!drop)
        waiting.emplace(key, std::move(entry));
    }
    arm();
  }

  // Returns when what it posted has run.
  static void stop_on_loop(const std::shared_ptr<State>& state, bool drop) {
    if (state->loop.inside() || !state->loop.running()) return state->stop(drop);
    std::promise<void> done;
    auto stopped = done.get_future();
    state->loop.post([state, drop, done = std::move(done)]() mutable {
      state->stop(drop);
      state->loop.post([done = std::move(done)]() mutable { done.set_value(); });
    });
    stopped.wait();  // a loop that ends meanwhile drops the promise, which ends the wait too
  }

  net::IoLoop& loop;
  RealClock clock;
  std::map<Key, Entry> waiting;       // by when they are due
  std::unique_ptr<net::Timer> timer;  // made at its first use, and gone on the loop's thread
  std::uint64_t last = 0;
  bool stopped = false;
};

Alarms::Alarms(net::IoLoop& loop) : state_(std::make_shared<State>(loop)) {}
Alarms::~Alarms() { State::stop_on_loop(state_, true); }

Alarms::Key Alarms::set(Duration wait, UniqueFunction<void()> work) { return state_->set(wait, {.work = std::move(work)}); }

void Alarms::cancel(const Key& key) {
  state_->loop.assert_inside();
  state_->waiting.erase(key);
}

void Alarms::remind(Duration wait, UniqueFunction<void()> work) { State::set_on_loop(state_, wait, {.work = std::move(work)}); }

void Alarms::run_after(Duration wait, UniqueFunction<void()> work) {
  State::set_on_loop(state_, wait, {.work = std::move(work), .held_back = true});
}

void Alarms::stop() { State::stop_on_loop(state_, false); }

}  // namespace muster::rpc
