// What `muster agent`, `tool`, `session` and `run` show: tables, documents made of flags, and a run as it goes on. Apart from the
// commands so that a test can look at it.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/table.h"
#include "sdk/cpp/agents/agents.h"
#include "sdk/cpp/client.h"

namespace CLI {
class App;
}

namespace muster::cli {

Table agents_table(std::span<const sdk::Agent> agents, sdk::Instant now);
Table agent_details(const sdk::Agent& agent, sdk::Instant now);
Table tools_table(std::span<const sdk::Tool> tools, sdk::Instant now);
Table tool_details(const sdk::Tool& tool, sdk::Instant now);
Table sessions_table(std::span<const sdk::Session> sessions, sdk::Instant now);
Table session_details(const sdk::Session& session, sdk::Instant now);
Table messages_table(std::span<const sdk::AgentMessage> messages);
Table agent_runs_table(std::span<const sdk::AgentRun> runs, sdk::Instant now);
Table agent_run_details(const sdk::AgentRun& run, sdk::Instant now);
Table iterations_table(std::span<const sdk::Iteration> iterations);
Table executions_table(std::span<const sdk::ToolExecution> executions);

// `$0.003876`; "-" for nothing.
std::string format_cost(std::uint64_t microdollars);
// Content blocks as one line.
std::string blocks_text(std::string_view blocks);

// Flags of `agent create` and `agent update`; what is not given is not changed.
struct AgentArguments {
  std::string name, file;
  std::string rename, description, model, system_prompt, metadata, config, thinking, tool_choice;  // some as JSON, @FILE or -
  std::optional<std::int64_t> max_tokens, top_k;
  std::optional<double> temperature, top_p;
  std::optional<std::uint32_t> iterations_max;
  std::optional<std::uint64_t> tokens_per_run, microdollars_per_run;
  std::vector<std::string> tools, delegates;
};
// The JSON of the request: `base` (what the file or the server says; a JSON object) with the flags put over it.
sdk::Result<std::string> agent_document(const AgentArguments& arguments, std::string_view base, const std::string& ns);
// What a server shows of an agent, without what it only shows, as a base for changes.
std::string changeable_agent(const sdk::Agent& agent);

struct ToolArguments {
  std::string name, file;
  std::string description, schema, queue, approval, metadata;
  std::optional<sdk::Duration> timeout;
  std::optional<std::uint32_t> max_attempts, concurrency;
  std::vector<std::string> needs, arguments;
};
sdk::Result<std::string> tool_document(const ToolArguments& arguments, std::string_view base, const std::string& ns);

// A text, @FILE, or - for stdin.
sdk::Result<std::string> read_argument(const std::string& text);
// The same, and it is JSON. Empty stays empty.
sdk::Result<std::string> read_json_argument(const std::string& text, std::string_view flag);

// What happens in a run as people read it: its words as they come, everything else on lines of its own.
class RunPrinter {
 public:
  explicit RunPrinter(bool color) : color_(color) {}
  std::string text_of(const sdk::agents::RunEvent& event);
  // Before something else is printed: a line's end, unless one stands there.
  std::string end_line();

 private:
  std::string own_line(std::string text, Color color);

  const bool color_;
  bool in_line_ = false;
};

}  // namespace muster::cli
