// The verbs of the interface, each put on the writer's queue or the readers', and the threads behind them.
#include "store/sqlite/store.h"

#include <sys/stat.h>

#include <algorithm>
#include <filesystem>

#include "base/incident.h"
#include "store/codec/agent_rules.h"
#include "store/keyspace/keyspace.h"
#include "store/refusals.h"
#include "store/sqlite/op_queue.h"
#include "store/sqlite/open.h"
#include "store/sqlite/reader.h"
#include "store/sqlite/verb_cost.h"
#include "store/sqlite/verbs/agents.h"
#include "store/sqlite/verbs/verbs.h"
#include "store/sqlite/writer.h"

namespace muster::store::sqlite {
namespace {

// One answer per element, each judged by itself.
template <class T, class Item, class Verb>
Result<Each<T>> each(Core& core, const std::vector<Item>& batch, Verb verb) {
  Each<T> out;
  out.reserve(batch.size());
  for (const Item& item : batch) out.push_back(verb(core, item));
  return out;
}

bool has_running(const JobPage& page) {
  return std::any_of(page.jobs.begin(), page.jobs.end(), [](const Job& job) { return job.state == JobState::running; });
}

Result<JobPage> with_leases(Core& core, Result<JobPage> page) {
  if (!page.ok()) return page;
  for (Job& job : page->jobs) {
    const auto key = core.ids.decode(job.id);
    const HotJob* live = key ? core.find(*key) : nullptr;
    if (live != nullptr && live->running && live->running->fence == job.fence)
      job.lease_expires_at = core.wall(live->running->lease_ends);
  }
  return page;
}

class FileStore final : public SqliteStore {
 public:
  FileStore(Options options, const Clock& clock, Metrics& metrics, Opened opened)
      : options_(std::move(options)),
        clock_(clock),
        incidents_(metrics, "store"),
        all_time_(clock),
        lock_(std::move(opened.lock)),
        connection_(std::move(opened.connection)),
        log_mover_(std::move(opened.log_mover)),
        redo_(std::move(opened.redo)),
        writer_(*connection_, *log_mover_, *redo_, clock, options_.listening != nullptr ? *options_.listening : all_time_,
                metrics, options_),
        queue_(writer_, clock, options_.pending_max) {}

  ~FileStore() override { abandon(); }

  Status start() {
    if (const Status prepared = connection_->fault(); !prepared.ok()) return prepared;
    if (const Status built = writer_.start(); !built.ok()) return built;
    writers_reader_ = std::make_unique<Reader>(*connection_, writer_.core().ids);
    if (const Status prepared = connection_->fault(); !prepared.ok() || is_manual()) return prepared;
    std::vector<std::unique_ptr<Connection>> connections;
    for (std::size_t i = 0; i < options_.readers; ++i) {
      auto reader = open_reader(options_);
      if (!reader.ok()) return reader.status();
      connections.push_back(std::move(*reader));
    }
    readers_ = std::make_unique<ReaderPool>(std::move(connections), writer_.core().ids, incidents_);
    writer_.use_threads([this] { queue_.write_ended(); });
    queue_.start_thread();
    return {};
  }

