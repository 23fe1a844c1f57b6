#include "cli/action_inputs.h"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <nlohmann/json.hpp>

#include "cli/arguments.h"
#include "cli/job_submit.h"

namespace muster::cli {
namespace {

using Json = nlohmann::json;

constexpr std::size_t kShownBytes = 60;
constexpr std::string_view kBlanks = " \t\r\n";

sdk::Error refused(std::string detail) {
  return sdk::Error{.code = sdk::Code::invalid_argument, .status = 0, .detail = std::move(detail), .retry_after = {}};
}

std::string_view trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(kBlanks);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kBlanks) - begin + 1);
}

// The elements between the brackets, cut out of the text so that every number keeps its digits. REQUIRES: a JSON array.
std::vector<std::string> elements_of(std::string_view array) {
  std::vector<std::string> elements;
  const std::string_view inside = array.substr(1, array.size() - 2);
  if (trimmed(inside).empty()) return elements;
  std::size_t depth = 0;
  std::size_t begin = 0;
  bool in_string = false;
  for (std::size_t i = 0; i < inside.size(); ++i) {
    const char c = inside[i];
    if (in_string) {
      if (c == '\\') ++i;
      if (c == '"') in_string = false;
    } else if (c == '"') {
      in_string = true;
    } else if (c == '[' || c == '{') {
      ++depth;
    } else if (c == ']' || c == '}') {
      --depth;
    } else if (c == ',' && depth == 0) {
      elements.emplace_back(trimmed(inside.substr(begin, i - begin)));
      begin = i + 1;
    }
  }
  elements.emplace_back(trimmed(inside.substr(begin)));
  return elements;
}

}  // namespace

void describe_action(CLI::App& command, ActionArguments& arguments) {
  sdk::ActionRequest& request = arguments.request;
  command.add_option("--input", arguments.inputs, "one input, JSON (repeatable)")->allow_extra_args(false)->type_name("JSON");
  command.add_option("--inputs", arguments.inputs_file, "file of inputs: a JSON array, or one a line")->type_name("FILE|-");
  command.add_option("--id", request.id, "name of the action; without it, it gets one");
  command.add_option("--job-unit", request.job_unit, "a job for each input (plan), or for each task of each input (task)")
      ->check(CLI::IsMember({"plan", "task"}));
  command.add_option("--priority", request.priority, "higher runs first")->check(CLI::Range(-1000, 1000));
  add_duration(command, {.name = "--timeout", .help = "longest run of one attempt (1h)"}, request.timeout);
  command.add_option("--attempts", request.attempts_max, "attempts before a job is dead (3)")->check(CLI::Range(1, 1000));
  command.add_flag("--watch", arguments.watch, "follow it to its end; exit 1 unless every job completed");
}

sdk::Result<std::vector<std::string>> split_inputs(std::string_view text) {
  const std::string_view whole = trimmed(text);
  if (whole.starts_with('[') && Json::accept(whole)) return elements_of(whole);
  std::vector<std::string> inputs;
  std::size_t number = 0;
  for (std::string_view rest = text; !rest.empty();) {
    const std::size_t end = rest.find('\n');
    const std::string_view line = trimmed(rest.substr(0, end));
    rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
    ++number;
    if (line.empty()) continue;
    if (!Json::accept(line))
      return refused(fmt::format("the inputs are neither a JSON array nor one value a line: line {} is `{}`", number,
                                 line.substr(0, kShownBytes)));
    inputs.emplace_back(line);
  }
  return inputs;
}

sdk::Result<std::vector<std::string>> read_inputs(const ActionArguments& arguments) {
  for (const std::string& input : arguments.inputs)
    if (!Json::accept(input)) return refused(fmt::format("--input is not JSON: `{}`", input.substr(0, kShownBytes)));
  std::vector<std::string> inputs = arguments.inputs;
  if (arguments.inputs_file.empty()) return inputs;
  const sdk::Result<std::string> text = read_all(arguments.inputs_file);
  if (!text.ok()) return text.error();
  sdk::Result<std::vector<std::string>> more = split_inputs(*text);
  if (!more.ok()) return more;
  std::move(more->begin(), more->end(), std::back_inserter(inputs));
  if (inputs.empty()) return refused(fmt::format("`{}` holds no inputs", arguments.inputs_file));
  return inputs;
}

}  // namespace muster::cli
