#include "fronts/resp/work/update_request.h"

#include <charconv>
#include <cstdint>
#include <utility>

#include <fmt/format.h>

#include "base/utf8.h"
#include "fronts/resp/wire/parser.h"
#include "fronts/resp/work/names.h"
#include "fronts/resp/work/top_level.h"
#include "model/limits.h"

namespace muster::resp::work {
namespace {

constexpr std::string_view kJobKey = "job:";
constexpr std::string_view kCut = " […]";
constexpr std::string_view kNoReason = "the worker gave no reason";

Status bad_update(std::string_view details) { return Status::invalid_argument(fmt::format("Invalid job update: {}", details)); }

Result<Report> read_word(std::string_view word) {
  if (word == "running") return Report::running;
  if (word == "completed") return Report::completed;
  if (word == "failed") return Report::failed;
  if (word == "pending") return Report::returned;
  return Status::invalid_argument(fmt::format("Invalid job status: {}", word));
}

Status read_progress(const TopLevel& json, UpdateRequest& out, bool& any) {
  if (const Member* task = json.find("current_task"); task != nullptr && task->kind != Member::Kind::null) {
    if (task->kind != Member::Kind::number || !task->whole || task->number < 1)
      return bad_update("current_task must be a positive integer");
    out.message = fmt::format("task {:.0f}", task->number);
    any = true;
  }
  if (const Member* percent = json.find("progress_percent"); percent != nullptr && percent->kind != Member::Kind::null) {
    if (percent->kind != Member::Kind::number || !(percent->number >= 0 && percent->number <= 100))
      return bad_update("progress_percent must be a number from 0 to 100");
    out.fraction = percent->number / 100;
    any = true;
  }
  return {};
}

// Nothing when it is not there, or null.
Status read_optional(const TopLevel& json, const char* name, std::string_view& out) {
  const Member* member = json.find(name);
  if (member == nullptr || member->kind == Member::Kind::null) return {};
  if (member->kind != Member::Kind::text) return bad_update(fmt::format("{} must be a string", name));
  out = member->text;
  return {};
}

// A reason may be any value; one that is no text is in the results.
std::string reason_of(const TopLevel& json) {
  const Member* error = json.find("error");
  return readable_error(error != nullptr && error->kind == Member::Kind::text ? error->text : std::string_view());
}

Status read_json(const Args& args, UpdateRequest& out) {
  const auto json = read_top_level(args[2]);
  if (!json) return bad_update("expected a JSON object");
  out.job = args[1];
  out.strict = true;
  std::string_view worker;
  std::string_view status;
  if (Status read = read_optional(*json, "worker_id", worker); !read.ok()) return read;
  if (Status read = read_optional(*json, "status", status); !read.ok()) return read;
  out.worker = worker;
  bool progress = false;
  if (Status read = read_progress(*json, out, progress); !read.ok()) return read;
  if (status.empty()) {
    if (!progress) return bad_update("status, current_task or progress_percent is required");
    out.report = Report::progress;
    return {};
  }
  const auto report = read_word(status);
  if (!report.ok()) return report.status();
  out.report = *report == Report::running && progress ? Report::progress : *report;
  if (out.report == Report::completed || out.report == Report::failed) out.results = args[2];
  if (out.report == Report::failed) out.message = reason_of(*json);
  return {};
}

Status read_set(const Args& args, UpdateRequest& out) {
  const std::string& key = args[1];
  const std::size_t last = key.rfind(':');
  if (args.size() != 3 || !key.starts_with(kJobKey) || last < kJobKey.size()) return Status::invalid_argument("syntax error");
  out.job = key.substr(kJobKey.size(), last - kJobKey.size());
  const std::string_view part = std::string_view(key).substr(last + 1);
  if (part == "stdout" || part == "stderr") {
    out.report = part == "stdout" ? Report::output : Report::errors;
    out.value = args[2];
    return {};
  }
  if (part != "status") return Status::invalid_argument(fmt::format("'{}' is a view of the registry; use JOB.UPDATE", key));
  const auto report = read_word(args[2]);
  if (!report.ok()) return report.status();
  out.report = *report;
  return {};
}

Status read_removal(const Args& args, UpdateRequest& out) {
  if (args.size() != 4) return Status::invalid_argument("LREM requires exactly three arguments: key count element");
  std::int64_t count = 0;
  const auto [end, error] = std::from_chars(args[2].data(), args[2].data() + args[2].size(), count);
  if (error != std::errc() || end != args[2].data() + args[2].size())
    return Status::invalid_argument("LREM count must be an integer");
  out.report = Report::removal;
  out.job = args[3];
  return {};
}

}  // namespace

Status read_update(const Args& args, UpdateRequest& out) {
  if (args[0] == "JOB.UPDATE") return read_json(args, out);
  if (args[0] == "SET") return read_set(args, out);
  if (args[0] == "LREM") return read_removal(args, out);
  return Status::invalid_argument(fmt::format("{} does not work on jobs", args[0]));
}

std::string_view target_word(Report report) {
  switch (report) {
    case Report::completed: return "completed";
    case Report::failed: return "failed";
    case Report::returned: return "pending";
    case Report::running:
    case Report::progress:
    case Report::output:
    case Report::errors:
    case Report::removal: break;
  }
  return "running";
}

std::string readable_error(std::string_view text) {
  if (text.empty()) text = kNoReason;
  const bool readable = is_utf8(text);
  const bool whole = text.size() <= limits::kErrorBytesMax;
  std::string out(text.substr(0, whole ? text.size() : limits::kErrorBytesMax - kCut.size()));
  if (readable && !whole)
    while (!out.empty() && !is_utf8(out)) out.pop_back();  // at most a sequence was cut in two
  for (char& c : out)
    if (c == '\0' || (!readable && static_cast<unsigned char>(c) >= 0x80)) c = '?';
  if (!whole) out += kCut;
  return out;
}

}  // namespace muster::resp::work
