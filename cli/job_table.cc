#include "cli/job_table.h"

#include <fmt/format.h>

#include "cli/format.h"

namespace muster::cli {
namespace {

constexpr std::size_t kNoteWidth = 60;

std::string attempts_text(const sdk::Job& job) {
  if (job.attempts_max == 0) return std::to_string(job.attempt);
  return fmt::format("{}/{}", job.attempt, job.attempts_max);
}

// What matters most about a job in its state, in a few words.
std::string note_of(const sdk::Job& job, sdk::Instant now) {
  if (job.cancel_requested && job.state == "running") return "cancel requested";
  if (job.state == "running" && job.progress)
    return shortened(fmt::format("{:.0f}% {}", job.progress->fraction * 100, job.progress->message), kNoteWidth);
  if (job.state == "scheduled" && job.dependencies_pending > 0) return fmt::format("after {} jobs", job.dependencies_pending);
  if (job.state == "scheduled" && job.due_at) return "due " + format_age(job.due_at, now);
  if (job.error && job.state != "completed")
    return shortened(fmt::format("{}: {}", job.error->kind, job.error->message), kNoteWidth);
  return "";
}

std::optional<sdk::Duration> run_time(const sdk::Job& job, sdk::Instant now) {
  if (!job.started_at) return std::nullopt;
  if (job.state == "running") return now - *job.started_at;
  if (job.finished_at) return *job.finished_at - *job.started_at;
  return std::nullopt;
}

std::string pairs_text(const sdk::Labels& labels) {
  std::string out;
  for (const auto& [key, value] : labels) out += fmt::format("{}{}={}", out.empty() ? "" : " ", key, value);
  return out;
}

std::string content_text(const sdk::Content& content) {
  if (content.binary) return fmt::format("{} of bytes", format_bytes(content.data.size()));
  return content.data;
}

}  // namespace

sdk::Instant now() { return std::chrono::time_point_cast<std::chrono::milliseconds>(std::chrono::system_clock::now()); }

Table job_table(const std::vector<sdk::Job>& jobs, sdk::Instant now) {
  Table table({{"ID"},
               {"STATE"},
               {"TYPE"},
               {"QUEUE"},
               {"PRIO", Align::right},
               {"ATTEMPT", Align::right},
               {"AGE", Align::right},
               {"RAN", Align::right},
               {"WORKER"},
               {"NOTE"}});
  for (const sdk::Job& job : jobs) {
    const auto ran = run_time(job, now);
    table.add({{job.id},
               {job.state, color_of_state(job.state)},
               {job.type},
               {job.queue},
               {std::to_string(job.priority)},
               {attempts_text(job)},
               {format_age(job.created_at, now)},
               {ran ? format_duration(*ran) : "-"},
               {job.worker.empty() ? "-" : job.worker},
               {note_of(job, now), job.error && job.state != "completed" ? Color::red : Color::dim}});
  }
  return table;
}

Table job_details(const sdk::Job& job, sdk::Instant now) {
  Table table({{"FIELD"}, {"VALUE"}});
  const auto put = [&table](const char* field, const std::string& value, Color color = Color::none) {
    if (!value.empty()) table.add({{field, Color::dim}, {value, color}});
  };
  const auto put_time = [&](const char* field, const std::optional<sdk::Instant>& at) {
    if (!at) return;
    const std::string age = format_age(at, now);
    put(field, fmt::format("{} ({}{})", sdk::format_instant(*at), age, age.starts_with("in ") ? "" : " ago"));
  };
  put("id", job.id);
  put("state", job.state, color_of_state(job.state));
  put("type", job.type);
  put("queue", job.queue);
  put("namespace", job.ns);
  put("attempt", attempts_text(job));
  if (job.rescues > 0) put("rescues", std::to_string(job.rescues));
  if (job.priority != 0) put("priority", std::to_string(job.priority));
  put("worker", job.worker);
  put("needs", fmt::format("{}", fmt::join(job.needs, " ")));
  put("labels", pairs_text(job.labels));
  put_time("created", job.created_at);
  put_time("due", job.due_at);
  put_time("expires", job.expires_at);
  put_time("started", job.started_at);
  put_time("finished", job.finished_at);
  put_time("lease until", job.lease_expires_at);
  if (job.dependencies_pending > 0) put("waits for", fmt::format("{} jobs", job.dependencies_pending));
  if (job.cancel_requested) put("cancel", "requested", Color::yellow);
  if (job.progress) put("progress", fmt::format("{:.0f}% {}", job.progress->fraction * 100, job.progress->message));
  if (job.payload) put("payload", content_text(*job.payload));
  if (job.result) put("result", content_text(*job.result), Color::green);
  if (job.error) put("error", fmt::format("{}: {}", job.error->kind, job.error->message), Color::red);
  return table;
}

Table attempts_table(const sdk::Job& job, sdk::Instant now) {
  Table table({{"ATTEMPT", Align::right}, {"OUTCOME"}, {"WORKER"}, {"ENDED", Align::right}, {"RAN", Align::right}, {"ERROR"}});
  for (const sdk::Attempt& attempt : job.attempts) {
    const bool timed = attempt.started_at && attempt.ended_at;
    table.add({{std::to_string(attempt.attempt)},
               {attempt.outcome},
               {attempt.worker},
               {format_age(attempt.ended_at, now)},
               {timed ? format_duration(*attempt.ended_at - *attempt.started_at) : "-"},
               {attempt.error.kind.empty() ? "" : fmt::format("{}: {}", attempt.error.kind, attempt.error.message)}});
  }
  return table;
}

}  // namespace muster::cli