  // --- jobs ---
  void enqueue(std::vector<JobSpec> jobs, Reply<std::vector<Enqueued>> reply) override {
    const std::size_t cost = cost_of(jobs);
    put<std::vector<Enqueued>>(
        OpKind::write, std::move(reply), [jobs = std::move(jobs)](Core& core) mutable { return sqlite::enqueue(core, jobs); },
        cost);
  }
  void claim(ClaimRequest request, Reply<ClaimReply> reply) override {
    const std::size_t cost = cost_of(request);
    put<ClaimReply>(
        OpKind::claim, std::move(reply), [request = std::move(request)](Core& core) { return sqlite::claim(core, request); },
        cost);
  }
  void complete(std::vector<Completion> batch, Reply<Each<Settled>> reply) override {
    short_each(sqlite::complete, reply, batch);
  }
  void fail(std::vector<Failure> batch, Reply<Each<Settled>> reply) override { short_each(sqlite::fail, reply, batch); }
  void snooze(std::vector<Snooze> batch, Reply<Each<Settled>> reply) override { short_each(sqlite::snooze, reply, batch); }
  void release(std::vector<Release> batch, Reply<Each<Settled>> reply) override { short_each(sqlite::release, reply, batch); }
  void report_progress(std::vector<ProgressUpdate> batch, Reply<Each<Renewed>> reply) override {
    short_each(sqlite::report_progress, reply, batch);
  }
  void renew(std::vector<Renewal> batch, Reply<Each<Renewed>> reply) override {
    // One that leaves the lease as long as it was is kept in memory alone: there is nothing to wait for.
    const bool lasts = std::any_of(batch.begin(), batch.end(), [](const Renewal& one) { return one.ttl.has_value(); });
    const std::size_t cost = cost_of(batch);
    put<Each<Renewed>>(
        lasts ? OpKind::write : OpKind::claim, std::move(reply),
        [batch = std::move(batch)](Core& core) { return each<Renewed>(core, batch, sqlite::renew); }, cost);
  }
  void cancel(std::vector<Cancel> batch, Reply<Each<Cancelled>> reply) override { write_each(sqlite::cancel, reply, batch); }
  void redrive(std::vector<JobId> jobs, Reply<Each<Settled>> reply) override { write_each(sqlite::redrive, reply, jobs); }
  void redrive_matching(RedriveFilter request, Reply<Redriven> reply) override {
    JobFilter filter = std::move(request.filter);
    std::erase_if(filter.states, [](JobState state) { return !next(state, JobEvent::redriven); });
    if (filter.states.empty()) filter.states = {JobState::dead};
    const auto work = std::make_shared<Redriving>();
    work->reply = std::move(reply);
    Reply<Reader::Found> begin = [this, work](Result<Reader::Found> found) {
      if (!found.ok()) return work->reply(found.status());
      work->keys = std::move(found->keys);
      work->out.more = found->more;
      redrive_part(work);
    };
    const auto find = [this, filter = std::move(filter), limit = request.limit](Reader& reader) {
      return reader.find(filter, limit, clock_.now());
    };
    on_reader_behind_writer(std::move(begin), find);
  }
  void get_jobs(std::vector<JobId> jobs, Reply<Each<Job>> reply) override {
    const std::size_t cost = cost_of(jobs);
    put<Each<Job>>(
        OpKind::read, std::move(reply), [jobs = std::move(jobs)](Core& core) { return each<Job>(core, jobs, read_job); }, cost);
  }
  void list_jobs(JobQuery query, Reply<JobPage> reply) override {
    if (is_manual()) {
      read(std::move(reply),
           [this, query = std::move(query)](Core& core) { return with_leases(core, writers_reader_->list(query, core.now)); });
      return;
    }
    // Only the writer knows when a lease ends, so a page with running jobs passes by it.
    Reply<JobPage> finish = [this, reply = std::move(reply)](Result<JobPage> page) mutable {
      if (!page.ok() || !has_running(*page)) return reply(std::move(page));
      read(std::move(reply), [page = std::move(*page)](Core& core) mutable { return with_leases(core, std::move(page)); });
    };
    behind_writer(std::move(finish),
                  [this, query = std::move(query)](Reader& reader) { return reader.list(query, clock_.now()); });
  }
  void explain(JobId job, Reply<WaitFacts> reply) override { read_verb(sqlite::explain, reply, job); }
  void find_jobs(NamespaceName ns, std::vector<std::string> keys, Reply<Each<JobId>> reply) override {
    read_each(sqlite::find_job, reply, ns, keys);
  }

  void find_holders(NamespaceName ns, std::vector<std::string> keys, Reply<Each<JobId>> reply) override {
    read_each(sqlite::find_holder, reply, ns, keys);
  }
  void count_jobs(JobFilter filter, Reply<std::vector<JobCount>> reply) override {
    if (is_manual())
      return read(std::move(reply),
                  [this, filter = std::move(filter)](Core& core) { return writers_reader_->count(filter, core.now); });
    behind_writer(std::move(reply),
                  [this, filter = std::move(filter)](Reader& reader) { return reader.count(filter, clock_.now()); });
  }

