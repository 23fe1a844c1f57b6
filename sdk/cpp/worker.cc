#include "sdk/cpp/worker.h"

#include <fmt/format.h>

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <random>
#include <thread>
#include <vector>

#include "sdk/cpp/worker_tasks.h"

namespace muster::sdk {
namespace {

using Steady = std::chrono::steady_clock;

constexpr std::uint32_t kClaimBatchMax = 1'000;  // of the protocol
constexpr Duration kHeartbeatFallback{10'000};   // until the server said otherwise
constexpr int kSettleTriesMax = 8;               // then the lease runs out and the job is rescued

// Errors that no repetition cures.
bool hopeless(const Error& error) {
  switch (error.code) {
    case Code::invalid_argument:
    case Code::unauthenticated:
    case Code::permission_denied:
    case Code::already_exists:
    case Code::conflict:
    case Code::corrupt:
    case Code::bad_reply:
    case Code::lease_lost: return true;
    case Code::not_found:
    case Code::exhausted:
    case Code::unavailable:
    case Code::outcome_unknown:
    case Code::internal:
    case Code::unreachable:
    case Code::interrupted: return false;
  }
  return false;
}

}  // namespace

struct Worker::State {
  State(WorkerOptions given, Handler run, std::unique_ptr<Client> claims, std::unique_ptr<Client> other)
      : options(std::move(given)),
        handler(std::move(run)),
        claiming(std::move(claims)),
        calling(std::move(other)),
        tasks(options.spec.slots) {}

  WorkerOptions options;
  const Handler handler;
  const std::unique_ptr<Client> claiming;  // its own, so that a drain can interrupt the long poll and nothing else
  const std::unique_ptr<Client> calling;
  HeldTasks tasks;

  std::mutex registering;    // held during a registration; never taken while holding `mutex`
  mutable std::mutex mutex;  // leaf; guards what follows up to the counts
  std::condition_variable changed;
  bool draining = false;
  bool beat_now = false;
  bool finished = false;  // ends the heartbeat
  Steady::time_point drain_until = Steady::time_point::max();
  Registered registered;
  std::optional<Error> fatal;

  std::atomic<std::uint64_t> completed = 0;
  std::atomic<std::uint64_t> failed = 0;
  std::atomic<std::uint64_t> dropped = 0;

  void say(std::string_view line) const {
    if (options.log) options.log(line);
  }
  bool is_draining() const {
    const std::lock_guard lock(mutex);
    return draining;
  }
  Registered session() const {
    const std::lock_guard lock(mutex);
    return registered;
  }

  // False when the wait was cut short by a drain.
  bool pause(Duration wait) {
    std::unique_lock lock(mutex);
    return !changed.wait_for(lock, wait, [this] { return draining; });
  }

  void ask_for_beat() {
    {
      const std::lock_guard lock(mutex);
      beat_now = true;
    }
    changed.notify_all();
  }

