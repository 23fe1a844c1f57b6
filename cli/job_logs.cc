// `muster job logs`: what the tools of a job wrote.
#include <CLI/CLI.hpp>

#include <cstdio>

#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/context.h"
#include "cli/exit_code.h"
#include "cli/format.h"
#include "cli/job_prefix.h"
#include "cli/terminal.h"

namespace muster::cli {
namespace {

struct LogsArguments {
  std::string id;
  bool errors = false;
};

// A file or a pipe gets every byte; a terminal is not to be driven by what a tool wrote.
void put(const std::string& bytes, std::FILE* file, bool is_terminal) {
  const std::string shown = is_terminal ? printable_lines(bytes) : bytes;
  std::fwrite(shown.data(), 1, shown.size(), file);
}

int logs(Context& context, const LogsArguments& arguments) {
  const std::string doing = "read the logs of job " + arguments.id;
  const auto client = context.client();
  if (!client.ok()) return context.fail(doing, client.error());
  const sdk::Result<std::string> whole = whole_id(**client, arguments.id);
  if (!whole.ok()) return context.fail(doing, whole.error());
  const sdk::Result<sdk::JobLogs> found = (*client)->logs(*whole);
  if (!found.ok()) return context.fail(doing, found.error());
  if (!context.wants_table()) {
    context.document(found->document);
    return to_int(Exit::ok);
  }
  put(arguments.errors ? found->errors : found->output, stdout, stdout_is_terminal());
  if (!arguments.errors) put(found->errors, stderr, stderr_is_terminal());
  const bool nothing = found->errors.empty() && (arguments.errors || found->output.empty());
  if (found->state != "completed" && nothing) context.note("nothing was written; the job is " + found->state);
  return to_int(Exit::ok);
}

}  // namespace

void add_job_logs(CLI::App& group, Context& context) {
  CLI::App* command = add_command(group, {.name = "logs",
                                          .summary = "what the tools of a job wrote, byte by byte, each stream to its own",
                                          .example = "muster job logs JOB --stderr"});
  auto arguments = std::make_shared<LogsArguments>();
  command->add_option("id", arguments->id, "the job, or the first digits of its id")->required();
  command->add_flag("--stderr", arguments->errors, "only what they wrote to standard error, to standard output");
  command->callback([&context, arguments] { context.chosen = [&context, arguments] { return logs(context, *arguments); }; });
}

}  // namespace muster::cli
