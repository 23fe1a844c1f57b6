#include "net/io_loop.h"

#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <limits>
#include <utility>

#include "base/check.h"
#include "net/io_loop_state.h"

namespace muster::net {
namespace {

constexpr std::uint32_t kEdges = EPOLLIN | EPOLLOUT | EPOLLRDHUP | EPOLLET;
constexpr std::size_t kPostedKept = 1'024;            // places kept in the queues between rounds
constexpr Duration kTimerLongest{3'155'760'000'000};  // a century: a sum with it is still an instant

}  // namespace

LoopSleeper::LoopSleeper() : event(::eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)) {}

void LoopSleeper::wake() {
  if (!asleep.exchange(false)) return;
  const std::uint64_t one = 1;
  [[maybe_unused]] const ssize_t written = ::write(event.get(), &one, sizeof one);
}

IoLoop::State::State(const Clock& with, Metrics* metrics)
    : clock(with),
      incidents(metrics != nullptr ? Incidents(*metrics, "wire") : Incidents("wire")),
      epoll_(::epoll_create1(EPOLL_CLOEXEC)) {
  epoll_event event{.events = EPOLLIN | EPOLLET, .data = {.ptr = nullptr}};
  check(epoll_.valid() && ::epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, sleeper->event.get(), &event) == 0,
        "there are descriptors for a loop");
}

bool IoLoop::State::watch(int descriptor, Watched& who) {
  epoll_event event{.events = kEdges, .data = {.ptr = &who}};
  return ::epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, descriptor, &event) == 0;
}

void IoLoop::State::unwatch(int descriptor, Watched& who) {
  // Before it is closed: a child that is being started may hold a copy of it, which would keep it registered.
  epoll_event unused{};
  ::epoll_ctl(epoll_.get(), EPOLL_CTL_DEL, descriptor, &unused);
  for (epoll_event& event : events_)
    if (event.data.ptr == &who) event.data.ptr = nullptr;
  for (auto* const list : {&go_on_, &at_end_, &called_})
    std::replace(list->begin(), list->end(), &who, static_cast<Watched*>(nullptr));
  who.goes_on_ = who.at_end_ = false;
}

void IoLoop::State::go_on_later(Watched& who) {
  if (!std::exchange(who.goes_on_, true)) go_on_.push_back(&who);
}

void IoLoop::State::at_round_end(Watched& who) {
  if (!std::exchange(who.at_end_, true)) at_end_.push_back(&who);
}

template <class Call>
void IoLoop::State::guarded(std::string_view what, Call call) {
  try {
    call();
  } catch (...) {
    const Incident incident(incidents, what);
  }
}

void IoLoop::State::run() {
  owner = std::this_thread::get_id();
  while (!stopping) round();
  owner = std::thread::id();
}

void IoLoop::State::round() {
  const int count = ::epoll_wait(epoll_.get(), events_.data(), static_cast<int>(events_.size()), sleep_ms());
  check(count >= 0 || errno == EINTR, "epoll_wait works");
  sleeper->asleep.store(false, std::memory_order_relaxed);
  {
    const WakeRound requests(WakeRound::Helps::yes);
    tell_ready(count > 0 ? static_cast<std::size_t>(count) : 0);
    call_each(go_on_, &Watched::goes_on_, &Watched::go_on);
    fire_timers();
  }
  run_posted();
  const WakeRound requests;
  call_each(at_end_, &Watched::at_end_, &Watched::round_ends);
}

// How long the round may wait, for epoll_wait(): 0 not at all, -1 until something happens.
int IoLoop::State::sleep_ms() {
  if (!go_on_.empty() || !at_end_.empty()) return 0;
  Ticks wait = Ticks::max();
  if (const TimerHeap::Entry* const next = timers.first()) wait = std::max(next->due - timer_clock.elapsed(), Ticks::zero());
  if (wait == Ticks::zero()) return 0;
  const std::lock_guard lock(mutex);
  if (!posted.empty() || stopping) return 0;
  sleeper->asleep = true;
  if (wait == Ticks::max()) return -1;
  constexpr Duration kLongest{std::numeric_limits<int>::max()};
  return static_cast<int>(std::min(std::chrono::ceil<Duration>(wait), kLongest).count());
}

void IoLoop::State::tell_ready(std::size_t count) {
  for (std::size_t i = 0; i < count && !stopping; ++i)
    // Null: it was the wake-up, or an earlier one of this round has closed it.
    if (auto* const who = static_cast<Watched*>(events_[i].data.ptr))
      guarded("readiness", [&] { who->ready(events_[i].events); });
  // unwatch() looks through these.
  for (std::size_t i = 0; i < count; ++i) events_[i].data.ptr = nullptr;
}

void IoLoop::State::call_each(std::vector<Watched*>& list, bool Watched::*flag, void (Watched::*what)()) {
  if (list.empty()) return;
  called_.swap(list);
  for (std::size_t i = 0; i < called_.size() && !stopping; ++i) {
    Watched* const who = called_[i];
    if (who == nullptr) continue;
    who->*flag = false;
    guarded("round", [&] { (who->*what)(); });
  }
  called_.clear();
}

