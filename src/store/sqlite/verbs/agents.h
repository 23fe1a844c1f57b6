// The verbs about agents that write, as functions over the Core; see verbs.h. What is read is read by agent_reads.h.
#pragma once

#include "store/sqlite/agent_rows.h"
#include "store/sqlite/core.h"
#include "store/store.h"

namespace muster::store::sqlite {

Result<Agent> put_agent(Core& core, const AgentPut& put);
Result<Agent> delete_agent(Core& core, const NamespaceName& ns, const AgentId& id);
Result<Tool> put_tool(Core& core, const ToolPut& put);
Result<Tool> delete_tool(Core& core, const NamespaceName& ns, const ToolName& name);

Result<AgentSession> create_session(Core& core, const SessionCreate& create);
Result<AgentSession> update_session(Core& core, const AgentSession& session);
// `begun`: an earlier commit has deleted some of it.
Result<SessionDeletion> delete_session(Core& core, const NamespaceName& ns, const AgentSessionId& id, bool begun);

Result<AgentRunStarted> start_agent_run(Core& core, AgentRunStart& start);
Result<AgentRunWritten> write_agent_run(Core& core, AgentRunWrite& write);

Result<CompactionEvent> compact_session(Core& core, const Compaction& compaction);
Result<CompactionEvent> restore_session(Core& core, const AgentSessionId& session, const Uuid& event);

// What several of them need.

std::optional<Agent> find_agent(Core& core, const AgentId& id);
std::optional<SessionRow> find_session(Core& core, const AgentSessionId& id);
// conflict: one of its runs is unfinished.
Status must_rest(Core& core, const AgentSessionId& session);
// The row moves with what happens in it: its time, and its revision.
void touch_session(Core& core, SessionRow& row);
bool has_row(Statement& st);  // of a statement that has its parameters

// What somebody made in a namespace, not work: it goes along with it.
void delete_agents_of_namespace(Core& core, std::int64_t ns_row);
bool has_unfinished_agent_runs(Core& core, std::int64_t ns_row);

}  // namespace muster::store::sqlite
