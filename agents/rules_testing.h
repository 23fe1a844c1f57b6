// Values for tests of the rules of agents: a view of a run, messages, ids that count.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "agents/tool_calls.h"
#include "base/json_reader.h"
#include "store/agents.h"

namespace muster::agents {

inline Ids counting_ids() {
  return [count = std::make_shared<std::uint64_t>(0)] { return Uuid{7, ++*count}; };
}

inline AgentMessage message(MessageRole role, const std::string& blocks, std::uint64_t number = 1) {
  AgentMessage out;
  out.id = MessageId{Uuid{1, number}};
  out.number = number;
  out.role = role;
  out.blocks = blocks;
  return out;
}
inline AgentMessage said(MessageRole role, const std::string& text, std::uint64_t number = 1) {
  return message(role, json::dump(json::Tree::array({{{"type", "text"}, {"text", text}}})), number);
}

inline Tool tool_named(const std::string& name, const std::string& schema = R"({"type":"object"})") {
  Tool tool;
  tool.spec.name = ToolName(name);
  tool.spec.description = "does " + name;
  tool.spec.input_schema = schema;
  return tool;
}
inline Agent agent_named(const std::string& name, std::uint64_t id = 1) {
  Agent agent;
  agent.id = AgentId{Uuid{2, id}};
  agent.spec.name = name;
  agent.spec.description = "is " + name;
  agent.spec.model = "claude-x";
  return agent;
}

inline store::AgentRunView pending_view() {
  store::AgentRunView view;
  view.agent = agent_named("main");
  view.run.id = JobId{Uuid{3, 1}};
  view.run.agent = view.agent.id;
  view.run.session = AgentSessionId{Uuid{4, 1}};
  view.run.prompt = "hello";
  view.run.mode = RunMode::streaming;
  view.session.id = view.run.session;
  return view;
}
inline constexpr Instant kNow{std::chrono::seconds(1'700'000'000)};

// What the store would show after the write.
inline store::AgentRunView after(store::AgentRunView view, const store::AgentRunWrite& write) {
  view.run = write.run;
  if (write.iteration) view.iteration = write.iteration;
  for (const store::ExecutionWrite& one : write.executions) view.executions.push_back(one.execution);
  return view;
}

}  // namespace muster::agents
