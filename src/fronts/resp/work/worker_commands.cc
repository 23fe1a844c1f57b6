// WORKER.REGISTER, WORKER.HEARTBEAT and WORKER.UNREGISTER, and the table of this folder's commands.
#include <array>
#include <utility>

#include <fmt/format.h>

#include "command/jobs.h"
#include "command/single.h"
#include "command/workers.h"
#include "fronts/resp/clients.h"
#include "fronts/resp/commands.h"
#include "fronts/resp/core.h"
#include "fronts/resp/plans/plan_cache.h"
#include "fronts/resp/work/access.h"
#include "fronts/resp/work/handlers.h"
#include "fronts/resp/work/held_jobs.h"
#include "fronts/resp/work/registration.h"
#include "fronts/resp/work/roster.h"
#include "fronts/resp/work/work.h"
#include "fronts/resp/work/work_state.h"

namespace muster::resp::work {
namespace {

// Whether a live worker of this name may be taken over by this connection.
bool may_resume(const CallRef& call, const Worker& known) {
  if (known.spec.dialect != Dialect::resp) return false;
  const auto owner = call->core().work_state->roster().open_connection_of(known.spec.id);
  if (owner == nullptr) return true;
  // Its own key proves that it is the same worker, come back while its old connection lingers.
  if (owner != call->client_ref()) return call->client().caller.worker == known.spec.id;
  // A worker that only gave its name so far says the rest.
  return owner->bond == Bond::pinged || owner->caller.worker == known.spec.id;
}

void enter(const CallRef& call, WorkerSpec spec) {
  const WorkerId worker = spec.id;
  auto registered = [call, worker](Result<store::Registered> reply) {
    if (!reply.ok()) return refuse(call, reply.status());
    Roster& roster = call->core().work_state->roster();
    roster.bind(call->client_ref(), Bond::registered, worker, reply->session);
    const auto interval = std::chrono::duration_cast<std::chrono::seconds>(reply->policy.interval).count();
    std::string out;
    wire::simple(out, fmt::format("OK worker_id={} heartbeat_interval={}", worker.text(), interval));
    call->answer(std::move(out));
  };
  ask(call, command::WorkerRegisterRequest(std::move(spec)), std::move(registered));
}

}  // namespace

void register_worker(const CallRef& call) {
  auto spec = read_registration(call->arg(1));
  if (!spec.ok()) return refuse(call, spec.status());
  if (Status status = may_act_as(call->client(), spec->id); !status.ok()) return refuse(call, status);
  const WorkerId worker = spec->id;
  auto known = [call, spec = *std::move(spec)](Result<Worker> found) mutable {
    if (!found.ok() && found.code() != Code::not_found) return refuse(call, found.status());
    if (found.ok() && found->state != WorkerState::offline) {
      if (!may_resume(call, *found)) return call->fail("Worker ID already registered");
      spec.resume = found->session;
      return enter(call, std::move(spec));
    }
    call->core().work_state->roster().with_room([call, spec = std::move(spec)](const Status& room) mutable {
      if (!room.ok()) return refuse(call, room);
      enter(call, std::move(spec));
    });
  };
  ask(call, command::WorkerGetRequest{.worker = worker}, std::move(known));
}

void heartbeat_worker(const CallRef& call) {
  Core& core = call->core();
  const WorkerId worker(call->arg(1));
  const auto unknown = [call, worker] { call->fail(fmt::format("Worker not registered: {}", worker.text())); };
  if (worker.empty() || is_anonymous(worker)) return unknown();
  if (Status status = may_act_as(call->client(), worker); !status.ok()) return refuse(call, status);
  std::string stats = call->size() > 2 ? call->arg(2) : std::string();
  if (!stats.empty())
    if (Status status = validate_stats(stats); !status.ok()) return refuse(call, status);
  if (!core.plan_cache->spend(plans::Limited::heartbeat))
    return call->fail(fmt::format("Protocol error: Rate limit exceeded for worker heartbeats (max {}/minute)",
                                  core.options.limits.heartbeats_per_minute));
  core.work_state->roster().beat(call->client_ref(), worker, std::move(stats), [call, unknown](Result<store::BeatReply> beat) {
    if (beat.ok()) return call->answer(wire::ok());
    // A name that no worker can have is one that is not registered.
    if (beat.code() == Code::not_found || beat.code() == Code::lease_lost || beat.code() == Code::invalid_argument)
      return unknown();
    refuse(call, beat.status());
  });
}

void unregister_worker(const CallRef& call) {
  const WorkerId worker(call->arg(1));
  if (worker.empty() || is_anonymous(worker)) return call->fail("Worker not registered");
  if (Status status = may_act_as(call->client(), worker); !status.ok()) return refuse(call, status);
  auto gone = [call, worker](Result<Worker> reply) {
    if (!reply.ok()) return refuse(call, reply.status());
    // Its jobs went back to their queues; nobody acts as it any more.
    WorkState& work_state = *call->core().work_state;
    if (const auto owner = call->core().clients->of_worker(worker)) {
      work_state.held_jobs().drop(*owner);
      work_state.roster().unbind(*owner);
    }
    call->answer(wire::ok());
  };
  auto known = [call, worker, gone = std::move(gone)](Result<Worker> found) mutable {
    if (!found.ok() && found.code() != Code::not_found && found.code() != Code::invalid_argument)
      return refuse(call, found.status());
    if (!found.ok() || found->state == WorkerState::offline) return call->fail("Worker not registered");
    store::Unregister goodbye;
    goodbye.ns = default_namespace();
    goodbye.worker = worker;
    goodbye.session = found->session;
    ask(call, std::move(goodbye), std::move(gone));
  };
  ask(call, command::WorkerGetRequest{.worker = worker}, std::move(known));
}

}  // namespace muster::resp::work

