#include "store/postgres/store.h"

#include <unistd.h>

#include <atomic>
#include <future>

#include <fmt/format.h>

#include "base/uuid.h"
#include "store/codec/agent_rules.h"
#include "store/postgres/cluster/housekeeper.h"
#include "store/postgres/cluster/listener.h"
#include "store/postgres/cluster/notifier.h"
#include "store/postgres/open.h"
#include "store/postgres/runner.h"
#include "store/postgres/verbs/agents.h"
#include "store/postgres/verbs/verbs.h"

namespace muster::store::postgres {
namespace {

std::string node_name() {
  char host[256] = {};
  if (::gethostname(host, sizeof(host) - 1) != 0) host[0] = '\0';
  std::random_device device;
  return fmt::format("{}-{}-{:08x}", host[0] != '\0' ? host : "node", ::getpid(), device());
}

Options completed(Options options) {
  if (options.node.empty()) options.node = node_name();
  return options;
}

class ClusterStore final : public PostgresStore {
 public:
  ClusterStore(Options options, Metrics& metrics, const Clock& contact_clock)
      : node_(completed(std::move(options)), metrics),
        notifier_(node_, metrics),
        outbox_(&notifier_, node_.incidents),
        runner_(node_, contact_clock),
        listener_(node_, notifier_, metrics, [this] { look_for_work(); }),
        housekeeper_(node_, {.submit = [this](Housekeeper::Body body) { submit(std::move(body)); },
                             .pending = [this] { return runner_.pending(); }}) {
    node_.outbox = &outbox_;
  }

  ~ClusterStore() override {
    housekeeper_.stop();
    listener_.stop();
    outbox_.set_listener(nullptr);
    runner_.abandon();
    notifier_.stop();
  }

  Status start() {
    if (Status status = runner_.start(); !status.ok()) return status;
    notifier_.start();
    listener_.start();
    // A store that is alone leads when open() returns: what it is asked first may be a sweep.
    if (runner_.health().writable) {
      std::promise<void> done;
      run([&node = node_](Tx& tx) -> Result<bool> { return beat_node(tx, {}), refresh_leadership(tx); },
          Reply<bool>([&done](Result<bool>) { done.set_value(); }));
      done.get_future().wait();
    }
    housekeeper_.start();
    return {};
  }

  void enqueue(std::vector<JobSpec> jobs, Reply<std::vector<Enqueued>> reply) override {
    if (jobs.empty()) return reply(std::vector<Enqueued>());
    runner_.submit(EnqueueRequest{.jobs = std::move(jobs), .reply = std::move(reply)});
  }
  void claim(ClaimRequest request, Reply<ClaimReply> reply) override {
    runner_.submit(PendingClaim{.request = std::move(request), .reply = std::move(reply)});
  }
  void complete(std::vector<Completion> batch, Reply<Each<Settled>> reply) override { settle_all(batch, std::move(reply)); }
  void fail(std::vector<Failure> batch, Reply<Each<Settled>> reply) override { settle_all(batch, std::move(reply)); }
  void snooze(std::vector<Snooze> batch, Reply<Each<Settled>> reply) override { settle_all(batch, std::move(reply)); }
  void release(std::vector<Release> batch, Reply<Each<Settled>> reply) override { settle_all(batch, std::move(reply)); }
  void report_progress(std::vector<ProgressUpdate> batch, Reply<Each<Renewed>> reply) override {
    extend_all(batch, std::move(reply));
  }
  void renew(std::vector<Renewal> batch, Reply<Each<Renewed>> reply) override { extend_all(batch, std::move(reply)); }

  void cancel(std::vector<Cancel> batch, Reply<Each<Cancelled>> reply) override { verb(postgres::cancel, reply, batch); }
  void redrive(std::vector<JobId> jobs, Reply<Each<Settled>> reply) override { verb(postgres::redrive, reply, jobs); }
  void redrive_matching(RedriveFilter filter, Reply<Redriven> reply) override { verb(postgres::redrive_matching, reply, filter); }
  void get_jobs(std::vector<JobId> jobs, Reply<Each<Job>> reply) override { verb(postgres::get_jobs, reply, jobs); }
  void list_jobs(JobQuery query, Reply<JobPage> reply) override { verb(postgres::list_jobs, reply, query); }
  void explain(JobId job, Reply<WaitFacts> reply) override { verb(postgres::explain, reply, job); }
  void find_jobs(NamespaceName ns, std::vector<std::string> keys, Reply<Each<JobId>> reply) override {
    verb(postgres::find_jobs, reply, ns, keys);
  }

