// A store whose verbs all pass through one function template of its subclass: the base of the decorators.
//
// Self provides, reachable from here,
//   template <class T, class Method, class... Args>
//   void pass(Verb verb, Method method, Reply<T> reply, Args... args);
// where `method` is the member function of Store that was called and `args` are its arguments without the reply. The
// list of verbs exists once, here; a decorator says only what it does to any of them.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "store/store.h"
#include "store/verb.h"

namespace muster::store {

template <class Self>
class Funnel : public Store {
 public:
  void enqueue(std::vector<JobSpec> jobs, Reply<std::vector<Enqueued>> r) override {
    go(Verb::enqueue, &Store::enqueue, r, jobs);
  }
  void claim(ClaimRequest request, Reply<ClaimReply> r) override { go(Verb::claim, &Store::claim, r, request); }
  void complete(std::vector<Completion> batch, Reply<Each<Settled>> r) override {
    go(Verb::complete, &Store::complete, r, batch);
  }
  void fail(std::vector<Failure> batch, Reply<Each<Settled>> r) override { go(Verb::fail, &Store::fail, r, batch); }
  void snooze(std::vector<Snooze> batch, Reply<Each<Settled>> r) override { go(Verb::snooze, &Store::snooze, r, batch); }
  void release(std::vector<Release> batch, Reply<Each<Settled>> r) override { go(Verb::release, &Store::release, r, batch); }
  void report_progress(std::vector<ProgressUpdate> batch, Reply<Each<Renewed>> r) override {
    go(Verb::report_progress, &Store::report_progress, r, batch);
  }
  void renew(std::vector<Renewal> batch, Reply<Each<Renewed>> r) override { go(Verb::renew, &Store::renew, r, batch); }
  void cancel(std::vector<Cancel> batch, Reply<Each<Cancelled>> r) override { go(Verb::cancel, &Store::cancel, r, batch); }
  void redrive(std::vector<JobId> jobs, Reply<Each<Settled>> r) override { go(Verb::redrive, &Store::redrive, r, jobs); }
  void redrive_matching(RedriveFilter filter, Reply<Redriven> r) override {
    go(Verb::redrive_matching, &Store::redrive_matching, r, filter);
  }
  void get_jobs(std::vector<JobId> jobs, Reply<Each<Job>> r) override { go(Verb::get_jobs, &Store::get_jobs, r, jobs); }
  void list_jobs(JobQuery query, Reply<JobPage> r) override { go(Verb::list_jobs, &Store::list_jobs, r, query); }
  void explain(JobId job, Reply<WaitFacts> r) override { go(Verb::explain, &Store::explain, r, job); }

  void find_jobs(NamespaceName ns, std::vector<std::string> keys, Reply<Each<JobId>> r) override {
    go(Verb::find_jobs, &Store::find_jobs, r, ns, keys);
  }

