#include "store/postgres/verbs/worker_rows.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "store/codec/columns.h"
#include "store/codec/spec_text.h"
#include "store/jobs/workers.h"
#include "store/postgres/statements.h"
#include "store/postgres/verbs/verbs.h"
#include "store/refusals.h"

namespace muster::store::postgres {
namespace {

constexpr int kBeatColumns = 17;  // of worker_read: where those of `beats` begin

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
  read_worker(rows.at(i), 6, row.worker);
  row.worker.spec.ns = name_of(row.ns);
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
  tx.write("worker_lock"_sql, Params().int4s(keys));
  // A claim holds the beat of its worker: from here on there is none under way, and what it granted is counted.
  tx.write("beat_lock"_sql, Params().int4s(keys));
  tx.write("worker_running"_sql, Params().int4s(keys));
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
  Table table({Type::int4, Type::int8, Type::int2, Type::int4, Type::int8, Type::text, Type::int8, Type::int8, Type::int8,
               Type::text, Type::int8, Type::bytes, Type::int2, Type::int8, Type::int8, Type::bytes});
  std::map<WorkerKey, WorkerRow*> by_key;
  for (WorkerRow* row : rows) {
    const Worker& worker = row->worker;
    by_key[row->key] = row;
    table.add(row->key, row->renewed ? std::nullopt : std::optional(worker.session), worker.state, worker.spec.slots,
              worker.spec.policy->dead_after, worker_to_text(worker.spec), worker.registered_at, worker.last_seen_at,
              worker.offline_at, worker.offline_cause, worker.drain_deadline, worker.drain_reason, worker.drain_origin,
              worker.completed, worker.failed, worker.stats);
  }
  if (answer == Answer::no) return tx.write("worker_put"_sql, table.params());
  const Rows written = tx.ask("worker_put"_sql, table.params());
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
  Table columns = name_table();
  for (const WorkerName& name : names) {
    const auto ns = tx.namespace_key(name.ns);
    found.push_back(ns.ok() ? refusal::no_worker(name.ns, name.id) : ns.status());
    if (!ns.ok()) continue;
    asked.push_back(found.size() - 1);
    columns.add(*ns, name.id);
  }
  if (asked.empty()) return found;
  const Rows rows = tx.ask("worker_look"_sql, columns.params());
  for (std::size_t i = 0; i < rows.size(); ++i)
    found[asked.at(static_cast<std::size_t>(rows.integer(i, 0) - 1))] = static_cast<WorkerKey>(rows.integer(i, 1));
  return found;
}

WorkerDeltas note_worker_counts(Tx& tx) {
  WorkerDeltas deltas = tx.directory().take_worker_counts();
  if (deltas.empty()) return deltas;
  Table rows({Type::int4, Type::int8, Type::int8});
  for (const Directory::WorkerDelta& delta : deltas) rows.add(delta.worker, delta.completed, delta.failed);
  tx.write("beat_count"_sql, rows.params());
  return deltas;
}

void settle_worker_counts(Tx& tx, WorkerDeltas& deltas, const Rows& held) {
  if (held.size() == 0) return;
  std::set<std::int64_t> keys;
  for (std::size_t i = 0; i < held.size(); ++i) keys.insert(held.integer(i, 0));
  const auto written = std::stable_partition(
      deltas.begin(), deltas.end(), [&keys](const Directory::WorkerDelta& delta) { return !keys.contains(delta.worker); });
  tx.directory().give_back_worker_counts({written, deltas.end()});
  deltas.erase(written, deltas.end());
}

WrittenCounts::WrittenCounts(Tx& tx) : tx_(tx), deltas_(note_worker_counts(tx)) {
  if (deltas_.empty()) return;
  const std::vector<Rows> rows = tx.ask_all();
  if (!tx.failed() && !rows.empty()) settle_worker_counts(tx, deltas_, rows.back());
}

WrittenCounts::~WrittenCounts() {
  if (!deltas_.empty() && (tx_.failed() || tx_.lacks_names())) tx_.directory().give_back_worker_counts(deltas_);
}

void write_worker_counts(Tx& tx) { const WrittenCounts written(tx); }

namespace {

// Workers to read: by name, and as pages of a list.

Rows read_chunk(Tx& tx, NamespaceKey ns, const std::string& after, const WorkerQuery& query) {
  Column states(Type::int2);
  for (const WorkerState state : query.states) states.add(static_cast<std::int64_t>(state));
  Params params;
  params.int4(ns).text(after).array(std::move(states)).int8(static_cast<std::int64_t>(query.limit + 1));
  return tx.ask("worker_page"_sql, std::move(params));
}

// Adds the matching workers of one namespace behind `after`. True: the page is full and there are more.
bool fill_page(Tx& tx, NamespaceKey ns, std::string after, const WorkerQuery& query, WorkerPage& page) {
  const WorkerReader reader(tx);
  for (;;) {
    const Rows rows = read_chunk(tx, ns, after, query);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      WorkerRow row = reader.read_whole(rows, i);
      after = row.worker.spec.id.text();
      if (!jobs::matches(row.worker, query)) continue;
      if (page.workers.size() == query.limit) return true;
      page.workers.push_back(std::move(row.worker));
    }
    if (rows.size() <= query.limit) return false;
  }
}

}  // namespace

Each<Worker> get_workers(Tx& tx, const NamespaceName& ns, const std::vector<WorkerId>& workers) {
  Each<Worker> answers;
  const auto key = tx.namespace_key(ns);
  for (const WorkerId& id : workers) answers.push_back(key.ok() ? refusal::no_worker(ns, id) : key.status());
  if (!key.ok() || workers.empty()) return answers;
  write_worker_counts(tx);
  Table names = name_table();
  for (const WorkerId& id : workers) names.add(*key, id);
  const Rows rows = tx.ask("worker_read"_sql, names.params());
  const WorkerReader reader(tx);
  std::map<std::string, Worker> found;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    WorkerRow row = reader.read_whole(rows, i);
    found.insert_or_assign(row.worker.spec.id.text(), std::move(row.worker));
  }
  for (std::size_t i = 0; i < workers.size(); ++i)
    if (const auto it = found.find(workers[i].text()); it != found.end()) answers[i] = it->second;
  return answers;
}

// By (namespace, id). The cursor is "<namespace>/<last id>"; neither name holds a slash.
Result<WorkerPage> list_workers(Tx& tx, const WorkerQuery& query) {
  if (!query.ns.empty())
    if (const auto key = tx.namespace_key(query.ns); !key.ok()) return key.status();
  const std::size_t slash = query.cursor.find('/');
  const std::string from_ns = query.cursor.substr(0, slash);
  if (!query.cursor.empty() && (slash == std::string::npos || !tx.directory().find_namespace(NamespaceName(from_ns)) ||
                                (!query.ns.empty() && query.ns.text() != from_ns)))
    return refusal::bad_cursor(query.cursor);

  write_worker_counts(tx);
  WorkerPage page;
  for (const NamespaceEntry& ns : tx.directory().namespaces()) {
    const std::string& name = ns.info.name.text();
    if (name < from_ns || (!query.ns.empty() && name != query.ns.text())) continue;
    const bool cursor_here = !query.cursor.empty() && name == from_ns;
    if (fill_page(tx, ns.key, cursor_here ? query.cursor.substr(slash + 1) : std::string(), query, page)) {
      const WorkerSpec& last = page.workers.back().spec;
      page.next = fmt::format("{}/{}", last.ns.text(), last.id.text());
      return page;
    }
  }
  return page;
}

}  // namespace muster::store::postgres
