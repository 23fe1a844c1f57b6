// The verbs about agents, their tools, sessions and runs, one function each; their meaning is in store/store.h.
//
// Locks are taken in this order: a run's row, that of the run that called it, the session's, then gates and jobs. Whoever starts
// a run, appends messages or compacts holds the session; whoever writes a run or its executions holds the run.
#pragma once

#include <optional>
#include <vector>

#include "store/agents.h"
#include "store/postgres/agent_rows.h"
#include "store/postgres/verbs/verbs.h"

namespace muster::store::postgres {

// --- agents.cc ---
Result<Agent> put_agent(Tx& tx, const AgentPut& put);
Each<Agent> get_agents(Tx& tx, const NamespaceName& ns, const std::vector<AgentId>& ids);
Result<AgentPage> list_agents(Tx& tx, const AgentQuery& query);
Result<Agent> delete_agent(Tx& tx, const NamespaceName& ns, const AgentId& id);
Result<Tool> put_tool(Tx& tx, const ToolPut& put);
Each<Tool> get_tools(Tx& tx, const NamespaceName& ns, const std::vector<ToolName>& names);
Result<ToolPage> list_tools(Tx& tx, const ToolQuery& query);
Result<Tool> delete_tool(Tx& tx, const NamespaceName& ns, const ToolName& name);

// --- agent_sessions.cc ---
Result<AgentSession> create_session(Tx& tx, const SessionCreate& create);
Result<AgentSession> update_session(Tx& tx, const AgentSession& session);
Each<AgentSession> get_sessions(Tx& tx, const NamespaceName& ns, const std::vector<AgentSessionId>& ids);
Result<SessionPage> list_sessions(Tx& tx, const SessionQuery& query);
// `begun`: an earlier commit has deleted some of it.
Result<SessionDeletion> delete_session(Tx& tx, const NamespaceName& ns, const AgentSessionId& id, bool begun);
Result<MessagePage> list_messages(Tx& tx, const MessageQuery& query);
Result<SpendingView> get_spending(Tx& tx, const SpendingQuery& query);

// --- agent_compactions.cc ---
Result<CompactionEvent> compact_session(Tx& tx, const Compaction& compaction);
Result<CompactionEvent> restore_session(Tx& tx, const AgentSessionId& session, const Uuid& event);
Result<CompactionPage> list_compactions(Tx& tx, const CompactionQuery& query);

// --- agent_runs.cc ---
Each<AgentRun> get_agent_runs(Tx& tx, const std::vector<JobId>& runs);
Result<AgentRunPage> list_agent_runs(Tx& tx, const AgentRunQuery& query);
Result<AgentRunView> view_agent_run(Tx& tx, const JobId& run);
Result<IterationList> list_iterations(Tx& tx, const IterationQuery& query);
Result<ExecutionPage> list_executions(Tx& tx, const ExecutionQuery& query);
Result<Blob> get_blob(Tx& tx, const Uuid& id);

// --- agent_writes.cc ---
Result<AgentRunStarted> start_agent_run(Tx& tx, const AgentRunStart& start);
Result<AgentRunWritten> write_agent_run(Tx& tx, const AgentRunWrite& write);

// What these files share.

// Nothing: of all namespaces.
Result<std::optional<NamespaceKey>> namespace_asked(Tx& tx, const NamespaceName& name);
// The session, held until the commit.
Result<HeldSession> hold_session(Tx& tx, const AgentSessionId& id);
// Writes it as changed now. REQUIRES: it is held.
void replace_session(Tx& tx, HeldSession& row);
// An unfinished run in one of these sessions.
std::optional<JobId> unfinished_in(Tx& tx, const std::vector<AgentSessionId>& sessions);

}  // namespace muster::store::postgres
