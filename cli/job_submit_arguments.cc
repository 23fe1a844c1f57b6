#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <fstream>
#include <iostream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "cli/arguments.h"
#include "cli/job_submit.h"

namespace muster::cli {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::uint32_t kCountMax = 10'000'000;
constexpr std::size_t kLinesMax = 1'000'000;
constexpr std::size_t kShownBytes = 60;

sdk::Error refused(std::string detail) {
  return sdk::Error{.code = sdk::Code::invalid_argument, .status = 0, .detail = std::move(detail), .retry_after = {}};
}

}  // namespace

void describe_submit(CLI::App& command, SubmitArguments& arguments) {
  sdk::JobSpec& spec = arguments.spec;
  command.add_option("--type", spec.type, "what kind of work it is; required unless --jsonl");
  command.add_option("--queue", spec.queue, "queue to wait in");
  command.add_option("--payload", arguments.payload, "JSON, or @FILE, or - for stdin")->type_name("JSON|@FILE|-");
  command.add_flag("--binary", arguments.binary, "the payload is bytes, not JSON");
  command.add_option("--needs", spec.needs, "capability a worker must offer, kind:name (repeatable)")
      ->allow_extra_args(false)
      ->delimiter(',');
  add_pairs(command, {.name = "--label", .help = "label of the job, for search (repeatable)"}, spec.labels);
  add_pairs(command, {.name = "--selector", .help = "label a worker must carry (repeatable)"}, spec.selector);
  command.add_option("--priority", spec.priority, "higher runs first")->check(CLI::Range(-1000, 1000));
  CLI::Option* delay = add_duration(command, {.name = "--delay", .help = "not before this much time has passed"}, spec.delay);
  add_instant(command, {.name = "--at", .help = "not before this time"}, spec.run_at)->excludes(delay);
  add_duration(command, {.name = "--expires", .help = "dead if it still waits after this"}, spec.expires_in);
  add_duration(command, {.name = "--timeout", .help = "longest run of one attempt"}, spec.timeout);
  add_duration(command, {.name = "--lease", .help = "lease of one attempt, renewed by heartbeats"}, spec.lease);
  command.add_option("--attempts", arguments.attempts_max, "attempts before it is dead")->check(CLI::Range(1, 1000));
  add_duration(command, {.name = "--backoff", .help = "wait before the second attempt; doubles after that"}, arguments.backoff);
  command.add_option("--idempotency-key", spec.idempotency_key, "the same key again returns the first job");
  command.add_option("--unique", arguments.unique_key, "one job with this key at a time");
  command.add_option("--unique-while", arguments.unique_while, "how long --unique holds")
      ->check(CLI::IsMember({"waiting", "unfinished"}))
      ->capture_default_str();
  command.add_option("--concurrency-key", arguments.concurrency_key, "at most --concurrency-limit jobs with this key run");
  command.add_option("--concurrency-limit", arguments.concurrency_limit, "with --concurrency-key")
      ->capture_default_str()
      ->check(CLI::PositiveNumber);
  command.add_option("--fairness-key", arguments.fairness_key, "keys of one lane take turns");
  command.add_option("--fairness-weight", arguments.fairness_weight, "with --fairness-key")
      ->capture_default_str()
      ->check(CLI::PositiveNumber);
  command.add_option("--sticky-key", spec.sticky_key, "jobs with this key go to the worker that took the first");
  command.add_option("--prefer", spec.prefer, "capability that is waited for a while, such as label:zone=a");
  command.add_option("--after", spec.after, "job that must finish first (repeatable)")->allow_extra_args(false)->delimiter(',');
  command.add_option("--on-dependency-failure", spec.on_dependency_failure, "when such a job fails: cancel or run")
      ->check(CLI::IsMember({"cancel", "run"}));
  command.add_option("--correlation", spec.correlation, "carried into logs and events");
  CLI::Option* count = command.add_option("--count", arguments.count, "submit this many alike")->check(CLI::Range(1U, kCountMax));
  CLI::Option* jsonl =
      command.add_option("--jsonl", arguments.jsonl, "one job spec a line; --type, --queue and --namespace fill gaps")
          ->type_name("FILE|-");
  jsonl->excludes(count);
  command.add_flag("--wait", arguments.wait, "wait for the result, print it, exit 1 unless completed");
}

