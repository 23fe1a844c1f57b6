// Queues: their settings and their numbers.
#include <algorithm>
#include <mutex>

#include <fmt/format.h>

#include "model/queue_change.h"
#include "store/codec/spec_text.h"
#include "store/postgres/node.h"
#include "store/postgres/shared_statements.h"
#include "store/postgres/verbs/verbs.h"

namespace muster::store::postgres {
namespace {

const Sql kQueueCounts{"queue_counts"};
const Sql kQueuePut{"queue_put"};
const Sql kQueueLock{"queue_lock"};
const Sql kQueueLockRunning{"queue_lock_running"};
const Sql kQueueCountRunning{"queue_count_running"};
const Sql kQueueChange{"queue_change"};
const Sql kQueueHeads{"queue_heads"};

// Counting walks through the whole table of waiting jobs. Beyond this many the numbers may be as old as kCountKept.
constexpr std::uint64_t kExactCountMax = 100'000;
constexpr Ticks kCountKept = std::chrono::seconds(1);
constexpr std::int64_t kWakesPerLaneMax = 1'000;  // the claims that follow wake the rest by polling

// Live jobs of one queue.
struct Standing {
  std::uint64_t scheduled = 0;
  std::uint64_t ready = 0;
  std::uint64_t running = 0;
  std::optional<std::int64_t> oldest_ready_at;
};
using Standings = std::map<QueueKey, Standing>;

// The last large count of each database and schema this process works on; small ones are made anew.
class CountCache {
 public:
  std::optional<Standings> find(const std::string& where) {
    const std::lock_guard lock(mutex_);
    const auto found = entries_.find(where);
    if (found == entries_.end() || RealClock().elapsed() - found->second.counted_at > kCountKept) return std::nullopt;
    return found->second.standings;
  }
  void put(const std::string& where, Standings standings) {
    const std::lock_guard lock(mutex_);
    entries_[where] = {RealClock().elapsed(), std::move(standings)};
  }

 private:
  struct Entry {
    Ticks counted_at{};
    Standings standings;
  };
  std::mutex mutex_;  // leaf
  std::map<std::string, Entry> entries_;
};

CountCache& counts() {
  static CountCache cache;
  return cache;
}

Standings count_live(Tx& tx) {
  const Options& options = tx.node().options;
  const std::string where = options.url + "\n" + options.schema;
  if (auto known = counts().find(where)) return std::move(*known);
  const Rows rows = tx.ask(kQueueCounts, Params().int8(tx.now_ms()));
  Standings out;
  std::uint64_t total = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const LanePtr lane = tx.directory().lane(static_cast<LaneKey>(rows.integer(i, 0)));
    if (lane == nullptr) continue;
    Standing& standing = out[lane->queue];
    standing.scheduled += static_cast<std::uint64_t>(rows.integer(i, 1));
    standing.ready += static_cast<std::uint64_t>(rows.integer(i, 2));
    standing.running += static_cast<std::uint64_t>(rows.integer(i, 4));
    total += static_cast<std::uint64_t>(rows.integer(i, 1) + rows.integer(i, 2));
    if (const auto at = rows.maybe(i, 3)) standing.oldest_ready_at = std::min(standing.oldest_ready_at.value_or(*at), *at);
  }
  if (total > kExactCountMax && !tx.failed()) counts().put(where, out);
  return out;
}

QueueStats stats_of(Tx& tx, const QueueEntry& queue, const Standings& standings) {
  QueueStats out;
  out.ns = queue.ns_name;
  out.queue = queue.name;
  out.settings = queue.settings;
  if (const auto found = standings.find(queue.key); found != standings.end()) {
    out.scheduled = found->second.scheduled;
    out.ready = found->second.ready;
    out.running = found->second.running;
    if (found->second.oldest_ready_at) out.oldest_ready_at = from_ms(*found->second.oldest_ready_at);
  }
  const QueueCounts counted = tx.directory().counts(queue.key);
  out.dead = counted.dead;
  out.enqueued_total = counted.enqueued;
  out.completed_total = counted.completed;
  out.completed_per_second = tx.directory().completed_per_second(queue.key, tx.now());
  return out;
}

bool sets_cap(const QueueChange& change) {
  if (change.running_max.value_or(0) > 0) return true;
  return std::any_of(change.running_max_by_type.begin(), change.running_max_by_type.end(),
                     [](const auto& cap) { return cap.second > 0; });
}

// One wake-up for each job that may be claimable now.
void wake_waiting(Tx& tx, QueueKey queue) {
  std::vector<LaneKey> lanes;
  for (const LanePtr& lane : tx.directory().lanes_of_queue(queue)) lanes.push_back(lane->key);
  const Rows rows = tx.ask(kQueueHeads, Params().int4s(lanes).int8(kWakesPerLaneMax));
  for (std::size_t i = 0; i < rows.size(); ++i)
    for (std::int64_t n = rows.integer(i, 1); n > 0; --n) tx.wake(static_cast<LaneKey>(rows.integer(i, 0)));
}

}  // namespace

Result<QueueStats> change_queue(Tx& tx, const QueueChange& change) {
  const auto ns = tx.namespace_key(change.ns);
  if (!ns.ok()) return ns.status();
  tx.lock_gates({*ns});
  const bool capped = sets_cap(change);
  if (capped) tx.write(kQueueLockRunning);
  tx.write(kQueuePut, Params().int4(*ns).text(change.queue.text()));
  const Rows rows = tx.ask(kQueueLock, Params().int4(*ns).text(change.queue.text()));
  if (rows.size() == 0) return Status::unavailable("the queue could not be made");
  QueueEntry entry;
  entry.key = static_cast<QueueKey>(rows.integer(0, 0));
  entry.ns = *ns;
  entry.ns_name = change.ns;
  entry.name = change.queue;
  entry.settings = settings_from_text(rows.view(0, 1));
  apply(entry.settings, change);
  tx.write(
      kQueueChange,
      Params().int4(entry.key).bytes(settings_to_text(entry.settings)).boolean(entry.gated()).boolean(change.rate.has_value()));
  if (capped) tx.write(kQueueCountRunning, Params().int4(entry.key));
  tx.write(kDirectoryBump);
  tx.reload_directory();
  tx.changes.queues.push_back({entry.ns_name, entry.name, entry.settings.paused, tx.now()});
  if (!entry.settings.paused) wake_waiting(tx, entry.key);
  return stats_of(tx, entry, count_live(tx));
}

Result<std::vector<QueueStats>> list_queues(Tx& tx, const NamespaceName& ns) {
  NamespaceKey only = 0;
  if (!ns.empty()) {
    const auto key = tx.namespace_key(ns);
    if (!key.ok()) return key.status();
    only = *key;
  }
  const Standings standings = count_live(tx);
  std::vector<QueueStats> out;
  for (const QueueRef& queue : tx.directory().queues())
    if (only == 0 || queue->ns == only) out.push_back(stats_of(tx, *queue, standings));
  return out;
}

}  // namespace muster::store::postgres
