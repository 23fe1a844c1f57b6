// `muster job submit`: one job, many alike, or many from a file; ids on stdout, or the result with --wait.
#include "cli/job_submit.h"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <nlohmann/json.hpp>

#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/context.h"
#include "cli/exit_code.h"
#include "cli/format.h"
#include "cli/job_table.h"
#include "cli/job_wait.h"
#include "cli/terminal.h"

namespace muster::cli {
namespace {

using Json = nlohmann::ordered_json;

// One request of a bulk submit: the protocol takes more, but a smaller one keeps the progress bar honest.
constexpr std::size_t kBatchJobsMax = 1'000;
constexpr std::size_t kBatchBytesMax = std::size_t{4} * 1024 * 1024;

std::string document_of(const sdk::Submitted& job) {
  return Json{{"id", job.id}, {"state", job.state}, {"existed", job.existed}}.dump();
}

int show_finished(Context& context, const sdk::Job& job) {
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

int submit_one(Context& context, sdk::Client& client, const SubmitArguments& arguments, const sdk::JobSpec& spec) {
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
  return show_finished(context, *finished);
}

// `document` gives the n-th spec; batches are bounded by count and by bytes.
template <class DocumentAt>
int submit_many(Context& context, sdk::Client& client, std::size_t total, DocumentAt document_at) {
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
int submit_from_file(Context& context, const SubmitArguments& arguments) {
  if (arguments.wait) return context.usage("--wait is for one job: leave out --jsonl");
  const sdk::Result<std::string> text = read_all(arguments.jsonl);
  if (!text.ok()) return context.usage(text.error().detail);
  sdk::JobSpec defaults = arguments.spec;
  defaults.ns = context.globals().ns;
  const sdk::Result<std::vector<std::string>> documents = to_documents(*text, defaults);
  if (!documents.ok()) return context.usage(documents.error().detail);
  const auto client = context.client();
  if (!client.ok()) return context.fail("submit jobs", client.error());
  return submit_many(context, **client, documents->size(), [&documents](std::size_t n) { return (*documents)[n]; });
}

int submit(Context& context, const SubmitArguments& arguments) {
  if (!arguments.jsonl.empty()) return submit_from_file(context, arguments);
  const sdk::Result<sdk::JobSpec> spec = to_spec(arguments, context.globals().ns);
  if (!spec.ok()) return context.usage(spec.error().detail);
  const auto client = context.client();
  if (!client.ok()) return context.fail("submit job", client.error());
  if (arguments.count == 1) return submit_one(context, **client, arguments, *spec);
  const sdk::Result<std::string> document = sdk::encode(*spec);
  if (!document.ok()) return context.usage(document.error().detail);
  return submit_many(context, **client, arguments.count, [&document](std::size_t) { return *document; });
}

}  // namespace

void add_job_submit(CLI::App& group, Context& context) {
  CLI::App* command = add_command(
      group, {.name = "submit",
              .summary = "hand in one job or many; prints ids",
              .example = "muster job submit --type video.encode --needs tool:ffmpeg --payload @job.json --timeout 10m --wait"});
  auto arguments = std::make_shared<SubmitArguments>();
  describe_submit(*command, *arguments);
  command->callback([&context, arguments] { context.chosen = [&context, arguments] { return submit(context, *arguments); }; });
}

}  // namespace muster::cli
