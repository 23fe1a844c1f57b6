#include "cli/schedule_arguments.h"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <nlohmann/json.hpp>

#include "cli/arguments.h"
#include "sdk/cpp/codec.h"

namespace muster::cli {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::int64_t kMillisPerSecond = 1'000;

sdk::Error refused(std::string detail) {
  return sdk::Error{.code = sdk::Code::invalid_argument, .status = 0, .detail = std::move(detail), .retry_after = {}};
}

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
void rename_type(Json& job, const std::string& type) {
  const std::string before = "workflow:" + job.value("type", "");
  job["type"] = type;
  if (!job.contains("needs")) return;
  Json needs = Json::array();
  for (const Json& need : job["needs"])
    if (need != before) needs.push_back(need);
  job["needs"] = std::move(needs);
}

sdk::Result<std::string> changed_template(const ScheduleArguments& arguments, const std::string& before) {
  sdk::Result<std::optional<sdk::Content>> input = read_input(arguments.input, "--input");
  if (!input.ok()) return input.error();
  Json job = Json::parse(before, nullptr, false);
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
      job["payload"] = Json::parse((*input)->data);
  }
  return job.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace

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
