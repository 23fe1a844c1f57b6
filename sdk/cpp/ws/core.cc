#include "sdk/cpp/ws/core.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "sdk/cpp/ws/worker.h"
#include "session/codes.h"

namespace muster::sdk::ws {
namespace {

using session::FrameKind;

// What the scheduler drains a worker at; a beat that says so is a degraded one.
constexpr double kMemoryPercentHigh = 90;
constexpr double kDiskPercentHigh = 95;
// After the deadline of a drain: for the last frames to be acknowledged.
constexpr muster::Duration kFarewellWithin{5'000};
constexpr std::size_t kNotesMax = 64;

std::vector<double> duration_bounds() { return {1, 5, 10, 50, 100, 500, 1'000, 5'000, 10'000, 60'000, 300'000, 3'600'000}; }

double percent_of(const json::Tree& metrics, const char* name) { return json::get<double>(metrics, name).value_or(0); }

}  // namespace

Core::Core(CoreOptions options, ResourceRegistry& registry, Metrics& metrics, HandlerHost& host)
    : options_(std::move(options)),
      registry_(registry),
      metrics_(metrics),
      host_(host),
      machine_(with_health(options_.machine)),
      table_(options_.limits) {
  metrics_.gauge("inflight_tasks", "Tasks that wait or run.").set(0);
  metrics_.counter("heartbeat_sent_total", "Heartbeats sent.");
  metrics_.counter("heartbeat_degraded_total", "Heartbeats sent while the worker or its machine was not well.");
}

MachineOptions Core::with_health(MachineOptions options) {
  options.health = [this](Moment) { return health(); };
  return options;
}

json::Tree Core::health() {
  json::Tree metrics = options_.load ? options_.load() : json::Tree::object();
  metrics["inflight"] = table_.inflight();
  metrics["resource_handles"] = registry_.handles();
  metrics["resource_bytes"] = registry_.bytes();
  const bool healthy = !options_.healthy || options_.healthy();
  metrics_.counter("heartbeat_sent_total", "").add();
  if (!healthy || percent_of(metrics, "mem_pct") >= kMemoryPercentHigh || percent_of(metrics, "disk_pct") >= kDiskPercentHigh)
    metrics_.counter("heartbeat_degraded_total", "").add();
  return {{"healthy", healthy}, {"metrics", std::move(metrics)}};
}

void Core::work(Moment now) {
  machine_.tick(now);
  take_events(now);
  end_overdue(now);
  if (drain_deadline_) drain_further(now);
  start_tasks(now);
  registry_.expire(now.wall);
  metrics_.gauge("inflight_tasks", "").set(static_cast<double>(table_.inflight()));
}

std::optional<Ticks> Core::next_due() const {
  std::optional<Ticks> due = machine_.next_due();
  const auto also = [&due](std::optional<Ticks> at) {
    if (at && (!due || *at < *due)) due = at;
  };
  also(table_.next_due());
  if (drain_deadline_ && !machine_.is_leaving()) also(handed_back_ ? *drain_deadline_ + kFarewellWithin : *drain_deadline_);
  return due;
}

void Core::take_events(Moment now) {
  MachineEvents events = machine_.take_events();
  for (std::string& note : events.notes)
    if (notes_.size() < kNotesMax) notes_.push_back(std::move(note));
  for (const Receipt receipt : events.acked) table_.acked(receipt);
  if (events.lost) table_.connection_lost();
  if (events.started) {
    ++counts_.sessions;
    // The answers to what was asked in an earlier session went with it.
    if (counts_.sessions > 1) {
      nexts_.clear();
      host_.fail_nexts();
    }
  }
  if (events.drain) notes_.push_back(fmt::format("the scheduler drains this worker: {}", events.drain->reason));
  if (events.refused) refusal_ = std::move(events.refused);
  for (const session::Envelope& frame : events.deliver) delivered(frame, now);
}

// --- what the scheduler says ---

void Core::delivered(const session::Envelope& frame, Moment now) {
  const session::Protocol protocol = options_.machine.protocol;
  switch (session::kind_of(protocol, frame.type)) {
    case FrameKind::dispatch: return dispatched(frame, now);
    case FrameKind::next_response: return answered(frame);
    case FrameKind::package_install:
    case FrameKind::package_uninstall: return refuse_package(frame, now);
    case FrameKind::extension:
      if (options_.on_extension) options_.on_extension(frame.type, frame.payload.tree());
      return;
    default: return;  // transported, acknowledged, and nobody's here
  }
}

void Core::dispatched(const session::Envelope& frame, Moment now) {
  TaskInfo task;
  const auto refuse = [&](const session::ErrorCode& code, std::string_view why, std::string_view where) {
    ++counts_.refused;
    report(task, error_frame(task, code, why, where), now);
  };
  if (const muster::Status read = read_dispatch(frame, options_.machine.protocol, task); !read.ok())
    return refuse(session::kRunnerFailure, read.message(), "worker.dispatch");
  if (!options_.node_types.contains(task.node_type))
    return refuse(session::kRunnerFailure, fmt::format("this worker has no handler for node type '{}'", task.node_type),
                  "worker.runner");
  const Admitted admitted = table_.admit(task);
  switch (admitted.admission) {
    case Admission::running:
      return refuse(session::kCommandConcurrencyViolation,
                    fmt::format("Concurrency key {} already running",
                                task.concurrency_key.empty() ? task.run_id + ":" + task.task_id : task.concurrency_key),
                    "worker.concurrency");
    case Admission::finished: {
      ++counts_.refused;
      const OutcomeFrame remembered = *admitted.remembered;
      report(task, remembered, now);
      return;
    }
    case Admission::full:
      return refuse(session::kRunnerCancelled, fmt::format("{} tasks wait here already", kTasksHeldMax), "worker.runner");
    case Admission::accepted:
      if (drain_deadline_)
        for (const TaskInfo& waiting : table_.drop_waiting()) hand_back(waiting, "the worker stops", now);
      return;
  }
}

void Core::answered(const session::Envelope& frame) {
  auto answer = read_next_response(frame.payload.tree());
  if (!answer.ok()) return notes_.push_back(answer.status().message());
  const auto asker = nexts_.find(answer->request_id);
  if (asker == nexts_.end()) return;
  const Execution execution = asker->second;
  nexts_.erase(asker);
  host_.answer(execution, *std::move(answer));
}

// This worker's packages are compiled in. Saying so spares the operator the wait for a time-out.
void Core::refuse_package(const session::Envelope& frame, Moment now) {
  const std::string* name = json::text(frame.payload.tree(), "name");
  const std::string* version = json::text(frame.payload.tree(), "version");
  const json::Tree payload{{"name", name != nullptr && !name->empty() ? *name : "unknown"},
                           {"version", version != nullptr && !version->empty() ? *version : "unknown"},
                           {"status", "failed"},
                           {"details", {{"reason", "this worker installs no packages"}}}};
  machine_.send(FrameKind::package_event, json::dump(payload), {.corr = frame.id, .seq = {}, .ack_request = false},
                Care::may_be_left, 0, now);
}

// --- tasks begin and end ---

void Core::start_tasks(Moment now) {
  while (const std::optional<Execution> execution = table_.to_start(now)) {
    const TaskInfo& task = table_.task(*execution);
    auto leased = registry_.lease(task.resource_refs, options_.worker_name, now.wall);
    if (!leased.ok()) {
      ++counts_.refused;
      report(task, error_frame(task, session::kResourceMissing, leased.error().detail, "worker.resources"), now);
      table_.returned(*execution);
      continue;
    }
    leased_[*execution] = *leased;
    host_.begin(*execution, task, *std::move(leased));
  }
}

Receipt Core::report(const TaskInfo& task, const OutcomeFrame& frame, Moment now) {
  const Receipt receipt = ++last_receipt_;
  machine_.send(frame.kind, frame.payload, {.corr = task.dispatch_id, .seq = task.seq, .ack_request = true}, Care::must_arrive,
                receipt, now);
  return receipt;
}

void Core::hand_back(const TaskInfo& task, std::string_view why, Moment now) {
  report(task, error_frame(task, session::kRunnerCancelled, why, "worker.runner"), now);
}

void Core::ended(Execution execution, Ending ending, Moment now) {
  if (table_.is_running(execution)) {
    const TaskInfo& task = table_.task(execution);
    const auto took = std::chrono::duration_cast<Duration>(now.ticks - table_.began(execution).ticks);
    OutcomeFrame frame = ending.thrown
                             ? error_frame(task, session::kRunnerFailure, *ending.thrown, "worker.runner")
                             : result_frame(task, ending.outcome, took, options_.worker_name, options_.machine.protocol);
    bool succeeded = !ending.thrown &&
                     (ending.outcome.status == Outcome::Status::succeeded || ending.outcome.status == Outcome::Status::skipped);
    if (frame.payload.size() > kOutcomeBytesMax) {
      frame = error_frame(task, session::kRunnerFailure,
                          fmt::format("the outcome has {} bytes, at most {} are sent", frame.payload.size(), kOutcomeBytesMax),
                          "worker.runner");
      succeeded = false;
    }
    const Receipt receipt = report(task, frame, now);
    if (succeeded) table_.remember(task, std::move(frame), receipt);
    ++counts_.finished;
    metrics_.histogram("task_duration_ms", "How long tasks ran.", duration_bounds(), {{"node_type", task.node_type}})
        .observe(static_cast<double>(took.count()));
  }
  if (const auto leased = leased_.find(execution); leased != leased_.end()) {
    registry_.release(leased->second);
    leased_.erase(leased);
  }
  std::erase_if(nexts_, [execution](const auto& asked) { return asked.second == execution; });
  table_.returned(execution);
}

void Core::end_overdue(Moment now) {
  for (const Execution execution : table_.overdue(now)) {
    const TaskInfo& task = table_.task(execution);
    report(task,
           error_frame(task, session::kTimeout, fmt::format("timed out after {} ms", task.timeout->count()), "worker.runner"),
           now);
    ++counts_.finished;
    host_.cancel(execution);
  }
}

bool Core::feedback(const std::string& task_id, std::string_view payload, Moment now) {
  return machine_.send(FrameKind::feedback, payload, {.corr = task_id, .seq = {}, .ack_request = false}, Care::may_be_left, 0,
                       now);
}

void Core::next(Execution execution, const NextAsk& ask, Moment now) {
  if (!table_.is_running(execution)) return;
  const TaskInfo& task = table_.task(execution);
  nexts_[ask.request_id] = execution;
  machine_.send(FrameKind::next_request, next_request_payload(task, ask), {.corr = task.task_id, .seq = {}, .ack_request = true},
                Care::must_arrive, 0, now);
}

// --- the end ---

void Core::drain(Ticks deadline, Moment now) {
  drain_deadline_ = drain_deadline_ ? std::min(*drain_deadline_, deadline) : deadline;
  machine_.retire(now);
  for (const TaskInfo& task : table_.drop_waiting()) hand_back(task, "the worker stops", now);
}

void Core::drain_further(Moment now) {
  if (now.ticks >= *drain_deadline_ && !handed_back_) {
    handed_back_ = true;
    for (const Execution execution : table_.abandon()) {
      hand_back(table_.task(execution), "the worker stops", now);
      ++counts_.abandoned;
      host_.cancel(execution);
    }
  }
  const bool is_quiet =
      table_.inflight() == 0 && machine_.unacknowledged() == 0 && (machine_.is_retired() || !machine_.is_connected());
  if (is_quiet || refusal_ || now.ticks >= *drain_deadline_ + kFarewellWithin) machine_.say_goodbye(now);
}

}  // namespace muster::sdk::ws
