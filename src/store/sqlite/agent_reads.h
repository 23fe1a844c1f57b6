// What is asked about agents, on a reader's connection: a reader sees the last commit, and so everything that was acknowledged,
// and never holds up the writer.
#pragma once

#include <string>
#include <vector>

#include "base/status.h"
#include "store/codec/id_codec.h"
#include "store/sqlite/agent_statements.h"
#include "store/store.h"

namespace muster::store::sqlite {

// Not thread-safe: one per thread. Pages end early with what passes limits::kPageBytesMax of texts, messages at
// kMessagePageBytesMax.
class AgentReads {
 public:
  AgentReads(Connection& connection, IdCodec ids);

  Result<Each<Agent>> get_agents(const NamespaceName& ns, const std::vector<AgentId>& ids);
  Result<AgentPage> list_agents(const AgentQuery& query);
  Result<Each<Tool>> get_tools(const NamespaceName& ns, const std::vector<ToolName>& names);
  Result<ToolPage> list_tools(const ToolQuery& query);
  Result<Each<AgentSession>> get_sessions(const NamespaceName& ns, const std::vector<AgentSessionId>& ids);
  Result<SessionPage> list_sessions(const SessionQuery& query);
  Result<Each<AgentRun>> get_agent_runs(const std::vector<JobId>& runs);
  Result<AgentRunPage> list_agent_runs(const AgentRunQuery& query);
  Result<AgentRunView> view_agent_run(const JobId& run);
  Result<IterationList> list_iterations(const IterationQuery& query);
  Result<ExecutionPage> list_executions(const ExecutionQuery& query);
  Result<MessagePage> list_messages(const MessageQuery& query);
  Result<Blob> get_blob(const Uuid& id);
  Result<SpendingView> get_spending(const SpendingQuery& query);
  Result<CompactionPage> list_compactions(const CompactionQuery& query);

 private:
  // Runs the body over one state of the database. A failure of the database is the answer, whatever the body made of it.
  template <class T, class Body>
  Result<T> over_snapshot(Body body);
  // 0: all of them.
  Result<std::int64_t> namespace_row(const NamespaceName& ns);
  Status must_exist(const NamespaceName& ns);
  std::optional<Agent> find_agent(const AgentId& id);
  std::optional<AgentSession> find_session(const AgentSessionId& id);
  std::optional<AgentRun> find_run(const JobId& id);
  std::optional<Iteration> find_iteration(const IterationId& id);
  std::vector<ToolExecution> executions_of(const IterationId& iteration);
  Result<AgentRunView> view(const JobId& run);
  Result<ExecutionPage> executions_of_run(const ExecutionQuery& query, std::int64_t ns_row);
  Result<ExecutionPage> newest_executions(const ExecutionQuery& query, std::int64_t ns_row);
  Spending spending_of(std::int64_t ns_row, int scope, const std::string& name, std::int64_t day);

  Connection& db_;
  IdCodec ids_;
  AgentReadStatements sql_;
};

}  // namespace muster::store::sqlite