  void begin_drain(Duration deadline);
  void give_up(const Error& error);
  // `refused` is the session the server did not know; empty at the start.
  Result<Nothing> register_once(std::optional<std::uint64_t> refused);
  Result<Nothing> register_until_accepted(std::optional<std::uint64_t> refused);
  void claim_loop();
  void slot_loop();
  void settle(HeldTask& task, const Outcome& outcome);
  void beat_loop();
  Duration beat_once();
};

void Worker::State::begin_drain(Duration deadline) {
  {
    const std::lock_guard lock(mutex);
    draining = true;
    beat_now = true;  // tells the server without waiting for the interval
    drain_until = std::min(drain_until, Steady::now() + deadline);
  }
  changed.notify_all();
  claiming->interrupt();
  tasks.close();
}

void Worker::State::give_up(const Error& error) {
  {
    const std::lock_guard lock(mutex);
    if (!fatal) fatal = error;
  }
  if (error.code == Code::lease_lost) tasks.lose_all();
  begin_drain(Duration(0));
}

Result<Nothing> Worker::State::register_once(std::optional<std::uint64_t> refused) {
  const std::lock_guard one_at_a_time(registering);
  WorkerSpec spec = options.spec;
  const Registered before = session();
  // The heartbeat and the claim loop notice at about the same time; the second finds the work done.
  if (refused && before.session != *refused) return Nothing{};
  if (!before.id.empty()) {
    spec.id = before.id;
    spec.resume = before.session;
  }
  const Result<Registered> answer = calling->register_worker(spec);
  if (!answer.ok()) return answer.error();
  // A session that could not be resumed took its leases with it.
  if (!before.id.empty() && answer->session != before.session) tasks.lose_all();
  const std::lock_guard lock(mutex);
  registered = *answer;
  return Nothing{};
}

Result<Nothing> Worker::State::register_until_accepted(std::optional<std::uint64_t> refused) {
  Backoff backoff(options.backoff, std::random_device{}());
  for (;;) {
    Result<Nothing> answer = register_once(refused);
    if (answer.ok() || hopeless(answer.error()) || is_draining()) return answer;
    const auto wait = backoff.next(answer.error().retry_after);
    say(fmt::format("registration failed, next try in {} ms: {}", wait.count(), answer.error().text()));
    if (!pause(wait)) return answer;
  }
}

void Worker::State::claim_loop() {
  Backoff backoff(options.backoff, std::random_device{}());
  Backoff blocked_wait(options.backoff, std::random_device{}());
  for (;;) {
    const std::uint32_t free = tasks.wait_for_slots();
    if (free == 0 || is_draining()) return;
    const Registered me = session();
    const Result<ClaimReply> reply = claiming->claim(ClaimRequest{.ns = options.spec.ns,
                                                                  .worker = me.id,
                                                                  .session = me.session,
                                                                  .queues = {},
                                                                  .narrow = {},
                                                                  .limit = std::min(free, kClaimBatchMax),
                                                                  .wait = options.claim_wait,
                                                                  .lease = {}});
    if (reply.ok()) {
      backoff.reset();
      for (const Grant& grant : reply->grants) tasks.add(std::make_shared<HeldTask>(*calling, grant));
      // `no_slots`: the server has not yet seen an outcome that is on its way. `draining`: the next heartbeat says more.
      const bool blocked = reply->block == "no_slots" || reply->block == "draining";
      if (reply->block == "draining") ask_for_beat();
      if (reply->grants.empty() && blocked && !pause(blocked_wait.next())) return;
      if (!reply->grants.empty()) blocked_wait.reset();
      continue;
    }
    const Error& error = reply.error();
    if (error.code == Code::interrupted) return;
    if (error.code == Code::not_found) {
      say("the server does not know this worker: registering again");
      const Result<Nothing> again = register_until_accepted(me.session);
      if (!again.ok() && hopeless(again.error())) return give_up(again.error());
      if (!again.ok()) return;
      continue;
    }
    if (hopeless(error)) return give_up(error);
    const auto wait = backoff.next(error.retry_after);
    say(fmt::format("claim failed, next try in {} ms: {}", wait.count(), error.text()));
    if (!pause(wait)) return;
  }
}

void Worker::State::slot_loop() {
  while (const std::shared_ptr<HeldTask> task = tasks.take()) {
    Outcome outcome;
    try {
      // What was granted but not begun when the drain came goes straight back.
      outcome = is_draining() ? Outcome::released("worker is draining") : handler(*task);
    } catch (const std::exception& e) {
      outcome = Outcome::failed({.kind = "handler_error", .message = e.what()});
    } catch (...) {
      outcome = Outcome::failed({.kind = "handler_error", .message = "the handler threw something that is no exception"});
    }
    settle(*task, outcome);
    tasks.settled(*task);
  }
}

void Worker::State::settle(HeldTask& task, const Outcome& outcome) {
  const LeaseRef& lease = task.grant().lease;
  Backoff backoff(options.backoff, std::random_device{}());
  for (int tries = 1; !task.lost(); ++tries) {
    Result<Settled> answer = [&] {
      switch (outcome.kind) {
        case Outcome::Kind::complete: return calling->complete(lease, outcome.result);
        case Outcome::Kind::fail: return calling->fail(lease, outcome.failure);
        case Outcome::Kind::snooze: return calling->snooze(lease, outcome.delay);
        case Outcome::Kind::release: break;
      }
      return calling->release(lease, outcome.reason);
    }();
    if (answer.ok()) {
      if (outcome.kind == Outcome::Kind::complete) ++completed;
      if (outcome.kind == Outcome::Kind::fail) ++failed;
      return;
    }
    const Error& error = answer.error();
    if (error.code == Code::lease_lost || error.code == Code::not_found) {
      task.lose();
      break;
    }
    if (hopeless(error) || tries == kSettleTriesMax) {
      say(fmt::format("the outcome of job {} could not be reported: {}", lease.id, error.text()));
      if (error.code == Code::invalid_argument && outcome.kind == Outcome::Kind::complete) {
        // A result the server refuses (too large, not JSON) would be computed again and again otherwise.
        const Failure why{.kind = "bad_result", .message = error.detail};
        if (calling->fail(lease, FailRequest{.error = why, .retryable = false, .delay = {}}).ok()) ++failed;
      }
      return;
    }
    // The fence makes a repetition safe, whatever became of the first one.
    std::this_thread::sleep_for(backoff.next(error.retry_after));
  }
  ++dropped;
  say(fmt::format("the lease on job {} was lost: its result is dropped", lease.id));
}

Duration Worker::State::beat_once() {
  const Registered me = session();
  const Duration interval = me.heartbeat.count() > 0 ? me.heartbeat : kHeartbeatFallback;
  const Result<BeatReply> reply =
      calling->heartbeat(Beat{.ns = options.spec.ns,
                              .worker = me.id,
                              .session = me.session,
                              .stats = {{"completed", static_cast<double>(completed)}, {"failed", static_cast<double>(failed)}},
                              .held = tasks.leases(),
                              .names_all = true,
                              .accepting = !is_draining()});
  if (!reply.ok()) {
    const Error& error = reply.error();
    if (error.code == Code::not_found && !is_draining()) {
      const Result<Nothing> again = register_once(me.session);
      if (!again.ok() && hopeless(again.error())) give_up(again.error());
    } else if (hopeless(error)) {
      give_up(error);
    } else {
      say(fmt::format("heartbeat failed: {}", error.text()));
    }
    return interval / 3;  // three tries fit into one interval, and three intervals into death
  }
  tasks.lose(reply->lost);
  tasks.cancel(reply->cancel);
  if (reply->state == "draining" && !is_draining()) {
    say(fmt::format("drain was asked for: {}", reply->drain_reason.empty() ? "no reason given" : reply->drain_reason));
    Duration left = options.drain_deadline;
    if (reply->drain_deadline)
      left = std::chrono::duration_cast<Duration>(*reply->drain_deadline - std::chrono::system_clock::now());
    begin_drain(std::max(left, Duration(0)));
  }
  return reply->next_beat_in.count() > 0 ? reply->next_beat_in : interval;
}

void Worker::State::beat_loop() {
  Duration wait = session().heartbeat;
  for (;;) {
    {
      std::unique_lock lock(mutex);
      changed.wait_for(lock, wait, [this] { return finished || beat_now; });
      if (finished) return;
      beat_now = false;
    }
    wait = beat_once();
  }
}

Worker::Worker(std::unique_ptr<State> state) : state_(std::move(state)) {}
Worker::~Worker() = default;

Result<std::unique_ptr<Worker>> Worker::open(const ClientOptions& client, WorkerOptions options, Handler handler) {
  Result<std::unique_ptr<Client>> claiming = Client::open(client);
  if (!claiming.ok()) return claiming.error();
  Result<std::unique_ptr<Client>> calling = Client::open(client);
  if (!calling.ok()) return calling.error();
  if (options.spec.slots == 0)
    return Error{.code = Code::invalid_argument, .status = 0, .detail = "slots is 0: expected 1 or more", .retry_after = {}};
  auto state = std::make_unique<State>(std::move(options), std::move(handler), std::move(*claiming), std::move(*calling));
  return std::unique_ptr<Worker>(new Worker(std::move(state)));
}

Result<Nothing> Worker::run() {
  State& state = *state_;
  const Result<Nothing> registered = state.register_until_accepted({});
  if (!registered.ok()) return state.is_draining() && !hopeless(registered.error()) ? Result<Nothing>(Nothing{}) : registered;

  std::thread beats([&state] { state.beat_loop(); });
  std::vector<std::thread> slots;
  for (std::uint32_t i = 0; i < state.options.spec.slots; ++i) slots.emplace_back([&state] { state.slot_loop(); });

  state.claim_loop();
  state.begin_drain(state.options.drain_deadline);
  for (;;) {
    Steady::time_point until;
    {
      const std::lock_guard lock(state.mutex);
      until = state.drain_until;
    }
    // A second, shorter deadline (stop()) is noticed at the next look.
    const auto look = std::min(until, Steady::now() + std::chrono::milliseconds(100));
    if (state.tasks.wait_until_empty(look) || Steady::now() >= until) break;
  }
  // Unregistering hands back what still runs, without cost; those handlers are told to stop and their results are dropped.
  state.tasks.lose_all();
  const Registered me = state.session();
  const Result<WorkerInfo> bye =
      state.calling->unregister_worker({.ns = state.options.spec.ns, .worker = me.id, .session = me.session});
  // Who was forgotten or replaced has nothing left to hand back.
  if (!bye.ok() && bye.error().code != Code::not_found && bye.error().code != Code::lease_lost)
    state.say(fmt::format("unregistering failed: {}", bye.error().text()));
  {
    const std::lock_guard lock(state.mutex);
    state.finished = true;
  }
  state.changed.notify_all();
  beats.join();
  for (std::thread& slot : slots) slot.join();
  const std::lock_guard lock(state.mutex);
  if (state.fatal) return *state.fatal;
  return Nothing{};
}

void Worker::drain() { state_->begin_drain(state_->options.drain_deadline); }
void Worker::stop() { state_->begin_drain(Duration(0)); }

WorkerCounts Worker::counts() const {
  return WorkerCounts{.completed = state_->completed,
                      .failed = state_->failed,
                      .dropped = state_->dropped,
                      .running = static_cast<std::uint32_t>(state_->tasks.size())};
}

// --- the ways a handler can end -----------------------------------------------------------------------------------

Outcome Outcome::completed(std::string json) { return completed_with(Content{.data = std::move(json), .binary = false}); }

Outcome Outcome::completed_with(Content result) {
  Outcome outcome;
  outcome.result = std::move(result);
  return outcome;
}

Outcome Outcome::failed(Failure error) {
  Outcome outcome;
  outcome.kind = Kind::fail;
  outcome.failure.error = std::move(error);
  return outcome;
}

Outcome Outcome::failed_for_good(Failure error) {
  Outcome outcome = failed(std::move(error));
  outcome.failure.retryable = false;
  return outcome;
}

Outcome Outcome::snoozed(Duration delay) {
  Outcome outcome;
  outcome.kind = Kind::snooze;
  outcome.delay = delay;
  return outcome;
}

Outcome Outcome::released(std::string reason) {
  Outcome outcome;
  outcome.kind = Kind::release;
  outcome.reason = std::move(reason);
  return outcome;
}

// --- the jobs a worker holds --------------------------------------------------------------------------------------

Result<Nothing> HeldTask::report(const Progress& progress) {
  const Result<Renewed> renewed = client_.progress(grant_.lease, progress);
  if (!renewed.ok()) {
    if (renewed.error().code == Code::lease_lost) lose();
    return renewed.error();
  }
  if (renewed->cancel_requested) cancel();
  return Nothing{};
}

std::uint32_t HeldTasks::wait_for_slots() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return closed_ || held_.size() < slots_; });
  return closed_ ? 0 : slots_ - static_cast<std::uint32_t>(held_.size());
}

