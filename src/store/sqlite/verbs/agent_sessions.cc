// Sessions: conversations, what goes with them, and what is left of them when they are compacted.
#include <limits>
#include <map>

#include "store/codec/agent_rules.h"
#include "store/refusals.h"
#include "store/sqlite/verbs/agents.h"

namespace muster::store::sqlite {
namespace {

Result<SessionRow> find_in(Core& core, const NamespaceName& ns, const AgentSessionId& id) {
  if (const auto ns_row = core.namespace_row(ns); !ns_row.ok()) return ns_row.status();
  auto found = find_session(core, id);
  if (!found || found->session.ns != ns) return refusal::no_session(id);
  return std::move(*found);
}

// Of the session and all below it.
std::vector<std::string> tree_of(Core& core, const AgentSessionId& id) {
  const std::string text = id.text();
  std::vector<std::string> out;
  Statement& st = core.agent_sql.agent_session_tree;
  Rows rows(st.bind_text(1, text));
  while (rows.next()) out.push_back(st.text(0));
  return out;
}

constexpr std::int64_t kAllRows = -1;  // as SQLite says it

// What goes with a session, and then the session, `room` rows of it. False: there is more.
bool delete_rows(Core& core, std::int64_t ns_row, const std::string& id, std::int64_t& room) {
  AgentStatements& sql = core.agent_sql;
  // Executions and iterations are found by their runs.
  for (Statement* const part :
       {&sql.agent_message_delete_of_session, &sql.agent_archive_delete_of_session, &sql.agent_compaction_delete,
        &sql.agent_blob_delete, &sql.agent_execution_delete, &sql.agent_iteration_delete, &sql.agent_run_delete}) {
    part->bind_text(1, id).bind(2, room).run();
    if (room == kAllRows) continue;
    room -= core.db.changes();
    if (room <= 0) return false;
  }
  sql.agent_spending_delete.bind(1, ns_row).bind(2, static_cast<std::int64_t>(SpendingScope::session)).bind_text(3, id).run();
  sql.agent_session_delete.bind_text(1, id).run();
  if (room != kAllRows) --room;
  return true;
}

// The session, or one below it that has none below.
AgentSessionId deepest_below(Core& core, AgentSessionId id) {
  while (true) {
    const std::string text = id.text();
    Statement& st = core.agent_sql.agent_session_child;
    Rows rows(st.bind_text(1, text));
    if (!rows.next()) return id;
    const auto child = AgentSessionId::parse(st.view(0));
    if (!child) return id;
    id = *child;
  }
}

// A UUID of version 4 from the store's own numbers.
Uuid random_id(Core& core) {
  constexpr std::uint64_t kVersionBits = 0xF000, kVersion = 0x4000, kVariantBits = 0xC000'0000'0000'0000ULL,
                          kVariant = 0x8000'0000'0000'0000ULL;
  const auto next = [&core] { return core.random_state = mix64(core.random_state); };
  return {(next() & ~kVersionBits) | kVersion, (next() & ~kVariantBits) | kVariant};
}

// The numbers of what a fork copies.
Result<std::vector<std::int64_t>> numbers_to_copy(Core& core, const SessionFork& fork) {
  const std::string source = fork.session.text();
  const auto through = static_cast<std::int64_t>(std::min<std::uint64_t>(fork.through, std::numeric_limits<std::int64_t>::max()));
  std::vector<std::int64_t> out;
  Statement& st = core.agent_sql.agent_message_root_numbers;
  Rows rows(st.bind_text(1, source).bind(2, through).bind(3, as_integer(kForkMessagesMax + 1)));
  while (rows.next()) out.push_back(st.integer(0));
  if (out.size() > kForkMessagesMax) return refusal::session_too_long(fork.session);
  return out;
}

void copy_messages(Core& core, const SessionFork& fork, const std::vector<std::int64_t>& numbers, const AgentSessionId& into) {
  const std::string source = fork.session.text();
  const std::string target = into.text();
  std::int64_t place = 0;
  for (const std::int64_t number : numbers) {
    const std::string id = random_id(core).text();
    Statement& st = core.agent_sql.agent_message_copy;
    st.bind_text(1, target).bind(2, ++place).bind_text(3, id).bind_text(4, source).bind(5, number).run();
  }
}

}  // namespace

std::optional<SessionRow> find_session(Core& core, const AgentSessionId& id) {
  Statement& st = core.agent_sql.agent_session_find;
  const std::string text = id.text();
  Rows rows(st.bind_text(1, text));
  if (!rows.next()) return std::nullopt;
  return read_session(st, core.ids);
}

Status must_rest(Core& core, const AgentSessionId& session) {
  Statement& st = core.agent_sql.agent_run_unfinished;
  const std::string text = session.text();
  Rows rows(st.bind_text(1, text));
  if (rows.next()) return refusal::session_at_work(session, core.ids.encode(st.integer(0)));
  return {};
}

void touch_session(Core& core, SessionRow& row) {
  row.session.updated_at = core.now;
  ++row.session.revision;
  write_session(core.agent_sql.agent_session_update, core.ids, 0, row);
}

Result<AgentSession> create_session(Core& core, const SessionCreate& create) {
  SessionRow row{create.session, 0};
  AgentSession& session = row.session;
  const auto ns_row = core.namespace_row(session.ns);
  if (!ns_row.ok()) return ns_row.status();
  if (find_session(core, session.id)) return refusal::session_exists(session.id);
  session.depth = 0;
  if (session.parent) {
    const auto parent = find_in(core, session.ns, *session.parent);
    if (!parent.ok()) return parent.status();
    if (parent->session.depth >= limits::kSessionDepthMax) return refusal::session_too_deep(*session.parent);
    session.depth = parent->session.depth + 1;
  }
  std::vector<std::int64_t> copied;
  if (create.fork) {
    if (const auto source = find_in(core, session.ns, create.fork->session); !source.ok()) return source.status();
    auto numbers = numbers_to_copy(core, *create.fork);
    if (!numbers.ok()) return numbers.status();
    copied = std::move(*numbers);
  }
  session.compactions = 0;
  session.created_at = session.updated_at = core.now;
  session.revision = 1;
  row.last_message = copied.size();
  write_session(core.agent_sql.agent_session_insert, core.ids, *ns_row, row);
  if (create.fork) copy_messages(core, *create.fork, copied, session.id);
  return session;
}

Result<AgentSession> update_session(Core& core, const AgentSession& session) {
  auto found = find_in(core, session.ns, session.id);
  if (!found.ok()) return found.status();
  if (found->session.revision != session.revision)
    return refusal::moved_on("session", session.id.text(), found->session.revision, session.revision);
  found->session.metadata = session.metadata;
  found->session.variables = session.variables;
  touch_session(core, *found);
  return std::move(found->session);
}

Result<SessionDeletion> delete_session(Core& core, const NamespaceName& ns, const AgentSessionId& id, bool begun) {
  auto found = find_in(core, ns, id);
  if (!found.ok()) return found.status();
  SessionDeletion out{.session = std::move(found->session), .more = true};
  if (!begun)
    for (const std::string& one : tree_of(core, id))
      if (Status resting = must_rest(core, *AgentSessionId::parse(one)); !resting.ok()) return resting;
  const std::int64_t ns_row = *core.namespace_row(ns);
  constexpr auto kRoom = static_cast<std::int64_t>(kSessionDeleteRowsMax);
  for (std::int64_t room = kRoom; room > 0 && out.more;) {
    const AgentSessionId leaf = deepest_below(core, id);
    // A run that began between two commits. What is refused changes nothing, so it is told by the next one.
    if (Status resting = must_rest(core, leaf); !resting.ok()) return room == kRoom ? Result<SessionDeletion>(resting) : out;
    if (delete_rows(core, ns_row, leaf.text(), room)) out.more = leaf != id;
  }
  return out;
}

bool has_unfinished_agent_runs(Core& core, std::int64_t ns_row) {
  return has_row(core.agent_sql.agent_run_unfinished_of_namespace.bind(1, ns_row));
}

void delete_agents_of_namespace(Core& core, std::int64_t ns_row) {
  std::vector<std::string> sessions;
  {
    Statement& st = core.agent_sql.agent_session_ids_of_namespace;
    Rows rows(st.bind(1, ns_row));
    while (rows.next()) sessions.push_back(st.text(0));
  }
  std::int64_t room = kAllRows;
  for (const std::string& one : sessions) delete_rows(core, ns_row, one, room);
  core.agent_sql.agent_spending_delete_of_namespace.bind(1, ns_row).run();
  core.agent_sql.agent_tool_delete_of_namespace.bind(1, ns_row).run();
  core.agent_sql.agent_delete_of_namespace.bind(1, ns_row).run();
}

namespace {

std::optional<CompactionEvent> find_compaction(Core& core, const Uuid& event) {
  Statement& st = core.agent_sql.agent_compaction_find;
  const std::string text = event.text();
  Rows rows(st.bind_text(1, text));
  if (!rows.next()) return std::nullopt;
  return read_compaction(st, core.ids);
}

struct MessagePlace {
  std::string session;
  std::uint64_t number = 0;
};

std::optional<MessagePlace> find_message(Core& core, const MessageId& id) {
  Statement& st = core.agent_sql.agent_message_find;
  const std::string text = id.text();
  Rows rows(st.bind_text(1, text));
  if (!rows.next()) return std::nullopt;
  return MessagePlace{st.text(0), static_cast<std::uint64_t>(st.integer(1))};
}

// Archived in another session: it would come back there.
bool archived_elsewhere(Core& core, const MessageId& id, const std::string& session) {
  Statement& st = core.agent_sql.agent_message_archived;
  const std::string text = id.text();
  Rows rows(st.bind_text(1, text));
  return rows.next() && st.view(0) != session;
}

Status check_places(Core& core, const Compaction& compaction, const std::string& session) {
  std::map<std::uint64_t, MessageId> archived;  // by number
  for (const MessageId& id : compaction.archived) {
    const auto place = find_message(core, id);
    if (!place || place->session != session) return refusal::no_message(id);
    archived.emplace(place->number, id);
  }
  for (const AgentMessage& one : compaction.replacements) {
    if (!archived.contains(one.number)) return refusal::place_of_nobody(one.number);
    const auto taken = find_message(core, one.id);
    const bool goes = taken && taken->session == session && archived.contains(taken->number);
    if ((taken && !goes) || archived_elsewhere(core, one.id, session)) return refusal::message_exists(one.id);
  }
  return {};
}

}  // namespace

Result<CompactionEvent> compact_session(Core& core, const Compaction& compaction) {
  CompactionEvent event = compaction.event;
  auto found = find_session(core, event.session);
  if (!found) return refusal::no_session(event.session);
  if (found->session.revision != compaction.revision)
    return refusal::moved_on("session", event.session.text(), found->session.revision, compaction.revision);
  if (Status resting = must_rest(core, event.session); !resting.ok()) return resting;
  if (Status sound = check_compaction(compaction); !sound.ok()) return sound;
  if (find_compaction(core, event.id)) return refusal::compaction_exists(event.id);
  if (Status placed = check_places(core, compaction, event.session.text()); !placed.ok()) return placed;

  event.restored = false;
  event.created_at = core.now;
  const std::string id = event.id.text();
  for (const MessageId& one : compaction.archived) {
    const std::string message = one.text();
    core.agent_sql.agent_message_archive.bind_text(1, id).bind_text(2, message).run();
    core.agent_sql.agent_message_delete.bind_text(1, message).run();
  }
  for (const AgentMessage& one : compaction.replacements) {
    MessageRow row{one, event.id};
    row.message.session = event.session;
    if (row.message.created_at == Instant{}) row.message.created_at = core.now;
    insert_message(core.agent_sql.agent_message_insert, core.ids, row);
  }
  insert_compaction(core.agent_sql.agent_compaction_insert, core.ids, event);
  ++found->session.compactions;
  touch_session(core, *found);
  return event;
}

Result<CompactionEvent> restore_session(Core& core, const AgentSessionId& session, const Uuid& event) {
  auto found = find_session(core, session);
  if (!found) return refusal::no_session(session);
  auto compaction = find_compaction(core, event);
  if (!compaction || compaction->session != session) return refusal::no_compaction(event);
  if (compaction->restored) return refusal::compaction_restored(event);
  if (Status resting = must_rest(core, session); !resting.ok()) return resting;
  const std::string id = event.text();
  {
    Statement& st = core.agent_sql.agent_compaction_standing;
    const std::string text = session.text();
    Rows rows(st.bind_text(1, text));
    if (rows.next() && st.view(0) != id) return refusal::compaction_covered(event, Uuid::parse(st.view(0)).value_or(Uuid()));
  }
  core.agent_sql.agent_message_delete_of_event.bind_text(1, id).run();
  core.agent_sql.agent_archive_restore.bind_text(1, id).run();
  core.agent_sql.agent_archive_delete.bind_text(1, id).run();
  core.agent_sql.agent_compaction_restored.bind_text(1, id).run();
  touch_session(core, *found);
  compaction->restored = true;
  return std::move(*compaction);
}

}  // namespace muster::store::sqlite
