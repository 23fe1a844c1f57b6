// Which messages of a conversation give way, and to what, when it no longer fits the model. Pure; service_compaction.cc reads the
// session, asks the model for the summary and hands the result to the store, which does it in one commit.
//
// A call and its results are one unit: they stay together or go together, so that what is left is always a conversation that the
// API accepts. Messages of deeper runs are no part of it: no later run is shown them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "agents/tool_calls.h"
#include "model/agent.h"
#include "store/agents.h"

namespace muster::agents {

inline constexpr const char* kHybrid = "hybrid";
inline constexpr const char* kSummarization = "summarization";
inline constexpr const char* kPrunedOutput = "[TOOL OUTPUT PRUNED]";

struct CompactionSettings {
  bool automatic = false;                   // after a run that completed
  double trigger = 0.85;                    // share of the window at which it is needed
  std::uint64_t window = 200'000;           // tokens that the model takes
  std::uint64_t target = 80'000;            // tokens at which pruning alone is enough
  std::uint64_t protected_tokens = 40'000;  // of the newest messages, which stay
  std::size_t preserve_last = 10;           // messages before those, which stay too
  std::string model = "claude-3-5-haiku-20241022";
  std::int64_t max_tokens = 4'096;
  bool preserve_tool_outputs = false;
};

std::uint64_t estimated_tokens(const AgentMessage& message);

struct CompactionPlan {
  std::uint64_t tokens = 0;  // of the whole conversation
  bool needed = false;
  std::vector<AgentMessage> gives_way;  // all that may be summarised, oldest first, earlier summaries included
  std::vector<AgentMessage> preserved;  // older than what is protected, and kept because somebody said so
  std::vector<AgentMessage> pruned;     // instead of those of `gives_way` whose outputs are cut; same numbers
  std::uint64_t tokens_pruned = 0;      // of the conversation with them
  bool summarise = false;               // pruning is not enough
};

// REQUIRES: `messages` in their order.
CompactionPlan plan_compaction(const std::vector<AgentMessage>& messages, std::string_view strategy,
                               const CompactionSettings& settings);

// The request whose answer is the summary.
std::string summary_params(const CompactionPlan& plan, const CompactionSettings& settings);

// What the store is to do. `summary`: the model's, when the plan asks for one.
store::Compaction compaction_of(const CompactionPlan& plan, const AgentSession& session, std::string_view strategy,
                                const std::string& summary, const CompactionSettings& settings, const Ids& ids, Instant now);

}  // namespace muster::agents
