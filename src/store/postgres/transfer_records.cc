#include "store/postgres/transfer_records.h"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "model/lane.h"
#include "model/rank.h"
#include "store/codec/spec_text.h"
#include "store/postgres/moves.h"
#include "store/postgres/read_rows.h"
#include "store/postgres/wishes.h"
#include "store/refusals.h"

namespace muster::store::postgres {
namespace {

bool is_counted(const QueueSettings& settings) { return settings.running_max || !settings.running_max_by_type.empty(); }

template <class Map, class Key>
typename Map::mapped_type found_in(const Map& map, const Key& key) {
  const auto found = map.find(key);
  return found == map.end() ? typename Map::mapped_type{} : found->second;
}

NamespaceKey key_at(const Rows& rows, std::size_t row, int column) {
  return static_cast<NamespaceKey>(rows.integer(row, column));
}

}  // namespace

void TransferNames::lost(Status what) {
  if (problem_.ok()) problem_ = std::move(what);
}

void TransferNames::load(Tx& tx) {
  const Rows namespaces = tx.ask("directory_namespaces"_sql);
  for (std::size_t i = 0; i < namespaces.size(); ++i) namespaces_[namespaces.text(i, 1)] = key_at(namespaces, i, 0);
  const Rows queues = tx.ask("directory_queues"_sql);
  for (std::size_t i = 0; i < queues.size(); ++i)
    queues_[{key_at(queues, i, 1), queues.text(i, 2)}] = {key_at(queues, i, 0),
                                                          is_counted(settings_from_text(queues.view(i, 3)))};
  const Rows lanes = tx.ask("directory_lanes"_sql);
  for (std::size_t i = 0; i < lanes.size(); ++i)
    if (lanes.null(i, 5))  // the others stand for jobs that are held for somebody
      lanes_[{key_at(lanes, i, 1), lanes.text(i, 2), lanes.text(i, 3), lanes.integer(i, 4) != 0}] = key_at(lanes, i, 0);
  const Rows workers = tx.ask("transfer_workers_known"_sql);
  for (std::size_t i = 0; i < workers.size(); ++i)
    workers_[{key_at(workers, i, 1), workers.text(i, 2)}] = {key_at(workers, i, 0), Duration(workers.integer(i, 3))};
}

void TransferNames::put(Tx& tx, const std::vector<NamespaceInfo>& records) {
  Table table({Type::text, Type::bytes, Type::int8, Type::bytes, Type::boolean, Type::int8});
  for (const NamespaceInfo& record : records)
    table.add(record.name, record.description, record.created_at, record.display_name, record.enabled, record.updated_at);
  const Rows rows = tx.ask("transfer_namespaces_put"_sql, table.params());
  for (std::size_t i = 0; i < rows.size(); ++i) namespaces_[rows.text(i, 1)] = key_at(rows, i, 0);
}

void TransferNames::put(Tx& tx, const std::vector<transfer::QueueRecord>& records) {
  Table table({Type::int4, Type::text, Type::bytes, Type::boolean});
  std::set<std::pair<NamespaceKey, std::string>> counted;
  for (const transfer::QueueRecord& record : records) {
    const QueueEntry entry{.settings = record.settings};
    const NamespaceKey scope = ns(record.ns);
    const std::string settings = record.settings == QueueSettings() ? std::string() : settings_to_text(record.settings);
    table.add(scope, record.name, or_null(settings), entry.gated());
    if (is_counted(record.settings)) counted.insert({scope, record.name.text()});
  }
  const Rows rows = tx.ask("transfer_queues_put"_sql, table.params());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const std::pair<NamespaceKey, std::string> scoped{key_at(rows, i, 1), rows.text(i, 2)};
    queues_[scoped] = {key_at(rows, i, 0), counted.contains(scoped)};
  }
}

