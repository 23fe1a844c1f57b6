#include "sdk/cpp/testkit/time_skipper.h"

#include <algorithm>
#include <future>
#include <memory>
#include <utility>
#include <vector>

#include "store/runs/rules.h"

namespace muster::sdk::testkit {
namespace {

constexpr std::chrono::milliseconds kTickMax{5};
constexpr std::chrono::milliseconds kLookEvery{1};
constexpr std::uint32_t kIdleLooks = 2;            // in a row, so that what is on its way between two states is not missed
constexpr std::chrono::seconds kAnswerWithin{10};  // of a store in the same process; then the look is given up

// What waits for ever waits for somebody, not for time.
bool comes(Instant at) { return at < store::runs::kForever; }

void earlier(std::optional<Instant>& least, const std::optional<Instant>& at) {
  if (at && comes(*at) && (!least || *at < *least)) least = *at;
}

}  // namespace

TimeSkipper::TimeSkipper(engine::Engine& engine, SkippingClock& clock, const std::atomic<bool>& skips)
    : engine_(engine), clock_(clock), may_skip_(skips), thread_([this] { run(); }) {}

TimeSkipper::~TimeSkipper() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  stop_asked_.notify_all();
  thread_.join();
}

void TimeSkipper::run() {
  std::unique_lock lock(mutex_);
  while (!stopping_) {
    lock.unlock();
    const auto pause = std::clamp<std::chrono::milliseconds>(engine_.tick(), std::chrono::milliseconds(1), kTickMax);
    if (may_skip_.load()) maybe_skip();
    lock.lock();
    stop_asked_.wait_for(lock, std::min(pause, kLookEvery), [this] { return stopping_; });
  }
}

void TimeSkipper::maybe_skip() {
  const std::optional<Instant> next = idle_until();
  if (!next) {
    idle_looks_ = 0;
    return;
  }
  if (++idle_looks_ < kIdleLooks) return;
  idle_looks_ = 0;
  const Duration ahead = *next - clock_.now();
  if (ahead <= Duration(0)) return;
  clock_.skip(ahead);
  // Before the next tick, whose sweeps would otherwise find everybody silent since before the skip.
  hear_everybody();
  skipped_.fetch_add(1);
}

template <class T, class Ask>
std::optional<T> TimeSkipper::ask(Ask&& send) {
  auto promise = std::make_shared<std::promise<muster::Result<T>>>();
  auto answer = promise->get_future();
  send([promise](muster::Result<T> result) { promise->set_value(std::move(result)); });
  if (answer.wait_for(kAnswerWithin) != std::future_status::ready) return std::nullopt;
  muster::Result<T> result = answer.get();
  if (!result.ok()) return std::nullopt;
  return *std::move(result);
}

std::optional<Instant> TimeSkipper::idle_until() {
  const auto busy = ask<std::vector<store::JobCount>>([this](auto reply) {
    store::JobFilter filter;
    filter.states = {muster::JobState::ready, muster::JobState::running};
    engine_.jobs().count(std::move(filter), std::move(reply));
  });
  if (!busy) return std::nullopt;
  for (const store::JobCount& count : *busy)
    if (count.count > 0) return std::nullopt;

  std::optional<Instant> next;
  std::string cursor;
  do {
    const auto page = ask<store::JobPage>([&](auto reply) {
      store::JobQuery query;
      query.filter.states = {muster::JobState::scheduled};
      query.limit = limits::kPageMax;
      query.cursor = cursor;
      engine_.jobs().list(std::move(query), std::move(reply));
    });
    if (!page) return std::nullopt;
    for (const muster::Job& job : page->jobs) {
      earlier(next, job.run_at);
      earlier(next, job.spec.deadline);
    }
    cursor = page->next;
  } while (!cursor.empty());

  const auto schedules = ask<store::SchedulePage>([this](auto reply) {
    store::ScheduleQuery query;
    query.enabled = true;
    query.limit = limits::kPageMax;
    engine_.schedules().list(std::move(query), std::move(reply));
  });
  if (!schedules) return std::nullopt;
  for (const muster::Schedule& schedule : schedules->schedules) earlier(next, schedule.next_fire_at);
  return next;
}

void TimeSkipper::hear_everybody() {
  std::string cursor;
  do {
    const auto page = ask<store::WorkerPage>([&](auto reply) {
      store::WorkerQuery query;
      query.states = {muster::WorkerState::online, muster::WorkerState::draining};
      query.limit = limits::kPageMax;
      query.cursor = cursor;
      engine_.workers().list(std::move(query), std::move(reply));
    });
    if (!page) return;
    std::vector<store::Beat> beats;
    for (const muster::Worker& worker : page->workers)
      beats.push_back({.ns = worker.spec.ns,
                       .worker = worker.spec.id,
                       .session = worker.session,
                       .accepting = worker.state == muster::WorkerState::online});
    if (!beats.empty())
      (void)ask<store::Each<store::BeatReply>>(
          [&](auto reply) { engine_.workers().heartbeat(std::move(beats), std::move(reply)); });
    cursor = page->next;
  } while (!cursor.empty());
}

}  // namespace muster::sdk::testkit
