#include "store/postgres/tx.h"

#include <algorithm>

#include "store/codec/columns.h"
#include "store/codec/spec_text.h"
#include "store/postgres/node.h"
#include "store/postgres/statements.h"
#include "store/refusals.h"

namespace muster::store::postgres {
namespace {

constexpr std::size_t kLanesMax = 200'000;  // distinct ones that live jobs have at one time

// Rows of lanes stay for as long as finished jobs may name them; only those of live jobs count. Asked only when it may matter.
bool too_many_lanes(Tx& tx, std::size_t more) {
  if (tx.directory().lane_count() + more < kLanesMax) return false;
  const Rows rows = tx.ask("live_lanes"_sql, std::move(Params().int8(static_cast<std::int64_t>(kLanesMax))));
  return rows.size() == 1 && static_cast<std::size_t>(rows.integer(0, 0)) + more >= kLanesMax;
}

}  // namespace

Directory& Tx::directory() { return node_.directory; }
const IdCodec& Tx::ids() const { return node_.ids; }
const StepIdCodec& Tx::step_ids() const { return node_.step_ids; }

void Tx::begin() {
  connection_.call("begin"_sql);
  connection_.call("head"_sql);
  const auto rows = connection_.exchange();
  began_ = true;
  if (!rows.ok() || rows->size() < 2 || (*rows)[1].size() != 1) {
    failed_ = true;
    return;
  }
  now_ = from_ms((*rows)[1].integer(0, 0));
  node_.saw_time(now_);
  if ((*rows)[1].integer(0, 1) == directory().version()) return;
  reload_directory();
  reloaded_ = false;  // nothing of our own is in it yet
}

std::vector<Rows> Tx::ask_all() {
  if (failed_) return {};
  auto rows = connection_.exchange();
  noted_ = 0;
  if (!rows.ok()) {
    failed_ = true;
    return {};
  }
  return std::move(*rows);
}

Rows Tx::ask(Sql statement, Params params) {
  write(statement, std::move(params));
  auto rows = ask_all();
  if (failed_ || rows.empty()) return {};
  return std::move(rows.back());
}

void Tx::write(Sql statement, Params params) {
  if (failed_) return;
  connection_.call(statement, std::move(params));
  ++noted_;
}

Status Tx::commit() {
  if (failed_) return connection_.trouble().status();
  connection_.call("commit"_sql);
  const auto rows = connection_.exchange();
  if (rows.ok()) return {};
  failed_ = true;
  return connection_.trouble().status();
}

void Tx::rollback() {
  if (reloaded_) directory().mistrust();
  if (!began_ || !connection_.alive()) return;
  connection_.call("rollback"_sql);
  // What becomes of the rollback changes nothing: the server undoes what it is not told to keep.
  (void)connection_.exchange().ok();
}

void Tx::lock_gates(std::vector<NamespaceKey> namespaces) {
  if (namespaces.empty()) return;
  std::sort(namespaces.begin(), namespaces.end());
  namespaces.erase(std::unique(namespaces.begin(), namespaces.end()), namespaces.end());
  (void)ask("gate"_sql, Params().int4s(namespaces));
}

JobChange& Tx::tell(std::int64_t job, LaneKey lane, std::optional<JobState> from, JobState to, JobEvent event,
                    std::uint32_t attempt, std::int64_t fence, WorkerKey worker_key, std::string cause) {
  JobChange& change = changes.jobs.emplace_back();
  change.id = ids().encode(job);
  if (const LanePtr entry = directory().lane(lane)) change.lane = entry->lane;
  change.from = from;
  change.to = to;
  change.event = event;
  change.attempt = attempt;
  change.fence = Fence{static_cast<std::uint64_t>(fence)};
  if (worker_key != 0)
    if (const WorkerPtr entry = worker(worker_key)) change.worker = entry->worker.spec.id;
  change.at = now_;
  change.cause = std::move(cause);
  return change;
}

void Tx::wake(LaneKey lane) {
  if (LanePtr entry = directory().lane(lane)) changes.wakes.push_back(std::move(entry));
}

void Tx::wake_queue(QueueKey queue) {
  for (LanePtr& lane : directory().lanes_of_queue(queue)) changes.wakes.push_back(std::move(lane));
}

NamespaceInfo namespace_at(const Rows& rows, std::size_t row) {
  return {NamespaceName(rows.text(row, 1)), from_ms(rows.integer(row, 3)), rows.text(row, 2), rows.text(row, 4),
          rows.integer(row, 5) != 0,        from_ms(rows.integer(row, 6))};
}

void Tx::reload_directory() {
  reloaded_ = true;
  write("directory_version"_sql);
  write("directory_namespaces"_sql);
  write("directory_queues"_sql);
  write("directory_lanes"_sql);
  const std::vector<Rows> rows = ask_all();
  if (failed_ || rows.size() < 4) return;
  const std::size_t base = rows.size() - 4;  // what was noted before comes first
  std::map<NamespaceKey, NamespaceName> names;
  std::vector<NamespaceEntry> namespaces;
  const Rows& ns_rows = rows[base + 1];
  for (std::size_t i = 0; i < ns_rows.size(); ++i) {
    NamespaceEntry entry{.key = static_cast<NamespaceKey>(ns_rows.integer(i, 0)), .info = namespace_at(ns_rows, i)};
    names.emplace(entry.key, entry.info.name);
    namespaces.push_back(std::move(entry));
  }
  std::vector<QueueEntry> queues;
  std::map<QueueKey, std::pair<NamespaceName, QueueName>> queue_names;
  const Rows& queue_rows = rows[base + 2];
  for (std::size_t i = 0; i < queue_rows.size(); ++i) {
    QueueEntry entry;
    entry.key = static_cast<QueueKey>(queue_rows.integer(i, 0));
    entry.ns = static_cast<NamespaceKey>(queue_rows.integer(i, 1));
    entry.ns_name = names[entry.ns];
    entry.name = QueueName(queue_rows.text(i, 2));
    if (!queue_rows.null(i, 3)) entry.settings = settings_from_text(queue_rows.view(i, 3));
    queue_names.emplace(entry.key, std::pair(entry.ns_name, entry.name));
    queues.push_back(std::move(entry));
  }
  std::vector<LaneEntry> lanes;
  const Rows& lane_rows = rows[base + 3];
  lanes.reserve(lane_rows.size());
  for (std::size_t i = 0; i < lane_rows.size(); ++i) {
    LaneEntry entry;
    entry.key = static_cast<LaneKey>(lane_rows.integer(i, 0));
    entry.queue = static_cast<QueueKey>(lane_rows.integer(i, 1));
    entry.special = lane_rows.integer(i, 4) != 0;
    entry.home = static_cast<LaneKey>(lane_rows.integer(i, 5));
    const auto& [ns, queue] = queue_names[entry.queue];
    entry.lane = std::make_shared<const Lane>(
        Lane{ns, queue, JobType(lane_rows.text(i, 2)), CapabilitySet::from_key(lane_rows.view(i, 3))});
    lanes.push_back(std::move(entry));
  }
  directory().load(rows[base].integer(0, 0), std::move(namespaces), std::move(queues), std::move(lanes));
}

Result<NamespaceKey> Tx::namespace_key(const NamespaceName& name) {
  // begin() has brought the directory up to date.
  if (const auto found = directory().find_namespace(name)) return *found;
  return refusal::namespace_not_made(name);
}

Result<LanePtr> Tx::lane_for(NamespaceKey ns, const QueueName& queue_name, const JobType& type, const CapabilitySet& needs,
                             bool special, LaneKey home) {
  const QueueRef queue = directory().find_queue(ns, queue_name);
  if (queue != nullptr)
    if (LanePtr found = directory().find_lane(queue->key, type, needs, special, home)) return found;
  if (too_many_lanes(*this, missing_.size())) return refusal::too_many_lanes(kLanesMax);
  missing_.insert({.ns = ns, .queue = queue_name, .type = type, .needs = needs, .special = special, .home = home});
  return Status::unavailable("the lane is being made");
}

void Tx::make_names(const Tx& lacking) {
  for (const MissingName& name : lacking.missing_) {
    write("queue_put"_sql, Params().int4(name.ns).text(name.queue.text()));
    Params params;
    params.int4(name.ns).text(name.queue.text()).text(name.type.text()).bytes(name.needs.key());
    write("lane_put"_sql, std::move(params.boolean(name.special).int4(name.home)));
  }
  write("directory_bump"_sql);
}

WorkerPtr Tx::worker(WorkerKey key) {
  if (WorkerPtr found = directory().worker(key)) return found;
  return load_worker(key);
}

WorkerPtr Tx::find_worker(NamespaceKey ns, const WorkerId& id) {
  if (WorkerPtr found = directory().find_worker(ns, id)) return found;
  const Rows rows = ask("worker_find"_sql, Params().int4(ns).text(id.text()));
  if (rows.size() == 0) return nullptr;
  return load_worker(static_cast<WorkerKey>(rows.integer(0, 0)));
}

WorkerPtr Tx::load_worker(WorkerKey key) {
  const Rows rows = ask("worker_load"_sql, Params().int4(key));
  if (failed_) return nullptr;
  if (rows.size() == 0) {
    directory().forget_worker(key);
    return nullptr;
  }
  WorkerEntry entry;
  entry.key = key;
  entry.ns = static_cast<NamespaceKey>(rows.integer(0, 1));
  entry.revision = rows.integer(0, 5);
  Worker& worker = entry.worker;
  worker_from_text(rows.view(0, 6), worker.spec);
  for (const NamespaceEntry& ns : directory().namespaces())
    if (ns.key == entry.ns) worker.spec.ns = ns.info.name;
  if (!worker.spec.policy) worker.spec.policy = default_policy(worker.spec.dialect);
  read_columns(rows.at(0), 2, worker.spec.id, worker.session, worker.state);
  read_columns(rows.at(0), 7, worker.registered_at, worker.last_seen_at, worker.offline_at, worker.offline_cause,
               worker.drain_deadline, worker.drain_reason, worker.drain_origin);
  entry.offer = std::make_shared<const Offer>(offer_of(worker.spec));
  directory().put_worker(std::move(entry));
  return directory().worker(key);
}

}  // namespace muster::store::postgres
