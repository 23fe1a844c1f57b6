#include "fronts/grpc/dialect/runs.h"

#include <algorithm>
#include <array>
#include <memory>

#include <fmt/format.h>

#include "command/jobs.h"
#include "command/runs.h"
#include "command/single.h"
#include "fronts/grpc/dialect/names.h"
#include "model/key_scope.h"

namespace muster::rpc {
namespace {

constexpr std::array<std::string_view, 7> kWords{"UNSPECIFIED", "PENDING", "RUNNING",  "SLEEPING",
                                                 "COMPLETED",   "FAILED",  "CANCELLED"};

Status no_run(JobId id) { return Status::not_found(fmt::format("run {} does not exist", id.text())); }

}  // namespace

RunStatus status_of(const Job& run) {
  switch (run.state) {
    case JobState::running: return RunStatus::running;
    case JobState::completed: return RunStatus::completed;
    case JobState::dead: return RunStatus::failed;
    case JobState::cancelled: return RunStatus::cancelled;
    case JobState::scheduled: return run.last_event == JobEvent::snoozed ? RunStatus::sleeping : RunStatus::pending;
    default: return RunStatus::pending;
  }
}

std::string_view word_of(RunStatus status) { return kWords[static_cast<std::size_t>(status)]; }

std::optional<RunStatus> parse_status(std::string_view word) {
  const auto* const it = std::find(kWords.begin() + 1, kWords.end(), word);
  if (it == kWords.end()) return std::nullopt;
  return static_cast<RunStatus>(it - kWords.begin());
}

std::int32_t attempts_of(const Job& run) { return static_cast<std::int32_t>(run.attempt + run.rescues); }

std::optional<Instant> begun_at(const Job& run) {
  if (run.attempts.empty() || !run.started_at) return run.started_at;
  return std::min(*run.started_at, run.attempts.front().started_at);
}

std::optional<JobError> failure_of(const Job& run) {
  if (run.state != JobState::dead) return std::nullopt;
  JobError error = run.error.value_or(JobError{"", "it failed without saying why"});
  if (error.kind == kErrorWorkerLost || error.kind == kErrorRescueFailed)
    error.message = fmt::format("its worker died and its attempts are exhausted: {}", error.message);
  return error;
}

std::string input_of(const Job& run) { return run.spec.payload.data; }

std::string version_of(const Job& run) {
  return run.spec.run && !run.spec.run->version.empty() ? run.spec.run->version : std::string("1");
}

void find_run(const CallRef& call, NamespaceName ns, JobId id, Reply<Job> reply) {
  ask(call, command::JobGetRequest{id}, [ns = std::move(ns), id, reply = std::move(reply)](Result<Job> job) mutable {
    if (!job.ok()) return reply(job.code() == Code::not_found ? no_run(id) : job.status());
    if (!job->spec.run || (!ns.empty() && job->spec.ns != ns)) return reply(no_run(id));
    reply(std::move(job));
  });
}

void find_by_external_id(const CallRef& call, NamespaceName ns, const std::string& id, Reply<JobId> reply) {
  ask(call,
      command::JobFindRequest{.ns = std::move(ns), .by = command::JobFindRequest::By::unique_key, .keys = {kKagziKeys + id}},
      command::unwrap(std::move(reply)));
}

JobSpec run_of(NamespaceName ns, std::string_view task_queue, std::string_view workflow_type) {
  JobSpec spec;
  spec.ns = std::move(ns);
  spec.queue = QueueName(encode_name(task_queue));
  spec.type = JobType(encode_name(workflow_type));
  spec.needs = CapabilitySet({workflow_capability(spec.type.text())});
  spec.run.emplace();
  return spec;
}

void start_run(const CallRef& call, command::RunStartRequest&& run, Reply<store::Enqueued> reply) {
  NamespaceName ns = run.job.ns;
  if (!call->core.namespaces.contains(ns)) {
    return ensure_namespace(call, ns, [call, run = std::move(run), reply = std::move(reply)](Status there) mutable {
      if (!there.ok()) return reply(there);
      ask(call, std::move(run), std::move(reply));
    });
  }
  ask(call, std::move(run), [call, ns = std::move(ns), reply = std::move(reply)](Result<store::Enqueued> started) mutable {
    if (started.code() != Code::not_found || call->memory_was_old) return reply(std::move(started));
    // Somebody deleted the namespace that this node had seen.
    call->core.namespaces.forget(ns);
    run_again(call);
  });
}

void cancel_run(const CallRef& call, JobId run, Reply<store::Cancelled> reply) {
  ask(call, command::RunCancelRequest{run, "cancelled by a client"},
      [call, run, reply = std::move(reply)](Result<store::Cancelled> cancelled) mutable {
        if (cancelled.ok()) call->core.fences.forget(run);
        reply(std::move(cancelled));
      });
}

namespace {

Status not_running(const RunLease& lease) {
  return Status::conflict(fmt::format("run {} is {}, not running", lease.run.text(), to_string(lease.state)));
}

// What this node remembers of a run goes with its end.
Reply<store::Settled> forgetting(const CallRef& call, JobId run, Reply<store::Settled> reply) {
  return [call, run, reply = std::move(reply)](Result<store::Settled> settled) mutable {
    if (settled.ok()) call->core.fences.forget(run);
    reply(std::move(settled));
  };
}

}  // namespace

void complete_run(const CallRef& call, store::RunRef run, Content output, Reply<store::Settled> reply) {
  act_on_run<store::Settled>(
      call, run,
      [call, output = std::move(output)](const RunLease& lease, Reply<store::Settled> then) mutable {
        if (lease.state != JobState::running) return then(not_running(lease));
        ask(call, command::RunCompleteRequest{{lease.run, lease.fence}, std::move(output)}, std::move(then));
      },
      forgetting(call, run.run, std::move(reply)));
}

void fail_run(const CallRef& call, store::RunRef run, JobError error, Reply<store::Settled> reply) {
  act_on_run<store::Settled>(
      call, run,
      [call, error = std::move(error)](const RunLease& lease, Reply<store::Settled> then) mutable {
        if (lease.state != JobState::running) return then(not_running(lease));
        ask(call, command::RunFailRequest{{lease.run, lease.fence}, std::move(error)}, std::move(then));
      },
      forgetting(call, run.run, std::move(reply)));
}

}  // namespace muster::rpc