namespace muster::resp {

std::span<const Entry> work_commands() {
  static constexpr std::array kEntries{
      Entry{.name = "WORKER.REGISTER",
            .least = 2,
            .most = 2,
            .flow = Flow::alone,
            .command = &command::kWorkerRegister,
            .arity_error = "WORKER.REGISTER requires exactly one argument (worker JSON)",
            .group = "worker",
            .summary = "Registers this connection's worker with its tools.",
            .handler = work::register_worker},
      Entry{.name = "WORKER.HEARTBEAT",
            .least = 2,
            .most = 3,
            .flow = Flow::alone,
            .command = &command::kWorkerHeartbeat,
            .arity_error = "WORKER.HEARTBEAT requires one or two arguments (worker_id [stats JSON])",
            .group = "worker",
            .summary = "Says that a worker is alive, and how it is.",
            .handler = work::heartbeat_worker},
      Entry{.name = "WORKER.UNREGISTER",
            .least = 2,
            .most = 2,
            .flow = Flow::alone,
            .command = &command::kWorkerUnregister,
            .arity_error = "WORKER.UNREGISTER requires exactly one argument (worker_id)",
            .group = "worker",
            .summary = "Says goodbye; what the worker held goes back to its queues.",
            .handler = work::unregister_worker},
      Entry{.name = "WORKER.VERIFY",
            .least = 3,
            .most = 4,
            .flow = Flow::alone,
            .command = &command::kWorkerVerify,
            .arity_error = "WORKER.VERIFY requires two or three arguments",
            .group = "worker",
            .summary = "Asks a worker to prove a tool, or answers that question.",
            .handler = work::verify_worker},
      Entry{.name = "WORKER.LIST",
            .least = 1,
            .most = kMany,
            .flow = Flow::alone,
            .command = &command::kWorkerList,
            .group = "worker",
            .summary = "Lists workers, by state, tool and tag.",
            .handler = work::list_workers},
      Entry{.name = "JOB.UPDATE",
            .least = 3,
            .most = 3,
            .flow = Flow::updates,
            .command = &command::kJobSettle,
            .arity_error = "JOB.UPDATE requires exactly two arguments (job_id update JSON)",
            .group = "job",
            .summary = "Tells how a job goes, or how it ended."},
  };
  return kEntries;
}

}  // namespace muster::resp