  // --- runs ---
  void run_steps(std::vector<StepCall> calls, Reply<Each<StepAnswer>> reply) override {
    short_each(sqlite::run_step, reply, calls);
  }
  void list_steps(StepQuery query, Reply<StepPage> reply) override { read_verb(sqlite::list_steps, reply, query); }
  void signal_runs(std::vector<Signal> signals, Reply<Each<Signalled>> reply) override {
    write_each(sqlite::signal_run, reply, signals);
  }
  void wake_runs(std::vector<JobId> runs, Reply<Each<Settled>> reply) override { write_each(sqlite::wake_run, reply, runs); }

  // --- schedules ---
  void create_schedule(Schedule schedule, Reply<Schedule> reply) override {
    write_verb(sqlite::create_schedule, reply, schedule);
  }
  void update_schedule(Schedule schedule, Reply<Schedule> reply) override {
    write_verb(sqlite::update_schedule, reply, schedule);
  }
  void get_schedules(NamespaceName ns, std::vector<ScheduleId> ids, Reply<Each<Schedule>> reply) override {
    read_each(sqlite::get_schedule, reply, ns, ids);
  }
  void list_schedules(ScheduleQuery query, Reply<SchedulePage> reply) override {
    read_verb(sqlite::list_schedules, reply, query);
  }
  void delete_schedule(NamespaceName ns, ScheduleId id, Reply<Schedule> reply) override {
    write_verb(sqlite::delete_schedule, reply, ns, id);
  }
  void due_schedules(std::size_t limit, Reply<DueSchedules> reply) override { read_verb(sqlite::due_schedules, reply, limit); }
  void fire_schedule(ScheduleFire fire, Reply<ScheduleFired> reply) override { write_verb(sqlite::fire_schedule, reply, fire); }
  void update_namespace(NamespaceChange change, Reply<NamespaceInfo> reply) override {
    write_verb(sqlite::update_namespace, reply, change);
  }

  // --- plans and actions ---
  void put_plan(PlanPut request, Reply<PlanStored> reply) override { write_verb(sqlite::put_plan, reply, request); }
  void get_plans(NamespaceName ns, std::vector<PlanId> plans, Reply<Each<Plan>> reply) override {
    read_each(sqlite::get_plan, reply, ns, plans);
  }
  void list_plans(PlanQuery query, Reply<PlanPage> reply) override {
    on_reader_behind_writer(std::move(reply),
                            [query = std::move(query)](Reader& reader) { return reader.plans().list_plans(query); });
  }
  void delete_plan(NamespaceName ns, PlanId plan, Reply<Plan> reply) override {
    write_verb(sqlite::delete_plan, reply, ns, plan);
  }
  void submit_action(ActionSpec action, Reply<ActionSubmitted> reply) override {
    write_verb(sqlite::submit_action, reply, action);
  }
  void get_action(ActionQuery query, Reply<ActionView> reply) override { read_verb(sqlite::get_action, reply, query); }
  void list_actions(ActionListQuery query, Reply<ActionPage> reply) override {
    on_reader_behind_writer(std::move(reply),
                            [query = std::move(query)](Reader& reader) { return reader.plans().list_actions(query); });
  }

