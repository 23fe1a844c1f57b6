// What may stand in the description of an agent, a tool, a session or a run: ok, or invalid_argument with the field, its value
// and what is accepted. JSON is brought into one form, so that what means the same is the same text. Pure.
#pragma once

#include <string>

#include "base/status.h"
#include "model/agent.h"

namespace muster::agents {

inline constexpr std::size_t kModelNameMax = 256;
inline constexpr std::int64_t kMaxTokensMax = 1'000'000;
inline constexpr std::int64_t kTopKMax = 1'000'000;
inline constexpr std::size_t kBetasMax = 32;
inline constexpr std::size_t kBetaBytesMax = 128;
inline constexpr std::size_t kStopSequencesMax = 64;
inline constexpr std::size_t kStopSequenceBytesMax = 1'024;
inline constexpr std::uint32_t kIterationsMax = 10'000;

Status prepare(AgentSpec& agent);
Status prepare(ToolSpec& tool);
// An empty text is an empty object.
Status prepare_object(std::string_view what, std::string& json);
Status check_prompt(const std::string& prompt);
// Names by which something is asked for: what could be nobody's is not looked for.
Status check_agent_name(const std::string& name);
Status check_tool_name(std::string_view name);

}  // namespace muster::agents
