// Queues: their settings and their numbers.
#include <algorithm>
#include <mutex>

#include <fmt/format.h>

#include "model/queue_change.h"
#include "store/codec/spec_text.h"
#include "store/lane_tally.h"
#include "store/postgres/key_rows.h"
#include "store/postgres/node.h"
#include "store/postgres/statements.h"
#include "store/postgres/verbs/verbs.h"
#include "store/refusals.h"

namespace muster::store::postgres {
namespace {

// Counting walks through the whole table of waiting jobs. Beyond this many the numbers may be as old as kCountKept.
constexpr std::uint64_t kCountEachTimeMax = 100'000;
constexpr Ticks kCountKept = std::chrono::seconds(1);
constexpr std::int64_t kWakesPerLaneMax = 1'000;  // the claims that follow wake the rest by polling

// Live jobs of each lane.
using Standings = std::map<LaneKey, LaneStats>;

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
  const Rows rows = tx.ask("queue_counts"_sql, Params().int8(tx.now_ms()));
  Standings out;
  std::uint64_t total = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    LaneStats& standing = out[static_cast<LaneKey>(rows.integer(i, 0))];
    standing.scheduled += static_cast<std::uint64_t>(rows.integer(i, 1));
    standing.ready += static_cast<std::uint64_t>(rows.integer(i, 2));
    standing.running += static_cast<std::uint64_t>(rows.integer(i, 4));
    total += static_cast<std::uint64_t>(rows.integer(i, 1) + rows.integer(i, 2));
    if (const auto at = rows.maybe(i, 3)) standing.oldest_ready_at = from_ms(*at);
  }
  if (total > kCountEachTimeMax && !tx.failed()) counts().put(where, out);
  return out;
}

// By queue; lanes that this node does not know yet are left out.
std::map<QueueKey, LaneStats> by_queue(Tx& tx, const Standings& standings) {
  std::map<QueueKey, LaneStats> out;
  for (const auto& [key, standing] : standings) {
    const LanePtr lane = tx.directory().lane(key);
    if (lane == nullptr) continue;
    LaneStats& sum = out[lane->queue];
    sum.scheduled += standing.scheduled;
    sum.ready += standing.ready;
    sum.running += standing.running;
    if (const auto& at = standing.oldest_ready_at) sum.oldest_ready_at = std::min(sum.oldest_ready_at.value_or(*at), *at);
  }
  return out;
}

QueueStats stats_of(Tx& tx, const QueueEntry& queue, const std::map<QueueKey, LaneStats>& standings) {
  QueueStats out;
  out.ns = queue.ns_name;
  out.queue = queue.name;
  out.settings = queue.settings;
  if (const auto found = standings.find(queue.key); found != standings.end()) {
    out.scheduled = found->second.scheduled;
    out.ready = found->second.ready;
    out.running = found->second.running;
    out.oldest_ready_at = found->second.oldest_ready_at;
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
  const Rows rows = tx.ask("queue_heads"_sql, Params().int4s(lanes).int8(kWakesPerLaneMax));
  for (std::size_t i = 0; i < rows.size(); ++i)
    for (std::int64_t n = rows.integer(i, 1); n > 0; --n) tx.wake(static_cast<LaneKey>(rows.integer(i, 0)));
}

}  // namespace

