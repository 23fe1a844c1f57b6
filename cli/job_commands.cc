// `muster job …`: the group, and its two reading commands, list and get.
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/context.h"
#include "cli/exit_code.h"
#include "cli/job_prefix.h"
#include "cli/job_table.h"

namespace muster::cli {
namespace {

constexpr std::uint32_t kPageMax = 1'000;  // of the protocol

struct ListArguments {
  sdk::JobQuery query;
  bool all = false;
  bool all_namespaces = false;
};

int list(Context& context, ListArguments arguments) {
  const auto client = context.client();
  if (!client.ok()) return context.fail("list jobs", client.error());
  sdk::JobQuery& query = arguments.query;
  query.filter.ns = context.scope(arguments.all_namespaces);
  if (arguments.all && !query.limit) query.limit = kPageMax;
  std::vector<sdk::Job> jobs;
  std::string next;
  do {
    sdk::Result<sdk::JobPage> page = (*client)->jobs(query);
    if (!page.ok()) return context.fail("list jobs", page.error());
    next = page->next;
    query.cursor = next;
    if (arguments.all && context.globals().output == Output::jsonl) {
      // A long listing is written as it comes.
      for (const sdk::Job& job : page->jobs) context.line(job.document);
      continue;
    }
    std::move(page->jobs.begin(), page->jobs.end(), std::back_inserter(jobs));
    // A page may be empty while there is more: the server bounds how much it looks at in one go.
  } while (!next.empty() && (arguments.all || jobs.empty()));

  if (context.wants_table()) {
    context.table(job_table(jobs, now()));
    if (!next.empty()) context.note(fmt::format("more: --cursor {}, or --all", next));
    return to_int(Exit::ok);
  }
  if (arguments.all && context.globals().output == Output::jsonl) return to_int(Exit::ok);
  Context::Listing listing{.key = "jobs", .documents = {}, .next = next};
  for (const sdk::Job& job : jobs) listing.documents.push_back(job.document);
  context.listing(listing);
  if (!next.empty() && context.globals().output == Output::jsonl) context.note(fmt::format("more: --cursor {}, or --all", next));
  return to_int(Exit::ok);
}

int get(Context& context, const std::string& id) {
  const auto client = context.client();
  if (!client.ok()) return context.fail("get job " + id, client.error());
  const sdk::Result<std::string> whole = whole_id(**client, id);
  if (!whole.ok()) return context.fail("get job " + id, whole.error());
  const sdk::Result<sdk::Job> job = (*client)->job(*whole);
  if (!job.ok()) return context.fail("get job " + id, job.error());
  if (!context.wants_table()) {
    context.document(job->document);
    return to_int(Exit::ok);
  }
  context.table(job_details(*job, now()));
  if (!job->attempts.empty()) {
    context.line("");
    context.table(attempts_table(*job, now()));
  }
  return to_int(Exit::ok);
}

}  // namespace

void add_job_commands(CLI::App& app, Context& context) {
  CLI::App* group =
      add_group(app, {.name = "job", .summary = "submit, look at and change jobs", .example = "muster job list --state dead"});
  add_job_submit(*group, context);

  CLI::App* list_command = add_command(*group, {.name = "list",
                                                .summary = "jobs that match, the newest first",
                                                .example = "muster job list --queue mail --state dead,cancelled --all -o jsonl"});
  auto arguments = std::make_shared<ListArguments>();
  add_job_filter(*list_command, arguments->query.filter);
  list_command->add_option("--order", arguments->query.order, "newest or oldest first")
      ->check(CLI::IsMember({"newest", "oldest"}));
  list_command->add_option("--limit", arguments->query.limit, "jobs a page")->check(CLI::Range(1U, kPageMax));
  list_command->add_option("--cursor", arguments->query.cursor, "go on after an earlier page");
  list_command->add_flag("--payload", arguments->query.payload, "with payloads (json, jsonl)");
  list_command->add_flag("--all", arguments->all, "every page");
  list_command->add_flag("-A,--all-namespaces", arguments->all_namespaces, "of every namespace");
  list_command->callback([&context, arguments] { context.chosen = [&context, arguments] { return list(context, *arguments); }; });

  CLI::App* get_command = add_command(
      *group, {.name = "get", .summary = "one job in full", .example = "muster job get 0190c8a2-0000-7000-8000-000000000001"});
  auto id = std::make_shared<std::string>();
  get_command->add_option("id", *id, "the job, or the first digits of its id")->required();
  get_command->callback([&context, id] { context.chosen = [&context, id] { return get(context, *id); }; });

  add_job_logs(*group, context);
  add_job_follow(*group, context);
  add_job_changes(*group, context);
}

}  // namespace muster::cli