  void find_holders(NamespaceName ns, std::vector<std::string> keys, Reply<Each<JobId>> r) override {
    go(Verb::find_holders, &Store::find_holders, r, ns, keys);
  }
  void count_jobs(JobFilter filter, Reply<std::vector<JobCount>> r) override {
    go(Verb::count_jobs, &Store::count_jobs, r, filter);
  }
  void run_steps(std::vector<StepCall> calls, Reply<Each<StepAnswer>> r) override {
    go(Verb::run_steps, &Store::run_steps, r, calls);
  }
  void list_steps(StepQuery query, Reply<StepPage> r) override { go(Verb::list_steps, &Store::list_steps, r, query); }
  void signal_runs(std::vector<Signal> signals, Reply<Each<Signalled>> r) override {
    go(Verb::signal_runs, &Store::signal_runs, r, signals);
  }
  void wake_runs(std::vector<JobId> runs, Reply<Each<Settled>> r) override { go(Verb::wake_runs, &Store::wake_runs, r, runs); }
  void create_schedule(Schedule schedule, Reply<Schedule> r) override {
    go(Verb::create_schedule, &Store::create_schedule, r, schedule);
  }
  void update_schedule(Schedule schedule, Reply<Schedule> r) override {
    go(Verb::update_schedule, &Store::update_schedule, r, schedule);
  }
  void get_schedules(NamespaceName ns, std::vector<ScheduleId> ids, Reply<Each<Schedule>> r) override {
    go(Verb::get_schedules, &Store::get_schedules, r, ns, ids);
  }
  void list_schedules(ScheduleQuery query, Reply<SchedulePage> r) override {
    go(Verb::list_schedules, &Store::list_schedules, r, query);
  }
  void delete_schedule(NamespaceName ns, ScheduleId id, Reply<Schedule> r) override {
    go(Verb::delete_schedule, &Store::delete_schedule, r, ns, id);
  }
  void due_schedules(std::size_t limit, Reply<DueSchedules> r) override {
    go(Verb::due_schedules, &Store::due_schedules, r, limit);
  }
  void fire_schedule(ScheduleFire fire, Reply<ScheduleFired> r) override {
    go(Verb::fire_schedule, &Store::fire_schedule, r, fire);
  }
  void update_namespace(NamespaceChange change, Reply<NamespaceInfo> r) override {
    go(Verb::update_namespace, &Store::update_namespace, r, change);
  }

  void put_plan(PlanPut request, Reply<PlanStored> r) override { go(Verb::put_plan, &Store::put_plan, r, request); }
  void get_plans(NamespaceName ns, std::vector<PlanId> plans, Reply<Each<Plan>> r) override {
    go(Verb::get_plans, &Store::get_plans, r, ns, plans);
  }
  void list_plans(PlanQuery query, Reply<PlanPage> r) override { go(Verb::list_plans, &Store::list_plans, r, query); }
  void delete_plan(NamespaceName ns, PlanId plan, Reply<Plan> r) override {
    go(Verb::delete_plan, &Store::delete_plan, r, ns, plan);
  }
  void submit_action(ActionSpec action, Reply<ActionSubmitted> r) override {
    go(Verb::submit_action, &Store::submit_action, r, action);
  }
  void get_action(ActionQuery query, Reply<ActionView> r) override { go(Verb::get_action, &Store::get_action, r, query); }
  void list_actions(ActionListQuery query, Reply<ActionPage> r) override {
    go(Verb::list_actions, &Store::list_actions, r, query);
  }

  void keyspace(KeyBatch batch, Reply<std::vector<KeyAnswer>> r) override { go(Verb::keyspace, &Store::keyspace, r, batch); }

