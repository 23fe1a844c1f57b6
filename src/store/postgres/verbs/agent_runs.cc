// Reading runs of agents: their rows, their calls of the model and of tools.
#include <limits>
#include <unordered_map>

#include "store/postgres/verbs/agents.h"
#include "store/refusals.h"

namespace muster::store::postgres {
namespace {

constexpr std::int64_t kNewest = std::numeric_limits<std::int64_t>::max();

template <class Id>
void id_or_null(Params& params, const std::optional<Id>& id) {
  id ? params.text(id->text()) : params.null();
}
template <class Enum>
void name_or_null(Params& params, const std::optional<Enum>& value) {
  value ? params.text(to_string(*value)) : params.null();
}

// The key of a job that may be nobody's: then one that no row has.
std::int64_t key_of(Tx& tx, const JobId& id) { return tx.ids().decode(id).value_or(0); }
void key_or_null(Tx& tx, Params& params, const std::optional<JobId>& id) { id ? params.int8(key_of(tx, *id)) : params.null(); }

bool has_run(Tx& tx, const JobId& run) { return tx.ask("agent_run_read"_sql, Params().int8s({key_of(tx, run)})).size() == 1; }

Sql page_of(const AgentRunQuery& query) {
  if (query.parent) return "agent_run_page_of_parent"_sql;
  if (query.session) return "agent_run_page_of_session"_sql;
  if (query.agent) return "agent_run_page_of_agent"_sql;
  if (query.unfinished) return "agent_run_page_unfinished"_sql;
  return "agent_run_page"_sql;
}

Sql page_of(const ExecutionQuery& query) {
  if (query.id) return "agent_execution_page_of_id"_sql;
  if (query.job) return "agent_execution_page_of_job"_sql;
  if (query.approval_asked) return "agent_execution_page_asked"_sql;
  return "agent_execution_page"_sql;
}

// What both ways to list executions ask for.
void add_filter(Tx& tx, Params& params, const ExecutionQuery& query, std::optional<NamespaceKey> ns) {
  ns ? params.int4(*ns) : params.null();
  id_or_null(params, query.id);
  key_or_null(tx, params, query.job);
  query.tool.empty() ? params.null() : params.bytes(query.tool.text());
  name_or_null(params, query.state);
  params.boolean(query.approval_asked).int8(static_cast<std::int64_t>(query.limit) + 1);
  params.int8(static_cast<std::int64_t>(limits::kPageBytesMax));
}

Result<ExecutionPage> list_of_run(Tx& tx, const ExecutionQuery& query, std::optional<NamespaceKey> ns) {
  const auto after = parse_execution_cursor(query.cursor);
  if (!query.cursor.empty() && !after) return refusal::bad_cursor(query.cursor);
  const ExecutionPlace from = after.value_or(ExecutionPlace{-1, 0, 0});
  Params params;
  params.int8(key_of(tx, *query.run)).int8(from.iteration).int8(from.place).int8(from.row);
  add_filter(tx, params, query, ns);
  const Rows rows = tx.ask("agent_executions_of_run"_sql, std::move(params));
  const std::size_t count = fitting(rows, query.limit, kExecutionColumns + 3);
  ExecutionPage page;
  for (std::size_t i = 0; i < count; ++i) page.executions.push_back(read_execution(rows, i, tx.ids()));
  if (rows.size() > count && count > 0)
    page.next = execution_cursor({rows.integer(count - 1, kExecutionColumns), page.executions.back().place,
                                  rows.integer(count - 1, kExecutionColumns + 1)});
  return page;
}

// The run with its executions. Nothing: the two answers are of different instants.
std::optional<Result<AgentRunView>> look(Tx& tx, const JobId& id) {
  tx.write("agent_run_view"_sql, Params().int8(key_of(tx, id)));
  tx.write("agent_run_view_executions"_sql, Params().int8(key_of(tx, id)));
  const std::vector<Rows> answers = tx.ask_all();
  if (tx.failed() || answers.size() < 2) return Status::unavailable("the database is away");
  const Rows& rows = answers[answers.size() - 2];
  const Rows& executions = answers.back();
  if (rows.size() == 0) return refusal::no_agent_run(id);
  constexpr int kAgentAt = kRunColumns + 1, kSessionAt = kAgentAt + kAgentColumns + 1,
                kIterationAt = kSessionAt + kSessionColumns + 1;
  AgentRunView view;
  view.run = run_at(tx, rows, 0);
  view.agent = agent_at(tx, rows, 0, kAgentAt);
  view.session = session_at(tx, rows, 0, kSessionAt).session;
  if (!rows.null(0, kIterationAt)) view.iteration = read_iteration(rows, 0, tx.ids(), kIterationAt);
  for (std::size_t i = 0; i < executions.size(); ++i) {
    if (static_cast<std::uint64_t>(executions.integer(i, kExecutionColumns)) != view.run.revision) return std::nullopt;
    if (!executions.null(i, 0)) view.executions.push_back(read_execution(executions, i, tx.ids()));
  }
  return executions.size() > 0 ? std::optional<Result<AgentRunView>>(std::move(view)) : std::nullopt;
}

}  // namespace

Each<AgentRun> get_agent_runs(Tx& tx, const std::vector<JobId>& runs) {
  std::vector<std::int64_t> keys;
  for (const JobId& id : runs) keys.push_back(key_of(tx, id));
  const Rows rows = tx.ask("agent_run_read"_sql, Params().int8s(keys));
  std::unordered_map<std::int64_t, std::size_t> row_of;
  for (std::size_t i = 0; i < rows.size(); ++i) row_of.emplace(rows.integer(i, 0), i);
  Each<AgentRun> out;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    if (const auto found = row_of.find(keys[i]); found != row_of.end())
      out.emplace_back(run_at(tx, rows, found->second));
    else
      out.emplace_back(refusal::no_agent_run(runs[i]));
  }
  return out;
}