void TransferNames::put(Tx& tx, const std::vector<Worker>& records) {
  Table table({Type::int4, Type::text, Type::int8, Type::int2, Type::int4, Type::int8, Type::text, Type::int8, Type::int8,
               Type::int8, Type::text, Type::int8, Type::bytes, Type::int2, Type::int8, Type::int8, Type::bytes});
  for (const Worker& worker : records) {
    const HeartbeatPolicy policy = worker.spec.policy.value_or(default_policy(worker.spec.dialect));
    table.add(ns(worker.spec.ns), worker.spec.id, worker.session, worker.state, worker.spec.slots, policy.dead_after,
              worker_to_text(worker.spec), worker.registered_at, worker.last_seen_at, worker.offline_at, worker.offline_cause,
              worker.drain_deadline, worker.drain_reason, worker.drain_origin, worker.completed, worker.failed, worker.stats);
  }
  const Rows rows = tx.ask("transfer_workers_put"_sql, table.params());
  for (std::size_t i = 0; i < rows.size(); ++i)
    workers_[{key_at(rows, i, 1), rows.text(i, 2)}] = {key_at(rows, i, 0), Duration(rows.integer(i, 3))};
}

void TransferNames::put_lanes(Tx& tx, const std::vector<transfer::JobRecord>& records) {
  std::set<LaneName> missing;
  for (const transfer::JobRecord& record : records)
    if (LaneName name = name_of(record.job.spec); !lanes_.contains(name)) missing.insert(std::move(name));
  if (missing.empty()) return;
  Table table({Type::int4, Type::text, Type::bytes, Type::boolean});
  for (const auto& [queue_key, type, needs, special] : missing) table.add(queue_key, type, needs, special);
  const Rows rows = tx.ask("transfer_lanes_put"_sql, table.params());
  for (std::size_t i = 0; i < rows.size(); ++i)
    lanes_[{key_at(rows, i, 1), rows.text(i, 2), rows.text(i, 3), rows.integer(i, 4) != 0}] = key_at(rows, i, 0);
}

TransferNames::LaneName TransferNames::name_of(const JobSpec& spec) {
  return {queue(spec.ns, spec.queue).key, spec.type.text(), plain_needs(spec).key(), claims_specially(spec)};
}

NamespaceKey TransferNames::ns(const NamespaceName& name) {
  const NamespaceKey key = found_in(namespaces_, name.text());
  if (key == 0) lost(refusal::source_lacks("namespace", name.text()));
  return key;
}

TransferNames::Queue TransferNames::queue(const NamespaceName& scope, const QueueName& name) {
  const Queue known = found_in(queues_, std::pair(ns(scope), name.text()));
  if (known.key == 0) lost(refusal::source_lacks("queue", name.text()));
  return known;
}

TransferNames::KnownWorker TransferNames::worker(const NamespaceName& scope, const WorkerId& id) {
  return found_in(workers_, std::pair(ns(scope), id.text()));
}

LaneKey TransferNames::lane(const JobSpec& spec) { return found_in(lanes_, name_of(spec)); }

namespace {

constexpr std::int64_t kDayMs = 86'400'000;

using transfer::JobRecord;
using ScopedKey = std::pair<NamespaceKey, std::string>;

std::int64_t row_flags(const Job& job) {
  std::uint16_t flags = flags_of(job.spec);
  if (job.result && job.result->encoding == Encoding::bytes) flags |= kResultBytes;
  if (job.cancel_requested) flags |= kCancelRequested;
  return flags;
}

Place place_of(const Job& job) {
  if (job.state == JobState::ready) return Place::ready;
  return job.run_at ? Place::scheduled : Place::blocked;
}

// The columns that all three tables share, in the order of the statements, and those that one of them has besides.
Table job_table(std::initializer_list<Type> further) {
  std::vector<Type> types{Type::int8, Type::int4,  Type::int2, Type::int2, Type::int8, Type::int8, Type::int4,
                          Type::int4, Type::int8,  Type::int4, Type::int8, Type::int8, Type::int8, Type::int8,
                          Type::text, Type::bytes, Type::text, Type::text, Type::text, Type::bytes};
  types.insert(types.end(), further);
  return Table(std::move(types));
}

template <class... Further>
void add_job(Table& table, const JobRecord& record, LaneKey lane, WorkerKey worker, const Further&... further) {
  const Job& job = record.job;
  const std::string attempts = job.attempts.empty() ? std::string() : attempts_to_text(job.attempts);
  table.add(record.key, lane, row_flags(job), job.spec.priority, job.created_at, job.run_at, job.attempt, job.rescues,
            to_number(job.fence) != 0 ? std::optional(job.fence) : std::nullopt,
            worker != 0 ? std::optional(worker) : std::nullopt, job.started_at, job.expires_at, job.spec.lease_ttl,
            job.spec.timeout, or_null(spec_to_text(job.spec)), job.spec.payload.data,
            or_null(job.error ? error_to_text(*job.error) : std::string()), or_null(attempts),
            or_null(job.progress ? progress_to_text(*job.progress) : std::string()),
            data_of(job.progress ? job.progress->partial : std::nullopt), further...);
}

class Taking {
 public:
  Taking(Tx& tx, TransferNames& names) : tx_(tx), names_(names) {}

