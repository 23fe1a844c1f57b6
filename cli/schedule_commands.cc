// `muster schedule create|list|get|update|pause|resume|trigger|preview|backfill|delete`.
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <nlohmann/json.hpp>

#include "cli/commands.h"
#include "cli/schedules.h"

namespace muster::cli {
namespace {

constexpr std::uint32_t kPreviewMax = 1'000;  // of the protocol
constexpr const char* kWhichSchedule = "the schedule";

sdk::Client::ScheduleRef ref_of(const Context& context, const std::string& id) { return {.ns = context.globals().ns, .id = id}; }

// What was said about a timing is shown under the timing.
int fail_at(Context& context, const std::string& doing, const std::string& timing, const sdk::Error& error) {
  const int code = context.fail(doing, error);
  if (context.wants_table() && error.code == sdk::Code::invalid_argument)
    for (const std::string& line : pointed_at(timing, error.detail)) context.note("  " + line);
  return code;
}

int show_schedule(Context& context, const std::string& doing, const sdk::Result<sdk::Schedule>& schedule) {
  return context.show(doing, schedule, [&](const sdk::Schedule& found) { context.table(schedule_details(found, now())); });
}

int show_brief(Context& context, const std::string& doing, const sdk::Result<sdk::Schedule>& schedule, std::string_view what) {
  return context.show(doing, schedule, [&](const sdk::Schedule& found) { context.line(fmt::format("{}  {}", found.id, what)); });
}

int create_schedule(Context& context, const ScheduleArguments& arguments) {
  const sdk::Result<sdk::ScheduleRequest> request = to_schedule(arguments, context.globals().ns);
  if (!request.ok()) return context.fail("create a schedule", request.error());
  const auto schedule = context.ask([&](sdk::Client& client) { return client.create_schedule(*request); });
  if (!schedule.ok()) return fail_at(context, "create a schedule", request->timing->text, schedule.error());
  return context.show("create a schedule", schedule, [&](const sdk::Schedule& created) {
    context.line(created.id);
    if (created.next_fire_at) context.note("first fire " + local_text(*created.next_fire_at, created.timing.zone));
  });
}

struct UpdateArguments {
  std::string id;
  ScheduleArguments schedule;
};

int update_schedule(Context& context, const UpdateArguments& arguments) {
  const std::string doing = "update schedule " + arguments.id;
  const auto before = context.ask([&](sdk::Client& client) { return client.schedule(ref_of(context, arguments.id)); });
  if (!before.ok()) return context.fail(doing, before.error());
  const sdk::Result<sdk::ScheduleRequest> change = to_change(arguments.schedule, *before);
  if (!change.ok()) return context.fail(doing, change.error());
  const auto after = context.ask([&](sdk::Client& client) { return client.update_schedule(arguments.id, *change); });
  if (!after.ok()) return fail_at(context, doing, change->timing ? change->timing->text : "", after.error());
  return show_schedule(context, doing, after);
}

struct ScheduleListArguments {
  sdk::ScheduleQuery query;
  std::string state;
  bool all = false;
  bool all_namespaces = false;
};

int list_schedules(Context& context, ScheduleListArguments arguments) {
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
  if (context.wants_table())
    context.table(schedule_table(schedules, now()));
  else
    context.listing("schedules", schedules, query.cursor);
  if (!query.cursor.empty() && context.globals().output != Output::json)
    context.note(fmt::format("more: --cursor {}, or --all", query.cursor));
  return to_int(Exit::ok);
}

int get_schedule(Context& context, const std::string& id) {
  return show_schedule(context, "get schedule " + id,
                       context.ask([&](sdk::Client& client) { return client.schedule(ref_of(context, id)); }));
}

int delete_schedule(Context& context, const std::string& id) {
  return show_brief(context, "delete schedule " + id,
                    context.ask([&](sdk::Client& client) { return client.delete_schedule(ref_of(context, id)); }), "deleted");
}

struct PauseArguments {
  std::string id;
  std::optional<std::string> note;
  bool catch_up = false;
};

int pause_schedule(Context& context, const PauseArguments& arguments) {
  const auto schedule = context.ask(
      [&](sdk::Client& client) { return client.pause_schedule(ref_of(context, arguments.id), arguments.note.value_or("")); });
  return show_brief(context, "pause schedule " + arguments.id, schedule, "paused");
}

int resume_schedule(Context& context, const PauseArguments& arguments) {
  const auto schedule = context.ask([&](sdk::Client& client) {
    return client.resume_schedule(arguments.id,
                                  {.ns = context.globals().ns, .note = arguments.note, .catch_up = arguments.catch_up});
  });
  return show_brief(context, "resume schedule " + arguments.id, schedule, "active");
}

int trigger_schedule(Context& context, const std::string& id) {
  const auto job = context.ask([&](sdk::Client& client) { return client.trigger_schedule(ref_of(context, id)); });
  if (!job.ok()) return context.fail("trigger schedule " + id, job.error());
  if (context.wants_table())
    context.line(job->id);
  else
    context.document(document_of(*job));
  return to_int(Exit::ok);
}

struct PreviewArguments {
  std::string id;
  std::optional<std::uint32_t> count;
  std::optional<sdk::Instant> after;
};

int preview_schedule(Context& context, const PreviewArguments& arguments) {
  const std::string doing = "preview schedule " + arguments.id;
  const sdk::Client::ScheduleRef ref = ref_of(context, arguments.id);
  const auto schedule = context.ask([&](sdk::Client& client) { return client.schedule(ref); });
  if (!schedule.ok()) return context.fail(doing, schedule.error());
  const auto fires = context.ask([&](sdk::Client& client) {
    return client.preview_schedule({.schedule = ref, .count = arguments.count, .after = arguments.after});
  });
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
        nlohmann::ordered_json{{"at", sdk::format_instant(fire)}, {"local", local_text(fire, zone)}, {"zone", zone}}.dump());
  context.listing(listing);
  return to_int(Exit::ok);
}

struct BackfillArguments {
  std::string id;
  std::optional<sdk::Instant> from, to;
};

int backfill_schedule(Context& context, const BackfillArguments& arguments) {
  const std::string doing = "backfill schedule " + arguments.id;
  const auto jobs = context.ask([&](sdk::Client& client) {
    return client.backfill_schedule(ref_of(context, arguments.id), {.from = *arguments.from, .to = arguments.to.value_or(now())});
  });
  if (!jobs.ok()) return context.fail(doing, jobs.error());
  std::size_t existed = 0;
  Context::Listing listing{.key = "jobs", .documents = {}, .next = {}};
  for (const sdk::Submitted& job : *jobs) {
    existed += job.existed ? 1 : 0;
    if (context.wants_table())
      context.line(fmt::format("{}  {}", job.id, job.existed ? "was there" : job.state));
    else
      listing.documents.push_back(document_of(job));
  }
  if (!context.wants_table()) context.listing(listing);
  context.note(fmt::format("{} fires: {} enqueued, {} were there already", jobs->size(), jobs->size() - existed, existed));
  return to_int(Exit::ok);
}

void add_schedule_reading(CLI::App& group, Context& context) {
  auto [list, listing] = add_command(
      group, context,
      {.name = "list", .summary = "schedules, the newest first", .example = "muster schedule list --state active --all"},
      list_schedules);
  list.add_option("--queue", listing.query.queue, "only those that enqueue into this queue");
  list.add_option("--type", listing.query.type, "only those of this workflow or type");
  list.add_option("--state", listing.state, "active or paused")->check(CLI::IsMember({"active", "paused"}));
  add_paging(list, "schedules", {.limit = listing.query.limit, .cursor = listing.query.cursor, .all = listing.all});
  list.add_flag("-A,--all-namespaces", listing.all_namespaces, "of every namespace");
  add_command_about(group, context,
                    {.name = "get", .summary = "one schedule in full", .example = "muster schedule get SCHEDULE -o json"},
                    kWhichSchedule, get_schedule);

  auto [preview, ahead] = add_command(group, context,
                                      {.name = "preview",
                                       .summary = "the next fires, in the schedule's zone",
                                       .example = "muster schedule preview SCHEDULE --count 20"},
                                      preview_schedule);
  preview.add_option("id", ahead.id, kWhichSchedule)->required();
  preview.add_option("--count", ahead.count, "how many; 10 when absent")->check(CLI::Range(1U, kPreviewMax));
  add_instant(preview, {.name = "--after", .help = "fires after this time instead of now"}, ahead.after);
}

void add_schedule_pausing(CLI::App& group, Context& context) {
  auto [pause, pausing] = add_command(group, context,
                                      {.name = "pause",
                                       .summary = "no fires until it is resumed",
                                       .example = "muster schedule pause SCHEDULE --note maintenance"},
                                      pause_schedule);
  pause.add_option("id", pausing.id, kWhichSchedule)->required();
  pause.add_option("--note", pausing.note, "why, kept with the schedule");

  auto [resume, resuming] = add_command(group, context,
                                        {.name = "resume",
                                         .summary = "let it fire again, from now or with what it missed",
                                         .example = "muster schedule resume SCHEDULE --catch-up"},
                                        resume_schedule);
  resume.add_option("id", resuming.id, kWhichSchedule)->required();
  resume.add_option("--note", resuming.note, "kept with the schedule");
  resume.add_flag("--catch-up", resuming.catch_up, "make up for what was missed, within its --catchup");
}

}  // namespace

