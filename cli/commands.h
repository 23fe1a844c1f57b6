// Every command group, one function each, and what they are made of: sub-commands, and options with a shape of their own.
//
// A group's function adds its sub-commands to the app; the one that is chosen sets Context::chosen. The context and the app
// outlive every closure made here. A value of the wrong shape is refused while parsing, with the shape that is accepted.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>

#include "sdk/cpp/types.h"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace muster::cli {

class Context;

inline constexpr std::uint32_t kPageMax = 1'000;  // of the protocol
inline constexpr std::size_t kShownBytes = 60;    // of a text that is quoted back
inline constexpr std::size_t kNoteWidth = 60;     // of the column for what matters most

void add_agent_commands(CLI::App& app, Context& context);
void add_tool_commands(CLI::App& app, Context& context);
void add_session_commands(CLI::App& app, Context& context);
void add_run_commands(CLI::App& app, Context& context);
void add_job_commands(CLI::App& app, Context& context);
void add_job_submit(CLI::App& group, Context& context);
void add_package_commands(CLI::App& app, Context& context);
void add_plan_commands(CLI::App& app, Context& context);
void add_action_commands(CLI::App& app, Context& context);
void add_workflow_commands(CLI::App& app, Context& context);
void add_schedule_commands(CLI::App& app, Context& context);
void add_workers_commands(CLI::App& app, Context& context);
void add_resource_commands(CLI::App& app, Context& context);
void add_queue_commands(CLI::App& app, Context& context);
void add_namespace_commands(CLI::App& app, Context& context);
void add_why_command(CLI::App& app, Context& context);
void add_top_command(CLI::App& app, Context& context);
void add_bench_command(CLI::App& app, Context& context);
void add_server_commands(CLI::App& app, Context& context);  // server, backup
void add_audit_commands(CLI::App& app, Context& context);
void add_cluster_commands(CLI::App& app, Context& context);
void add_completion_command(CLI::App& app, Context& context);

// The script for one shell, generated from the tree of commands.
std::string completion_script(const CLI::App& root, const std::string& shell);

// A sub-command with its summary and an example at the foot of its help.
struct CommandText {
  std::string name;
  std::string summary;
  std::string example;
};
// A group such as `job`, which cannot be run by itself.
CLI::App& add_group(CLI::App& parent, const CommandText& text);
CLI::App& add_command(CLI::App& parent, Context& context, const CommandText& text, std::function<int()> run);

// A command and where its arguments are parsed to; they live as long as the app.
template <class Arguments>
struct Command {
  CLI::App& app;
  Arguments& arguments;
};
template <class Arguments>
Command<std::remove_cvref_t<Arguments>> add_command(CLI::App& parent, Context& context, const CommandText& text,
                                                    int (*run)(Context&, Arguments)) {
  auto arguments = std::make_shared<std::remove_cvref_t<Arguments>>();
  CLI::App& app = add_command(parent, context, text, [&context, run, arguments] { return run(context, *arguments); });
  return {app, *arguments};
}
// A command about one thing and nothing else; `help` is of its positional.
void add_command_about(CLI::App& parent, Context& context, const CommandText& text, const std::string& help,
                       int (*run)(Context&, const std::string& id));

// Name as CLI11 writes it ("--delay"), and one line of help.
struct Described {
  std::string name;
  std::string help;
};

CLI::Option* add_duration(CLI::App& app, const Described& option, std::optional<sdk::Duration>& out);
CLI::Option* add_instant(CLI::App& app, const Described& option, std::optional<sdk::Instant>& out);
// Repeatable.
CLI::Option* add_pairs(CLI::App& app, const Described& option, sdk::Labels& out);
CLI::Option* add_limits_by_type(CLI::App& app, const Described& option, std::map<std::string, std::uint32_t>& out);
// `100/s`, `30/1m`, or `off`.
CLI::Option* add_rate(CLI::App& app, const Described& option, std::optional<sdk::Rate>& out);
std::optional<sdk::Rate> parse_rate(std::string_view text);

// The filters of `job list` and `job retry`.
void add_job_filter(CLI::App& app, sdk::JobFilter& filter);
// --limit, --cursor and --all of a listing.
struct Paging {
  std::optional<std::uint32_t>& limit;
  std::string& cursor;
  bool& all;
};
void add_paging(CLI::App& app, const std::string& what, Paging paging);

}  // namespace muster::cli
