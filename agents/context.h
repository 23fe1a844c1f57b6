// From a conversation to a request of the model's API: what the model is shown, with which tools and settings. Pure.
//
// Blocks pass through as they are, whatever their type. What the API would refuse is mended here, and only that: neighbours of
// one role are one message, a tool_use is always followed by its tool_result, empty texts are left out, the first message is a
// user's.
#pragma once

#include <string>
#include <vector>

#include "base/json_reader.h"
#include "base/status.h"
#include "model/agent.h"

namespace muster::agents {

inline constexpr std::int64_t kMaxTokensDefault = 4'096;
inline constexpr std::size_t kApiToolNameMax = 64;  // bytes of a name that the API takes: letters, digits, _ and -
inline constexpr const char* kExtendedContextBeta = "context-1m-2025-08-07";

// Another agent that the agent may call, and the name under which the model knows it.
struct Delegate {
  std::string name;
  Agent agent;
};

// Everything the model may call. A tool that the agent names and that is not defined is not among them.
struct ToolSet {
  std::vector<Tool> tools;
  std::vector<Delegate> delegates;
};

// Names of delegates are made from the agents' own; one that a tool or an earlier delegate has gets a number behind it.
ToolSet tool_set(std::vector<Tool> tools, std::vector<Agent> delegates);

const Tool* find_tool(const ToolSet& set, std::string_view name);
const Delegate* find_delegate(const ToolSet& set, std::string_view name);

// The "messages" of a request. REQUIRES: in their order.
json::Tree api_messages(const std::vector<AgentMessage>& messages);
// The "tools" of a request.
json::Tree api_tools(const ToolSet& set);

// The whole request without "stream", as JSON text.
std::string request_params(const AgentSpec& agent, const ToolSet& set, const std::vector<AgentMessage>& messages);
// Names for anthropic-beta: the agent's own, and the one for the extended context when its config asks for it.
std::vector<std::string> betas_of(const AgentSpec& agent);

// A message of one text block, and one of many blocks.
std::string text_blocks(std::string_view text);
// All text blocks, one after the other, without a separator.
std::string text_of(const json::Tree& blocks);

}  // namespace muster::agents
