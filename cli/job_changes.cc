// `muster job cancel` and `muster job retry`.
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <iostream>
#include <nlohmann/json.hpp>

#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/context.h"
#include "cli/exit_code.h"
#include "cli/job_prefix.h"
#include "cli/terminal.h"

namespace muster::cli {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::uint32_t kPageMax = 1'000;           // of the protocol
constexpr std::uint32_t kRedriveBatchMax = 10'000;  // of the protocol

std::string document_of(const sdk::Settled& job) {
  Json json{{"id", job.id}, {"state", job.state}};
  return json.dump();
}

struct CancelArguments {
  std::vector<std::string> ids;
  std::string reason;
};

int cancel(Context& context, const CancelArguments& arguments) {
  const auto client = context.client();
  if (!client.ok()) return context.fail("cancel job", client.error());
  int worst = to_int(Exit::ok);
  Context::Listing listing{.key = "jobs", .documents = {}, .next = {}};
  for (const std::string& named : arguments.ids) {
    const sdk::Result<std::string> whole = whole_id(**client, named);
    const sdk::Result<sdk::Settled> answer = whole.ok() ? (*client)->cancel(*whole, arguments.reason) : whole.error();
    if (!answer.ok()) {
      worst = context.fail("cancel job " + named, answer.error());
      continue;
    }
    const std::string& id = *whole;
    // A running job ends when its worker has heard of it.
    const bool told = answer->state == "running";
    if (context.wants_table())
      context.line(fmt::format("{}  {}", id, told ? "running, its worker is told to stop" : answer->state));
    else
      listing.documents.push_back(document_of(*answer));
  }
  if (!context.wants_table()) context.listing(listing);
  return worst;
}

struct RetryArguments {
  std::vector<std::string> ids;
  sdk::JobFilter filter;
  std::optional<std::uint32_t> limit;
  bool all_namespaces = false;
  bool dry_run = false;
  bool yes = false;
};

bool filtered(const sdk::JobFilter& filter) {
  return !filter.queue.empty() || !filter.type.empty() || !filter.states.empty() || !filter.worker.empty() ||
         !filter.labels.empty() || filter.created_after || filter.created_before || !filter.error_kind.empty();
}

sdk::Result<std::uint64_t> count_matching(sdk::Client& client, const sdk::JobFilter& filter, std::uint64_t up_to) {
  sdk::JobQuery query{.filter = filter, .order = {}, .limit = kPageMax, .cursor = {}, .payload = false};
  std::uint64_t count = 0;
  do {
    const sdk::Result<sdk::JobPage> page = client.jobs(query);
    if (!page.ok()) return page.error();
    count += page->jobs.size();
    query.cursor = page->next;
  } while (!query.cursor.empty() && count < up_to);
  return std::min(count, up_to);
}

bool confirmed(std::uint64_t count) {
  std::cerr << fmt::format("retry {} jobs? [y/N] ", count) << std::flush;
  std::string answer;
  std::getline(std::cin, answer);
  return answer == "y" || answer == "Y" || answer == "yes";
}

int retry_ids(Context& context, sdk::Client& client, const RetryArguments& arguments) {
  int worst = to_int(Exit::ok);
  Context::Listing listing{.key = "jobs", .documents = {}, .next = {}};
  for (const std::string& named : arguments.ids) {
    const sdk::Result<std::string> whole = whole_id(client, named);
    const sdk::Result<sdk::Settled> answer = whole.ok() ? client.retry(*whole) : whole.error();
    if (!answer.ok())
      worst = context.fail("retry job " + named, answer.error());
    else if (context.wants_table())
      context.line(fmt::format("{}  {}", *whole, answer->state));
    else
      listing.documents.push_back(document_of(*answer));
  }
  if (!context.wants_table()) context.listing(listing);
  return worst;
}

int retry_matching(Context& context, sdk::Client& client, RetryArguments arguments) {
  sdk::JobFilter& filter = arguments.filter;
  filter.ns = context.scope(arguments.all_namespaces);
  if (filter.states.empty()) filter.states = {"dead"};
  const std::uint64_t most = arguments.limit ? *arguments.limit : std::numeric_limits<std::uint64_t>::max();
  const sdk::Result<std::uint64_t> count = count_matching(client, filter, most);
  if (!count.ok()) return context.fail("count jobs to retry", count.error());
  if (arguments.dry_run) {
    if (context.wants_table())
      context.line(fmt::format("{} jobs would be retried", *count));
    else
      context.document(Json{{"would_retry", *count}}.dump());
    return to_int(Exit::ok);
  }
  if (*count > 0 && !arguments.yes) {
    if (!stdin_is_terminal())
      return context.usage(fmt::format("{} jobs match: give --yes to retry them, or --dry-run to count", *count));
    if (!confirmed(*count)) {
      context.note("nothing was changed");
      return to_int(Exit::refused);
    }
  }
  std::vector<std::string> ids;
  for (bool more = *count > 0; more;) {
    const auto left = static_cast<std::uint32_t>(std::min<std::uint64_t>(most - ids.size(), kRedriveBatchMax));
    if (left == 0) break;
    sdk::Result<sdk::Redriven> answer = client.retry_many({.filter = filter, .limit = left});
    if (!answer.ok()) return context.fail(fmt::format("retry jobs ({} are retried already)", ids.size()), answer.error());
    more = answer->more && !answer->ids.empty();
    std::move(answer->ids.begin(), answer->ids.end(), std::back_inserter(ids));
  }
  if (context.wants_table()) {
    for (const std::string& id : ids) context.line(id);
    context.note(fmt::format("{} jobs are ready again", ids.size()));
  } else {
    context.document(Json{{"ids", ids}}.dump());
  }
  return to_int(Exit::ok);
}

int retry(Context& context, const RetryArguments& arguments) {
  if (!arguments.ids.empty() && filtered(arguments.filter)) return context.usage("give job ids or filters, not both");
  if (arguments.ids.empty() && !filtered(arguments.filter))
    return context.usage("give job ids, or a filter such as --state dead or --queue NAME");
  const auto client = context.client();
  if (!client.ok()) return context.fail("retry job", client.error());
  return arguments.ids.empty() ? retry_matching(context, **client, arguments) : retry_ids(context, **client, arguments);
}

}  // namespace

