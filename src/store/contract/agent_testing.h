// The fixture of the cases about agents: an agent, a session, a run, and what is said in it, in short words.
#pragma once

#include <string>
#include <vector>

#include "store/contract/contract.h"

namespace muster::store::contract {

class AgentContract : public StoreContract {
 protected:
  // Every id of a case is another one.
  Uuid fresh() { return {0x0190'0000'0000'7000ULL, 0x8000'0000'0000'0000ULL | ++ids_}; }

  Agent an_agent(std::string name = "coder", std::string metadata = "{}") {
    Agent out;
    out.id = AgentId{fresh()};
    out.spec.name = std::move(name);
    out.spec.model = "claude-x";
    out.spec.metadata = std::move(metadata);
    return out;
  }
  Agent make_agent(std::string name = "coder", std::string metadata = "{}", int line = __builtin_LINE()) {
    return must(client().put_agent({an_agent(std::move(name), std::move(metadata))}), line);
  }
  Tool a_tool(std::string name = "lint") {
    Tool out;
    out.spec.name = ToolName(std::move(name));
    return out;
  }
  AgentSession a_session(std::string metadata = "{}") {
    AgentSession out;
    out.id = AgentSessionId{fresh()};
    out.metadata = std::move(metadata);
    return out;
  }
  AgentSession make_session(std::string metadata = "{}", int line = __builtin_LINE()) {
    return must(client().create_session({a_session(std::move(metadata))}), line);
  }
  AgentSession make_below(const AgentSession& parent, int line = __builtin_LINE()) {
    AgentSession out = a_session();
    out.parent = parent.id;
    return must(client().create_session({out}), line);
  }
  AgentSession session_now(const AgentSession& session, int line = __builtin_LINE()) {
    return must(client().get_session(session.ns, session.id), line);
  }

  static JobSpec run_job() {
    JobSpec job = a_run();
    job.queue = QueueName("agents");
    job.type = JobType("agent.run");
    job.needs = CapabilitySet({"agent:runtime"});
    return job;
  }
  static JobSpec tool_job(const std::string& tool = "lint") {
    JobSpec job = a_job();
    job.queue = QueueName("tools");
    job.type = JobType(tool);
    job.needs = CapabilitySet({"tool:" + tool});
    return job;
  }
  void join_runtime(int line = __builtin_LINE()) {
    join(a_worker("w1", [](WorkerSpec& w) { w.capabilities = CapabilitySet({"agent:runtime"}); }), line);
  }
  static AgentRunStart a_start(const AgentSession& session, const Agent& agent, std::string prompt = "hello") {
    AgentRunStart out;
    out.run.ns = session.ns;
    out.run.session = session.id;
    out.run.agent = agent.id;
    out.run.prompt = std::move(prompt);
    out.job = run_job();
    return out;
  }
  AgentRun start(const AgentSession& session, const Agent& agent, std::string prompt = "hello", int line = __builtin_LINE()) {
    return must(client().start_agent_run(a_start(session, agent, std::move(prompt))), line).run;
  }
  // A run of `parent`, one deeper.
  static AgentRunStart a_child(const AgentRun& parent, const Agent& agent) {
    AgentRunStart out;
    out.run.ns = parent.ns;
    out.run.session = parent.session;
    out.run.agent = agent.id;
    out.run.parent = parent.id;
    out.run.depth = parent.depth + 1;
    out.run.prompt = "help";
    out.job = run_job();
    return out;
  }
  AgentRun start_child(const AgentRun& parent, const Agent& agent, int line = __builtin_LINE()) {
    return must(client().start_agent_run(a_child(parent, agent)), line).run;
  }
  AgentRun run_now(const AgentRun& run, int line = __builtin_LINE()) { return must(client().get_agent_run(run.id), line); }

  AgentRunWritten write(AgentRunWrite one, int line = __builtin_LINE()) {
    return must(client().write_agent_run(std::move(one)), line);
  }
  AgentRun end(AgentRun run, AgentRunState state = AgentRunState::completed, int line = __builtin_LINE()) {
    run.previous_state = run.state;
    run.state = state;
    run.finalized_at = now();
    return write({run}, line).run;
  }

  AgentMessage said(MessageRole role, const std::string& text) {
    AgentMessage out;
    out.id = MessageId{fresh()};
    out.role = role;
    out.blocks = R"([{"type":"text","text":")" + text + R"("}])";
    return out;
  }
  // One message of the run for each text; its numbers.
  AgentRunWritten say(const AgentRun& run, const std::vector<std::string>& texts, int line = __builtin_LINE()) {
    AgentRunWrite one{run};
    for (const std::string& text : texts) one.messages.push_back(said(MessageRole::user, text));
    return write(std::move(one), line);
  }
  std::vector<AgentMessage> messages_of(const AgentSession& session, std::optional<JobId> context_of = std::nullopt,
                                        int line = __builtin_LINE()) {
    std::vector<AgentMessage> out;
    MessageQuery query{.session = session.id, .context_of = context_of};
    while (true) {
      MessagePage page = must(client().list_messages(query), line);
      for (AgentMessage& one : page.messages) out.push_back(std::move(one));
      if (!page.more) return out;
      query.after = out.back().number;
    }
  }
  static std::vector<std::uint64_t> numbers_of(const std::vector<AgentMessage>& messages) {
    std::vector<std::uint64_t> out;
    for (const AgentMessage& one : messages) out.push_back(one.number);
    return out;
  }

  Iteration an_iteration(std::uint32_t number = 1) {
    Iteration out;
    out.id = IterationId{fresh()};
    out.number = number;
    return out;
  }
  ToolExecution an_execution(const Iteration& iteration, std::uint32_t place = 0, const std::string& tool = "lint") {
    ToolExecution out;
    out.id = ToolExecutionId{fresh()};
    out.iteration = iteration.id;
    out.place = place;
    out.tool = ToolName(tool);
    out.tool_use_id = "toolu_" + std::to_string(place);
    out.input = R"({"file":"a.cc"})";
    return out;
  }
  // The run with a first iteration as its current one.
  AgentRunWrite with_iteration(AgentRun run, const Iteration& iteration) {
    run.iteration = iteration.number;
    run.iteration_id = iteration.id;
    return {.run = run, .iteration = iteration};
  }

 private:
  std::uint64_t ids_ = 0;
};

using Texts = std::vector<std::string>;
using Numbers = std::vector<std::uint64_t>;

// What users write: quotes, a backslash, line ends, a wide letter and an emoji.
inline constexpr const char* kOddText =
    "it's \"so\" \\ \n\t'; DROP TABLE x; -- \xc3\xa4 \xe6\xbc\xa2 \xf0\x9f\xa6\x8a %s {0} $1 ?1";

}  // namespace muster::store::contract
