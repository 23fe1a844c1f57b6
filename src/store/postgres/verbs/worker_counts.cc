#include "store/postgres/verbs/worker_counts.h"

#include <algorithm>
#include <set>

#include "store/postgres/verbs/verbs.h"

namespace muster::store::postgres {
namespace {

const Sql kBeatCount{"beat_count"};

}  // namespace

WorkerDeltas note_worker_counts(Tx& tx) {
  WorkerDeltas deltas = tx.directory().take_worker_counts();
  if (deltas.empty()) return deltas;
  Column worker(Type::int4), completed(Type::int8), failed(Type::int8);
  for (const Directory::WorkerDelta& delta : deltas) {
    worker.add(std::int64_t{delta.worker});
    completed.add(delta.completed);
    failed.add(delta.failed);
  }
  tx.write(kBeatCount, std::move(Params().array(std::move(worker)).array(std::move(completed)).array(std::move(failed))));
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

}  // namespace muster::store::postgres
