// A store for the tests of copies: records in memory, both ends of them, a sample of everything there can be, and a target that
// breaks off when told to.
#pragma once

#include <algorithm>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "store/transfer/agent_sample_testing.h"
#include "store/transfer/copy.h"
#include "store/transfer/everything_testing.h"

namespace muster::store::transfer {

// Reads them by their places in the lists.
class MemorySource final : public Source {
 public:
  explicit MemorySource(Everything& all) : all_(all) {}

  Result<Numbers> numbers() override { return all_.numbers; }
  Result<Counts> counts() override { return all_.counts(); }
  Result<Batch> read(Kind kind, const Position& after, std::size_t limit) override {
    switch (kind) {
      case Kind::namespaces: return some(all_.namespaces, after, limit);
      case Kind::queues: return some(all_.queues, after, limit);
      case Kind::workers: return some(all_.workers, after, limit);
      case Kind::bonds: return some(all_.bonds, after, limit);
      case Kind::jobs: return some(all_.jobs, after, limit);
      case Kind::keys: return some(all_.keys, after, limit);
      case Kind::dependencies: return some(all_.dependencies, after, limit);
      case Kind::plans: return some(all_.plans, after, limit);
      case Kind::actions: return some(all_.actions, after, limit);
      case Kind::entries: return some(all_.entries, after, limit);
      case Kind::items: return some(all_.items, after, limit);
      case Kind::fields: return some(all_.fields, after, limit);
      case Kind::scores: return some(all_.scores, after, limit);
      case Kind::steps: return some(all_.steps, after, limit);
      case Kind::signals: return some(all_.signals, after, limit);
      case Kind::schedules: return some(all_.schedules, after, limit);
      case Kind::agents: return some(all_.agents, after, limit);
      case Kind::tools: return some(all_.tools, after, limit);
      case Kind::sessions: return some(all_.sessions, after, limit);
      case Kind::agent_runs: return some(all_.agent_runs, after, limit);
      case Kind::iterations: return some(all_.iterations, after, limit);
      case Kind::executions: return some(all_.executions, after, limit);
      case Kind::messages: return some(all_.messages, after, limit);
      case Kind::compactions: return some(all_.compactions, after, limit);
      case Kind::archive: return some(all_.archive, after, limit);
      case Kind::spending: return some(all_.spending, after, limit);
      case Kind::blobs: return some(all_.blobs, after, limit);
    }
    unreachable();
  }

 private:
  template <class Record>
  static Batch some(const std::vector<Record>& list, const Position& after, std::size_t limit) {
    const auto from = std::min(static_cast<std::size_t>(after.first), list.size());
    const auto to = std::min(from + limit, list.size());
    const auto at = [&list](std::size_t index) { return list.begin() + static_cast<std::ptrdiff_t>(index); };
    return {std::vector<Record>(at(from), at(to)), {static_cast<std::int64_t>(to), {}}};
  }
  Everything& all_;
};

class MemorySink final : public Sink {
 public:
  explicit MemorySink(Everything& all) : all_(all), source_(all) {}

  Result<Bookmark> begin(const Numbers& numbers, const std::string& source) override {
    if (bookmark.source.empty()) {
      if (Status status = must_be_empty(all_.counts()); !status.ok()) return status;
      all_.numbers = numbers;
      bookmark = Bookmark();
      bookmark.source = source;
      bookmark.schema = 1;
    }
    if (Status status = may_continue(bookmark, source, 1); !status.ok()) return status;
    return bookmark;
  }
  Status put(const Records& records, const Bookmark& moved) override {
    std::visit([this](const auto& list) { append(list); }, records);
    bookmark = moved;
    return {};
  }
  Status finish() override {
    bookmark.done = true;
    return {};
  }
  Source& contents() override { return source_; }

  Bookmark bookmark;