  void put_agent(AgentPut put, Reply<Agent> r) override { go(Verb::put_agent, &Store::put_agent, r, put); }
  void get_agents(NamespaceName ns, std::vector<AgentId> ids, Reply<Each<Agent>> r) override {
    go(Verb::get_agents, &Store::get_agents, r, ns, ids);
  }
  void list_agents(AgentQuery query, Reply<AgentPage> r) override { go(Verb::list_agents, &Store::list_agents, r, query); }
  void delete_agent(NamespaceName ns, AgentId id, Reply<Agent> r) override {
    go(Verb::delete_agent, &Store::delete_agent, r, ns, id);
  }
  void put_tool(ToolPut put, Reply<Tool> r) override { go(Verb::put_tool, &Store::put_tool, r, put); }
  void get_tools(NamespaceName ns, std::vector<ToolName> names, Reply<Each<Tool>> r) override {
    go(Verb::get_tools, &Store::get_tools, r, ns, names);
  }
  void list_tools(ToolQuery query, Reply<ToolPage> r) override { go(Verb::list_tools, &Store::list_tools, r, query); }
  void delete_tool(NamespaceName ns, ToolName name, Reply<Tool> r) override {
    go(Verb::delete_tool, &Store::delete_tool, r, ns, name);
  }
  void create_session(SessionCreate create, Reply<AgentSession> r) override {
    go(Verb::create_session, &Store::create_session, r, create);
  }
  void update_session(AgentSession session, Reply<AgentSession> r) override {
    go(Verb::update_session, &Store::update_session, r, session);
  }
  void get_sessions(NamespaceName ns, std::vector<AgentSessionId> ids, Reply<Each<AgentSession>> r) override {
    go(Verb::get_sessions, &Store::get_sessions, r, ns, ids);
  }
  void list_sessions(SessionQuery query, Reply<SessionPage> r) override {
    go(Verb::list_sessions, &Store::list_sessions, r, query);
  }
  void delete_session(NamespaceName ns, AgentSessionId id, Reply<AgentSession> r) override {
    go(Verb::delete_session, &Store::delete_session, r, ns, id);
  }
  void start_agent_run(AgentRunStart start, Reply<AgentRunStarted> r) override {
    go(Verb::start_agent_run, &Store::start_agent_run, r, start);
  }
  void get_agent_runs(std::vector<JobId> runs, Reply<Each<AgentRun>> r) override {
    go(Verb::get_agent_runs, &Store::get_agent_runs, r, runs);
  }
  void list_agent_runs(AgentRunQuery query, Reply<AgentRunPage> r) override {
    go(Verb::list_agent_runs, &Store::list_agent_runs, r, query);
  }
  void view_agent_run(JobId run, Reply<AgentRunView> r) override { go(Verb::view_agent_run, &Store::view_agent_run, r, run); }
  void write_agent_run(AgentRunWrite write, Reply<AgentRunWritten> r) override {
    go(Verb::write_agent_run, &Store::write_agent_run, r, write);
  }
  void list_iterations(IterationQuery query, Reply<IterationList> r) override {
    go(Verb::list_iterations, &Store::list_iterations, r, query);
  }
  void list_executions(ExecutionQuery query, Reply<ExecutionPage> r) override {
    go(Verb::list_executions, &Store::list_executions, r, query);
  }
  void list_messages(MessageQuery query, Reply<MessagePage> r) override {
    go(Verb::list_messages, &Store::list_messages, r, query);
  }
  void get_blob(Uuid id, Reply<Blob> r) override { go(Verb::get_blob, &Store::get_blob, r, id); }
  void get_spending(SpendingQuery query, Reply<SpendingView> r) override {
    go(Verb::get_spending, &Store::get_spending, r, query);
  }
  void compact_session(Compaction compaction, Reply<CompactionEvent> r) override {
    go(Verb::compact_session, &Store::compact_session, r, compaction);
  }
  void restore_session(AgentSessionId session, Uuid event, Reply<CompactionEvent> r) override {
    go(Verb::restore_session, &Store::restore_session, r, session, event);
  }
  void list_compactions(CompactionQuery query, Reply<CompactionPage> r) override {
    go(Verb::list_compactions, &Store::list_compactions, r, query);
  }

  void register_workers(std::vector<WorkerSpec> batch, Reply<Each<Registered>> r) override {
    go(Verb::register_workers, &Store::register_workers, r, batch);
  }
  void heartbeat(std::vector<Beat> batch, Reply<Each<BeatReply>> r) override { go(Verb::heartbeat, &Store::heartbeat, r, batch); }
  void drain(std::vector<Drain> batch, Reply<Each<Worker>> r) override { go(Verb::drain, &Store::drain, r, batch); }
  void resume(std::vector<Resume> batch, Reply<Each<Worker>> r) override { go(Verb::resume, &Store::resume, r, batch); }
  void unregister(std::vector<Unregister> batch, Reply<Each<Worker>> r) override {
    go(Verb::unregister, &Store::unregister, r, batch);
  }
  void get_workers(NamespaceName ns, std::vector<WorkerId> workers, Reply<Each<Worker>> r) override {
    go(Verb::get_workers, &Store::get_workers, r, ns, workers);
  }
  void list_workers(WorkerQuery query, Reply<WorkerPage> r) override { go(Verb::list_workers, &Store::list_workers, r, query); }

