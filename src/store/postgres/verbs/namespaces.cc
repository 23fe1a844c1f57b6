// Namespaces: made by hand, and deleted when nothing is left in them.
#include <algorithm>

#include "store/postgres/key_rows.h"
#include "store/postgres/shared_statements.h"
#include "store/postgres/verbs/verbs.h"
#include "store/refusals.h"

namespace muster::store::postgres {
namespace {

const Sql kNamespaceCreate{"namespace_create"};
const Sql kNamespaceWorker{"namespace_worker"};
const Sql kNamespaceLive{"namespace_live"};
const Sql kNamespaceLanes{"namespace_lanes"};
const Sql kNamespaceHistory{"namespace_history"};
const Sql kNamespaceLock{"namespace_lock"};
const Sql kNamespaceChange{"namespace_change"};
const Sql kNamespaceDeletePlans{"namespace_delete_plans"};
const Sql kNamespaceDeleteSchedules{"namespace_delete_schedules"};
const Sql kNamespaceDeleteKeys{"namespace_delete_keys"};
const Sql kNamespaceDeleteLanes{"namespace_delete_lanes"};
const Sql kNamespaceDeleteQueues{"namespace_delete_queues"};
const Sql kNamespaceDelete{"namespace_delete"};

constexpr std::int64_t kHistoryStretch = 2'000'000;  // keys one question covers; a second or so
constexpr std::int64_t kKeysInFlightMax = 100'000;   // given out and not yet used by jobs on their way in

// As this transaction sees them: what the node remembers is every transaction's, and another one may put an older view of it
// there.
std::vector<LaneKey> lanes_of(Tx& tx, NamespaceKey ns) {
  const Rows rows = tx.ask(kNamespaceLanes, Params().int4(ns));
  std::vector<LaneKey> out;
  for (std::size_t i = 0; i < rows.size(); ++i) out.push_back(static_cast<LaneKey>(rows.integer(i, 0)));
  return out;
}

bool history_holds(Tx& tx, const std::vector<LaneKey>& lanes, std::int64_t from, std::int64_t to) {
  for (std::int64_t at = from; at < to && !tx.failed(); at += kHistoryStretch) {
    const Rows rows = tx.ask(kNamespaceHistory, Params().int4s(lanes).int8(at).int8(std::min(at + kHistoryStretch, to)));
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
    const Rows rows = tx.ask(kNamespaceLive, Params().int4s(lanes));
    if (rows.size() != 1 || rows.integer(0, 0) != 0) return true;
    known = rows.integer(0, 1);
    if (history_holds(tx, lanes, 0, known)) return true;
  }
  tx.write(kNamespaceLock);
  tx.write(kDirectoryBump);  // nobody makes another lane until the commit
  const std::vector<LaneKey> all = lanes_of(tx, ns);
  if (all.empty()) return false;
  const Rows rows = tx.ask(kNamespaceLive, Params().int4s(all));
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
  const Rows rows = tx.ask(kNamespaceCreate, std::move(params));
  if (rows.size() == 0) return refusal::namespace_exists(info.name);
  tx.write(kDirectoryBump);
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
  const Rows changed = tx.ask(kNamespaceChange, std::move(params.int8(tx.now_ms())));
  if (changed.size() == 0) return refusal::no_namespace(change.name);
  tx.write(kDirectoryBump);
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
  const Rows worker = tx.ask(kNamespaceWorker, Params().int4(*ns));
  if (worker.size() > 0) return refusal::namespace_has_worker(name, worker.view(0, 0));
  if (holds_jobs(tx, *ns)) return refusal::namespace_has_jobs(name);
  // Plans, actions without jobs, keys and schedules are what somebody made in it, not work: they go along.
  lock_all_keys(tx, *ns);
  tx.write(kNamespaceDeletePlans, Params().int4(*ns));
  tx.write(kNamespaceDeleteSchedules, Params().int4(*ns));
  tx.write(kNamespaceDeleteKeys, Params().int4(*ns));
  tx.write(kNamespaceDeleteLanes, Params().int4(*ns));
  tx.write(kNamespaceDeleteQueues, Params().int4(*ns));
  tx.write(kNamespaceDelete, Params().int4(*ns));
  tx.reload_directory();
  return *info;
}

}  // namespace muster::store::postgres
