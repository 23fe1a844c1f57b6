// Compactions: messages go to the archive and others take their places; restoring one is the way back.
#include <algorithm>
#include <limits>
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
  const Rows rows = tx.ask("agent_compaction_find"_sql, Params().text(id.text()).text(session.text()));
  if (rows.size() == 0) return refusal::no_compaction(id);
  CompactionEvent found = read_compaction(rows, 0, tx.ids());
  if (found.restored) return refusal::compaction_restored(id);
  const Rows standing = tx.ask("agent_compaction_standing"_sql, Params().text(session.text()));
  if (standing.size() > 0 && standing.view(0, 0) != id.text())
    return refusal::compaction_covered(id, Uuid::parse(standing.view(0, 0)).value_or(Uuid()));
  tx.write("agent_archive_instead"_sql, Params().text(id.text()));
  tx.write("agent_archive_back"_sql, Params().text(id.text()));
  tx.write("agent_compaction_restored"_sql, Params().text(id.text()));
  replace_session(tx, *held);
  found.restored = true;
  return found;
}

Result<CompactionPage> list_compactions(Tx& tx, const CompactionQuery& query) {
  const auto below = parse_row_cursor(query.cursor);
  if (!query.cursor.empty() && !below) return refusal::bad_cursor(query.cursor);
  tx.write("agent_session_read"_sql, std::move(Params().null().array(texts_of(std::vector{query.session}))));
  Params params;
  params.text(query.session.text()).int8(below.value_or(std::numeric_limits<std::int64_t>::max()));
  tx.write("agent_compaction_page"_sql, std::move(params.int8(static_cast<std::int64_t>(query.limit) + 1)));
  const std::vector<Rows> answers = tx.ask_all();
  CompactionPage page;
  if (tx.failed() || answers.size() < 2) return page;
  if (answers[answers.size() - 2].size() == 0) return refusal::no_session(query.session);
  const Rows& rows = answers.back();
  std::size_t bytes = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    CompactionEvent one = read_compaction(rows, i, tx.ids());
    bytes += one.summary.size() + one.preserved.size() * sizeof(MessageId);
    if (i > 0 && (i == query.limit || bytes > limits::kPageBytesMax)) {
      page.next = std::to_string(rows.integer(i - 1, kCompactionColumns));
      break;
    }
    page.events.push_back(std::move(one));
  }
  return page;
}

}  // namespace muster::store::postgres
