// The suite's client: turns verbs with replies into plain calls, and repeats them as the contract documents.
//
// `unavailable`: nothing was written, so the call is made again as it is. `outcome_unknown`: the call is made again with the same
// fence or idempotency key (jobs without one get one, since a repeat could enqueue them twice), and an answer that only
// says "done already" is read as success. Both happen on faulty harnesses only; elsewhere every answer is the first.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "store/contract/harness.h"

namespace muster::store::contract {

using SweepVerb = void (SweepStore::*)(std::size_t, Reply<SweepReport>);

// How the idempotency keys begin that the client gives to jobs without one.
inline constexpr const char* kGivenKeyPrefix = "contract-client-";

class Client {
 public:
  explicit Client(Harness& harness) : harness_(harness) {}

  Result<std::vector<Enqueued>> enqueue(std::vector<JobSpec> jobs);
  Result<ClaimReply> claim(ClaimRequest request);

  // One element; the batch forms are below.
  Result<Settled> complete(Completion one);
  Result<Settled> fail(Failure one);
  Result<Settled> snooze(Snooze one);
  Result<Settled> release(Release one);
  Result<Renewed> report_progress(ProgressUpdate one);
  Result<Renewed> renew(Renewal one);
  Result<Cancelled> cancel(Cancel one);
  Result<Settled> redrive(JobId one);
  Result<Job> get_job(JobId one);
  Result<Registered> register_worker(WorkerSpec one);
  Result<BeatReply> heartbeat(Beat one);
  Result<Worker> drain(Drain one);
  Result<Worker> resume(Resume one);
  Result<Worker> unregister(Unregister one);
  Result<Worker> get_worker(NamespaceName ns, WorkerId one);

  Result<Each<Settled>> complete_all(std::vector<Completion> batch);
  Result<Each<Settled>> fail_all(std::vector<Failure> batch);
  Result<Each<Settled>> release_all(std::vector<Release> batch);
  Result<Each<Renewed>> renew_all(std::vector<Renewal> batch);
  Result<Each<Cancelled>> cancel_all(std::vector<Cancel> batch);
  Result<Each<Settled>> redrive_all(std::vector<JobId> batch);
  Result<Each<Job>> get_jobs(std::vector<JobId> batch);
  Result<Each<Registered>> register_all(std::vector<WorkerSpec> batch);
  Result<Each<BeatReply>> heartbeat_all(std::vector<Beat> batch);
  Result<Each<Worker>> get_workers(NamespaceName ns, std::vector<WorkerId> batch);

  Result<Redriven> redrive_matching(RedriveFilter filter);
  Result<JobPage> list_jobs(JobQuery query);
  Result<WaitFacts> explain(JobId job);
  Result<WorkerPage> list_workers(WorkerQuery query);

  Result<JobId> find_job(NamespaceName ns, std::string one);
  Result<Each<JobId>> find_jobs(NamespaceName ns, std::vector<std::string> keys);
  Result<PlanStored> put_plan(PlanPut request);
  Result<Plan> get_plan(NamespaceName ns, PlanId one);
  Result<Each<Plan>> get_plans(NamespaceName ns, std::vector<PlanId> plans);
  Result<PlanPage> list_plans(PlanQuery query);
  Result<Plan> delete_plan(NamespaceName ns, PlanId plan);
  Result<ActionSubmitted> submit_action(ActionSpec action);
  Result<ActionView> get_action(ActionQuery query);
  Result<ActionPage> list_actions(ActionListQuery query);

  Result<JobId> find_holder(NamespaceName ns, std::string one);
  Result<std::vector<JobCount>> count_jobs(JobFilter filter);

  Result<StepAnswer> run_step(StepCall one);
  Result<Each<StepAnswer>> run_steps(std::vector<StepCall> calls);
  Result<StepPage> list_steps(StepQuery query);
  Result<Signalled> signal_run(Signal one);
  Result<Settled> wake_run(JobId one);

  Result<Schedule> create_schedule(Schedule schedule);
  Result<Schedule> update_schedule(Schedule schedule);
  Result<Schedule> get_schedule(NamespaceName ns, ScheduleId one);
  Result<SchedulePage> list_schedules(ScheduleQuery query);
  Result<Schedule> delete_schedule(NamespaceName ns, ScheduleId id);
  Result<DueSchedules> due_schedules(std::size_t limit);
  Result<ScheduleFired> fire_schedule(ScheduleFire fire);

  Result<std::vector<KeyAnswer>> keyspace(KeyBatch batch);