  void add(const JobRecord& record) {
    const Job& job = record.job;
    const TransferNames::KnownWorker worker =
        job.worker.empty() ? TransferNames::KnownWorker() : names_.worker(job.spec.ns, job.worker);
    const LaneKey lane = names_.lane(job.spec);
    if (is_finished(job.state)) {
      add_finished(record, lane, worker.key);
      return;
    }
    job.state == JobState::running ? add_running(record, lane, worker) : add_waiting(record, lane, worker.key);
    if (settles_specially(job.spec)) add_wishes(record, lane);
  }

  void write() {
    if (!waiting_.empty()) tx_.write("transfer_waiting_put"_sql, waiting_.params());
    if (!running_.empty()) tx_.write("transfer_running_put"_sql, running_.params());
    if (!finished_.empty()) tx_.write("transfer_finished_put"_sql, finished_.params());
    write_keys("holders_put"_sql, holders_);
    std::vector<std::pair<ScopedKey, JobKey>> uniques(uniques_.begin(), uniques_.end());
    write_keys("unique_put"_sql, uniques);
    write_fair();
  }

 private:
  void add_waiting(const JobRecord& record, LaneKey lane, WorkerKey worker) {
    add_job(waiting_, record, lane, worker, record.event, record.rank, place_of(record.job), settles_specially(record.job.spec));
  }

  void add_running(const JobRecord& record, LaneKey lane, const TransferNames::KnownWorker& worker) {
    const Job& job = record.job;
    if (worker.key == 0 || !job.started_at || !job.run_at)
      return names_.lost(
          Status::corrupt(fmt::format("job row {} runs, but the source does not say where or since when", record.key)));
    const Duration granted = record.granted.value_or(worker.dead_after);
    add_job(running_, record, lane, worker.key, record.rank, granted, !record.granted,
            !record.granted || granted != worker.dead_after, names_.queue(job.spec.ns, job.spec.queue).counted,
            settles_specially(job.spec), job.cancel_requested ? std::optional(record.cancel_reason) : std::nullopt);
  }

  void add_finished(const JobRecord& record, LaneKey lane, WorkerKey worker) {
    const Job& job = record.job;
    add_job(finished_, record, lane, worker, record.event, job.state, job.finished_at.value_or(job.created_at),
            data_of(job.result));
  }

  void add_wishes(const JobRecord& record, LaneKey lane) {
    const Job& job = record.job;
    const JobSpec& spec = job.spec;
    Wishes wishes = wishes_of(spec, names_.ns(spec.ns), job.created_at);
    // The stamp is in the rank; the keys' finishes follow from the stamps of those that still wait.
    if (spec.fairness && job.state == JobState::ready && record.event == JobEvent::enqueued) {
      wishes.fair_lane = lane;
      wishes.fair_start = record.rank + spec.priority * kAgeingPerPoint.count();
      stamp(lane, spec.fairness->key, wishes.fair_start, wishes.fair_start + fair_cost(spec.fairness->weight));
    }
    write_wishes(tx_, record.key, wishes);
    const bool runs = job.state == JobState::running;
    if (spec.concurrency && runs) holders_.push_back({{wishes.ns, spec.concurrency->key}, record.key});
    if (spec.unique && (!runs || spec.unique->during == UniqueWhile::unfinished))
      uniques_.try_emplace({wishes.ns, spec.unique->key}, record.key);
  }