  void change_queue(QueueChange change, Reply<QueueStats> r) override { go(Verb::change_queue, &Store::change_queue, r, change); }
  void list_queues(NamespaceName ns, Reply<std::vector<QueueStats>> r) override {
    go(Verb::list_queues, &Store::list_queues, r, ns);
  }
  void list_lanes(LaneQuery query, Reply<LaneList> r) override { go(Verb::list_lanes, &Store::list_lanes, r, query); }
  void create_namespace(NamespaceInfo info_of, Reply<NamespaceInfo> r) override {
    go(Verb::create_namespace, &Store::create_namespace, r, info_of);
  }
  void list_namespaces(Reply<std::vector<NamespaceInfo>> r) override { go(Verb::list_namespaces, &Store::list_namespaces, r); }
  void delete_namespace(NamespaceName ns, Reply<NamespaceInfo> r) override {
    go(Verb::delete_namespace, &Store::delete_namespace, r, ns);
  }

  void promote_due(std::size_t limit, Reply<SweepReport> r) override { go(Verb::promote_due, &Store::promote_due, r, limit); }
  void expire_leases(std::size_t limit, Reply<SweepReport> r) override {
    go(Verb::expire_leases, &Store::expire_leases, r, limit);
  }
  void time_out_jobs(std::size_t limit, Reply<SweepReport> r) override {
    go(Verb::time_out_jobs, &Store::time_out_jobs, r, limit);
  }
  void expire_waiting(std::size_t limit, Reply<SweepReport> r) override {
    go(Verb::expire_waiting, &Store::expire_waiting, r, limit);
  }
  void end_preferences(std::size_t limit, Reply<SweepReport> r) override {
    go(Verb::end_preferences, &Store::end_preferences, r, limit);
  }
  void bury_silent_workers(std::size_t limit, Reply<SweepReport> r) override {
    go(Verb::bury_silent_workers, &Store::bury_silent_workers, r, limit);
  }
  void end_drains(std::size_t limit, Reply<SweepReport> r) override { go(Verb::end_drains, &Store::end_drains, r, limit); }
  void prune_finished(Retention retention, std::size_t limit, Reply<SweepReport> r) override {
    go(Verb::prune_finished, &Store::prune_finished, r, retention, limit);
  }
  void prune_workers(Duration kept, std::size_t limit, Reply<SweepReport> r) override {
    go(Verb::prune_workers, &Store::prune_workers, r, kept, limit);
  }
  void settle_actions(Retention retention, std::size_t limit, Reply<SweepReport> r) override {
    go(Verb::settle_actions, &Store::settle_actions, r, retention, limit);
  }
  void expire_keys(std::size_t limit, Reply<SweepReport> r) override { go(Verb::expire_keys, &Store::expire_keys, r, limit); }

  void info(Reply<StoreInfo> r) override { go(Verb::info, &Store::info, r); }
  void backup(std::string path, Reply<BackupReport> r) override { go(Verb::backup, &Store::backup, r, path); }
  void tell_settings(NodeSettings settings, Reply<SettingsTold> r) override {
    go(Verb::tell_settings, &Store::tell_settings, r, settings);
  }
  void node_settings(Reply<std::vector<NodeSettings>> r) override { go(Verb::node_settings, &Store::node_settings, r); }

 private:
  // Takes its arguments by reference only to move out of them: each verb above owns what it passes on.
  template <class Method, class T, class... Args>
  void go(Verb verb, Method method, UniqueFunction<void(Result<T>)>& reply, Args&... args) {
    static_cast<Self*>(this)->template pass<T>(verb, method, std::move(reply), std::move(args)...);
  }
};

}  // namespace muster::store
