#include "worker/executor.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "worker/folder.h"
#include "worker/path_rules.h"
#include "worker/tool_rules.h"

namespace muster::worker {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kVerdictBytesMax = 1024;

std::string explain(const plan::Task& task, const RunResult& run) {
  if (!run.started.ok())
    return fmt::format("Execution error: Executor error: Failed to spawn command '{}': {}", task.command, run.started.message());
  if (run.cancelled) return fmt::format("Task {} was cancelled", task.number);
  if (!run.kept.ok()) return fmt::format("Task {} was ended: {}", task.number, run.kept.message());
  if (run.timed_out)
    return fmt::format("Task {} timed out after {} s", task.number, task.timeout_secs.value_or(plan::kTaskSecondsDefault));
  if (run.signal != 0) return fmt::format("Task {} was ended by signal {}", task.number, run.signal);
  if (run.exit_code != 0) return fmt::format("Task {} failed with exit code {}", task.number, run.exit_code);
  return "";
}

}  // namespace

Executor::Executor(Toolbox tools, ExecutorOptions options, const Clock& clock)
    : tools_(std::move(tools)), options_(std::move(options)), clock_(clock) {}

Status Executor::check_paths(const plan::Task& task, const std::string& folder) const {
  if (options_.allowed_paths.empty()) return {};
  for (std::size_t i = 0; i < task.args.size(); ++i)
    if (!names_allowed_paths_only(task.args[i], {.prefixes = options_.allowed_paths, .folder = folder}))
      return Status::permission_denied(
          fmt::format("Task {} argument {} is a path that this worker does not allow", task.number, i + 1));
  return {};
}

std::optional<FileRights> Executor::rights_of(std::string_view tool, const std::string& folder) const {
  const bool harmless = is_harmless(tool);
  const std::vector<std::string>& allowed = options_.allowed_paths;
  // An operator who names a tool that writes, and no paths, wants it to write.
  if (!options_.landlock || (!harmless && allowed.empty())) return std::nullopt;
  FileRights rights{.reads_everything = allowed.empty(), .readable = tools_.folders(), .writable = {folder}};
  std::vector<std::string>& paths = harmless ? rights.readable : rights.writable;
  paths.insert(paths.end(), allowed.begin(), allowed.end());
  return rights;
}

Result<RunRequest> Executor::prepare(const plan::Task& task, const std::string& folder) const {
  if (Status status = check_paths(task, folder); !status.ok()) return status;
  const auto path = tools_.find(task.command);
  if (!path.ok()) return path.status();
  const std::string_view tool = tool_name(task.command);
  if (Status status = check_words(tool, task.args); !status.ok()) return status;
  RunRequest request;
  request.launch = {.path = *path,
                    .argv = {task.command},
                    .folder = folder,
                    .search_path = tools_.search_path(),
                    .language = options_.language,
                    .limits = options_.limits,
                    .sandboxed = options_.sandboxed,
                    // A harmless tool writes to its folder alone, any other to the allowed paths besides.
                    .read_only = options_.sandboxed && (is_harmless(tool) || !options_.allowed_paths.empty()),
                    .writable = {},
                    .files = rights_of(tool, folder)};
  request.launch.argv.insert(request.launch.argv.end(), task.args.begin(), task.args.end());
  if (request.launch.read_only && !is_harmless(tool))
    for (const std::string& allowed : options_.allowed_paths)
      if (std::error_code ignored; fs::exists(allowed, ignored)) request.launch.writable.push_back(allowed);
  request.timeout = std::chrono::seconds(task.timeout_secs.value_or(plan::kTaskSecondsDefault));
  request.kill_grace = options_.kill_grace;
  request.bounds = {.memory_max = options_.output_cap, .total_max = options_.spill_cap, .folder = options_.temp_folder};
  return request;
}

std::string Executor::run_task(const plan::Task& task, const std::string& folder, const Cancel& cancel, const Capture* input,
                               JobOutcome& outcome) const {
  auto request = prepare(task, folder);
  if (!request.ok()) return request.status().message();
  request->input = input;
  if (task.input_from_task) {
    const auto source = std::find_if(outcome.tasks.begin(), outcome.tasks.end(),
                                     [&](const TaskResult& earlier) { return earlier.number == *task.input_from_task; });
    if (source == outcome.tasks.end())
      return fmt::format("Task {} has invalid input_from_task {}: cannot reference self or future tasks", task.number,
                         *task.input_from_task);
    request->input = &source->run.out;
  }
  outcome.tasks.push_back({.number = task.number, .command = task.command, .run = worker::run(*request, cancel, clock_)});
  return explain(task, outcome.tasks.back().run);
}

