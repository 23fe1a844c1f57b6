// Agents from a program: have one, ask it, wait or read along. A small layer over Client, which does one call at a time.
//
//   agents::Agents agents(*client);
//   auto agent = agents.have({.name = "support", .model = "…", .tool_names = {"get_weather"}});
//   auto run = agents.start({.agent = agent->id, .prompt = "How is the weather in Berlin?"});
//   auto done = agents.follow(run->id, [](const agents::RunEvent& event) { std::cout << event.text; });
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "sdk/cpp/agents/toolbox.h"  // IWYU pragma: export
#include "sdk/cpp/client.h"

namespace muster::sdk::agents {

// What a run says or does.
struct RunEvent {
  std::string number;  // of the output; read on behind it
  std::string type;    // text_delta, thinking_delta, tool_call, tool_result, iteration, retry, state, …; gap: something is gone
  std::string text;    // of the data, when it has one
  std::string data;    // JSON object
};

// Thread-safe as the client is, which outlives it.
class Agents {
 public:
  explicit Agents(Client& client, std::string ns = {}) : client_(client), ns_(std::move(ns)) {}

  // Creates it, or makes the one of this name and these metadata what it says.
  Result<Agent> have(AgentSpec spec);
  Result<AgentRun> start(AgentRunRequest request);
  // Until it has finished, with what it consists of.
  Result<AgentRun> wait(std::string_view run);
  // Reads along until it has finished, over restarts of the server, from behind `after` (empty: from the beginning). Each event
  // is taken once. `take` may be empty.
  Result<AgentRun> follow(std::string_view run, const std::function<void(const RunEvent&)>& take, std::string after = {});

 private:
  Client& client_;
  const std::string ns_;
};

RunEvent run_event_of(const ServerEvent& event);

}  // namespace muster::sdk::agents
