#include "store/postgres/verbs/leaving.h"

namespace muster::store::postgres {
namespace {

const Sql kWorkerTies{"worker_ties"};
const Sql kWorkerLeases{"worker_leases"};
const Sql kWorkerBonds{"worker_bonds"};
const Sql kWorkerUnbind{"worker_unbind"};
const Sql kWorkerHeld{"worker_held"};
const Sql kBeatClose{"beat_close"};
const Sql kLeasesClose{"worker_leases_close"};

std::vector<WorkerKey> keys_of(const std::vector<Departure>& departures) {
  std::vector<WorkerKey> keys;
  for (const Departure& departure : departures) keys.push_back(departure.row->key);
  return keys;
}

void add_keys(const Rows& rows, std::vector<JobKey>& into) {
  for (std::size_t i = 0; i < rows.size(); ++i) into.push_back(rows.integer(i, 0));
}

// Jobs that stand in lanes made for workers a sticky key bound them to. The bonds go, so that nobody is bound to them again.
std::vector<JobKey> free_held_jobs(Tx& tx, const std::vector<Departure>& departures) {
  const Rows bonds = tx.ask(kWorkerBonds, Params().int4s(keys_of(departures)));
  if (bonds.size() == 0) return {};
  std::map<WorkerKey, const WorkerRow*> rows;
  for (const Departure& departure : departures) rows[departure.row->key] = departure.row;
  std::vector<NamespaceKey> namespaces;
  std::vector<WorkerKey> bound;
  Column ns(Type::int4), need(Type::bytes);
  for (std::size_t i = 0; i < bonds.size(); ++i) {
    const WorkerRow& row = *rows.at(static_cast<WorkerKey>(bonds.integer(i, 0)));
    bound.push_back(row.key);
    namespaces.push_back(row.ns);
    ns.add(std::int64_t{row.ns});
    need.add(std::string_view(worker_capability(row.worker.spec.id.text())));
  }
  // Held already, unless the worker was bound between the look and the lock.
  tx.lock_gates(std::move(namespaces));
  tx.write(kWorkerUnbind, Params().int4s(bound));
  std::vector<JobKey> held;
  add_keys(tx.ask(kWorkerHeld, std::move(Params().array(std::move(ns)).array(std::move(need)))), held);
  return held;
}

void move_jobs(Tx& tx, const std::vector<Departure>& departures, std::vector<JobKey> keys) {
  std::map<WorkerKey, const Departure*> leaving;
  for (const Departure& departure : departures) leaving[departure.row->key] = &departure;
  add_keys(tx.ask(kWorkerLeases, Params().int4s(keys_of(departures))), keys);
  if (keys.empty()) return;
  Moves moves(tx);
  for (auto& [key, job] : lock_jobs(tx, keys)) {
    if (!job.running) {
      if (job.place == Place::ready && job.stand != job.lane) moves.place(job);
      continue;
    }
    const auto found = leaving.find(job.worker);
    if (found == leaving.end() || (found->second->only_over && job.lease_until > tx.now_ms())) continue;
    found->second->lost ? moves.lose(job, *found->second->lost) : moves.hand_back(job);
  }
  moves.flush();
}

}  // namespace

std::map<WorkerKey, WorkerRow> lock_leaving(Tx& tx, const std::vector<WorkerKey>& keys) {
  if (keys.empty()) return {};
  const Rows ties = tx.ask(kWorkerTies, Params().int4s(keys));
  std::vector<NamespaceKey> namespaces;
  for (std::size_t i = 0; i < ties.size(); ++i) namespaces.push_back(static_cast<NamespaceKey>(ties.integer(i, 0)));
  tx.lock_gates(std::move(namespaces));
  return lock_workers(tx, keys);
}

void end_leases(Tx& tx, const std::vector<Departure>& departures) {
  if (!departures.empty()) move_jobs(tx, departures, {});
}

void take_offline(Tx& tx, const std::vector<Departure>& departures, const char* cause) {
  if (departures.empty() || tx.failed()) return;
  std::vector<JobKey> held = free_held_jobs(tx, departures);
  std::vector<WorkerRow*> rows;
  for (const Departure& departure : departures) {
    Worker& worker = departure.row->worker;
    const WorkerState from = worker.state;
    worker.state = WorkerState::offline;
    worker.offline_at = tx.now();
    worker.offline_cause = cause;
    worker.running = 0;
    tell_worker(tx, worker, from, cause);
    rows.push_back(departure.row);
  }
  // Before the jobs take their places, which must not be with workers that are gone.
  write_workers(tx, rows, Answer::no);
  std::vector<WorkerKey> leaving_leases;
  for (const Departure& departure : departures)
    if (departure.only_over) leaving_leases.push_back(departure.row->key);
  if (!leaving_leases.empty()) tx.write(kLeasesClose, Params().int4s(leaving_leases));
  tx.write(kBeatClose, Params().int4s(keys_of(departures)));
  move_jobs(tx, departures, std::move(held));
  for (const Departure& departure : departures) tx.directory().forget_worker(departure.row->key);
}

}  // namespace muster::store::postgres