sdk::Result<std::string> read_all(const std::string& path) {
  if (path == "-") return std::string(std::istreambuf_iterator<char>(std::cin), {});
  std::ifstream file(path, std::ios::binary);
  if (!file) return refused(fmt::format("file `{}` can't be read", path));
  return std::string(std::istreambuf_iterator<char>(file), {});
}

sdk::Result<sdk::JobSpec> to_spec(const SubmitArguments& arguments, const std::string& ns) {
  sdk::JobSpec spec = arguments.spec;
  spec.ns = ns;
  if (spec.type.empty()) return refused("--type is required");
  if (!arguments.payload.empty()) {
    std::string data = arguments.payload;
    if (data == "-" || data.front() == '@') {
      sdk::Result<std::string> content = read_all(data == "-" ? data : data.substr(1));
      if (!content.ok()) return content.error();
      data = std::move(*content);
    }
    if (!arguments.binary && !Json::accept(data))
      return refused(fmt::format("--payload is not JSON: `{}`; use --binary for anything else", data.substr(0, kShownBytes)));
    spec.payload = sdk::Content{.data = std::move(data), .binary = arguments.binary};
  }
  if (!arguments.unique_key.empty()) spec.unique = sdk::UniqueKey{.key = arguments.unique_key, .during = arguments.unique_while};
  if (!arguments.concurrency_key.empty())
    spec.concurrency = sdk::KeyLimit{.key = arguments.concurrency_key, .limit = arguments.concurrency_limit};
  if (!arguments.fairness_key.empty())
    spec.fairness = sdk::KeyLimit{.key = arguments.fairness_key, .limit = arguments.fairness_weight};
  if (arguments.attempts_max || arguments.backoff) {
    spec.retry = sdk::RetryPolicy{};
    spec.retry->attempts_max = arguments.attempts_max;
    spec.retry->backoff_base = arguments.backoff;
  }
  if (arguments.count > 1 && (!spec.idempotency_key.empty() || spec.unique))
    return refused("--count above 1 with --idempotency-key or --unique would be one job: leave one of them out");
  if (arguments.count > 1 && arguments.wait) return refused("--wait is for one job: leave out --count");
  return spec;
}

sdk::Result<std::vector<std::string>> to_documents(std::string_view jsonl, const sdk::JobSpec& defaults) {
  std::vector<std::string> documents;
  std::size_t number = 0;
  while (!jsonl.empty()) {
    const auto end = jsonl.find('\n');
    std::string_view line = jsonl.substr(0, end);
    jsonl.remove_prefix(end == std::string_view::npos ? jsonl.size() : end + 1);
    ++number;
    if (line.find_first_not_of(" \t\r") == std::string_view::npos) continue;
    if (documents.size() == kLinesMax) return refused(fmt::format("more than {} jobs: split the file", kLinesMax));
    Json spec = Json::parse(line, nullptr, false);
    if (!spec.is_object())
      return refused(
          fmt::format("line {} is not a JSON object: `{}`; nothing was submitted", number, line.substr(0, kShownBytes)));
    if (!spec.contains("namespace") && !defaults.ns.empty()) spec["namespace"] = defaults.ns;
    if (!spec.contains("queue") && !defaults.queue.empty()) spec["queue"] = defaults.queue;
    if (!spec.contains("type") && !defaults.type.empty()) spec["type"] = defaults.type;
    if (!spec.contains("type"))
      return refused(fmt::format("line {} has no \"type\": add one or give --type; nothing was submitted", number));
    documents.push_back(spec.dump(-1, ' ', false, Json::error_handler_t::replace));
  }
  if (documents.empty()) return refused("no job specs were given");
  return documents;
}

}  // namespace muster::cli
