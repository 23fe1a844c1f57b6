// The storage contract: domain verbs, small interfaces per noun, one implementation per database.
//
// Every verb is asynchronous and atomic. It may be called from any thread, returns at once, and calls its Reply exactly once,
// on a store thread or before returning; a Reply must not block. Verbs that take a list and answer with a list of
// Results judge each element by itself; verbs that answer with one Result are all-or-nothing.
//
// Shared promises:
//  - A reply that says ok is durable, with one exception: a claim may be answered before its own commit. Losing it in a crash
//    is a redelivery, which rule 2 allows: only durable jobs are handed out, and fences come from durably reserved blocks. So may
//    a renewal that leaves the lease as long as it was: a crash gives every lease its whole length again.
//  - `unavailable` means nothing was written; `outcome_unknown` means it may have been; nothing else is returned for a
//    failure of the database.
//  - Time is the store's own: SQLite reads the Clock it was given, PostgreSQL the database's. An expiry is inclusive: a
//    lease is gone, a job is due, at the instant itself.
//  - Input has passed model/validate.h. The store checks what only it can know: existence, state, fence, uniqueness.
//  - An unknown namespace is not_found. Queues, types and lanes come into being by use.
//
// A store is proved by store/contract/, which knows nothing but this header.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/reply.h"
#include "model/change.h"
#include "store/agents.h"
#include "store/keys.h"
#include "store/node_settings.h"
#include "store/plans.h"
#include "store/runs.h"
#include "store/schedules.h"
#include "store/verbs.h"

namespace muster::store {

template <class T>
using Each = std::vector<Result<T>>;  // one answer per element, in order

class JobStore {
 public:
  virtual ~JobStore() = default;

  // All or nothing. A job with an idempotency key already used in its namespace, or a unique key that is held, is not
  // enqueued again: its entry names the first job and says `existed`. Keys are honoured within one batch too.
  // not_found: a namespace, or a job named in `after`. conflict: a namespace that is not enabled.
  virtual void enqueue(std::vector<JobSpec> jobs, Reply<std::vector<Enqueued>> reply) = 0;

  // Takes up to `limit` of the best jobs the worker may serve, by (rank, arrival), within its free slots, the queues' caps,
  // rate limits and pauses, and the jobs' concurrency keys. not_found: the worker. lease_lost: its session is over.
  virtual void claim(ClaimRequest request, Reply<ClaimReply> reply) = 0;

  // Outcomes. lease_lost: the fence is stale or the lease expired; nothing changes. not_found: no such job.
  // Completing a job again under the same fence answers ok with the same state and writes nothing, so that a repeat
  // after outcome_unknown is safe; the same holds for the other outcomes while the job has not moved on.
  virtual void complete(std::vector<Completion> batch, Reply<Each<Settled>> reply) = 0;
  virtual void fail(std::vector<Failure> batch, Reply<Each<Settled>> reply) = 0;
  virtual void snooze(std::vector<Snooze> batch, Reply<Each<Settled>> reply) = 0;                   // the attempt is not counted
  virtual void release(std::vector<Release> batch, Reply<Each<Settled>> reply) = 0;                 // the attempt is not counted
  virtual void report_progress(std::vector<ProgressUpdate> batch, Reply<Each<Renewed>> reply) = 0;  // renews the lease too
  virtual void renew(std::vector<Renewal> batch, Reply<Each<Renewed>> reply) = 0;

  // Waiting jobs are cancelled at once; a running one is marked and its worker told by heartbeat, renewal or progress.
  // Its next outcome of any kind but complete ends it as cancelled. conflict: already finished. With `at_once` a running one is
  // ended here and its lease is over; with `as_dead` the job ends dead, with that error, instead of cancelled.
  virtual void cancel(std::vector<Cancel> batch, Reply<Each<Cancelled>> reply) = 0;

  // Finished jobs (dead or cancelled) start over: ready, attempts and rescues at zero. conflict: not dead or cancelled.
  virtual void redrive(std::vector<JobId> jobs, Reply<Each<Settled>> reply) = 0;
  virtual void redrive_matching(RedriveFilter filter, Reply<Redriven> reply) = 0;

