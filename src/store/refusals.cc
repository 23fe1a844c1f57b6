#include "store/refusals.h"

#include <fmt/format.h>

#include "store/agents.h"

namespace muster::store::refusal {

Status no_job(const JobId& job) { return Status::not_found(fmt::format("job {} does not exist", job.text())); }

Status job_ended(const JobId& job, JobState state) {
  return Status::conflict(fmt::format("job {} is {} already", job.text(), to_string(state)));
}

Status lease_lost(const LeaseRef& lease) {
  return Status::lease_lost(
      fmt::format("job {} is no longer leased under fence {}; stop working on it", lease.job.text(), to_number(lease.fence)));
}

Status not_redrivable(const JobId& job, JobState state) {
  return Status::conflict(
      fmt::format("job {} is {}; only dead and cancelled jobs can be re-driven", job.text(), to_string(state)));
}

Status no_lane(const JobId& job) { return Status::corrupt(fmt::format("job {} names a lane that does not exist", job.text())); }

Status no_lane(std::int64_t job_row) {
  return Status::corrupt(fmt::format("job row {} names a lane that does not exist", job_row));
}

Status unique_key_taken(const JobId& holder, std::string_view key) {
  return Status::conflict(fmt::format("job {} now holds the unique key '{}'", holder.text(), key));
}

Status no_dependency(const JobId& named) {
  return Status::not_found(fmt::format("job {} named in `after` does not exist", named.text()));
}

Status no_key(std::string_view idempotency_key) {
  return Status::not_found(fmt::format("no job was enqueued with the key '{}'", idempotency_key));
}

Status no_holder(std::string_view unique_key) {
  return Status::not_found(fmt::format("no job holds the unique key '{}'", unique_key));
}

Status not_a_run(const JobId& job) { return Status::conflict(fmt::format("job {} is not a workflow run", job.text())); }

Status run_ended(const JobId& run, JobState state) {
  return Status::conflict(fmt::format("run {} is {} already", run.text(), to_string(state)));
}

Status too_many_signals(const JobId& run, std::size_t kept) {
  return Status::exhausted(
      fmt::format("run {} keeps {} signals that nobody has taken, which is the most a run may have", run.text(), kept));
}

Status no_step(const StepId& step) { return Status::not_found(fmt::format("step {} does not exist", step.text())); }

Status no_worker(const NamespaceName& ns, const WorkerId& worker) {
  return Status::not_found(fmt::format("worker '{}' does not exist in namespace '{}'", worker.text(), ns.text()));
}

Status not_registered(const WorkerId& worker) {
  return Status::not_found(fmt::format("worker '{}' is not registered; register it first", worker.text()));
}

Status offline(const Worker& worker) {
  return Status::not_found(
      fmt::format("worker '{}' is offline ({}); register it again", worker.spec.id.text(), worker.offline_cause));
}

Status session_replaced(const WorkerId& worker, SessionId named) {
  return Status::lease_lost(fmt::format("session {} of worker '{}' was replaced", to_number(named), worker.text()));
}

Status session_replaced(const Worker& worker, SessionId named) {
  return Status::lease_lost(fmt::format("session {} of worker '{}' was replaced by session {}", to_number(named),
                                        worker.spec.id.text(), to_number(worker.session)));
}

Status drains_itself(const Worker& worker) {
  return Status::conflict(fmt::format(
      "worker '{}' takes no more work by its own decision; it works again when it registers again", worker.spec.id.text()));
}

Status lacks_capability(const WorkerId& worker, std::string_view capability) {
  return Status::invalid_argument(fmt::format("worker '{}' did not register capability '{}'", worker.text(), capability));
}

Status too_many_workers(std::size_t registered) {
  return Status::exhausted(fmt::format("{} workers are registered, which is the most this server keeps", registered));
}

Status no_namespace(const NamespaceName& ns) {
  return Status::not_found(fmt::format("namespace '{}' does not exist", ns.text()));
}

Status namespace_not_made(const NamespaceName& ns) {
  return Status::not_found(fmt::format("namespace '{}' does not exist; create it first", ns.text()));
}

Status namespace_exists(const NamespaceName& ns) {
  return Status::already_exists(fmt::format("namespace '{}' exists already", ns.text()));
}

Status namespace_disabled(const NamespaceName& ns) {
  return Status::conflict(fmt::format("namespace '{}' is not enabled; it takes no jobs", ns.text()));
}

Status namespace_is_default() { return Status::conflict("the default namespace cannot be deleted"); }

Status namespace_has_worker(const NamespaceName& ns, std::string_view worker) {
  return Status::conflict(fmt::format("namespace '{}' still has worker '{}'", ns.text(), worker));
}

Status namespace_has_jobs(const NamespaceName& ns) {
  return Status::conflict(fmt::format("namespace '{}' still holds jobs, finished ones included", ns.text()));
}

Status no_plan(const PlanId& plan) { return Status::not_found(fmt::format("plan '{}' does not exist", plan.text())); }

Status plan_exists(const PlanId& plan) {
  return Status::already_exists(fmt::format("plan '{}' exists already, with another text", plan.text()));
}

Status plan_needed(const PlanId& plan, std::string_view action) {
  return Status::conflict(fmt::format("plan '{}' is still needed: action '{}' has unfinished jobs", plan.text(), action));
}

Status no_action(const ActionId& action) { return Status::not_found(fmt::format("action '{}' does not exist", action.text())); }

Status action_exists(const ActionId& action) {
  return Status::already_exists(fmt::format("action '{}' exists already", action.text()));
}

Status action_without_jobs() { return Status::invalid_argument("an action has at least one job"); }

Status action_job_with_key() { return Status::invalid_argument("a job of an action carries no idempotency or unique key"); }

Status no_schedule(const ScheduleId& schedule) {
  return Status::not_found(fmt::format("schedule '{}' does not exist", schedule.text()));
}

Status schedule_exists(const ScheduleId& schedule) {
  return Status::already_exists(fmt::format("schedule '{}' exists already", schedule.text()));
}

Status schedule_moved_on(const ScheduleId& schedule, std::uint64_t is, std::uint64_t named) {
  return Status::conflict(fmt::format("schedule '{}' is at revision {}, not {}; read it again", schedule.text(), is, named));
}

Status no_agent(const AgentId& agent) { return Status::not_found(fmt::format("no agent {}", agent.text())); }
Status agent_exists(const AgentSpec& spec) {
  return Status::already_exists(fmt::format("there is an agent named {} with these metadata; change one of them", spec.name));
}
Status agent_id_taken(const AgentId& agent) { return Status::already_exists(fmt::format("there is an agent {}", agent.text())); }
Status agent_has_runs(const AgentId& agent) {
  return Status::conflict(fmt::format("agent {} has runs; delete their sessions first", agent.text()));
}
Status no_tool(const ToolName& tool) { return Status::not_found(fmt::format("no tool is named {}", tool.text())); }
Status tool_exists(const ToolName& tool) {
  return Status::already_exists(fmt::format("there is a tool named {}; name its revision to change it", tool.text()));
}
Status no_session(const AgentSessionId& session) { return Status::not_found(fmt::format("no session {}", session.text())); }
Status session_exists(const AgentSessionId& session) {
  return Status::already_exists(fmt::format("there is a session {}", session.text()));
}
Status session_too_deep(const AgentSessionId& parent) {
  return Status::exhausted(
      fmt::format("session {} is as deep as sessions get, which is {}", parent.text(), limits::kSessionDepthMax));
}
Status session_at_work(const AgentSessionId& session, const JobId& run) {
  return Status::conflict(
      fmt::format("run {} of session {} is unfinished; cancel it or wait for its end", run.text(), session.text()));
}
Status session_too_long(const AgentSessionId& session) {
  return Status::exhausted(fmt::format("session {} has more messages than a fork copies, which is {}; compact it first",
                                       session.text(), kForkMessagesMax));
}
Status too_many_runs(const AgentSessionId& session) {
  return Status::exhausted(fmt::format("{} runs of session {} wait for each other, which is the most; wait for one to end",
                                       limits::kDependenciesMax, session.text()));
}
Status no_agent_run(const JobId& run) { return Status::not_found(fmt::format("no run {}", run.text())); }
Status agent_run_final(const JobId& run, AgentRunState state) {
  return Status::conflict(fmt::format("run {} is {} and stays so", run.text(), to_string(state)));
}
Status no_agents_job(const JobId& job) {
  return Status::conflict(fmt::format("the key belongs to job {}, which is no run of an agent", job.text()));
}
Status no_iteration(const IterationId& iteration) {
  return Status::not_found(fmt::format("the run has no iteration {}", iteration.text()));
}
Status iteration_taken(const JobId& run, std::uint32_t number) {
  return Status::conflict(fmt::format("run {} has another iteration with the number {}", run.text(), number));
}
Status of_another_run(std::string_view noun, std::string_view id) {
  return Status::conflict(fmt::format("{} {} is another run's", noun, id));
}
Status no_message(const MessageId& message) {
  return Status::not_found(fmt::format("the session has no message {}", message.text()));
}
Status message_exists(const MessageId& message) {
  return Status::already_exists(fmt::format("there is a message {}", message.text()));
}
Status place_of_nobody(std::uint64_t number) {
  return Status::invalid_argument(
      fmt::format("none of the archived messages has the number {}, so nothing can replace it", number));
}
Status no_blob(const Uuid& blob) { return Status::not_found(fmt::format("no blob {}", blob.text())); }
Status blob_exists(const Uuid& blob) { return Status::already_exists(fmt::format("there is a blob {}", blob.text())); }
Status no_compaction(const Uuid& event) {
  return Status::not_found(fmt::format("the session has no compaction {}", event.text()));
}
Status compaction_exists(const Uuid& event) {
  return Status::already_exists(fmt::format("there is a compaction {}", event.text()));
}
Status compaction_restored(const Uuid& event) {
  return Status::conflict(fmt::format("compaction {} is restored already", event.text()));
}
Status compaction_covered(const Uuid& event, const Uuid& later) {
  return Status::conflict(fmt::format("compaction {} came after {}; restore it first", later.text(), event.text()));
}
Status namespace_has_agent_runs(const NamespaceName& ns) {
  return Status::conflict(fmt::format("namespace {} holds unfinished runs of agents; cancel them first", ns.text()));
}
Status moved_on(std::string_view noun, std::string_view id, std::uint64_t is, std::uint64_t named) {
  return Status::conflict(fmt::format("{} {} is at revision {}, not {}; read it again", noun, id, is, named));
}

Status bad_cursor(std::string_view cursor) {
  return Status::invalid_argument(fmt::format("cursor '{}' is not one of this listing", cursor));
}

Status too_many_lanes(std::size_t most) {
  return Status::exhausted(
      fmt::format("live jobs have {} distinct sets of needs, which is the most the store keeps; let some finish", most));
}

Status closed() { return Status::unavailable("the store is closed"); }

Status half_a_copy() {
  return Status::invalid_argument("this is half of a copy; finish it with the same `muster store copy`, or remove it");
}

Status source_lacks(std::string_view noun, std::string_view name) {
  return Status::corrupt(fmt::format("the source names {} '{}', which it does not have", noun, name));
}

}  // namespace muster::store::refusal