Result<AgentRunPage> list_agent_runs(Tx& tx, const AgentRunQuery& query) {
  const auto ns = namespace_asked(tx, query.ns);
  if (!ns.ok()) return ns.status();
  const auto below = parse_row_cursor(query.cursor);
  if (!query.cursor.empty() && !below) return refusal::bad_cursor(query.cursor);
  Params params;
  params.int8(below.value_or(kNewest));
  *ns ? params.int4(**ns) : params.null();
  id_or_null(params, query.session);
  id_or_null(params, query.agent);
  key_or_null(tx, params, query.parent);
  name_or_null(params, query.state);
  name_or_null(params, query.mode);
  params.boolean(query.unfinished).int8(static_cast<std::int64_t>(query.limit) + 1);
  const Rows rows = tx.ask(page_of(query), std::move(params.int8(static_cast<std::int64_t>(limits::kPageBytesMax))));
  const std::size_t count = fitting(rows, query.limit, kRunColumns + 2);
  AgentRunPage page;
  for (std::size_t i = 0; i < count; ++i) page.runs.push_back(run_at(tx, rows, i));
  if (rows.size() > count && count > 0) page.next = std::to_string(rows.integer(count - 1, 0));
  return page;
}

Result<AgentRunView> view_agent_run(Tx& tx, const JobId& run) {
  if (auto view = look(tx, run)) return std::move(*view);
  // Somebody wrote in between. Whoever holds the run sees it stand still.
  tx.ask("agent_run_lock"_sql, Params().int8(key_of(tx, run)));
  if (auto view = look(tx, run)) return std::move(*view);
  return Status::unavailable("the run is being written; try again");
}

Result<IterationList> list_iterations(Tx& tx, const IterationQuery& query) {
  if (!has_run(tx, query.run)) return refusal::no_agent_run(query.run);
  Params params;
  params.int8(key_of(tx, query.run)).int8(static_cast<std::int64_t>(limits::kPageMax));
  const Rows rows = tx.ask("agent_iterations_list"_sql, std::move(params.int8(static_cast<std::int64_t>(limits::kPageBytesMax))));
  IterationList list;
  for (std::size_t i = 0; i < rows.size(); ++i) list.iterations.push_back(read_iteration(rows, i, tx.ids()));
  return list;
}

Result<ExecutionPage> list_executions(Tx& tx, const ExecutionQuery& query) {
  const auto ns = namespace_asked(tx, query.ns);
  if (!ns.ok()) return ns.status();
  if (query.run) return list_of_run(tx, query, *ns);
  const auto below = parse_row_cursor(query.cursor);
  if (!query.cursor.empty() && !below) return refusal::bad_cursor(query.cursor);
  Params params;
  params.int8(below.value_or(kNewest));
  add_filter(tx, params, query, *ns);
  const Rows rows = tx.ask(page_of(query), std::move(params));
  const std::size_t count = fitting(rows, query.limit, kExecutionColumns + 2);
  ExecutionPage page;
  for (std::size_t i = 0; i < count; ++i) page.executions.push_back(read_execution(rows, i, tx.ids()));
  if (rows.size() > count && count > 0) page.next = std::to_string(rows.integer(count - 1, kExecutionColumns));
  return page;
}

Result<Blob> get_blob(Tx& tx, const Uuid& id) {
  const Rows rows = tx.ask("agent_blob_read"_sql, Params().text(id.text()));
  if (rows.size() == 0) return refusal::no_blob(id);
  return Blob{id, rows.text(0, 0)};
}

}  // namespace muster::store::postgres
