#include "agents/compaction.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "agents/context.h"
#include "agents/tool_output.h"
#include "base/json_reader.h"

namespace muster::agents {
namespace {

using json::Tree;

constexpr std::size_t kBytesPerToken = 4;
constexpr std::uint64_t kMessageTokens = 4;
constexpr std::uint64_t kCallTokens = 10;
constexpr std::uint64_t kMediaTokens = 200;
constexpr std::size_t kTranscriptResultMax = 500;  // bytes of a tool's output in what is summarised

constexpr const char* kInstructions =
    "You write the memory of a conversation between a user and an assistant that uses tools. The older part of it is removed and "
    "your text takes its place, so whoever goes on knows only what you write. Use these headings, and leave out one that has "
    "nothing: Primary request and intent; Technical concepts; Files and code; Errors and fixes; Problem solving; Preferences and "
    "constraints; Pending tasks; Current work; Next step. Keep names, numbers, paths and decisions exactly. Write no greeting.";
constexpr const char* kSummaryTitle = "Summary of the conversation up to here:\n\n";

std::string type_of(const Tree& block) {
  const std::string* const type = json::text(block, "type");
  return type == nullptr ? "" : *type;
}

std::size_t size_of(const Tree& block, const char* name) {
  const Tree* const found = json::member(block, name);
  if (found == nullptr) return 0;
  return found->is_string() ? found->get_ref<const std::string&>().size() : json::dump(*found).size();
}

std::uint64_t tokens_of(const Tree& block) {
  const std::string type = type_of(block);
  if (type == "tool_use" || type == "server_tool_use")
    return kCallTokens + (size_of(block, "name") + size_of(block, "input")) / kBytesPerToken;
  if (type == "tool_result") return kCallTokens + size_of(block, "content") / kBytesPerToken;
  if (type == "image" || type == "document") return kMediaTokens;
  if (type == "thinking") return size_of(block, "thinking") / kBytesPerToken;
  if (type == "text") return size_of(block, "text") / kBytesPerToken;
  return json::dump(block).size() / kBytesPerToken;
}

bool has_block(const AgentMessage& message, std::string_view type) {
  const auto blocks = json::parse(message.blocks);
  return blocks && blocks->is_array() &&
         std::any_of(blocks->begin(), blocks->end(), [type](const Tree& block) { return type_of(block) == type; });
}

// Neighbours that stand or fall together: [first, last).
struct Unit {
  std::size_t first = 0;
  std::size_t last = 0;
  std::uint64_t tokens = 0;
  bool preserved = false;
};

std::vector<Unit> units_of(const std::vector<AgentMessage>& messages) {
  std::vector<Unit> units;
  for (std::size_t i = 0; i < messages.size(); ++i) {
    // A result joins the unit of its call.
    const bool joins = !units.empty() && has_block(messages[i], "tool_result") && has_block(messages[i - 1], "tool_use");
    if (!joins) units.push_back({.first = i, .last = i});
    Unit& unit = units.back();
    unit.last = i + 1;
    unit.tokens += estimated_tokens(messages[i]);
    unit.preserved = unit.preserved || messages[i].preserved;
  }
  return units;
}

// How many units, from the oldest, are neither protected nor recent.
std::size_t old_units(const std::vector<Unit>& units, const CompactionSettings& settings) {
  std::size_t count = units.size();
  std::uint64_t tokens = 0;
  while (count > 0 && tokens + units[count - 1].tokens <= settings.protected_tokens) tokens += units[--count].tokens;
  std::size_t recent = 0;
  while (count > 0 && recent < settings.preserve_last) {
    --count;
    recent += units[count].last - units[count].first;
  }
  return count;
}

// The message with short outputs, or nothing when there is nothing to cut.
std::optional<AgentMessage> pruned(const AgentMessage& message) {
  auto blocks = json::parse(message.blocks);
  if (!blocks || !blocks->is_array()) return std::nullopt;
  bool changed = false;
  for (Tree& block : *blocks) {
    if (type_of(block) != "tool_result" || size_of(block, "content") <= std::string_view(kPrunedOutput).size()) continue;
    block["content"] = kPrunedOutput;
    changed = true;
  }
  if (!changed) return std::nullopt;
  AgentMessage out = message;
  out.blocks = json::dump(*blocks);
  return out;
}

std::string transcript_of(const AgentMessage& message) {
  const auto blocks = json::parse(message.blocks);
  std::string out;
  if (!blocks || !blocks->is_array()) return out;
  const std::string who(message.summary ? "earlier summary" : to_string(message.role));
  for (const Tree& block : *blocks) {
    const std::string type = type_of(block);
    const auto text_in = [&block](const char* name) {
      const Tree* const found = json::member(block, name);
      return found == nullptr ? std::string() : found->is_string() ? found->get<std::string>() : json::dump(*found);
    };
    if (type == "text")
      out += fmt::format("{}: {}\n", who, text_in("text"));
    else if (type == "tool_use")
      out += fmt::format("{} calls {} with {}\n", who, text_in("name"), text_in("input"));
    else if (type == "tool_result")
      out += fmt::format("result: {}\n", shortened(text_in("content"), kTranscriptResultMax));
    else if (type != "thinking")
      out += fmt::format("{}: ({})\n", who, type);
  }
  return out;
}

}  // namespace

std::uint64_t estimated_tokens(const AgentMessage& message) {
  std::uint64_t tokens = kMessageTokens;
  if (const auto blocks = json::parse(message.blocks); blocks && blocks->is_array())
    for (const Tree& block : *blocks) tokens += tokens_of(block);
  return tokens;
}

CompactionPlan plan_compaction(const std::vector<AgentMessage>& all, std::string_view strategy,
                               const CompactionSettings& settings) {
  std::vector<AgentMessage> messages;
  std::copy_if(all.begin(), all.end(), std::back_inserter(messages), [](const AgentMessage& one) { return one.run_depth == 0; });
  const std::vector<Unit> units = units_of(messages);
  CompactionPlan plan;
  for (const Unit& unit : units) plan.tokens += unit.tokens;
  plan.needed = plan.tokens >= static_cast<std::uint64_t>(static_cast<double>(settings.window) * settings.trigger);
  plan.tokens_pruned = plan.tokens;
  const std::size_t old = old_units(units, settings);
  for (std::size_t i = 0; i < old; ++i)
    for (std::size_t m = units[i].first; m < units[i].last; ++m)
      (units[i].preserved ? plan.preserved : plan.gives_way).push_back(messages[m]);
  if (strategy == kSummarization || settings.preserve_tool_outputs) {
    plan.summarise = !plan.gives_way.empty();
    return plan;
  }
  for (const AgentMessage& message : plan.gives_way)
    if (auto shorter = pruned(message)) {
      plan.tokens_pruned -= estimated_tokens(message) - estimated_tokens(*shorter);
      plan.pruned.push_back(*std::move(shorter));
    }
  plan.summarise = plan.tokens_pruned > settings.target && !plan.gives_way.empty();
  return plan;
}

std::string summary_params(const CompactionPlan& plan, const CompactionSettings& settings) {
  std::string text;
  for (const AgentMessage& message : plan.preserved) text += transcript_of(message);
  if (!text.empty()) text = "These messages stay, and are only for your understanding:\n" + text + "\n";
  text += "This is what your text takes the place of:\n";
  for (const AgentMessage& message : plan.gives_way) text += transcript_of(message);
  return json::dump({{"model", settings.model},
                     {"max_tokens", settings.max_tokens},
                     {"system", kInstructions},
                     {"messages", Tree::array({{{"role", "user"}, {"content", text}}})}});
}

store::Compaction compaction_of(const CompactionPlan& plan, const AgentSession& session, std::string_view strategy,
                                const std::string& summary, const CompactionSettings& settings, const Ids& ids, Instant now) {
  store::Compaction out;
  out.revision = session.revision;
  store::CompactionEvent& event = out.event;
  event.id = ids();
  event.session = session.id;
  event.strategy = strategy;
  event.original_tokens = plan.tokens;
  for (const AgentMessage& message : plan.preserved) event.preserved.push_back(message.id);
  if (!plan.summarise) {
    for (AgentMessage message : plan.pruned) {
      out.archived.push_back(message.id);
      message.id = MessageId{ids()};
      out.replacements.push_back(std::move(message));
    }
    event.compacted_tokens = plan.tokens_pruned;
    return out;
  }
  std::uint64_t gone = 0;
  for (const AgentMessage& message : plan.gives_way) {
    out.archived.push_back(message.id);
    gone += estimated_tokens(message);
  }
  AgentMessage message;
  message.id = MessageId{ids()};
  message.session = session.id;
  message.number = plan.gives_way.front().number;
  message.role = MessageRole::user;
  message.blocks = text_blocks(kSummaryTitle + summary);
  message.summary = true;
  message.created_at = now;
  event.summary = summary;
  event.model = settings.model;
  event.messages_removed = plan.gives_way.size();
  event.compacted_tokens = plan.tokens - gone + estimated_tokens(message);
  out.replacements.push_back(std::move(message));
  return out;
}

}  // namespace muster::agents
