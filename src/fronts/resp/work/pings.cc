// Workers that come in by their name alone: PING <id>, and what they SET about themselves before it.
#include <utility>

#include <fmt/format.h>

#include "fronts/resp/core.h"
#include "fronts/resp/plans/plan_cache.h"
#include "fronts/resp/work/access.h"
#include "fronts/resp/work/names.h"
#include "fronts/resp/work/registration.h"
#include "fronts/resp/work/roster.h"
#include "fronts/resp/work/work.h"
#include "fronts/resp/work/work_state.h"

namespace muster::resp::work {
namespace {

void answer_ping(const CallRef& call, const Status& status) {
  if (!status.ok()) return refuse(call, status);
  call->answer(wire::bulk_reply(call->arg(1)));
}

void enlist_for(const CallRef& call, Enlistment enlistment, UniqueFunction<void(Status)> then) {
  call->core().work_state->roster().enlist(
      call->client_ref(), std::move(enlistment),
      [then = std::move(then)](Result<Claimant> claimant) mutable { then(claimant.status()); });
}

void describe(const CallRef& call, Enlistment enlistment) {
  if (Status status = validate_pinged_id(enlistment.worker.text()); !status.ok()) return refuse(call, status);
  if (Status status = may_act_as(call->client(), enlistment.worker); !status.ok()) return refuse(call, status);
  enlist_for(call, std::move(enlistment), [call](const Status& status) {
    if (!status.ok()) return refuse(call, status);
    call->answer(wire::ok());
  });
}

}  // namespace

void ping_worker(const CallRef& call) {
  Core& core = call->core();
  const WorkerId worker(call->arg(1));
  if (Status status = validate_pinged_id(worker.text()); !status.ok()) return refuse(call, status);
  // Who may only read has no worker to speak for.
  if (call->client().caller.role == command::Role::read_only) return call->answer(wire::bulk_reply(worker.text()));
  if (Status status = may_act_as(call->client(), worker); !status.ok()) return refuse(call, status);
  if (!core.plan_cache->spend(plans::Limited::heartbeat))
    return call->fail(fmt::format("Protocol error: Rate limit exceeded for worker heartbeats (max {}/minute)",
                                  core.options.limits.heartbeats_per_minute));

  Enlistment enlistment{.worker = worker, .tools = std::nullopt, .tags = std::nullopt};
  Roster& roster = core.work_state->roster();
  if (call->client().bond == Bond::none || call->client().worker != worker)
    return enlist_for(call, std::move(enlistment), [call](const Status& status) { answer_ping(call, status); });
  roster.beat(call->client_ref(), worker, {},
              [call, &roster, enlistment = std::move(enlistment)](Result<store::BeatReply> beat) mutable {
                if (beat.code() != Code::not_found && beat.code() != Code::lease_lost) return answer_ping(call, beat.status());
                // It was silent for too long, or replaced: it comes in anew.
                roster.unbind(call->client());
                enlist_for(call, std::move(enlistment), [call](const Status& status) { answer_ping(call, status); });
              });
}

void set_worker_tools(const CallRef& call, WorkerId worker, std::string list) {
  auto tools = read_tool_list(list);
  if (!tools.ok()) return refuse(call, tools.status());
  describe(call, {.worker = std::move(worker), .tools = *std::move(tools), .tags = std::nullopt});
}

void set_worker_tags(const CallRef& call, WorkerId worker, std::string list) {
  if (Status status = validate_tag_list(list); !status.ok()) return refuse(call, status);
  describe(call, {.worker = std::move(worker), .tools = std::nullopt, .tags = std::move(list)});
}

}  // namespace muster::resp::work
