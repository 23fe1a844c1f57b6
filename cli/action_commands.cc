// `muster action submit|list|get|watch`: a plan over many inputs.
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "cli/action_inputs.h"
#include "cli/action_submit.h"
#include "cli/action_watch.h"
#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/context.h"
#include "cli/exit_code.h"
#include "cli/job_table.h"
#include "cli/plan_table.h"

namespace muster::cli {
namespace {

constexpr std::uint32_t kPageMax = 1'000;      // of the protocol
constexpr std::uint32_t kJobIdsDefault = 100;  // of the protocol
constexpr std::uint32_t kJobIdsMax = 10'000;   // of the protocol

int list(Context& context, sdk::ActionListQuery query) {
  const auto client = context.client();
  if (!client.ok()) return context.fail("list actions", client.error());
  query.ns = context.globals().ns;
  const sdk::Result<sdk::ActionPage> page = (*client)->actions(query);
  if (!page.ok()) return context.fail("list actions", page.error());
  const std::uint64_t seen = query.offset.value_or(0) + page->actions.size();
  if (context.wants_table()) {
    context.table(actions_table(page->actions, now()));
  } else {
    Context::Listing listing{.key = "actions", .documents = {}, .next = {}};
    for (const sdk::Action& action : page->actions) listing.documents.push_back(action.document);
    context.listing(listing);
  }
  if (seen < page->total) context.note(fmt::format("{} more: --offset {}", page->total - seen, seen));
  return to_int(Exit::ok);
}

struct GetArguments {
  std::string id;
  std::uint64_t offset = 0;
  std::uint32_t limit = kJobIdsDefault;
};

int get(Context& context, const GetArguments& arguments) {
  const std::string doing = "get action " + arguments.id;
  const auto client = context.client();
  if (!client.ok()) return context.fail(doing, client.error());
  const sdk::Result<sdk::Action> action = (*client)->action(
      {.ns = context.globals().ns, .action = arguments.id, .job_offset = arguments.offset, .job_limit = arguments.limit});
  if (!action.ok()) return context.fail(doing, action.error());
  if (!context.wants_table()) {
    context.document(action->document);
    return to_int(Exit::ok);
  }
  context.table(actions_table(std::span(&*action, 1), now()));
  if (!action->job_ids.empty()) context.line("");
  for (const std::string& id : action->job_ids) context.line(id);
  return to_int(Exit::ok);
}

}  // namespace

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
  if (context.wants_table())
    context.line(action->id);
  else
    context.document(action->document);
  return to_int(Exit::ok);
}

void add_action_commands(CLI::App& app, Context& context) {
  CLI::App* group = add_group(
      app, {.name = "action", .summary = "run a plan over many inputs, and follow it", .example = "muster action watch ACTION"});

  CLI::App* submit_command =
      add_command(*group, {.name = "submit",
                           .summary = "run a plan that the server has; the action's id on stdout",
                           .example = "muster action submit --plan count-lines --inputs files.json --watch"});
  auto submitting = std::make_shared<ActionArguments>();
  submit_command->add_option("--plan", submitting->request.plan, "the plan")->required();
  describe_action(*submit_command, *submitting);
  submit_command->callback(
      [&context, submitting] { context.chosen = [&context, submitting] { return submit_action(context, *submitting); }; });

  CLI::App* list_command = add_command(
      *group, {.name = "list", .summary = "actions, the newest first", .example = "muster action list --plan count-lines"});
  auto query = std::make_shared<sdk::ActionListQuery>();
  list_command->add_option("--plan", query->plan, "only of this plan");
  list_command->add_option("--order", query->order, "newest or oldest first")->check(CLI::IsMember({"newest", "oldest"}));
  list_command->add_option("--offset", query->offset, "leave out this many");
  list_command->add_option("--limit", query->limit, "actions a page")->check(CLI::Range(1U, kPageMax));
  list_command->callback([&context, query] { context.chosen = [&context, query] { return list(context, *query); }; });

  CLI::App* get_command = add_command(
      *group,
      {.name = "get", .summary = "one action, its counts and its jobs' ids", .example = "muster action get ACTION -o json"});
  auto getting = std::make_shared<GetArguments>();
  get_command->add_option("id", getting->id, "the action")->required();
  get_command->add_option("--job-offset", getting->offset, "leave out this many ids");
  get_command->add_option("--job-limit", getting->limit, "ids to show (100)")->check(CLI::Range(0U, kJobIdsMax));
  get_command->callback([&context, getting] { context.chosen = [&context, getting] { return get(context, *getting); }; });

  CLI::App* watch_command =
      add_command(*group, {.name = "watch",
                           .summary = "follow an action to its end; exit 0 when every job completed, 1 otherwise",
                           .example = "muster action watch ACTION"});
  auto id = std::make_shared<std::string>();
  watch_command->add_option("id", *id, "the action")->required();
  watch_command->callback([&context, id] { context.chosen = [&context, id] { return watch_action(context, *id); }; });
}

}  // namespace muster::cli
