#include "cli/agents.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <utility>

#include "cli/format.h"

namespace muster::cli {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kPromptWidth = 50;
constexpr std::size_t kBlockWidth = 200;
constexpr std::size_t kShownResult = 300;

// FIELD and VALUE, without what is empty.
class AgentDetails {
 public:
  explicit AgentDetails(sdk::Instant now) : now_(now) {}

  void put(const char* field, const std::string& value, Color color = Color::none) {
    if (!value.empty()) table.add({{field, Color::dim}, {value, color}});
  }
  template <class Number>
  void put_number(const char* field, const std::optional<Number>& value) {
    if (value) put(field, fmt::format("{}", *value));
  }
  void put_json(const char* field, const std::string& text) {
    if (text != "{}") put(field, text);
  }
  void put_time(const char* field, const std::optional<sdk::Instant>& at) {
    if (at) put(field, fmt::format("{} ({} ago)", sdk::format_instant(*at), format_age(at, now_)));
  }

  Table table{{{"FIELD"}, {"VALUE"}}};

 private:
  const sdk::Instant now_;
};

std::string joined(const std::vector<std::string>& words) { return fmt::format("{}", fmt::join(words, " ")); }

Color color_of_run(std::string_view state) {
  if (state == "completed") return Color::green;
  if (state == "failed" || state == "cancelled") return Color::red;
  if (state == "awaiting_input") return Color::yellow;
  return Color::none;
}

Cell run_state(const std::string& state) { return {state, color_of_run(state)}; }

std::string usage_text(const sdk::Usage& usage) {
  std::string text = fmt::format("{} in, {} out", usage.input_tokens, usage.output_tokens);
  if (usage.cache_creation_input_tokens > 0) text += fmt::format(", {} cached", usage.cache_creation_input_tokens);
  if (usage.cache_read_input_tokens > 0) text += fmt::format(", {} from cache", usage.cache_read_input_tokens);
  return text;
}

std::string text_member(const Json& object, const char* name) {
  const auto found = object.find(name);
  if (found == object.end()) return {};
  if (found->is_string()) return *found;
  return found->dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string first_member(const Json& object, std::initializer_list<const char*> names) {
  for (const char* name : names)
    if (object.contains(name)) return text_member(object, name);
  return {};
}

std::string block_text(const Json& block) {
  const std::string type = text_member(block, "type");
  if (type == "text") return text_member(block, "text");
  if (type == "tool_use" || type == "server_tool_use")
    return fmt::format("→ {} {}", text_member(block, "name"), text_member(block, "input"));
  if (type == "tool_result") return "← " + text_member(block, "content");
  if (type == "thinking") return "(" + text_member(block, "thinking") + ")";
  return "[" + type + "]";
}

}  // namespace

std::string format_cost(std::uint64_t microdollars) {
  if (microdollars == 0) return "-";
  constexpr std::uint64_t kPerDollar = 1'000'000;
  return fmt::format("${}.{:06}", microdollars / kPerDollar, microdollars % kPerDollar);
}

std::string blocks_text(std::string_view blocks) {
  const Json list = Json::parse(blocks, nullptr, false);
  if (!list.is_array()) return {};
  std::string out;
  for (const Json& block : list) {
    if (!block.is_object()) continue;
    if (!out.empty()) out += "  ";
    out += block_text(block);
  }
  return shortened(printable(out), kBlockWidth);
}

Table agents_table(std::span<const sdk::Agent> agents, sdk::Instant now) {
  Table table({{"ID"}, {"NAME"}, {"MODEL"}, {"TOOLS"}, {"CHANGED", Align::right}, {"DESCRIPTION"}});
  for (const sdk::Agent& agent : agents)
    table.add({{agent.id},
               {agent.spec.name},
               {agent.spec.model},
               {joined(agent.spec.tool_names)},
               {format_age(agent.updated_at, now)},
               {agent.spec.description, Color::dim}});
  return table;
}

Table agent_details(const sdk::Agent& agent, sdk::Instant now) {
  AgentDetails out(now);
  const sdk::AgentSpec& spec = agent.spec;
  out.put("id", agent.id);
  out.put("name", spec.name);
  out.put("namespace", spec.ns);
  out.put("description", spec.description);
  out.put("model", spec.model);
  out.put("system prompt", spec.system_prompt);
  out.put_number("max tokens", spec.max_tokens);
  out.put_number("temperature", spec.temperature);
  out.put_number("top k", spec.top_k);
  out.put_number("top p", spec.top_p);
  out.put("tools", joined(spec.tool_names));
  out.put("agents", joined(spec.agent_ids));
  out.put("betas", joined(spec.betas));
  out.put("thinking", spec.thinking);
  out.put("tool choice", spec.tool_choice);
  out.put_number("iterations max", spec.iterations_max);
  if (spec.budget) {
    out.put_number("tokens per run", spec.budget->tokens_per_run);
    out.put_number("tokens per session", spec.budget->tokens_per_session);
    out.put_number("tokens per day", spec.budget->tokens_per_day);
    if (spec.budget->microdollars_per_run) out.put("cost per run", format_cost(*spec.budget->microdollars_per_run));
    if (spec.budget->microdollars_per_session) out.put("cost per session", format_cost(*spec.budget->microdollars_per_session));
    if (spec.budget->microdollars_per_day) out.put("cost per day", format_cost(*spec.budget->microdollars_per_day));
  }
  out.put_json("metadata", spec.metadata);
  out.put_json("config", spec.config);
  out.put_time("created", agent.created_at);
  out.put_time("changed", agent.updated_at);
  out.put("revision", std::to_string(agent.revision));
  return out.table;
}

Table tools_table(std::span<const sdk::Tool> tools, sdk::Instant now) {
  Table table({{"TOOL"}, {"QUEUE"}, {"APPROVAL"}, {"ATTEMPTS", Align::right}, {"CHANGED", Align::right}, {"DESCRIPTION"}});
  for (const sdk::Tool& tool : tools)
    table.add({{tool.spec.name},
               {tool.spec.queue},
               {tool.spec.approval, tool.spec.approval == "ask" ? Color::yellow : Color::none},
               {std::to_string(tool.spec.max_attempts.value_or(0))},
               {format_age(tool.updated_at, now)},
               {tool.spec.description, Color::dim}});
  return table;
}

Table tool_details(const sdk::Tool& tool, sdk::Instant now) {
  AgentDetails out(now);
  const sdk::ToolSpec& spec = tool.spec;
  out.put("name", spec.name);
  out.put("namespace", spec.ns);
  out.put("description", spec.description);
  out.put("input schema", spec.input_schema);
  out.put("queue", spec.queue);
  out.put("needs", spec.needs.empty() ? "tool:" + spec.name : joined(spec.needs));
  out.put("approval", spec.approval);
  if (spec.timeout) out.put("timeout", format_duration(*spec.timeout));
  out.put_number("attempts", spec.max_attempts);
  if (spec.concurrency.value_or(0) > 0) out.put_number("concurrency", spec.concurrency);
  out.put("arguments", joined(spec.arguments));
  out.put_json("metadata", spec.metadata);
  out.put_time("created", tool.created_at);
  out.put_time("changed", tool.updated_at);
  return out.table;
}

Table sessions_table(std::span<const sdk::Session> sessions, sdk::Instant now) {
  Table table({{"ID"}, {"PARENT"}, {"COMPACTIONS", Align::right}, {"AGE", Align::right}, {"METADATA"}});
  for (const sdk::Session& session : sessions)
    table.add({{session.id},
               {session.parent_session_id.empty() ? "-" : session.parent_session_id},
               {std::to_string(session.compaction_count)},
               {format_age(session.created_at, now)},
               {session.metadata, Color::dim}});
  return table;
}

Table session_details(const sdk::Session& session, sdk::Instant now) {
  AgentDetails out(now);
  out.put("id", session.id);
  out.put("namespace", session.ns);
  out.put("parent", session.parent_session_id);
  out.put_json("metadata", session.metadata);
  out.put_json("variables", session.variables);
  out.put("tokens", usage_text(session.usage));
  out.put("cost", format_cost(session.microdollars));
  out.put("compactions", std::to_string(session.compaction_count));
  out.put_time("created", session.created_at);
  out.put_time("changed", session.updated_at);
  return out.table;
}

Table messages_table(std::span<const sdk::AgentMessage> messages) {
  Table table({{"#", Align::right}, {"ROLE"}, {"MESSAGE"}});
  for (const sdk::AgentMessage& message : messages)
    table.add({{std::to_string(message.number)},
               {message.is_summary ? message.role + " (summary)" : message.role},
               {blocks_text(message.blocks)}});
  return table;
}

Table agent_runs_table(std::span<const sdk::AgentRun> runs, sdk::Instant now) {
  Table table({{"ID"},
               {"STATE"},
               {"MODE"},
               {"CALLS", Align::right},
               {"TOKENS", Align::right},
               {"COST", Align::right},
               {"AGE", Align::right},
               {"PROMPT"}});
  for (const sdk::AgentRun& run : runs)
    table.add({{run.id},
               run_state(run.state),
               {run.run_mode},
               {std::to_string(run.iteration_count)},
               {format_count(run.usage.total())},
               {format_cost(run.microdollars)},
               {format_age(run.created_at, now)},
               {shortened(printable(run.prompt), kPromptWidth), Color::dim}});
  return table;
}

Table agent_run_details(const sdk::AgentRun& run, sdk::Instant now) {
  AgentDetails out(now);
  out.put("id", run.id);
  out.put("state", run.state, color_of_run(run.state));
  out.put("mode", run.run_mode);
  out.put("namespace", run.ns);
  out.put("agent", run.agent_id);
  out.put("session", run.session_id);
  out.put("parent", run.parent_run_id);
  out.put("prompt", run.prompt);
  out.put("response", run.response_text);
  out.put("stop reason", run.stop_reason);
  out.put("error", run.error_type.empty() ? run.error_message : fmt::format("{}: {}", run.error_type, run.error_message),
          Color::red);
  out.put("tokens", usage_text(run.usage));
  out.put("cost", format_cost(run.microdollars));
  out.put("instance", run.claimed_by_instance_id);
  out.put_json("variables", run.variables);
  if (run.rescue_attempts > 0) out.put("rescues", std::to_string(run.rescue_attempts));
  out.put_time("created", run.created_at);
  out.put_time("started", run.started_at);
  out.put_time("finished", run.finalized_at);
  return out.table;
}

Table iterations_table(std::span<const sdk::Iteration> iterations) {
  Table table(
      {{"CALL", Align::right}, {"BECAUSE"}, {"TRIES", Align::right}, {"TOOLS", Align::right}, {"STOP"}, {"TOKENS"}, {"ERROR"}});
  for (const sdk::Iteration& iteration : iterations)
    table.add({{std::to_string(iteration.iteration_number)},
               {iteration.trigger_type},
               {std::to_string(iteration.attempts)},
               {std::to_string(iteration.tool_execution_count)},
               {iteration.stop_reason.empty() ? "-" : iteration.stop_reason},
               {usage_text(iteration.usage)},
               {iteration.error_message, Color::red}});
  return table;
}

Table executions_table(std::span<const sdk::ToolExecution> executions) {
  Table table({{"EXECUTION"}, {"TOOL"}, {"STATE"}, {"APPROVAL"}, {"TRIES", Align::right}, {"INPUT"}, {"OUTPUT"}});
  for (const sdk::ToolExecution& execution : executions)
    table.add({{execution.id},
               {execution.tool_name},
               run_state(execution.state),
               {execution.approval == "not_needed" ? "-" : execution.approval,
                execution.approval == "asked" ? Color::yellow : Color::none},
               {fmt::format("{}/{}", execution.attempt_count, execution.max_attempts)},
               {shortened(printable(execution.tool_input), kPromptWidth)},
               {shortened(printable(execution.is_error && !execution.error_message.empty() ? execution.error_message
                                                                                           : execution.tool_output),
                          kPromptWidth),
                execution.is_error ? Color::red : Color::none}});
  return table;
}

std::string RunPrinter::end_line() { return std::exchange(in_line_, false) ? "\n" : ""; }

std::string RunPrinter::own_line(std::string text, Color color) {
  return end_line() + colored(printable(text), color, color_) + "\n";
}

std::string RunPrinter::text_of(const sdk::agents::RunEvent& event) {
  const bool thinking = event.type == "thinking_delta";
  if (event.type == "text_delta" || thinking) {
    if (event.text.empty()) return {};
    in_line_ = event.text.back() != '\n';
    const std::string shown = printable_lines(event.text);
    return thinking ? colored(shown, Color::dim, color_) : shown;
  }
  const Json data = Json::parse(event.data, nullptr, false);
  if (!data.is_object()) return {};
  const std::string tool = first_member(data, {"tool_name", "name", "tool"});
  if (event.type == "tool_call")
    return own_line(fmt::format("→ {} {}", tool, first_member(data, {"tool_input", "input"})), Color::cyan);
  if (event.type == "tool_result") {
    const bool failed = data.contains("is_error") && data["is_error"] == true;
    const std::string said = first_member(data, {"tool_output", "output", "text", "error_message"});
    return own_line(fmt::format("← {} {}", tool, shortened(printable(said), kShownResult)), failed ? Color::red : Color::green);
  }
  if (event.type == "retry") return own_line("again: " + first_member(data, {"error_message", "message", "text"}), Color::yellow);
  if (event.type == "state") return own_line("state: " + first_member(data, {"state"}), Color::dim);
  if (event.type == "gap") return own_line("something of the stream is gone", Color::yellow);
  return {};
}

}  // namespace muster::cli
