// `muster plan submit|list|get|delete|run` and `muster action submit|list|get|watch`: a plan, and a plan over many inputs.
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <filesystem>

#include "cli/commands.h"
#include "cli/jobs.h"
#include "cli/plans.h"

namespace muster::cli {
namespace {

constexpr std::uint32_t kJobIdsDefault = 100;  // of the protocol
constexpr std::uint32_t kJobIdsMax = 10'000;   // of the protocol

struct SubmitPlanArguments {
  std::string file;
  bool replace = false;
};

sdk::Result<sdk::Plan> send_plan(Context& context, const SubmitPlanArguments& arguments) {
  sdk::Result<std::string> text = read_all(arguments.file);
  if (!text.ok()) return text.error();
  return context.ask([&](sdk::Client& client) {
    return client.submit_plan({.ns = context.globals().ns, .text = std::move(*text), .replace = arguments.replace});
  });
}

int fail_to_submit_plan(Context& context, const SubmitPlanArguments& arguments, const sdk::Error& error) {
  const int code = context.fail(fmt::format("submit plan {}", arguments.file), error);
  if (error.code == sdk::Code::already_exists) context.note("  --replace puts the new text in its place");
  return code;
}

int submit_plan(Context& context, const SubmitPlanArguments& arguments) {
  const sdk::Result<sdk::Plan> plan = send_plan(context, arguments);
  if (!plan.ok()) return fail_to_submit_plan(context, arguments, plan.error());
  const int code = context.show("submit plan", plan, [&](const sdk::Plan& kept) { context.line(kept.id); });
  if (plan->existed) context.note(fmt::format("plan {} was there already, with this very text", plan->id));
  return code;
}

void note_rest(Context& context, std::uint64_t seen, std::uint64_t total) {
  if (seen < total) context.note(fmt::format("{} more: --offset {}", total - seen, seen));
}

int list_plans(Context& context, sdk::PlanQuery query) {
  query.ns = context.globals().ns;
  const auto page = context.ask([&](sdk::Client& client) { return client.plans(query); });
  if (!page.ok()) return context.fail("list plans", page.error());
  if (context.wants_table())
    context.table(plans_table(page->plans, now()));
  else
    context.listing("plans", page->plans);
  note_rest(context, query.offset.value_or(0) + page->plans.size(), page->total);
  return to_int(Exit::ok);
}

struct PlanGetArguments {
  std::string id;
  bool text = false;
};

int get_plan(Context& context, const PlanGetArguments& arguments) {
  const auto plan =
      context.ask([&](sdk::Client& client) { return client.plan({.ns = context.globals().ns, .plan = arguments.id}); });
  if (plan.ok() && arguments.text) {
    context.line(plan->text);
    return to_int(Exit::ok);
  }
  return context.show("get plan " + arguments.id, plan, [&](const sdk::Plan& found) {
    context.table(plans_table(std::span(&found, 1), now()));
    context.line("");
    context.table(tasks_table(found));
  });
}

int delete_plan(Context& context, const std::string& id) {
  const auto plan =
      context.ask([&](sdk::Client& client) { return client.delete_plan({.ns = context.globals().ns, .plan = id}); });
  return context.show("delete plan " + id, plan,
                      [&](const sdk::Plan& gone) { context.note(fmt::format("plan {} deleted", gone.id)); });
}

int list_actions(Context& context, sdk::ActionListQuery query) {
  query.ns = context.globals().ns;
  const auto page = context.ask([&](sdk::Client& client) { return client.actions(query); });
  if (!page.ok()) return context.fail("list actions", page.error());
  if (context.wants_table())
    context.table(actions_table(page->actions, now()));
  else
    context.listing("actions", page->actions);
  note_rest(context, query.offset.value_or(0) + page->actions.size(), page->total);
  return to_int(Exit::ok);
}

struct ActionGetArguments {
  std::string id;
  std::uint64_t offset = 0;
  std::uint32_t limit = kJobIdsDefault;
};

int get_action(Context& context, const ActionGetArguments& arguments) {
  const auto action = context.ask([&](sdk::Client& client) {
    return client.action(
        {.ns = context.globals().ns, .action = arguments.id, .job_offset = arguments.offset, .job_limit = arguments.limit});
  });
  return context.show("get action " + arguments.id, action, [&](const sdk::Action& found) {
    context.table(actions_table(std::span(&found, 1), now()));
    if (!found.job_ids.empty()) context.line("");
    for (const std::string& id : found.job_ids) context.line(id);
  });
}

// Prints the action's id, or follows it to its end when that is wanted.
int submit_action(Context& context, const ActionArguments& arguments) {
  const auto client = context.client();
  if (!client.ok()) return context.fail("submit action", client.error());
  sdk::Result<std::vector<std::string>> inputs = read_inputs(arguments);
  if (!inputs.ok()) return context.fail("submit action", inputs.error());
  sdk::ActionRequest request = arguments.request;
  request.ns = context.globals().ns;
  request.inputs = std::move(*inputs);
  // A plan without inputs is run once.
  if (request.inputs.empty()) request.inputs.emplace_back("{}");
  const sdk::Result<sdk::Action> action = (*client)->submit_action(request);
  if (!action.ok()) return context.fail("submit action of plan " + request.plan, action.error());
  if (arguments.watch) {
    context.note(fmt::format("action {} submitted: {} jobs", action->id, action->jobs));
    return watch_action(context, action->id);
  }
  return context.show("submit action", action, [&](const sdk::Action& submitted) { context.line(submitted.id); });
}

struct PlanRunArguments {
  SubmitPlanArguments plan;  // file holds FILE, - or the id of a plan that the server has
  ActionArguments action;
};

// A folder that happens to be called like a plan is not meant.
bool is_file(const std::string& path) {
  std::error_code error;
  const auto status = std::filesystem::status(path, error);
  return std::filesystem::exists(status) && !std::filesystem::is_directory(status);
}

int run_plan(Context& context, PlanRunArguments arguments) {
  if (arguments.plan.file == "-" && arguments.action.inputs_file == "-")
    return context.usage("the plan and its inputs cannot both come from stdin");
  if (arguments.plan.file == "-" || is_file(arguments.plan.file)) {
    const sdk::Result<sdk::Plan> plan = send_plan(context, arguments.plan);
    if (!plan.ok()) return fail_to_submit_plan(context, arguments.plan, plan.error());
    arguments.action.request.plan = plan->id;
  } else {
    arguments.action.request.plan = arguments.plan.file;
  }
  return submit_action(context, arguments.action);
}

}  // namespace

void add_plan_commands(CLI::App& app, Context& context) {
  CLI::App& group = add_group(app, {.name = "plan",
                                    .summary = "keep and run plans: tool calls in order",
                                    .example = "muster plan run count.json --inputs files.json --watch"});
  auto [submit, submitting] = add_command(
      group, context, {.name = "submit", .summary = "keep a plan; its id on stdout", .example = "muster plan submit count.json"},
      submit_plan);
  submit.add_option("file", submitting.file, "the plan as JSON, or - for stdin")->required()->type_name("FILE|-");
  submit.add_flag("--replace", submitting.replace, "take the place of another text under this id");

  auto [list, query] =
      add_command(group, context,
                  {.name = "list", .summary = "plans, the oldest first", .example = "muster plan list --limit 20"}, list_plans);
  list.add_option("--offset", query.offset, "leave out this many");
  list.add_option("--limit", query.limit, "plans a page")->check(CLI::Range(1U, kPageMax));

  auto [get, getting] = add_command(
      group, context, {.name = "get", .summary = "one plan and its tasks", .example = "muster plan get count-lines --text"},
      get_plan);
  get.add_option("id", getting.id, "the plan")->required();
  get.add_flag("--text", getting.text, "the plan's own JSON and nothing else");
  add_command_about(
      group, context,
      {.name = "delete", .summary = "forget a plan that no unfinished job needs", .example = "muster plan delete count-lines"},
      "the plan", delete_plan);

  auto [run, running] = add_command(group, context,
                                    {.name = "run",
                                     .summary = "keep a plan, or name one, and run it over inputs",
                                     .example = "muster plan run count.json --input '{\"path\":\"/etc/hosts\"}' --watch"},
                                    run_plan);
  run.add_option("plan", running.plan.file, "file with a plan, - for stdin, or the id of one the server has")
      ->required()
      ->type_name("FILE|-|ID");
  run.add_flag("--replace", running.plan.replace, "take the place of another text under the plan's id");
  describe_action(run, running.action);
}

void add_action_commands(CLI::App& app, Context& context) {
  CLI::App& group = add_group(
      app, {.name = "action", .summary = "run a plan over many inputs, and follow it", .example = "muster action watch ACTION"});
  auto [submit, submitting] = add_command(group, context,
                                          {.name = "submit",
                                           .summary = "run a plan that the server has; the action's id on stdout",
                                           .example = "muster action submit --plan count-lines --inputs files.json --watch"},
                                          submit_action);
  submit.add_option("--plan", submitting.request.plan, "the plan")->required();
  describe_action(submit, submitting);

  auto [list, query] = add_command(
      group, context,
      {.name = "list", .summary = "actions, the newest first", .example = "muster action list --plan count-lines"}, list_actions);
  list.add_option("--plan", query.plan, "only of this plan");
  list.add_option("--order", query.order, "newest or oldest first")->check(CLI::IsMember({"newest", "oldest"}));
  list.add_option("--offset", query.offset, "leave out this many");
  list.add_option("--limit", query.limit, "actions a page")->check(CLI::Range(1U, kPageMax));

  auto [get, getting] = add_command(
      group, context,
      {.name = "get", .summary = "one action, its counts and its jobs' ids", .example = "muster action get ACTION -o json"},
      get_action);
  get.add_option("id", getting.id, "the action")->required();
  get.add_option("--job-offset", getting.offset, "leave out this many ids");
  get.add_option("--job-limit", getting.limit, "ids to show (100)")->check(CLI::Range(0U, kJobIdsMax));
  add_command_about(group, context,
                    {.name = "watch",
                     .summary = "follow an action to its end; exit 0 when every job completed, 1 otherwise",
                     .example = "muster action watch ACTION"},
                    "the action", watch_action);
}

}  // namespace muster::cli
