// `muster schedule create|list|get|update|pause|resume|trigger|preview|backfill|delete`.
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <nlohmann/json.hpp>

#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/context.h"
#include "cli/exit_code.h"
#include "cli/job_table.h"
#include "cli/schedule_arguments.h"
#include "cli/schedule_text.h"

namespace muster::cli {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::uint32_t kPageMax = 1'000;     // of the protocol
constexpr std::uint32_t kPreviewMax = 1'000;  // of the protocol

sdk::Client::ScheduleRef ref_of(const Context& context, const std::string& id) { return {.ns = context.globals().ns, .id = id}; }

// What was said about a timing is shown under the timing.
int fail_at(Context& context, const std::string& doing, const std::string& timing, const sdk::Error& error) {
  const int code = context.fail(doing, error);
  if (context.wants_table() && error.code == sdk::Code::invalid_argument)
    for (const std::string& line : pointed_at(timing, error.detail)) context.note("  " + line);
  return code;
}

int show(Context& context, const sdk::Schedule& schedule) {
  if (context.wants_table())
    context.table(schedule_details(schedule, now()));
  else
    context.document(schedule.document);
  return to_int(Exit::ok);
}

int show_brief(Context& context, const sdk::Schedule& schedule, std::string_view what) {
  if (context.wants_table())
    context.line(fmt::format("{}  {}", schedule.id, what));
  else
    context.document(schedule.document);
  return to_int(Exit::ok);
}

int create(Context& context, const ScheduleArguments& arguments) {
  const sdk::Result<sdk::ScheduleRequest> request = to_schedule(arguments, context.globals().ns);
  if (!request.ok()) return context.fail("create a schedule", request.error());
  const auto client = context.client();
  if (!client.ok()) return context.fail("create a schedule", client.error());
  const sdk::Result<sdk::Schedule> schedule = (*client)->create_schedule(*request);
  if (!schedule.ok()) return fail_at(context, "create a schedule", request->timing->text, schedule.error());
  if (!context.wants_table()) {
    context.document(schedule->document);
    return to_int(Exit::ok);
  }
  context.line(schedule->id);
  if (schedule->next_fire_at) context.note("first fire " + local_text(*schedule->next_fire_at, schedule->timing.zone));
  return to_int(Exit::ok);
}

struct UpdateArguments {
  std::string id;
  ScheduleArguments schedule;
};

int update(Context& context, const UpdateArguments& arguments) {
  const std::string doing = "update schedule " + arguments.id;
  const auto client = context.client();
  if (!client.ok()) return context.fail(doing, client.error());
  const sdk::Result<sdk::Schedule> before = (*client)->schedule(ref_of(context, arguments.id));
  if (!before.ok()) return context.fail(doing, before.error());
  const sdk::Result<sdk::ScheduleRequest> change = to_change(arguments.schedule, *before);
  if (!change.ok()) return context.fail(doing, change.error());
  const sdk::Result<sdk::Schedule> after = (*client)->update_schedule(arguments.id, *change);
  if (!after.ok()) return fail_at(context, doing, change->timing ? change->timing->text : "", after.error());
  return show(context, *after);
}

struct ListArguments {
  sdk::ScheduleQuery query;
  std::string state;
  bool all = false;
  bool all_namespaces = false;
};

int list(Context& context, ListArguments arguments) {
  const auto client = context.client();
  if (!client.ok()) return context.fail("list schedules", client.error());
  sdk::ScheduleQuery& query = arguments.query;
  query.ns = context.scope(arguments.all_namespaces);
  if (!arguments.state.empty()) query.enabled = arguments.state == "active";
  if (arguments.all && !query.limit) query.limit = kPageMax;
  std::vector<sdk::Schedule> schedules;
  do {
    sdk::Result<sdk::SchedulePage> page = (*client)->schedules(query);
    if (!page.ok()) return context.fail("list schedules", page.error());
    query.cursor = page->next;
    std::move(page->schedules.begin(), page->schedules.end(), std::back_inserter(schedules));
  } while (!query.cursor.empty() && arguments.all);
  if (context.wants_table()) {
    context.table(schedule_table(schedules, now()));
  } else {
    Context::Listing listing{.key = "schedules", .documents = {}, .next = query.cursor};
    for (const sdk::Schedule& schedule : schedules) listing.documents.push_back(schedule.document);
    context.listing(listing);
  }
  if (!query.cursor.empty() && context.globals().output != Output::json)
    context.note(fmt::format("more: --cursor {}, or --all", query.cursor));
  return to_int(Exit::ok);
}

int get(Context& context, const std::string& id) {
  const auto client = context.client();
  if (!client.ok()) return context.fail("get schedule " + id, client.error());
  const sdk::Result<sdk::Schedule> schedule = (*client)->schedule(ref_of(context, id));
  if (!schedule.ok()) return context.fail("get schedule " + id, schedule.error());
  return show(context, *schedule);
}

int remove(Context& context, const std::string& id) {
  const auto client = context.client();
  if (!client.ok()) return context.fail("delete schedule " + id, client.error());
  const sdk::Result<sdk::Schedule> schedule = (*client)->delete_schedule(ref_of(context, id));
  if (!schedule.ok()) return context.fail("delete schedule " + id, schedule.error());
  return show_brief(context, *schedule, "deleted");
}

struct PauseArguments {
  std::string id;
  std::optional<std::string> note;
  bool catch_up = false;
};

int pause(Context& context, const PauseArguments& arguments) {
  const std::string doing = "pause schedule " + arguments.id;
  const auto client = context.client();
  if (!client.ok()) return context.fail(doing, client.error());
  const sdk::Result<sdk::Schedule> schedule =
      (*client)->pause_schedule(ref_of(context, arguments.id), arguments.note.value_or(""));
  if (!schedule.ok()) return context.fail(doing, schedule.error());
  return show_brief(context, *schedule, "paused");
}

int resume(Context& context, const PauseArguments& arguments) {
  const std::string doing = "resume schedule " + arguments.id;
  const auto client = context.client();
  if (!client.ok()) return context.fail(doing, client.error());
  const sdk::Result<sdk::Schedule> schedule = (*client)->resume_schedule(
      arguments.id, {.ns = context.globals().ns, .note = arguments.note, .catch_up = arguments.catch_up});
  if (!schedule.ok()) return context.fail(doing, schedule.error());
  return show_brief(context, *schedule, "active");
}

int trigger(Context& context, const std::string& id) {
  const auto client = context.client();
  if (!client.ok()) return context.fail("trigger schedule " + id, client.error());
  const sdk::Result<sdk::Submitted> job = (*client)->trigger_schedule(ref_of(context, id));
  if (!job.ok()) return context.fail("trigger schedule " + id, job.error());
  if (context.wants_table())
    context.line(job->id);
  else
    context.document(Json{{"id", job->id}, {"state", job->state}, {"existed", job->existed}}.dump());
  return to_int(Exit::ok);
}

struct PreviewArguments {
  std::string id;
  std::optional<std::uint32_t> count;
  std::optional<sdk::Instant> after;
};

int preview(Context& context, const PreviewArguments& arguments) {
  const std::string doing = "preview schedule " + arguments.id;
  const auto client = context.client();
  if (!client.ok()) return context.fail(doing, client.error());
  const sdk::Client::ScheduleRef ref = ref_of(context, arguments.id);
  const sdk::Result<sdk::Schedule> schedule = (*client)->schedule(ref);
  if (!schedule.ok()) return context.fail(doing, schedule.error());
  const sdk::Result<std::vector<sdk::Instant>> fires =
      (*client)->preview_schedule({.schedule = ref, .count = arguments.count, .after = arguments.after});
  if (!fires.ok()) return context.fail(doing, fires.error());
  const std::string& zone = schedule->timing.zone;
  if (context.wants_table()) {
    context.table(fires_table(*fires, zone, now()));
    if (!schedule->enabled) context.note("the schedule is paused");
    return to_int(Exit::ok);
  }
  Context::Listing listing{.key = "fires", .documents = {}, .next = {}};
  for (const sdk::Instant fire : *fires)
    listing.documents.push_back(
        Json{{"at", sdk::format_instant(fire)}, {"local", local_text(fire, zone)}, {"zone", zone}}.dump());
  context.listing(listing);
  return to_int(Exit::ok);
}

struct BackfillArguments {
  std::string id;
  std::optional<sdk::Instant> from, to;
};

int backfill(Context& context, const BackfillArguments& arguments) {
  const std::string doing = "backfill schedule " + arguments.id;
  const auto client = context.client();
  if (!client.ok()) return context.fail(doing, client.error());
  const sdk::Result<std::vector<sdk::Submitted>> jobs =
      (*client)->backfill_schedule(ref_of(context, arguments.id), {.from = *arguments.from, .to = arguments.to.value_or(now())});
  if (!jobs.ok()) return context.fail(doing, jobs.error());
  std::size_t existed = 0;
  Context::Listing listing{.key = "jobs", .documents = {}, .next = {}};
  for (const sdk::Submitted& job : *jobs) {
    existed += job.existed ? 1 : 0;
    if (context.wants_table())
      context.line(fmt::format("{}  {}", job.id, job.existed ? "was there" : job.state));
    else
      listing.documents.push_back(Json{{"id", job.id}, {"state", job.state}, {"existed", job.existed}}.dump());
  }
  if (!context.wants_table()) context.listing(listing);
  context.note(fmt::format("{} fires: {} enqueued, {} were there already", jobs->size(), jobs->size() - existed, existed));
  return to_int(Exit::ok);
}

// A command about one schedule and nothing else.
void add_about(CLI::App& group, Context& context, const CommandText& text, int (*run)(Context&, const std::string&)) {
  CLI::App* command = add_command(group, text);
  auto id = std::make_shared<std::string>();
  command->add_option("id", *id, "the schedule")->required();
  command->callback([&context, id, run] { context.chosen = [&context, id, run] { return run(context, *id); }; });
}

void add_reading(CLI::App& group, Context& context) {
  CLI::App* list_command = add_command(
      group, {.name = "list", .summary = "schedules, the newest first", .example = "muster schedule list --state active --all"});
  auto listing = std::make_shared<ListArguments>();
  list_command->add_option("--queue", listing->query.queue, "only those that enqueue into this queue");
  list_command->add_option("--type", listing->query.type, "only those of this workflow or type");
  list_command->add_option("--state", listing->state, "active or paused")->check(CLI::IsMember({"active", "paused"}));
  list_command->add_option("--limit", listing->query.limit, "schedules a page")->check(CLI::Range(1U, kPageMax));
  list_command->add_option("--cursor", listing->query.cursor, "go on after an earlier page");
  list_command->add_flag("--all", listing->all, "every page");
  list_command->add_flag("-A,--all-namespaces", listing->all_namespaces, "of every namespace");
  list_command->callback([&context, listing] { context.chosen = [&context, listing] { return list(context, *listing); }; });
  add_about(group, context, {.name = "get", .summary = "one schedule in full", .example = "muster schedule get SCHEDULE -o json"},
            get);

  CLI::App* preview_command = add_command(group, {.name = "preview",
                                                  .summary = "the next fires, in the schedule's zone",
                                                  .example = "muster schedule preview SCHEDULE --count 20"});
  auto ahead = std::make_shared<PreviewArguments>();
  preview_command->add_option("id", ahead->id, "the schedule")->required();
  preview_command->add_option("--count", ahead->count, "how many; 10 when absent")->check(CLI::Range(1U, kPreviewMax));
  add_instant(*preview_command, {.name = "--after", .help = "fires after this time instead of now"}, ahead->after);
  preview_command->callback([&context, ahead] { context.chosen = [&context, ahead] { return preview(context, *ahead); }; });
}

void add_pausing(CLI::App& group, Context& context) {
  CLI::App* pause_command = add_command(group, {.name = "pause",
                                                .summary = "no fires until it is resumed",
                                                .example = "muster schedule pause SCHEDULE --note maintenance"});
  auto pausing = std::make_shared<PauseArguments>();
  pause_command->add_option("id", pausing->id, "the schedule")->required();
  pause_command->add_option("--note", pausing->note, "why, kept with the schedule");
  pause_command->callback([&context, pausing] { context.chosen = [&context, pausing] { return pause(context, *pausing); }; });

  CLI::App* resume_command = add_command(group, {.name = "resume",
                                                 .summary = "let it fire again, from now or with what it missed",
                                                 .example = "muster schedule resume SCHEDULE --catch-up"});
  auto resuming = std::make_shared<PauseArguments>();
  resume_command->add_option("id", resuming->id, "the schedule")->required();
  resume_command->add_option("--note", resuming->note, "kept with the schedule");
  resume_command->add_flag("--catch-up", resuming->catch_up, "make up for what was missed, within its --catchup");
  resume_command->callback(
      [&context, resuming] { context.chosen = [&context, resuming] { return resume(context, *resuming); }; });
}

}  // namespace

