// `muster workflow start|list|get|history|result|cancel|terminate|signal|retry`.
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <thread>

#include "cli/commands.h"
#include "cli/format.h"
#include "cli/terminal.h"
#include "cli/workflows.h"

namespace muster::cli {
namespace {

constexpr std::size_t kColumnsPiped = 100;  // where there is no terminal to ask
constexpr sdk::Duration kAskAtATime{30'000};
constexpr sdk::Duration kPauseAfterFailure{500};
constexpr int kResultFailuresMax = 60;  // with the pause: half a minute of a server that is restarting

sdk::Duration left_of(const std::optional<sdk::Duration>& wait, std::chrono::steady_clock::time_point begun) {
  if (!wait) return kAskAtATime;
  const auto passed = std::chrono::duration_cast<sdk::Duration>(std::chrono::steady_clock::now() - begun);
  return std::clamp(*wait - passed, sdk::Duration(0), kAskAtATime);
}

sdk::Result<sdk::RunResult> wait_for_result(sdk::Client& client, const std::string& run, std::optional<sdk::Duration> wait) {
  const auto begun = std::chrono::steady_clock::now();
  int failures = 0;
  for (bool known = false;;) {
    const sdk::Duration left = left_of(wait, begun);
    sdk::Result<sdk::RunResult> result = client.run_result(run, left);
    if (result.ok()) {
      known = true;
      failures = 0;
      if (result->finished || left.count() == 0) return result;
      continue;
    }
    if (!result.error().transient() || !known || ++failures == kResultFailuresMax) return result;
    std::this_thread::sleep_for(kPauseAfterFailure);
  }
}

// Prints the result of a completed run: 0. Any other end, or none within `wait`: a note and 1.
int show_result(Context& context, sdk::Client& client, const std::string& run, std::optional<sdk::Duration> wait) {
  const sdk::Result<sdk::RunResult> result = wait_for_result(client, run, wait);
  if (!result.ok()) return context.fail("get the result of workflow run " + run, result.error());
  const bool completed = result->state == "completed";
  if (!context.wants_table())
    context.document(result->document);
  else if (completed && result->result)
    context.line(result->result->data);
  if (completed) return to_int(Exit::ok);
  std::string said = fmt::format("workflow run {} is {}", run, result->state);
  if (result->error) said += fmt::format(": {}: {}", result->error->kind, result->error->message);
  context.note(printable(said));
  return to_int(Exit::failure);
}

struct RunListArguments {
  sdk::JobQuery query;
  std::string schedule;
  bool all = false;
  bool all_namespaces = false;
};

int list_runs(Context& context, RunListArguments arguments) {
  const auto client = context.client();
  if (!client.ok()) return context.fail("list workflow runs", client.error());
  sdk::JobQuery& query = arguments.query;
  query.filter.ns = context.scope(arguments.all_namespaces);
  if (arguments.all && !query.limit) query.limit = kPageMax;
  std::vector<sdk::Job> runs;
  do {
    sdk::Result<sdk::JobPage> page = (*client)->runs(query, arguments.schedule);
    if (!page.ok()) return context.fail("list workflow runs", page.error());
    query.cursor = page->next;
    std::move(page->jobs.begin(), page->jobs.end(), std::back_inserter(runs));
    // A page may be empty while there is more: the server bounds how much it looks at in one go.
  } while (!query.cursor.empty() && (arguments.all || runs.empty()));
  if (context.wants_table())
    context.table(run_table(runs, now()));
  else
    context.listing("runs", runs, query.cursor);
  if (!query.cursor.empty() && context.globals().output != Output::json)
    context.note(fmt::format("more: --cursor {}, or --all", query.cursor));
  return to_int(Exit::ok);
}

int get_run(Context& context, const std::string& id) {
  const auto run = context.ask([&](sdk::Client& client) { return client.run(id); });
  return context.show("get workflow run " + id, run, [&](const sdk::Job& found) {
    context.table(job_details(found, now()));
    context.line("");
    context.table(run_details(found));
    if (found.attempts.empty()) return;
    context.line("");
    context.table(attempts_table(found, now()));
  });
}

bool draws_unicode() {
  const char* plain = std::getenv("NO_UTF8");
  const char* terminal = std::getenv("TERM");
  const bool dumb = terminal != nullptr && std::string_view(terminal) == "dumb";
  return terminal_is_unicode() && !dumb && (plain == nullptr || *plain == '\0');
}

sdk::Result<std::vector<sdk::RunStep>> whole_history(sdk::Client& client, const std::string& run, const std::string& step) {
  std::vector<sdk::RunStep> steps;
  sdk::HistoryQuery query{.run = run, .step = step, .limit = kPageMax, .cursor = {}};
  do {
    sdk::Result<sdk::RunStepPage> page = client.history(query);
    if (!page.ok()) return page.error();
    std::move(page->steps.begin(), page->steps.end(), std::back_inserter(steps));
    query.cursor = page->next;
  } while (!query.cursor.empty());
  return steps;
}

struct HistoryArguments {
  std::string id;
  std::string step;
};

int show_history(Context& context, const HistoryArguments& arguments) {
  const std::string doing = "show the history of workflow run " + arguments.id;
  const auto run = context.ask([&](sdk::Client& client) { return client.run(arguments.id); });
  if (!run.ok()) return context.fail(doing, run.error());
  const auto steps = context.ask([&](sdk::Client& client) { return whole_history(client, arguments.id, arguments.step); });
  if (!steps.ok()) return context.fail(doing, steps.error());
  if (!context.wants_table()) {
    context.listing("steps", *steps);
    return to_int(Exit::ok);
  }
  const bool unicode = draws_unicode();
  const std::size_t columns = stdout_is_terminal() ? terminal_size().columns : kColumnsPiped;
  context.note(fmt::format("{} {}, {}", run->type, run->id, state_of(*run)));
  context.table(timeline(*steps, {.now = now(), .width = timeline_width(columns), .unicode = unicode}));
  if (!steps->empty()) context.note(timeline_legend(unicode));
  return to_int(Exit::ok);
}

struct ResultArguments {
  std::string id;
  std::optional<sdk::Duration> wait;
};

int await_result(Context& context, const ResultArguments& arguments) {
  const auto client = context.client();
  if (!client.ok()) return context.fail("get the result of workflow run " + arguments.id, client.error());
  return show_result(context, **client, arguments.id, arguments.wait);
}

void show_started(Context& context, const sdk::Submitted& run) {
  if (context.wants_table())
    context.line(run.id);
  else
    context.document(document_of(run));
  if (run.existed) context.note(fmt::format("run {} was there already, {}", run.id, run.state));
}

int start_run(Context& context, const StartArguments& arguments) {
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

int end_runs(Context& context, const EndArguments& arguments) {
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
      listing.documents.push_back(document_of(*answer));
  }
  if (!context.wants_table()) context.listing(listing);
  return worst;
}

struct RunRetryArguments {
  std::string run, external_id;
};

int retry_run(Context& context, const RunRetryArguments& arguments) {
  const auto run = context.ask([&](sdk::Client& client) { return client.retry_run(arguments.run, arguments.external_id); });
  if (!run.ok()) return context.fail("start workflow run " + arguments.run + " again", run.error());
  show_started(context, *run);
  return to_int(Exit::ok);
}

struct SignalArguments {
  std::string run, name;
  InputArguments data;
};

int signal_run(Context& context, const SignalArguments& arguments) {
  const std::string doing = fmt::format("signal workflow run {}", arguments.run);
  sdk::Result<std::optional<sdk::Content>> data = read_input(arguments.data, "--data");
  if (!data.ok()) return context.fail(doing, data.error());
  const auto sent = context.ask([&](sdk::Client& client) {
    return client.signal_run({.run = arguments.run, .name = arguments.name, .data = std::move(*data)});
  });
  return context.show(doing, sent, [&](const sdk::Signalled& signalled) {
    context.line(signalled.taken ? "taken" : "kept until the run asks for it");
  });
}

void add_end(CLI::App& group, Context& context, const CommandText& text) {
  auto [command, arguments] = add_command(group, context, text, end_runs);
  arguments.verb = text.name;
  command.add_option("ids", arguments.ids, "the runs")->required();
  command.add_option("--reason", arguments.reason, "kept with the run");
}

void add_workflow_reading(CLI::App& group, Context& context) {
  auto [list, listing] = add_command(group, context,
                                     {.name = "list",
                                      .summary = "runs that match, the newest first",
                                      .example = "muster workflow list --type order --state dead --all -o jsonl"},
                                     list_runs);
  add_job_filter(list, listing.query.filter);
  list.add_option("--schedule", listing.schedule, "only runs this schedule started");
  list.add_option("--order", listing.query.order, "newest or oldest first")->check(CLI::IsMember({"newest", "oldest"}));
  list.add_flag("--payload", listing.query.payload, "with inputs (json, jsonl)");
  add_paging(list, "runs", {.limit = listing.query.limit, .cursor = listing.query.cursor, .all = listing.all});
  list.add_flag("-A,--all-namespaces", listing.all_namespaces, "of every namespace");
  add_command_about(
      group, context,
      {.name = "get", .summary = "one run in full", .example = "muster workflow get 0190c8a2-0000-7000-8000-000000000001"},
      "the run", get_run);

  auto [history, past] = add_command(group, context,
                                     {.name = "history",
                                      .summary = "every attempt at every step, drawn over time",
                                      .example = "muster workflow history 0190c8a2-0000-7000-8000-000000000001"},
                                     show_history);
  history.add_option("id", past.id, "the run")->required();
  history.add_option("--step", past.step, "only this step");

  auto [result, ending] = add_command(group, context,
                                      {.name = "result",
                                       .summary = "wait for a run to finish and print its result; exit 1 unless completed",
                                       .example = "muster workflow result 0190c8a2-0000-7000-8000-000000000001 --wait 5m"},
                                      await_result);
  result.add_option("id", ending.id, "the run")->required();
  add_duration(result, {.name = "--wait", .help = "give up after this; without it, wait for ever"}, ending.wait);
}

}  // namespace

void add_workflow_commands(CLI::App& app, Context& context) {
  CLI::App& group = add_group(app, {.name = "workflow",
                                    .summary = "start, look at and change durable workflows",
                                    .example = "muster workflow list --state running"});
  auto [start, starting] =
      add_command(group, context,
                  {.name = "start",
                   .summary = "start a run",
                   .example = "muster workflow start --type order --queue orders --id order-17 --input '{\"order\":17}' --wait"},
                  start_run);
  describe_start(start, starting);
  add_workflow_reading(group, context);
  add_end(group, context,
          {.name = "cancel",
           .summary = "end runs at once as cancelled, their children with them",
           .example = "muster workflow cancel RUN --reason 'wrong customer'"});
  add_end(group, context,
          {.name = "terminate",
           .summary = "end runs at once as dead, with the reason as their error",
           .example = "muster workflow terminate RUN --reason 'it loops'"});

  auto [signal, sending] = add_command(group, context,
                                       {.name = "signal",
                                        .summary = "tell a run what it waits for, or will",
                                        .example = "muster workflow signal RUN approved --data '{\"by\":\"ada\"}'"},
                                       signal_run);
  signal.add_option("id", sending.run, "the run")->required();
  signal.add_option("name", sending.name, "the signal")->required();
  describe_input(signal, "--data", sending.data);

  auto [retry, again] = add_command(group, context,
                                    {.name = "retry",
                                     .summary = "start a finished run again, as a new run with the same input",
                                     .example = "muster workflow retry RUN --id order-17-again"},
                                    retry_run);
  retry.add_option("id", again.run, "the finished run")->required();
  retry.add_option("--id", again.external_id, "name of the new run; that of the finished one when absent");
}

}  // namespace muster::cli