 private:
  template <class Record>
  static void append_to(std::vector<Record>& list, const std::vector<Record>& more) {
    list.insert(list.end(), more.begin(), more.end());
  }
  void append(const std::vector<NamespaceInfo>& more) { append_to(all_.namespaces, more); }
  void append(const std::vector<QueueRecord>& more) { append_to(all_.queues, more); }
  void append(const std::vector<Worker>& more) { append_to(all_.workers, more); }
  void append(const std::vector<BondRecord>& more) { append_to(all_.bonds, more); }
  void append(const std::vector<JobRecord>& more) { append_to(all_.jobs, more); }
  void append(const std::vector<KeyRecord>& more) { append_to(all_.keys, more); }
  void append(const std::vector<DependencyRecord>& more) { append_to(all_.dependencies, more); }
  void append(const std::vector<Plan>& more) { append_to(all_.plans, more); }
  void append(const std::vector<ActionRecord>& more) { append_to(all_.actions, more); }
  void append(const std::vector<EntryRecord>& more) { append_to(all_.entries, more); }
  void append(const std::vector<ItemRecord>& more) { append_to(all_.items, more); }
  void append(const std::vector<FieldRecord>& more) { append_to(all_.fields, more); }
  void append(const std::vector<ScoreRecord>& more) { append_to(all_.scores, more); }
  void append(const std::vector<StepRecord>& more) { append_to(all_.steps, more); }
  void append(const std::vector<SignalRecord>& more) { append_to(all_.signals, more); }
  void append(const std::vector<Schedule>& more) { append_to(all_.schedules, more); }
  void append(const std::vector<Agent>& more) { append_to(all_.agents, more); }
  void append(const std::vector<Tool>& more) { append_to(all_.tools, more); }
  void append(const std::vector<SessionRow>& more) { append_to(all_.sessions, more); }
  void append(const std::vector<AgentRun>& more) { append_to(all_.agent_runs, more); }
  void append(const std::vector<Iteration>& more) { append_to(all_.iterations, more); }
  void append(const std::vector<ExecutionRecord>& more) { append_to(all_.executions, more); }
  void append(const std::vector<MessageRow>& more) { append_to(all_.messages, more); }
  void append(const std::vector<CompactionEvent>& more) { append_to(all_.compactions, more); }
  void append(const std::vector<ArchiveRecord>& more) { append_to(all_.archive, more); }
  void append(const std::vector<SpendingRecord>& more) { append_to(all_.spending, more); }
  void append(const std::vector<BlobRecord>& more) { append_to(all_.blobs, more); }

  Everything& all_;
  MemorySource source_;
};

// Breaks off after `puts` batches, as a process that is killed between two of them.
class BreakingSink final : public Sink {
 public:
  BreakingSink(Sink& sink, std::size_t puts) : sink_(sink), left_(puts) {}
  Result<Bookmark> begin(const Numbers& numbers, const std::string& source) override { return sink_.begin(numbers, source); }
  Status put(const Records& records, const Bookmark& bookmark) override {
    if (left_ == 0) return Status::unavailable("the test broke it off");
    --left_;
    return sink_.put(records, bookmark);
  }
  Status finish() override {
    if (left_ == 0) return Status::unavailable("the test broke it off");
    return sink_.finish();
  }
  Source& contents() override { return sink_.contents(); }

