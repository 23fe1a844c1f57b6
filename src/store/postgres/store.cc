#include "store/postgres/store.h"

#include <unistd.h>

#include <atomic>
#include <future>

#include <fmt/format.h>

#include "base/uuid.h"
#include "store/postgres/cluster/housekeeper.h"
#include "store/postgres/cluster/leader.h"
#include "store/postgres/cluster/listener.h"
#include "store/postgres/cluster/notifier.h"
#include "store/postgres/cluster/outbox.h"
#include "store/postgres/open.h"
#include "store/postgres/runner.h"
#include "store/postgres/verbs/keys.h"
#include "store/postgres/verbs/verbs.h"

namespace muster::store::postgres {
namespace {

const Sql kReadyLanes{"ready_lanes"};
const Sql kProbe{"probe"};

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

  void cancel(std::vector<Cancel> batch, Reply<Each<Cancelled>> reply) override {
    run([batch = std::move(batch)](Tx& tx) -> Result<Each<Cancelled>> { return postgres::cancel(tx, batch); }, std::move(reply));
  }
  void redrive(std::vector<JobId> jobs, Reply<Each<Settled>> reply) override {
    run([jobs = std::move(jobs)](Tx& tx) -> Result<Each<Settled>> { return postgres::redrive(tx, jobs); }, std::move(reply));
  }
  void redrive_matching(RedriveFilter filter, Reply<Redriven> reply) override {
    run([filter = std::move(filter)](Tx& tx) { return postgres::redrive_matching(tx, filter); }, std::move(reply));
  }
  void get_jobs(std::vector<JobId> jobs, Reply<Each<Job>> reply) override {
    run([jobs = std::move(jobs)](Tx& tx) -> Result<Each<Job>> { return postgres::get_jobs(tx, jobs); }, std::move(reply));
  }
  void list_jobs(JobQuery query, Reply<JobPage> reply) override {
    run([query = std::move(query)](Tx& tx) { return postgres::list_jobs(tx, query); }, std::move(reply));
  }
  void explain(JobId job, Reply<WaitFacts> reply) override {
    run([job](Tx& tx) { return postgres::explain(tx, job); }, std::move(reply));
  }
  void find_jobs(NamespaceName ns, std::vector<std::string> keys, Reply<Each<JobId>> reply) override {
    run([ns = std::move(ns), keys = std::move(keys)](Tx& tx) -> Result<Each<JobId>> { return postgres::find_jobs(tx, ns, keys); },
        std::move(reply));
  }

  void find_holders(NamespaceName ns, std::vector<std::string> keys, Reply<Each<JobId>> reply) override {
    run([ns = std::move(ns),
         keys = std::move(keys)](Tx& tx) -> Result<Each<JobId>> { return postgres::find_holders(tx, ns, keys); },
        std::move(reply));
  }
  void count_jobs(JobFilter filter, Reply<std::vector<JobCount>> reply) override {
    run([filter = std::move(filter)](Tx& tx) { return postgres::count_jobs(tx, filter); }, std::move(reply));
  }
  void run_steps(std::vector<StepCall> calls, Reply<Each<StepAnswer>> reply) override {
    if (calls.empty()) return reply(Each<StepAnswer>());
    runner_.submit(StepRequest{.calls = std::move(calls), .reply = std::move(reply)});
  }
  void list_steps(StepQuery query, Reply<StepPage> reply) override {
    run([query = std::move(query)](Tx& tx) { return postgres::list_steps(tx, query); }, std::move(reply));
  }
  void signal_runs(std::vector<Signal> signals, Reply<Each<Signalled>> reply) override {
    run([signals = std::move(signals)](Tx& tx) -> Result<Each<Signalled>> { return postgres::signal_runs(tx, signals); },
        std::move(reply));
  }
  void wake_runs(std::vector<JobId> runs, Reply<Each<Settled>> reply) override {
    run([runs = std::move(runs)](Tx& tx) -> Result<Each<Settled>> { return postgres::wake_runs(tx, runs); }, std::move(reply));
  }
  void create_schedule(Schedule schedule, Reply<Schedule> reply) override {
    run([schedule = std::move(schedule)](Tx& tx) { return postgres::create_schedule(tx, schedule); }, std::move(reply));
  }
  void update_schedule(Schedule schedule, Reply<Schedule> reply) override {
    run([schedule = std::move(schedule)](Tx& tx) { return postgres::update_schedule(tx, schedule); }, std::move(reply));
  }
  void get_schedules(NamespaceName ns, std::vector<ScheduleId> ids, Reply<Each<Schedule>> reply) override {
    run([ns = std::move(ns),
         ids = std::move(ids)](Tx& tx) -> Result<Each<Schedule>> { return postgres::get_schedules(tx, ns, ids); },
        std::move(reply));
  }
  void list_schedules(ScheduleQuery query, Reply<SchedulePage> reply) override {
    run([query = std::move(query)](Tx& tx) { return postgres::list_schedules(tx, query); }, std::move(reply));
  }
  void delete_schedule(NamespaceName ns, ScheduleId id, Reply<Schedule> reply) override {
    run([ns = std::move(ns), id = std::move(id)](Tx& tx) { return postgres::delete_schedule(tx, ns, id); }, std::move(reply));
  }
  void due_schedules(std::size_t limit, Reply<DueSchedules> reply) override {
    run([limit](Tx& tx) { return postgres::due_schedules(tx, limit); }, std::move(reply));
  }
  void fire_schedule(ScheduleFire fire, Reply<ScheduleFired> reply) override {
    run([fire = std::move(fire)](Tx& tx) mutable { return postgres::fire_schedule(tx, fire); }, std::move(reply));
  }
  void update_namespace(NamespaceChange change, Reply<NamespaceInfo> reply) override {
    run([change = std::move(change)](Tx& tx) { return postgres::update_namespace(tx, change); }, std::move(reply));
  }

