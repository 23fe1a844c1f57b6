#include "agents/validate.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "agents/jobs.h"
#include "base/json_reader.h"
#include "command/agent_tool_job.h"
#include "model/validate.h"
#include "schema/schema.h"

namespace muster::agents {
namespace {

Status refused(std::string why) { return Status::invalid_argument(std::move(why)); }

Status check_real(std::string_view what, const std::optional<double>& value, double most) {
  if (!value || (*value >= 0 && *value <= most)) return {};
  return refused(fmt::format("{} is {}; 0 to {} is accepted", what, *value, most));
}

Status check_whole(std::string_view what, const std::optional<std::int64_t>& value, std::int64_t least, std::int64_t most) {
  if (!value || (*value >= least && *value <= most)) return {};
  return refused(fmt::format("{} is {}; {} to {} is accepted", what, *value, least, most));
}

Status check_long_text(std::string_view what, const std::string& text) {
  return validate_text(what, text, {.bytes_max = limits::kAgentTextMax, .required = false, .one_line = false});
}

// Empty stays empty.
Status prepare_optional_object(std::string_view what, std::string& json) {
  return json.empty() ? Status() : prepare_object(what, json);
}

Status check_lists(const AgentSpec& agent) {
  if (agent.tools.size() > limits::kToolsPerAgentMax)
    return refused(fmt::format("tools names {} tools; at most {} are accepted", agent.tools.size(), limits::kToolsPerAgentMax));
  std::set<std::string> names;
  for (const ToolName& tool : agent.tools) {
    if (Status status = check_tool_name(tool.text()); !status.ok()) return status;
    if (!names.insert(tool.text()).second) return refused(fmt::format("tools names '{}' more than once", tool.text()));
  }
  if (agent.delegates.size() > limits::kDelegatesPerAgentMax)
    return refused(
        fmt::format("delegates names {} agents; at most {} are accepted", agent.delegates.size(), limits::kDelegatesPerAgentMax));
  if (std::set<AgentId>(agent.delegates.begin(), agent.delegates.end()).size() != agent.delegates.size())
    return refused("delegates names an agent more than once");
  if (agent.betas.size() > kBetasMax)
    return refused(fmt::format("betas has {} names; at most {} are accepted", agent.betas.size(), kBetasMax));
  for (const std::string& beta : agent.betas) {
    if (Status status = validate_text("beta", beta, {.bytes_max = kBetaBytesMax, .required = true}); !status.ok()) return status;
    if (beta.find_first_of(", ") != std::string::npos) return refused(fmt::format("beta '{}' holds a comma or a space", beta));
  }
  if (agent.stop_sequences.size() > kStopSequencesMax)
    return refused(
        fmt::format("stop_sequences has {} texts; at most {} are accepted", agent.stop_sequences.size(), kStopSequencesMax));
  for (const std::string& text : agent.stop_sequences)
    if (Status status =
            validate_text("stop sequence", text, {.bytes_max = kStopSequenceBytesMax, .required = true, .one_line = false});
        !status.ok())
      return status;
  return {};
}

Status check_numbers(const AgentSpec& agent) {
  if (Status status = check_whole("max_tokens", agent.max_tokens, 1, kMaxTokensMax); !status.ok()) return status;
  if (Status status = check_real("temperature", agent.temperature, 1); !status.ok()) return status;
  if (Status status = check_whole("top_k", agent.top_k, 0, kTopKMax); !status.ok()) return status;
  if (Status status = check_real("top_p", agent.top_p, 1); !status.ok()) return status;
  return validate_count("iterations_max", agent.iterations_max, {.least = 1, .most = kIterationsMax});
}

Status check_schema(const std::string& text) {
  const auto document = json::parse(text);
  if (!document) return refused("input_schema is not JSON");
  if (!document->is_object()) return refused("input_schema is no object; a JSON Schema of an object is accepted");
  const std::string* const type = json::text(*document, "type");
  if (json::member(*document, "type") != nullptr && (type == nullptr || *type != "object"))
    return refused("the type of input_schema is not \"object\", which is what tools take");
  if (const auto schema = schema::Schema::compile(*document); !schema.ok()) return schema.status().annotate("input_schema");
  return {};
}

}  // namespace

// The API's own rule: it knows tools by these names.
Status check_tool_name(std::string_view name) {
  const auto plain = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
  };
  if (!name.empty() && name.size() <= limits::kToolNameMax && std::all_of(name.begin(), name.end(), plain)) return {};
  return refused(fmt::format("tool name '{}' has {} bytes; 1 to {} letters, digits, '_' and '-' are accepted",
                             name.substr(0, limits::kToolNameMax), name.size(), limits::kToolNameMax));
}

Status check_agent_name(const std::string& name) {
  return validate_text("name", name, {.bytes_max = limits::kAgentNameMax, .required = true});
}

Status prepare_object(std::string_view what, std::string& text) {
  if (text.empty()) text = "{}";
  if (text.size() > limits::kAgentTextMax)
    return refused(fmt::format("{} has {} bytes; at most {} are accepted", what, text.size(), limits::kAgentTextMax));
  const auto tree = json::parse(text);
  // JSON null is what AgentPG writes for nothing.
  if (tree && tree->is_null()) {
    text = "{}";
    return {};
  }
  if (!tree || !tree->is_object()) return refused(fmt::format("{} is no JSON object", what));
  text = json::dump(*tree);
  return {};
}

Status check_prompt(const std::string& prompt) {
  return validate_text("prompt", prompt, {.bytes_max = limits::kPromptMax, .required = true, .one_line = false});
}

Status prepare(AgentSpec& agent) {
  if (Status status = validate_name("namespace", agent.ns.text()); !status.ok()) return status;
  if (Status status = check_agent_name(agent.name); !status.ok()) return status;
  if (Status status = validate_text("model", agent.model, {.bytes_max = kModelNameMax, .required = true}); !status.ok())
    return status;
  if (Status status = check_long_text("description", agent.description); !status.ok()) return status;
  if (Status status = check_long_text("system_prompt", agent.system_prompt); !status.ok()) return status;
  if (Status status = check_numbers(agent); !status.ok()) return status;
  if (Status status = check_lists(agent); !status.ok()) return status;
  if (Status status = prepare_optional_object("tool_choice", agent.tool_choice); !status.ok()) return status;
  if (Status status = prepare_optional_object("thinking", agent.thinking); !status.ok()) return status;
  if (Status status = prepare_object("metadata", agent.metadata); !status.ok()) return status;
  return prepare_object("config", agent.config);
}

Status prepare(ToolSpec& tool) {
  if (Status status = check_tool_name(tool.name.text()); !status.ok()) return status;
  if (Status status = check_long_text("description", tool.description); !status.ok()) return status;
  if (tool.input_schema.size() > limits::kAgentTextMax)
    return refused(
        fmt::format("input_schema has {} bytes; at most {} are accepted", tool.input_schema.size(), limits::kAgentTextMax));
  if (Status status = check_schema(tool.input_schema); !status.ok()) return status;
  if (!(tool.retry_jitter >= 0 && tool.retry_jitter <= 1))
    return refused(fmt::format("retry_jitter is {}; 0 to 1 is accepted", tool.retry_jitter));
  if (Status status = command::validate_tool_arguments(tool); !status.ok()) return status;
  if (Status status = prepare_object("metadata", tool.metadata); !status.ok()) return status;
  // Queue, needs, timeout, attempts and concurrency are those of its jobs.
  return validate(tool_trial(Tool{.spec = tool}, "{}"));
}

}  // namespace muster::agents
