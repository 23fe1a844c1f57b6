// Options with a shape of their own, on top of CLI11: durations, instants, key=value pairs, filters. A value of the wrong shape
// is refused while parsing, with the shape that is accepted. Called by the add_*_commands functions.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>

#include "sdk/cpp/types.h"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace muster::cli {

class Context;

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

// A sub-command with its summary, an example at the foot of its help, and what to do when it is chosen.
struct CommandText {
  std::string name;
  std::string summary;
  std::string example;
};
CLI::App* add_command(CLI::App& parent, const CommandText& text);
// A group such as `job`, which cannot be run by itself.
CLI::App* add_group(CLI::App& parent, const CommandText& text);

// The filters of `job list` and `job retry`.
void add_job_filter(CLI::App& app, sdk::JobFilter& filter);

}  // namespace muster::cli
