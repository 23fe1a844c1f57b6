// `muster job logs`: what the tools of a job wrote.
#include <CLI/CLI.hpp>

#include <cstdio>

#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/context.h"
#include "cli/exit_code.h"
#include "cli/format.h"
#include "cli/terminal.h"

namespace muster::cli {
namespace {

struct LogsArguments {
  std::string id;
  bool errors = false;
};

int logs(Context& context, const LogsArguments& arguments) {
  const std::string doing = "read the logs of job " + arguments.id;
  const auto client = context.client();
  if (!client.ok()) return context.fail(doing, client.error());
  const sdk::Result<sdk::JobLogs> found = (*client)->logs(arguments.id);
  if (!found.ok()) return context.fail(doing, found.error());
  if (!context.wants_table()) {
    context.document(found->document);
    return to_int(Exit::ok);
  }
  const std::string& bytes = arguments.errors ? found->errors : found->output;
  // A file or a pipe gets every byte; a terminal is not to be driven by what a tool wrote.
  const std::string shown = stdout_is_terminal() ? printable_lines(bytes) : bytes;
  std::fwrite(shown.data(), 1, shown.size(), stdout);
  if (found->state != "completed" && bytes.empty()) context.note("nothing was written; the job is " + found->state);
  return to_int(Exit::ok);
}

}  // namespace

void add_job_logs(CLI::App& group, Context& context) {
  CLI::App* command = add_command(
      group,
      {.name = "logs", .summary = "what the tools of a job wrote, byte by byte", .example = "muster job logs JOB --stderr"});
  auto arguments = std::make_shared<LogsArguments>();
  command->add_option("id", arguments->id, "the job")->required();
  command->add_flag("--stderr", arguments->errors, "standard error instead of standard output");
  command->callback([&context, arguments] { context.chosen = [&context, arguments] { return logs(context, *arguments); }; });
}

}  // namespace muster::cli
