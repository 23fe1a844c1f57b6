// `muster job …`: list, get, logs, output, watch (one job until it is finished), tail (events as they happen), cancel, retry.
// `submit` is in job_submit.cc.
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <cstdio>
#include <iostream>
#include <nlohmann/json.hpp>
#include <random>
#include <thread>

#include "cli/commands.h"
#include "cli/format.h"
#include "cli/jobs.h"
#include "cli/terminal.h"
#include "sdk/cpp/backoff.h"

namespace muster::cli {
namespace {

constexpr std::uint32_t kRedriveBatchMax = 10'000;  // of the protocol
constexpr const char* kWhichJob = "the job, or the first digits of its id";
constexpr const char* kWhichJobs = "the jobs, or the first digits of their ids";

struct JobListArguments {
  sdk::JobQuery query;
  bool all = false;
  bool all_namespaces = false;
};

int list_jobs(Context& context, JobListArguments arguments) {
  const auto client = context.client();
  if (!client.ok()) return context.fail("list jobs", client.error());
  sdk::JobQuery& query = arguments.query;
  query.filter.ns = context.scope(arguments.all_namespaces);
  if (arguments.all && !query.limit) query.limit = kPageMax;
  const bool as_it_comes = arguments.all && context.globals().output == Output::jsonl;
  std::vector<sdk::Job> jobs;
  do {
    sdk::Result<sdk::JobPage> page = (*client)->jobs(query);
    if (!page.ok()) return context.fail("list jobs", page.error());
    query.cursor = page->next;
    if (as_it_comes)
      for (const sdk::Job& job : page->jobs) context.line(job.document);
    else
      std::move(page->jobs.begin(), page->jobs.end(), std::back_inserter(jobs));
    // A page may be empty while there is more: the server bounds how much it looks at in one go.
  } while (!query.cursor.empty() && (arguments.all || jobs.empty()));
  if (context.wants_table())
    context.table(job_table(jobs, now()));
  else if (!as_it_comes)
    context.listing("jobs", jobs, query.cursor);
  if (!query.cursor.empty() && context.globals().output != Output::json)
    context.note(fmt::format("more: --cursor {}, or --all", query.cursor));
  return to_int(Exit::ok);
}

int get_job(Context& context, const std::string& id) {
  const auto job = ask_about_job(context, id, [](sdk::Client& client, const std::string& whole) { return client.job(whole); });
  return context.show("get job " + id, job, [&](const sdk::Job& found) {
    context.table(job_details(found, now()));
    if (found.attempts.empty()) return;
    context.line("");
    context.table(attempts_table(found, now()));
  });
}

struct LogsArguments {
  std::string id;
  bool errors = false;
};

// A file or a pipe gets every byte; a terminal is not to be driven by what a tool wrote.
void put_bytes(const std::string& bytes, std::FILE* file, bool is_terminal) {
  const std::string shown = is_terminal ? printable_lines(bytes) : bytes;
  std::fwrite(shown.data(), 1, shown.size(), file);
}

int show_logs(Context& context, const LogsArguments& arguments) {
  const auto logs =
      ask_about_job(context, arguments.id, [](sdk::Client& client, const std::string& whole) { return client.logs(whole); });
  return context.show("read the logs of job " + arguments.id, logs, [&](const sdk::JobLogs& found) {
    put_bytes(arguments.errors ? found.errors : found.output, stdout, stdout_is_terminal());
    if (!arguments.errors) put_bytes(found.errors, stderr, stderr_is_terminal());
    const bool nothing = found.errors.empty() && (arguments.errors || found.output.empty());
    if (found.state != "completed" && nothing) context.note("nothing was written; the job is " + found.state);
  });
}

struct OutputArguments {
  std::string id;
  std::string channel;
  bool follow = false;
};

// Errors go where errors go, unless they are all that is asked for.
void put_chunk(Context& context, const sdk::OutputChunk& chunk, bool only_channel) {
  if (!context.wants_table()) return context.line(chunk.document);
  const bool errors = chunk.channel == "stderr" && !only_channel;
  put_bytes(chunk.data, errors ? stderr : stdout, errors ? stderr_is_terminal() : stdout_is_terminal());
}

int show_output(Context& context, const OutputArguments& arguments) {
  constexpr sdk::Duration kFollowWait{10'000};
  const std::string what = "read the output of job " + arguments.id;
  sdk::OutputQuery query;
  query.channel = arguments.channel;
  std::string job = arguments.id;
  for (;;) {
    const auto page = ask_about_job(context, job, [&](sdk::Client& client, const std::string& whole) {
      job = whole;
      return client.output(whole, query);
    });
    if (!page.ok()) return context.fail(what, page.error());
    for (const sdk::OutputGap& gap : page->gaps)
      context.note(fmt::format("{} chunks of {} ({} bytes) are gone", gap.chunks, gap.channel, gap.bytes));
    for (const sdk::OutputChunk& chunk : page->chunks) put_chunk(context, chunk, !arguments.channel.empty());
    std::fflush(stdout);
    query.after = page->next;
    if (page->more) continue;
    const bool finished = page->state == "completed" || page->state == "dead" || page->state == "cancelled";
    if (!arguments.follow || (finished && page->chunks.empty())) return to_int(Exit::ok);
    query.wait = kFollowWait;
  }
}

std::string progress_text(const sdk::Job& job) {
  std::string text = fmt::format("{}  {}", job.id, job.state);
  if (job.attempt > 0) text += fmt::format("  attempt {}", job.attempt);
  if (!job.worker.empty() && job.state == "running") text += fmt::format("  on {}", job.worker);
  if (job.progress && job.state == "running")
    text += fmt::format("  {:.0f}% {}", job.progress->fraction * 100, job.progress->message);
  if (job.error && job.state != "completed") text += fmt::format("  {}: {}", job.error->kind, job.error->message);
  return printable(text);
}

int watch_job(Context& context, const std::string& id) {
  ProgressLine progress;
  std::string last;
  const auto show = [&](const sdk::Job& seen) {
    const std::string text = progress_text(seen);
    if (stderr_is_terminal())
      progress.show_fraction(text, seen.progress ? seen.progress->fraction : 0, "");
    else if (text != last)
      context.note(text);
    last = text;
  };
  const auto job = ask_about_job(
      context, id, [&](sdk::Client& client, const std::string& whole) { return wait_for_job(client, whole, show); });
  progress.clear();
  const int code = context.show("watch job " + id, job, [&](const sdk::Job& found) { context.table(job_details(found, now())); });
  return job.ok() && job->state != "completed" ? to_int(Exit::failure) : code;
}

struct TailArguments {
  sdk::EventFilter filter;
  bool all_namespaces = false;
  std::uint64_t limit = 0;
};

std::string event_line(const sdk::Event& event, bool color) {
  // The date is the same all day; the time is what one looks for.
  constexpr std::size_t kTimeAt = 11;
  constexpr std::size_t kTimeLength = 12;
  const std::string time = event.at ? sdk::format_instant(*event.at).substr(kTimeAt, kTimeLength) : "-";
  std::string text = fmt::format("{}  {:<6}  ", colored(time, Color::dim, color), event.kind);
  if (event.kind == "gap") return text + colored("events were missed here", Color::yellow, color);
  if (event.kind == "queue")
    return text + printable(fmt::format("{}/{}  {}", event.ns, event.queue, event.paused ? "paused" : "changed"));
  const std::string to = printable(event.to);
  text += fmt::format("{}  ", printable(event.id));
  if (!event.event.empty()) text += fmt::format("{:<9}  ", printable(event.event));
  text += fmt::format("{:>9} → {}", printable(event.from.empty() ? "-" : event.from), colored(to, color_of_state(to), color));
  if (!event.queue.empty()) text += printable(fmt::format("  {}/{}", event.queue, event.type));
  if (event.attempt > 0) text += fmt::format("  attempt {}", event.attempt);
  if (!event.worker.empty()) text += printable(fmt::format("  on {}", event.worker));
  if (!event.cause.empty()) text += printable(fmt::format("  ({})", event.cause));
  return text;
}

int tail_events(Context& context, TailArguments arguments) {
  const auto client = context.client();
  if (!client.ok()) return context.fail("follow events", client.error());
  arguments.filter.ns = context.scope(arguments.all_namespaces);
  sdk::Backoff backoff({}, std::random_device{}());
  std::uint64_t seen = 0;
  bool connected = false;
  for (;;) {
    const sdk::Result<sdk::Nothing> outcome = (*client)->events(arguments.filter, [&](const sdk::Event& event) {
      if (!event.number.empty()) arguments.filter.last_event_id = event.number;
      connected = true;
      backoff.reset();
      ++seen;
      context.line(context.wants_table() ? event_line(event, context.globals().color) : event.document);
      // A reader that went away ends the command; buffered lines would be late.
      return std::fflush(stdout) == 0 && (arguments.limit == 0 || seen < arguments.limit);
    });
    if (std::ferror(stdout) != 0) return to_int(Exit::failure);
    if (arguments.limit != 0 && seen >= arguments.limit) return to_int(Exit::ok);
    if (!outcome.ok() && (!outcome.error().transient() || (!connected && outcome.error().code == sdk::Code::unreachable)))
      return context.fail("follow events", outcome.error());
    const auto wait = backoff.next();
    context.note(
        fmt::format("stream ended{}; again in {}", outcome.ok() ? "" : ": " + outcome.error().text(), format_duration(wait)));
    std::this_thread::sleep_for(wait);
  }
}

// What is done to each of several jobs: what could not be is said, and the rest goes on.
template <class Change>
int change_each(Context& context, const std::string& verb, const std::vector<std::string>& ids, const Change& change) {
  int worst = to_int(Exit::ok);
  Context::Listing listing{.key = "jobs", .documents = {}, .next = {}};
  for (const std::string& named : ids) {
    const sdk::Result<sdk::Settled> answer = ask_about_job(context, named, change);
    if (!answer.ok())
      worst = context.fail(fmt::format("{} job {}", verb, named), answer.error());
    else if (!context.wants_table())
      listing.documents.push_back(document_of(*answer));
    else  // A running job ends when its worker has heard of it.
      context.line(
          fmt::format("{}  {}", answer->id, answer->state == "running" ? "running, its worker is told to stop" : answer->state));
  }
  if (!context.wants_table()) context.listing(listing);
  return worst;
}

// Jobs by id, or all that match.
struct ManyArguments {
  std::vector<std::string> ids;
  sdk::JobFilter filter;
  bool all_namespaces = false;
  bool dry_run = false;
  bool yes = false;
};

struct CancelArguments : ManyArguments {
  std::string reason;
};

struct JobRetryArguments : ManyArguments {
  std::optional<std::uint32_t> limit;
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

bool confirmed(std::string_view verb, const std::string& count) {
  std::cerr << fmt::format("{} {} jobs? [y/N] ", verb, count) << std::flush;
  std::string answer;
  std::getline(std::cin, answer);
  return answer == "y" || answer == "Y" || answer == "yes";
}

struct Doing {
  std::string_view verb;  // "retry"
  std::string_view done;  // "retried"
};

struct Matching {
  std::uint64_t count = 0;
  bool more = false;  // counting stopped there
};

// What is to be returned instead of going on: it was only to be counted, or nobody agrees.
std::optional<int> held_back(Context& context, const ManyArguments& arguments, const Matching& matching, const Doing& doing) {
  const std::string count = fmt::format("{}{}", matching.more ? "more than " : "", matching.count);
  if (arguments.dry_run) {
    nlohmann::json told{{fmt::format("would_{}", doing.verb), matching.count}};
    if (matching.more) told["more"] = true;
    if (context.wants_table())
      context.line(fmt::format("{} jobs would be {}", count, doing.done));
    else
      context.document(told.dump());
    return to_int(Exit::ok);
  }
  if (matching.count == 0 || arguments.yes) return std::nullopt;
  if (!stdin_is_terminal())
    return context.usage(fmt::format("{} jobs match: give --yes to {} them, or --dry-run to count", count, doing.verb));
  if (confirmed(doing.verb, count)) return std::nullopt;
  context.note("nothing was changed");
  return to_int(Exit::refused);
}

// Ids or filters, one of them.
std::optional<int> misused(Context& context, const ManyArguments& arguments) {
  if (!arguments.ids.empty() && filtered(arguments.filter)) return context.usage("give job ids or filters, not both");
  if (arguments.ids.empty() && !filtered(arguments.filter))
    return context.usage("give job ids, or a filter such as --state dead or --queue NAME");
  return std::nullopt;
}

// Somebody who was asked agreed to a number: when more match by now, nothing is done.
int cancel_matching(Context& context, sdk::Client& client, const CancelArguments& arguments) {
  sdk::ActRequest request;
  request.action = "cancel";
  request.filter = arguments.filter;
  request.limit = kPageMax;
  request.reason = arguments.reason;
  request.filter.ns = context.scope(arguments.all_namespaces);
  if (arguments.dry_run || !arguments.yes) {
    sdk::ActRequest counting = request;
    counting.dry_run = true;
    const sdk::Result<sdk::Acted> counted = client.act(counting);
    if (!counted.ok()) return context.fail("count jobs to cancel", counted.error());
    if (const auto instead = held_back(context, arguments, {.count = counted->matched, .more = counted->more},
                                       {.verb = "cancel", .done = "cancelled"}))
      return *instead;
    if (!counted->more) request.expected = counted->matched;
  }
  std::uint64_t cancelled = 0, skipped = 0;
  do {
    const sdk::Result<sdk::Acted> slice = client.act(request);
    if (!slice.ok()) return context.fail(fmt::format("cancel jobs ({} are cancelled already)", cancelled), slice.error());
    cancelled += slice->changed;
    skipped += slice->skipped;
    request.cursor = slice->next;
  } while (!request.cursor.empty());
  if (context.wants_table())
    context.line(fmt::format("{} jobs are cancelled, running ones as soon as their workers hear of it{}", cancelled,
                             skipped == 0 ? "" : fmt::format("; {} had moved on", skipped)));
  else
    context.document(nlohmann::json{{"cancelled", cancelled}, {"skipped", skipped}}.dump());
  return to_int(Exit::ok);
}

int cancel_jobs(Context& context, const CancelArguments& arguments) {
  if (const auto wrong = misused(context, arguments)) return *wrong;
  if (!arguments.ids.empty())
    return change_each(context, "cancel", arguments.ids,
                       [&](sdk::Client& client, const std::string& id) { return client.cancel(id, arguments.reason); });
  const auto client = context.client();
  if (!client.ok()) return context.fail("cancel job", client.error());
  return cancel_matching(context, **client, arguments);
}

int retry_matching(Context& context, sdk::Client& client, JobRetryArguments arguments) {
  sdk::JobFilter& filter = arguments.filter;
  filter.ns = context.scope(arguments.all_namespaces);
  if (filter.states.empty()) filter.states = {"dead"};
  const std::uint64_t most = arguments.limit ? *arguments.limit : std::numeric_limits<std::uint64_t>::max();
  const sdk::Result<std::uint64_t> count = count_matching(client, filter, most);
  if (!count.ok()) return context.fail("count jobs to retry", count.error());
  if (const auto instead = held_back(context, arguments, {.count = *count}, {.verb = "retry", .done = "retried"}))
    return *instead;
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
    context.document(nlohmann::json{{"ids", ids}}.dump());
  }
  return to_int(Exit::ok);
}

int retry_jobs(Context& context, const JobRetryArguments& arguments) {
  if (const auto wrong = misused(context, arguments)) return *wrong;
  const auto client = context.client();
  if (!client.ok()) return context.fail("retry job", client.error());
  if (arguments.ids.empty()) return retry_matching(context, **client, arguments);
  return change_each(context, "retry", arguments.ids, [](sdk::Client& asked, const std::string& id) { return asked.retry(id); });
}

void add_many(CLI::App& command, ManyArguments& arguments) {
  command.add_option("ids", arguments.ids, kWhichJobs);
  add_job_filter(command, arguments.filter);
  command.add_flag("-A,--all-namespaces", arguments.all_namespaces, "of every namespace");
  command.add_flag("--dry-run", arguments.dry_run, "only count");
  command.add_flag("-y,--yes", arguments.yes, "do not ask");
}

void add_job_reading(CLI::App& group, Context& context) {
  auto [list, listing] = add_command(group, context,
                                     {.name = "list",
                                      .summary = "jobs that match, the newest first",
                                      .example = "muster job list --queue mail --state dead,cancelled --all -o jsonl"},
                                     list_jobs);
  add_job_filter(list, listing.query.filter);
  list.add_option("--order", listing.query.order, "newest or oldest first")->check(CLI::IsMember({"newest", "oldest"}));
  list.add_flag("--payload", listing.query.payload, "with payloads (json, jsonl)");
  add_paging(list, "jobs", {.limit = listing.query.limit, .cursor = listing.query.cursor, .all = listing.all});
  list.add_flag("-A,--all-namespaces", listing.all_namespaces, "of every namespace");
  add_command_about(
      group, context,
      {.name = "get", .summary = "one job in full", .example = "muster job get 0190c8a2-0000-7000-8000-000000000001"}, kWhichJob,
      get_job);

  auto [logs, logging] = add_command(group, context,
                                     {.name = "logs",
                                      .summary = "what the tools of a job wrote, byte by byte, each stream to its own",
                                      .example = "muster job logs JOB --stderr"},
                                     show_logs);
  logs.add_option("id", logging.id, kWhichJob)->required();
  logs.add_flag("--stderr", logging.errors, "only what they wrote to standard error, to standard output");
  auto [output, reading] = add_command(group, context,
                                       {.name = "output",
                                        .summary = "what a job has put out while it runs, chunk by chunk",
                                        .example = "muster job output JOB --channel stdout --follow"},
                                       show_output);
  output.add_option("id", reading.id, kWhichJob)->required();
  output.add_option("--channel", reading.channel, "stdout, stderr, log, llm, metric or custom; all when absent");
  output.add_flag("-f,--follow", reading.follow, "until the job is finished");
  add_command_about(group, context,
                    {.name = "watch",
                     .summary = "follow one job until it is finished; exit 0 when completed, 1 otherwise",
                     .example = "muster job watch JOB"},
                    kWhichJob, watch_job);

  auto [tail, tailing] = add_command(
      group, context,
      {.name = "tail", .summary = "events as they happen, until interrupted", .example = "muster job tail --queue mail -o jsonl"},
      tail_events);
  tail.add_option("--queue", tailing.filter.queue, "only this queue");
  tail.add_option("--type", tailing.filter.type, "only this type");
  tail.add_option("--job", tailing.filter.job, "only this job");
  tail.add_option("--kinds", tailing.filter.kinds, "comma list of job, worker, queue")->default_str("job");
  tail.add_option("--since", tailing.filter.last_event_id, "number of the last event seen; resumes after it");
  tail.add_option("--limit", tailing.limit, "end after this many events");
  tail.add_flag("-A,--all-namespaces", tailing.all_namespaces, "of every namespace");
  tailing.filter.kinds = "job";
}

}  // namespace

void add_job_commands(CLI::App& app, Context& context) {
  CLI::App& group =
      add_group(app, {.name = "job", .summary = "submit, look at and change jobs", .example = "muster job list --state dead"});
  add_job_submit(group, context);
  add_job_reading(group, context);

  auto [cancel, cancelling] = add_command(group, context,
                                          {.name = "cancel",
                                           .summary = "stop jobs, by id or all that match: running ones through their worker",
                                           .example = "muster job cancel --queue mail --reason 'wrong customer' --dry-run"},
                                          cancel_jobs);
  add_many(cancel, cancelling);
  cancel.add_option("--reason", cancelling.reason, "kept with the job");

  auto [retry, retrying] = add_command(group, context,
                                       {.name = "retry",
                                        .summary = "start dead or cancelled jobs over: by id, or all that match",
                                        .example = "muster job retry --queue mail --error-kind timeout --dry-run"},
                                       retry_jobs);
  add_many(retry, retrying);
  retry.add_option("--limit", retrying.limit, "at most this many")->check(CLI::PositiveNumber);
}

}  // namespace muster::cli