JobOutcome Executor::run(const Job& job, const Cancel& cancel, const OnTask& on_task) const {
  JobOutcome outcome;
  const auto fail = [&](std::string error) {
    outcome.error = std::move(error);
    return std::move(outcome);
  };
  if (!job.problem.ok()) return fail(job.problem.message());
  const auto plan = plan::substitute(job.plan, job.input);
  if (!plan.ok()) return fail(plan.status().message());
  // Before anything runs: a plan whose third tool is missing has no second one's effects.
  for (const plan::Task& task : plan->tasks) {
    if (const auto path = tools_.find(task.command); !path.ok())
      return fail(fmt::format("Task {}: {}", task.number, path.status().message()));
    if (const Status words = check_words(tool_name(task.command), task.args); !words.ok())
      return fail(fmt::format("Task {}: {}", task.number, words.message()));
  }
  const auto folder = Folder::make(options_.temp_folder);
  if (!folder.ok()) return fail(folder.status().message());
  Capture input({.memory_max = options_.output_cap, .total_max = options_.spill_cap, .folder = options_.temp_folder});
  if (job.is_tool)
    if (const Status kept = input.append(job.input); !kept.ok()) return fail(kept.message());
  outcome.tasks.reserve(plan->tasks.size());  // later tasks read the outputs of earlier ones in place
  for (const plan::Task& task : plan->tasks) {
    if (cancel.cancelled()) break;
    if (on_task) on_task(task.number, plan->tasks.size());
    if (std::string error = run_task(task, folder->path(), cancel, job.is_tool ? &input : nullptr, outcome); !error.empty()) {
      outcome.cancelled = cancel.cancelled();
      return fail(std::move(error));
    }
  }
  outcome.cancelled = cancel.cancelled();
  outcome.completed = !outcome.cancelled;
  if (outcome.cancelled) outcome.error = "cancelled";
  return outcome;
}

Executor::ToolEnd Executor::call(const ToolCall& call, const Cancel& cancel, const OnOutput& on_output) const {
  plan::Document plan{.id = "call",
                      .description = "",
                      .tasks = {{.number = 1, .command = call.tool, .args = call.args, .timeout_secs = call.timeout_secs}}};
  // Judges the words; nothing is put into them.
  const auto checked = plan::substitute(std::move(plan), "{}");
  if (!checked.ok()) return {.error = checked.status().message(), .task = {}};
  const plan::Task& task = checked->tasks.front();
  const auto folder = Folder::make(options_.temp_folder);
  if (!folder.ok()) return {.error = folder.status().message(), .task = {}};
  auto request = prepare(task, folder->path());
  if (!request.ok()) return {.error = request.status().message(), .task = {}};
  Capture input(request->bounds);
  if (const Status kept = input.append(call.input); !kept.ok()) return {.error = kept.message(), .task = {}};
  if (!call.input.empty()) request->input = &input;
  request->on_output = on_output;
  TaskResult result{.number = task.number, .command = task.command, .run = worker::run(*request, cancel, clock_)};
  std::string error = explain(task, result.run);
  return {.error = std::move(error), .task = std::move(result)};
}

Executor::Verdict Executor::verify(const Verification& challenge, const Cancel& cancel) const {
  plan::Document plan{
      .id = "verify", .description = "", .tasks = {{.number = 1, .command = challenge.command, .args = challenge.args}}};
  const auto checked = plan::substitute(plan, "{}");
  if (!checked.ok()) return {.output = checked.status().message()};
  const auto folder = Folder::make(options_.temp_folder);
  if (!folder.ok()) return {.output = folder.status().message()};
  auto request = prepare(checked->tasks.front(), folder->path());
  if (!request.ok()) return {.output = request.status().message()};
  request->timeout = kVerifyTimeout;
  const RunResult result = worker::run(*request, cancel, clock_);
  if (!result.succeeded() && result.out.size() == 0)
    return {.exit_code = result.exit_code, .output = explain(checked->tasks.front(), result)};
  std::string output = result.out.read(kVerdictBytesMax);
  if (const std::size_t line = output.find_first_of("\r\n"); line != output.npos) output.resize(line);
  return {.exit_code = result.exit_code, .output = std::move(output)};
}

}  // namespace muster::worker