void add_job_changes(CLI::App& group, Context& context) {
  CLI::App* cancel_command = add_command(group, {.name = "cancel",
                                                 .summary = "stop jobs: waiting ones at once, running ones through their worker",
                                                 .example = "muster job cancel JOB --reason 'wrong customer'"});
  auto cancelling = std::make_shared<CancelArguments>();
  cancel_command->add_option("ids", cancelling->ids, "the jobs, or the first digits of their ids")->required();
  cancel_command->add_option("--reason", cancelling->reason, "kept with the job");
  cancel_command->callback(
      [&context, cancelling] { context.chosen = [&context, cancelling] { return cancel(context, *cancelling); }; });

  CLI::App* retry_command = add_command(group, {.name = "retry",
                                                .summary = "start dead or cancelled jobs over: by id, or all that match",
                                                .example = "muster job retry --queue mail --error-kind timeout --dry-run"});
  auto retrying = std::make_shared<RetryArguments>();
  retry_command->add_option("ids", retrying->ids, "the jobs, or the first digits of their ids");
  add_job_filter(*retry_command, retrying->filter);
  retry_command->add_option("--limit", retrying->limit, "at most this many")->check(CLI::PositiveNumber);
  retry_command->add_flag("-A,--all-namespaces", retrying->all_namespaces, "of every namespace");
  retry_command->add_flag("--dry-run", retrying->dry_run, "only count");
  retry_command->add_flag("-y,--yes", retrying->yes, "do not ask");
  retry_command->callback([&context, retrying] { context.chosen = [&context, retrying] { return retry(context, *retrying); }; });
}

}  // namespace muster::cli
