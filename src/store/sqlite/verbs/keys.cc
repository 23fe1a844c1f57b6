// The keyspace on SQLite: a batch of commands over the rows, what others may know of it once it is durable, and the sweep of keys
// whose time has come.
#include <utility>

#include "store/keyspace/keyspace.h"
#include "store/sqlite/keys/rows.h"
#include "store/sqlite/verbs/verbs.h"

namespace muster::store::sqlite {
namespace {

bool is_cached(const NamespaceName& ns, KeySpace space) { return space == KeySpace::clients && ns.text() == kDefaultNamespace; }

// Between two groups everything there is to read is durable, so the cache may have it at once.
void remember_reads(Core& core, const KeyBatch& batch, const std::vector<KeyAnswer>& answers, SqliteKeyRows& rows) {
  for (CachedText& text : rows.take_texts()) core.key_cache.put(std::move(text));
  for (std::size_t i = 0; i < answers.size(); ++i) {
    const auto* get = std::get_if<key::Get>(&batch.commands[i]);
    if (get != nullptr && answers[i].kind == KeyAnswer::Kind::nothing) core.key_cache.put({get->key, nullptr, std::nullopt});
  }
}

// What a group wrote is told and cached when it is durable.
void note_writes(Core& core, const KeyBatch& batch, keyspace::Ran& ran, SqliteKeyRows& rows) {
  core.group.wrote = true;
  if (batch.space == KeySpace::clients)
    for (std::string& key : ran.pushed) core.group.pushed.push_back({batch.ns, std::move(key)});
  if (is_cached(batch.ns, batch.space))
    core.group.key_changes.push_back({ran.cleared, std::move(ran.touched), rows.take_texts()});
}

}  // namespace

Result<std::vector<KeyAnswer>> keyspace(Core& core, const KeyBatch& batch) {
  const auto ns_row = core.namespace_row(batch.ns);
  if (!ns_row.ok()) return ns_row.status();
  const bool cached = is_cached(batch.ns, batch.space);
  const bool between_groups = !core.db.in_transaction();
  SqliteKeyRows rows(core.db, core.key_sql, *ns_row, batch.space);
  if (cached && between_groups) rows.remember_reads();
  core.random_state = mix64(core.random_state);
  keyspace::Ran ran = keyspace::run(rows, batch.commands, core.now, core.random_state);
  if (!core.db.fault().ok()) return core.db.fault();
  if (ran.wrote) note_writes(core, batch, ran, rows);
  if (cached && between_groups) remember_reads(core, batch, ran.answers, rows);
  return std::move(ran.answers);
}

SweepReport expire_keys(Core& core, std::size_t limit) {
  struct Due {
    KeyRow row;
    bool cached = false;
    std::string name;
    KeyType type;
  };
  const auto default_row = core.namespace_row(NamespaceName(kDefaultNamespace));
  std::vector<Due> due;
  {
    Statement& st = core.key_sql.expired;
    Rows rows(st.bind(1, to_ms(core.now)).bind(2, static_cast<std::int64_t>(limit)));
    while (rows.next()) {
      const bool cached = default_row.ok() && st.integer(1) == *default_row && st.integer(2) == 0;
      due.push_back({KeyRow{st.integer(0)}, cached, st.text(3), static_cast<KeyType>(st.integer(4))});
    }
  }
  KeyChanges changes;
  for (Due& key : due) {
    remove_contents(core.key_sql, key.row, key.type);
    core.key_sql.remove.bind(1, static_cast<std::int64_t>(key.row)).run();
    if (key.cached) changes.touched.push_back(std::move(key.name));
  }
  if (!due.empty()) core.group.wrote = true;
  if (!changes.empty()) core.group.key_changes.push_back(std::move(changes));
  SweepReport report;
  report.moved = due.size();
  Statement& next = core.key_sql.next_expiry;
  Rows rows(next);
  if (rows.next())
    if (const auto at = next.optional_integer(0)) report.next_due = from_ms(*at);
  report.more = report.next_due && *report.next_due <= core.now;
  return report;
}

}  // namespace muster::store::sqlite
