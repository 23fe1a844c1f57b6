// The verbs that are transactions of their own, one function each: they lock, decide and write through the Tx, and tell what
// changed in tx.changes. The meaning of each is in store/store.h. The hot verbs of plain jobs are in ../group/.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/job.h"
#include "store/keys.h"
#include "store/keyspace/sliced_batch.h"
#include "store/plans.h"
#include "store/postgres/moves.h"
#include "store/postgres/store.h"
#include "store/postgres/tx.h"
#include "store/verbs.h"

namespace muster::store::postgres {

template <class T>
using Each = std::vector<Result<T>>;

// The answer stands, and nothing of what was written does.
inline Status undo(Tx& tx, Status status) {
  tx.undone = true;
  return status;
}

// --- jobs: enqueue.cc, claim.cc, settle.cc, list.cc, explain.cc ---
Result<std::vector<Enqueued>> enqueue(Tx& tx, const std::vector<JobSpec>& jobs);
// As enqueue(); job i also waits for the earlier jobs of the batch whose places are in after[i]. The jobs' keys ascend.
Result<std::vector<Enqueued>> enqueue_linked(Tx& tx, std::vector<JobSpec> jobs,
                                             const std::vector<std::vector<std::uint32_t>>& after);
Result<ClaimReply> claim_gated(Tx& tx, const ClaimRequest& request);
Each<Cancelled> cancel(Tx& tx, const std::vector<Cancel>& batch);
Each<Settled> redrive(Tx& tx, const std::vector<JobId>& jobs);
Result<Redriven> redrive_matching(Tx& tx, const RedriveFilter& filter);
Each<Job> get_jobs(Tx& tx, const std::vector<JobId>& jobs);
Result<JobPage> list_jobs(Tx& tx, const JobQuery& query);
Result<WaitFacts> explain(Tx& tx, const JobId& id);
Each<JobId> find_jobs(Tx& tx, const NamespaceName& ns, const std::vector<std::string>& keys);
Each<JobId> find_holders(Tx& tx, const NamespaceName& ns, const std::vector<std::string>& keys);
Result<std::vector<JobCount>> count_jobs(Tx& tx, const JobFilter& filter);

// --- runs.cc ---
Each<StepAnswer> run_steps(Tx& tx, const std::vector<StepCall>& calls);
Result<StepPage> list_steps(Tx& tx, const StepQuery& query);
Each<Signalled> signal_runs(Tx& tx, const std::vector<Signal>& signals);
Each<Settled> wake_runs(Tx& tx, const std::vector<JobId>& runs);

// --- schedules.cc ---
Result<Schedule> create_schedule(Tx& tx, const Schedule& schedule);
Result<Schedule> update_schedule(Tx& tx, const Schedule& schedule);
Each<Schedule> get_schedules(Tx& tx, const NamespaceName& ns, const std::vector<ScheduleId>& ids);
Result<SchedulePage> list_schedules(Tx& tx, const ScheduleQuery& query);
Result<Schedule> delete_schedule(Tx& tx, const NamespaceName& ns, const ScheduleId& id);
Result<DueSchedules> due_schedules(Tx& tx, std::size_t limit);
Result<ScheduleFired> fire_schedule(Tx& tx, ScheduleFire& fire);

// --- plans.cc ---
Result<PlanStored> put_plan(Tx& tx, const PlanPut& request);
Each<Plan> get_plans(Tx& tx, const NamespaceName& ns, const std::vector<PlanId>& plans);
Result<PlanPage> list_plans(Tx& tx, const PlanQuery& query);
Result<Plan> delete_plan(Tx& tx, const NamespaceName& ns, const PlanId& plan);
Result<ActionSubmitted> submit_action(Tx& tx, const ActionSpec& action);
Result<ActionView> get_action(Tx& tx, const ActionQuery& query);
Result<ActionPage> list_actions(Tx& tx, const ActionListQuery& query);
SweepReport settle_actions(Tx& tx, const Retention& retention, std::size_t limit);

// --- keys.cc ---
SweepReport expire_keys(Tx& tx, std::size_t limit);

// --- workers.cc, leaving.cc, worker_rows.cc ---
Each<Registered> register_workers(Tx& tx, const std::vector<WorkerSpec>& batch);
Each<BeatReply> heartbeat(Tx& tx, const std::vector<Beat>& batch);
Each<Worker> drain(Tx& tx, const std::vector<Drain>& batch);
Each<Worker> resume(Tx& tx, const std::vector<Resume>& batch);
Each<Worker> unregister(Tx& tx, const std::vector<Unregister>& batch);
Each<Worker> get_workers(Tx& tx, const NamespaceName& ns, const std::vector<WorkerId>& workers);
Result<WorkerPage> list_workers(Tx& tx, const WorkerQuery& query);
// Adds what this node counted since the last time to `beats`.
void write_worker_counts(Tx& tx);
// After a crash of the database the unlogged rows are gone: every live worker counts as just seen.
void revive_beats(Tx& tx);

// --- queues.cc ---
Result<QueueStats> change_queue(Tx& tx, const QueueChange& change);
Result<std::vector<QueueStats>> list_queues(Tx& tx, const NamespaceName& ns);
Result<LaneList> list_lanes(Tx& tx, const LaneQuery& query);
Result<NamespaceInfo> create_namespace(Tx& tx, const NamespaceInfo& info);
Result<std::vector<NamespaceInfo>> list_namespaces(Tx& tx);
Result<NamespaceInfo> update_namespace(Tx& tx, const NamespaceChange& change);
Result<NamespaceInfo> delete_namespace(Tx& tx, const NamespaceName& name);

// --- sweeps.cc, retention.cc ---
// Whether this node leads, asked of the database and held until the commit: a deposed leader's pass moves nothing. promote_due
// alone runs on every node.
bool leads(Tx& tx);
SweepReport promote_due(Tx& tx, std::size_t limit);
SweepReport expire_leases(Tx& tx, std::size_t limit);
SweepReport time_out_jobs(Tx& tx, std::size_t limit);
SweepReport expire_waiting(Tx& tx, std::size_t limit);
SweepReport end_preferences(Tx& tx, std::size_t limit);
SweepReport bury_silent_workers(Tx& tx, std::size_t limit);
SweepReport end_drains(Tx& tx, std::size_t limit);
SweepReport prune_finished(Tx& tx, const Retention& retention, std::size_t limit);
SweepReport prune_workers(Tx& tx, Duration offline_kept, std::size_t limit);

// --- info.cc ---
Result<StoreInfo> info(Tx& tx);
Result<ClusterStatus> cluster_status(Tx& tx);
// Writes down what this node tells of its settings, unless the database has just that.
void write_settings(Tx& tx);
Result<std::vector<NodeSettings>> node_settings(Tx& tx);

// What other verbs must know of actions: jobs that start over, and jobs that are forgotten.
//
// An open action counts its jobs where they are, and in its own row those that are forgotten; a settled one has all of them in
// its row. Locks are taken in this order: gates, jobs, plans, actions.

// A finished job is about to start over: its action, if it has one and was settled, is open again. REQUIRES: the job's row is
// held, and has not moved yet.
void reopen_action(Tx& tx, NamespaceKey ns, const JobSpec& spec, JobKey job);
// Finished jobs were removed. Rows are (id, outcome), the outcome numbered as in prune_history and prune_dead.
void forget_action_jobs(Tx& tx, const Rows& removed);

// The keyspace's verb, a part of a batch at a time.

// As much of a batch as `what` says; `now` and `random` are filled in.
Result<keyspace::Part> run_keys(Tx& tx, const KeyBatch& batch, keyspace::Run what);

// What a node does after a time in which it could not write down whom it heard.

// Whoever was silent, and whoever holds a lease, has time for a beat before it is judged; outcomes on their way come before
// time-outs.
void excuse_silence(Tx& tx);

}  // namespace muster::store::postgres
