#include "cli/schedules.h"

#include <array>
#include <charconv>
#include <cstdlib>
#include <ctime>
#include <optional>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <nlohmann/json.hpp>

#include "cli/commands.h"
#include "cli/format.h"
#include "sdk/cpp/codec.h"

namespace muster::cli {
namespace {

// The process's TZ, put back at the end.
class ZoneScope {
 public:
  explicit ZoneScope(const std::string& zone) {
    if (const char* before = std::getenv("TZ")) before_ = before;
    setenv("TZ", (":" + zone).c_str(), 1);
    tzset();
  }
  ~ZoneScope() {
    if (before_)
      setenv("TZ", before_->c_str(), 1);
    else
      unsetenv("TZ");
    tzset();
  }
  ZoneScope(const ZoneScope&) = delete;
  ZoneScope& operator=(const ZoneScope&) = delete;

 private:
  std::optional<std::string> before_;
};

std::string state_of(const sdk::Schedule& schedule) { return schedule.enabled ? "active" : "paused"; }

std::string template_text(const sdk::Schedule& schedule) {
  return fmt::format("{} {} in {}", schedule.is_run ? "workflow" : "job", schedule.type, schedule.queue);
}

std::string relative(sdk::Instant at, sdk::Instant now) {
  const std::string age = format_age(at, now);
  return at > now ? age : age + " ago";
}

// The number of the field in `field 3 (hours): …`; 0: none.
std::size_t field_of(std::string_view message) {
  constexpr std::string_view kWord = "field ";
  for (std::size_t at = message.find(kWord); at != std::string_view::npos; at = message.find(kWord, at + 1)) {
    const std::string_view rest = message.substr(at + kWord.size());
    std::size_t number = 0;
    const auto [end, problem] = std::from_chars(rest.data(), rest.data() + rest.size(), number);
    if (problem == std::errc() && number > 0) return number;
  }
  return 0;
}

constexpr std::int64_t kMillisPerSecond = 1'000;

bool changes_timing(const ScheduleArguments& arguments) {
  return !timing_text(arguments).empty() || !arguments.zone.empty() || !arguments.gap.empty() || !arguments.fold.empty() ||
         arguments.jitter;
}

bool changes_template(const ScheduleArguments& arguments) {
  return !arguments.queue.empty() || !arguments.type.empty() || !arguments.input.text.empty() || !arguments.labels.empty() ||
         arguments.priority || arguments.timeout;
}

sdk::Timing over(sdk::Timing timing, const ScheduleArguments& arguments) {
  if (const std::string text = timing_text(arguments); !text.empty()) timing.text = text;
  if (!arguments.zone.empty()) timing.zone = arguments.zone;
  if (!arguments.gap.empty()) timing.gap = arguments.gap;
  if (!arguments.fold.empty()) timing.fold = arguments.fold;
  if (arguments.jitter) timing.jitter = arguments.jitter;
  return timing;
}

// A workflow of another type needs other workers.
void rename_type(nlohmann::ordered_json& job, const std::string& type) {
  const std::string before = "workflow:" + job.value("type", "");
  job["type"] = type;
  if (!job.contains("needs")) return;
  nlohmann::ordered_json needs = nlohmann::ordered_json::array();
  for (const nlohmann::ordered_json& need : job["needs"])
    if (need != before) needs.push_back(need);
  job["needs"] = std::move(needs);
}

sdk::Result<std::string> changed_template(const ScheduleArguments& arguments, const std::string& before) {
  sdk::Result<std::optional<sdk::Content>> input = read_input(arguments.input, "--input");
  if (!input.ok()) return input.error();
  nlohmann::ordered_json job = nlohmann::ordered_json::parse(before, nullptr, false);
  if (!job.is_object()) return refused("the server sent no template to change");
  if (!arguments.type.empty()) rename_type(job, arguments.type);
  if (!arguments.queue.empty()) job["queue"] = arguments.queue;
  if (!arguments.labels.empty()) job["labels"] = arguments.labels;
  if (arguments.priority) job["priority"] = *arguments.priority;
  if (arguments.timeout) job["timeout_ms"] = arguments.timeout->count();
  if (*input) {
    job.erase("payload");
    job.erase("payload_base64");
    if ((*input)->binary)
      job["payload_base64"] = sdk::to_base64((*input)->data);
    else
      job["payload"] = nlohmann::ordered_json::parse((*input)->data);
  }
  return job.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

}  // namespace

std::string local_text(sdk::Instant at, const std::string& zone) {
  const ZoneScope scope(zone);
  const std::time_t seconds = std::chrono::system_clock::to_time_t(at);
  std::tm parts{};
  localtime_r(&seconds, &parts);
  std::array<char, 64> text{};
  const std::size_t size = std::strftime(text.data(), text.size(), "%a %Y-%m-%d %H:%M:%S %Z", &parts);
  return std::string(text.data(), size);
}

std::vector<std::string> pointed_at(std::string_view timing, std::string_view message) {
  const std::size_t field = field_of(message);
  std::size_t begin = 0;
  std::size_t end = 0;
  for (std::size_t seen = 0; seen < field; ++seen) {
    begin = timing.find_first_not_of(" \t", end);
    if (begin == std::string_view::npos) return {};
    end = std::min(timing.find_first_of(" \t", begin), timing.size());
  }
  if (field == 0) return {};
  const std::size_t before = display_width(timing.substr(0, begin));
  const std::size_t width = display_width(timing.substr(begin, end - begin));
  return {printable(timing), std::string(before, ' ') + std::string(width, '^')};
}

Table schedule_table(std::span<const sdk::Schedule> schedules, sdk::Instant now) {
  Table table({{"SCHEDULE"},
               {"STATE"},
               {"TIMING"},
               {"ZONE"},
               {"ENQUEUES"},
               {"NEXT", Align::right},
               {"LAST", Align::right},
               {"FIRED", Align::right},
               {"SKIPPED", Align::right},
               {"NOTE"}});
  for (const sdk::Schedule& schedule : schedules)
    table.add({{schedule.id},
               {state_of(schedule), color_of_state(state_of(schedule))},
               {schedule.timing.text},
               {schedule.timing.zone},
               {template_text(schedule)},
               {format_age(schedule.next_fire_at, now)},
               {format_age(schedule.last_fired_at, now)},
               {std::to_string(schedule.fired)},
               {std::to_string(schedule.skipped)},
               {schedule.note, Color::dim}});
  return table;
}

Table schedule_details(const sdk::Schedule& schedule, sdk::Instant now) {
  Table table({{"FIELD"}, {"VALUE"}});
  const auto put = [&table](const char* field, const std::string& value, Color color = Color::none) {
    if (!value.empty()) table.add({{field, Color::dim}, {value, color}});
  };
  const auto put_time = [&](const char* field, const std::optional<sdk::Instant>& at) {
    if (at) put(field, fmt::format("{} ({})", local_text(*at, schedule.timing.zone), relative(*at, now)));
  };
  put("id", schedule.id);
  put("state", state_of(schedule), color_of_state(state_of(schedule)));
  put("namespace", schedule.ns);
  put("timing", schedule.timing.text);
  put("zone", schedule.timing.zone);
  put("gap", schedule.timing.gap);
  put("fold", schedule.timing.fold);
  if (schedule.timing.jitter && schedule.timing.jitter->count() > 0) put("jitter", format_duration(*schedule.timing.jitter));
  put("enqueues", template_text(schedule));
  put("overlap", schedule.overlap);
  put("catch-up", std::to_string(schedule.catchup_max));
  put_time("next fire", schedule.next_fire_at);
  put_time("last fire", schedule.last_fired_at);
  put_time("buffered", schedule.buffered);
  put("last job", schedule.last_job);
  put("fired", std::to_string(schedule.fired));
  put("skipped", std::to_string(schedule.skipped));
  put_time("created", schedule.created_at);
  put_time("updated", schedule.updated_at);
  put("note", schedule.note);
  put("template", schedule.job_document);
  return table;
}

Table fires_table(std::span<const sdk::Instant> fires, const std::string& zone, sdk::Instant now) {
  Table table({{zone}, {"UTC"}, {"WHEN", Align::right}});
  for (const sdk::Instant fire : fires)
    table.add({{local_text(fire, zone)}, {sdk::format_instant(fire), Color::dim}, {relative(fire, now)}});
  return table;
}

void describe_schedule(CLI::App& command, ScheduleArguments& arguments, ScheduleUse use) {
  CLI::Option* cron = command
                          .add_option("--cron", arguments.cron,
                                      "cron of five fields, of six or seven that begin with seconds, or @daily and the like")
                          ->type_name("TEXT");
  add_duration(command, {.name = "--every", .help = "at even intervals instead"}, arguments.every)->excludes(cron);
  command.add_option("--timezone", arguments.zone, "zone the fields are read in, such as Europe/Berlin; UTC when absent");
  command.add_option("--gap", arguments.gap, "a local time that does not exist that day: next instant, or skip")
      ->check(CLI::IsMember({"next", "skip"}));
  command.add_option("--fold", arguments.fold, "a local time that comes twice that day: once, or twice")
      ->check(CLI::IsMember({"once", "twice"}));
  add_duration(command, {.name = "--jitter", .help = "each fire is late by a share of this"}, arguments.jitter);
  command
      .add_option("--overlap", arguments.overlap,
                  "a fire while the job before is unfinished: allow, skip, buffer_one, cancel_previous")
      ->check(CLI::IsMember({"allow", "skip", "buffer_one", "cancel_previous"}));
  command.add_option("--catchup", arguments.catchup_max, "missed fires that are made up for, the newest")
      ->check(CLI::Range(0, 10'000));
  CLI::Option* type = command.add_option("--type", arguments.type, "the workflow, or the type of the job");
  if (use == ScheduleUse::create) {
    type->required();
    command.add_flag("--job", arguments.plain_job, "enqueue a plain job instead of a workflow run");
    command.add_flag("--paused", arguments.paused, "create it paused");
  }
  command.add_option("--queue", arguments.queue, "queue to enqueue into");
  describe_input(command, "--input", arguments.input);
  add_pairs(command, {.name = "--label", .help = "label of each job (repeatable)"}, arguments.labels);
  command.add_option("--priority", arguments.priority, "higher runs first")->check(CLI::Range(-1000, 1000));
  add_duration(command, {.name = "--timeout", .help = "longest run of one attempt"}, arguments.timeout);
  command.add_option("--note", arguments.note, "for people");
}

std::string timing_text(const ScheduleArguments& arguments) {
  if (!arguments.every) return arguments.cron;
  const std::int64_t millis = arguments.every->count();
  if (millis % kMillisPerSecond != 0) return fmt::format("every {}ms", millis);
  return fmt::format("every {}s", millis / kMillisPerSecond);
}

sdk::Result<sdk::ScheduleRequest> to_schedule(const ScheduleArguments& arguments, const std::string& ns) {
  if (timing_text(arguments).empty()) return refused("--cron or --every is required");
  sdk::Result<std::optional<sdk::Content>> input = read_input(arguments.input, "--input");
  if (!input.ok()) return input.error();
  sdk::JobSpec job;
  job.queue = arguments.queue;
  job.type = arguments.type;
  job.payload = std::move(*input);
  job.labels = arguments.labels;
  job.priority = arguments.priority;
  job.timeout = arguments.timeout;
  sdk::ScheduleRequest request;
  request.ns = ns;
  request.timing = over({}, arguments);
  if (arguments.plain_job) {
    request.job = std::move(job);
  } else {
    request.run.emplace();
    request.run->job = std::move(job);
  }
  request.overlap = arguments.overlap;
  request.catchup_max = arguments.catchup_max;
  if (arguments.paused) request.enabled = false;
  request.note = arguments.note;
  return request;
}

sdk::Result<sdk::ScheduleRequest> to_change(const ScheduleArguments& arguments, const sdk::Schedule& now) {
  sdk::ScheduleRequest request;
  request.ns = now.ns;
  if (changes_timing(arguments)) request.timing = over(now.timing, arguments);
  if (changes_template(arguments)) {
    sdk::Result<std::string> text = changed_template(arguments, now.job_document);
    if (!text.ok()) return text.error();
    (now.is_run ? request.run_document : request.job_document) = std::move(*text);
  }
  request.overlap = arguments.overlap;
  request.catchup_max = arguments.catchup_max;
  request.note = arguments.note;
  return request;
}

}  // namespace muster::cli