  // --- agents ---
  void put_agent(AgentPut put, Reply<Agent> reply) override { write_verb(sqlite::put_agent, reply, put); }
  void get_agents(NamespaceName ns, std::vector<AgentId> ids, Reply<Each<Agent>> reply) override {
    read_agents(&AgentReads::get_agents, reply, ns, ids);
  }
  void list_agents(AgentQuery query, Reply<AgentPage> reply) override { show_agents(&AgentReads::list_agents, reply, query); }
  void delete_agent(NamespaceName ns, AgentId id, Reply<Agent> reply) override {
    write_verb(sqlite::delete_agent, reply, ns, id);
  }
  void put_tool(ToolPut put, Reply<Tool> reply) override { write_verb(sqlite::put_tool, reply, put); }
  void get_tools(NamespaceName ns, std::vector<ToolName> names, Reply<Each<Tool>> reply) override {
    read_agents(&AgentReads::get_tools, reply, ns, names);
  }
  void list_tools(ToolQuery query, Reply<ToolPage> reply) override { show_agents(&AgentReads::list_tools, reply, query); }
  void delete_tool(NamespaceName ns, ToolName name, Reply<Tool> reply) override {
    write_verb(sqlite::delete_tool, reply, ns, name);
  }
  void create_session(SessionCreate create, Reply<AgentSession> reply) override {
    write_verb(sqlite::create_session, reply, create);
  }
  void update_session(AgentSession session, Reply<AgentSession> reply) override {
    write_verb(sqlite::update_session, reply, session);
  }
  void get_sessions(NamespaceName ns, std::vector<AgentSessionId> ids, Reply<Each<AgentSession>> reply) override {
    read_agents(&AgentReads::get_sessions, reply, ns, ids);
  }
  void list_sessions(SessionQuery query, Reply<SessionPage> reply) override {
    show_agents(&AgentReads::list_sessions, reply, query);
  }
  void delete_session(NamespaceName ns, AgentSessionId id, Reply<AgentSession> reply) override {
    delete_session_part(std::move(ns), id, false, std::move(reply));
  }
  void start_agent_run(AgentRunStart start, Reply<AgentRunStarted> reply) override {
    write_verb(sqlite::start_agent_run, reply, start);
  }
  void get_agent_runs(std::vector<JobId> runs, Reply<Each<AgentRun>> reply) override {
    read_agents(&AgentReads::get_agent_runs, reply, runs);
  }
  void list_agent_runs(AgentRunQuery query, Reply<AgentRunPage> reply) override {
    show_agents(&AgentReads::list_agent_runs, reply, query);
  }
  void view_agent_run(JobId run, Reply<AgentRunView> reply) override { read_agents(&AgentReads::view_agent_run, reply, run); }
  void write_agent_run(AgentRunWrite write, Reply<AgentRunWritten> reply) override {
    write_verb(sqlite::write_agent_run, reply, write);
  }
  void list_iterations(IterationQuery query, Reply<IterationList> reply) override {
    ask_agents(&AgentReads::list_iterations, reply, query);
  }
  void list_executions(ExecutionQuery query, Reply<ExecutionPage> reply) override {
    ask_agents(&AgentReads::list_executions, reply, query);
  }
  void list_messages(MessageQuery query, Reply<MessagePage> reply) override {
    ask_agents(&AgentReads::list_messages, reply, query);
  }
  void get_blob(Uuid id, Reply<Blob> reply) override { ask_agents(&AgentReads::get_blob, reply, id); }
  void get_spending(SpendingQuery query, Reply<SpendingView> reply) override {
    read_agents(&AgentReads::get_spending, reply, query);
  }
  void compact_session(Compaction compaction, Reply<CompactionEvent> reply) override {
    write_verb(sqlite::compact_session, reply, compaction);
  }
  void restore_session(AgentSessionId session, Uuid event, Reply<CompactionEvent> reply) override {
    write_verb(sqlite::restore_session, reply, session, event);
  }
  void list_compactions(CompactionQuery query, Reply<CompactionPage> reply) override {
    show_agents(&AgentReads::list_compactions, reply, query);
  }

  // --- the keyspace ---
  void keyspace(KeyBatch batch, Reply<std::vector<KeyAnswer>> reply) override {
    std::make_shared<KeySlices>(*this, std::move(batch), std::move(reply))->start();
  }
  KeyGlance glance(std::string_view key) const override { return writer_.key_cache().glance(key, clock_.now()); }

  // --- workers ---
  void register_workers(std::vector<WorkerSpec> batch, Reply<Each<Registered>> reply) override {
    write_each(register_worker, reply, batch);
  }
  void heartbeat(std::vector<Beat> batch, Reply<Each<BeatReply>> reply) override { short_each(sqlite::heartbeat, reply, batch); }
  void drain(std::vector<Drain> batch, Reply<Each<Worker>> reply) override { write_each(sqlite::drain, reply, batch); }
  void resume(std::vector<Resume> batch, Reply<Each<Worker>> reply) override { write_each(sqlite::resume, reply, batch); }
  void unregister(std::vector<Unregister> batch, Reply<Each<Worker>> reply) override {
    write_each(sqlite::unregister, reply, batch);
  }
  void get_workers(NamespaceName ns, std::vector<WorkerId> workers, Reply<Each<Worker>> reply) override {
    read_each(sqlite::get_worker, reply, ns, workers);
  }
  void list_workers(WorkerQuery query, Reply<WorkerPage> reply) override { read_verb(sqlite::list_workers, reply, query); }