  virtual void get_jobs(std::vector<JobId> jobs, Reply<Each<Job>> reply) = 0;
  // Stable cursors: a job present during the whole listing is returned exactly once. invalid_argument: a bad cursor.
  virtual void list_jobs(JobQuery query, Reply<JobPage> reply) = 0;
  virtual void explain(JobId job, Reply<WaitFacts> reply) = 0;
  // The jobs that were enqueued with these idempotency keys. not_found: none was, or it is forgotten.
  virtual void find_jobs(NamespaceName ns, std::vector<std::string> keys, Reply<Each<JobId>> reply) = 0;
  // The jobs that hold these unique keys now. not_found: nobody does.
  virtual void find_holders(NamespaceName ns, std::vector<std::string> keys, Reply<Each<JobId>> reply) = 0;
  // Honours ns, queue, type, states and runs_only of the filter. By (namespace, queue, type, state).
  virtual void count_jobs(JobFilter filter, Reply<std::vector<JobCount>> reply) = 0;
};

// Runs are jobs; they are started, claimed, completed and failed as such. Here is what they have besides.
class RunStore {
 public:
  virtual ~RunStore() = default;
  // Judged by store/runs/rules.h, in order; a later call sees what an earlier one of the batch did. not_found: no such job.
  // A call under a live lease counts as a heartbeat of its holder (the store may leave out those that follow each other closely).
  virtual void run_steps(std::vector<StepCall> calls, Reply<Each<StepAnswer>> reply) = 0;
  // Steps live as long as their run. invalid_argument: a bad cursor. not_found: a StepQuery::step that is not there.
  virtual void list_steps(StepQuery query, Reply<StepPage> reply) = 0;
  // A signal is taken by the step that waits for its name, and the run is due at once; else it is kept for the step that will.
  // not_found: no such job. conflict: not a run, or finished. exhausted: kSignalsPerRunMax are kept already.
  virtual void signal_runs(std::vector<Signal> signals, Reply<Each<Signalled>> reply) = 0;
  // Parked runs (scheduled) are due now; others stay as they are. What they find when they look is theirs to judge.
  virtual void wake_runs(std::vector<JobId> runs, Reply<Each<Settled>> reply) = 0;
};

class ScheduleStore {
 public:
  virtual ~ScheduleStore() = default;
  // already_exists: the id. created_at, updated_at and revision are the store's.
  virtual void create_schedule(Schedule schedule, Reply<Schedule> reply) = 0;
  // Replaces everything but created_at. conflict: `revision` is not the one that is there. not_found: none.
  virtual void update_schedule(Schedule schedule, Reply<Schedule> reply) = 0;
  virtual void get_schedules(NamespaceName ns, std::vector<ScheduleId> ids, Reply<Each<Schedule>> reply) = 0;
  virtual void list_schedules(ScheduleQuery query, Reply<SchedulePage> reply) = 0;
  virtual void delete_schedule(NamespaceName ns, ScheduleId id, Reply<Schedule> reply) = 0;
  // For the scheduler. On a cluster only the node that leads gets any.
  virtual void due_schedules(std::size_t limit, Reply<DueSchedules> reply) = 0;
  // All or nothing; jobs as in enqueue(). conflict: the schedule changed meanwhile. not_found: it is gone.
  virtual void fire_schedule(ScheduleFire fire, Reply<ScheduleFired> reply) = 0;
};

class PlanStore {
 public:
  virtual ~PlanStore() = default;
  // already_exists: another text under this name, and not to be replaced. What an action already made of it stays as it is.
  virtual void put_plan(PlanPut request, Reply<PlanStored> reply) = 0;
  virtual void get_plans(NamespaceName ns, std::vector<PlanId> plans, Reply<Each<Plan>> reply) = 0;
  virtual void list_plans(PlanQuery query, Reply<PlanPage> reply) = 0;
  // conflict: an unfinished job needs it. not_found: no such plan.
  virtual void delete_plan(NamespaceName ns, PlanId plan, Reply<Plan> reply) = 0;
  // The action and all its jobs, or nothing; the plan's counters move along. not_found: the plan. already_exists: the action.
  virtual void submit_action(ActionSpec action, Reply<ActionSubmitted> reply) = 0;
  // Counts are those of the jobs at this instant; of an action whose jobs are forgotten, those it ended with.
  virtual void get_action(ActionQuery query, Reply<ActionView> reply) = 0;
  virtual void list_actions(ActionListQuery query, Reply<ActionPage> reply) = 0;
};

class KeyStore {
 public:
  virtual ~KeyStore() = default;
  // See KeyBatch. invalid_argument never comes back: what a command does wrong is its own answer.
  virtual void keyspace(KeyBatch batch, Reply<std::vector<KeyAnswer>> reply) = 0;
  // From memory, any thread, never blocks. Clients' keys of the default namespace only.
  virtual KeyGlance glance(std::string_view key) const = 0;
};

// Agents, their tools, sessions and runs. A run is a job; it is claimed, renewed and settled as such.
class AgentStore {
 public:
  virtual ~AgentStore() = default;
  // already_exists: revision 0, and the name (of an agent: with these metadata) is taken. conflict: another revision. not_found:
  // gone.
  virtual void put_agent(AgentPut put, Reply<Agent> reply) = 0;
  virtual void get_agents(NamespaceName ns, std::vector<AgentId> ids, Reply<Each<Agent>> reply) = 0;
  virtual void list_agents(AgentQuery query, Reply<AgentPage> reply) = 0;
  // conflict: it has runs.
  virtual void delete_agent(NamespaceName ns, AgentId id, Reply<Agent> reply) = 0;
  virtual void put_tool(ToolPut put, Reply<Tool> reply) = 0;
  virtual void get_tools(NamespaceName ns, std::vector<ToolName> names, Reply<Each<Tool>> reply) = 0;
  virtual void list_tools(ToolQuery query, Reply<ToolPage> reply) = 0;
  virtual void delete_tool(NamespaceName ns, ToolName name, Reply<Tool> reply) = 0;

