#include "agents/context.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace muster::agents {
namespace {

using json::Tree;

constexpr const char* kNoResult = "The call was not carried out: its run ended before.";
constexpr const char* kEarlierLeftOut = "(Earlier messages are not shown.)";

Tree cache_mark() { return {{"type", "ephemeral"}}; }

bool is_type(const Tree& block, std::string_view type) {
  const std::string* const found = json::text(block, "type");
  return found != nullptr && *found == type;
}

bool is_empty_text(const Tree& block) {
  const std::string* const text = json::text(block, "text");
  return is_type(block, "text") && (text == nullptr || text->empty());
}

struct Turn {
  bool assistant = false;
  std::vector<Tree> blocks;
};

// One turn per change of speaker.
std::vector<Turn> turns_of(const std::vector<AgentMessage>& messages) {
  std::vector<Turn> turns;
  for (const AgentMessage& message : messages) {
    auto blocks = json::parse(message.blocks);
    if (!blocks || !blocks->is_array()) continue;
    const bool assistant = message.role == MessageRole::assistant;
    std::vector<Tree> kept;
    for (Tree& block : *blocks)
      if (block.is_object() && !is_empty_text(block)) kept.push_back(std::move(block));
    if (kept.empty()) continue;
    if (turns.empty() || turns.back().assistant != assistant) turns.push_back({assistant, {}});
    std::move(kept.begin(), kept.end(), std::back_inserter(turns.back().blocks));
  }
  return turns;
}

std::vector<std::string> calls_of(const Turn& turn) {
  std::vector<std::string> ids;
  for (const Tree& block : turn.blocks)
    if (const std::string* const id = json::text(block, "id"); id != nullptr && is_type(block, "tool_use")) ids.push_back(*id);
  return ids;
}

Tree missing_result(const std::string& id) {
  return {{"type", "tool_result"}, {"tool_use_id", id}, {"content", kNoResult}, {"is_error", true}};
}

// The API wants every call answered in the very next message, results first, and no result without its call.
void answer_calls(std::vector<Turn>& turns) {
  for (std::size_t i = 0; i < turns.size(); ++i) {
    if (turns[i].assistant) {
      if (!calls_of(turns[i]).empty() && i + 1 == turns.size()) turns.push_back({false, {}});
      continue;
    }
    std::vector<std::string> calls = i == 0 ? std::vector<std::string>() : calls_of(turns[i - 1]);
    std::vector<Tree> results, others;
    std::set<std::string> answered;
    for (Tree& block : turns[i].blocks) {
      if (!is_type(block, "tool_result")) {
        others.push_back(std::move(block));
        continue;
      }
      const std::string* const id = json::text(block, "tool_use_id");
      const bool called = id != nullptr && std::find(calls.begin(), calls.end(), *id) != calls.end();
      if (called && answered.insert(*id).second) results.push_back(std::move(block));
    }
    for (const std::string& id : calls)
      if (answered.insert(id).second) results.push_back(missing_result(id));
    std::move(others.begin(), others.end(), std::back_inserter(results));
    turns[i].blocks = std::move(results);
  }
  std::erase_if(turns, [](const Turn& turn) { return turn.blocks.empty(); });
}

std::string api_name(std::string_view name) {
  std::string out;
  for (const char c : name.substr(0, kApiToolNameMax)) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
    out.push_back(plain ? c : '_');
  }
  return out;
}

Tree delegate_schema() {
  return {
      {"type", "object"},
      {"properties", {{"task", {{"type", "string"}, {"description", "What the agent is to do, with all it needs to know."}}}}},
      {"required", Tree::array({"task"})}};
}

// On the last block that may carry it: thinking may not.
void mark_cached(Tree& messages) {
  for (auto message = messages.rbegin(); message != messages.rend(); ++message) {
    Tree& blocks = (*message)["content"];
    for (auto block = blocks.rbegin(); block != blocks.rend(); ++block)
      if (!is_type(*block, "thinking") && !is_type(*block, "redacted_thinking")) {
        (*block)["cache_control"] = cache_mark();
        return;
      }
  }
}

// Thinking counts against max_tokens, so an agent that sets only its thinking gets the default besides.
std::int64_t max_tokens_of(const AgentSpec& agent, const std::optional<Tree>& thinking) {
  if (agent.max_tokens) return *agent.max_tokens;
  const auto budget = thinking ? json::integer(*thinking, "budget_tokens") : std::nullopt;
  return kMaxTokensDefault + std::max<std::int64_t>(budget.value_or(0), 0);
}

}  // namespace