void add_schedule_commands(CLI::App& app, Context& context) {
  CLI::App& group = add_group(
      app,
      {.name = "schedule", .summary = "workflows and jobs that are enqueued again and again", .example = "muster schedule list"});
  auto [create, creating] = add_command(group, context,
                                        {.name = "create",
                                         .summary = "enqueue a workflow run or a job at every fire of a timing",
                                         .example = "muster schedule create --cron '0 */5 * * * *' --timezone Europe/Berlin "
                                                    "--overlap skip --queue reports --type report --input '{\"days\":1}'"},
                                        create_schedule);
  describe_schedule(create, creating, ScheduleUse::create);

  auto [update, updating] = add_command(group, context,
                                        {.name = "update",
                                         .summary = "change what is given and leave the rest",
                                         .example = "muster schedule update SCHEDULE --every 90s --overlap buffer_one"},
                                        update_schedule);
  update.add_option("id", updating.id, kWhichSchedule)->required();
  describe_schedule(update, updating.schedule, ScheduleUse::update);

  add_schedule_reading(group, context);
  add_schedule_pausing(group, context);
  add_command_about(group, context,
                    {.name = "trigger",
                     .summary = "enqueue one job now; the fires are not touched",
                     .example = "muster schedule trigger SCHEDULE"},
                    kWhichSchedule, trigger_schedule);

  auto [backfill, filling] =
      add_command(group, context,
                  {.name = "backfill",
                   .summary = "enqueue the fires of a range of time, each once however often it is asked for",
                   .example = "muster schedule backfill SCHEDULE --from 2026-11-14T00:00:00Z --to 2026-11-15T00:00:00Z"},
                  backfill_schedule);
  backfill.add_option("id", filling.id, kWhichSchedule)->required();
  add_instant(backfill, {.name = "--from", .help = "fires after this time"}, filling.from)->required();
  add_instant(backfill, {.name = "--to", .help = "up to this time; now when absent"}, filling.to);

  add_command_about(
      group, context,
      {.name = "delete", .summary = "no further fires; the jobs it made stay", .example = "muster schedule delete SCHEDULE"},
      kWhichSchedule, delete_schedule);
}

}  // namespace muster::cli
