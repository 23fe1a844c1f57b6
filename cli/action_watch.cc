#include "cli/action_watch.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <iterator>
#include <nlohmann/json.hpp>
#include <thread>

#include "cli/context.h"
#include "cli/exit_code.h"
#include "cli/job_table.h"
#include "cli/plan_table.h"
#include "cli/terminal.h"

namespace muster::cli {
namespace {

constexpr std::chrono::milliseconds kLookMin{50};
constexpr std::chrono::milliseconds kLookMax{1'000};
constexpr int kFailuresMax = 60;                 // at kLookMax: a minute of a server that is restarting
constexpr std::uint32_t kPageMax = 1'000;        // of the protocol
constexpr std::size_t kJobsShownMax = 1'000;     // rows of the table; more are counted
constexpr std::chrono::seconds kBeforeFirst{1};  // the listing's bound is exclusive and kept clear of rounding

// The jobs of an action in the order of their inputs, without payloads.
sdk::Result<std::vector<sdk::Job>> jobs_of(sdk::Client& client, const sdk::Action& action, std::size_t count_max) {
  sdk::JobQuery query;
  query.filter.ns = action.ns;
  query.filter.labels = {{"action", action.id}};
  if (action.created_at) query.filter.created_after = *action.created_at - kBeforeFirst;
  query.order = "oldest";
  query.limit = kPageMax;
  std::vector<sdk::Job> jobs;
  do {
    sdk::Result<sdk::JobPage> page = client.jobs(query);
    if (!page.ok()) return page.error();
    std::move(page->jobs.begin(), page->jobs.end(), std::back_inserter(jobs));
    query.cursor = page->next;
    // All of them seen: the rest of the listing is other people's work.
  } while (!query.cursor.empty() && jobs.size() < std::min<std::size_t>(count_max, action.jobs));
  if (jobs.size() > count_max) jobs.resize(count_max);
  return jobs;
}

void show(Context& context, const sdk::Action& action, const std::vector<sdk::Job>& jobs) {
  if (context.wants_table()) {
    context.table(action_jobs_table(jobs, now()));
    if (jobs.size() < action.jobs)
      context.note(
          fmt::format("{} of {} jobs shown; all: muster job list --label action={} --all", jobs.size(), action.jobs, action.id));
    return;
  }
  if (context.globals().output == Output::jsonl) {
    for (const sdk::Job& job : jobs) context.line(job.document);
    return;
  }
  using Json = nlohmann::ordered_json;
  Json both{{"action", Json::parse(action.document, nullptr, false)}, {"jobs", Json::array()}};
  for (const sdk::Job& job : jobs) both["jobs"].push_back(Json::parse(job.document, nullptr, false));
  context.document(both.dump());
}

}  // namespace

sdk::Result<sdk::Action> wait_for_action(sdk::Client& client, const std::string& ns, const std::string& id,
                                         const std::function<void(const sdk::Action&)>& seen) {
  std::chrono::milliseconds wait = kLookMin;
  int failures = 0;
  for (bool known = false;;) {
    sdk::Result<sdk::Action> action = client.action({.ns = ns, .action = id, .job_offset = {}, .job_limit = 0});
    if (action.ok()) {
      failures = 0;
      known = true;
      seen(*action);
      if (action->counts.unfinished() == 0) return action;
    } else if (!action.error().transient() || !known || ++failures == kFailuresMax) {
      return action;
    }
    std::this_thread::sleep_for(wait);
    wait = std::min(kLookMax, wait * 3 / 2);
  }
}

int watch_action(Context& context, const std::string& id) {
  const std::string doing = "watch action " + id;
  const auto client = context.client();
  if (!client.ok()) return context.fail(doing, client.error());
  ProgressLine progress;
  std::string last;
  const sdk::Result<sdk::Action> action = wait_for_action(**client, context.globals().ns, id, [&](const sdk::Action& seen) {
    const std::string text = counts_text(seen.counts);
    const std::uint64_t total = std::max<std::uint64_t>(1, seen.jobs);
    if (stderr_is_terminal())
      progress.show_fraction(id, static_cast<double>(seen.counts.finished()) / static_cast<double>(total), text);
    else if (text != last)
      context.note(fmt::format("action {}: {}", id, text));
    last = text;
  });
  progress.clear();
  if (!action.ok()) return context.fail(doing, action.error());
  const std::size_t count_max = context.wants_table() ? kJobsShownMax : action->jobs;
  const sdk::Result<std::vector<sdk::Job>> jobs = jobs_of(**client, *action, count_max);
  if (!jobs.ok()) return context.fail(fmt::format("list the jobs of action {}", id), jobs.error());
  show(context, *action, *jobs);
  const bool all_completed = action->counts.completed == action->jobs;
  if (!all_completed && context.wants_table())
    context.note(fmt::format("muster: action {} is {}: {}", id, action->state, counts_text(action->counts)));
  return to_int(all_completed ? Exit::ok : Exit::failure);
}

}  // namespace muster::cli
