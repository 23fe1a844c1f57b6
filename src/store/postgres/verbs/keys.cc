// The keyspace on PostgreSQL: a batch in a transaction of its own, and the sweep of keys whose time has come.
#include <algorithm>
#include <map>
#include <set>

#include "base/uuid.h"
#include "store/keyspace/keyspace.h"
#include "store/postgres/key_rows.h"
#include "store/postgres/node.h"
#include "store/postgres/verbs/sweep_pass.h"
#include "store/postgres/verbs/verbs.h"

namespace muster::store::postgres {
namespace {

const Sql kExpired{"key_expired"};
const Sql kLockSome{"key_lock_some"};
const Sql kStillExpired{"key_still_expired"};
const Sql kRemove{"key_remove"};
const Sql kExpiryNext{"key_expiry_next"};

void lock_keys(Tx& tx, const KeyScope& scope, const std::vector<KeyCommand>& commands, const std::vector<std::string>& keys) {
  if (std::none_of(commands.begin(), commands.end(), keyspace::writes)) return;
  // A clear names no key and touches every one.
  if (std::any_of(commands.begin(), commands.end(), [](const KeyCommand& c) { return std::holds_alternative<key::Clear>(c); }))
    return lock_all_keys(tx, scope.ns);
  lock_keys(tx, scope, keys);
}

}  // namespace

Result<std::vector<KeyAnswer>> keyspace(Tx& tx, const KeyBatch& batch) {
  const auto ns = tx.namespace_key(batch.ns);
  if (!ns.ok()) return ns.status();
  const KeyScope scope{*ns, batch.space};
  std::vector<std::string> keys;
  for (const KeyCommand& command : batch.commands)
    for (std::string& key : keyspace::keys_of(command)) keys.push_back(std::move(key));
  lock_keys(tx, scope, batch.commands, keys);
  RowsOfKeys rows(tx, scope);
  rows.expect(keys);
  constexpr double kSpread = 9007199254740992.0;  // 2^53, all a double tells apart
  const std::uint64_t random = mix64(static_cast<std::uint64_t>(tx.node().spread() * kSpread));
  keyspace::Ran ran = keyspace::run(rows, batch.commands, tx.now(), random);
  rows.flush();
  if (batch.space == KeySpace::clients)
    for (std::string& key : ran.pushed) tx.changes.keys.push_back({batch.ns, std::move(key)});
  return std::move(ran.answers);
}

SweepReport expire_keys(Tx& tx, std::size_t limit) {
  const std::size_t room = std::min(limit, kPassRowsMax);
  const auto expired = ask_leading(tx, kExpired, Params().int8(tx.now_ms()).int8(static_cast<std::int64_t>(room)));
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
    const Rows held = tx.ask(kLockSome, Params().int4s(stripes));
    std::vector<std::int64_t> ids;
    for (std::size_t i = 0; i < held.size(); ++i)
      for (const std::int64_t id : by_stripe[static_cast<std::int32_t>(held.integer(i, 0))]) ids.push_back(id);
    const Rows doomed = tx.ask(kStillExpired, Params().int8s(ids).int8(tx.now_ms()));
    std::vector<std::int64_t> gone;
    for (std::size_t i = 0; i < doomed.size(); ++i) gone.push_back(doomed.integer(i, 0));
    if (!gone.empty()) tx.write(kRemove, Params().int8s(gone));
    report.moved = gone.size();
    report.more = expired->size() == room && !gone.empty();
  }
  report.next_due = ask_instant(tx, kExpiryNext);
  return report;
}

}  // namespace muster::store::postgres
