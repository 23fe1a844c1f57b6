#include "cli/workflow_table.h"

#include <fmt/format.h>

#include "cli/format.h"

namespace muster::cli {
namespace {

constexpr std::size_t kNoteWidth = 60;

std::string note_of(const sdk::Job& run, sdk::Instant now) {
  if (run.error && run.state != "completed")
    return shortened(fmt::format("{}: {}", run.error->kind, run.error->message), kNoteWidth);
  // A wait without a limit is due at the end of time.
  constexpr sdk::Duration kLong = std::chrono::hours(24 * 366 * 100);
  if (run.state == "scheduled" && run.due_at && *run.due_at - now < kLong) return "due " + format_age(run.due_at, now);
  return "";
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
               {note_of(run, now), run.error && run.state != "completed" ? Color::red : Color::dim}});
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

}  // namespace muster::cli