ToolSet tool_set(std::vector<Tool> tools, std::vector<Agent> delegates) {
  ToolSet set{.tools = std::move(tools), .delegates = {}};
  std::set<std::string> taken;
  for (const Tool& tool : set.tools) taken.insert(tool.spec.name.text());
  for (Agent& agent : delegates) {
    const std::string plain = api_name(agent.spec.name);
    std::string name = plain;
    for (std::size_t n = 2; !taken.insert(name).second; ++n) {
      const std::string suffix = fmt::format("_{}", n);
      name = plain.substr(0, kApiToolNameMax - suffix.size()) + suffix;
    }
    set.delegates.push_back({.name = std::move(name), .agent = std::move(agent)});
  }
  return set;
}

const Tool* find_tool(const ToolSet& set, std::string_view name) {
  for (const Tool& tool : set.tools)
    if (tool.spec.name.text() == name) return &tool;
  return nullptr;
}

const Delegate* find_delegate(const ToolSet& set, std::string_view name) {
  for (const Delegate& delegate : set.delegates)
    if (delegate.name == name) return &delegate;
  return nullptr;
}

Tree api_messages(const std::vector<AgentMessage>& messages) {
  std::vector<Turn> turns = turns_of(messages);
  answer_calls(turns);
  Tree out = Tree::array();
  if (!turns.empty() && turns.front().assistant)
    out.push_back({{"role", "user"}, {"content", *json::parse(text_blocks(kEarlierLeftOut))}});
  for (Turn& turn : turns) out.push_back({{"role", turn.assistant ? "assistant" : "user"}, {"content", std::move(turn.blocks)}});
  return out;
}

Tree api_tools(const ToolSet& set) {
  Tree out = Tree::array();
  for (const Tool& tool : set.tools) {
    auto schema = json::parse_object(tool.spec.input_schema);
    if (!schema) schema = Tree{{"type", "object"}};
    if (json::text(*schema, "type") == nullptr) (*schema)["type"] = "object";
    out.push_back(
        {{"name", tool.spec.name.text()}, {"description", tool.spec.description}, {"input_schema", *std::move(schema)}});
  }
  for (const Delegate& delegate : set.delegates)
    out.push_back(
        {{"name", delegate.name}, {"description", delegate.agent.spec.description}, {"input_schema", delegate_schema()}});
  return out;
}

std::string request_params(const AgentSpec& agent, const ToolSet& set, const std::vector<AgentMessage>& messages) {
  const auto thinking = json::parse_object(agent.thinking);
  Tree params{{"model", agent.model}, {"max_tokens", max_tokens_of(agent, thinking)}, {"messages", api_messages(messages)}};
  if (!agent.system_prompt.empty()) params["system"] = Tree::array({{{"type", "text"}, {"text", agent.system_prompt}}});
  if (Tree tools = api_tools(set); !tools.empty()) {
    params["tools"] = std::move(tools);
    if (auto choice = json::parse_object(agent.tool_choice)) params["tool_choice"] = *std::move(choice);
  }
  if (thinking) params["thinking"] = *thinking;
  if (agent.temperature) params["temperature"] = *agent.temperature;
  if (agent.top_k) params["top_k"] = *agent.top_k;
  if (agent.top_p) params["top_p"] = *agent.top_p;
  if (!agent.stop_sequences.empty()) params["stop_sequences"] = agent.stop_sequences;
  if (agent.cache_prompt) {
    if (params.contains("system")) params["system"].back()["cache_control"] = cache_mark();
    if (params.contains("tools")) params["tools"].back()["cache_control"] = cache_mark();
    mark_cached(params["messages"]);
  }
  return json::dump(params);
}

std::vector<std::string> betas_of(const AgentSpec& agent) {
  std::vector<std::string> betas = agent.betas;
  const auto config = json::parse_object(agent.config);
  if (config && json::flag(*config, "extended_context").value_or(false) &&
      std::find(betas.begin(), betas.end(), kExtendedContextBeta) == betas.end())
    betas.emplace_back(kExtendedContextBeta);
  return betas;
}

std::string text_blocks(std::string_view text) { return json::dump(Tree::array({{{"type", "text"}, {"text", text}}})); }

std::string text_of(const Tree& blocks) {
  std::string out;
  if (!blocks.is_array()) return out;
  for (const Tree& block : blocks)
    if (const std::string* const text = json::text(block, "text"); text != nullptr && is_type(block, "text")) out += *text;
  return out;
}

}  // namespace muster::agents
