#include "cli/workflow_start.h"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <nlohmann/json.hpp>

#include "cli/arguments.h"
#include "cli/job_submit.h"

namespace muster::cli {
namespace {

constexpr std::size_t kShownBytes = 60;

sdk::Error refused(std::string detail) {
  return sdk::Error{.code = sdk::Code::invalid_argument, .status = 0, .detail = std::move(detail), .retry_after = {}};
}

}  // namespace

void describe_input(CLI::App& command, const std::string& flag, InputArguments& arguments) {
  command.add_option(flag, arguments.text, "JSON, or @FILE, or - for stdin")->type_name("JSON|@FILE|-");
  command.add_flag("--binary", arguments.binary, fmt::format("{} is bytes, not JSON", flag));
}

sdk::Result<std::optional<sdk::Content>> read_input(const InputArguments& arguments, const std::string& flag) {
  if (arguments.text.empty()) return std::optional<sdk::Content>();
  std::string data = arguments.text;
  if (data == "-" || data.front() == '@') {
    sdk::Result<std::string> content = read_all(data == "-" ? data : data.substr(1));
    if (!content.ok()) return content.error();
    data = std::move(*content);
  }
  if (!arguments.binary && !nlohmann::json::accept(data))
    return refused(fmt::format("{} is not JSON: `{}`; use --binary for anything else", flag, data.substr(0, kShownBytes)));
  return std::optional(sdk::Content{.data = std::move(data), .binary = arguments.binary});
}

void describe_start(CLI::App& command, StartArguments& arguments) {
  sdk::RunRequest& run = arguments.request;
  command.add_option("--type", run.job.type, "the workflow")->required();
  command.add_option("--queue", run.job.queue, "queue to wait in");
  describe_input(command, "--input", arguments.input);
  command.add_option("--id", run.external_id, "your own name for it; one unfinished run has it, and a second start returns that");
  command.add_option("--version", run.version, "of the workflow");
  command.add_option("--context", run.context, "JSON object, handed through to the worker")->type_name("JSON");
  add_pairs(command, {.name = "--metadata", .help = "of the input (repeatable)"}, run.metadata);
  add_pairs(command, {.name = "--label", .help = "label of the run, for search (repeatable)"}, run.job.labels);
  command.add_option("--priority", run.job.priority, "higher runs first")->check(CLI::Range(-1000, 1000));
  CLI::Option* delay = add_duration(command, {.name = "--delay", .help = "not before this much time has passed"}, run.job.delay);
  add_instant(command, {.name = "--at", .help = "not before this time"}, run.job.run_at)->excludes(delay);
  add_instant(command, {.name = "--deadline", .help = "unfinished at this time: dead"}, run.job.deadline);
  add_duration(command, {.name = "--timeout", .help = "longest time a worker may hold it at a stretch"}, run.job.timeout);
  command.add_option("--rescues", run.job.rescues_max, "how often it may be lost with a worker")->check(CLI::Range(0, 1000));
  command.add_option("--step-attempts", arguments.step_attempts, "attempts of each step; -1: no limit")
      ->check(CLI::Range(-1, 1000));
  add_duration(command, {.name = "--step-delay", .help = "wait before the second attempt of a step; grows after that"},
               arguments.step_delay);
  command.add_option("--idempotency-key", run.job.idempotency_key, "the same key again returns the first run");
  command.add_option("--correlation", run.job.correlation, "carried into logs and events");
  command.add_flag("--wait", arguments.wait, "wait for the result, print it, exit 1 unless completed");
}

sdk::Result<sdk::RunRequest> to_run(const StartArguments& arguments, const std::string& ns) {
  sdk::RunRequest run = arguments.request;
  run.job.ns = ns;
  sdk::Result<std::optional<sdk::Content>> input = read_input(arguments.input, "--input");
  if (!input.ok()) return input.error();
  run.job.payload = std::move(*input);
  if (arguments.step_attempts || arguments.step_delay) {
    run.steps.emplace();
    run.steps->attempts_max = arguments.step_attempts;
    run.steps->first_delay = arguments.step_delay;
  }
  return run;
}

}  // namespace muster::cli
