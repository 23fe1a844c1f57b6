// `muster workflow start|cancel|terminate|signal|retry`.
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <nlohmann/json.hpp>

#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/context.h"
#include "cli/exit_code.h"
#include "cli/workflow_result.h"
#include "cli/workflow_start.h"

namespace muster::cli {
namespace {

using Json = nlohmann::ordered_json;

void show_started(Context& context, const sdk::Submitted& run) {
  if (context.wants_table())
    context.line(run.id);
  else
    context.document(Json{{"id", run.id}, {"state", run.state}, {"existed", run.existed}}.dump());
  if (run.existed) context.note(fmt::format("run {} was there already, {}", run.id, run.state));
}

int start(Context& context, const StartArguments& arguments) {
  const sdk::Result<sdk::RunRequest> request = to_run(arguments, context.globals().ns);
  if (!request.ok()) return context.fail("start a workflow", request.error());
  const auto client = context.client();
  if (!client.ok()) return context.fail("start a workflow", client.error());
  const sdk::Result<sdk::Submitted> run = (*client)->start_run(*request);
  if (!run.ok()) return context.fail(fmt::format("start workflow {}", request->job.type), run.error());
  if (!arguments.wait) {
    show_started(context, *run);
    return to_int(Exit::ok);
  }
  context.note(fmt::format("run {}{}", run->id, run->existed ? " was there already" : ""));
  return show_result(context, **client, run->id, std::nullopt);
}

struct EndArguments {
  std::string verb;  // cancel or terminate
  std::vector<std::string> ids;
  std::string reason;
};

int end(Context& context, const EndArguments& arguments) {
  const auto client = context.client();
  if (!client.ok()) return context.fail(arguments.verb + " a workflow run", client.error());
  int worst = to_int(Exit::ok);
  Context::Listing listing{.key = "runs", .documents = {}, .next = {}};
  for (const std::string& id : arguments.ids) {
    const sdk::Result<sdk::Settled> answer =
        arguments.verb == "cancel" ? (*client)->cancel_run(id, arguments.reason) : (*client)->terminate_run(id, arguments.reason);
    if (!answer.ok())
      worst = context.fail(fmt::format("{} workflow run {}", arguments.verb, id), answer.error());
    else if (context.wants_table())
      context.line(fmt::format("{}  {}", id, answer->state));
    else
      listing.documents.push_back(Json{{"id", answer->id}, {"state", answer->state}}.dump());
  }
  if (!context.wants_table()) context.listing(listing);
  return worst;
}

struct RetryArguments {
  std::string run, external_id;
};

int retry(Context& context, const RetryArguments& arguments) {
  const std::string doing = "start workflow run " + arguments.run + " again";
  const auto client = context.client();
  if (!client.ok()) return context.fail(doing, client.error());
  const sdk::Result<sdk::Submitted> run = (*client)->retry_run(arguments.run, arguments.external_id);
  if (!run.ok()) return context.fail(doing, run.error());
  show_started(context, *run);
  return to_int(Exit::ok);
}

struct SignalArguments {
  std::string run, name;
  InputArguments data;
};

int signal(Context& context, const SignalArguments& arguments) {
  const std::string doing = fmt::format("signal workflow run {}", arguments.run);
  sdk::Result<std::optional<sdk::Content>> data = read_input(arguments.data, "--data");
  if (!data.ok()) return context.fail(doing, data.error());
  const auto client = context.client();
  if (!client.ok()) return context.fail(doing, client.error());
  const sdk::Result<sdk::Signalled> sent =
      (*client)->signal_run({.run = arguments.run, .name = arguments.name, .data = std::move(*data)});
  if (!sent.ok()) return context.fail(doing, sent.error());
  if (context.wants_table())
    context.line(sent->taken ? "taken" : "kept until the run asks for it");
  else
    context.document(sent->document);
  return to_int(Exit::ok);
}

void add_end(CLI::App& group, Context& context, const CommandText& text) {
  CLI::App* command = add_command(group, text);
  auto arguments = std::make_shared<EndArguments>();
  arguments->verb = text.name;
  command->add_option("ids", arguments->ids, "the runs")->required();
  command->add_option("--reason", arguments->reason, "kept with the run");
  command->callback([&context, arguments] { context.chosen = [&context, arguments] { return end(context, *arguments); }; });
}

}  // namespace

void add_workflow_start(CLI::App& group, Context& context) {
  CLI::App* command = add_command(
      group, {.name = "start",
              .summary = "start a run",
              .example = "muster workflow start --type order --queue orders --id order-17 --input '{\"order\":17}' --wait"});
  auto arguments = std::make_shared<StartArguments>();
  describe_start(*command, *arguments);
  command->callback([&context, arguments] { context.chosen = [&context, arguments] { return start(context, *arguments); }; });
}

void add_workflow_changes(CLI::App& group, Context& context) {
  add_end(group, context,
          {.name = "cancel",
           .summary = "end runs at once as cancelled, their children with them",
           .example = "muster workflow cancel RUN --reason 'wrong customer'"});
  add_end(group, context,
          {.name = "terminate",
           .summary = "end runs at once as dead, with the reason as their error",
           .example = "muster workflow terminate RUN --reason 'it loops'"});

  CLI::App* signal_command = add_command(group, {.name = "signal",
                                                 .summary = "tell a run what it waits for, or will",
                                                 .example = "muster workflow signal RUN approved --data '{\"by\":\"ada\"}'"});
  auto sending = std::make_shared<SignalArguments>();
  signal_command->add_option("id", sending->run, "the run")->required();
  signal_command->add_option("name", sending->name, "the signal")->required();
  describe_input(*signal_command, "--data", sending->data);
  signal_command->callback([&context, sending] { context.chosen = [&context, sending] { return signal(context, *sending); }; });

  CLI::App* retry_command = add_command(group, {.name = "retry",
                                                .summary = "start a finished run again, as a new run with the same input",
                                                .example = "muster workflow retry RUN --id order-17-again"});
  auto again = std::make_shared<RetryArguments>();
  retry_command->add_option("id", again->run, "the finished run")->required();
  retry_command->add_option("--id", again->external_id, "name of the new run; that of the finished one when absent");
  retry_command->callback([&context, again] { context.chosen = [&context, again] { return retry(context, *again); }; });
}

}  // namespace muster::cli
