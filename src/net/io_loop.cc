#include "net/io_loop.h"

#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>

#include "base/check.h"
#include "net/io_loop_state.h"

namespace muster::net {
namespace {

void run(IoLoop::State& state) {
  state.owner = std::this_thread::get_id();
  // Handlers are guarded one by one, nearer to what they did. What still arrives here ended one of them; the loop goes on.
  for (bool ended = false; !ended;) {
    try {
      state.io.run();
      ended = true;
    } catch (...) {
      const Incident incident(state.incidents, "I/O loop");
    }
  }
  state.owner = std::thread::id();
}

}  // namespace

void IoLoop::State::run_posted() {
  std::vector<UniqueFunction<void()>> batch;
  {
    const std::lock_guard lock(mutex);
    batch.swap(posted);
  }
  for (UniqueFunction<void()>& work_item : batch) {
    if (io.stopped()) return;
    run_guarded("posted work", work_item);
  }
}

void IoLoop::State::run_guarded(std::string_view what, UniqueFunction<void()>& call) {
  try {
    call();
  } catch (...) {
    const Incident incident(incidents, what);
    call = {};  // a request that it holds is answered under this incident
  }
}

void IoLoop::State::drop_posted() {
  std::vector<UniqueFunction<void()>> dropped;  // destroyed without the lock: what work owns may post as it goes
  const std::lock_guard lock(mutex);
  ended = true;
  dropped.swap(posted);
}

void IoLoop::State::wait_for_signal() {
  signals->async_wait([this](const boost::system::error_code& error, int signal) {
    if (error) return;
    try {
      on_signal(signal);
    } catch (...) {
      const Incident incident(incidents, "signal");
    }
    wait_for_signal();
  });
}

IoLoop::IoLoop(const Clock& clock, Metrics* metrics) : state_(std::make_unique<State>(clock, metrics)) {}

IoLoop::~IoLoop() { stop(); }

void IoLoop::start() {
  check(!state_->thread.joinable(), "an I/O loop is started once");
  state_->thread = std::thread(run, std::ref(*state_));
}

void IoLoop::stop() {
  check(!inside(), "an I/O loop is not stopped from inside");
  state_->io.stop();
  if (state_->thread.joinable()) state_->thread.join();
  state_->drop_posted();
}

void IoLoop::post(UniqueFunction<void()> work) {
  bool wake = false;
  {
    const std::lock_guard lock(state_->mutex);
    if (state_->ended) return;
    wake = state_->posted.empty();
    state_->posted.push_back(std::move(work));
  }
  if (wake) boost::asio::post(state_->io, [state = state_.get()] { state->run_posted(); });
}

bool IoLoop::running() const { return state_->thread.joinable() && !state_->io.stopped(); }

bool IoLoop::inside() const { return state_->owner.load(std::memory_order_relaxed) == std::this_thread::get_id(); }

void IoLoop::assert_inside() const { check(inside(), "this runs on the I/O loop's thread only"); }

const Clock& IoLoop::clock() const { return state_->clock; }

void IoLoop::on_signals(std::vector<int> signals, UniqueFunction<void(int)> on_signal) {
  check(!state_->signals.has_value(), "signals of an I/O loop are asked for once");
  state_->signals.emplace(state_->io);
  state_->on_signal = std::move(on_signal);
  for (const int signal : signals) {
    boost::system::error_code ignored;  // only an unknown signal number fails, and those are constants of ours
    state_->signals->add(signal, ignored);
  }
  post([state = state_.get()] { state->wait_for_signal(); });
}

struct Timer::State {
  explicit State(IoLoop& with) : loop(with), timer(with.state().io) {}
  IoLoop& loop;
  boost::asio::steady_timer timer;
  UniqueFunction<void()> fire;
  std::uint64_t round = 0;
};

Timer::Timer(IoLoop& loop) : state_(std::make_shared<State>(loop)) {}

Timer::~Timer() {
  ++state_->round;
  state_->fire = {};
  state_->timer.cancel();
}

void Timer::start(Duration after, UniqueFunction<void()> fire) {
  state_->loop.assert_inside();
  state_->fire = std::move(fire);
  const std::uint64_t round = ++state_->round;
  state_->timer.expires_after(after);
  state_->timer.async_wait([weak = std::weak_ptr(state_), round](const boost::system::error_code& error) {
    const auto state = weak.lock();
    // A wait that had already expired when it was cancelled still arrives; its round tells it apart.
    if (error || !state || state->round != round) return;
    UniqueFunction<void()> call = std::move(state->fire);
    state->loop.state().run_guarded("timer", call);
  });
}

void Timer::cancel() {
  state_->loop.assert_inside();
  ++state_->round;
  state_->fire = {};
  state_->timer.cancel();
}

}  // namespace muster::net
