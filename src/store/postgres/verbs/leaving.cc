#include <set>

#include "base/listening.h"
#include "store/jobs/rules.h"
#include "store/jobs/workers.h"
#include "store/postgres/verbs/sweeps.h"
#include "store/postgres/verbs/verbs.h"
#include "store/postgres/verbs/worker_rows.h"
#include "store/refusals.h"

namespace muster::store::postgres {
namespace {

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
  const Rows bonds = tx.ask("worker_bonds"_sql, Params().int4s(keys_of(departures)));
  if (bonds.size() == 0) return {};
  std::map<WorkerKey, const WorkerRow*> rows;
  for (const Departure& departure : departures) rows[departure.row->key] = departure.row;
  std::vector<NamespaceKey> namespaces;
  std::vector<WorkerKey> bound;
  Table needs({Type::int4, Type::bytes});
  for (std::size_t i = 0; i < bonds.size(); ++i) {
    const WorkerRow& row = *rows.at(static_cast<WorkerKey>(bonds.integer(i, 0)));
    bound.push_back(row.key);
    namespaces.push_back(row.ns);
    needs.add(row.ns, worker_capability(row.worker.spec.id.text()));
  }
  // Held already, unless the worker was bound between the look and the lock.
  tx.lock_gates(std::move(namespaces));
  tx.write("worker_unbind"_sql, Params().int4s(bound));
  std::vector<JobKey> held;
  add_keys(tx.ask("worker_held"_sql, needs.params()), held);
  return held;
}

void move_jobs(Tx& tx, const std::vector<Departure>& departures, std::vector<JobKey> keys) {
  std::map<WorkerKey, const Departure*> leaving;
  for (const Departure& departure : departures) leaving[departure.row->key] = &departure;
  add_keys(tx.ask("worker_leases"_sql, Params().int4s(keys_of(departures))), keys);
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
  const Rows ties = tx.ask("worker_ties"_sql, Params().int4s(keys));
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
  if (!leaving_leases.empty()) tx.write("worker_leases_close"_sql, Params().int4s(leaving_leases));
  tx.write("beat_close"_sql, Params().int4s(keys_of(departures)));
  move_jobs(tx, departures, std::move(held));
  for (const Departure& departure : departures) tx.directory().forget_worker(departure.row->key);
}

namespace {

// Drain, resume and unregister: a worker is told to leave or to stay, or says that it goes.

template <class Item>
std::vector<Result<WorkerKey>> look_up_all(Tx& tx, const std::vector<Item>& batch) {
  std::vector<WorkerName> names;
  for (const Item& item : batch) names.push_back({item.ns, item.worker});
  return look_up(tx, names);
}

std::vector<WorkerKey> known_keys(const std::vector<Result<WorkerKey>>& looked) {
  std::set<WorkerKey> keys;
  for (const auto& key : looked)
    if (key.ok()) keys.insert(*key);
  return {keys.begin(), keys.end()};
}

// Changes live workers one by one and writes those that `change` changed.
template <class Item, class Change>
Each<Worker> change_live(Tx& tx, const std::vector<Item>& batch, const Change& change) {
  const WrittenCounts counts(tx);
  const auto looked = look_up_all(tx, batch);
  auto rows = lock_workers(tx, known_keys(looked));
  std::map<WorkerKey, WorkerRow*> changed;
  const auto change_one = [&](const Item& item, const Result<WorkerKey>& key) -> Result<Worker> {
    if (!key.ok()) return key.status();
    const auto found = rows.find(*key);
    if (found == rows.end()) return refusal::no_worker(item.ns, item.worker);
    Worker& worker = found->second.worker;
    if (Status status = jobs::live_session(worker, std::nullopt); !status.ok()) return status;
    const Result<bool> did = change(worker, item);
    if (!did.ok()) return did.status();
    if (*did) changed[*key] = &found->second;
    return worker;
  };
  Each<Worker> answers;
  for (std::size_t i = 0; i < batch.size(); ++i) answers.push_back(change_one(batch[i], looked[i]));
  std::vector<WorkerRow*> written;
  for (const auto& [key, row] : changed) written.push_back(row);
  write_workers(tx, written, Answer::no);
  for (const auto& [key, row] : changed) tx.directory().forget_worker(key);
  return answers;
}

}  // namespace

Each<Worker> drain(Tx& tx, const std::vector<Drain>& batch) {
  return change_live(tx, batch, [&tx](Worker& worker, const Drain& item) -> Result<bool> {
    const WorkerState from = worker.state;
    if (!jobs::drained(worker, item, tx.now())) return false;
    if (from != WorkerState::draining) tell_worker(tx, worker, from, item.reason);
    return true;
  });
}

Each<Worker> resume(Tx& tx, const std::vector<Resume>& batch) {
  return change_live(tx, batch, [&tx](Worker& worker, const Resume& item) -> Result<bool> {
    const WorkerState from = worker.state;
    auto changed = jobs::resumed(worker, item);
    if (changed.ok() && *changed && from != worker.state) tell_worker(tx, worker, from, jobs::kBackToWork);
    return changed;
  });
}

Each<Worker> unregister(Tx& tx, const std::vector<Unregister>& batch) {
  const WrittenCounts counts(tx);
  const auto looked = look_up_all(tx, batch);
  auto rows = lock_leaving(tx, known_keys(looked));
  std::vector<Departure> departures;
  std::set<WorkerKey> leaving;
  std::vector<std::optional<Status>> refused(batch.size());
  for (std::size_t i = 0; i < batch.size(); ++i) {
    if (!looked[i].ok()) continue;
    const auto found = rows.find(*looked[i]);
    if (found == rows.end() || !found->second.live() || leaving.contains(*looked[i])) continue;
    if (Status status = jobs::live_session(found->second.worker, batch[i].session); !status.ok()) {
      refused[i] = std::move(status);
      continue;
    }
    leaving.insert(*looked[i]);
    departures.push_back({&found->second, std::nullopt});
  }
  take_offline(tx, departures, "unregistered");

  Each<Worker> answers;
  for (std::size_t i = 0; i < batch.size(); ++i) {
    const auto found = looked[i].ok() ? rows.find(*looked[i]) : rows.end();
    if (!looked[i].ok())
      answers.push_back(looked[i].status());
    else if (refused[i])
      answers.push_back(*refused[i]);
    else if (found == rows.end())
      answers.push_back(refusal::no_worker(batch[i].ns, batch[i].worker));
    // Saying goodbye again, after an answer that did not arrive, is fine.
    else if (!batch[i].session || *batch[i].session == found->second.worker.session)
      answers.push_back(found->second.worker);
    else
      answers.push_back(jobs::live_session(found->second.worker, batch[i].session));
  }
  return answers;
}

namespace {

// One pass over workers each: the silent ones, those whose drain is over, and rows of those that left long ago.

std::vector<WorkerKey> worker_keys(const Rows& rows, std::size_t limit) {
  std::vector<WorkerKey> keys;
  for (std::size_t i = 0; i < rows.size() && keys.size() < limit; ++i)
    if (!rows.null(i, 0)) keys.push_back(static_cast<WorkerKey>(rows.integer(i, 0)));
  return keys;
}

}  // namespace

void excuse_silence(Tx& tx) {
  tx.write("excuse_silence"_sql);
  tx.write("excuse_leases"_sql, Params().int8(kCatchUpMax.count()));
}

SweepReport bury_silent_workers(Tx& tx, std::size_t limit) {
  SweepReport report;
  const PassBudget budget(limit);
  const auto found = ask_leading(tx, "sweep_silent"_sql, budget.params());
  if (!found || found->size() == 0) return report;
  if (found->integer(0, 2) > 0) revive_beats(tx);
  if (const auto next = found->maybe(0, 1)) report.next_due = from_ms(*next);
  report.more = budget.more(*found);

  const std::vector<WorkerKey> keys = worker_keys(*found, budget.rows);
  if (keys.empty()) return report;
  const WrittenCounts counts(tx);
  auto rows = lock_leaving(tx, keys);
  std::vector<Departure> departures;
  for (auto& [key, row] : rows) {
    // Heard, or gone in another way, between the look and the lock.
    if (!row.live() || !row.heard || dead_at(row.worker) > tx.now()) continue;
    departures.push_back({&row, jobs::worker_silent(row.worker.spec.id, tx.now() - row.worker.last_seen_at),
                          !leases_end_with_silence(row.worker.spec.dialect)});
  }
  take_offline(tx, departures, "silent");
  report.moved = departures.size();
  return report;
}

SweepReport end_drains(Tx& tx, std::size_t limit) {
  SweepReport report;
  const PassBudget budget(limit);
  const auto found = ask_leading(tx, "sweep_drained"_sql, budget.params());
  if (!found) return report;
  report.more = budget.more(*found);
  const std::vector<WorkerKey> keys = worker_keys(*found, budget.rows);
  if (!keys.empty()) {
    const WrittenCounts counts(tx);
    auto rows = lock_leaving(tx, keys);
    std::vector<Departure> departures;
    for (auto& [key, row] : rows) {
      const Worker& worker = row.worker;
      if (worker.state != WorkerState::draining || !worker.drain_deadline || *worker.drain_deadline > tx.now()) continue;
      departures.push_back({&row, std::nullopt});
    }
    take_offline(tx, departures, "drained");
    report.moved = departures.size();
  }
  report.next_due = ask_instant(tx, "sweep_drained_next"_sql);
  return report;
}

SweepReport prune_workers(Tx& tx, Duration offline_kept, std::size_t limit) {
  SweepReport report;
  const PassBudget budget(limit);
  Params params;
  params.int8(to_ms(tx.now() - offline_kept)).int8(static_cast<std::int64_t>(budget.rows));
  if (!leads(tx)) return report;
  tx.write("prune_orphans"_sql);
  const Rows gone = tx.ask("prune_workers"_sql, std::move(params));
  report.moved = gone.size();
  report.more = report.moved == budget.rows;
  for (const WorkerKey key : worker_keys(gone, gone.size())) tx.directory().forget_worker(key);
  return report;
}

}  // namespace muster::store::postgres
