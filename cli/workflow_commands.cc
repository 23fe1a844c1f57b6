// `muster workflow …`: the group, and what only reads: list, get, history, result.
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <cstdlib>
#include <nlohmann/json.hpp>

#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/context.h"
#include "cli/exit_code.h"
#include "cli/job_table.h"
#include "cli/terminal.h"
#include "cli/workflow_result.h"
#include "cli/workflow_table.h"
#include "cli/workflow_timeline.h"

namespace muster::cli {
namespace {

constexpr std::uint32_t kPageMax = 1'000;   // of the protocol
constexpr std::size_t kColumnsPiped = 100;  // where there is no terminal to ask

struct ListArguments {
  sdk::JobQuery query;
  std::string schedule;
  bool all = false;
  bool all_namespaces = false;
};

int list(Context& context, ListArguments arguments) {
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
  if (context.wants_table()) {
    context.table(run_table(runs, now()));
  } else {
    Context::Listing listing{.key = "runs", .documents = {}, .next = query.cursor};
    for (const sdk::Job& run : runs) listing.documents.push_back(run.document);
    context.listing(listing);
  }
  if (!query.cursor.empty() && context.globals().output != Output::json)
    context.note(fmt::format("more: --cursor {}, or --all", query.cursor));
  return to_int(Exit::ok);
}

int get(Context& context, const std::string& id) {
  const std::string doing = "get workflow run " + id;
  const auto client = context.client();
  if (!client.ok()) return context.fail(doing, client.error());
  const sdk::Result<sdk::Job> run = (*client)->run(id);
  if (!run.ok()) return context.fail(doing, run.error());
  if (!context.wants_table()) {
    context.document(run->document);
    return to_int(Exit::ok);
  }
  context.table(job_details(*run, now()));
  context.line("");
  context.table(run_details(*run));
  if (!run->attempts.empty()) {
    context.line("");
    context.table(attempts_table(*run, now()));
  }
  return to_int(Exit::ok);
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

int history(Context& context, const HistoryArguments& arguments) {
  const std::string doing = "show the history of workflow run " + arguments.id;
  const auto client = context.client();
  if (!client.ok()) return context.fail(doing, client.error());
  const sdk::Result<sdk::Job> run = (*client)->run(arguments.id);
  if (!run.ok()) return context.fail(doing, run.error());
  const sdk::Result<std::vector<sdk::RunStep>> steps = whole_history(**client, arguments.id, arguments.step);
  if (!steps.ok()) return context.fail(doing, steps.error());
  if (!context.wants_table()) {
    Context::Listing listing{.key = "steps", .documents = {}, .next = {}};
    for (const sdk::RunStep& step : *steps) listing.documents.push_back(step.document);
    context.listing(listing);
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

int result(Context& context, const ResultArguments& arguments) {
  const auto client = context.client();
  if (!client.ok()) return context.fail("get the result of workflow run " + arguments.id, client.error());
  return show_result(context, **client, arguments.id, arguments.wait);
}

}  // namespace

void add_workflow_commands(CLI::App& app, Context& context) {
  CLI::App* group = add_group(app, {.name = "workflow",
                                    .summary = "start, look at and change durable workflows",
                                    .example = "muster workflow list --state running"});
  add_workflow_start(*group, context);

  CLI::App* list_command = add_command(*group, {.name = "list",
                                                .summary = "runs that match, the newest first",
                                                .example = "muster workflow list --type order --state dead --all -o jsonl"});
  auto listing = std::make_shared<ListArguments>();
  add_job_filter(*list_command, listing->query.filter);
  list_command->add_option("--schedule", listing->schedule, "only runs this schedule started");
  list_command->add_option("--order", listing->query.order, "newest or oldest first")->check(CLI::IsMember({"newest", "oldest"}));
  list_command->add_option("--limit", listing->query.limit, "runs a page")->check(CLI::Range(1U, kPageMax));
  list_command->add_option("--cursor", listing->query.cursor, "go on after an earlier page");
  list_command->add_flag("--payload", listing->query.payload, "with inputs (json, jsonl)");
  list_command->add_flag("--all", listing->all, "every page");
  list_command->add_flag("-A,--all-namespaces", listing->all_namespaces, "of every namespace");
  list_command->callback([&context, listing] { context.chosen = [&context, listing] { return list(context, *listing); }; });

  CLI::App* get_command = add_command(
      *group,
      {.name = "get", .summary = "one run in full", .example = "muster workflow get 0190c8a2-0000-7000-8000-000000000001"});
  auto id = std::make_shared<std::string>();
  get_command->add_option("id", *id, "the run")->required();
  get_command->callback([&context, id] { context.chosen = [&context, id] { return get(context, *id); }; });

  CLI::App* history_command = add_command(*group, {.name = "history",
                                                   .summary = "every attempt at every step, drawn over time",
                                                   .example = "muster workflow history 0190c8a2-0000-7000-8000-000000000001"});
  auto past = std::make_shared<HistoryArguments>();
  history_command->add_option("id", past->id, "the run")->required();
  history_command->add_option("--step", past->step, "only this step");
  history_command->callback([&context, past] { context.chosen = [&context, past] { return history(context, *past); }; });

  CLI::App* result_command =
      add_command(*group, {.name = "result",
                           .summary = "wait for a run to finish and print its result; exit 1 unless completed",
                           .example = "muster workflow result 0190c8a2-0000-7000-8000-000000000001 --wait 5m"});
  auto ending = std::make_shared<ResultArguments>();
  result_command->add_option("id", ending->id, "the run")->required();
  add_duration(*result_command, {.name = "--wait", .help = "give up after this; without it, wait for ever"}, ending->wait);
  result_command->callback([&context, ending] { context.chosen = [&context, ending] { return result(context, *ending); }; });

  add_workflow_changes(*group, context);
}

}  // namespace muster::cli