  Result<Agent> put_agent(AgentPut put);
  Result<Agent> get_agent(NamespaceName ns, AgentId one);
  Result<AgentPage> list_agents(AgentQuery query);
  Result<Agent> delete_agent(NamespaceName ns, AgentId id);
  Result<Tool> put_tool(ToolPut put);
  Result<Tool> get_tool(NamespaceName ns, ToolName one);
  Result<ToolPage> list_tools(ToolQuery query);
  Result<Tool> delete_tool(NamespaceName ns, ToolName name);
  Result<AgentSession> create_session(SessionCreate create);
  Result<AgentSession> update_session(AgentSession session);
  Result<AgentSession> get_session(NamespaceName ns, AgentSessionId one);
  Result<SessionPage> list_sessions(SessionQuery query);
  Result<AgentSession> delete_session(NamespaceName ns, AgentSessionId id);
  Result<AgentRunStarted> start_agent_run(AgentRunStart start);
  Result<AgentRun> get_agent_run(JobId one);
  Result<AgentRunPage> list_agent_runs(AgentRunQuery query);
  Result<AgentRunView> view_agent_run(JobId run);
  Result<AgentRunWritten> write_agent_run(AgentRunWrite write);
  Result<IterationList> list_iterations(IterationQuery query);
  Result<ExecutionPage> list_executions(ExecutionQuery query);
  Result<MessagePage> list_messages(MessageQuery query);
  Result<Blob> get_blob(Uuid id);
  Result<SpendingView> get_spending(SpendingQuery query);
  Result<CompactionEvent> compact_session(Compaction compaction);
  Result<CompactionEvent> restore_session(AgentSessionId session, Uuid event);
  Result<CompactionPage> list_compactions(CompactionQuery query);

  Result<QueueStats> change_queue(QueueChange change);
  Result<std::vector<QueueStats>> list_queues(NamespaceName ns);
  Result<LaneList> list_lanes(LaneQuery query);
  Result<NamespaceInfo> create_namespace(NamespaceInfo info);
  Result<std::vector<NamespaceInfo>> list_namespaces();
  Result<NamespaceInfo> update_namespace(NamespaceChange change);
  Result<NamespaceInfo> delete_namespace(NamespaceName ns);

  Result<SweepReport> sweep(SweepVerb verb, std::size_t limit);
  Result<SweepReport> prune_finished(Retention retention, std::size_t limit);
  Result<SweepReport> settle_actions(Retention retention, std::size_t limit);
  Result<SweepReport> prune_workers(Duration offline_kept, std::size_t limit);

  Result<StoreInfo> info();
  Result<BackupReport> backup(std::string path);
  Result<SettingsTold> tell_settings(NodeSettings settings);
  Result<std::vector<NodeSettings>> node_settings();

  // True when the last call was repeated after `outcome_unknown`: what it counted may be short of what happened.
  bool in_doubt() const { return in_doubt_; }

 private:
  template <class Method, class... Args>
  auto once(Method method, const Args&... args);
  template <class Method, class... Args>
  auto call(Method method, const Args&... args);
  template <class Method, class Element>
  auto single(Method method, Element one);
  void give_keys(std::vector<JobSpec>& jobs);
  // What is there now, on faulty harnesses only: nobody else needs to know.
  std::vector<std::optional<JobState>> states_of(const std::vector<JobId>& jobs);
  std::optional<NamespaceInfo> namespace_named(const NamespaceName& ns);
  std::optional<Plan> plan_named(const NamespaceName& ns, const PlanId& plan);
  std::optional<ActionView> action_named(const NamespaceName& ns, const ActionId& action);
  std::optional<Schedule> schedule_named(const NamespaceName& ns, const ScheduleId& id);
  // What a write that was made would have answered, had its answer not been lost.
  Result<AgentRunWritten> as_written(const AgentRunWrite& write);
  std::optional<CompactionEvent> compaction_named(const AgentSessionId& session, const Uuid& event);
  // What is there before a call that may be repeated; a read of it, on faulty harnesses only.
  template <class Read>
  auto before(Read read) -> std::optional<std::decay_t<decltype(*read())>>;
  // What a call that parked its run would have answered, had its answer not been lost.
  std::optional<StepAnswer> parked_by(const StepCall& call);

  Harness& harness_;
  std::set<JobId> seen_;  // to tell a job our own lost call made from one that was there before
  std::uint64_t keys_given_ = 0;
  bool in_doubt_ = false;
};

}  // namespace muster::store::contract
