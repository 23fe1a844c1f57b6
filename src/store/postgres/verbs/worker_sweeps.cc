// One pass over workers each: the silent ones, those whose drain is over, and rows of those that left long ago.
#include "base/listening.h"
#include "store/jobs/rules.h"
#include "store/postgres/verbs/excuse.h"
#include "store/postgres/verbs/leaving.h"
#include "store/postgres/verbs/sweep_pass.h"
#include "store/postgres/verbs/verbs.h"
#include "store/postgres/verbs/worker_counts.h"

namespace muster::store::postgres {
namespace {

const Sql kExcuseSilence{"excuse_silence"};
const Sql kExcuseLeases{"excuse_leases"};
const Sql kSilent{"sweep_silent"};
const Sql kDrained{"sweep_drained"};
const Sql kDrainedNext{"sweep_drained_next"};
const Sql kPruneWorkers{"prune_workers"};
const Sql kPruneOrphans{"prune_orphans"};

std::vector<WorkerKey> worker_keys(const Rows& rows, std::size_t limit) {
  std::vector<WorkerKey> keys;
  for (std::size_t i = 0; i < rows.size() && keys.size() < limit; ++i)
    if (!rows.null(i, 0)) keys.push_back(static_cast<WorkerKey>(rows.integer(i, 0)));
  return keys;
}

}  // namespace

void excuse_silence(Tx& tx) {
  tx.write(kExcuseSilence);
  tx.write(kExcuseLeases, Params().int8(kCatchUpMax.count()));
}

SweepReport bury_silent_workers(Tx& tx, std::size_t limit) {
  SweepReport report;
  const PassBudget budget(limit);
  const auto found = ask_leading(tx, kSilent, budget.params());
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
  const auto found = ask_leading(tx, kDrained, budget.params());
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
  report.next_due = ask_instant(tx, kDrainedNext);
  return report;
}

SweepReport prune_workers(Tx& tx, Duration offline_kept, std::size_t limit) {
  SweepReport report;
  const PassBudget budget(limit);
  Params params;
  params.int8(to_ms(tx.now() - offline_kept)).int8(static_cast<std::int64_t>(budget.rows));
  if (!leads(tx)) return report;
  tx.write(kPruneOrphans);
  const Rows gone = tx.ask(kPruneWorkers, std::move(params));
  report.moved = gone.size();
  report.more = report.moved == budget.rows;
  for (const WorkerKey key : worker_keys(gone, gone.size())) tx.directory().forget_worker(key);
  return report;
}

}  // namespace muster::store::postgres