Result<QueueStats> change_queue(Tx& tx, const QueueChange& change) {
  const auto ns = tx.namespace_key(change.ns);
  if (!ns.ok()) return ns.status();
  tx.lock_gates({*ns});
  const bool capped = sets_cap(change);
  if (capped) tx.write("queue_lock_running"_sql);
  tx.write("queue_put"_sql, Params().int4(*ns).text(change.queue.text()));
  const Rows rows = tx.ask("queue_lock"_sql, Params().int4(*ns).text(change.queue.text()));
  if (rows.size() == 0) return Status::unavailable("the queue could not be made");
  QueueEntry entry;
  entry.key = static_cast<QueueKey>(rows.integer(0, 0));
  entry.ns = *ns;
  entry.ns_name = change.ns;
  entry.name = change.queue;
  entry.settings = settings_from_text(rows.view(0, 1));
  apply(entry.settings, change);
  tx.write(
      "queue_change"_sql,
      Params().int4(entry.key).bytes(settings_to_text(entry.settings)).boolean(entry.gated()).boolean(change.rate.has_value()));
  if (capped) tx.write("queue_count_running"_sql, Params().int4(entry.key));
  tx.write("directory_bump"_sql);
  tx.reload_directory();
  tx.changes.queues.push_back({entry.ns_name, entry.name, entry.settings.paused, tx.now()});
  if (!entry.settings.paused) wake_waiting(tx, entry.key);
  return stats_of(tx, entry, by_queue(tx, count_live(tx)));
}

Result<std::vector<QueueStats>> list_queues(Tx& tx, const NamespaceName& ns) {
  NamespaceKey only = 0;
  if (!ns.empty()) {
    const auto key = tx.namespace_key(ns);
    if (!key.ok()) return key.status();
    only = *key;
  }
  const auto standings = by_queue(tx, count_live(tx));
  std::vector<QueueStats> out;
  for (const QueueRef& queue : tx.directory().queues())
    if (only == 0 || queue->ns == only) out.push_back(stats_of(tx, *queue, standings));
  return out;
}

Result<LaneList> list_lanes(Tx& tx, const LaneQuery& query) {
  if (!query.ns.empty())
    if (const auto key = tx.namespace_key(query.ns); !key.ok()) return key.status();
  LaneTally tally(query.limit);
  for (const auto& [key, standing] : count_live(tx)) {
    LanePtr lane = tx.directory().lane(key);
    if (lane != nullptr && lane->home != 0) lane = tx.directory().lane(lane->home);
    if (lane == nullptr) continue;
    if (!query.ns.empty() && lane->lane->ns != query.ns) continue;
    if (!query.queue.empty() && lane->lane->queue != query.queue) continue;
    tally.add(*lane->lane, standing);
  }
  return std::move(tally).list();
}

namespace {

// Namespaces: made by hand, and deleted when nothing is left in them.

constexpr std::int64_t kHistoryStretch = 2'000'000;  // keys one question covers; a second or so
constexpr std::int64_t kKeysInFlightMax = 100'000;   // given out and not yet used by jobs on their way in

// As this transaction sees them: what the node remembers is every transaction's, and another one may put an older view of it
// there.
std::vector<LaneKey> lanes_of(Tx& tx, NamespaceKey ns) {
  const Rows rows = tx.ask("namespace_lanes"_sql, Params().int4(ns));
  std::vector<LaneKey> out;
  for (std::size_t i = 0; i < rows.size(); ++i) out.push_back(static_cast<LaneKey>(rows.integer(i, 0)));
  return out;
}

bool history_holds(Tx& tx, const std::vector<LaneKey>& lanes, std::int64_t from, std::int64_t to) {
  for (std::int64_t at = from; at < to && !tx.failed(); at += kHistoryStretch) {
    const Rows rows = tx.ask("namespace_history"_sql, Params().int4s(lanes).int8(at).int8(std::min(at + kHistoryStretch, to)));
    if (rows.size() == 1 && rows.integer(0, 0) != 0) return true;
  }
  return false;
}

// History is long and has no index by lane, so it is looked through before anybody is kept waiting. Whatever is
// enqueued meanwhile has a new key: under the lock only the live tables and the newest keys are looked at again.
bool holds_jobs(Tx& tx, NamespaceKey ns) {
  const std::vector<LaneKey> lanes = lanes_of(tx, ns);
  std::int64_t known = 0;
  if (!lanes.empty()) {
    const Rows rows = tx.ask("namespace_live"_sql, Params().int4s(lanes));
    if (rows.size() != 1 || rows.integer(0, 0) != 0) return true;
    known = rows.integer(0, 1);
    if (history_holds(tx, lanes, 0, known)) return true;
  }
  tx.write("namespace_lock"_sql);
  tx.write("directory_bump"_sql);  // nobody makes another lane until the commit
  const std::vector<LaneKey> all = lanes_of(tx, ns);
  if (all.empty()) return false;
  const Rows rows = tx.ask("namespace_live"_sql, Params().int4s(all));
  if (rows.size() != 1 || rows.integer(0, 0) != 0) return true;
  // Lanes that are new came with jobs whose keys are new too.
  return history_holds(tx, all, std::max<std::int64_t>(0, known - kKeysInFlightMax), rows.integer(0, 1));
}

std::optional<NamespaceInfo> find(const Directory& directory, const NamespaceName& name) {
  for (const NamespaceEntry& entry : directory.namespaces())
    if (entry.info.name == name) return entry.info;
  return std::nullopt;
}

}  // namespace