 private:
  Sink& sink_;
  std::size_t left_;
};

// Every state, every wish, and what only some stores have to work for: contents of every size, keys that are no text, leases of
// every kind. Times are around `now`.
class Sample {
 public:
  explicit Sample(Instant now) : now_(now) {
    all.namespaces = {{.name = NamespaceName("default"),
                       .created_at = now - Duration(9'000),
                       .description = "where everything goes",
                       .updated_at = now - Duration(9'000)},
                      {.name = NamespaceName("other"),
                       .created_at = now - Duration(8'000),
                       .description = std::string("bytes \0 and \xff", 13),
                       .display_name = "The other one",
                       .enabled = false,
                       .updated_at = now - Duration(7'500)}};
    QueueSettings capped, paused;
    capped.running_max = 3;
    capped.rate = RateLimit{5, Duration(1'000), 2};
    paused.paused = true;
    paused.pause_reason = "later";
    all.queues = {{ns(), queue(), {}}, {ns(), QueueName("capped"), capped}, {NamespaceName("other"), queue(), paused}};
    add_workers();
    all.bonds = {{ns(), queue(), "basket-1", WorkerId("w1")}};
    add_waiting();
    add_running();
    add_runs();
    add_finished();
    all.keys = {{ns(), "order-1", 1}, {NamespaceName("other"), "order-1", 2}};
    add_plans();
    add_keyspace();
    add_schedules();
    AgentSample(all, now).add();
  }

  Everything all;

 private:
  static NamespaceName ns() { return NamespaceName("default"); }
  static QueueName queue() { return QueueName("mail"); }

  void add_workers() {
    Worker live;
    live.spec.ns = ns();
    live.spec.id = WorkerId("w1");
    live.spec.capabilities = CapabilitySet({"tool:zip"});
    live.spec.labels = {{"zone", "a"}};
    live.spec.slots = 8;
    live.spec.policy = HeartbeatPolicy{Duration(5'000), Duration(20'000)};
    live.session = SessionId{41};
    live.registered_at = live.last_seen_at = now_ - Duration(5'000);
    live.completed = 3;
    live.failed = 1;
    live.stats = R"({"load":0.5})";
    Worker gone = live;
    gone.spec.id = WorkerId("w2");
    gone.session = SessionId{42};
    gone.state = WorkerState::offline;
    gone.offline_at = now_ - Duration(1'000);
    gone.offline_cause = "silent";
    Worker leaving = live;
    leaving.spec.id = WorkerId("w3");
    leaving.session = SessionId{43};
    leaving.state = WorkerState::draining;
    leaving.drain_deadline = now_ + Duration(60'000);
    leaving.drain_reason = "deploy";
    leaving.drain_origin = DrainOrigin::asked;
    all.workers = {live, gone, leaving};
  }

  JobRecord& job(JobState state) {
    JobRecord record;
    record.key = static_cast<JobKey>(all.jobs.size()) + 1;
    record.job.spec.queue = queue();
    record.job.spec.type = JobType("send");
    record.job.spec.payload = {"{\"n\":" + std::to_string(record.key) + "}", Encoding::json};
    record.job.state = state;
    record.job.created_at = now_ - Duration(4'000);
    record.job.run_at = now_ - Duration(3'000);
    record.rank = rank_of(*record.job.run_at, 0);
    all.jobs.push_back(std::move(record));
    return all.jobs.back();
  }

  void add_waiting() {
    job(JobState::ready).job.spec.idempotency_key = "order-1";
    {
      JobRecord& elsewhere = job(JobState::ready);
      elsewhere.job.spec.ns = NamespaceName("other");
      elsewhere.job.spec.idempotency_key = "order-1";
      elsewhere.job.spec.payload = {std::string("\0\1\xff", 3), Encoding::bytes};
    }
    {
      JobRecord& later = job(JobState::scheduled);
      later.job.spec.priority = 7;
      later.job.spec.delay = Duration(60'000);
      later.job.run_at = now_ + Duration(60'000);
      later.rank = rank_of(*later.job.run_at, 7);
      later.job.spec.expires_in = Duration(90'000);
      later.job.expires_at = now_ + Duration(86'000);
    }
    {
      JobRecord& again = job(JobState::scheduled);  // failed once, on a worker that is gone for good
      again.event = JobEvent::failed;
      again.job.run_at = now_ + Duration(30'000);
      again.rank = rank_of(*again.job.run_at, 0);
      again.job.attempt = 1;
      again.job.fence = Fence{9};
      again.job.worker = WorkerId("w1");
      again.job.started_at = now_ - Duration(2'500);
      again.job.error = JobError{"boom", "it broke"};
      again.job.attempts = {{1, Fence{9}, WorkerId("w1"), now_ - Duration(2'500), now_ - Duration(2'000), JobEvent::failed,
                             JobError{"boom", "it broke"}},
                            {1, Fence{8}, WorkerId("nobody"), now_ - Duration(2'900), now_ - Duration(2'700), JobEvent::lost,
                             JobError{"worker_lost", "gone"}}};
      again.job.progress = Progress{0.25, "a quarter", Content{std::string(3'000, 'p'), Encoding::bytes}, now_ - Duration(2'100)};
    }
    for (int i = 0; i < 2; ++i) {
      JobRecord& fair = job(JobState::ready);
      fair.job.spec.fairness = FairnessKey{i == 0 ? "tenant-a" : "tenant-b", 2};
      fair.job.spec.priority = 1;
      fair.rank = fair_rank(fair_stamp(*fair.job.run_at, 0, 0, 2), 1);
    }
    for (int i = 0; i < 2; ++i) job(JobState::ready).job.spec.concurrency = ConcurrencyKey{"account-1", 1};
    job(JobState::ready).job.spec.affinity.sticky_key = "basket-1";
    {
      JobRecord& picky = job(JobState::ready);
      picky.job.spec.affinity.prefer = "label:zone=a";
      picky.job.spec.affinity.prefer_wait = Duration(600'000);
    }
    job(JobState::ready).job.spec.unique = UniqueKey{"daily", UniqueWhile::waiting};
    {
      JobRecord& needy = job(JobState::ready);
      needy.job.spec.needs = CapabilitySet({"tool:zip", "tool:tar"});
      needy.job.spec.selector = {{"zone", "a"}};
      needy.job.spec.labels = {{"team", "x"}};
      needy.job.spec.payload = {std::string(5'000, 'z'), Encoding::json};
      needy.job.spec.retry.attempts_max = 2;
      needy.job.spec.correlation = "c-1";
    }
  }

  JobRecord& running(std::uint64_t fence, const char* worker) {
    JobRecord& record = job(JobState::running);
    record.event = JobEvent::claimed;
    record.job.attempt = 1;
    record.job.fence = Fence{fence};
    record.job.worker = WorkerId(worker);
    record.job.started_at = now_ - Duration(1'500);
    record.granted = Duration(20'000);
    return record;
  }

  void add_running() {
    const JobKey first = running(101, "w1").key;
    running(102, "w1").granted = Duration(300'000);  // as the claim asked for
    {
      JobRecord& own = running(103, "w3");
      own.job.spec.lease_ttl = Duration(45'000);
      own.granted = Duration(45'000);
      own.job.spec.timeout = Duration(600'000);
      own.job.cancel_requested = true;
      own.cancel_reason = "changed my mind";
    }
    running(104, "w1").granted.reset();  // its lease was over
    running(105, "w1").job.spec.concurrency = ConcurrencyKey{"account-1", 1};
    running(106, "w1").job.spec.unique = UniqueKey{"weekly", UniqueWhile::unfinished};
    running(107, "w1").job.spec.queue = QueueName("capped");
    JobRecord& after = job(JobState::scheduled);
    after.job.run_at.reset();
    after.job.spec.after = {IdCodec(all.numbers.salt).encode(first)};
    after.job.spec.on_dependency_failure = OnDependencyFailure::run;
    all.dependencies = {{after.key, first}};
  }

  JobRecord& finished(JobState state, JobEvent event, Duration ago) {
    JobRecord& record = job(state);
    record.event = event;
    record.job.attempt = 1;
    record.job.fence = Fence{static_cast<std::uint64_t>(200 + record.key)};
    record.job.worker = WorkerId("w2");
    record.job.started_at = now_ - ago - Duration(100);
    record.job.finished_at = now_ - ago;
    record.rank = 0;
    return record;
  }

  void add_finished() {
    finished(JobState::completed, JobEvent::completed, Duration(500)).job.result = Content{R"({"ok":true})", Encoding::json};
    finished(JobState::completed, JobEvent::completed, Duration(3 * 86'400'000)).job.result =
        Content{std::string(70'000, 'r'), Encoding::bytes};
    finished(JobState::completed, JobEvent::completed, Duration(std::int64_t{400} * 86'400'000));
    finished(JobState::completed, JobEvent::completed, Duration(400)).job.result = Content{"", Encoding::json};
    {
      JobRecord& dead = finished(JobState::dead, JobEvent::exhausted, Duration(700));
      dead.job.error = JobError{"boom", "for the last time"};
      dead.job.spec.concurrency = ConcurrencyKey{"account-1", 1};
    }
    JobRecord& cancelled = finished(JobState::cancelled, JobEvent::cancelled, Duration(600));
    cancelled.job.attempt = 0;
    cancelled.job.fence = Fence{};
    cancelled.job.worker = WorkerId();
    cancelled.job.started_at.reset();
    cancelled.job.run_at.reset();  // it waited for another job
    cancelled.job.cancel_requested = true;
    cancelled.job.error = JobError{"cancelled", "no longer wanted"};
  }

  void add_plans() {
    Plan used;
    used.spec.ns = ns();
    used.spec.id = PlanId("sort-lines");
    used.spec.text = "{\"tasks\":[]}\n";
    used.spec.description = "sorts \xe2\x82\xac";
    used.spec.tasks = 2;
    used.spec.needs = CapabilitySet({"tool:sort", "tool:uniq"});
    used.created_at = now_ - Duration(7'000);
    used.last_used_at = now_ - Duration(6'000);
    used.actions = 2;
    used.jobs = 7;
    Plan fresh;
    fresh.spec.ns = NamespaceName("other");
    fresh.spec.id = PlanId("sort-lines");
    fresh.spec.text = "{}";
    fresh.created_at = now_ - Duration(6'500);
    all.plans = {used, fresh};

    // One that is open and lost a job already, with gaps between its keys; one that is settled and whose jobs are gone.
    ActionRecord open;
    open.action = {.ns = ns(), .id = ActionId("a-open"), .plan = PlanId("sort-lines"), .created_at = now_ - Duration(6'000)};
    open.jobs = {1, 3, 4, 5, 900};
    open.action.jobs = open.jobs.size();
    open.action.counts.failed = 1;
    ActionRecord settled;
    settled.action = {.ns = ns(), .id = ActionId("a-done"), .plan = PlanId("sort-lines"), .created_at = now_ - Duration(5'900)};
    settled.jobs = {901, 902};
    settled.action.jobs = settled.jobs.size();
    settled.settled_at = now_ - Duration(100);
    settled.action.counts.completed = 1;
    settled.action.counts.cancelled = 1;
    all.actions = {open, settled};
  }

  EntryRecord& entry(std::int64_t number, std::string name, KeyType type, std::int64_t count) {
    EntryRecord record;
    record.number = number;
    record.ns = ns();
    record.name = std::move(name);
    record.type = type;
    record.count = count;
    all.entries.push_back(std::move(record));
    return all.entries.back();
  }

  // Bytes that are no text, a name longer than an index entry, both spaces, and every type. Numbers have gaps.
  void add_keyspace() {
    entry(2, "greeting", KeyType::text, 0).text = std::string("h\0\xff", 3);
    entry(3, std::string(3'000, 'n') + "\xff", KeyType::text, 0).expires_at = now_ + Duration(5'000);
    entry(4, "", KeyType::text, 0).text = std::string(20'000, 't');
    {
      EntryRecord& own = entry(7, "job:1:stdout", KeyType::text, 0);
      own.space = KeySpace::internal;
      own.ns = NamespaceName("other");
      own.text = "out";
    }
    {
      EntryRecord& list = entry(8, "list", KeyType::list, 2);
      list.head = -5;
      list.tail = 4;
    }
    entry(9, "hash", KeyType::hash, 2);
    entry(12, "set", KeyType::set, 1).expires_at = now_ - Duration(5);  // its time has come
    entry(13, "scores", KeyType::scores, 3);
    all.items = {{8, -5, std::string("\0first", 6)}, {8, 4, ""}};
    all.fields = {{9, std::string(3'000, 'f'), "1"}, {9, std::string("\xff\0", 2), "2"}, {12, "member", ""}};
    all.scores = {{13, "low", -0.5}, {13, std::string("\0\xff", 2), 1e300}, {13, "top", std::numeric_limits<double>::infinity()}};
  }

  StepRecord& step(JobKey run, const char* name) {
    StepRecord record;
    record.ns = ns();
    record.run = run;
    for (const StepRecord& before : all.steps)
      if (before.run == run) ++record.place;
    ++record.place;
    record.step.name = name;
    record.step.begun_at = now_ - Duration(1'400);
    record.step.worker = WorkerId("w1");
    record.step.fence = Fence{110};
    all.steps.push_back(std::move(record));
    return all.steps.back();
  }

  // A run at work with steps of every kind and state, and one that sleeps, with signals nobody took. Behind the live jobs,
  // whose keys the tests know.
  void add_runs() {
    JobRecord& run = running(110, "w1");
    run.job.spec.run = RunSpec{.external_id = "order-7", .context = R"({"trace":"t"})", .metadata = {{"k", "v"}}};
    run.job.spec.run->steps.attempts_max = 7;
    run.job.spec.deadline = now_ + Duration(900'000);
    run.job.expires_at = run.job.spec.deadline;
    const JobKey parent = run.key;
    JobRecord& child = job(JobState::scheduled);
    child.event = JobEvent::snoozed;
    child.job.attempt = 1;
    child.job.fence = Fence{111};
    child.job.worker = WorkerId("w1");
    child.job.started_at = now_ - Duration(1'200);
    child.job.run_at = now_ + Duration(50'000);
    child.rank = rank_of(*child.job.run_at, 0);
    child.job.spec.run = RunSpec{.version = "2", .backoff = StepBackoff::multiplied_first, .schedule = "s-1"};
    child.job.spec.run->parent = RunParent{IdCodec(all.numbers.salt).encode(parent), "spawn"};
    const JobKey asleep = child.key;

    {
      muster::Step& done = step(parent, "charge").step;
      done.state = StepState::completed;
      done.input = Content{R"({"cents":5})", Encoding::json};
      done.output = Content{std::string("\0\xff", 2) + std::string(5'000, 'o'), Encoding::bytes};
      done.policy = {.attempts_max = 3, .first_delay = Duration(10), .factor = 1.5, .non_retryable = {"fatal"}};
      done.finished_at = now_ - Duration(1'300);
    }
    {
      muster::Step& lost = step(parent, "ship").step;  // by a worker nobody knows any more
      lost.state = StepState::failed;
      lost.error = JobError{"worker_lost", "gone"};
      lost.worker = WorkerId("nobody");
      lost.finished_at = lost.until = now_ - Duration(1'250);
    }
    step(parent, "ship").step.attempt = 2;
    {
      muster::Step& spawned = step(parent, "spawn").step;
      spawned.kind = StepKind::child;
      spawned.state = StepState::waiting;
      spawned.child = IdCodec(all.numbers.salt).encode(asleep);
    }
    {
      muster::Step& nap = step(asleep, "nap").step;
      nap.kind = StepKind::sleep;
      nap.state = StepState::waiting;
      nap.until = child_run_at();
    }
    {
      muster::Step& approval = step(asleep, "approval").step;
      approval.kind = StepKind::signal;
      approval.state = StepState::waiting;
      approval.signal = "approved";
      approval.worker = WorkerId();
    }
    all.signals = {{asleep, 1, "paid", Content{"{}", Encoding::json}},
                   {asleep, 4, "paid", Content{std::string("\0\1", 2), Encoding::bytes}},
                   {parent, 1, "stop", Content{"", Encoding::bytes}}};
  }
  Instant child_run_at() const { return now_ + Duration(50'000); }

  void add_schedules() {
    Schedule nightly;
    nightly.spec.ns = nightly.spec.job.ns = ns();
    nightly.spec.id = ScheduleId("s-1");
    nightly.spec.timing = {.text = "0 2 * * *", .zone = "Europe/Berlin", .gap = GapRule::skip, .fold = FoldRule::twice};
    nightly.spec.timing.jitter = Duration(5'000);
    nightly.spec.job.queue = queue();
    nightly.spec.job.type = JobType("report");
    nightly.spec.job.priority = 4;
    nightly.spec.job.payload = {std::string("\0\xff", 2), Encoding::bytes};
    nightly.spec.job.labels = {{"team", "x"}};
    nightly.spec.job.run = RunSpec{.version = "3"};
    nightly.spec.overlap = Overlap::buffer_one;
    nightly.spec.catchup_max = 3;
    nightly.spec.note = "by night";
    nightly.created_at = now_ - Duration(90'000);
    nightly.updated_at = now_ - Duration(80'000);
    nightly.next_fire_at = now_ + Duration(40'000);
    nightly.last_fired_at = nightly.caught_up_to = now_ - Duration(46'000);
    nightly.buffered = now_ - Duration(46'000);
    nightly.last_job = IdCodec(all.numbers.salt).encode(1);
    nightly.fired = 12;
    nightly.skipped = 3;
    nightly.revision = 17;
    Schedule off;
    off.spec.ns = off.spec.job.ns = NamespaceName("other");
    off.spec.id = ScheduleId("s-1");
    off.spec.timing.text = "every 90s";
    off.spec.job.type = JobType("ping");
    off.spec.job.payload = {std::string(6'000, 'j'), Encoding::json};
    off.spec.enabled = false;
    off.created_at = off.updated_at = now_ - Duration(70'000);
    off.revision = 1;
    all.schedules = {nightly, off};
  }

  const Instant now_;
};

inline Digest digest_of(Source& source) {
  Digest out;
  for (const Kind kind : kKinds) {
    Position after;
    while (true) {
      auto batch = source.read(kind, after, 7);
      check(batch.ok(), "a test's store can be read");
      if (size_of(batch->records) == 0) break;
      out.add(batch->records);
      after = batch->last;
    }
  }
  return out;
}

}  // namespace muster::store::transfer
