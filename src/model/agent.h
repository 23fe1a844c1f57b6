// Agents: who talks to a model, with which tools, in which conversation. Plain values; no I/O, no clock.
//
// JSON (schemas, metadata, content blocks) is kept as its text: the store and the wires hand it on, and only agents/ looks into
// it. What happens to a run is model/agent_run.h.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/uuid.h"
#include "model/ids.h"

namespace muster {

// A UUID that is the name of one kind of thing.
template <class Tag>
struct UuidOf {
  Uuid value;
  friend auto operator<=>(const UuidOf&, const UuidOf&) = default;
  std::string text() const { return value.text(); }
  static std::optional<UuidOf> parse(std::string_view text) {
    const auto uuid = Uuid::parse(text);
    if (!uuid) return std::nullopt;
    return UuidOf{*uuid};
  }
};

using AgentId = UuidOf<struct AgentTag>;
using AgentSessionId = UuidOf<struct AgentSessionTag>;
using MessageId = UuidOf<struct MessageTag>;
using ToolName = Id<struct ToolTag>;

namespace limits {

inline constexpr std::size_t kAgentNameMax = 255;
inline constexpr std::size_t kToolNameMax = 127;
inline constexpr std::size_t kToolsPerAgentMax = 128;
inline constexpr std::size_t kDelegatesPerAgentMax = 64;
inline constexpr std::size_t kAgentTextMax = 1024 * 1024;          // of a description, a system prompt, a schema or a JSON member
inline constexpr std::size_t kPromptMax = 4 * 1024 * 1024;         // of one run
inline constexpr std::size_t kToolOutputMax = 1024 * 1024;         // of one tool's output that a model is shown
inline constexpr std::size_t kMessageBytesMax = 16 * 1024 * 1024;  // of all blocks of one message
inline constexpr std::size_t kSessionDepthMax = 16;

}  // namespace limits

// Spending stops a run before its next call of the model. Zero: no limit.
struct AgentBudget {
  std::uint64_t tokens_per_run = 0;
  std::uint64_t tokens_per_session = 0;
  std::uint64_t tokens_per_day = 0;  // of the agent, or, in a namespace's budget, of the namespace
  std::uint64_t microdollars_per_run = 0;
  std::uint64_t microdollars_per_session = 0;
  std::uint64_t microdollars_per_day = 0;
  friend bool operator==(const AgentBudget&, const AgentBudget&) = default;
};

struct AgentSpec {
  NamespaceName ns{kDefaultNamespace};
  std::string name;  // unique together with `metadata`
  std::string description;
  std::string model;
  std::string system_prompt;
  std::optional<std::int64_t> max_tokens;
  std::optional<double> temperature;
  std::optional<std::int64_t> top_k;
  std::optional<double> top_p;
  std::vector<ToolName> tools;
  std::vector<AgentId> delegates;  // other agents that it may call like tools
  std::vector<std::string> betas;  // names for anthropic-beta
  std::string tool_choice;         // JSON object; empty: the model chooses
  std::string thinking;            // JSON object; empty: off
  std::vector<std::string> stop_sequences;
  bool cache_prompt = true;           // cache_control on system, tools and the stable prefix
  std::uint32_t iterations_max = 50;  // calls of the model in one run
  AgentBudget budget;
  std::string metadata = "{}";  // JSON object
  std::string config = "{}";    // JSON object, kept and returned
  friend bool operator==(const AgentSpec&, const AgentSpec&) = default;
};

struct Agent {
  AgentId id;
  AgentSpec spec;
  Instant created_at{};
  Instant updated_at{};
  std::uint64_t revision = 0;  // grows with every write
  friend bool operator==(const Agent&, const Agent&) = default;
};

enum class ToolApproval : std::uint8_t { never, ask };  // ask: a person says yes before it runs

struct ToolSpec {
  NamespaceName ns{kDefaultNamespace};
  ToolName name;
  std::string description;
  std::string input_schema = R"({"type":"object"})";  // JSON Schema 2020-12
  QueueName queue{"tools"};
  std::vector<std::string> needs;  // capabilities; empty: tool:<name>
  ToolApproval approval = ToolApproval::never;
  Duration timeout{5 * 60'000};
  std::uint32_t attempts_max = 2;
  double retry_jitter = 0;             // 0: at once; else attempt⁴ seconds, moved by this share
  std::uint32_t concurrency = 0;       // executions at a time in the namespace; 0: no limit
  std::vector<std::string> arguments;  // for `muster worker`: arguments of the program, with {{input.x}}
  std::string metadata = "{}";
  friend bool operator==(const ToolSpec&, const ToolSpec&) = default;
};

struct Tool {
  ToolSpec spec;
  Instant created_at{};
  Instant updated_at{};
  std::uint64_t revision = 0;
  friend bool operator==(const Tool&, const Tool&) = default;
};

// A conversation. Its messages have one strict order; its runs take turns.
struct AgentSession {
  AgentSessionId id;
  NamespaceName ns{kDefaultNamespace};
  std::optional<AgentSessionId> parent;
  std::uint32_t depth = 0;
  std::string metadata = "{}";
  std::string variables = "{}";  // tools see them, under those of the run
  std::uint32_t compactions = 0;
  Instant created_at{};
  Instant updated_at{};
  std::uint64_t revision = 0;
  friend bool operator==(const AgentSession&, const AgentSession&) = default;
};

enum class MessageRole : std::uint8_t { user, assistant, system };

struct TokenUsage {
  std::uint64_t input = 0;
  std::uint64_t output = 0;
  std::uint64_t cache_creation = 0;
  std::uint64_t cache_read = 0;
  std::uint64_t total() const { return input + output + cache_creation + cache_read; }
  TokenUsage& operator+=(const TokenUsage& other) {
    input += other.input, output += other.output;
    cache_creation += other.cache_creation, cache_read += other.cache_read;
    return *this;
  }
  friend bool operator==(const TokenUsage&, const TokenUsage&) = default;
};

struct AgentMessage {
  MessageId id;
  AgentSessionId session;
  std::uint64_t number = 0;     // its place in the session, from 1; given by the store
  std::optional<JobId> run;     // the run that said it
  std::uint32_t run_depth = 0;  // of that run; messages of deeper runs are theirs alone
  MessageRole role = MessageRole::user;
  std::string blocks = "[]";  // JSON array of content blocks, as the model's API has them
  TokenUsage usage;
  bool preserved = false;  // compaction leaves it alone
  bool summary = false;    // compaction made it
  std::string metadata = "{}";
  Instant created_at{};
  friend bool operator==(const AgentMessage&, const AgentMessage&) = default;
};

std::string_view to_string(ToolApproval approval);
std::optional<ToolApproval> parse_tool_approval(std::string_view name);
std::string_view to_string(MessageRole role);
std::optional<MessageRole> parse_message_role(std::string_view name);

}  // namespace muster
