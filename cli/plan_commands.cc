// `muster plan submit|list|get|delete|run`.
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <filesystem>

#include "cli/action_submit.h"
#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/context.h"
#include "cli/exit_code.h"
#include "cli/job_submit.h"
#include "cli/job_table.h"
#include "cli/plan_table.h"

namespace muster::cli {
namespace {

constexpr std::uint32_t kPageMax = 1'000;  // of the protocol

struct SubmitPlanArguments {
  std::string file;
  bool replace = false;
};

sdk::Result<sdk::Plan> send(Context& context, const SubmitPlanArguments& arguments) {
  sdk::Result<std::string> text = read_all(arguments.file);
  if (!text.ok()) return text.error();
  const auto client = context.client();
  if (!client.ok()) return client.error();
  return (*client)->submit_plan({.ns = context.globals().ns, .text = std::move(*text), .replace = arguments.replace});
}

int fail_to_submit(Context& context, const SubmitPlanArguments& arguments, const sdk::Error& error) {
  const int code = context.fail(fmt::format("submit plan {}", arguments.file), error);
  if (error.code == sdk::Code::already_exists) context.note("  --replace puts the new text in its place");
  return code;
}

int submit(Context& context, const SubmitPlanArguments& arguments) {
  const sdk::Result<sdk::Plan> plan = send(context, arguments);
  if (!plan.ok()) return fail_to_submit(context, arguments, plan.error());
  if (context.wants_table())
    context.line(plan->id);
  else
    context.document(plan->document);
  if (plan->existed) context.note(fmt::format("plan {} was there already, with this very text", plan->id));
  return to_int(Exit::ok);
}

int list(Context& context, sdk::PlanQuery query) {
  const auto client = context.client();
  if (!client.ok()) return context.fail("list plans", client.error());
  query.ns = context.globals().ns;
  const sdk::Result<sdk::PlanPage> page = (*client)->plans(query);
  if (!page.ok()) return context.fail("list plans", page.error());
  if (context.wants_table()) {
    context.table(plans_table(page->plans, now()));
  } else {
    Context::Listing listing{.key = "plans", .documents = {}, .next = {}};
    for (const sdk::Plan& plan : page->plans) listing.documents.push_back(plan.document);
    context.listing(listing);
  }
  const std::uint64_t seen = query.offset.value_or(0) + page->plans.size();
  if (seen < page->total) context.note(fmt::format("{} more: --offset {}", page->total - seen, seen));
  return to_int(Exit::ok);
}

struct GetArguments {
  std::string id;
  bool text = false;
};

int get(Context& context, const GetArguments& arguments) {
  const std::string doing = "get plan " + arguments.id;
  const auto client = context.client();
  if (!client.ok()) return context.fail(doing, client.error());
  const sdk::Result<sdk::Plan> plan = (*client)->plan({.ns = context.globals().ns, .plan = arguments.id});
  if (!plan.ok()) return context.fail(doing, plan.error());
  if (arguments.text) {
    context.line(plan->text);
  } else if (!context.wants_table()) {
    context.document(plan->document);
  } else {
    context.table(plans_table(std::span(&*plan, 1), now()));
    context.line("");
    context.table(tasks_table(*plan));
  }
  return to_int(Exit::ok);
}

int remove(Context& context, const std::string& id) {
  const std::string doing = "delete plan " + id;
  const auto client = context.client();
  if (!client.ok()) return context.fail(doing, client.error());
  const sdk::Result<sdk::Plan> plan = (*client)->delete_plan({.ns = context.globals().ns, .plan = id});
  if (!plan.ok()) return context.fail(doing, plan.error());
  if (!context.wants_table())
    context.document(plan->document);
  else
    context.note(fmt::format("plan {} deleted", plan->id));
  return to_int(Exit::ok);
}

struct RunArguments {
  SubmitPlanArguments plan;  // file holds FILE, - or the id of a plan that the server has
  ActionArguments action;
};

// A folder that happens to be called like a plan is not meant.
bool is_file(const std::string& path) {
  std::error_code error;
  const auto status = std::filesystem::status(path, error);
  return std::filesystem::exists(status) && !std::filesystem::is_directory(status);
}

int run(Context& context, RunArguments arguments) {
  if (arguments.plan.file == "-" && arguments.action.inputs_file == "-")
    return context.usage("the plan and its inputs cannot both come from stdin");
  if (arguments.plan.file == "-" || is_file(arguments.plan.file)) {
    const sdk::Result<sdk::Plan> plan = send(context, arguments.plan);
    if (!plan.ok()) return fail_to_submit(context, arguments.plan, plan.error());
    arguments.action.request.plan = plan->id;
  } else {
    arguments.action.request.plan = arguments.plan.file;
  }
  return submit_action(context, arguments.action);
}

}  // namespace

void add_plan_commands(CLI::App& app, Context& context) {
  CLI::App* group = add_group(app, {.name = "plan",
                                    .summary = "keep and run plans: tool calls in order",
                                    .example = "muster plan run count.json --inputs files.json --watch"});

  CLI::App* submit_command = add_command(
      *group, {.name = "submit", .summary = "keep a plan; its id on stdout", .example = "muster plan submit count.json"});
  auto submitting = std::make_shared<SubmitPlanArguments>();
  submit_command->add_option("file", submitting->file, "the plan as JSON, or - for stdin")->required()->type_name("FILE|-");
  submit_command->add_flag("--replace", submitting->replace, "take the place of another text under this id");
  submit_command->callback(
      [&context, submitting] { context.chosen = [&context, submitting] { return submit(context, *submitting); }; });

  CLI::App* list_command =
      add_command(*group, {.name = "list", .summary = "plans, the oldest first", .example = "muster plan list --limit 20"});
  auto query = std::make_shared<sdk::PlanQuery>();
  list_command->add_option("--offset", query->offset, "leave out this many");
  list_command->add_option("--limit", query->limit, "plans a page")->check(CLI::Range(1U, kPageMax));
  list_command->callback([&context, query] { context.chosen = [&context, query] { return list(context, *query); }; });

  CLI::App* get_command =
      add_command(*group, {.name = "get", .summary = "one plan and its tasks", .example = "muster plan get count-lines --text"});
  auto getting = std::make_shared<GetArguments>();
  get_command->add_option("id", getting->id, "the plan")->required();
  get_command->add_flag("--text", getting->text, "the plan's own JSON and nothing else");
  get_command->callback([&context, getting] { context.chosen = [&context, getting] { return get(context, *getting); }; });

  CLI::App* delete_command = add_command(
      *group,
      {.name = "delete", .summary = "forget a plan that no unfinished job needs", .example = "muster plan delete count-lines"});
  auto id = std::make_shared<std::string>();
  delete_command->add_option("id", *id, "the plan")->required();
  delete_command->callback([&context, id] { context.chosen = [&context, id] { return remove(context, *id); }; });

  CLI::App* run_command =
      add_command(*group, {.name = "run",
                           .summary = "keep a plan, or name one, and run it over inputs",
                           .example = "muster plan run count.json --input '{\"path\":\"/etc/hosts\"}' --watch"});
  auto running = std::make_shared<RunArguments>();
  run_command->add_option("plan", running->plan.file, "file with a plan, - for stdin, or the id of one the server has")
      ->required()
      ->type_name("FILE|-|ID");
  run_command->add_flag("--replace", running->plan.replace, "take the place of another text under the plan's id");
  describe_action(*run_command, running->action);
  run_command->callback([&context, running] { context.chosen = [&context, running] { return run(context, *running); }; });
}

}  // namespace muster::cli