  void find_holders(NamespaceName ns, std::vector<std::string> keys, Reply<Each<JobId>> reply) override {
    verb(postgres::find_holders, reply, ns, keys);
  }
  void count_jobs(JobFilter filter, Reply<std::vector<JobCount>> reply) override { verb(postgres::count_jobs, reply, filter); }
  void run_steps(std::vector<StepCall> calls, Reply<Each<StepAnswer>> reply) override {
    if (calls.empty()) return reply(Each<StepAnswer>());
    runner_.submit(StepRequest{.calls = std::move(calls), .reply = std::move(reply)});
  }
  void list_steps(StepQuery query, Reply<StepPage> reply) override { verb(postgres::list_steps, reply, query); }
  void signal_runs(std::vector<Signal> signals, Reply<Each<Signalled>> reply) override {
    verb(postgres::signal_runs, reply, signals);
  }
  void wake_runs(std::vector<JobId> runs, Reply<Each<Settled>> reply) override { verb(postgres::wake_runs, reply, runs); }
  void create_schedule(Schedule schedule, Reply<Schedule> reply) override { verb(postgres::create_schedule, reply, schedule); }
  void update_schedule(Schedule schedule, Reply<Schedule> reply) override { verb(postgres::update_schedule, reply, schedule); }
  void get_schedules(NamespaceName ns, std::vector<ScheduleId> ids, Reply<Each<Schedule>> reply) override {
    verb(postgres::get_schedules, reply, ns, ids);
  }
  void list_schedules(ScheduleQuery query, Reply<SchedulePage> reply) override { verb(postgres::list_schedules, reply, query); }
  void delete_schedule(NamespaceName ns, ScheduleId id, Reply<Schedule> reply) override {
    verb(postgres::delete_schedule, reply, ns, id);
  }
  void due_schedules(std::size_t limit, Reply<DueSchedules> reply) override { verb(postgres::due_schedules, reply, limit); }
  void fire_schedule(ScheduleFire fire, Reply<ScheduleFired> reply) override { verb(postgres::fire_schedule, reply, fire); }
  void update_namespace(NamespaceChange change, Reply<NamespaceInfo> reply) override {
    verb(postgres::update_namespace, reply, change);
  }

  void put_plan(PlanPut request, Reply<PlanStored> reply) override { verb(postgres::put_plan, reply, request); }
  void get_plans(NamespaceName ns, std::vector<PlanId> plans, Reply<Each<Plan>> reply) override {
    verb(postgres::get_plans, reply, ns, plans);
  }
  void list_plans(PlanQuery query, Reply<PlanPage> reply) override { verb(postgres::list_plans, reply, query); }
  void delete_plan(NamespaceName ns, PlanId plan, Reply<Plan> reply) override { verb(postgres::delete_plan, reply, ns, plan); }
  void submit_action(ActionSpec action, Reply<ActionSubmitted> reply) override { verb(postgres::submit_action, reply, action); }
  void get_action(ActionQuery query, Reply<ActionView> reply) override { verb(postgres::get_action, reply, query); }
  void list_actions(ActionListQuery query, Reply<ActionPage> reply) override { verb(postgres::list_actions, reply, query); }

