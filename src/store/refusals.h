// What a store refuses, in the words every store uses. A refusal that only one store can give stands with that store.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/status.h"
#include "model/agent.h"
#include "model/agent_run.h"
#include "model/job.h"
#include "model/plan.h"
#include "model/run.h"
#include "model/schedule.h"
#include "model/worker.h"

namespace muster::store::refusal {

// --- jobs and runs ---
Status no_job(const JobId& job);
Status job_ended(const JobId& job, JobState state);
Status lease_lost(const LeaseRef& lease);
Status not_redrivable(const JobId& job, JobState state);
Status no_lane(const JobId& job);
Status no_lane(std::int64_t job_row);
Status unique_key_taken(const JobId& holder, std::string_view key);
Status no_dependency(const JobId& named);
Status no_key(std::string_view idempotency_key);
Status no_holder(std::string_view unique_key);
Status not_a_run(const JobId& job);
Status run_ended(const JobId& run, JobState state);
Status too_many_signals(const JobId& run, std::size_t kept);
Status no_step(const StepId& step);

// --- workers ---
Status no_worker(const NamespaceName& ns, const WorkerId& worker);
Status not_registered(const WorkerId& worker);
Status offline(const Worker& worker);
Status session_replaced(const WorkerId& worker, SessionId named);
Status session_replaced(const Worker& worker, SessionId named);
Status drains_itself(const Worker& worker);
Status lacks_capability(const WorkerId& worker, std::string_view capability);
Status too_many_workers(std::size_t registered);

// --- namespaces, plans, actions, schedules ---
Status no_namespace(const NamespaceName& ns);
Status namespace_not_made(const NamespaceName& ns);  // said where it is only named along the way
Status namespace_exists(const NamespaceName& ns);
Status namespace_disabled(const NamespaceName& ns);
Status namespace_is_default();
Status namespace_has_worker(const NamespaceName& ns, std::string_view worker);
Status namespace_has_jobs(const NamespaceName& ns);
Status no_plan(const PlanId& plan);
Status plan_exists(const PlanId& plan);
Status plan_needed(const PlanId& plan, std::string_view action);
Status no_action(const ActionId& action);
Status action_exists(const ActionId& action);
Status action_without_jobs();
Status action_job_with_key();
Status no_schedule(const ScheduleId& schedule);
Status schedule_exists(const ScheduleId& schedule);
Status schedule_moved_on(const ScheduleId& schedule, std::uint64_t is, std::uint64_t named);

// --- agents ---
Status no_agent(const AgentId& agent);
Status agent_exists(const AgentSpec& spec);
Status agent_id_taken(const AgentId& agent);
Status agent_has_runs(const AgentId& agent);
Status no_tool(const ToolName& tool);
Status tool_exists(const ToolName& tool);
Status no_session(const AgentSessionId& session);
Status session_exists(const AgentSessionId& session);
Status session_too_deep(const AgentSessionId& parent);
Status session_at_work(const AgentSessionId& session, const JobId& run);
Status session_too_long(const AgentSessionId& session);  // to be forked
Status too_many_runs(const AgentSessionId& session);     // that wait for each other
Status no_agent_run(const JobId& run);
Status agent_run_final(const JobId& run, AgentRunState state);
Status no_agents_job(const JobId& job);  // a key found it
Status no_iteration(const IterationId& iteration);
Status iteration_taken(const JobId& run, std::uint32_t number);
Status of_another_run(std::string_view noun, std::string_view id);
Status no_message(const MessageId& message);
Status message_exists(const MessageId& message);
Status place_of_nobody(std::uint64_t number);
Status no_blob(const Uuid& blob);
Status blob_exists(const Uuid& blob);
Status no_compaction(const Uuid& event);
Status compaction_exists(const Uuid& event);
Status compaction_restored(const Uuid& event);
Status compaction_covered(const Uuid& event, const Uuid& later);
Status namespace_has_agent_runs(const NamespaceName& ns);
// Something with a revision that was written since it was read.
Status moved_on(std::string_view noun, std::string_view id, std::uint64_t is, std::uint64_t named);

// --- the store ---
Status bad_cursor(std::string_view cursor);
Status too_many_lanes(std::size_t most);
Status closed();
Status half_a_copy();
Status source_lacks(std::string_view noun, std::string_view name);  // of a copy: its records name what it did not bring

}  // namespace muster::store::refusal
