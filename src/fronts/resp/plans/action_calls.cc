// ACTION.LIST, ACTION.GET and ACTION.STATUS.
#include "fronts/resp/plans/action_words.h"

#include <algorithm>
#include <array>
#include <memory>
#include <utility>

#include "base/time_text.h"
#include "command/actions.h"
#include "fronts/resp/plans/collect.h"
#include "fronts/resp/plans/handlers.h"
#include "fronts/resp/plans/job_document.h"
#include "fronts/resp/plans/json_text.h"
#include "plan/plan.h"

namespace muster::resp::plans {
namespace {

constexpr std::int64_t kJobsDefault = 100;

std::int64_t count(std::uint64_t number) { return static_cast<std::int64_t>(number); }

std::string listed(const Action& action) {
  const Summary sum = summary_of(action.counts);
  ObjectText out;
  out.text("action_id", action.id.text());
  out.number("created_at", unix_seconds(action.created_at));
  out.number("jobs_completed", count(sum.completed));
  out.number("jobs_failed", count(sum.failed));
  out.number("jobs_pending", count(sum.pending));
  out.number("jobs_total", count(action.jobs));
  out.text("plan_id", action.plan.text());
  out.text("status", action_word(action.counts));
  return std::move(out).take();
}

struct Page {
  std::string_view status = "all";
  std::size_t offset = 0;
  std::size_t limit = kUsualCount;
};

std::optional<Page> read_page(const CallRef& call) {
  constexpr std::array<std::string_view, 5> kWords{"pending", "running", "completed", "failed", "all"};
  Page page;
  const auto refused = [&](std::string_view why) -> std::optional<Page> {
    call->fail(why);
    return std::nullopt;
  };
  if (call->size() > 1) {
    const auto word = std::find(kWords.begin(), kWords.end(), call->arg(1));
    if (word == kWords.end()) return refused("status must be one of: pending, running, completed, failed, all");
    page.status = *word;
  }
  if (call->size() > 2) {
    const auto offset = to_integer(call->arg(2));
    if (!offset) return refused("offset must be a non-negative integer");
    if (*offset < 0) return refused("offset must be non-negative");
    page.offset = static_cast<std::size_t>(*offset);
  }
  if (call->size() > 3) {
    const auto limit = to_integer(call->arg(3));
    if (!limit) return refused("limit must be a positive integer");
    if (*limit <= 0) return refused("limit must be positive");
    page.limit = std::min(static_cast<std::size_t>(*limit), limits::kPageMax);
  }
  return page;
}

void answer_actions(const CallRef& call, const std::vector<Action>& actions) {
  std::vector<std::string> documents;
  for (const Action& action : actions) documents.push_back(listed(action));
  call->answer(wire::bulk_reply(raw_array(documents)));
}

void list_matching(const CallRef& call, Page page) {
  collect(call, store::ActionListQuery{.ns = default_namespace()}, kCollectedMax, [call, page](Result<Collected<Action>> found) {
    if (!found.ok()) return refuse(call, found.status());
    std::vector<Action> matching;
    std::size_t skip = page.offset;
    for (Action& action : found->items) {
      if (matching.size() == page.limit) break;
      if (action_word(action.counts) != page.status) continue;
      if (skip > 0) {
        --skip;
        continue;
      }
      matching.push_back(std::move(action));
    }
    answer_actions(call, matching);
  });
}

struct JobWindow {
  std::size_t offset = 0;
  std::size_t limit = kJobsDefault;
};

std::optional<JobWindow> read_window(const CallRef& call) {
  std::int64_t offset = 0;
  std::int64_t limit = kJobsDefault;
  const auto refused = [&](std::string_view why) -> std::optional<JobWindow> {
    call->fail(why);
    return std::nullopt;
  };
  if (call->size() > 2) {
    const auto given = to_integer(call->arg(2));
    if (!given) return refused("job_offset must be a non-negative integer");
    offset = *given;
  }
  if (call->size() > 3) {
    const auto given = to_integer(call->arg(3));
    if (!given) return refused("job_limit must be a positive integer");
    limit = *given;
  }
  if (offset < 0 || limit <= 0) return refused("job_offset must be >= 0 and job_limit must be > 0");
  return JobWindow{static_cast<std::size_t>(offset), std::min(static_cast<std::size_t>(limit), limits::kPageMax)};
}

std::string shown(const store::ActionView& view, JobWindow window) {
  const Action& action = view.action;
  const Summary sum = summary_of(action.counts);
  std::vector<std::string> names;
  for (const JobId& job : view.jobs) names.push_back(job_name(job));
  ObjectText summary;
  summary.number("jobs_completed", count(sum.completed));
  summary.number("jobs_failed", count(sum.failed));
  summary.number("jobs_pending", count(sum.pending));
  summary.number("jobs_total", count(action.jobs));
  ObjectText out;
  out.text("action_id", action.id.text());
  out.number("created_at", unix_seconds(action.created_at));
  out.raw("job_ids", string_array(names));
  out.number("job_ids_limit", count(window.limit));
  out.number("job_ids_offset", count(window.offset));
  out.number("job_ids_returned", count(names.size()));
  out.text("plan_id", action.plan.text());
  out.text("status", action_word(action.counts));
  out.raw("summary", std::move(summary).take());
  return std::move(out).take();
}

void with_action(const CallRef& call, store::ActionQuery query, UniqueFunction<void(store::ActionView)> then) {
  if (Status status = plan::validate_identifier("action_id", call->arg(1)); !status.ok()) return refuse(call, status);
  query.ns = default_namespace();
  query.id = ActionId(call->arg(1));
  ask(call, std::move(query), [call, then = std::move(then)](Result<store::ActionView> view) mutable {
    if (view.code() == Code::not_found) return call->fail("Action not found: " + call->arg(1));
    if (!view.ok()) return refuse(call, view.status());
    then(*std::move(view));
  });
}

std::string state_of(const Action& action, std::optional<Instant> ended_at) {
  ObjectText out;
  out.text("action_id", action.id.text());
  out.number("cancelled", count(action.counts.cancelled));
  out.number("completed", count(action.counts.completed));
  out.raw("completed_jobs_at", ended_at ? json_string(to_rfc3339(*ended_at)) : "null");
  out.text("created_at", to_rfc3339(action.created_at));
  out.number("dead", count(action.counts.dead));
  out.number("failed", count(action.counts.failed));
  out.number("pending", count(action.counts.waiting));
  out.text("plan_id", action.plan.text());
  out.number("running", count(action.counts.running));
  out.number("total_jobs", count(action.jobs));
  return std::move(out).take();
}

}  // namespace

Summary summary_of(const ActionCounts& counts) {
  return {.pending = counts.waiting + counts.running,
          .completed = counts.completed,
          .failed = counts.failed + counts.dead + counts.cancelled};
}

std::string_view action_word(const ActionCounts& counts) {
  if (!counts.finished()) return "running";
  return summary_of(counts).failed > 0 ? "failed" : "completed";
}

void action_list(const CallRef& call) {
  const auto page = read_page(call);
  if (!page) return;
  if (page->status != "all") return list_matching(call, *page);
  ask(call, command::ActionListRequest{.ns = default_namespace(), .offset = page->offset, .limit = page->limit},
      [call](Result<store::ActionPage> found) {
        if (!found.ok()) return refuse(call, found.status());
        answer_actions(call, found->actions);
      });
}

void action_get(const CallRef& call) {
  const auto window = read_window(call);
  if (!window) return;
  with_action(call, {.job_offset = window->offset, .job_limit = window->limit, .newest_first = true},
              [call, window = *window](const store::ActionView& view) { call->answer(wire::bulk_reply(shown(view, window))); });
}

void action_status(const CallRef& call) {
  with_action(call, {.job_limit = limits::kActionJobsMax}, [call](store::ActionView view) {
    if (!view.action.counts.finished()) return call->answer(wire::bulk_reply(state_of(view.action, std::nullopt)));
    // An action has ended when the last of its jobs has.
    auto ended_at = std::make_shared<std::optional<Instant>>();
    visit_jobs(
        call, std::move(view.jobs),
        [ended_at](const Job& job) {
          if (job.finished_at) *ended_at = std::max(ended_at->value_or(*job.finished_at), *job.finished_at);
        },
        [call, ended_at, action = std::move(view.action)](const Status& status) {
          if (!status.ok()) return refuse(call, status);
          call->answer(wire::bulk_reply(state_of(action, *ended_at)));
        });
  });
}

}  // namespace muster::resp::plans
