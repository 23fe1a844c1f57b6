#include "cli/jobs.h"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <iostream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <thread>

#include "cli/commands.h"
#include "cli/format.h"

namespace muster::cli {
namespace {

std::string attempts_text(const sdk::Job& job) {
  if (job.attempts_max == 0) return std::to_string(job.attempt);
  return fmt::format("{}/{}", job.attempt, job.attempts_max);
}

// What matters most about a job in its state, in a few words.
std::string job_note(const sdk::Job& job, sdk::Instant now) {
  if (job.cancel_requested && job.state == "running") return "cancel requested";
  if (job.state == "running" && job.progress)
    return shortened(fmt::format("{:.0f}% {}", job.progress->fraction * 100, job.progress->message), kNoteWidth);
  if (job.state == "scheduled" && job.dependencies_pending > 0) return fmt::format("after {} jobs", job.dependencies_pending);
  if (job.state == "scheduled" && job.due_at) return "due " + format_age(job.due_at, now);
  if (job.error && job.state != "completed")
    return shortened(fmt::format("{}: {}", job.error->kind, job.error->message), kNoteWidth);
  return "";
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

constexpr std::size_t kDigitsMin = 4;          // shorter ones are seldom unique
constexpr std::size_t kDigitsAmongMany = 8;    // where not every job was looked at
constexpr std::size_t kDigits = 32;            // of a whole id, which may come without its dashes
constexpr std::size_t kSearchedMax = 100'000;  // the newest jobs; ids are spread, so that no index knows how they begin
constexpr std::size_t kShownMax = 5;

std::string without_dashes(std::string text) {
  std::erase(text, '-');
  return text;
}

bool is_beginning(const std::string& text) {
  const std::size_t digits = without_dashes(text).size();
  return digits >= kDigitsMin && digits < kDigits && text.find_first_not_of("0123456789abcdef-") == std::string::npos;
}

sdk::Error no_whole_id(sdk::Code code, std::string detail) {
  return {.code = code, .status = 0, .detail = std::move(detail), .retry_after = {}};
}

constexpr std::chrono::milliseconds kJobLookMin{20};
constexpr std::chrono::milliseconds kJobLookMax{500};
constexpr int kJobFailuresMax = 60;  // at kJobLookMax: half a minute of a server that is restarting

}  // namespace

sdk::Instant now() { return std::chrono::time_point_cast<std::chrono::milliseconds>(std::chrono::system_clock::now()); }

std::optional<sdk::Duration> run_time(const sdk::Job& job, sdk::Instant now) {
  if (!job.started_at) return std::nullopt;
  if (job.state == "running") return now - *job.started_at;
  if (job.finished_at) return *job.finished_at - *job.started_at;
  return std::nullopt;
}

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
               {job_note(job, now), job.error && job.state != "completed" ? Color::red : Color::dim}});
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

std::string document_of(const sdk::Submitted& job) {
  return nlohmann::ordered_json{{"id", job.id}, {"state", job.state}, {"existed", job.existed}}.dump();
}

std::string document_of(const sdk::Settled& job) { return nlohmann::ordered_json{{"id", job.id}, {"state", job.state}}.dump(); }

sdk::Result<std::string> whole_id(sdk::Client& client, const std::string& text) {
  if (!is_beginning(text)) return text;
  const std::string digits = without_dashes(text);
  std::vector<std::string> found;
  sdk::JobQuery query;
  query.limit = kPageMax;
  std::size_t searched = 0;
  do {
    const sdk::Result<sdk::JobPage> page = client.jobs(query);
    if (!page.ok()) return page.error();
    for (const sdk::Job& job : page->jobs)
      if (without_dashes(job.id).starts_with(digits) && found.size() < kShownMax) found.push_back(job.id);
    searched += page->jobs.size();
    query.cursor = page->next;
  } while (!query.cursor.empty() && searched < kSearchedMax && found.size() < kShownMax);
  if (found.empty())
    return no_whole_id(sdk::Code::not_found, fmt::format("no id of the newest {} jobs begins with {}", searched, text));
  if (found.size() > 1)
    return no_whole_id(sdk::Code::conflict, fmt::format("{} is short for several jobs: {}", text, fmt::join(found, ", ")));
  if (!query.cursor.empty() && digits.size() < kDigitsAmongMany)
    return no_whole_id(sdk::Code::conflict,
                       fmt::format("{} may be short for a job older than the newest {}: give at least {} digits", text, searched,
                                   kDigitsAmongMany));
  return found.front();
}

sdk::Result<sdk::Job> wait_for_job(sdk::Client& client, const std::string& id, const std::function<void(const sdk::Job&)>& seen) {
  std::chrono::milliseconds wait = kJobLookMin;
  int failures = 0;
  for (bool known = false;;) {
    sdk::Result<sdk::Job> job = client.job(id);
    if (job.ok()) {
      failures = 0;
      known = true;
      seen(*job);
      if (sdk::is_finished(job->state)) return job;
    } else if (!job.error().transient() || !known || ++failures == kJobFailuresMax) {
      return job;
    }
    std::this_thread::sleep_for(wait);
    wait = std::min(kJobLookMax, wait * 3 / 2);
  }
}

void describe_input(CLI::App& command, const std::string& flag, InputArguments& arguments) {
  command.add_option(flag, arguments.text, "JSON, or @FILE, or - for stdin")->type_name("JSON|@FILE|-");
  command.add_flag("--binary", arguments.binary, fmt::format("{} is bytes, not JSON", flag));
}

sdk::Result<std::optional<sdk::Content>> read_input(const InputArguments& arguments, const std::string& flag) {
  if (arguments.text.empty()) return std::optional<sdk::Content>();
  std::string data = arguments.text;
  if (data == "-" || data.front() == '@') {
    sdk::Result<std::string> content = read_all(data == "-" ? data : data.substr(1));
    if (!content.ok()) return content.error();
    data = std::move(*content);
  }
  if (!arguments.binary && !nlohmann::json::accept(data))
    return refused(fmt::format("{} is not JSON: `{}`; use --binary for anything else", flag, data.substr(0, kShownBytes)));
  return std::optional(sdk::Content{.data = std::move(data), .binary = arguments.binary});
}

sdk::Result<std::string> read_all(const std::string& path) {
  if (path == "-") return std::string(std::istreambuf_iterator<char>(std::cin), {});
  std::ifstream file(path, std::ios::binary);
  if (!file) return refused(fmt::format("file `{}` can't be read", path));
  return std::string(std::istreambuf_iterator<char>(file), {});
}

}  // namespace muster::cli
