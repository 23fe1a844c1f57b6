// The verbs as functions over the Core, run by the writer inside its transaction. Each checks first and writes after, so that a
// refused element leaves nothing behind. A failing database latches in core.db and fails the whole group.
#pragma once

#include <optional>
#include <vector>

#include "model/plan.h"
#include "store/keyspace/sliced_batch.h"
#include "store/sqlite/core.h"
#include "store/store.h"

namespace muster::store::sqlite {

Result<std::vector<Enqueued>> enqueue(Core& core, std::vector<JobSpec>& jobs);
// As enqueue(); job i also waits for the earlier jobs of the batch whose places are in after[i]. Without idempotency and unique
// keys the jobs get consecutive keys.
Result<std::vector<Enqueued>> enqueue_linked(Core& core, std::vector<JobSpec>& jobs,
                                             const std::vector<std::vector<std::uint32_t>>& after);
// The job that an idempotency or unique key names already, or 0.
JobKey existing_job(Core& core, const JobSpec& spec, std::int64_t ns_row);
Result<ClaimReply> claim(Core& core, const ClaimRequest& request);

Result<Settled> complete(Core& core, const Completion& item);
Result<Settled> fail(Core& core, const Failure& item);
Result<Settled> snooze(Core& core, const Snooze& item);
Result<Settled> release(Core& core, const Release& item);
Result<Renewed> report_progress(Core& core, const ProgressUpdate& item);
Result<Renewed> renew(Core& core, const Renewal& item);
Result<Cancelled> cancel(Core& core, const Cancel& item);
Result<Settled> redrive(Core& core, const JobId& id);

Result<Job> read_job(Core& core, const JobId& id);
Result<WaitFacts> explain(Core& core, const JobId& id);
Result<JobId> find_job(Core& core, const NamespaceName& ns, const std::string& key);
Result<JobId> find_holder(Core& core, const NamespaceName& ns, const std::string& key);

Result<StepAnswer> run_step(Core& core, const StepCall& call);
Result<StepPage> list_steps(Core& core, const StepQuery& query);
Result<Signalled> signal_run(Core& core, const Signal& signal);
Result<Settled> wake_run(Core& core, const JobId& run);

Result<Schedule> create_schedule(Core& core, const Schedule& schedule);
Result<Schedule> update_schedule(Core& core, const Schedule& schedule);
Result<Schedule> get_schedule(Core& core, const NamespaceName& ns, const ScheduleId& id);
Result<SchedulePage> list_schedules(Core& core, const ScheduleQuery& query);
Result<Schedule> delete_schedule(Core& core, const NamespaceName& ns, const ScheduleId& id);
Result<DueSchedules> due_schedules(Core& core, std::size_t limit);
Result<ScheduleFired> fire_schedule(Core& core, ScheduleFire& fire);
Result<NamespaceInfo> update_namespace(Core& core, const NamespaceChange& change);

Result<PlanStored> put_plan(Core& core, const PlanPut& request);
Result<Plan> get_plan(Core& core, const NamespaceName& ns, const PlanId& id);
Result<Plan> delete_plan(Core& core, const NamespaceName& ns, const PlanId& id);
Result<ActionSubmitted> submit_action(Core& core, ActionSpec& action);
Result<ActionView> get_action(Core& core, const ActionQuery& query);

// As much of a batch as `what` says; `now` and `random` are filled in.
Result<keyspace::Part> run_keys(Core& core, const KeyBatch& batch, keyspace::Run what);

Result<Registered> register_worker(Core& core, const WorkerSpec& spec);
Result<BeatReply> heartbeat(Core& core, const Beat& beat);
Result<Worker> drain(Core& core, const Drain& item);
Result<Worker> resume(Core& core, const Resume& item);
Result<Worker> unregister(Core& core, const Unregister& item);
Result<Worker> get_worker(Core& core, const NamespaceName& ns, const WorkerId& id);
Result<WorkerPage> list_workers(Core& core, const WorkerQuery& query);

Result<QueueStats> change_queue(Core& core, const QueueChange& change);
Result<std::vector<QueueStats>> list_queues(Core& core, const NamespaceName& ns);
Result<LaneList> list_lanes(Core& core, const LaneQuery& query);
Result<NamespaceInfo> create_namespace(Core& core, const NamespaceInfo& info);
Result<std::vector<NamespaceInfo>> list_namespaces(Core& core);
Result<NamespaceInfo> delete_namespace(Core& core, const NamespaceName& name);

SweepReport promote_due(Core& core, std::size_t limit);
SweepReport expire_leases(Core& core, std::size_t limit);
SweepReport time_out_jobs(Core& core, std::size_t limit);
SweepReport expire_waiting(Core& core, std::size_t limit);
SweepReport end_preferences(Core& core, std::size_t limit);
SweepReport bury_silent_workers(Core& core, std::size_t limit);
SweepReport end_drains(Core& core, std::size_t limit);
SweepReport prune_finished(Core& core, const Retention& retention, std::size_t limit);
SweepReport prune_workers(Core& core, Duration offline_kept, std::size_t limit);
SweepReport settle_actions(Core& core, const Retention& retention, std::size_t limit);
SweepReport expire_keys(Core& core, std::size_t limit);

// What other verbs must know of actions: jobs that start over, jobs that are forgotten, plans that are still needed.
//
// An open action counts its jobs where they are, and in its own row those that are forgotten; a settled one has all of them in
// its row. Every verb that removes or revives a finished job keeps that true through the functions here.

// A finished job is about to start over: its action, if it has one and was settled, is open again.
void reopen_action(Core& core, JobKey job);
// A finished job's row is about to be removed.
void forget_action_job(Core& core, JobKey job);
// One with jobs that are not finished; nullopt: nobody needs the plan.
std::optional<ActionId> unfinished_action_of_plan(Core& core, std::int64_t ns_row, const PlanId& plan);
std::optional<std::int64_t> plan_row(Core& core, std::int64_t ns_row, const PlanId& id);

// Reading steps, for the verbs that are about them and for explain().

// All rows of a statement that has its parameters.
std::vector<Step> read_steps(Core& core, Statement& st);
// Of a parked run: the steps that wait or will be tried again, the first few.
std::vector<Step> parked_on(Core& core, JobKey key, const HotJob& job, std::size_t limit);

}  // namespace muster::store::sqlite