  void put_agent(AgentPut put, Reply<Agent> reply) override { verb(postgres::put_agent, reply, put); }
  void get_agents(NamespaceName ns, std::vector<AgentId> ids, Reply<Each<Agent>> reply) override {
    verb(postgres::get_agents, reply, ns, ids);
  }
  void list_agents(AgentQuery query, Reply<AgentPage> reply) override { verb(postgres::list_agents, reply, query); }
  void delete_agent(NamespaceName ns, AgentId id, Reply<Agent> reply) override { verb(postgres::delete_agent, reply, ns, id); }
  void put_tool(ToolPut put, Reply<Tool> reply) override { verb(postgres::put_tool, reply, put); }
  void get_tools(NamespaceName ns, std::vector<ToolName> names, Reply<Each<Tool>> reply) override {
    verb(postgres::get_tools, reply, ns, names);
  }
  void list_tools(ToolQuery query, Reply<ToolPage> reply) override { verb(postgres::list_tools, reply, query); }
  void delete_tool(NamespaceName ns, ToolName name, Reply<Tool> reply) override { verb(postgres::delete_tool, reply, ns, name); }
  void create_session(SessionCreate create, Reply<AgentSession> reply) override { verb(postgres::create_session, reply, create); }
  void update_session(AgentSession session, Reply<AgentSession> reply) override {
    verb(postgres::update_session, reply, session);
  }
  void get_sessions(NamespaceName ns, std::vector<AgentSessionId> ids, Reply<Each<AgentSession>> reply) override {
    verb(postgres::get_sessions, reply, ns, ids);
  }
  void list_sessions(SessionQuery query, Reply<SessionPage> reply) override { verb(postgres::list_sessions, reply, query); }
  void delete_session(NamespaceName ns, AgentSessionId id, Reply<AgentSession> reply) override {
    delete_session_part(std::move(ns), id, false, std::move(reply));
  }
  void start_agent_run(AgentRunStart start, Reply<AgentRunStarted> reply) override {
    verb(postgres::start_agent_run, reply, start);
  }
  void get_agent_runs(std::vector<JobId> runs, Reply<Each<AgentRun>> reply) override {
    verb(postgres::get_agent_runs, reply, runs);
  }
  void list_agent_runs(AgentRunQuery query, Reply<AgentRunPage> reply) override { verb(postgres::list_agent_runs, reply, query); }
  void view_agent_run(JobId run, Reply<AgentRunView> reply) override { verb(postgres::view_agent_run, reply, run); }
  void write_agent_run(AgentRunWrite write, Reply<AgentRunWritten> reply) override {
    verb(postgres::write_agent_run, reply, write);
  }
  void list_iterations(IterationQuery query, Reply<IterationList> reply) override {
    verb(postgres::list_iterations, reply, query);
  }
  void list_executions(ExecutionQuery query, Reply<ExecutionPage> reply) override {
    verb(postgres::list_executions, reply, query);
  }
  void list_messages(MessageQuery query, Reply<MessagePage> reply) override { verb(postgres::list_messages, reply, query); }
  void get_blob(Uuid id, Reply<Blob> reply) override { verb(postgres::get_blob, reply, id); }
  void get_spending(SpendingQuery query, Reply<SpendingView> reply) override { verb(postgres::get_spending, reply, query); }
  void compact_session(Compaction compaction, Reply<CompactionEvent> reply) override {
    verb(postgres::compact_session, reply, compaction);
  }
  void restore_session(AgentSessionId session, Uuid event, Reply<CompactionEvent> reply) override {
    verb(postgres::restore_session, reply, session, event);
  }
  void list_compactions(CompactionQuery query, Reply<CompactionPage> reply) override {
    verb(postgres::list_compactions, reply, query);
  }

  void keyspace(KeyBatch batch, Reply<std::vector<KeyAnswer>> reply) override {
    std::make_shared<KeySlices>(*this, std::move(batch), std::move(reply))->start();
  }
  // Other nodes write too, so memory knows nothing.
  KeyGlance glance(std::string_view) const override { return {}; }

  void register_workers(std::vector<WorkerSpec> batch, Reply<Each<Registered>> reply) override {
    verb(postgres::register_workers, reply, batch);
  }
  void heartbeat(std::vector<Beat> batch, Reply<Each<BeatReply>> reply) override {
    runner_.submit(BeatRequest{.beats = std::move(batch), .reply = std::move(reply)});
  }
  void drain(std::vector<Drain> batch, Reply<Each<Worker>> reply) override { verb(postgres::drain, reply, batch); }
  void resume(std::vector<Resume> batch, Reply<Each<Worker>> reply) override { verb(postgres::resume, reply, batch); }
  void unregister(std::vector<Unregister> batch, Reply<Each<Worker>> reply) override { verb(postgres::unregister, reply, batch); }
  void get_workers(NamespaceName ns, std::vector<WorkerId> workers, Reply<Each<Worker>> reply) override {
    verb(postgres::get_workers, reply, ns, workers);
  }
  void list_workers(WorkerQuery query, Reply<WorkerPage> reply) override { verb(postgres::list_workers, reply, query); }

