// `muster job submit`: one job, many alike, or many from a file; ids on stdout, or the result with --wait.
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <nlohmann/json.hpp>

#include "cli/commands.h"
#include "cli/format.h"
#include "cli/jobs.h"
#include "cli/terminal.h"

namespace muster::cli {
namespace {

constexpr std::uint32_t kCountMax = 10'000'000;
constexpr std::size_t kLinesMax = 1'000'000;
// One request of a bulk submit: the protocol takes more, but a smaller one keeps the progress bar honest.
constexpr std::size_t kBatchJobsMax = 1'000;
constexpr std::size_t kBatchBytesMax = std::size_t{4} * 1024 * 1024;

int show_finished_job(Context& context, const sdk::Job& job) {
  if (!context.wants_table())
    context.document(job.document);
  else if (job.result)
    context.line(job.result->data);
  if (job.state == "completed") return to_int(Exit::ok);
  if (context.wants_table())
    context.note(fmt::format("muster: job {} is {}{}", job.id, job.state,
                             job.error ? printable(fmt::format(": {}: {}", job.error->kind, job.error->message)) : ""));
  return to_int(Exit::failure);
}

int submit_one_job(Context& context, sdk::Client& client, const SubmitArguments& arguments, const sdk::JobSpec& spec) {
  const sdk::Result<sdk::Submitted> job = client.submit(spec);
  if (!job.ok()) return context.fail("submit job", job.error());
  if (!arguments.wait) {
    if (context.wants_table())
      context.line(job->id);
    else
      context.document(document_of(*job));
    if (job->existed) context.note(fmt::format("job {} existed already and is {}", job->id, job->state));
    return to_int(Exit::ok);
  }
  context.note(fmt::format("job {} submitted", job->id));
  ProgressLine progress;
  const sdk::Result<sdk::Job> finished = wait_for_job(client, job->id, [&progress](const sdk::Job& seen) {
    progress.show_fraction(seen.state, seen.progress ? seen.progress->fraction : 0, seen.progress ? seen.progress->message : "");
  });
  progress.clear();
  if (!finished.ok()) return context.fail("wait for job " + job->id, finished.error());
  return show_finished_job(context, *finished);
}

// `document` gives the n-th spec; batches are bounded by count and by bytes.
template <class DocumentAt>
int submit_jobs(Context& context, sdk::Client& client, std::size_t total, DocumentAt document_at) {
  ProgressLine progress;
  Context::Listing listing{.key = "jobs", .documents = {}, .next = {}};
  std::size_t done = 0;
  while (done < total) {
    std::vector<std::string> batch;
    std::size_t bytes = 0;
    while (done + batch.size() < total && batch.size() < kBatchJobsMax) {
      std::string document = document_at(done + batch.size());
      bytes += document.size();
      if (bytes > kBatchBytesMax && !batch.empty()) break;
      batch.push_back(std::move(document));
    }
    const sdk::Result<std::vector<sdk::Submitted>> jobs = client.submit_documents(batch);
    if (!jobs.ok()) {
      progress.clear();
      if (context.globals().output == Output::json) context.listing(listing);
      return context.fail(
          fmt::format("submit jobs {} to {} of {} (those before are accepted)", done + 1, done + batch.size(), total),
          jobs.error());
    }
    done += batch.size();
    for (const sdk::Submitted& job : *jobs) {
      if (context.wants_table())
        context.line(job.id);
      else if (context.globals().output == Output::jsonl)
        context.line(document_of(job));
      else
        listing.documents.push_back(document_of(job));
    }
    progress.show_fraction("submit", static_cast<double>(done) / static_cast<double>(total), fmt::format("{} jobs", done));
  }
  progress.clear();
  if (context.globals().output == Output::json) context.listing(listing);
  return to_int(Exit::ok);
}

// What can be said about the arguments is said before the server is asked.
int submit_jobs_of_file(Context& context, const SubmitArguments& arguments) {
  if (arguments.wait) return context.usage("--wait is for one job: leave out --jsonl");
  const sdk::Result<std::string> text = read_all(arguments.jsonl);
  if (!text.ok()) return context.usage(text.error().detail);
  sdk::JobSpec defaults = arguments.spec;
  defaults.ns = context.globals().ns;
  const sdk::Result<std::vector<std::string>> documents = to_documents(*text, defaults);
  if (!documents.ok()) return context.usage(documents.error().detail);
  const auto client = context.client();
  if (!client.ok()) return context.fail("submit jobs", client.error());
  return submit_jobs(context, **client, documents->size(), [&documents](std::size_t n) { return (*documents)[n]; });
}

int submit_job(Context& context, const SubmitArguments& arguments) {
  if (!arguments.jsonl.empty()) return submit_jobs_of_file(context, arguments);
  const sdk::Result<sdk::JobSpec> spec = to_spec(arguments, context.globals().ns);
  if (!spec.ok()) return context.usage(spec.error().detail);
  const auto client = context.client();
  if (!client.ok()) return context.fail("submit job", client.error());
  if (arguments.count == 1) return submit_one_job(context, **client, arguments, *spec);
  const sdk::Result<std::string> document = sdk::encode(*spec);
  if (!document.ok()) return context.usage(document.error().detail);
  return submit_jobs(context, **client, arguments.count, [&document](std::size_t) { return *document; });
}

}  // namespace

void describe_submit(CLI::App& command, SubmitArguments& arguments) {
  sdk::JobSpec& spec = arguments.spec;
  command.add_option("--type", spec.type, "what kind of work it is; required unless --jsonl");
  command.add_option("--queue", spec.queue, "queue to wait in");
  command.add_option("--payload", arguments.payload.text, "JSON, or @FILE, or - for stdin")->type_name("JSON|@FILE|-");
  command.add_flag("--binary", arguments.payload.binary, "the payload is bytes, not JSON");
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

sdk::Result<sdk::JobSpec> to_spec(const SubmitArguments& arguments, const std::string& ns) {
  sdk::JobSpec spec = arguments.spec;
  spec.ns = ns;
  if (spec.type.empty()) return refused("--type is required");
  sdk::Result<std::optional<sdk::Content>> payload = read_input(arguments.payload, "--payload");
  if (!payload.ok()) return payload.error();
  spec.payload = std::move(*payload);
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
    nlohmann::ordered_json spec = nlohmann::ordered_json::parse(line, nullptr, false);
    if (!spec.is_object())
      return refused(
          fmt::format("line {} is not a JSON object: `{}`; nothing was submitted", number, line.substr(0, kShownBytes)));
    if (!spec.contains("namespace") && !defaults.ns.empty()) spec["namespace"] = defaults.ns;
    if (!spec.contains("queue") && !defaults.queue.empty()) spec["queue"] = defaults.queue;
    if (!spec.contains("type") && !defaults.type.empty()) spec["type"] = defaults.type;
    if (!spec.contains("type"))
      return refused(fmt::format("line {} has no \"type\": add one or give --type; nothing was submitted", number));
    documents.push_back(spec.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace));
  }
  if (documents.empty()) return refused("no job specs were given");
  return documents;
}

void add_job_submit(CLI::App& group, Context& context) {
  auto [command, arguments] = add_command(
      group, context,
      {.name = "submit",
       .summary = "hand in one job or many; prints ids",
       .example = "muster job submit --type video.encode --needs tool:ffmpeg --payload @job.json --timeout 10m --wait"},
      submit_job);
  describe_submit(command, arguments);
}

}  // namespace muster::cli
