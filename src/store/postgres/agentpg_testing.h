// Nodes with agents on them, and somebody who only knows AgentPG: who reads its views and listens on its channels.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/json_reader.h"
#include "store/postgres/nodes_testing.h"
#include "store/postgres/wire/connection.h"

namespace muster::store::postgres {

// A notification of one of AgentPG's channels.
struct Told {
  std::string channel;  // without agentpg_
  json::Tree payload;
  std::string text(const char* key) const;
  bool names(const Uuid& run) const { return text("run_id") == run.text(); }
};

class AgentpgTest : public NodesTest {
 protected:
  explicit AgentpgTest(std::size_t nodes = 1);
  void SetUp() override;
  void TearDown() override;

  PostgresStore& store() { return *nodes_.front(); }

  // --- psql ---
  Result<Rows> query(const std::string& sql);  // {schema} and {agentpg} are put in
  void run(const std::string& sql, int line = __builtin_LINE());
  // The one value of the one row, as text; "none": there is no row, "null": it is null.
  std::string shown(const std::string& sql, int line = __builtin_LINE());
  // Why the server refuses it; empty: it does not.
  std::string refused(const std::string& sql);
  // What was told since the last time, in its order.
  std::vector<Told> told();
  std::vector<std::string> channels_told();

  // --- agents ---
  template <class T>
  T must(Result<T> result, int line = __builtin_LINE()) {
    EXPECT_TRUE(result.ok()) << "line " << line << ": " << result.status().text();
    return result.ok() ? std::move(*result) : T();
  }
  Uuid fresh() { return {0x0190'0000'0000'7000ULL, 0x8000'0000'0000'0000ULL | ++ids_}; }
  Result<Agent> try_agent(const std::string& name, const std::string& metadata = "{}");
  Agent make_agent(const std::string& name = "coder") { return must(try_agent(name)); }
  void make_tool(const std::string& name);
  AgentSession make_session();
  AgentRun start(const AgentSession& session, const Agent& agent);
  AgentRunWritten write(AgentRunWrite one, int line = __builtin_LINE());
  Result<AgentRunWritten> try_write(AgentRunWrite one, std::size_t node = 0);
  AgentRun end(AgentRun run, AgentRunState state = AgentRunState::completed);
  // The run as it waits for these executions, each with a job of its own, or with none.
  AgentRunWritten call_tools(AgentRun run, const std::vector<std::string>& tools, bool jobs = true);
  static ToolExecution ended(ToolExecution one, ToolExecutionState state = ToolExecutionState::completed);
  // The run with an execution that is a run of another agent, and that run.
  struct Delegated {
    AgentRun parent;
    AgentRun child;
    ToolExecution execution;
  };
  Delegated delegate(AgentRun run, const Agent& to);
  static JobSpec job_of(const std::string& queue, const std::string& type, const std::string& capability);
  SessionId join(const std::string& worker, std::vector<std::string> capabilities);
  std::vector<Grant> take(const std::string& worker);

 private:
  std::unique_ptr<Connection> admin_, ear_;
  std::uint64_t ids_ = 0;
  std::uint64_t looks_ = 0;
};

}  // namespace muster::store::postgres