void add_schedule_commands(CLI::App& app, Context& context) {
  CLI::App* group = add_group(
      app,
      {.name = "schedule", .summary = "workflows and jobs that are enqueued again and again", .example = "muster schedule list"});
  CLI::App* create_command =
      add_command(*group, {.name = "create",
                           .summary = "enqueue a workflow run or a job at every fire of a timing",
                           .example = "muster schedule create --cron '0 */5 * * * *' --timezone Europe/Berlin --overlap skip "
                                      "--queue reports --type report --input '{\"days\":1}'"});
  auto creating = std::make_shared<ScheduleArguments>();
  describe_schedule(*create_command, *creating, ScheduleUse::create);
  create_command->callback(
      [&context, creating] { context.chosen = [&context, creating] { return create(context, *creating); }; });

  CLI::App* update_command = add_command(*group, {.name = "update",
                                                  .summary = "change what is given and leave the rest",
                                                  .example = "muster schedule update SCHEDULE --every 90s --overlap buffer_one"});
  auto updating = std::make_shared<UpdateArguments>();
  update_command->add_option("id", updating->id, "the schedule")->required();
  describe_schedule(*update_command, updating->schedule, ScheduleUse::update);
  update_command->callback(
      [&context, updating] { context.chosen = [&context, updating] { return update(context, *updating); }; });

  add_reading(*group, context);
  add_pausing(*group, context);
  add_about(*group, context,
            {.name = "trigger",
             .summary = "enqueue one job now; the fires are not touched",
             .example = "muster schedule trigger SCHEDULE"},
            trigger);

  CLI::App* backfill_command =
      add_command(*group, {.name = "backfill",
                           .summary = "enqueue the fires of a range of time, each once however often it is asked for",
                           .example = "muster schedule backfill SCHEDULE --from 2026-11-14T00:00:00Z --to 2026-11-15T00:00:00Z"});
  auto filling = std::make_shared<BackfillArguments>();
  backfill_command->add_option("id", filling->id, "the schedule")->required();
  add_instant(*backfill_command, {.name = "--from", .help = "fires after this time"}, filling->from)->required();
  add_instant(*backfill_command, {.name = "--to", .help = "up to this time; now when absent"}, filling->to);
  backfill_command->callback(
      [&context, filling] { context.chosen = [&context, filling] { return backfill(context, *filling); }; });

  add_about(
      *group, context,
      {.name = "delete", .summary = "no further fires; the jobs it made stay", .example = "muster schedule delete SCHEDULE"},
      remove);
}

}  // namespace muster::cli