  void change_queue(QueueChange change, Reply<QueueStats> reply) override { verb(postgres::change_queue, reply, change); }
  void list_queues(NamespaceName ns, Reply<std::vector<QueueStats>> reply) override { verb(postgres::list_queues, reply, ns); }
  void list_lanes(LaneQuery query, Reply<LaneList> reply) override { verb(postgres::list_lanes, reply, query); }
  void create_namespace(NamespaceInfo info, Reply<NamespaceInfo> reply) override {
    verb(postgres::create_namespace, reply, info);
  }
  void list_namespaces(Reply<std::vector<NamespaceInfo>> reply) override { verb(postgres::list_namespaces, reply); }
  void delete_namespace(NamespaceName ns, Reply<NamespaceInfo> reply) override { verb(postgres::delete_namespace, reply, ns); }

  void promote_due(std::size_t limit, Reply<SweepReport> reply) override { verb(postgres::promote_due, reply, limit); }
  void expire_leases(std::size_t limit, Reply<SweepReport> reply) override { verb(postgres::expire_leases, reply, limit); }
  void time_out_jobs(std::size_t limit, Reply<SweepReport> reply) override { verb(postgres::time_out_jobs, reply, limit); }
  void expire_waiting(std::size_t limit, Reply<SweepReport> reply) override { verb(postgres::expire_waiting, reply, limit); }
  void end_preferences(std::size_t limit, Reply<SweepReport> reply) override { verb(postgres::end_preferences, reply, limit); }
  void bury_silent_workers(std::size_t limit, Reply<SweepReport> reply) override {
    verb(postgres::bury_silent_workers, reply, limit);
  }
  void end_drains(std::size_t limit, Reply<SweepReport> reply) override { verb(postgres::end_drains, reply, limit); }
  void prune_finished(Retention retention, std::size_t limit, Reply<SweepReport> reply) override {
    verb(postgres::prune_finished, reply, retention, limit);
  }
  void prune_workers(Duration offline_kept, std::size_t limit, Reply<SweepReport> reply) override {
    verb(postgres::prune_workers, reply, offline_kept, limit);
  }
  void settle_actions(Retention retention, std::size_t limit, Reply<SweepReport> reply) override {
    verb(postgres::settle_actions, reply, retention, limit);
  }
  void expire_keys(std::size_t limit, Reply<SweepReport> reply) override { verb(postgres::expire_keys, reply, limit); }

  void info(Reply<StoreInfo> reply) override { verb(postgres::info, reply); }
  StoreHealth health() const override { return runner_.health(); }
  void backup(std::string path, Reply<BackupReport> reply) override {
    (void)path;
    reply(Status::invalid_argument(
        "a PostgreSQL store is backed up with PostgreSQL's own tools: pg_dump for a copy, pg_basebackup with WAL archiving for "
        "a point in time (docs/cluster.md, Backup)"));
  }

  void set_listener(Listener* listener) override { outbox_.set_listener(listener); }

  Status close() override {
    if (closed_.exchange(true)) return {};
    housekeeper_.stop();
    listener_.stop();
    // The others need not wait for what we hold to expire.
    auto done = std::make_shared<std::promise<void>>();
    run([](Tx& tx) -> Result<bool> { return release_leadership(tx), leave_cluster(tx), write_worker_counts(tx), true; },
        Reply<bool>([done](Result<bool>) { done->set_value(); }));
    done->get_future().wait();
    runner_.stop();
    notifier_.stop();
    return {};
  }

  void tell_settings(NodeSettings settings, Reply<SettingsTold> reply) override {
    node_.keep_settings(std::move(settings));
    run([](Tx& tx) -> Result<SettingsTold> { return write_settings(tx), SettingsTold{.kept = true}; }, std::move(reply));
  }
  void node_settings(Reply<std::vector<NodeSettings>> reply) override { verb(postgres::node_settings, reply); }

  void cluster(Reply<ClusterStatus> reply) override { verb(cluster_status, reply); }
  bool leading() const override { return node_.leadership.term.load() != 0; }

 private:
  template <class Body, class T>
  void run(Body body, UniqueFunction<void(Result<T>)> reply) {
    runner_.submit(std::make_unique<UnitOf<T, Body>>(std::move(body), std::move(reply)));
  }

  // A function of verbs/ with these arguments, which are taken over, as a transaction.
  template <class T, class Verb, class... Args>
  void verb(Verb one, Reply<T>& reply, Args&... args) {
    run([one, ... args = std::move(args)](Tx& tx) mutable -> Result<T> { return one(tx, args...); }, std::move(reply));
  }

