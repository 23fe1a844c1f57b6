#include "worker/report.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/base64.h"
#include "base/time_text.h"
#include "base/utf8.h"

namespace muster::worker {
namespace {

using nlohmann::json;

constexpr std::size_t kShareMin = 64;  // bytes of an output that always stay

bool is_continuation(char c) { return (static_cast<unsigned char>(c) & 0xC0U) == 0x80U; }

// `max` bytes at most, without the half of a character at the end.
std::size_t cut_at(std::string_view text, std::size_t max) {
  if (text.size() <= max) return text.size();
  std::size_t end = max;
  while (end > 0 && max - end < 3 && is_continuation(text[end])) --end;
  return is_continuation(text[end]) ? max : end;
}

// Puts an output under `name`, and its exact bytes beside it when they are not text. True: some of it was left out.
bool put(json& into, const std::string& name, const Capture& output, std::size_t share) {
  std::string bytes = output.read(share + 4);
  const std::size_t end = cut_at(bytes, share);
  bytes.resize(end);
  if (!is_utf8(bytes)) into[name + "_base64"] = to_base64(bytes);
  const std::uint64_t whole = output.size();
  into[name] = std::move(bytes);  // dump() replaces what is not text
  return end < whole;
}

struct Results {
  json list = json::array();
  bool truncated = false;
};

Results results_with(const JobOutcome& outcome, std::size_t share) {
  Results results;
  for (const TaskResult& task : outcome.tasks) {
    const RunResult& run = task.run;
    json entry{{"task_number", task.number},
               {"command", task.command},
               {"exit_code", run.exit_code},
               {"duration_ms", run.took.count()},
               {"timed_out", run.timed_out}};
    if (run.signal != 0) entry["signal"] = run.signal;
    const bool cut_out = put(entry, "stdout", run.out, share);
    bool cut_err = false;
    if (run.started.ok())
      cut_err = put(entry, "stderr", run.err, share);
    else
      entry["stderr"] = outcome.error;
    entry["truncated"] = cut_out || cut_err;
    results.truncated = results.truncated || cut_out || cut_err;
    results.list.push_back(std::move(entry));
  }
  return results;
}

// The largest share with which the bare bytes fit; encoded they may still need more.
std::size_t first_share(const JobOutcome& outcome, std::size_t bound) {
  for (std::size_t share = bound; share > kShareMin; share /= 2) {
    std::uint64_t total = 0;
    for (const TaskResult& task : outcome.tasks)
      total += std::min<std::uint64_t>(task.run.out.size(), share) + std::min<std::uint64_t>(task.run.err.size(), share);
    if (total <= bound) return share;
  }
  return kShareMin;
}

std::string dumped(const json& value) { return value.dump(-1, ' ', false, json::error_handler_t::replace); }

std::string joined(const JobOutcome& outcome, Capture RunResult::*output) {
  std::string out;
  for (const TaskResult& task : outcome.tasks) {
    if (out.size() >= kOutputKeyBytesMax) break;
    out += (task.run.*output).read(kOutputKeyBytesMax - out.size());
  }
  return out;
}

// A model is shown nothing of a failed tool but this, so what its program complained about belongs to it.
std::string error_text(const Job& job, const JobOutcome& outcome) {
  if (!job.is_tool || outcome.tasks.empty()) return outcome.error;
  const std::string complaint = outcome.tasks.back().run.err.read(kErrorTextMax);
  return complaint.empty() ? outcome.error : outcome.error + ": " + complaint;
}

}  // namespace

std::string cut_text(std::string_view text, std::size_t max) { return std::string(text.substr(0, cut_at(text, max))); }

Report make_report(const Job& job, const JobOutcome& outcome, const std::string& worker_id, Instant now) {
  json update{{"worker_id", worker_id}, {"status", outcome.completed ? "completed" : "failed"}};
  update[outcome.completed ? "completed_at" : "failed_at"] = to_rfc3339(now);
  if (!outcome.completed) update["error"] = cut_text(error_text(job, outcome), kErrorTextMax);
  const std::size_t bound = outcome.completed ? kCompletedBytesMax : kFailedBytesMax;
  Report report{.job_id = job.id};
  for (std::size_t share = first_share(outcome, bound);; share /= 2) {
    Results results = results_with(outcome, share);
    update["task_results"] = std::move(results.list);
    report.update = dumped(update);
    report.has_outputs = results.truncated;
    if (report.update.size() <= bound || share <= kShareMin) break;
  }
  if (report.has_outputs) {
    report.out = joined(outcome, &RunResult::out);
    report.err = joined(outcome, &RunResult::err);
  }
  return report;
}

}  // namespace muster::worker
