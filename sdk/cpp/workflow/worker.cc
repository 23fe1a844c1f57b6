#include "sdk/cpp/workflow/worker.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <climits>
#include <cstdio>

#include "sdk/cpp/signal_watch.h"
#include "sdk/cpp/workflow/worker_state.h"

namespace muster::sdk::workflow {
namespace {

using Steady = std::chrono::steady_clock;

constexpr std::uint32_t kPollersMax = 4;  // polls that wait at one time
constexpr Duration kUnwindGrace{2'000};   // between the deadline of a drain and the end: workflows that listen leave
constexpr Duration kDrainForEver{86'400'000};

std::string machine_name() {
  std::array<char, HOST_NAME_MAX + 1> name{};
  return ::gethostname(name.data(), name.size() - 1) == 0 ? std::string(name.data()) : std::string();
}

void to_stderr(std::string_view line) { fmt::print(stderr, "muster worker: {}\n", line); }

}  // namespace

void HeldRun::lose() {
  lost.store(true, std::memory_order_release);
  const std::lock_guard lock(mutex);
  if (core != nullptr) core->lose();
}

// --- the builder ---------------------------------------------------------------------------------------------------

Result<Worker> WorkerBuilder::build() const {
  WorkerSettings settings = settings_;
  Result<Connection> connection = checked(settings.connection);
  if (!connection.ok()) return connection.error();
  settings.connection = *std::move(connection);
  if (settings.queue.empty()) return wire::invalid("queue '': give a name");
  if (settings.max_concurrent < 1 || settings.max_concurrent > kConcurrentMax)
    return wire::invalid(fmt::format("max_concurrent {}: give 1 to {}", settings.max_concurrent, kConcurrentMax));
  if (settings.step_threads < 1 || settings.step_threads > kStepThreadsMax)
    return wire::invalid(fmt::format("step_threads {}: give 1 to {}", settings.step_threads, kStepThreadsMax));
  if (settings.drain_deadline < Duration(0))
    return wire::invalid(fmt::format("drain_deadline {} ms: give 0 or more", settings.drain_deadline.count()));
  for (const auto& [key, value] : settings.labels)
    if (key.empty()) return wire::invalid(fmt::format("label '' (of value '{}'): give a key", value));
  if (const Result<Nothing> steps = validate(settings.steps); !steps.ok()) return steps.error();
  if (settings.hostname.empty()) settings.hostname = machine_name();
  if (!settings.clock) settings.clock = [] { return std::chrono::time_point_cast<Duration>(std::chrono::system_clock::now()); };
  if (!settings.log) settings.log = to_stderr;
  return Worker(std::make_shared<Worker::State>(std::move(settings)));
}

// --- the worker ----------------------------------------------------------------------------------------------------

Worker::State::State(WorkerSettings given)
    : settings(std::move(given)),
      surroundings{settings.clock, settings.log, settings.steps},
      link(settings.connection),
      poll_link(settings.connection),
      crew(settings.max_concurrent),
      step_crew(settings.step_threads) {}

Worker::Worker(std::shared_ptr<State> state) : state_(std::move(state)) {}
Worker::Worker(Worker&&) noexcept = default;
Worker& Worker::operator=(Worker&&) noexcept = default;

Worker::~Worker() {
  if (!state_) return;
  stop();
  (void)wait();
}

Worker& Worker::add(std::string name, Handler handler) {
  if (!state_->mistake) {
    if (name.empty()) state_->mistake = wire::invalid("workflow '': give a name");
    if (state_->handlers.contains(name)) state_->mistake = wire::invalid(fmt::format("workflow '{}' is registered twice", name));
  }
  state_->handlers.insert_or_assign(std::move(name), std::move(handler));
  return *this;
}

Result<Nothing> Worker::start() {
  if (state_->mistake) return *state_->mistake;
  if (state_->handlers.empty()) return wire::invalid("no workflow is registered: call register_workflow() first");
  {
    const std::lock_guard lock(state_->mutex);
    if (state_->started) return wire::invalid("the worker was started before; make another one");
    state_->started = true;
  }
  state_->life = std::thread([state = state_] { state->live(); });
  return Nothing{};
}

Result<Nothing> Worker::wait() {
  std::unique_lock lock(state_->mutex);
  if (!state_->started) return Nothing{};
  state_->changed.wait(lock, [this] { return state_->ended; });
  std::thread life = std::move(state_->life);
  const std::optional<Error> fatal = state_->fatal;
  lock.unlock();
  if (life.joinable()) life.join();
  if (fatal) return *fatal;
  return Nothing{};
}

Result<Nothing> Worker::run() {
  std::optional<SignalWatch> signals;
  if (state_->settings.handles_signals)
    signals.emplace([state = state_](int count) {
      state->say(count == 1 ? "signal: draining" : "another signal: stopping at once");
      state->begin_drain(count == 1 ? state->settings.drain_deadline : Duration(0));
    });
  if (Result<Nothing> begun = start(); !begun.ok()) return begun;
  return wait();
}

void Worker::shutdown() { drain(state_->settings.drain_deadline); }

void Worker::drain(Duration deadline) { state_->begin_drain(std::clamp(deadline, Duration(0), kDrainForEver)); }

WorkerStatus Worker::status() const {
  const std::lock_guard lock(state_->mutex);
  WorkerStatus status = state_->counts;
  status.worker_id = state_->worker_id;
  status.running = static_cast<std::uint32_t>(state_->held.size());
  return status;
}

// --- its life ------------------------------------------------------------------------------------------------------

void Worker::State::say(std::string_view line) const { settings.log(line); }

bool Worker::State::is_draining() const {
  const std::lock_guard lock(mutex);
  return draining;
}

std::string Worker::State::id() const {
  const std::lock_guard lock(mutex);
  return worker_id;
}

void Worker::State::begin_drain(Duration deadline) {
  const std::lock_guard lock(mutex);
  draining = true;
  drain_until = std::min(drain_until, Steady::now() + deadline);
  for (grpc::ClientContext* poll : polls) poll->TryCancel();
  changed.notify_all();
}

void Worker::State::give_up(const Error& error) {
  {
    const std::lock_guard lock(mutex);
    if (!fatal) fatal = error;
  }
  begin_drain(Duration(0));
}

bool Worker::State::pause(Duration wait, const std::atomic<bool>* lost) {
  std::unique_lock lock(mutex);
  const auto left = [&] { return over || (lost != nullptr && lost->load(std::memory_order_acquire)); };
  return !changed.wait_for(lock, wait, left);
}

bool Worker::State::pause_unless_draining(Duration wait) {
  std::unique_lock lock(mutex);
  return !changed.wait_for(lock, wait, [this] { return draining; });
}

void Worker::State::live() {
  if (register_until_accepted()) {
    std::thread beats([this] { beat_loop(); });
    std::vector<std::thread> pollers;
    for (std::uint32_t i = 0; i < std::min(settings.max_concurrent, kPollersMax); ++i)
      pollers.emplace_back([this] { poll_loop(); });
    for (std::thread& poller : pollers) poller.join();
    settle_drain();
    {
      const std::lock_guard lock(mutex);
      beats_end = true;
      changed.notify_all();
    }
    beats.join();
    deregister();
  }
  crew.close();
  step_crew.close();
  const std::lock_guard lock(mutex);
  ended = true;
  changed.notify_all();
}

// Pollers are gone. Runs end by themselves, or are taken away at the deadline; those that do not listen are left behind.
void Worker::State::settle_drain() {
  std::unique_lock lock(mutex);
  const auto none = [this] { return held.empty(); };
  // The deadline may come nearer while it is waited for.
  while (!none() && Steady::now() < drain_until) changed.wait_until(lock, drain_until);
  if (none()) return;
  const std::size_t left = held.size();
  over = true;
  lock.unlock();
  say(fmt::format("the drain's deadline passed with {} runs under way: they are handed back", left));
  for (const auto& run : all_held()) run->lose();
  lock.lock();
  changed.notify_all();
  changed.wait_for(lock, kUnwindGrace, none);
}

}  // namespace muster::sdk::workflow