  void put_plan(PlanPut request, Reply<PlanStored> reply) override {
    run([request = std::move(request)](Tx& tx) { return postgres::put_plan(tx, request); }, std::move(reply));
  }
  void get_plans(NamespaceName ns, std::vector<PlanId> plans, Reply<Each<Plan>> reply) override {
    run([ns = std::move(ns),
         plans = std::move(plans)](Tx& tx) -> Result<Each<Plan>> { return postgres::get_plans(tx, ns, plans); },
        std::move(reply));
  }
  void list_plans(PlanQuery query, Reply<PlanPage> reply) override {
    run([query = std::move(query)](Tx& tx) { return postgres::list_plans(tx, query); }, std::move(reply));
  }
  void delete_plan(NamespaceName ns, PlanId plan, Reply<Plan> reply) override {
    run([ns = std::move(ns), plan = std::move(plan)](Tx& tx) { return postgres::delete_plan(tx, ns, plan); }, std::move(reply));
  }
  void submit_action(ActionSpec action, Reply<ActionSubmitted> reply) override {
    run([action = std::move(action)](Tx& tx) { return postgres::submit_action(tx, action); }, std::move(reply));
  }
  void get_action(ActionQuery query, Reply<ActionView> reply) override {
    run([query = std::move(query)](Tx& tx) { return postgres::get_action(tx, query); }, std::move(reply));
  }
  void list_actions(ActionListQuery query, Reply<ActionPage> reply) override {
    run([query = std::move(query)](Tx& tx) { return postgres::list_actions(tx, query); }, std::move(reply));
  }

  void keyspace(KeyBatch batch, Reply<std::vector<KeyAnswer>> reply) override {
    std::make_shared<KeySlices>(*this, std::move(batch), std::move(reply))->start();
  }
  // Other nodes write too, so memory knows nothing.
  KeyGlance glance(std::string_view) const override { return {}; }

  void register_workers(std::vector<WorkerSpec> batch, Reply<Each<Registered>> reply) override {
    run([batch = std::move(batch)](Tx& tx) -> Result<Each<Registered>> { return postgres::register_workers(tx, batch); },
        std::move(reply));
  }
  void heartbeat(std::vector<Beat> batch, Reply<Each<BeatReply>> reply) override {
    runner_.submit(BeatRequest{.beats = std::move(batch), .reply = std::move(reply)});
  }
  void drain(std::vector<Drain> batch, Reply<Each<Worker>> reply) override {
    run([batch = std::move(batch)](Tx& tx) -> Result<Each<Worker>> { return postgres::drain(tx, batch); }, std::move(reply));
  }
  void unregister(std::vector<Unregister> batch, Reply<Each<Worker>> reply) override {
    run([batch = std::move(batch)](Tx& tx) -> Result<Each<Worker>> { return postgres::unregister(tx, batch); }, std::move(reply));
  }
  void get_workers(NamespaceName ns, std::vector<WorkerId> workers, Reply<Each<Worker>> reply) override {
    run([ns = std::move(ns),
         workers = std::move(workers)](Tx& tx) -> Result<Each<Worker>> { return postgres::get_workers(tx, ns, workers); },
        std::move(reply));
  }
  void list_workers(WorkerQuery query, Reply<WorkerPage> reply) override {
    run([query = std::move(query)](Tx& tx) { return postgres::list_workers(tx, query); }, std::move(reply));
  }

