// Agents and their tools: rows with a revision that grows with every write.
#include <unordered_map>

#include "store/postgres/agent_rows.h"
#include "store/postgres/verbs/agents.h"
#include "store/refusals.h"

namespace muster::store::postgres {
namespace {

Result<Agent> hold_agent(Tx& tx, NamespaceKey ns, const AgentId& id) {
  const Rows rows = tx.ask("agent_lock"_sql, Params().int4(ns).text(id.text()));
  if (rows.size() == 0) return refusal::no_agent(id);
  return agent_at(tx, rows, 0);
}

Result<Tool> hold_tool(Tx& tx, NamespaceKey ns, const ToolName& name) {
  const Rows rows = tx.ask("tool_lock"_sql, Params().int4(ns).text(name.text()));
  if (rows.size() == 0) return refusal::no_tool(name);
  return tool_at(tx, rows, 0);
}

Params agent_params(Tx& tx, const Agent& agent, NamespaceKey ns) {
  RowsOut out(kAgentLetters);
  add_agent(out, agent, ns, tx.ids());
  return out.params();
}

Params tool_params(Tx& tx, const Tool& tool, NamespaceKey ns) {
  RowsOut out(kToolLetters);
  add_tool(out, tool, ns, tx.ids());
  return out.params();
}

bool name_taken(Tx& tx, const Agent& agent, NamespaceKey ns) {
  Params params;
  params.int4(ns).text(agent.spec.name).text(metadata_key(agent.spec.metadata)).text(agent.id.text());
  return tx.ask("agent_taken"_sql, std::move(params)).size() > 0;
}

Result<Agent> create_agent(Tx& tx, Agent made, NamespaceKey ns) {
  made.created_at = made.updated_at = tx.now();
  made.revision = 1;
  if (tx.ask("agent_put"_sql, agent_params(tx, made, ns)).size() == 1 || tx.failed()) return made;
  return name_taken(tx, made, ns) ? refusal::agent_exists(made.spec) : refusal::agent_id_taken(made.id);
}

Params filter_of(const AgentQuery& query, std::optional<NamespaceKey> ns) {
  Params params;
  ns ? params.int4(*ns) : params.null();
  query.name.empty() ? params.null() : params.text(query.name);
  query.metadata.empty() ? params.null() : params.bytes(query.metadata);
  return params;
}

}  // namespace

Result<std::optional<NamespaceKey>> namespace_asked(Tx& tx, const NamespaceName& name) {
  if (name.empty()) return std::optional<NamespaceKey>();
  const auto key = tx.namespace_key(name);
  if (!key.ok()) return key.status();
  return std::optional(*key);
}

Result<Agent> put_agent(Tx& tx, const AgentPut& put) {
  const auto ns = tx.namespace_key(put.agent.spec.ns);
  if (!ns.ok()) return ns.status();
  if (put.agent.revision == 0) return create_agent(tx, put.agent, *ns);
  const auto held = hold_agent(tx, *ns, put.agent.id);
  if (!held.ok()) return held.status();
  if (held->revision != put.agent.revision)
    return refusal::moved_on("agent", put.agent.id.text(), held->revision, put.agent.revision);
  Agent after = put.agent;
  after.created_at = held->created_at;
  after.updated_at = tx.now();
  after.revision = held->revision + 1;
  if (name_taken(tx, after, *ns)) return refusal::agent_exists(after.spec);
  tx.write("agent_replace"_sql, agent_params(tx, after, *ns));
  return after;
}

Each<Agent> get_agents(Tx& tx, const NamespaceName& name, const std::vector<AgentId>& ids) {
  const auto ns = tx.namespace_key(name);
  if (!ns.ok()) return Each<Agent>(ids.size(), ns.status());
  const Rows rows = tx.ask("agent_read"_sql, std::move(Params().int4(*ns).array(texts_of(ids))));
  std::unordered_map<std::string, std::size_t> row_of;
  for (std::size_t i = 0; i < rows.size(); ++i) row_of.emplace(rows.text(i, 0), i);
  Each<Agent> out;
  for (const AgentId& id : ids) {
    if (const auto found = row_of.find(id.text()); found != row_of.end())
      out.emplace_back(agent_at(tx, rows, found->second));
    else
      out.emplace_back(refusal::no_agent(id));
  }
  return out;
}

Result<AgentPage> list_agents(Tx& tx, const AgentQuery& query) {
  const auto ns = namespace_asked(tx, query.ns);
  if (!ns.ok()) return ns.status();
  const auto after = parse_agent_cursor(query.cursor);
  if (!query.cursor.empty() && !after) return refusal::bad_cursor(query.cursor);
  Params params = filter_of(query, *ns);
  after ? params.text(after->name).text(after->id.text()) : params.null().null();
  tx.write("agent_count"_sql, filter_of(query, *ns));
  params.int8(static_cast<std::int64_t>(query.limit) + 1);
  tx.write("agent_page"_sql, std::move(params.int8(static_cast<std::int64_t>(limits::kPageBytesMax))));
  const std::vector<Rows> answers = tx.ask_all();
  AgentPage page;
  if (tx.failed() || answers.size() < 2) return page;
  page.total = static_cast<std::uint64_t>(answers[answers.size() - 2].integer(0, 0));
  const Rows& rows = answers.back();
  const std::size_t count = fitting(rows, query.limit, kAgentColumns + 2);
  for (std::size_t i = 0; i < count; ++i) page.agents.push_back(agent_at(tx, rows, i));
  if (rows.size() > count && count > 0) page.next = agent_cursor(page.agents.back());
  return page;
}

Result<Agent> delete_agent(Tx& tx, const NamespaceName& name, const AgentId& id) {
  const auto ns = tx.namespace_key(name);
  if (!ns.ok()) return ns.status();
  auto held = hold_agent(tx, *ns, id);
  if (!held.ok()) return held;
  if (tx.ask("agent_needed"_sql, Params().text(id.text())).size() > 0) return refusal::agent_has_runs(id);
  tx.write("agent_delete"_sql, std::move(Params().text(id.text()).int4(*ns)));
  return held;
}

Result<Tool> put_tool(Tx& tx, const ToolPut& put) {
  const auto ns = tx.namespace_key(put.tool.spec.ns);
  if (!ns.ok()) return ns.status();
  Tool after = put.tool;
  after.created_at = after.updated_at = tx.now();
  after.revision = 1;
  if (put.replace || put.tool.revision == 0) {
    if (tx.ask("tool_put"_sql, tool_params(tx, after, *ns)).size() == 1) return after;
    if (!put.replace) return refusal::tool_exists(put.tool.spec.name);
  }
  const auto held = hold_tool(tx, *ns, put.tool.spec.name);
  if (!held.ok()) return held.status();
  if (!put.replace && held->revision != put.tool.revision)
    return refusal::moved_on("tool", put.tool.spec.name.text(), held->revision, put.tool.revision);
  after.created_at = held->created_at;
  after.revision = held->revision + 1;
  tx.write("tool_replace"_sql, tool_params(tx, after, *ns));
  return after;
}

Each<Tool> get_tools(Tx& tx, const NamespaceName& name, const std::vector<ToolName>& names) {
  const auto ns = tx.namespace_key(name);
  if (!ns.ok()) return Each<Tool>(names.size(), ns.status());
  const Rows rows = tx.ask("tool_read"_sql, std::move(Params().int4(*ns).array(texts_of(names))));
  std::unordered_map<std::string, std::size_t> row_of;
  for (std::size_t i = 0; i < rows.size(); ++i) row_of.emplace(rows.text(i, 0), i);
  Each<Tool> out;
  for (const ToolName& one : names) {
    if (const auto found = row_of.find(one.text()); found != row_of.end())
      out.emplace_back(tool_at(tx, rows, found->second));
    else
      out.emplace_back(refusal::no_tool(one));
  }
  return out;
}

Result<ToolPage> list_tools(Tx& tx, const ToolQuery& query) {
  const auto ns = namespace_asked(tx, query.ns);
  if (!ns.ok()) return ns.status();
  Params params;
  *ns ? params.int4(**ns) : params.null();
  const auto after = parse_tool_cursor(query.cursor);
  if (!query.cursor.empty() && !after) return refusal::bad_cursor(query.cursor);
  after ? params.text(after->name).int4(after->ns) : params.null().null();
  params.int8(static_cast<std::int64_t>(query.limit) + 1);
  const Rows rows = tx.ask("tool_page"_sql, std::move(params.int8(static_cast<std::int64_t>(limits::kPageBytesMax))));
  const std::size_t count = fitting(rows, query.limit, kToolColumns + 2);
  ToolPage page;
  for (std::size_t i = 0; i < count; ++i) page.tools.push_back(tool_at(tx, rows, i));
  if (rows.size() > count && count > 0)
    page.next = tool_cursor({page.tools.back().spec.name.text(), rows.integer(count - 1, kToolColumns)});
  return page;
}

Result<Tool> delete_tool(Tx& tx, const NamespaceName& name, const ToolName& tool) {
  const auto ns = tx.namespace_key(name);
  if (!ns.ok()) return ns.status();
  auto held = hold_tool(tx, *ns, tool);
  if (!held.ok()) return held;
  tx.write("tool_delete"_sql, Params().int4(*ns).text(tool.text()));
  return held;
}

}  // namespace muster::store::postgres
