// What the agent commands mean: agents, tools, sessions and runs over the store and the door. Holds no state besides; any thread.
//
// Without a key for the model's API everything can be kept and read; what needs the model answers `unavailable` and says what to
// set. Made before the door, which hands the commands here, and opened behind it.
#pragma once

#include <functional>
#include <memory>

#include "agents/base.h"
#include "command/agent_service.h"

namespace muster::agents {

inline constexpr Duration kEndLookEvery{100};  // for the end of a run whose job has ended

class Service final : public command::AgentService {
 public:
  // `on_work`: a namespace has an agent or a run. Both before the first command.
  void open(BasePtr base, std::function<void(const NamespaceName&)> on_work);

  void run(const command::Caller& caller, command::AgentCreateRequest request, Reply<Agent> reply) override;
  void run(const command::Caller& caller, command::AgentGetRequest request, Reply<Agent> reply) override;
  void run(const command::Caller& caller, command::AgentListRequest request, Reply<store::AgentPage> reply) override;
  void run(const command::Caller& caller, command::AgentUpdateRequest request, Reply<Agent> reply) override;
  void run(const command::Caller& caller, command::AgentDeleteRequest request, Reply<Agent> reply) override;
  void run(const command::Caller& caller, command::ToolDefineRequest request, Reply<Tool> reply) override;
  void run(const command::Caller& caller, command::ToolGetRequest request, Reply<Tool> reply) override;
  void run(const command::Caller& caller, command::ToolListRequest request, Reply<store::ToolPage> reply) override;
  void run(const command::Caller& caller, command::ToolDeleteRequest request, Reply<Tool> reply) override;
  void run(const command::Caller& caller, command::ToolRunRequest request, Reply<store::Enqueued> reply) override;

  void run(const command::Caller& caller, command::SessionCreateRequest request, Reply<AgentSession> reply) override;
  void run(const command::Caller& caller, command::SessionGetRequest request, Reply<command::SessionGetReply> reply) override;
  void run(const command::Caller& caller, command::SessionListRequest request, Reply<store::SessionPage> reply) override;
  void run(const command::Caller& caller, command::SessionUpdateRequest request, Reply<AgentSession> reply) override;
  void run(const command::Caller& caller, command::SessionDeleteRequest request, Reply<AgentSession> reply) override;
  void run(const command::Caller& caller, command::SessionMessagesRequest request, Reply<store::MessagePage> reply) override;
  void run(const command::Caller& caller, command::SessionCompactRequest request,
           Reply<command::SessionCompactReply> reply) override;
  void run(const command::Caller& caller, command::SessionRestoreRequest request, Reply<store::CompactionEvent> reply) override;
  void run(const command::Caller& caller, command::SessionCompactionsRequest request,
           Reply<store::CompactionPage> reply) override;

  void run(const command::Caller& caller, command::AgentRunStartRequest request, Reply<store::AgentRunStarted> reply) override;
  void run(const command::Caller& caller, command::AgentRunGetRequest request, Reply<command::AgentRunGetReply> reply) override;
  void run(const command::Caller& caller, command::AgentRunListRequest request, Reply<store::AgentRunPage> reply) override;
  void run(const command::Caller& caller, command::AgentRunCancelRequest request, Reply<AgentRun> reply) override;
  void run(const command::Caller& caller, command::AgentRunDecideRequest request,
           Reply<command::AgentRunDecideReply> reply) override;
  void run(const command::Caller& caller, command::AgentRunForkRequest request, Reply<store::AgentRunStarted> reply) override;
  void run(const command::Caller& caller, command::ToolExecutionListRequest request, Reply<store::ExecutionPage> reply) override;
  void run(const command::Caller& caller, command::ToolExecutionOutputRequest request,
           Reply<command::ToolExecutionOutputReply> reply) override;

 private:
  BasePtr base_;
  std::function<void(const NamespaceName&)> on_work_;
};

// What several files of the service ask.
// unavailable: no key is configured.
Status needs_model(const Base& base);
// invalid_argument: not within 1 to kPageMax.
Status check_limit(std::size_t limit);
void find_agent(const BasePtr& base, const NamespaceName& ns, const std::string& name_or_id, Reply<Agent> reply);
void find_session(const BasePtr& base, const NamespaceName& ns, AgentSessionId id, Reply<AgentSession> reply);
// not_found: none, or one of another namespace.
void find_run(const BasePtr& base, const NamespaceName& ns, JobId run, Reply<AgentRun> reply);
void compact_session(const BasePtr& base, command::SessionCompactRequest request, Reply<command::SessionCompactReply> reply);

}  // namespace muster::agents
