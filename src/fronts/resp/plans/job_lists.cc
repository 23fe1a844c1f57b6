// JOB.LIST, JOBS.LIST and JOBS.SEARCH: jobs of an action, all of them, and those that match.
#include <algorithm>
#include <array>
#include <memory>
#include <utility>

#include "base/ascii.h"
#include "command/actions.h"
#include "command/jobs.h"
#include "fronts/resp/plans/collect.h"
#include "fronts/resp/plans/handlers.h"
#include "fronts/resp/plans/job_document.h"
#include "model/plan.h"
#include "plan/plan.h"

namespace muster::resp::plans {
namespace {

constexpr const char* kWordsAccepted = "status must be one of: pending, running, completed, failed, dead, cancelled, all";

bool is_word(std::string_view text) {
  constexpr std::array<std::string_view, 7> kWords{"pending", "running", "completed", "failed", "dead", "cancelled", "all"};
  return std::find(kWords.begin(), kWords.end(), text) != kWords.end();
}

// The states that a word may stand for; the word itself decides, since `failed` and `dead` differ by the error alone.
std::vector<JobState> states_of(std::string_view word) {
  if (word == "pending") return {JobState::scheduled, JobState::ready};
  if (word == "running") return {JobState::running};
  if (word == "completed") return {JobState::completed};
  if (word == "failed") return {JobState::scheduled, JobState::dead};
  if (word == "dead") return {JobState::dead};
  if (word == "cancelled") return {JobState::cancelled};
  return {};
}

void answer_names(const CallRef& call, const std::vector<std::string>& names) {
  std::string out;
  wire::array(out, names.size());
  for (const std::string& name : names) wire::bulk(out, name);
  call->answer(std::move(out));
}

struct Search {
  std::string status = "all";
  std::string plan;
  std::size_t limit = kUsualCount;
};

// [status] [plan_id] [LIMIT n]
std::optional<Search> read_search(const CallRef& call) {
  Search search;
  const auto refused = [&](std::string_view why) -> std::optional<Search> {
    call->fail(why);
    return std::nullopt;
  };
  for (std::size_t i = 1; i < call->size(); ++i) {
    if (same_in_any_case(call->arg(i), "LIMIT")) {
      const auto limit = i + 1 < call->size() ? to_integer(call->arg(++i)) : std::nullopt;
      if (!limit || *limit <= 0) return refused("limit must be a positive integer");
      search.limit = std::min(static_cast<std::size_t>(*limit), limits::kPageMax);
    } else if (i == 1 && is_word(call->arg(i))) {
      search.status = call->arg(i);
    } else if (search.plan.empty()) {
      if (Status status = plan::validate_identifier("plan_id", call->arg(i)); !status.ok()) {
        refuse(call, status);
        return std::nullopt;
      }
      search.plan = call->arg(i);
    } else {
      return refused("syntax error: JOBS.SEARCH [status] [plan_id] [LIMIT n]");
    }
  }
  return search;
}

// A word that one state does not settle needs more jobs than it answers with.
std::size_t to_look_at(const Search& search) {
  const bool exact = search.status != "failed" && search.status != "dead" && search.status != "pending";
  return exact ? search.limit : kCollectedMax;
}

}  // namespace

void job_list(const CallRef& call) {
  const std::string word = call->size() > 2 ? call->arg(2) : "all";
  if (Status status = plan::validate_identifier("action_id", call->arg(1)); !status.ok()) return refuse(call, status);
  if (!is_word(word)) return call->fail(kWordsAccepted);
  ask(call,
      command::ActionGetRequest{.ns = default_namespace(), .id = ActionId(call->arg(1)), .job_limit = limits::kActionJobsMax},
      [call, word](Result<store::ActionView> view) {
        if (view.code() == Code::not_found) return answer_names(call, {});
        if (!view.ok()) return refuse(call, view.status());
        auto names = std::make_shared<std::vector<std::string>>();
        if (word == "all") {
          for (const JobId& job : view->jobs) names->push_back(job_name(job));
          return answer_names(call, *names);
        }
        visit_jobs(
            call, std::move(view->jobs),
            [names, word](const Job& job) {
              if (status_word(job) == word) names->push_back(job_name(job.id));
            },
            [call, names](const Status& status) {
              if (!status.ok()) return refuse(call, status);
              answer_names(call, *names);
            });
      });
}

void jobs_list(const CallRef& call) {
  const auto offset = call->size() > 1 ? to_integer(call->arg(1)) : std::optional<std::int64_t>(0);
  if (!offset || *offset < 0) return call->fail("offset must be a non-negative integer");
  const auto limit = call->size() > 2 ? to_integer(call->arg(2)) : std::optional<std::int64_t>(kUsualCount);
  if (!limit || *limit < 0) return call->fail("limit must be a positive integer");
  if (*limit == 0) return call->fail("limit must be > 0");
  const auto skip = static_cast<std::size_t>(*offset);
  const std::size_t count = std::min(static_cast<std::size_t>(*limit), limits::kPageMax);
  if (skip > kCollectedMax - count)
    return call->fail("offset must be at most " + std::to_string(kCollectedMax - count) + "; JOBS.SEARCH finds older jobs");
  store::JobQuery query;
  query.filter.ns = default_namespace();
  collect(call, query, skip + count, [call, skip](Result<Collected<Job>> found) {
    if (!found.ok()) return refuse(call, found.status());
    const std::size_t first = std::min(skip, found->items.size());
    std::string out;
    wire::array(out, 3 * (found->items.size() - first));
    for (std::size_t i = first; i < found->items.size(); ++i) {
      const Job& job = found->items[i];
      wire::bulk(out, job_name(job.id, job.spec.labels));
      wire::bulk(out, status_word(job));
      wire::bulk(out, std::to_string(unix_seconds(job.created_at)));
    }
    call->answer(std::move(out));
  });
}

void jobs_search(const CallRef& call) {
  auto search = read_search(call);
  if (!search) return;
  store::JobQuery query;
  query.filter.ns = default_namespace();
  query.filter.states = states_of(search->status);
  if (!search->plan.empty()) query.filter.labels.emplace(kLabelPlan, search->plan);
  const std::size_t looked_at = to_look_at(*search);
  collect(call, std::move(query), looked_at, [call, search = *std::move(search)](Result<Collected<Job>> found) {
    if (!found.ok()) return refuse(call, found.status());
    std::vector<std::string> names;
    for (const Job& job : found->items) {
      if (names.size() == search.limit) break;
      if (search.status == "all" || status_word(job) == search.status) names.push_back(job_name(job.id, job.spec.labels));
    }
    answer_names(call, names);
  });
}

}  // namespace muster::resp::plans