  // --- queues and namespaces ---
  void change_queue(QueueChange change, Reply<QueueStats> reply) override { write_verb(sqlite::change_queue, reply, change); }
  void list_queues(NamespaceName ns, Reply<std::vector<QueueStats>> reply) override { read_verb(sqlite::list_queues, reply, ns); }
  void list_lanes(LaneQuery query, Reply<LaneList> reply) override { read_verb(sqlite::list_lanes, reply, query); }
  void create_namespace(NamespaceInfo info, Reply<NamespaceInfo> reply) override {
    write_verb(sqlite::create_namespace, reply, info);
  }
  void list_namespaces(Reply<std::vector<NamespaceInfo>> reply) override { read(std::move(reply), sqlite::list_namespaces); }
  void delete_namespace(NamespaceName ns, Reply<NamespaceInfo> reply) override {
    write_verb(sqlite::delete_namespace, reply, ns);
  }

  // --- sweeps ---
  void promote_due(std::size_t limit, Reply<SweepReport> reply) override { sweep(sqlite::promote_due, reply, limit); }
  void expire_leases(std::size_t limit, Reply<SweepReport> reply) override { sweep(sqlite::expire_leases, reply, limit); }
  void time_out_jobs(std::size_t limit, Reply<SweepReport> reply) override { sweep(sqlite::time_out_jobs, reply, limit); }
  void expire_waiting(std::size_t limit, Reply<SweepReport> reply) override { sweep(sqlite::expire_waiting, reply, limit); }
  void end_preferences(std::size_t limit, Reply<SweepReport> reply) override { sweep(sqlite::end_preferences, reply, limit); }
  void bury_silent_workers(std::size_t limit, Reply<SweepReport> reply) override {
    sweep(sqlite::bury_silent_workers, reply, limit);
  }
  void end_drains(std::size_t limit, Reply<SweepReport> reply) override { sweep(sqlite::end_drains, reply, limit); }
  void prune_finished(Retention retention, std::size_t limit, Reply<SweepReport> reply) override {
    write_verb(sqlite::prune_finished, reply, retention, limit);
  }
  void prune_workers(Duration offline_kept, std::size_t limit, Reply<SweepReport> reply) override {
    write_verb(sqlite::prune_workers, reply, offline_kept, limit);
  }
  void settle_actions(Retention retention, std::size_t limit, Reply<SweepReport> reply) override {
    write_verb(sqlite::settle_actions, reply, retention, limit);
  }
  void expire_keys(std::size_t limit, Reply<SweepReport> reply) override { sweep(sqlite::expire_keys, reply, limit); }

  // --- administration ---
  void info(Reply<StoreInfo> reply) override {
    read(std::move(reply), [this](Core& core) -> Result<StoreInfo> { return describe(core); });
  }
  StoreHealth health() const override { return writer_.health(); }
  void backup(std::string path, Reply<BackupReport> reply) override {
    // A relative name means beside the database, not wherever the process was started.
    const auto copy = [this, target = (std::filesystem::path(options_.path).parent_path() / path).string()] {
      return backup_file(options_.path, target, options_.vfs, clock_);
    };
    if (is_manual())
      return put<BackupReport>(OpKind::look, std::move(reply), [copy](Core& core) -> Result<BackupReport> {
        if (Status whole = all_committed(core); !whole.ok()) return whole;
        return copy();
      });
    behind_writer(
        std::move(reply), [copy](Reader&) { return copy(); }, all_committed);
  }

  // One process owns the file: there is no other node that could differ.
  void tell_settings(NodeSettings, Reply<SettingsTold> reply) override { reply(SettingsTold{}); }
  void node_settings(Reply<std::vector<NodeSettings>> reply) override { reply(std::vector<NodeSettings>()); }