  void change_queue(QueueChange change, Reply<QueueStats> reply) override {
    run([change = std::move(change)](Tx& tx) { return postgres::change_queue(tx, change); }, std::move(reply));
  }
  void list_queues(NamespaceName ns, Reply<std::vector<QueueStats>> reply) override {
    run([ns = std::move(ns)](Tx& tx) { return postgres::list_queues(tx, ns); }, std::move(reply));
  }
  void create_namespace(NamespaceInfo info, Reply<NamespaceInfo> reply) override {
    run([info = std::move(info)](Tx& tx) { return postgres::create_namespace(tx, info); }, std::move(reply));
  }
  void list_namespaces(Reply<std::vector<NamespaceInfo>> reply) override {
    run([](Tx& tx) { return postgres::list_namespaces(tx); }, std::move(reply));
  }
  void delete_namespace(NamespaceName ns, Reply<NamespaceInfo> reply) override {
    run([ns = std::move(ns)](Tx& tx) { return postgres::delete_namespace(tx, ns); }, std::move(reply));
  }

  void promote_due(std::size_t limit, Reply<SweepReport> reply) override {
    sweep(postgres::promote_due, limit, std::move(reply));
  }
  void expire_leases(std::size_t limit, Reply<SweepReport> reply) override {
    sweep(postgres::expire_leases, limit, std::move(reply));
  }
  void time_out_jobs(std::size_t limit, Reply<SweepReport> reply) override {
    sweep(postgres::time_out_jobs, limit, std::move(reply));
  }
  void expire_waiting(std::size_t limit, Reply<SweepReport> reply) override {
    sweep(postgres::expire_waiting, limit, std::move(reply));
  }
  void end_preferences(std::size_t limit, Reply<SweepReport> reply) override {
    sweep(postgres::end_preferences, limit, std::move(reply));
  }
  void bury_silent_workers(std::size_t limit, Reply<SweepReport> reply) override {
    sweep(postgres::bury_silent_workers, limit, std::move(reply));
  }
  void end_drains(std::size_t limit, Reply<SweepReport> reply) override { sweep(postgres::end_drains, limit, std::move(reply)); }
  void prune_finished(Retention retention, std::size_t limit, Reply<SweepReport> reply) override {
    run([retention, limit](Tx& tx) -> Result<SweepReport> { return postgres::prune_finished(tx, retention, limit); },
        std::move(reply));
  }
  void prune_workers(Duration offline_kept, std::size_t limit, Reply<SweepReport> reply) override {
    run([offline_kept, limit](Tx& tx) -> Result<SweepReport> { return postgres::prune_workers(tx, offline_kept, limit); },
        std::move(reply));
  }
  void settle_actions(Retention retention, std::size_t limit, Reply<SweepReport> reply) override {
    run([retention, limit](Tx& tx) -> Result<SweepReport> { return postgres::settle_actions(tx, retention, limit); },
        std::move(reply));
  }
  void expire_keys(std::size_t limit, Reply<SweepReport> reply) override {
    sweep(postgres::expire_keys, limit, std::move(reply));
  }

  void info(Reply<StoreInfo> reply) override {
    run([](Tx& tx) { return postgres::info(tx); }, std::move(reply));
  }
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

  void cluster(Reply<ClusterStatus> reply) override {
    run([](Tx& tx) { return cluster_status(tx); }, std::move(reply));
  }
  bool leading() const override { return node_.leadership.term.load() != 0; }

 private:
  template <class Body, class T>
  void run(Body body, UniqueFunction<void(Result<T>)> reply) {
    runner_.submit(std::make_unique<UnitOf<T, Body>>(std::move(body), std::move(reply)));
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

  void sweep(SweepReport (*pass)(Tx&, std::size_t), std::size_t limit, Reply<SweepReport> reply) {
    run([pass, limit](Tx& tx) -> Result<SweepReport> { return pass(tx, limit); }, std::move(reply));
  }

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
            tx.write(kProbe);
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
          const Rows rows = tx.ask(kReadyLanes);
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
