// The keyspace on SQLite: a batch of commands over the rows, what others may know of it once it is durable, and the sweep of keys
// whose time has come.
#include <algorithm>
#include <span>
#include <utility>

#include "store/keyspace/keyspace.h"
#include "store/sqlite/keys/rows.h"
#include "store/sqlite/verbs/verbs.h"

namespace muster::store::sqlite {
namespace {

bool is_cached(const NamespaceName& ns, KeySpace space) { return space == KeySpace::clients && ns.text() == kDefaultNamespace; }

// What was read between groups that are all durable the cache may have at once.
void remember_reads(Core& core, std::span<const KeyCommand> commands, const std::vector<KeyAnswer>& answers,
                    SqliteKeyRows& rows) {
  for (CachedText& text : rows.take_texts()) core.key_cache.put(std::move(text));
  for (std::size_t i = 0; i < answers.size(); ++i) {
    const auto* get = std::get_if<key::Get>(&commands[i]);
    if (get != nullptr && answers[i].kind == KeyAnswer::Kind::nothing) core.key_cache.put({get->key, nullptr, std::nullopt});
  }
}

// What a group wrote is told and cached when it is durable.
void note_writes(Core& core, const KeyBatch& batch, keyspace::Ran& ran, SqliteKeyRows& rows) {
  if (batch.space == KeySpace::clients)
    for (std::string& key : ran.pushed) core.group.pushed.push_back({batch.ns, std::move(key)});
  if (is_cached(batch.ns, batch.space))
    core.group.key_changes.push_back({ran.cleared, std::move(ran.touched), rows.take_texts()});
}

}  // namespace

Result<keyspace::Part> run_keys(Core& core, const KeyBatch& batch, keyspace::Run what) {
  const auto ns_row = core.namespace_row(batch.ns);
  if (!ns_row.ok()) return ns_row.status();
  const bool cached = is_cached(batch.ns, batch.space);
  const bool between_groups = !core.in_group;
  SqliteKeyRows rows(core.db, core.key_sql, *ns_row, batch.space, core.random_state);
  const bool remembers = cached && between_groups && core.unsettled.empty();
  if (remembers) rows.remember_reads();
  core.random_state = mix64(core.random_state);
  what.now = core.now;
  what.random = core.random_state;
  const bool undoable = what.whole && !between_groups;
  if (undoable) core.key_sql.whole_begin.run();
  keyspace::Ran ran = keyspace::run(rows, what);
  if (undoable && !ran.refused.ok()) core.key_sql.whole_undo.run();
  if (undoable) core.key_sql.whole_end.run();
  if (!core.db.fault().ok()) return core.db.fault();
  if (!ran.refused.ok()) return ran.refused;
  if (ran.wrote) note_writes(core, batch, ran, rows);
  if (remembers) remember_reads(core, what.commands, ran.answers, rows);
  return keyspace::Part{std::move(ran.answers), ran.long_read};
}

namespace {

struct Due {
  KeyRow row;
  KeySpace space;
  bool cached = false;
  std::string name;
  KeyType type;
  std::int64_t count = 0;
};

// Removes the key, or a part of one that is large; says how many rows that took. A large one is put out of sight first: nobody
// must find a part of it, whatever the clock says next.
std::size_t remove_due(KeyStatements& sql, const Due& key, std::size_t room) {
  const auto id = static_cast<std::int64_t>(key.row);
  const auto elements = static_cast<std::size_t>(std::max<std::int64_t>(key.count, 0));
  if (elements <= kRemovedAtOnceMax) {
    remove_contents(sql, key.row, key.type);
    sql.remove.bind(1, id).run();
    return elements + 1;
  }
  if (key.space != kRemovedSpace) sql.retire.bind(1, id).run();
  const std::size_t part = std::min(room, elements - kRemovedAtOnceMax / 2);
  remove_some(sql, key.row, key.type, part);
  sql.write.bind(1, id).bind(2, std::int64_t{0}).bind(3, key.count - static_cast<std::int64_t>(part));
  sql.write.bind(4, std::int64_t{0}).bind(5, std::int64_t{0}).run();
  return part + 1;
}

}  // namespace

SweepReport expire_keys(Core& core, std::size_t limit) {
  const auto default_row = core.namespace_row(NamespaceName(kDefaultNamespace));
  std::vector<Due> due;
  {
    Statement& st = core.key_sql.expired;
    Rows rows(st.bind(1, to_ms(core.now)).bind(2, static_cast<std::int64_t>(limit)));
    while (rows.next()) {
      const auto space = static_cast<KeySpace>(st.integer(2));
      const bool cached = default_row.ok() && st.integer(1) == *default_row && space == KeySpace::clients;
      due.push_back({KeyRow{st.integer(0)}, space, cached, st.text(3), static_cast<KeyType>(st.integer(4)), st.integer(5)});
    }
  }
  KeyChanges changes;
  SweepReport report;
  for (std::size_t rows = 0; report.moved < due.size() && rows < kSweptRowsMax; ++report.moved) {
    Due& key = due[report.moved];
    rows += remove_due(core.key_sql, key, kSweptRowsMax - rows);
    if (key.cached) changes.touched.push_back(std::move(key.name));
  }
  if (!changes.empty()) core.group.key_changes.push_back(std::move(changes));
  Statement& next = core.key_sql.next_expiry;
  Rows rows(next);
  if (rows.next())
    if (const auto at = next.optional_integer(0)) report.next_due = from_ms(*at);
  report.more = report.next_due && *report.next_due <= core.now;
  return report;
}

}  // namespace muster::store::sqlite