  void set_listener(Listener* listener) override { writer_.set_listener(listener); }
  Status close() override;
  bool pump() override { return queue_.pump(options_.helped); }
  void set_helper(std::shared_ptr<Helper> helper) override { queue_.set_helper(std::move(helper)); }

 private:
  // A batch of keys: slices with the writer, long reads with the readers.
  class KeySlices final : public store::keyspace::SlicedBatch {
   public:
    KeySlices(FileStore& store, KeyBatch batch, Reply<std::vector<KeyAnswer>> reply)
        : SlicedBatch(std::move(batch), std::move(reply)), store_(store) {}

   private:
    void run_slice(Reply<store::keyspace::Part> done) override {
      store_.put<store::keyspace::Part>(
          writes() ? OpKind::write : OpKind::read, std::move(done),
          [this](Core& core) { return run_keys(core, batch(), slice()); }, cost_of(batch()));
    }
    void run_long(Reply<store::keyspace::Part> done) override {
      store::keyspace::Run what = long_reads();
      what.now = store_.clock_.now();
      what.random = random_seed();
      const auto read = [this, what](Reader& reader) { return reader.read_keys(batch(), what); };
      store_.on_reader_behind_writer(std::move(done), read, all_committed);
    }
    FileStore& store_;
  };

  // --- the queue ---
  template <class T, class Body>
  void put(OpKind kind, Reply<T> reply, Body body, std::size_t cost = kLongVerb) {
    queue_.put(std::make_unique<OpOf<T, Body>>(kind, std::move(body), std::move(reply)), cost);
  }
  template <class T, class Body>
  void write(Reply<T> reply, Body body) {
    put<T>(OpKind::write, std::move(reply), std::move(body));
  }
  template <class T, class Body>
  void read(Reply<T> reply, Body body) {
    put<T>(OpKind::read, std::move(reply), std::move(body));
  }
  // A function of verbs/ with these arguments, which are taken over.
  template <class T, class Verb, class... Args>
  void write_verb(Verb verb, Reply<T>& reply, Args&... args) {
    write(std::move(reply), [verb, ... args = std::move(args)](Core& core) mutable -> Result<T> { return verb(core, args...); });
  }
  template <class T, class Verb, class... Args>
  void read_verb(Verb verb, Reply<T>& reply, Args&... args) {
    read(std::move(reply), [verb, ... args = std::move(args)](Core& core) -> Result<T> { return verb(core, args...); });
  }
  // The same for one item at a time, or for one name in a namespace.
  template <class T, class Item, class Verb>
  void write_each(Verb verb, Reply<Each<T>>& reply, std::vector<Item>& batch, std::size_t cost = kLongVerb) {
    put<Each<T>>(
        OpKind::write, std::move(reply), [batch = std::move(batch), verb](Core& core) { return each<T>(core, batch, verb); },
        cost);
  }
  template <class T, class Item, class Verb>
  void short_each(Verb verb, Reply<Each<T>>& reply, std::vector<Item>& batch) {
    write_each<T>(verb, reply, batch, cost_of(batch));
  }
  template <class T, class Item, class Verb>
  void read_each(Verb verb, Reply<Each<T>>& reply, NamespaceName& ns, std::vector<Item>& names) {
    read(std::move(reply), [verb, ns = std::move(ns), names = std::move(names)](Core& core) {
      return each<T>(core, names, [&](Core& inner, const Item& name) { return verb(inner, ns, name); });
    });
  }
  void sweep(SweepReport (*verb)(Core&, std::size_t), Reply<SweepReport>& reply, std::size_t limit) {
    put<SweepReport>(OpKind::sweep, std::move(reply),
                     [limit, verb](Core& core) -> Result<SweepReport> { return verb(core, limit); });
  }
  template <class T, class Body>
  void on_reader(Reply<T> reply, Body body) {
    // Shared between the task and the refusal below; whichever runs takes it.
    auto shared = std::make_shared<Reply<T>>(std::move(reply));
    ReaderPool::Task task([this, shared, body = std::move(body)](Reader* reader) mutable {
      if (reader == nullptr) return (*shared)(refusal::closed());
      Result<T> result = run_guarded<T>([&]() -> Result<T> { return body(*reader); });
      (*shared)(std::move(result));
    });
    if (!readers_->post(task)) (*shared)(Status::unavailable("the store is closed or has too many lists under way; try again"));
  }

