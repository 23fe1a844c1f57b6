// What the agent commands are handed to: agents/service.h implements it, server/ puts it into ServerFacts. The commands know no
// more of agents than this. Any thread; every reply is called exactly once.
#pragma once

#include "command/agent_runs.h"
#include "command/agent_sessions.h"
#include "command/agents.h"

namespace muster::command {

class AgentService {
 public:
  virtual ~AgentService() = default;

  virtual void run(const Caller& caller, AgentCreateRequest request, Reply<Agent> reply) = 0;
  virtual void run(const Caller& caller, AgentGetRequest request, Reply<Agent> reply) = 0;
  virtual void run(const Caller& caller, AgentListRequest request, Reply<store::AgentPage> reply) = 0;
  virtual void run(const Caller& caller, AgentUpdateRequest request, Reply<Agent> reply) = 0;
  virtual void run(const Caller& caller, AgentDeleteRequest request, Reply<Agent> reply) = 0;
  virtual void run(const Caller& caller, ToolDefineRequest request, Reply<Tool> reply) = 0;
  virtual void run(const Caller& caller, ToolGetRequest request, Reply<Tool> reply) = 0;
  virtual void run(const Caller& caller, ToolListRequest request, Reply<store::ToolPage> reply) = 0;
  virtual void run(const Caller& caller, ToolDeleteRequest request, Reply<Tool> reply) = 0;
  virtual void run(const Caller& caller, ToolRunRequest request, Reply<store::Enqueued> reply) = 0;

  virtual void run(const Caller& caller, SessionCreateRequest request, Reply<AgentSession> reply) = 0;
  virtual void run(const Caller& caller, SessionGetRequest request, Reply<SessionGetReply> reply) = 0;
  virtual void run(const Caller& caller, SessionListRequest request, Reply<store::SessionPage> reply) = 0;
  virtual void run(const Caller& caller, SessionUpdateRequest request, Reply<AgentSession> reply) = 0;
  virtual void run(const Caller& caller, SessionDeleteRequest request, Reply<AgentSession> reply) = 0;
  virtual void run(const Caller& caller, SessionMessagesRequest request, Reply<store::MessagePage> reply) = 0;
  virtual void run(const Caller& caller, SessionCompactRequest request, Reply<SessionCompactReply> reply) = 0;
  virtual void run(const Caller& caller, SessionRestoreRequest request, Reply<store::CompactionEvent> reply) = 0;
  virtual void run(const Caller& caller, SessionCompactionsRequest request, Reply<store::CompactionPage> reply) = 0;

  virtual void run(const Caller& caller, AgentRunStartRequest request, Reply<store::AgentRunStarted> reply) = 0;
  virtual void run(const Caller& caller, AgentRunGetRequest request, Reply<AgentRunGetReply> reply) = 0;
  virtual void run(const Caller& caller, AgentRunListRequest request, Reply<store::AgentRunPage> reply) = 0;
  virtual void run(const Caller& caller, AgentRunCancelRequest request, Reply<AgentRun> reply) = 0;
  virtual void run(const Caller& caller, AgentRunDecideRequest request, Reply<AgentRunDecideReply> reply) = 0;
  virtual void run(const Caller& caller, AgentRunForkRequest request, Reply<store::AgentRunStarted> reply) = 0;
  virtual void run(const Caller& caller, ToolExecutionListRequest request, Reply<store::ExecutionPage> reply) = 0;
  virtual void run(const Caller& caller, ToolExecutionOutputRequest request, Reply<ToolExecutionOutputReply> reply) = 0;
};

}  // namespace muster::command