Result<NamespaceInfo> create_namespace(Tx& tx, const NamespaceInfo& info) {
  Params params;
  params.text(info.name.text()).bytes(info.description).int8(tx.now_ms()).bytes(info.display_name).boolean(info.enabled);
  const Rows rows = tx.ask("namespace_create"_sql, std::move(params));
  if (rows.size() == 0) return refusal::namespace_exists(info.name);
  tx.write("directory_bump"_sql);
  tx.reload_directory();
  NamespaceInfo made = info;
  made.created_at = made.updated_at = tx.now();
  return made;
}

Result<NamespaceInfo> update_namespace(Tx& tx, const NamespaceChange& change) {
  const auto ns = tx.namespace_key(change.name);
  if (!ns.ok()) return ns.status();
  Params params;
  params.int4(*ns);
  change.display_name ? params.bytes(*change.display_name) : params.null();
  change.description ? params.bytes(*change.description) : params.null();
  change.enabled ? params.boolean(*change.enabled) : params.null();
  const Rows changed = tx.ask("namespace_change"_sql, std::move(params.int8(tx.now_ms())));
  if (changed.size() == 0) return refusal::no_namespace(change.name);
  tx.write("directory_bump"_sql);
  tx.reload_directory();
  return namespace_at(changed, 0);
}

Result<std::vector<NamespaceInfo>> list_namespaces(Tx& tx) {
  std::vector<NamespaceInfo> out;
  for (const NamespaceEntry& entry : tx.directory().namespaces()) out.push_back(entry.info);
  return out;
}

Result<NamespaceInfo> delete_namespace(Tx& tx, const NamespaceName& name) {
  const auto info = find(tx.directory(), name);
  const auto ns = tx.directory().find_namespace(name);
  if (!info || !ns) return refusal::no_namespace(name);
  if (name.text() == kDefaultNamespace) return refusal::namespace_is_default();
  const Rows worker = tx.ask("namespace_worker"_sql, Params().int4(*ns));
  if (worker.size() > 0) return refusal::namespace_has_worker(name, worker.view(0, 0));
  if (holds_jobs(tx, *ns)) return refusal::namespace_has_jobs(name);
  if (tx.ask("namespace_unfinished_run"_sql, Params().int4(*ns)).size() > 0) return refusal::namespace_has_agent_runs(name);
  // Plans, actions without jobs, keys, schedules and agents are what somebody made in it, not work: they go along.
  lock_all_keys(tx, *ns);
  tx.write("namespace_delete_plans"_sql, Params().int4(*ns));
  tx.write("namespace_delete_schedules"_sql, Params().int4(*ns));
  tx.write("namespace_delete_agents"_sql, Params().int4(*ns));
  tx.write("namespace_delete_agents_left"_sql, Params().int4(*ns));
  tx.write("namespace_delete_keys"_sql, Params().int4(*ns));
  tx.write("namespace_delete_lanes"_sql, Params().int4(*ns));
  tx.write("namespace_delete_queues"_sql, Params().int4(*ns));
  tx.write("namespace_delete"_sql, Params().int4(*ns));
  tx.reload_directory();
  return *info;
}

}  // namespace muster::store::postgres
