#include "cli/workflows.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "cli/commands.h"
#include "cli/format.h"

namespace muster::cli {
namespace {

std::string run_note(const sdk::Job& run, sdk::Instant now) {
  if (run.error && run.state != "completed")
    return shortened(fmt::format("{}: {}", run.error->kind, run.error->message), kNoteWidth);
  // A wait without a limit is due at the end of time.
  constexpr sdk::Duration kLong = std::chrono::hours(24 * 366 * 100);
  if (run.state == "scheduled" && run.due_at && *run.due_at - now < kLong) return "due " + format_age(run.due_at, now);
  return "";
}

constexpr std::size_t kOtherColumns = 60;  // that the rest of a line usually takes

struct Sign {
  std::string_view meaning;
  std::string_view unicode;
  std::string_view ascii;
};

enum class Mark : std::uint8_t { work, failed, sleep, signal, child, goes_on };
constexpr std::array kSigns{
    Sign{"step", "█", "#"},   Sign{"failed", "▒", "x"}, Sign{"sleep", "─", "-"},
    Sign{"signal", "░", "~"}, Sign{"child", "▓", "="},  Sign{"goes on", "▶", ">"},
};

std::string_view sign(Mark mark, bool unicode) {
  const Sign& found = kSigns[static_cast<std::size_t>(mark)];
  return unicode ? found.unicode : found.ascii;
}

bool is_open(const sdk::RunStep& step) { return !step.finished_at; }

Mark mark_of(const sdk::RunStep& step) {
  if (step.state == "failed") return Mark::failed;
  if (step.kind == "sleep") return Mark::sleep;
  if (step.kind == "signal") return Mark::signal;
  return step.kind == "child" ? Mark::child : Mark::work;
}

// The time all bars share.
struct Span {
  sdk::Instant from;
  sdk::Instant to;
};

sdk::Instant end_of(const sdk::RunStep& step, sdk::Instant now) {
  return std::max(step.finished_at.value_or(now), step.begun_at.value_or(now));
}

Span span_of(std::span<const sdk::RunStep> steps, sdk::Instant now) {
  Span span{now, now};
  for (bool first = true; const sdk::RunStep& step : steps) {
    const sdk::Instant from = step.begun_at.value_or(now);
    span.from = first ? from : std::min(span.from, from);
    span.to = first ? end_of(step, now) : std::max(span.to, end_of(step, now));
    first = false;
  }
  // A moment is not nothing: every bar has a place on the scale.
  if (span.to <= span.from) span.to = span.from + sdk::Duration(1);
  return span;
}

std::string bar_of(const sdk::RunStep& step, Span span, const TimelineLook& look) {
  const auto total = static_cast<double>((span.to - span.from).count());
  const auto cell = [&](sdk::Instant at) {
    return static_cast<double>((at - span.from).count()) / total * static_cast<double>(look.width);
  };
  const auto from = std::min(static_cast<std::size_t>(cell(step.begun_at.value_or(look.now))), look.width - 1);
  const auto to = std::clamp(static_cast<std::size_t>(cell(end_of(step, look.now)) + 0.5), from + 1, look.width);
  std::string bar(from, ' ');
  for (std::size_t i = from; i < to; ++i)
    bar.append(sign(is_open(step) && i + 1 == to ? Mark::goes_on : mark_of(step), look.unicode));
  return bar;
}

std::string scale(Span span, std::size_t width) {
  const std::string end = format_duration(span.to - span.from);
  constexpr std::string_view kStart = "0s";
  const std::size_t used = kStart.size() + end.size();
  return std::string(kStart).append(width > used ? width - used : 1, ' ').append(end);
}

std::string waits_for(const sdk::RunStep& step) {
  if (step.kind == "signal") return fmt::format("signal \"{}\"", step.signal);
  if (step.kind == "child") return fmt::format("child {}", step.child);
  return "";
}

std::string step_note(const sdk::RunStep& step, sdk::Instant now) {
  std::string note = waits_for(step);
  const auto add = [&note](const std::string& text) { note += (note.empty() ? "" : ", ") + text; };
  if (step.error) add(fmt::format("{}: {}", step.error->kind, step.error->message));
  if (step.until && *step.until > now) {
    const std::string later = format_age(step.until, now);
    if (step.state == "failed") add("again " + later);
    if (step.state == "waiting") add((step.kind == "sleep" ? "wakes " : "gives up ") + later);
  }
  return shortened(note, kNoteWidth);
}

}  // namespace

std::string state_of(const sdk::Job& run) { return run.run && run.run->sleeping ? "sleeping" : run.state; }

Table run_table(const std::vector<sdk::Job>& runs, sdk::Instant now) {
  Table table({{"RUN"},
               {"STATE"},
               {"WORKFLOW"},
               {"QUEUE"},
               {"EXTERNAL ID"},
               {"ATTEMPT", Align::right},
               {"AGE", Align::right},
               {"WORKER"},
               {"NOTE"}});
  for (const sdk::Job& run : runs)
    table.add({{run.id},
               {state_of(run), color_of_state(run.state)},
               {run.type},
               {run.queue},
               {run.run && !run.run->external_id.empty() ? run.run->external_id : "-"},
               {std::to_string(run.attempt + run.rescues)},
               {format_age(run.created_at, now)},
               {run.worker.empty() ? "-" : run.worker},
               {run_note(run, now), run.error && run.state != "completed" ? Color::red : Color::dim}});
  return table;
}

Table run_details(const sdk::Job& run) {
  Table table({{"RUN"}, {"VALUE"}});
  const auto put = [&table](const char* field, const std::string& value) {
    if (!value.empty()) table.add({{field, Color::dim}, {value}});
  };
  if (!run.run) return table;
  put("external id", run.run->external_id);
  put("version", run.run->version);
  put("sleeping", run.run->sleeping ? "yes" : "");
  put("parent", run.run->parent_run.empty() ? "" : fmt::format("{}, step {}", run.run->parent_run, run.run->parent_step));
  put("schedule", run.run->schedule);
  if (run.deadline) put("deadline", sdk::format_instant(*run.deadline));
  for (const auto& [key, value] : run.run->metadata) put("metadata", fmt::format("{}={}", key, value));
  return table;
}

Table timeline(std::span<const sdk::RunStep> steps, const TimelineLook& look) {
  const Span span = span_of(steps, look.now);
  Table table({{"STEP"}, {"ATTEMPT", Align::right}, {"WORKER"}, {"TIME", Align::right}, {scale(span, look.width)}, {"NOTE"}});
  for (const sdk::RunStep& step : steps) {
    const bool failed = step.state == "failed";
    const Color color = failed                        ? Color::red
                        : is_open(step)               ? Color::yellow
                        : mark_of(step) == Mark::work ? Color::green
                                                      : Color::blue;
    table.add({{step.name},
               {std::to_string(step.attempt)},
               {step.worker.empty() ? "-" : step.worker},
               {format_duration(end_of(step, look.now) - step.begun_at.value_or(look.now))},
               {bar_of(step, span, look), color},
               {step_note(step, look.now), step.error ? Color::red : Color::dim}});
  }
  return table;
}

std::string timeline_legend(bool unicode) {
  std::string legend;
  for (const Sign& each : kSigns)
    legend += fmt::format("{}{} {}", legend.empty() ? "" : "  ", unicode ? each.unicode : each.ascii, each.meaning);
  return legend;
}

std::size_t timeline_width(std::size_t columns) {
  return std::clamp(columns > kOtherColumns ? columns - kOtherColumns : 0, kTimelineWidthMin, kTimelineWidthMax);
}

void describe_start(CLI::App& command, StartArguments& arguments) {
  sdk::RunRequest& run = arguments.request;
  command.add_option("--type", run.job.type, "the workflow")->required();
  command.add_option("--queue", run.job.queue, "queue to wait in");
  describe_input(command, "--input", arguments.input);
  command.add_option("--id", run.external_id, "your own name for it; one unfinished run has it, and a second start returns that");
  command.add_option("--version", run.version, "of the workflow");
  command.add_option("--context", run.context, "JSON object, handed through to the worker")->type_name("JSON");
  add_pairs(command, {.name = "--metadata", .help = "of the input (repeatable)"}, run.metadata);
  add_pairs(command, {.name = "--label", .help = "label of the run, for search (repeatable)"}, run.job.labels);
  command.add_option("--priority", run.job.priority, "higher runs first")->check(CLI::Range(-1000, 1000));
  CLI::Option* delay = add_duration(command, {.name = "--delay", .help = "not before this much time has passed"}, run.job.delay);
  add_instant(command, {.name = "--at", .help = "not before this time"}, run.job.run_at)->excludes(delay);
  add_instant(command, {.name = "--deadline", .help = "unfinished at this time: dead"}, run.job.deadline);
  add_duration(command, {.name = "--timeout", .help = "longest time a worker may hold it at a stretch"}, run.job.timeout);
  command.add_option("--rescues", run.job.rescues_max, "how often it may be lost with a worker")->check(CLI::Range(0, 1000));
  command.add_option("--step-attempts", arguments.step_attempts, "attempts of each step; -1: no limit")
      ->check(CLI::Range(-1, 1000));
  add_duration(command, {.name = "--step-delay", .help = "wait before the second attempt of a step; grows after that"},
               arguments.step_delay);
  command.add_option("--idempotency-key", run.job.idempotency_key, "the same key again returns the first run");
  command.add_option("--correlation", run.job.correlation, "carried into logs and events");
  command.add_flag("--wait", arguments.wait, "wait for the result, print it, exit 1 unless completed");
}

sdk::Result<sdk::RunRequest> to_run(const StartArguments& arguments, const std::string& ns) {
  sdk::RunRequest run = arguments.request;
  run.job.ns = ns;
  sdk::Result<std::optional<sdk::Content>> input = read_input(arguments.input, "--input");
  if (!input.ok()) return input.error();
  run.job.payload = std::move(*input);
  if (arguments.step_attempts || arguments.step_delay) {
    run.steps.emplace();
    run.steps->attempts_max = arguments.step_attempts;
    run.steps->first_delay = arguments.step_delay;
  }
  return run;
}

}  // namespace muster::cli