  void delete_session_part(NamespaceName ns, AgentSessionId id, bool begun, Reply<AgentSession> reply) {
    Reply<SessionDeletion> next = [this, ns, id, begun, reply = std::move(reply)](Result<SessionDeletion> part) mutable {
      if (!part.ok()) return reply(part_failed(begun, part.status()));
      if (!part->more) return reply(std::move(part->session));
      delete_session_part(std::move(ns), id, true, std::move(reply));
    };
    run([ns, id, begun](Tx& tx) { return postgres::delete_session(tx, ns, id, begun); }, std::move(next));
  }

  // A batch of keys: each slice a transaction of its own.
  class KeySlices final : public store::keyspace::SlicedBatch {
   public:
    KeySlices(ClusterStore& store, KeyBatch batch, Reply<std::vector<KeyAnswer>> reply)
        : SlicedBatch(std::move(batch), std::move(reply)), store_(store) {}

   private:
    void run_slice(Reply<store::keyspace::Part> done) override {
      store_.run([this](Tx& tx) { return run_keys(tx, batch(), slice()); }, std::move(done));
    }
    void run_long(Reply<store::keyspace::Part> done) override {
      const auto body = [this](Tx& tx) { return run_keys(tx, batch(), long_reads()); };
      store_.runner_.submit_long_read(
          std::make_unique<UnitOf<store::keyspace::Part, std::decay_t<decltype(body)>>>(body, std::move(done)));
    }
    ClusterStore& store_;
  };

  template <class Item>
  void settle_all(std::vector<Item>& batch, Reply<Each<Settled>> reply) {
    if (batch.empty()) return reply(Each<Settled>());
    SettleRequest request{.outcomes = {}, .answers = {}, .reply = std::move(reply)};
    for (Item& item : batch) request.outcomes.emplace_back(std::move(item));
    runner_.submit(std::move(request));
  }

  template <class Item>
  void extend_all(std::vector<Item>& batch, Reply<Each<Renewed>> reply) {
    if (batch.empty()) return reply(Each<Renewed>());
    ExtendRequest request{.extensions = {}, .reply = std::move(reply)};
    for (Item& item : batch) request.extensions.emplace_back(std::move(item));
    runner_.submit(std::move(request));
  }

  // The node's pulse. While the store cannot write, it also tries to: nobody else may come to find out.
  void submit(Housekeeper::Body body) {
    if (!runner_.health().writable)
      run(
          [](Tx& tx) -> Result<bool> {
            tx.write("probe"_sql);
            tx.proves_writing = true;
            return true;
          },
          Reply<bool>([](Result<bool>) {}));
    run([body = std::move(body)](Tx& tx) -> Result<bool> { return body(tx), true; }, Reply<bool>([](Result<bool>) {}));
  }

  // Rule 9: what was not heard of is found by looking.
  void look_for_work() {
    if (looking_.exchange(true)) return;
    run(
        [this](Tx& tx) -> Result<bool> {
          looking_ = false;  // who asks from now on may know of more than this look will see
          tx.local_only = true;
          const Rows rows = tx.ask("ready_lanes"_sql);
          for (std::size_t i = 0; i < rows.size(); ++i) tx.wake(static_cast<LaneKey>(rows.integer(i, 0)));
          return true;
        },
        Reply<bool>([this](Result<bool>) {
          looking_ = false;
          node_.metrics.polls.add();
        }));
  }

  Node node_;
  Notifier notifier_;
  Outbox outbox_;
  Runner runner_;
  ClusterListener listener_;
  Housekeeper housekeeper_;
  std::atomic<bool> closed_{false};
  std::atomic<bool> looking_{false};
};

}  // namespace

Result<std::unique_ptr<PostgresStore>> PostgresStore::open(Options options, Metrics& metrics) {
  static const RealClock real_clock;
  return open_on_clock(std::move(options), metrics, real_clock);
}

Result<std::unique_ptr<PostgresStore>> open_on_clock(Options options, Metrics& metrics, const Clock& contact_clock) {
  auto store = std::make_unique<ClusterStore>(std::move(options), metrics, contact_clock);
  if (Status status = store->start(); !status.ok()) return status;
  return std::unique_ptr<PostgresStore>(std::move(store));
}

}  // namespace muster::store::postgres
