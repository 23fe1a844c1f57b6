// Sessions: trees of conversations, each with messages in one order, and what was spent in them.
#include <limits>
#include <unordered_map>

#include "store/postgres/verbs/agents.h"
#include "store/refusals.h"

namespace muster::store::postgres {
namespace {

Status fork_messages(Tx& tx, HeldSession& into, const SessionFork& fork) {
  const auto source = hold_session(tx, fork.session);
  if (!source.ok()) return source.status();
  if (source->ns != into.ns) return refusal::no_session(fork.session);
  const auto through = static_cast<std::int64_t>(fork.through);
  const Rows count = tx.ask("agent_messages_forked"_sql, Params().text(fork.session.text()).int8(through));
  into.last_message = count.size() == 1 ? static_cast<std::uint64_t>(count.integer(0, 0)) : 0;
  if (into.last_message > kForkMessagesMax) return refusal::session_too_long(fork.session);
  return {};
}

Params session_params(Tx& tx, const HeldSession& row) {
  RowsOut out(kSessionLetters);
  add_session(out, row, row.ns, tx.ids());
  return out.params();
}

// The session, or one below it that has none below.
AgentSessionId deepest_below(Tx& tx, AgentSessionId id) {
  for (std::size_t depth = 0; depth <= limits::kSessionDepthMax; ++depth) {
    const Rows rows = tx.ask("agent_session_child"_sql, Params().text(id.text()));
    const auto child = rows.size() == 0 ? std::nullopt : AgentSessionId::parse(rows.view(0, 0));
    if (!child) break;
    id = *child;
  }
  return id;
}

// What goes with a session, `room` rows of it. False: there is more. REQUIRES: it is held.
bool shrink(Tx& tx, const AgentSessionId& id, std::int64_t& room) {
  // What refers to something before that, or it would go with it, however much it is.
  for (const Sql part :
       {"agent_session_messages_shrink"_sql, "agent_session_archive_shrink"_sql, "agent_session_compactions_shrink"_sql,
        "agent_session_blobs_shrink"_sql, "agent_session_executions_shrink"_sql, "agent_session_iterations_shrink"_sql,
        "agent_session_runs_shrink"_sql}) {
    const Rows rows = tx.ask(part, Params().text(id.text()).int8(room));
    if (rows.size() == 0) return false;
    room -= rows.integer(0, 0);
    if (room <= 0) return false;
  }
  return true;
}

Params filter_of(const SessionQuery& query, std::optional<NamespaceKey> ns) {
  Params params;
  ns ? params.int4(*ns) : params.null();
  query.parent ? params.text(query.parent->text()) : params.null();
  query.metadata.empty() ? params.null() : params.bytes(query.metadata);
  return params;
}

}  // namespace

Result<HeldSession> hold_session(Tx& tx, const AgentSessionId& id) {
  const Rows rows = tx.ask("agent_session_lock"_sql, Params().text(id.text()));
  if (rows.size() == 0) return refusal::no_session(id);
  return session_at(tx, rows, 0);
}

void replace_session(Tx& tx, HeldSession& row) {
  row.session.updated_at = tx.now();
  ++row.session.revision;
  tx.write("agent_session_replace"_sql, session_params(tx, row));
}

std::optional<JobId> unfinished_in(Tx& tx, const std::vector<AgentSessionId>& sessions) {
  const Rows rows = tx.ask("agent_session_unfinished"_sql, std::move(Params().array(texts_of(sessions))));
  if (rows.size() == 0) return std::nullopt;
  return JobId::parse(rows.view(0, 0));
}

Result<AgentSession> create_session(Tx& tx, const SessionCreate& create) {
  const auto ns = tx.namespace_key(create.session.ns);
  if (!ns.ok()) return ns.status();
  HeldSession row{{create.session, 0}, *ns};
  AgentSession& made = row.session;
  made.depth = made.compactions = 0;
  made.created_at = made.updated_at = tx.now();
  made.revision = 1;
  if (made.parent) {
    const auto parent = hold_session(tx, *made.parent);
    if (!parent.ok()) return parent.status();
    if (parent->ns != *ns) return refusal::no_session(*made.parent);
    if (parent->session.depth >= limits::kSessionDepthMax) return refusal::session_too_deep(*made.parent);
    made.depth = parent->session.depth + 1;
  }
  if (create.fork)
    if (Status status = fork_messages(tx, row, *create.fork); !status.ok()) return status;
  if (tx.ask("agent_session_put"_sql, session_params(tx, row)).size() == 0) return refusal::session_exists(made.id);
  if (create.fork) {
    Params params;
    params.text(create.fork->session.text()).text(made.id.text()).int8(static_cast<std::int64_t>(create.fork->through));
    tx.write("agent_messages_fork"_sql, std::move(params));
  }
  return made;
}

Result<AgentSession> update_session(Tx& tx, const AgentSession& session) {
  const auto ns = tx.namespace_key(session.ns);
  if (!ns.ok()) return ns.status();
  auto held = hold_session(tx, session.id);
  if (!held.ok()) return held.status();
  if (held->ns != *ns) return refusal::no_session(session.id);
  if (held->session.revision != session.revision)
    return refusal::moved_on("session", session.id.text(), held->session.revision, session.revision);
  held->session.metadata = session.metadata;
  held->session.variables = session.variables;
  replace_session(tx, *held);
  return held->session;
}

Each<AgentSession> get_sessions(Tx& tx, const NamespaceName& name, const std::vector<AgentSessionId>& ids) {
  const auto ns = tx.namespace_key(name);
  if (!ns.ok()) return Each<AgentSession>(ids.size(), ns.status());
  const Rows rows = tx.ask("agent_session_read"_sql, std::move(Params().int4(*ns).array(texts_of(ids))));
  std::unordered_map<std::string, std::size_t> row_of;
  for (std::size_t i = 0; i < rows.size(); ++i) row_of.emplace(rows.text(i, 0), i);
  Each<AgentSession> out;
  for (const AgentSessionId& id : ids) {
    if (const auto found = row_of.find(id.text()); found != row_of.end())
      out.emplace_back(session_at(tx, rows, found->second).session);
    else
      out.emplace_back(refusal::no_session(id));
  }
  return out;
}

Result<SessionPage> list_sessions(Tx& tx, const SessionQuery& query) {
  const auto ns = namespace_asked(tx, query.ns);
  if (!ns.ok()) return ns.status();
  const auto below = parse_row_cursor(query.cursor);
  if (!query.cursor.empty() && !below) return refusal::bad_cursor(query.cursor);
  tx.write("agent_session_count"_sql, filter_of(query, *ns));
  Params params = filter_of(query, *ns);
  params.int8(below.value_or(std::numeric_limits<std::int64_t>::max())).int8(static_cast<std::int64_t>(query.limit) + 1);
  tx.write("agent_session_page"_sql, std::move(params.int8(static_cast<std::int64_t>(limits::kPageBytesMax))));
  const std::vector<Rows> answers = tx.ask_all();
  SessionPage page;
  if (tx.failed() || answers.size() < 2) return page;
  page.total = static_cast<std::uint64_t>(answers[answers.size() - 2].integer(0, 0));
  const Rows& rows = answers.back();
  const std::size_t count = fitting(rows, query.limit, kSessionColumns + 3);
  for (std::size_t i = 0; i < count; ++i) page.sessions.push_back(session_at(tx, rows, i).session);
  if (rows.size() > count && count > 0) page.next = std::to_string(rows.integer(count - 1, kSessionColumns + 1));
  return page;
}

Result<SessionDeletion> delete_session(Tx& tx, const NamespaceName& name, const AgentSessionId& id, bool begun) {
  const auto ns = tx.namespace_key(name);
  if (!ns.ok()) return ns.status();
  const Rows rows = tx.ask("agent_session_read"_sql, std::move(Params().int4(*ns).array(texts_of(std::vector{id}))));
  if (rows.size() == 0) return refusal::no_session(id);
  if (!begun) {
    const Rows tree = tx.ask("agent_session_tree"_sql, Params().text(id.text()));
    std::vector<AgentSessionId> all;
    for (std::size_t i = 0; i < tree.size(); ++i) all.push_back(AgentSessionId::parse(tree.view(i, 0)).value_or(id));
    if (const auto run = unfinished_in(tx, all)) return refusal::session_at_work(id, *run);
  }
  SessionDeletion out{.session = session_at(tx, rows, 0).session, .more = true};
  constexpr auto kRoom = static_cast<std::int64_t>(kSessionDeleteRowsMax);
  for (std::int64_t room = kRoom; room > 0 && out.more && !tx.failed();) {
    const AgentSessionId leaf = deepest_below(tx, id);
    const bool held = hold_session(tx, leaf).ok();
    if (!held && leaf == id) return room == kRoom ? Result<SessionDeletion>(refusal::no_session(id)) : out;
    // Somebody else deletes as well, or has made one below it before it was held.
    if (!held || deepest_below(tx, leaf) != leaf) continue;
    // A run that began between two commits. What is refused changes nothing, so it is told by the next one.
    if (const auto run = unfinished_in(tx, {leaf})) {
      if (room == kRoom) return refusal::session_at_work(id, *run);
      return out;
    }
    if (!shrink(tx, leaf, room)) continue;
    tx.write("agent_session_delete"_sql, std::move(Params().array(texts_of(std::vector{leaf})).int4(*ns)));
    --room;
    out.more = leaf != id;
  }
  return out;
}

Result<MessagePage> list_messages(Tx& tx, const MessageQuery& query) {
  Params params;
  params.text(query.session.text()).int8(static_cast<std::int64_t>(query.after));
  if (!query.context_of) {
    params.boolean(false).null();
  } else {
    const auto runs = get_agent_runs(tx, {*query.context_of});
    if (!runs.front().ok()) return runs.front().status();
    const bool root = runs.front()->depth == 0;
    params.boolean(root).int8(root ? std::nullopt : tx.ids().decode(*query.context_of));
  }
  tx.write("agent_session_read"_sql, std::move(Params().null().array(texts_of(std::vector{query.session}))));
  tx.write(
      "agent_messages_page"_sql,
      std::move(params.int8(static_cast<std::int64_t>(query.limit) + 1).int8(static_cast<std::int64_t>(kMessagePageBytesMax))));
  const std::vector<Rows> answers = tx.ask_all();
  MessagePage page;
  if (tx.failed() || answers.size() < 2) return page;
  if (answers[answers.size() - 2].size() == 0) return refusal::no_session(query.session);
  const Rows& rows = answers.back();
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const auto bytes = static_cast<std::size_t>(rows.integer(i, kMessageColumns));
    page.more = i == query.limit || (i > 0 && bytes > kMessagePageBytesMax);
    if (page.more) break;
    page.messages.push_back(read_message(rows, i, tx.ids()).message);
  }
  return page;
}

Result<SpendingView> get_spending(Tx& tx, const SpendingQuery& query) {
  const auto ns = tx.namespace_key(query.ns);
  if (!ns.ok()) return ns.status();
  Params params;
  params.int4(*ns);
  query.session ? params.text(query.session->text()) : params.null();
  query.agent ? params.text(query.agent->text()) : params.null();
  const Rows rows = tx.ask("agent_spending_read"_sql, std::move(params.int8(day_of(query.day))));
  SpendingView view;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const Spending spent = read_spending(rows, i, tx.ids());
    switch (static_cast<SpendingScope>(rows.integer(i, kSpendingColumns))) {
      case SpendingScope::session: view.session = spent; break;
      case SpendingScope::agent: view.agent_today = spent; break;
      case SpendingScope::ns: view.namespace_today = spent; break;
    }
  }
  return view;
}

}  // namespace muster::store::postgres
