#include "command/watch/job_act.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "model/limits.h"

namespace muster::command {
namespace {

using Action = JobActRequest::Action;

// The states that the action is about and the filter lets pass.
std::vector<JobState> states_of(Action action, const std::vector<JobState>& asked) {
  const std::vector<JobState> about = action == Action::cancel
                                          ? std::vector<JobState>{JobState::scheduled, JobState::ready, JobState::running}
                                          : std::vector<JobState>{JobState::dead, JobState::cancelled};
  if (asked.empty()) return action == Action::cancel ? about : std::vector<JobState>{JobState::dead};
  std::vector<JobState> out;
  for (const JobState state : about)
    if (std::find(asked.begin(), asked.end(), state) != asked.end()) out.push_back(state);
  return out;
}

// Reads page after page, each when the one before has come, and remembers nothing but how many there were.
void count_from(engine::Engine& engine, store::JobQuery query, std::size_t pages_left, std::uint64_t so_far,
                Reply<JobActReply> reply) {
  store::JobQuery page_of = query;
  engine.jobs().list(std::move(page_of), [&engine, query = std::move(query), pages_left, so_far,
                                          reply = std::move(reply)](Result<store::JobPage> page) mutable {
    if (!page.ok()) return reply(page.status());
    const std::uint64_t count = so_far + page->jobs.size();
    const bool ends = page->next.empty();
    if (ends || count >= kActCountMax || pages_left == 1)
      return reply(
          JobActReply{.dry_run = true, .matched = std::min<std::uint64_t>(count, kActCountMax), .more = !ends, .next = {}});
    query.cursor = std::move(page->next);
    count_from(engine, std::move(query), pages_left - 1, count, std::move(reply));
  });
}

void count(engine::Engine& engine, store::JobFilter filter, Reply<JobActReply> reply) {
  store::JobQuery query;
  query.filter = std::move(filter);
  query.limit = limits::kPageMax;
  count_from(engine, std::move(query), kActPagesMax, 0, std::move(reply));
}

template <class Answer>
Reply<store::Each<Answer>> tallied(JobActReply so_far, Reply<JobActReply> reply) {
  return [so_far = std::move(so_far), reply = std::move(reply)](Result<store::Each<Answer>> each) mutable {
    if (!each.ok()) return reply(each.status());
    for (const Result<Answer>& one : *each) ++(one.ok() ? so_far.changed : so_far.skipped);
    reply(std::move(so_far));
  };
}

void act_on_slice(engine::Engine& engine, JobActRequest request, Reply<JobActReply> reply) {
  store::JobQuery query;
  query.filter = request.filter;
  query.limit = request.limit;
  query.cursor = request.cursor;
  engine.jobs().list(
      std::move(query), [&engine, request = std::move(request), reply = std::move(reply)](Result<store::JobPage> page) mutable {
        if (!page.ok()) return reply(page.status());
        JobActReply slice{.matched = page->jobs.size(), .next = std::move(page->next)};
        if (page->jobs.empty()) return reply(std::move(slice));
        if (request.action == Action::cancel) {
          std::vector<store::Cancel> cancels;
          for (const Job& job : page->jobs) cancels.push_back({.job = job.id, .reason = request.reason});
          return engine.jobs().cancel(std::move(cancels), tallied<store::Cancelled>(std::move(slice), std::move(reply)));
        }
        std::vector<JobId> jobs;
        for (const Job& job : page->jobs) jobs.push_back(job.id);
        engine.jobs().redrive(std::move(jobs), tallied<store::Settled>(std::move(slice), std::move(reply)));
      });
}

}  // namespace

void handle(Context& context, JobActRequest request, Reply<JobActReply> reply) {
  if (request.limit < 1 || request.limit > kActSliceMax)
    return reply(Status::invalid_argument(fmt::format("limit is {}; 1 to {} is accepted", request.limit, kActSliceMax)));
  request.filter.states = states_of(request.action, request.filter.states);
  if (request.filter.states.empty()) return reply(JobActReply{.dry_run = request.dry_run, .next = {}});  // none can match
  engine::Engine& engine = context.engine;
  if (request.dry_run) return count(engine, std::move(request.filter), std::move(reply));
  if (!request.expected || !request.cursor.empty()) return act_on_slice(engine, std::move(request), std::move(reply));
  store::JobFilter counted = request.filter;
  count(engine, std::move(counted),
        [&engine, request = std::move(request), reply = std::move(reply)](Result<JobActReply> now) mutable {
          if (!now.ok()) return reply(now.status());
          if (now->matched > *request.expected)
            return reply(Status::conflict(fmt::format("{}{} jobs match by now, not {}; count them again and decide",
                                                      now->more ? "more than " : "", now->matched, *request.expected)));
          act_on_slice(engine, std::move(request), std::move(reply));
        });
}

}  // namespace muster::command
