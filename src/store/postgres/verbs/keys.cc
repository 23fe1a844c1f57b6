// The keyspace on PostgreSQL: a batch in a transaction of its own, and the sweep of keys whose time has come.
#include "store/postgres/verbs/verbs.h"

#include <algorithm>
#include <map>
#include <set>
#include <span>

#include "base/uuid.h"
#include "store/keyspace/keyspace.h"
#include "store/postgres/key_rows.h"
#include "store/postgres/node.h"
#include "store/postgres/verbs/sweeps.h"

namespace muster::store::postgres {
namespace {

void lock_keys(Tx& tx, const KeyScope& scope, const keyspace::Run& what, const std::vector<std::string>& keys) {
  const auto commands = what.commands;
  // What is whole looks at one moment, also where it only looks.
  if (!what.whole && std::none_of(commands.begin(), commands.end(), [](const KeyCommand& c) { return store::writes(c); })) return;
  // A clear names no key and touches every one.
  if (std::any_of(commands.begin(), commands.end(), [](const KeyCommand& c) { return std::holds_alternative<key::Clear>(c); }))
    return lock_all_keys(tx, scope.ns);
  lock_keys(tx, scope, keys);
}

}  // namespace

Result<keyspace::Part> run_keys(Tx& tx, const KeyBatch& batch, keyspace::Run what) {
  const auto ns = tx.namespace_key(batch.ns);
  if (!ns.ok()) return ns.status();
  const KeyScope scope{*ns, batch.space};
  std::vector<std::string> keys;
  for (const KeyCommand& command : what.commands)
    for (std::string& key : keyspace::keys_of(command)) keys.push_back(std::move(key));
  for (const KeyVersion& each : what.unchanged) keys.push_back(each.key);
  lock_keys(tx, scope, what, keys);
  RowsOfKeys rows(tx, scope);
  rows.expect(keys);
  constexpr double kSpread = 9007199254740992.0;  // 2^53, all a double tells apart
  what.random = mix64(static_cast<std::uint64_t>(tx.node().spread() * kSpread));
  what.now = tx.now();
  keyspace::Ran ran = keyspace::run(rows, what);
  if (!ran.refused.ok()) {
    tx.undone = true;
    return ran.refused;
  }
  rows.flush();
  if (batch.space == KeySpace::clients)
    for (std::string& key : ran.pushed) tx.changes.keys.push_back({batch.ns, std::move(key)});
  return keyspace::Part{std::move(ran.answers), ran.long_read};
}

namespace {

Sql remove_some(KeyType type) {
  if (type == KeyType::list) return "key_items_remove_some"_sql;
  return type == KeyType::scores ? "key_scores_remove_some"_sql : "key_fields_remove_some"_sql;
}

// Removes keys, and parts of large ones; says how many. A large one is put out of sight first: nobody must find a part of it.
std::size_t remove_due(Tx& tx, const Rows& due) {
  std::vector<std::int64_t> gone;
  std::size_t at = 0;
  for (std::size_t rows = 0; at < due.size() && rows < kSweptRowsMax; ++at) {
    const std::int64_t id = due.integer(at, 0);
    const auto elements = static_cast<std::size_t>(std::max<std::int64_t>(due.integer(at, 2), 0));
    if (elements <= kRemovedAtOnceMax) {
      gone.push_back(id);
      rows += elements + 1;
      continue;
    }
    if (static_cast<KeySpace>(due.integer(at, 3)) != kRemovedSpace) tx.write("key_retire"_sql, Params().int8(id));
    const std::size_t part = std::min(kSweptRowsMax - rows, elements - kRemovedAtOnceMax / 2);
    tx.write(remove_some(static_cast<KeyType>(due.integer(at, 1))), Params().int8(id).int8(static_cast<std::int64_t>(part)));
    tx.write("key_write"_sql, Params()
                                  .int8(id)
                                  .int8(std::int64_t{0})
                                  .int8(static_cast<std::int64_t>(elements - part))
                                  .int8(std::int64_t{0})
                                  .int8(std::int64_t{0}));
    rows += part + 1;
  }
  if (!gone.empty()) tx.write("key_remove"_sql, Params().int8s(gone));
  return at;
}

}  // namespace

SweepReport expire_keys(Tx& tx, std::size_t limit) {
  const std::size_t room = std::min(limit, kPassRowsMax);
  const auto expired = ask_leading(tx, "key_expired"_sql, Params().int8(tx.now_ms()).int8(static_cast<std::int64_t>(room)));
  if (!expired) return {};
  SweepReport report;
  if (expired->size() > 0) {
    // Whoever is at work on a key settles its end by himself: only stripes nobody holds are taken, and never waited for.
    std::map<std::int32_t, std::vector<std::int64_t>> by_stripe;
    for (std::size_t i = 0; i < expired->size(); ++i) {
      const KeyScope scope{static_cast<NamespaceKey>(expired->integer(i, 1)), static_cast<KeySpace>(expired->integer(i, 2))};
      by_stripe[stripe_of(scope, expired->view(i, 3))].push_back(expired->integer(i, 0));
    }
    std::vector<std::int32_t> stripes;
    for (const auto& [stripe, ids] : by_stripe) stripes.push_back(stripe);
    const Rows held = tx.ask("key_lock_some"_sql, Params().int4s(stripes));
    std::vector<std::int64_t> ids;
    for (std::size_t i = 0; i < held.size(); ++i)
      for (const std::int64_t id : by_stripe[static_cast<std::int32_t>(held.integer(i, 0))]) ids.push_back(id);
    report.moved = remove_due(tx, tx.ask("key_still_expired"_sql, Params().int8s(ids).int8(tx.now_ms())));
  }
  report.next_due = ask_instant(tx, "key_expiry_next"_sql);
  report.more = report.moved > 0 && report.next_due && *report.next_due <= tx.now();
  return report;
}

}  // namespace muster::store::postgres