void HeldTasks::add(std::shared_ptr<HeldTask> task) {
  {
    const std::lock_guard lock(mutex_);
    held_.emplace(task->grant().lease, task);
    waiting_.push_back(std::move(task));
  }
  changed_.notify_all();
}

std::shared_ptr<HeldTask> HeldTasks::take() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return closed_ || !waiting_.empty(); });
  if (waiting_.empty()) return nullptr;
  std::shared_ptr<HeldTask> task = std::move(waiting_.front());
  waiting_.pop_front();
  return task;
}

void HeldTasks::settled(const HeldTask& task) {
  {
    const std::lock_guard lock(mutex_);
    held_.erase(task.grant().lease);
  }
  changed_.notify_all();
}

void HeldTasks::close() {
  {
    const std::lock_guard lock(mutex_);
    closed_ = true;
  }
  changed_.notify_all();
}

bool HeldTasks::wait_until_empty(std::chrono::steady_clock::time_point deadline) {
  std::unique_lock lock(mutex_);
  return changed_.wait_until(lock, deadline, [this] { return held_.empty(); });
}

std::vector<LeaseRef> HeldTasks::leases() const {
  const std::lock_guard lock(mutex_);
  std::vector<LeaseRef> out;
  out.reserve(held_.size());
  for (const auto& [lease, task] : held_) out.push_back(lease);
  return out;
}

std::size_t HeldTasks::size() const {
  const std::lock_guard lock(mutex_);
  return held_.size();
}

void HeldTasks::lose(const std::vector<LeaseRef>& leases) {
  const std::lock_guard lock(mutex_);
  for (const LeaseRef& lease : leases)
    if (const auto at = held_.find(lease); at != held_.end()) at->second->lose();
}

void HeldTasks::cancel(const std::vector<LeaseRef>& leases) {
  const std::lock_guard lock(mutex_);
  for (const LeaseRef& lease : leases)
    if (const auto at = held_.find(lease); at != held_.end()) at->second->cancel();
}

void HeldTasks::lose_all() {
  const std::lock_guard lock(mutex_);
  for (const auto& [lease, task] : held_) task->lose();
}

}  // namespace muster::sdk