  // not_found: the parent or the session that is forked. exhausted: deeper than kSessionDepthMax, or too much to copy.
  // already_exists: the id.
  virtual void create_session(SessionCreate create, Reply<AgentSession> reply) = 0;
  // Metadata and variables. conflict: another revision.
  virtual void update_session(AgentSession session, Reply<AgentSession> reply) = 0;
  virtual void get_sessions(NamespaceName ns, std::vector<AgentSessionId> ids, Reply<Each<AgentSession>> reply) = 0;
  virtual void list_sessions(SessionQuery query, Reply<SessionPage> reply) = 0;
  // With its messages, runs and the sessions below it, kSessionDeleteRowsMax rows in a commit and the session itself in the last
  // one. conflict: a run of it is unfinished. outcome_unknown: some of it is gone; deleting it again goes on from there.
  virtual void delete_session(NamespaceName ns, AgentSessionId id, Reply<AgentSession> reply) = 0;

  // not_found: agent or session. conflict: the key found a job that is no agent's, or the namespace is not enabled.
  virtual void start_agent_run(AgentRunStart start, Reply<AgentRunStarted> reply) = 0;
  virtual void get_agent_runs(std::vector<JobId> runs, Reply<Each<AgentRun>> reply) = 0;
  virtual void list_agent_runs(AgentRunQuery query, Reply<AgentRunPage> reply) = 0;
  virtual void view_agent_run(JobId run, Reply<AgentRunView> reply) = 0;
  // conflict: another revision, the run is final already, or another iteration has its number. A final run takes nothing but what
  // it pays for afterwards (only_pays() in codec/agent_rules.h), and is as final as before. invalid_argument: a final state
  // without its time, or the other way round. not_found: the run, or what a child or an execution names. already_exists: the id
  // of a message or a blob. Whatever is refused, nothing is written.
  virtual void write_agent_run(AgentRunWrite write, Reply<AgentRunWritten> reply) = 0;
  virtual void list_iterations(IterationQuery query, Reply<IterationList> reply) = 0;
  virtual void list_executions(ExecutionQuery query, Reply<ExecutionPage> reply) = 0;
  virtual void list_messages(MessageQuery query, Reply<MessagePage> reply) = 0;
  virtual void get_blob(Uuid id, Reply<Blob> reply) = 0;
  virtual void get_spending(SpendingQuery query, Reply<SpendingView> reply) = 0;

  // not_found: the session, or a message of it. invalid_argument: a replacement in nobody's place. already_exists: the event.
  virtual void compact_session(Compaction compaction, Reply<CompactionEvent> reply) = 0;
  // What was archived is back in its places, and what stood there instead is gone. conflict: restored already, a later one still
  // stands, or a run is unfinished.
  virtual void restore_session(AgentSessionId session, Uuid event, Reply<CompactionEvent> reply) = 0;
  virtual void list_compactions(CompactionQuery query, Reply<CompactionPage> reply) = 0;
};

class WorkerStore {
 public:
  virtual ~WorkerStore() = default;

  // A second registration of the same name ends the earlier session: its leases are lost (rescue), unless the request
  // names that very session in `resume`, which keeps session and leases and replaces the rest of the description.
  // exhausted: too many workers.
  virtual void register_workers(std::vector<WorkerSpec> batch, Reply<Each<Registered>> reply) = 0;
  // Renews every lease of the worker. not_found: never registered, or offline: register again.
  virtual void heartbeat(std::vector<Beat> batch, Reply<Each<BeatReply>> reply) = 0;
  // No new work from now on. Draining again moves the deadline. Load changes nothing about a worker that drains already or that
  // an operator put back to work.
  virtual void drain(std::vector<Drain> batch, Reply<Each<Worker>> reply) = 0;
  // New work again; nothing happens to a worker that does not drain. conflict: the worker itself takes no more.
  virtual void resume(std::vector<Resume> batch, Reply<Each<Worker>> reply) = 0;
  // Says goodbye: running jobs are handed back without cost, the row stays as offline.
  virtual void unregister(std::vector<Unregister> batch, Reply<Each<Worker>> reply) = 0;
  virtual void get_workers(NamespaceName ns, std::vector<WorkerId> workers, Reply<Each<Worker>> reply) = 0;
  virtual void list_workers(WorkerQuery query, Reply<WorkerPage> reply) = 0;
};

class QueueStore {
 public:
  virtual ~QueueStore() = default;
  virtual void change_queue(QueueChange change, Reply<QueueStats> reply) = 0;
  virtual void list_queues(NamespaceName ns, Reply<std::vector<QueueStats>> reply) = 0;  // empty name: all namespaces
  virtual void list_lanes(LaneQuery query, Reply<LaneList> reply) = 0;

