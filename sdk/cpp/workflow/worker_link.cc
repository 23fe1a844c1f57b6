// What a worker says about itself: registration, heartbeats, farewell.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <random>

#include "sdk/cpp/workflow/worker_state.h"

namespace muster::sdk::workflow {
namespace {

using Stub = kagzi::v1::WorkerService::Stub;

// A beat carries the names of its runs as metadata, of which servers take 8 KiB.
constexpr std::size_t kRunsPerBeat = 100;
constexpr Duration kBeatEveryMin{100};

// Errors that no repetition cures.
bool hopeless(const Error& error) {
  return error.code == Code::invalid_argument || error.code == Code::unauthenticated || error.code == Code::permission_denied ||
         error.code == Code::bad_reply;
}

bool unknown_worker(const Error& error) { return error.code == Code::not_found || error.code == Code::conflict; }

}  // namespace

Result<Nothing> Worker::State::register_once() {
  kagzi::v1::RegisterRequest request;
  request.set_namespace_(settings.connection.ns);
  request.set_task_queue(settings.queue);
  for (const auto& [name, handler] : handlers) request.add_workflow_types(name);
  request.set_hostname(settings.hostname);
  request.set_pid(static_cast<std::int32_t>(::getpid()));
  request.set_version(settings.version);
  for (const auto& [key, value] : settings.labels) (*request.mutable_labels())[key] = value;
  grpc::ClientContext context;
  link.prepare(context);
  context.AddMetadata("muster-slots", std::to_string(settings.max_concurrent));
  kagzi::v1::RegisterResponse answer;
  const grpc::Status status = link.workers().Register(&context, request, &answer);
  if (!status.ok()) return wire::error_of(status, "registration");
  const std::lock_guard lock(mutex);
  worker_id = answer.worker_id();
  beat_every = std::max(kBeatEveryMin, Duration(std::chrono::seconds(answer.heartbeat_interval_secs())));
  ++counts.registrations;
  changed.notify_all();
  return Nothing{};
}

bool Worker::State::register_until_accepted() {
  Backoff backoff(kReconnect, std::random_device{}());
  while (!is_draining()) {
    const Result<Nothing> answer = register_once();
    if (answer.ok()) return true;
    if (hopeless(answer.error())) {
      give_up(answer.error());
      return false;
    }
    const Duration wait = backoff.next();
    say(fmt::format("{}; next try in {} ms", answer.error().text(), wait.count()));
    if (!pause_unless_draining(wait)) return false;
  }
  return false;
}

void Worker::State::refresh(const std::string& refused) {
  const std::lock_guard one_at_a_time(registering);
  // The pollers and the heartbeat notice at about the same time; the second finds the work done.
  if (id() != refused || is_draining()) return;
  const Result<bool> known = beat_part(refused, {});
  if (is_draining()) return;  // an operator's drain is what refused the poll
  if (!known.ok() && !unknown_worker(known.error())) return;
  say("the server does not know this worker: registering again");
  (void)register_until_accepted();
}

Result<bool> Worker::State::beat_part(const std::string& worker, const std::vector<std::shared_ptr<HeldRun>>& runs) {
  grpc::ClientContext context;
  link.prepare(context);
  std::string names;
  for (const auto& run : runs) names += fmt::format("{}{}:{}", names.empty() ? "" : ",", run->facts.run_id, run->facts.fence);
  if (!names.empty()) context.AddMetadata("muster-runs", names);
  kagzi::v1::HeartbeatRequest request;
  request.set_worker_id(worker);
  kagzi::v1::HeartbeatResponse answer;
  const grpc::Status status = link.workers().Heartbeat(&context, request, &answer);
  if (!status.ok()) return wire::error_of(status, "heartbeat");
  lose_named(wire::trailer(context, "muster-cancelled"));
  if (answer.should_drain() && !is_draining()) {
    say("the server asks for a drain");
    begin_drain(settings.drain_deadline);
  }
  return answer.accepted();
}

void Worker::State::lose_named(const std::string& ids) {
  for (std::size_t at = 0; at < ids.size();) {
    const std::size_t comma = std::min(ids.find(',', at), ids.size());
    const std::string name = ids.substr(at, comma - at);
    at = comma + 1;
    std::shared_ptr<HeldRun> run;
    {
      const std::lock_guard lock(mutex);
      if (const auto it = held.find(name); it != held.end()) run = it->second;
    }
    if (!run) continue;
    run->lose();
    const std::lock_guard lock(mutex);
    changed.notify_all();  // calls that are repeated for it end
  }
}

Result<bool> Worker::State::beat_once() {
  const std::string worker = id();
  const auto runs = all_held();
  std::size_t at = 0;
  do {
    const std::size_t end = std::min(runs.size(), at + kRunsPerBeat);
    Result<bool> answer =
        beat_part(worker, {runs.begin() + static_cast<std::ptrdiff_t>(at), runs.begin() + static_cast<std::ptrdiff_t>(end)});
    if (!answer.ok() || !*answer) return answer;
    at = end;
  } while (at < runs.size());
  return true;
}

void Worker::State::beat_loop() {
  Backoff backoff(kReconnect, std::random_device{}());
  Duration wait{0};  // the first beat comes at once
  for (;;) {
    {
      std::unique_lock lock(mutex);
      changed.wait_for(lock, wait, [this] { return beats_end || beat_now; });
      if (beats_end) return;
      beat_now = false;
    }
    const std::string worker = id();
    const Result<bool> answer = beat_once();
    Duration every{};
    {
      const std::lock_guard lock(mutex);
      every = beat_every;
    }
    wait = every;
    if (answer.ok() && *answer) {
      backoff.reset();
    } else if (answer.ok() || unknown_worker(answer.error())) {
      refresh(worker);
    } else {
      wait = std::min(every, backoff.next());
      say(fmt::format("{}; next try in {} ms", answer.error().text(), wait.count()));
    }
  }
}

void Worker::State::deregister() {
  kagzi::v1::DeregisterRequest request;
  request.set_worker_id(id());
  if (request.worker_id().empty()) return;
  const auto answer = wire::call(link, link.workers(), &Stub::Deregister, request);
  // Not heard: the server finds out by the silence.
  if (!answer.ok()) say(fmt::format("farewell: {}", answer.error().text()));
}

}  // namespace muster::sdk::workflow