  template <class T, class Work>
  Result<T> run_guarded(Work work) {
    try {
      return work();
    } catch (...) {
      return Incident(incidents_, "store list").status();
    }
  }

  // What has been acknowledged may not be committed for other connections yet: by way of the writer, a list that follows sees it.
  // `allowed`: asked on the writer's thread first.
  using Allowed = Status (*)(const Core&);
  static Status always(const Core&) { return {}; }
  template <class T, class Body>
  void behind_writer(Reply<T> reply, Body body, Allowed allowed = always) {
    put<bool>(
        OpKind::look,
        [this, reply = std::move(reply), body = std::move(body)](Result<bool> passed) mutable {
          if (!passed.ok()) return reply(passed.status());
          on_reader(std::move(reply), std::move(body));
        },
        [allowed](Core& core) -> Result<bool> {
          if (Status status = allowed(core); !status.ok()) return status;
          return true;
        });
  }

  // While rows cannot be committed, other connections lack the newest of them: lists do without, a copy of the file must not, and
  // nothing that was acknowledged may be said not to exist.
  static Status all_committed(const Core& core) {
    if (!core.db.in_transaction()) return {};
    return Status::unavailable("the newest changes cannot be committed now and are not seen here; see to the disk of the store");
  }

  // The same, with no thread but the caller of pump() if there is no other.
  template <class T, class Body>
  void on_reader_behind_writer(Reply<T> reply, Body body, Allowed allowed = always) {
    if (is_manual()) return read(std::move(reply), [this, body = std::move(body)](Core&) { return body(*writers_reader_); });
    behind_writer(std::move(reply), std::move(body), allowed);
  }

  // What a runtime of agents decides by, a few rows each: the writer looks, or it would have to commit for every look.
  template <class T, class Verb, class... Args>
  void read_agents(Verb verb, Reply<T>& reply, Args&... args) {
    read(std::move(reply),
         [this, verb, ... args = std::move(args)](Core&) -> Result<T> { return (writers_reader_->agents().*verb)(args...); });
  }
  // The same of what may be long: a reader looks, but while rows cannot be committed, which only the writer sees.
  template <class T, class Verb, class... Args>
  void ask_agents(Verb verb, Reply<T>& reply, Args&... args) {
    const auto ask = [verb, ... args = std::move(args)](Reader& reader) -> Result<T> { return (reader.agents().*verb)(args...); };
    put<std::optional<T>>(
        is_manual() ? OpKind::read : OpKind::look,
        [this, ask, reply = std::move(reply)](Result<std::optional<T>> seen) mutable {
          if (!seen.ok()) return reply(seen.status());
          if (seen->has_value()) return reply(*std::move(*seen));
          on_reader(std::move(reply), ask);
        },
        [this, ask](Core& core) -> Result<std::optional<T>> {
          if (!is_manual() && all_committed(core).ok()) return std::optional<T>();
          Result<T> found = ask(*writers_reader_);
          if (!found.ok()) return found.status();
          return std::optional<T>(*std::move(found));
        });
  }
  // People look at lists, which may take long.
  template <class T, class Verb, class... Args>
  void show_agents(Verb verb, Reply<T>& reply, Args&... args) {
    const auto show = [verb, ... args = std::move(args)](Reader& reader) -> Result<T> {
      return (reader.agents().*verb)(args...);
    };
    on_reader_behind_writer(std::move(reply), show);
  }

  // Jobs that a reader found are moved a part at a time. Shared by the parts; one is under way.
  struct Redriving {
    static constexpr std::size_t kAtOnceMax = 1'000;
    std::vector<JobKey> keys;
    std::size_t done = 0;
    Redriven out;
    Reply<Redriven> reply;
  };
  void redrive_part(const std::shared_ptr<Redriving>& work);
  void delete_session_part(NamespaceName ns, AgentSessionId id, bool begun, Reply<AgentSession> reply);
  StoreInfo describe(Core& core);
  bool is_manual() const { return options_.threading == Threading::manual; }
  void abandon();

