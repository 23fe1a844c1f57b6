// An AgentService that does nothing but answer as the test says, and remembers what it was asked.
#pragma once

#include <any>
#include <map>
#include <mutex>
#include <string>
#include <typeindex>
#include <utility>

#include "command/agent_service.h"

namespace muster::command {

class ScriptedAgents final : public AgentService {
 public:
  // What requests of this answer are answered with from now on; an empty one until then.
  template <class Answer>
  void will_answer(Answer answer) {
    const std::lock_guard lock(mutex_);
    answers_[typeid(Answer)] = std::move(answer);
  }
  // Not ok: what everything is refused with.
  void will_refuse(Status status) {
    const std::lock_guard lock(mutex_);
    refusal_ = std::move(status);
  }

  // The last request. REQUIRES: it was of this kind.
  template <class Request>
  Request asked() const {
    const std::lock_guard lock(mutex_);
    return std::any_cast<Request>(last_);
  }
  bool was_asked() const {
    const std::lock_guard lock(mutex_);
    return last_.has_value();
  }
  std::string asked_by() const {
    const std::lock_guard lock(mutex_);
    return caller_;
  }

  void run(const Caller& caller, AgentCreateRequest request, Reply<Agent> reply) override {
    answer(caller, std::move(request), std::move(reply));
  }
  void run(const Caller& caller, AgentGetRequest request, Reply<Agent> reply) override {
    answer(caller, std::move(request), std::move(reply));
  }
  void run(const Caller& caller, AgentListRequest request, Reply<store::AgentPage> reply) override {
    answer(caller, std::move(request), std::move(reply));
  }
  void run(const Caller& caller, AgentUpdateRequest request, Reply<Agent> reply) override {
    answer(caller, std::move(request), std::move(reply));
  }
  void run(const Caller& caller, AgentDeleteRequest request, Reply<Agent> reply) override {
    answer(caller, std::move(request), std::move(reply));
  }
  void run(const Caller& caller, ToolDefineRequest request, Reply<Tool> reply) override {
    answer(caller, std::move(request), std::move(reply));
  }
  void run(const Caller& caller, ToolGetRequest request, Reply<Tool> reply) override {
    answer(caller, std::move(request), std::move(reply));
  }
  void run(const Caller& caller, ToolListRequest request, Reply<store::ToolPage> reply) override {
    answer(caller, std::move(request), std::move(reply));
  }
  void run(const Caller& caller, ToolDeleteRequest request, Reply<Tool> reply) override {
    answer(caller, std::move(request), std::move(reply));
  }
  void run(const Caller& caller, ToolRunRequest request, Reply<store::Enqueued> reply) override {
    answer(caller, std::move(request), std::move(reply));
  }
  void run(const Caller& caller, SessionCreateRequest request, Reply<AgentSession> reply) override {
    answer(caller, std::move(request), std::move(reply));
  }
  void run(const Caller& caller, SessionGetRequest request, Reply<SessionGetReply> reply) override {
    answer(caller, std::move(request), std::move(reply));
  }
  void run(const Caller& caller, SessionListRequest request, Reply<store::SessionPage> reply) override {
    answer(caller, std::move(request), std::move(reply));
  }
  void run(const Caller& caller, SessionUpdateRequest request, Reply<AgentSession> reply) override {
    answer(caller, std::move(request), std::move(reply));
  }
  void run(const Caller& caller, SessionDeleteRequest request, Reply<AgentSession> reply) override {
    answer(caller, std::move(request), std::move(reply));
  }
  void run(const Caller& caller, SessionMessagesRequest request, Reply<store::MessagePage> reply) override {
    answer(caller, std::move(request), std::move(reply));
  }
  void run(const Caller& caller, SessionCompactRequest request, Reply<SessionCompactReply> reply) override {
    answer(caller, std::move(request), std::move(reply));
  }
  void run(const Caller& caller, SessionRestoreRequest request, Reply<store::CompactionEvent> reply) override {
    answer(caller, std::move(request), std::move(reply));
  }
  void run(const Caller& caller, SessionCompactionsRequest request, Reply<store::CompactionPage> reply) override {
    answer(caller, std::move(request), std::move(reply));
  }
  void run(const Caller& caller, AgentRunStartRequest request, Reply<store::AgentRunStarted> reply) override {
    answer(caller, std::move(request), std::move(reply));
  }
  void run(const Caller& caller, AgentRunGetRequest request, Reply<AgentRunGetReply> reply) override {
    answer(caller, std::move(request), std::move(reply));
  }
  void run(const Caller& caller, AgentRunListRequest request, Reply<store::AgentRunPage> reply) override {
    answer(caller, std::move(request), std::move(reply));
  }
  void run(const Caller& caller, AgentRunCancelRequest request, Reply<AgentRun> reply) override {
    answer(caller, std::move(request), std::move(reply));
  }
  void run(const Caller& caller, AgentRunDecideRequest request, Reply<AgentRunDecideReply> reply) override {
    answer(caller, std::move(request), std::move(reply));
  }
  void run(const Caller& caller, AgentRunForkRequest request, Reply<store::AgentRunStarted> reply) override {
    answer(caller, std::move(request), std::move(reply));
  }
  void run(const Caller& caller, ToolExecutionListRequest request, Reply<store::ExecutionPage> reply) override {
    answer(caller, std::move(request), std::move(reply));
  }
  void run(const Caller& caller, ToolExecutionOutputRequest request, Reply<ToolExecutionOutputReply> reply) override {
    answer(caller, std::move(request), std::move(reply));
  }

 private:
  template <class Request>
  void answer(const Caller& caller, Request request, Reply<AnswerTo<Request>> reply) {
    Result<AnswerTo<Request>> result{AnswerTo<Request>{}};
    {
      const std::lock_guard lock(mutex_);
      caller_ = caller.name;
      last_ = std::move(request);
      if (const auto found = answers_.find(typeid(AnswerTo<Request>)); found != answers_.end())
        result = std::any_cast<AnswerTo<Request>>(found->second);
      if (!refusal_.ok()) result = refusal_;
    }
    reply(std::move(result));
  }

  mutable std::mutex mutex_;  // leaf
  std::any last_;
  std::string caller_;
  std::map<std::type_index, std::any> answers_;
  Status refusal_;
};

}  // namespace muster::command
