#include "cli/workflow_timeline.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "cli/format.h"

namespace muster::cli {
namespace {

constexpr std::size_t kNoteWidth = 60;
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

std::string note_of(const sdk::RunStep& step, sdk::Instant now) {
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
               {note_of(step, look.now), step.error ? Color::red : Color::dim}});
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

}  // namespace muster::cli