  const Options options_;
  const Clock& clock_;
  const Incidents incidents_;
  const ListeningClock all_time_;
  std::unique_ptr<OwnerLock> lock_;
  std::unique_ptr<Connection> connection_;
  std::unique_ptr<Connection> log_mover_;
  std::unique_ptr<RedoFiles> redo_;
  Writer writer_;
  std::unique_ptr<Reader> writers_reader_;  // on the writer's connection, and its thread
  std::unique_ptr<ReaderPool> readers_;

  OpQueue queue_;
};

void FileStore::redrive_part(const std::shared_ptr<Redriving>& work) {
  if (work->done == work->keys.size()) return work->reply(std::move(work->out));
  const bool first = work->done == 0;
  put<bool>(
      OpKind::write,
      [this, work, first](Result<bool> moved) {
        if (moved.ok()) return redrive_part(work);
        // The parts before this one stay moved.
        work->reply(first ? moved.status() : Status::outcome_unknown(moved.status().message()));
      },
      [work](Core& core) -> Result<bool> {
        const std::size_t end = std::min(work->keys.size(), work->done + Redriving::kAtOnceMax);
        for (; work->done < end; ++work->done) {
          const JobId id = core.ids.encode(work->keys[work->done]);
          if (sqlite::redrive(core, id).ok()) work->out.jobs.push_back(id);
        }
        return true;
      });
}

void FileStore::delete_session_part(NamespaceName ns, AgentSessionId id, bool begun, Reply<AgentSession> reply) {
  Reply<SessionDeletion> next = [this, ns, id, begun, reply = std::move(reply)](Result<SessionDeletion> part) mutable {
    if (!part.ok()) return reply(part_failed(begun, part.status()));
    if (!part->more) return reply(std::move(part->session));
    delete_session_part(std::move(ns), id, true, std::move(reply));
  };
  write(std::move(next), [ns, id, begun](Core& core) { return sqlite::delete_session(core, ns, id, begun); });
}

StoreInfo FileStore::describe(Core& core) {
  StoreInfo out;
  out.kind = "sqlite";
  out.location = options_.path;
  if (const auto status = schema_status(options_.path); status.ok()) out.schema_version = status->version;
  struct stat found {};
  if (::stat(options_.path.c_str(), &found) == 0) out.bytes = static_cast<std::uint64_t>(found.st_size);
  out.jobs_live = core.jobs.size();
  out.jobs_finished = core.finished;
  out.workers_live = core.workers.live();
  out.commits = writer_.commits();
  out.group_size_mean = writer_.group_size_mean();
  return out;
}

Status FileStore::close() {
  if (!queue_.stop_thread()) return {};
  writer_.end_threads();
  if (is_manual()) {
    while (pump()) {
    }
  }
  if (readers_) readers_->close();
  if (const Status finished = writer_.finish(); !finished.ok()) return finished;
  if (const Status marked = mark_clean(*connection_, true); !marked.ok()) return marked;
  return RedoFiles::remove(options_.path, options_.vfs);
}

// Without close(): the threads end, nothing is marked; what was not answered is refused so that every reply is called.
void FileStore::abandon() {
  const std::vector<std::unique_ptr<Op>> left = queue_.give_up();
  writer_.end_threads();
  if (readers_) readers_->close();
  writer_.set_listener(nullptr);
  writer_.give_up(refusal::closed());
  for (const auto& op : left) op->refuse(refusal::closed());
}

}  // namespace

Result<std::unique_ptr<SqliteStore>> SqliteStore::open(Options options, const Clock& clock, Metrics& metrics) {
  if (options.vfs.empty()) options.path = name_of_file(options.path);
  auto opened = open_file(options, clock);
  if (!opened.ok()) return opened.status();
  auto store = std::make_unique<FileStore>(std::move(options), clock, metrics, std::move(*opened));
  if (const Status status = store->start(); !status.ok()) return status;
  return std::unique_ptr<SqliteStore>(std::move(store));
}

}  // namespace muster::store::sqlite