void IoLoop::State::fire_timers() {
  if (timers.first() == nullptr) return;
  const Ticks now = timer_clock.elapsed();
  for (TimerHeap::Entry* next = timers.first(); next != nullptr && next->due <= now && !stopping; next = timers.first()) {
    timers.remove(*next);
    UniqueFunction<void()> call = std::move(next->fire);  // which may destroy or restart its timer
    run_guarded("timer", call);
  }
}

// What posted work posts runs in the same round, so that a request that takes several steps answers in the round it began in.
void IoLoop::State::run_posted() {
  for (std::size_t batches = 0; batches < kRoundBatchesMax; ++batches) {
    {
      const std::lock_guard lock(mutex);
      if (posted.empty()) break;
      batch_.swap(posted);
    }
    const WakeRound requests(WakeRound::Helps::yes);
    for (UniqueFunction<void()>& work : batch_) {
      if (stopping) return;
      run_guarded("posted work", work);
      work = {};  // what it holds goes in the order in which it came
    }
    batch_.clear();
    if (batch_.capacity() > kPostedKept) batch_.shrink_to_fit();
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
  // Destroyed without the lock: what work owns may post as it goes.
  std::vector<UniqueFunction<void()>> dropped;
  std::vector<UniqueFunction<void()>> begun = std::move(batch_);
  const std::lock_guard lock(mutex);
  ended = true;
  dropped.swap(posted);
}

void IoLoop::State::stop() {
  {
    const std::lock_guard lock(mutex);  // or it could be about to sleep, having seen nothing
    stopping = true;
  }
  sleeper->wake();
}

void IoLoop::State::Signals::ready(std::uint32_t) {
  for (int signal = pipe.take(); signal != 0; signal = pipe.take()) state.guarded("signal", [&] { on_signal(signal); });
}

IoLoop::IoLoop(const Clock& clock, Metrics* metrics) : state_(std::make_unique<State>(clock, metrics)) {}

IoLoop::~IoLoop() { stop(); }

void IoLoop::start() {
  check(!state_->thread.joinable(), "an I/O loop is started once");
  state_->thread = std::thread([state = state_.get()] { state->run(); });
}

void IoLoop::stop() {
  check(!inside(), "an I/O loop is not stopped from inside");
  state_->stop();
  if (state_->thread.joinable()) state_->thread.join();
  state_->drop_posted();
}

void IoLoop::post(UniqueFunction<void()> work) {
  {
    const std::lock_guard lock(state_->mutex);
    if (state_->ended) return;
    state_->posted.push_back(std::move(work));
  }
  if (state_->sleeper->asleep.load()) wake(state_->sleeper);
}

std::shared_ptr<Helper> IoLoop::helper() {
  struct Posting final : Helper {
    explicit Posting(IoLoop& to) : loop(to) {}
    void come_by(std::shared_ptr<Sleeper> who) override {
      loop.post([who = std::move(who)] { wake(who); });
    }
    IoLoop& loop;
  };
  return std::make_shared<Posting>(*this);
}

bool IoLoop::running() const { return state_->thread.joinable() && !state_->stopping; }

bool IoLoop::inside() const { return state_->owner.load(std::memory_order_relaxed) == std::this_thread::get_id(); }

void IoLoop::assert_inside() const { check(inside(), "this runs on the I/O loop's thread only"); }

const Clock& IoLoop::clock() const { return state_->clock; }

void IoLoop::on_signals(std::vector<int> signals, UniqueFunction<void(int)> on_signal) {
  check(!state_->signals.has_value(), "signals of an I/O loop are asked for once");
  state_->signals.emplace(*state_, signals, std::move(on_signal));
  check(state_->watch(state_->signals->pipe.descriptor(), *state_->signals), "a loop can watch for signals");
}

struct Timer::State {
  explicit State(IoLoop& with) : loop(with) {}
  IoLoop& loop;
  TimerHeap::Entry entry;
};

Timer::Timer(IoLoop& loop) : state_(std::make_unique<State>(loop)) {}

Timer::~Timer() {
  if (state_->entry.place == 0) return;
  check(state_->loop.inside() || !state_->loop.running(), "a timer that runs goes on its loop's thread");
  state_->loop.state().timers.remove(state_->entry);
}

void Timer::start(Duration after, UniqueFunction<void()> fire) {
  state_->loop.assert_inside();
  IoLoop::State& loop = state_->loop.state();
  state_->entry.fire = std::move(fire);
  loop.timers.put(state_->entry, loop.timer_clock.elapsed() + std::min(after, kTimerLongest));
}

void Timer::cancel() {
  state_->loop.assert_inside();
  state_->loop.state().timers.remove(state_->entry);
  state_->entry.fire = {};
}

}  // namespace muster::net
