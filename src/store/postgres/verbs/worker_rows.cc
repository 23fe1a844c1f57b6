#include "store/postgres/verbs/worker_rows.h"

#include "store/codec/spec_text.h"
#include "store/postgres/shared_statements.h"
#include "store/refusals.h"

namespace muster::store::postgres {
namespace {

const Sql kWorkerLock{"worker_lock"};
const Sql kWorkerPut{"worker_put"};
const Sql kWorkerRunning{"worker_running"};
const Sql kBeatLock{"beat_lock"};

constexpr int kBeatColumns = 16;  // of worker_read: where those of `beats` begin

// An offline worker's last words are in its own row; a beat that came in too late changes nothing about it.
void join_beat(WorkerRow& row, const Rows& rows, std::size_t at, int column) {
  row.heard = true;
  if (!row.live()) return;
  row.worker.last_seen_at = from_ms(rows.integer(at, column));
  row.worker.completed = static_cast<std::uint64_t>(rows.integer(at, column + 1));
  row.worker.failed = static_cast<std::uint64_t>(rows.integer(at, column + 2));
  row.worker.stats = rows.text(at, column + 3);
}

}  // namespace

WorkerReader::WorkerReader(Tx& tx) {
  for (const NamespaceEntry& entry : tx.directory().namespaces()) names_.emplace(entry.key, entry.info.name);
}

const NamespaceName& WorkerReader::name_of(NamespaceKey ns) const {
  static const NamespaceName kUnknown;
  const auto found = names_.find(ns);
  return found == names_.end() ? kUnknown : found->second;
}

WorkerRow WorkerReader::read(const Rows& rows, std::size_t i) const {
  WorkerRow row;
  row.key = static_cast<WorkerKey>(rows.integer(i, 0));
  row.ns = static_cast<NamespaceKey>(rows.integer(i, 1));
  row.revision = rows.integer(i, 5);
  Worker& worker = row.worker;
  worker_from_text(rows.view(i, 6), worker.spec);
  worker.spec.ns = name_of(row.ns);
  worker.spec.id = WorkerId(rows.text(i, 2));
  worker.session = SessionId{static_cast<std::uint64_t>(rows.integer(i, 3))};
  worker.state = static_cast<WorkerState>(rows.integer(i, 4));
  worker.registered_at = from_ms(rows.integer(i, 7));
  worker.last_seen_at = from_ms(rows.integer(i, 8));
  worker.offline_at = from_ms(rows.maybe(i, 9));
  worker.offline_cause = rows.text(i, 10);
  worker.drain_deadline = from_ms(rows.maybe(i, 11));
  worker.drain_reason = rows.text(i, 12);
  worker.completed = static_cast<std::uint64_t>(rows.integer(i, 13));
  worker.failed = static_cast<std::uint64_t>(rows.integer(i, 14));
  worker.stats = rows.text(i, 15);
  return row;
}

WorkerRow WorkerReader::read_whole(const Rows& rows, std::size_t i) const {
  WorkerRow row = read(rows, i);
  if (!rows.null(i, kBeatColumns)) join_beat(row, rows, i, kBeatColumns);
  row.worker.running = static_cast<std::uint32_t>(rows.integer(i, kBeatColumns + 4));
  return row;
}

std::map<WorkerKey, WorkerRow> lock_workers(Tx& tx, const std::vector<WorkerKey>& keys) {
  std::map<WorkerKey, WorkerRow> found;
  if (keys.empty()) return found;
  tx.write(kWorkerLock, Params().int4s(keys));
  // A claim holds the beat of its worker: from here on there is none under way, and what it granted is counted.
  tx.write(kBeatLock, Params().int4s(keys));
  tx.write(kWorkerRunning, Params().int4s(keys));
  const std::vector<Rows> rows = tx.ask_all();
  if (tx.failed() || rows.size() < 3) return found;
  const Rows& workers = rows[rows.size() - 3];
  const Rows& beats = rows[rows.size() - 2];
  const Rows& running = rows[rows.size() - 1];
  const WorkerReader reader(tx);
  for (std::size_t i = 0; i < workers.size(); ++i) {
    WorkerRow row = reader.read(workers, i);
    found.emplace(row.key, std::move(row));
  }
  for (std::size_t i = 0; i < beats.size(); ++i)
    if (const auto it = found.find(static_cast<WorkerKey>(beats.integer(i, 0))); it != found.end())
      join_beat(it->second, beats, i, 1);
  for (std::size_t i = 0; i < running.size(); ++i)
    if (const auto it = found.find(static_cast<WorkerKey>(running.integer(i, 0))); it != found.end())
      it->second.worker.running = static_cast<std::uint32_t>(running.integer(i, 1));
  return found;
}

void write_workers(Tx& tx, const std::vector<WorkerRow*>& rows, Answer answer) {
  if (rows.empty()) return;
  Column id(Type::int4), session(Type::int8), state(Type::int2), slots(Type::int4), dead_after(Type::int8), spec(Type::text),
      registered_at(Type::int8), last_seen_at(Type::int8), offline_at(Type::int8), offline_cause(Type::text),
      drain_deadline(Type::int8), drain_reason(Type::bytes), completed(Type::int8), failed(Type::int8), stats(Type::bytes);
  std::map<WorkerKey, WorkerRow*> by_key;
  for (WorkerRow* row : rows) {
    const Worker& worker = row->worker;
    by_key[row->key] = row;
    id.add(std::int64_t{row->key});
    row->renewed ? session.add_null() : session.add(static_cast<std::int64_t>(to_number(worker.session)));
    state.add(static_cast<std::int64_t>(worker.state));
    slots.add(std::int64_t{worker.spec.slots});
    dead_after.add(std::int64_t{worker.spec.policy->dead_after.count()});
    spec.add(std::string_view(worker_to_text(worker.spec)));
    registered_at.add(to_ms(worker.registered_at));
    last_seen_at.add(to_ms(worker.last_seen_at));
    offline_at.add(to_ms(worker.offline_at));
    offline_cause.add(std::string_view(worker.offline_cause));
    drain_deadline.add(to_ms(worker.drain_deadline));
    drain_reason.add(std::string_view(worker.drain_reason));
    completed.add(static_cast<std::int64_t>(worker.completed));
    failed.add(static_cast<std::int64_t>(worker.failed));
    stats.add(std::string_view(worker.stats));
  }
  Params params;
  params.array(std::move(id))
      .array(std::move(session))
      .array(std::move(state))
      .array(std::move(slots))
      .array(std::move(dead_after));
  params.array(std::move(spec)).array(std::move(registered_at)).array(std::move(last_seen_at)).array(std::move(offline_at));
  params.array(std::move(offline_cause))
      .array(std::move(drain_deadline))
      .array(std::move(drain_reason))
      .array(std::move(completed));
  params.array(std::move(failed)).array(std::move(stats));
  if (answer == Answer::no) return tx.write(kWorkerPut, std::move(params));
  const Rows written = tx.ask(kWorkerPut, std::move(params));
  for (std::size_t i = 0; i < written.size(); ++i) {
    WorkerRow& row = *by_key.at(static_cast<WorkerKey>(written.integer(i, 0)));
    row.worker.session = SessionId{static_cast<std::uint64_t>(written.integer(i, 1))};
    row.revision = written.integer(i, 2);
    row.renewed = false;
  }
}

void remember_worker(Tx& tx, const WorkerRow& row) {
  auto offer = std::make_shared<const Offer>(offer_of(row.worker.spec));
  tx.directory().put_worker({row.key, row.ns, row.revision, row.worker, std::move(offer)});
}

void tell_worker(Tx& tx, const Worker& worker, std::optional<WorkerState> from, std::string cause) {
  tx.changes.workers.push_back({worker.spec.ns, worker.spec.id, worker.session, from, worker.state, tx.now(), std::move(cause)});
}

std::vector<Result<WorkerKey>> look_up(Tx& tx, const std::vector<WorkerName>& names) {
  std::vector<Result<WorkerKey>> found;
  std::vector<std::size_t> asked;
  NameColumns columns;
  for (const WorkerName& name : names) {
    const auto ns = tx.namespace_key(name.ns);
    found.push_back(ns.ok() ? refusal::no_worker(name.ns, name.id) : ns.status());
    if (!ns.ok()) continue;
    asked.push_back(found.size() - 1);
    columns.add(*ns, name.id);
  }
  if (asked.empty()) return found;
  const Rows rows = tx.ask(kWorkerLook, columns.params());
  for (std::size_t i = 0; i < rows.size(); ++i)
    found[asked.at(static_cast<std::size_t>(rows.integer(i, 0) - 1))] = static_cast<WorkerKey>(rows.integer(i, 1));
  return found;
}

}  // namespace muster::store::postgres