  void stamp(LaneKey lane, const std::string& key, std::int64_t start, std::int64_t finish) {
    const auto [time, fresh] = fair_.try_emplace({lane, {}}, start);
    if (!fresh) time->second = std::min(time->second, start);
    std::int64_t& known = fair_[{lane, key}];
    known = std::max(known, finish);
  }

  void write_keys(Sql statement, const std::vector<std::pair<ScopedKey, JobKey>>& keys) {
    if (keys.empty()) return;
    Table rows = key_table();
    for (const auto& [scoped, id] : keys) rows.add(scoped.first, scoped.second, id);
    tx_.write(statement, rows.params());
  }

  void write_fair() {
    if (fair_.empty()) return;
    Table rows({Type::int4, Type::bytes, Type::int8});
    for (const auto& [name, finish] : fair_) rows.add(name.first, name.second, finish);
    tx_.write("transfer_fair_put"_sql, rows.params());
  }

  Tx& tx_;
  TransferNames& names_;
  Table waiting_ = job_table({Type::int2, Type::int8, Type::int2, Type::boolean});
  Table running_ = job_table({Type::int8, Type::int8, Type::boolean, Type::boolean, Type::boolean, Type::boolean, Type::bytes});
  Table finished_ = job_table({Type::int2, Type::int2, Type::int8, Type::bytes});
  std::vector<std::pair<ScopedKey, JobKey>> holders_;
  std::map<ScopedKey, JobKey> uniques_;
  std::map<std::pair<LaneKey, std::string>, std::int64_t> fair_;  // the empty key: the lane's virtual time
};

void open_days(Tx& tx, const std::vector<JobRecord>& records, std::set<std::int64_t>& days) {
  const std::int64_t today = tx.now_ms() / kDayMs;
  for (const JobRecord& record : records) {
    if (!record.job.finished_at || record.job.state == JobState::dead) continue;
    const std::int64_t day = to_ms(*record.job.finished_at) / kDayMs;
    if (day > today || day <= today - kCopyDaysMax || !days.insert(day).second) continue;
    tx.write("prune_day_name"_sql, std::move(Params().text(std::to_string(day))));
    tx.write("transfer_open_day"_sql);
  }
}

}  // namespace

void put_jobs(Tx& tx, TransferNames& names, const std::vector<JobRecord>& records, std::set<std::int64_t>& days) {
  names.put_lanes(tx, records);
  open_days(tx, records, days);
  Taking taking(tx, names);
  for (const JobRecord& record : records) taking.add(record);
  taking.write();
}

void put_dependencies(Tx& tx, const std::vector<transfer::DependencyRecord>& records) {
  Table rows({Type::int8, Type::int8});
  std::set<JobKey> waiting, watched;
  for (const transfer::DependencyRecord& record : records) {
    rows.add(record.job, record.after);
    waiting.insert(record.job);
    watched.insert(record.after);
  }
  tx.write("dependencies_put"_sql, rows.params());
  tx.write("transfer_pending"_sql, Params().int8s({waiting.begin(), waiting.end()}));
  tx.write("watch"_sql, Params().int8s({watched.begin(), watched.end()}));
}

void put_entries(Tx& tx, TransferNames& names, const std::vector<transfer::EntryRecord>& records) {
  Table rows(
      {Type::int8, Type::int4, Type::int2, Type::bytes, Type::int2, Type::int8, Type::int8, Type::int8, Type::int8, Type::bytes});
  for (const transfer::EntryRecord& record : records)
    rows.add(record.number, names.ns(record.ns), record.space, record.name, record.type, record.expires_at, record.count,
             record.head, record.tail, record.type == KeyType::text ? std::optional(record.text) : std::nullopt);
  tx.write("transfer_entries_put"_sql, rows.params());
}

