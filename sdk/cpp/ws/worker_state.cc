#include "sdk/cpp/ws/worker_state.h"

#include <fmt/format.h>
#include <openssl/rand.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <exception>
#include <utility>

#include "base/uuid.h"
#include "sdk/cpp/ws/errors.h"
#include "sdk/cpp/ws/hello.h"

namespace muster::sdk::ws {
namespace {

using Steady = std::chrono::steady_clock;

constexpr Duration kConnectWithin{10'000};
constexpr Duration kWriteWithin{10'000};  // a server that reads nothing for so long is given up
constexpr Duration kWaitLongest{60'000};

std::uint64_t unguessable() {
  std::uint64_t word = 0;
  if (RAND_bytes(reinterpret_cast<unsigned char*>(&word), sizeof word) != 1) word = random_seed();
  return word;
}

Error to_error(const muster::Status& status) {
  const auto code = parse_code(muster::to_string(status.code()));
  return error_of(code.value_or(Code::internal), status.message());
}

bool is_node_type(std::string_view text) {
  constexpr std::size_t kTypeBytesMax = 256;
  if (text.empty() || text.size() > kTypeBytesMax) return false;
  return std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '.' || c == '-';
  });
}

Error invalid(std::string detail) { return error_of(Code::invalid_argument, std::move(detail)); }

}  // namespace

Worker::State::State(WorkerOptions with, Endpoint where, std::string certificate, std::optional<InstanceId> identity,
                     const Clock& time)
    : options(std::move(with)),
      clock_(time),
      endpoint_(std::move(where)),
      fingerprint_(std::move(certificate)),
      identity_(std::move(identity)),
      seed_(unguessable()),
      crew_(options.max_parallel),
      load_(options.data_folder),
      wake_fd_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  if (!options.resources) options.resources = std::make_shared<ResourceRegistry>();
  status_.instance_id = options.instance_id;
  status_.state = session::to_string(session::WorkerState::fresh);
}

Worker::State::~State() {
  if (wake_fd_ >= 0) ::close(wake_fd_);
}

void Worker::State::say(std::string_view line) const {
  if (options.log) return options.log(line);
  std::fprintf(stderr, "muster worker: %.*s\n", static_cast<int>(line.size()), line.data());
}

// --- beginning and end ---

CoreOptions Worker::State::core_options() {
  const bool v1 = options.protocol == ProtocolVersion::v1;
  CoreOptions out;
  std::vector<std::string> types;
  for (const auto& [type, handler] : handlers) types.push_back(type);
  out.node_types = {types.begin(), types.end()};
  out.worker_name = options.name;
  out.limits = {.max_parallel = options.max_parallel, .per_node = options.per_node_limits};
  out.healthy = options.healthy;
  out.on_extension = options.on_extension;
  out.load = [this] {
    const MachineLoad load = load_.read();
    json::Tree told = json::Tree::object();
    if (load.cpu_pct) told["cpu_pct"] = *load.cpu_pct;
    if (load.mem_pct) told["mem_pct"] = *load.mem_pct;
    if (load.disk_pct) told["disk_pct"] = *load.disk_pct;
    return told;
  };
  MachineOptions& machine = out.machine;
  machine.protocol = v1 ? session::Protocol::v1 : session::Protocol::v2;
  machine.endpoint = endpoint_;
  machine.tenant = options.tenant;
  machine.sender_id = v1 ? options.name : options.instance_id;
  machine.user_agent = "muster/" + options.version;
  machine.handshake = handshake_payload(options, fingerprint_);
  machine.registration = registration_payload(options, types);
  machine.retirement = retirement_payload(options);
  machine.heartbeat = options.heartbeat;
  machine.heartbeat_jitter = options.heartbeat_jitter;
  machine.window = options.window;
  machine.seed = seed_;
  machine.random = unguessable;
  return out;
}

Result<Nothing> Worker::State::start() {
  if (!mistake.empty()) return invalid(mistake);
  if (handlers.empty()) return invalid("no node type is registered");
  for (const auto& [type, handler] : handlers)
    if (!is_node_type(type))
      return invalid(fmt::format("node type `{}`: expected 1 to 256 letters, digits, '_', '.' or '-'", type));
  if (wake_fd_ < 0) return error_of(Code::unavailable, "no descriptor is left");
  {
    const std::lock_guard lock(mutex_);
    if (std::exchange(started_, true)) return invalid("the worker was started before");
  }
  core_ = std::make_unique<Core>(core_options(), *options.resources, metrics, *this);
  io_thread_ = std::thread([self = shared_from_this()] { self->io_loop(); });
  return Nothing{};
}

Result<Nothing> Worker::State::wait() {
  std::unique_lock lock(mutex_);
  if (!started_) return invalid("the worker was not started");
  changed_.wait(lock, [this] { return ended_; });
  std::thread ended = std::move(io_thread_);
  const std::optional<Error> fatal = fatal_;
  lock.unlock();
  if (ended.joinable() && ended.get_id() != std::this_thread::get_id()) ended.join();
  if (fatal) return *fatal;
  return Nothing{};
}

bool Worker::State::wait_for_handlers(Duration at_most) {
  std::unique_lock lock(mutex_);
  return changed_.wait_for(lock, at_most, [this] { return handlers_running_ == 0; });
}

void Worker::State::drain(Duration deadline) {
  post([this, deadline] {
    const Moment at = now();
    core_->drain(at.ticks + std::max(deadline, Duration(0)), at);
  });
}

WorkerStatus Worker::State::status() const {
  WorkerStatus out;
  {
    const std::lock_guard lock(mutex_);
    out = status_;
  }
  out.feedback_dropped = feedback_dropped_.load();
  return out;
}

// --- between threads ---

void Worker::State::post(Work work) {
  {
    const std::lock_guard lock(mutex_);
    if (!started_ || ended_) return;
    posted_.push_back(std::move(work));
  }
  wake();
}

void Worker::State::wake() const {
  const std::uint64_t one = 1;
  if (::write(wake_fd_, &one, sizeof one) < 0) return;  // a full counter wakes as well
}

void Worker::State::run_posted() {
  std::uint64_t ignored = 0;
  while (::read(wake_fd_, &ignored, sizeof ignored) > 0) {
  }
  std::deque<Work> posted;
  {
    const std::lock_guard lock(mutex_);
    posted.swap(posted_);
  }
  for (const Work& work : posted) work();
}

bool Worker::State::post_feedback(const std::string& task_id, std::string payload) {
  const std::size_t bytes = payload.size();
  if (feedback_bytes_.load() + waiting_bytes_.load() + bytes > kFeedbackWaitingBytesMax ||
      waiting_frames_.load() >= kFeedbackWaitingFramesMax) {
    ++feedback_dropped_;
    return false;
  }
  feedback_bytes_ += bytes;
  ++waiting_frames_;
  post([this, task_id, payload = std::move(payload), bytes] {
    feedback_bytes_ -= bytes;
    if (!core_->feedback(task_id, payload, now())) ++feedback_dropped_;
  });
  return true;
}

void Worker::State::post_next(Execution execution, NextAsk ask) {
  post([this, execution, ask = std::move(ask)] { core_->next(execution, ask, now()); });
}

std::string Worker::State::next_request_id() { return fmt::format("next-{:x}-{}", seed_, next_ids_.fetch_add(1)); }

// --- handlers ---

void Worker::State::begin(Execution execution, const TaskInfo& task, std::vector<Resource> resources) {
  const auto running = std::make_shared<RunningTask>(*this, execution, task, std::move(resources));
  tasks_[execution] = running;
  {
    const std::lock_guard lock(mutex_);
    ++handlers_running_;
  }
  crew_.post([self = shared_from_this(), running, execution, handler = &handlers.at(task.node_type)] {
    self->run_handler(running, execution, *handler);
  });
}

void Worker::State::run_handler(const std::shared_ptr<RunningTask>& task, Execution execution, const Handler& handler) {
  Ending ending;
  try {
    ending.outcome = handler(*task);
  } catch (const std::exception& e) {
    ending.thrown = e.what();
  } catch (...) {
    ending.thrown = "the handler threw something that is no exception";
  }
  task->close();
  for (Artifact& artifact : task->take_artifacts()) ending.outcome.artifacts.push_back(std::move(artifact));
  post([this, execution, ending = std::move(ending)] {
    tasks_.erase(execution);
    core_->ended(execution, ending, now());
  });
  {
    const std::lock_guard lock(mutex_);
    --handlers_running_;
  }
  changed_.notify_all();
}

void Worker::State::cancel(Execution execution) {
  if (const auto task = tasks_.find(execution); task != tasks_.end()) task->second->cancel();
}

void Worker::State::answer(Execution execution, NextAnswer answer) {
  if (const auto task = tasks_.find(execution); task != tasks_.end()) task->second->answer(std::move(answer));
}

void Worker::State::fail_nexts() {
  for (const auto& [execution, task] : tasks_) task->fail_nexts();
}

// --- the I/O thread ---

void Worker::State::io_loop() {
  for (;;) {
    run_posted();
    core_->work(now());
    for (const std::string& note : core_->take_notes()) say(note);
    publish();
    if (core_->is_over() || core_->refusal()) break;
    if (core_->machine().wants_connection(now()))
      connect();
    else if (flush())
      exchange_bytes();
  }
  finish();
}

void Worker::State::connect() {
  const resp::TlsOptions tls{
      .ca_file = options.tls.ca_file, .cert_file = options.tls.cert_file, .key_file = options.tls.key_file};
  auto stream = resp::Stream::open(endpoint_.address, tls, Steady::now() + kConnectWithin);
  if (!stream.ok()) return core_->machine().connect_failed(stream.error().detail, now());
  stream_ = std::move(*stream);
  ++connections_;
  core_->machine().connected(now());
}

void Worker::State::drop_stream(std::string_view why) {
  stream_.reset();
  core_->machine().disconnected(why, now());
}

// False: there is more to do before anything is waited for.
bool Worker::State::flush() {
  Machine& machine = core_->machine();
  const std::string bytes = machine.take_output();
  if (stream_ && !bytes.empty())
    if (const auto written = stream_->write(bytes, Steady::now() + kWriteWithin); !written.ok()) {
      drop_stream(written.error().detail);
      return false;
    }
  if (!machine.wants_disconnect()) return true;
  drop_stream("closed");
  return false;
}

void Worker::State::exchange_bytes() {
  const std::optional<Ticks> due = core_->next_due();
  Ticks wait = kWaitLongest;
  if (due) wait = std::clamp<Ticks>(*due == Ticks::min() ? Ticks(0) : *due - clock_.elapsed(), Ticks(0), kWaitLongest);
  const auto deadline = Steady::now() + wait;
  if (!stream_) {
    pollfd polled{wake_fd_, POLLIN, 0};
    const auto ms = std::chrono::ceil<std::chrono::milliseconds>(wait).count();
    static_cast<void>(::poll(&polled, 1, static_cast<int>(ms)));
    return;
  }
  inbound_.clear();
  const auto got = stream_->read(inbound_, deadline, wake_fd_);
  if (got.ok()) return core_->machine().received(inbound_, now());
  if (got.error().code == Code::unavailable || got.error().code == Code::interrupted) return;
  drop_stream(got.error().detail);
}

void Worker::State::publish() {
  const Machine& machine = core_->machine();
  const session::SendWindow& sending = machine.channel().link().sending();
  waiting_bytes_ = sending.bytes();
  waiting_frames_ = sending.frames();
  const std::lock_guard lock(mutex_);
  status_.state = session::to_string(machine.state());
  status_.sessions = core_->counts().sessions;
  status_.connections = connections_;
  status_.inflight = core_->inflight();
  status_.unacknowledged = machine.unacknowledged();
  status_.finished = core_->counts().finished;
  status_.refused = core_->counts().refused;
  status_.abandoned = core_->counts().abandoned;
}

// Handlers that still run are told to stop; nobody waits for what they make.
void Worker::State::finish() {
  stream_.reset();
  for (const auto& [execution, task] : tasks_) task->cancel();
  crew_.close();
  {
    const std::lock_guard lock(mutex_);
    if (core_->refusal()) fatal_ = to_error(*core_->refusal());
    status_.state = session::to_string(session::WorkerState::closed);
    posted_.clear();
    ended_ = true;
  }
  changed_.notify_all();
}

}  // namespace muster::sdk::ws