  // already_exists: the name is taken.
  virtual void create_namespace(NamespaceInfo info, Reply<NamespaceInfo> reply) = 0;
  virtual void list_namespaces(Reply<std::vector<NamespaceInfo>> reply) = 0;
  virtual void update_namespace(NamespaceChange change, Reply<NamespaceInfo> reply) = 0;
  // conflict: it still holds jobs, workers or unfinished runs of agents, or is the default one. Its schedules go with it, and so
  // do its agents, their tools and their sessions.
  virtual void delete_namespace(NamespaceName ns, Reply<NamespaceInfo> reply) = 0;
};

// One pass over due things each. `limit` bounds the rows moved; the caller repeats while `more`.
class SweepStore {
 public:
  virtual ~SweepStore() = default;
  virtual void promote_due(std::size_t limit, Reply<SweepReport> reply) = 0;          // scheduled → ready
  virtual void expire_leases(std::size_t limit, Reply<SweepReport> reply) = 0;        // lost → ready or dead
  virtual void time_out_jobs(std::size_t limit, Reply<SweepReport> reply) = 0;        // ran longer than `timeout`
  virtual void expire_waiting(std::size_t limit, Reply<SweepReport> reply) = 0;       // waited longer than expires_in
  virtual void end_preferences(std::size_t limit, Reply<SweepReport> reply) = 0;      // prefer_wait is over
  virtual void bury_silent_workers(std::size_t limit, Reply<SweepReport> reply) = 0;  // offline, leases lost
  virtual void end_drains(std::size_t limit, Reply<SweepReport> reply) = 0;           // deadline: hand back, go offline
  virtual void prune_finished(Retention retention, std::size_t limit, Reply<SweepReport> reply) = 0;
  virtual void prune_workers(Duration offline_kept, std::size_t limit, Reply<SweepReport> reply) = 0;
  // Writes the final counts of actions whose jobs are all finished, so that they outlive the jobs, and forgets actions that
  // ended longer than completed_kept ago. Must run well within completed_kept.
  virtual void settle_actions(Retention retention, std::size_t limit, Reply<SweepReport> reply) = 0;
  virtual void expire_keys(std::size_t limit, Reply<SweepReport> reply) = 0;  // keys whose time has come
};

class AdminStore {
 public:
  virtual ~AdminStore() = default;
  virtual void info(Reply<StoreInfo> reply) = 0;
  virtual StoreHealth health() const = 0;  // from memory, any thread, never blocks
  // A consistent copy while work goes on; a relative path means beside the store. already_exists: never overwritten.
  virtual void backup(std::string path, Reply<BackupReport> reply) = 0;
  // What this node runs with; told again, it takes the place of what was told before. It is gone with the node. When the store
  // cannot be reached now, it is told as soon as it can.
  virtual void tell_settings(NodeSettings settings, Reply<SettingsTold> reply) = 0;
  // Of every node that is there, by name, at most kNodesComparedMax. Empty on a store that has one node.
  virtual void node_settings(Reply<std::vector<NodeSettings>> reply) = 0;
};

// What one commit changed. Spans are valid during the call only.
struct Committed {
  std::span<const JobChange> jobs;
  std::span<const WorkerChange> workers;
  std::span<const QueueChanged> queues;
  std::span<const LaneRef> wakes;     // lanes that may have a claimable head now; one entry per job that became claimable
  std::span<const KeyPushed> keys{};  // lists of the keyspace that got elements
};

// Told after every commit, on a store thread, in commit order. Must not block; may call the store's verbs.
class Listener {
 public:
  virtual ~Listener() = default;
  virtual void committed(const Committed& commit) = 0;
};

class Store : public JobStore,
              public RunStore,
              public AgentStore,
              public ScheduleStore,
              public WorkerStore,
              public QueueStore,
              public PlanStore,
              public KeyStore,
              public SweepStore,
              public AdminStore {
 public:
  // The listener outlives the store's last call to it; set before the first verb, or nullptr to stop listening.
  virtual void set_listener(Listener* listener) = 0;
  // Ends the threads after everything accepted has been answered. Later verbs answer unavailable. Idempotent.
  virtual Status close() = 0;
};

}  // namespace muster::store
