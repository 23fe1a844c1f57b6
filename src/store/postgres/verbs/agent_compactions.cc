// Compactions: messages go to the archive and others take their places; restoring one is the way back.
#include <algorithm>
#include <set>

#include "store/codec/agent_rules.h"
#include "store/postgres/verbs/agents.h"
#include "store/refusals.h"

namespace muster::store::postgres {
namespace {

// The session, when nobody works in it.
Result<HeldSession> hold_idle(Tx& tx, const AgentSessionId& id) {
  auto held = hold_session(tx, id);
  if (!held.ok()) return held;
  if (const auto run = unfinished_in(tx, {id})) return refusal::session_at_work(id, *run);
  return held;
}

Status check_places(Tx& tx, const Compaction& compaction) {
  Params params;
  params.text(compaction.event.session.text()).array(texts_of(compaction.archived));
  const Rows rows = tx.ask("agent_messages_numbers"_sql, std::move(params));
  std::set<std::uint64_t> places;
  std::set<std::string, std::less<>> known;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    places.insert(static_cast<std::uint64_t>(rows.integer(i, 0)));
    known.insert(rows.text(i, 1));
  }
  for (const MessageId& id : compaction.archived)
    if (!known.contains(id.text())) return refusal::no_message(id);
  for (const AgentMessage& one : compaction.replacements)
    if (!places.contains(one.number)) return refusal::place_of_nobody(one.number);
  return {};
}

std::vector<CompactionEvent> events_of(Tx& tx, const AgentSessionId& session) {
  const Rows rows = tx.ask("agent_compaction_list"_sql, Params().text(session.text()));
  std::vector<CompactionEvent> out;
  for (std::size_t i = 0; i < rows.size(); ++i) out.push_back(read_compaction(rows, i, tx.ids()));
  return out;
}

Status put_replacements(Tx& tx, const Compaction& compaction) {
  if (compaction.replacements.empty()) return {};
  RowsOut out(kMessageLetters);
  for (const AgentMessage& one : compaction.replacements) {
    MessageRow row{one, compaction.event.id};
    row.message.session = compaction.event.session;
    add_message(out, row, tx.ids());
  }
  const std::size_t put = out.size();
  const Rows rows = tx.ask("agent_messages_put"_sql, out.params());
  if (rows.size() == put) return {};
  std::set<std::uint64_t> placed;
  for (std::size_t i = 0; i < rows.size(); ++i) placed.insert(static_cast<std::uint64_t>(rows.integer(i, 0)));
  const auto refused = std::find_if(compaction.replacements.begin(), compaction.replacements.end(),
                                    [&](const AgentMessage& one) { return !placed.contains(one.number); });
  return refusal::message_exists(refused->id);
}

}  // namespace

Result<CompactionEvent> compact_session(Tx& tx, const Compaction& compaction) {
  if (Status status = check_compaction(compaction); !status.ok()) return status;
  auto held = hold_idle(tx, compaction.event.session);
  if (!held.ok()) return held.status();
  if (held->session.revision != compaction.revision)
    return refusal::moved_on("session", compaction.event.session.text(), held->session.revision, compaction.revision);
  if (Status status = check_places(tx, compaction); !status.ok()) return status;

  CompactionEvent event = compaction.event;
  event.created_at = tx.now();
  event.restored = false;
  RowsOut out(kCompactionLetters);
  add_compaction(out, event, tx.ids());
  if (tx.ask("agent_compaction_put"_sql, out.params()).size() == 0) return refusal::compaction_exists(event.id);
  Params archived;
  archived.text(event.id.text()).text(event.session.text()).array(texts_of(compaction.archived));
  tx.write("agent_archive_put"_sql, std::move(archived));
  if (Status status = put_replacements(tx, compaction); !status.ok()) return undo(tx, status);
  ++held->session.compactions;
  replace_session(tx, *held);
  return event;
}

Result<CompactionEvent> restore_session(Tx& tx, const AgentSessionId& session, const Uuid& id) {
  auto held = hold_idle(tx, session);
  if (!held.ok()) return held.status();
  std::vector<CompactionEvent> events = events_of(tx, session);
  const auto found = std::find_if(events.begin(), events.end(), [&](const CompactionEvent& one) { return one.id == id; });
  if (found == events.end()) return refusal::no_compaction(id);
  if (found->restored) return refusal::compaction_restored(id);
  const auto later = std::find_if(events.begin(), found, [](const CompactionEvent& one) { return !one.restored; });
  if (later != found) return refusal::compaction_covered(id, later->id);
  tx.write("agent_archive_instead"_sql, Params().text(id.text()));
  tx.write("agent_archive_back"_sql, Params().text(id.text()));
  tx.write("agent_compaction_restored"_sql, Params().text(id.text()));
  replace_session(tx, *held);
  found->restored = true;
  return *found;
}

Result<CompactionList> list_compactions(Tx& tx, const AgentSessionId& session) {
  const Rows rows = tx.ask("agent_session_read"_sql, std::move(Params().null().array(texts_of(std::vector{session}))));
  if (rows.size() == 0) return refusal::no_session(session);
  return CompactionList{events_of(tx, session)};
}

}  // namespace muster::store::postgres
