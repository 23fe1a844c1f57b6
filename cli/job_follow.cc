// `muster job watch` (one job until it is finished) and `muster job tail` (events as they happen).
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <random>
#include <thread>

#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/context.h"
#include "cli/exit_code.h"
#include "cli/format.h"
#include "cli/job_prefix.h"
#include "cli/job_table.h"
#include "cli/job_wait.h"
#include "cli/terminal.h"
#include "sdk/cpp/backoff.h"

namespace muster::cli {
namespace {

std::string describe(const sdk::Job& job) {
  std::string text = fmt::format("{}  {}", job.id, job.state);
  if (job.attempt > 0) text += fmt::format("  attempt {}", job.attempt);
  if (!job.worker.empty() && job.state == "running") text += fmt::format("  on {}", job.worker);
  if (job.progress && job.state == "running")
    text += fmt::format("  {:.0f}% {}", job.progress->fraction * 100, job.progress->message);
  if (job.error && job.state != "completed") text += fmt::format("  {}: {}", job.error->kind, job.error->message);
  return printable(text);
}

int watch(Context& context, const std::string& id) {
  const auto client = context.client();
  if (!client.ok()) return context.fail("watch job " + id, client.error());
  const sdk::Result<std::string> whole = whole_id(**client, id);
  if (!whole.ok()) return context.fail("watch job " + id, whole.error());
  ProgressLine progress;
  std::string last;
  const sdk::Result<sdk::Job> job = wait_for_job(**client, *whole, [&](const sdk::Job& seen) {
    const std::string text = describe(seen);
    if (stderr_is_terminal())
      progress.show_fraction(text, seen.progress ? seen.progress->fraction : 0, "");
    else if (text != last)
      context.note(text);
    last = text;
  });
  progress.clear();
  if (!job.ok()) return context.fail("watch job " + id, job.error());
  if (context.wants_table())
    context.table(job_details(*job, now()));
  else
    context.document(job->document);
  return to_int(job->state == "completed" ? Exit::ok : Exit::failure);
}

struct TailArguments {
  sdk::EventFilter filter;
  bool all_namespaces = false;
  std::uint64_t limit = 0;
};

std::string line_of(const sdk::Event& event, bool color) {
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

int tail(Context& context, TailArguments arguments) {
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
      context.line(context.wants_table() ? line_of(event, context.globals().color) : event.document);
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

}  // namespace

void add_job_follow(CLI::App& group, Context& context) {
  CLI::App* watch_command =
      add_command(group, {.name = "watch",
                          .summary = "follow one job until it is finished; exit 0 when completed, 1 otherwise",
                          .example = "muster job watch JOB"});
  auto id = std::make_shared<std::string>();
  watch_command->add_option("id", *id, "the job, or the first digits of its id")->required();
  watch_command->callback([&context, id] { context.chosen = [&context, id] { return watch(context, *id); }; });

  CLI::App* tail_command = add_command(group, {.name = "tail",
                                               .summary = "events as they happen, until interrupted",
                                               .example = "muster job tail --queue mail -o jsonl"});
  auto arguments = std::make_shared<TailArguments>();
  tail_command->add_option("--queue", arguments->filter.queue, "only this queue");
  tail_command->add_option("--type", arguments->filter.type, "only this type");
  tail_command->add_option("--job", arguments->filter.job, "only this job");
  tail_command->add_option("--kinds", arguments->filter.kinds, "comma list of job, worker, queue")->default_str("job");
  tail_command->add_option("--since", arguments->filter.last_event_id, "number of the last event seen; resumes after it");
  tail_command->add_option("--limit", arguments->limit, "end after this many events");
  tail_command->add_flag("-A,--all-namespaces", arguments->all_namespaces, "of every namespace");
  arguments->filter.kinds = "job";
  tail_command->callback([&context, arguments] { context.chosen = [&context, arguments] { return tail(context, *arguments); }; });
}

}  // namespace muster::cli