void put_items(Tx& tx, const std::vector<transfer::ItemRecord>& records) {
  Table rows({Type::int8, Type::int8, Type::bytes});
  for (const transfer::ItemRecord& record : records) rows.add(record.entry, record.position, record.value);
  tx.write("transfer_items_put"_sql, rows.params());
}

void put_fields(Tx& tx, const std::vector<transfer::FieldRecord>& records) {
  Table rows({Type::int8, Type::bytes, Type::bytes});
  for (const transfer::FieldRecord& record : records) rows.add(record.entry, record.name, record.value);
  tx.write("transfer_fields_put"_sql, rows.params());
}

void put_scores(Tx& tx, const std::vector<transfer::ScoreRecord>& records) {
  Table rows({Type::int8, Type::bytes, Type::float8});
  for (const transfer::ScoreRecord& record : records) rows.add(record.entry, record.member, record.score);
  tx.write("transfer_scores_put"_sql, rows.params());
}

void number_entries(Tx& tx) { tx.write("transfer_entries_numbered"_sql); }

namespace {

std::int64_t as_integer(std::uint64_t value) { return static_cast<std::int64_t>(value); }

}  // namespace

void put_plans(Tx& tx, TransferNames& names, const std::vector<Plan>& records) {
  Table rows({Type::int4, Type::text, Type::bytes, Type::bytes, Type::int4, Type::bytes, Type::int8, Type::int8, Type::int8,
              Type::int8});
  for (const Plan& plan : records)
    rows.add(names.ns(plan.spec.ns), plan.spec.id, plan.spec.text, plan.spec.description, plan.spec.tasks, plan.spec.needs.key(),
             plan.created_at, plan.last_used_at, plan.actions, plan.jobs);
  tx.write("transfer_plans_put"_sql, rows.params());
}

// One by one, since a list of lists is no parameter.
void put_actions(Tx& tx, TransferNames& names, const std::vector<transfer::ActionRecord>& records) {
  for (const transfer::ActionRecord& record : records) {
    const Action& action = record.action;
    const auto [first, last] = std::minmax_element(record.jobs.begin(), record.jobs.end());
    Params params;
    params.int4(names.ns(action.ns)).text(action.id.text()).text(action.plan.text()).int8(to_ms(action.created_at));
    params.int4(as_integer(action.jobs)).int8(to_ms(record.settled_at)).int8(as_integer(action.counts.completed));
    params.int8(as_integer(action.counts.failed)).int8(as_integer(action.counts.dead)).int8(as_integer(action.counts.cancelled));
    params.int8(record.jobs.empty() ? 0 : *first).int8(record.jobs.empty() ? 0 : *last);
    tx.write("transfer_action_put"_sql, std::move(params.int8s(record.jobs)));
  }
}

namespace {

std::optional<JobKey> key_of(const Tx& tx, const std::optional<JobId>& id) { return id ? tx.ids().decode(*id) : std::nullopt; }

}  // namespace

void put_steps(Tx& tx, const std::vector<transfer::StepRecord>& records) {
  StepWrites writes;
  for (const transfer::StepRecord& record : records)
    writes.put({record.run, record.place}, record.step, key_of(tx, record.step.child));
  writes.write(tx);
}

void put_signals(Tx& tx, const std::vector<transfer::SignalRecord>& records) {
  Table rows({Type::int8, Type::int8, Type::int2, Type::bytes, Type::bytes});
  for (const transfer::SignalRecord& record : records)
    rows.add(record.run, record.place, record.data.encoding == Encoding::bytes, record.name, record.data.data);
  tx.write("signals_put"_sql, rows.params());
}

// One by one: there are few.
void put_schedules(Tx& tx, TransferNames& names, const std::vector<Schedule>& records) {
  for (const Schedule& record : records)
    tx.write("schedule_put"_sql, schedule_params(record, names.ns(record.spec.ns), key_of(tx, record.last_job)));
}

}  // namespace muster::store::postgres
