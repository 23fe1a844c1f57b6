// Agents and tools: rows that are replaced at the revision they were read with.
#include "store/sqlite/verbs/agents.h"

#include "store/refusals.h"

namespace muster::store::sqlite {
namespace {

// Another one that has the name and these metadata.
bool name_taken(Core& core, std::int64_t ns_row, const Agent& agent) {
  Statement& st = core.agent_sql.agent_named;
  Binder bind(st, core.ids);
  bind(ns_row, agent.spec.name).made(metadata_key(agent.spec.metadata));
  Rows rows(st);
  return rows.next() && st.view(0) != agent.id.text();
}

std::optional<Tool> find_tool(Core& core, std::int64_t ns_row, const ToolName& name) {
  Statement& st = core.agent_sql.agent_tool_find;
  Rows rows(st.bind(1, ns_row).bind_text(2, name.text()));
  if (!rows.next()) return std::nullopt;
  return read_tool(st, core.ids);
}

Result<Agent> find_in(Core& core, const NamespaceName& ns, const AgentId& id) {
  if (const auto ns_row = core.namespace_row(ns); !ns_row.ok()) return ns_row.status();
  auto found = find_agent(core, id);
  if (!found || found->spec.ns != ns) return refusal::no_agent(id);
  return std::move(*found);
}

}  // namespace

bool has_row(Statement& st) {
  Rows rows(st);
  return rows.next() && st.integer(0) != 0;
}

std::optional<Agent> find_agent(Core& core, const AgentId& id) {
  Statement& st = core.agent_sql.agent_find;
  const std::string text = id.text();
  Rows rows(st.bind_text(1, text));
  if (!rows.next()) return std::nullopt;
  return read_agent(st, core.ids);
}

Result<Agent> put_agent(Core& core, const AgentPut& put) {
  Agent agent = put.agent;
  const auto ns_row = core.namespace_row(agent.spec.ns);
  if (!ns_row.ok()) return ns_row.status();
  const auto found = find_agent(core, agent.id);
  if (agent.revision == 0) {
    if (found) return refusal::agent_id_taken(agent.id);
    agent.created_at = core.now;
  } else {
    if (!found || found->spec.ns != agent.spec.ns) return refusal::no_agent(agent.id);
    if (found->revision != agent.revision) return refusal::moved_on("agent", agent.id.text(), found->revision, agent.revision);
    agent.created_at = found->created_at;
  }
  if (name_taken(core, *ns_row, agent)) return refusal::agent_exists(agent.spec);
  agent.updated_at = core.now;
  ++agent.revision;
  write_agent(found ? core.agent_sql.agent_update : core.agent_sql.agent_insert, core.ids, *ns_row, agent);
  return agent;
}

Result<Agent> delete_agent(Core& core, const NamespaceName& ns, const AgentId& id) {
  auto found = find_in(core, ns, id);
  if (!found.ok()) return found;
  const std::string text = id.text();
  if (has_row(core.agent_sql.agent_has_runs.bind_text(1, text))) return refusal::agent_has_runs(id);
  core.agent_sql.agent_delete.bind_text(1, text).run();
  core.agent_sql.agent_spending_delete.bind(1, *core.namespace_row(ns))
      .bind(2, static_cast<std::int64_t>(SpendingScope::agent))
      .bind_text(3, text)
      .run();
  return found;
}

Result<Tool> put_tool(Core& core, const ToolPut& put) {
  Tool tool = put.tool;
  const auto ns_row = core.namespace_row(tool.spec.ns);
  if (!ns_row.ok()) return ns_row.status();
  const auto found = find_tool(core, *ns_row, tool.spec.name);
  if (!put.replace) {
    if (found && tool.revision == 0) return refusal::tool_exists(tool.spec.name);
    if (!found && tool.revision != 0) return refusal::no_tool(tool.spec.name);
    if (found && found->revision != tool.revision)
      return refusal::moved_on("tool", tool.spec.name.text(), found->revision, tool.revision);
  }
  tool.created_at = found ? found->created_at : core.now;
  tool.updated_at = core.now;
  tool.revision = found ? found->revision + 1 : 1;
  write_tool(found ? core.agent_sql.agent_tool_update : core.agent_sql.agent_tool_insert, core.ids, *ns_row, tool);
  return tool;
}

Result<Tool> delete_tool(Core& core, const NamespaceName& ns, const ToolName& name) {
  const auto ns_row = core.namespace_row(ns);
  if (!ns_row.ok()) return ns_row.status();
  auto found = find_tool(core, *ns_row, name);
  if (!found) return refusal::no_tool(name);
  core.agent_sql.agent_tool_delete.bind(1, *ns_row).bind_text(2, name.text()).run();
  return std::move(*found);
}

}  // namespace muster::store::sqlite
