// LREM queue:<name> and ZREM queue:scheduled cancel waiting jobs; ZADD queue:scheduled makes jobs that are due later.
#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <memory>
#include <utility>

#include <fmt/format.h>

#include "command/job_cancel.h"
#include "command/job_submit.h"
#include "fronts/resp/plans/collect.h"
#include "fronts/resp/plans/handlers.h"
#include "fronts/resp/plans/job_document.h"
#include "fronts/resp/plans/job_find.h"
#include "fronts/resp/views/queue_jobs.h"
#include "fronts/resp/views/writes.h"
#include "fronts/resp/work/element.h"
#include "fronts/resp/work/names.h"
#include "fronts/resp/work/work.h"
#include "model/validate.h"

namespace muster::resp::views {
namespace {

// Which elements to remove, and how many of each: > 0 from the newest on, < 0 from the oldest on, 0 all.
struct Removal {
  ViewKey view;
  std::vector<std::string> elements;
  std::int64_t count = 0;
};

std::optional<Removal> read_removal(const CallRef& call, const ViewKey& key) {
  if (call->name() == "ZREM") return Removal{key, {call->args().begin() + 2, call->args().end()}, 1};
  const auto count = plans::to_integer(call->arg(2));
  if (!count) {
    call->fail("LREM count must be an integer");
    return std::nullopt;
  }
  if (*count == std::numeric_limits<std::int64_t>::min()) {
    call->fail("Invalid count value");
    return std::nullopt;
  }
  return Removal{key, {call->arg(3)}, *count};
}

// Does the element mean this job: by what was pushed, by its name, or by a document that names it?
bool means(const std::string& element, const Job& job) {
  const std::string name = plans::job_name(job.id, job.spec.labels);
  if (element == element_of(job) || element == name) return true;
  if (const auto id = work::parse_job_id(element)) return *id == job.id;
  const work::ElementFacts facts = work::read_element(element);
  return facts.job_id && (*facts.job_id == name || work::parse_job_id(*facts.job_id) == job.id);
}

bool stands_in(const Job& job, const ViewKey& view) {
  if (view.kind == Kind::scheduled) return job.state == JobState::scheduled;
  return job.state == JobState::ready && job.spec.queue.text() == view.id;
}

void cancel(const CallRef& call, std::vector<JobId> jobs) {
  if (jobs.empty()) return call->answer(wire::integer_reply(0));
  std::vector<store::Cancel> batch;
  for (const JobId& job : jobs) batch.push_back({.job = job, .reason = fmt::format("removed by {}", call->name())});
  Core& core = call->core();
  core.engine.jobs().cancel(std::move(batch),
                            core.on_loop<store::Each<store::Cancelled>>([call](Result<store::Each<store::Cancelled>> cancelled) {
                              plans::audit(call, command::kJobCancel, call->arg(1), cancelled.status());
                              if (!cancelled.ok()) return plans::refuse(call, cancelled.status());
                              // One that was taken meanwhile was not removed: its worker is told to stop.
                              std::int64_t removed = 0;
                              for (const auto& each : *cancelled)
                                removed += each.ok() && each->state == JobState::cancelled ? 1 : 0;
                              call->answer(wire::integer_reply(removed));
                            }));
}

// `jobs`: those that stand in the view, the newest first.
std::vector<JobId> chosen(const Removal& removal, const std::vector<Job>& jobs) {
  std::vector<JobId> out;
  for (const std::string& element : removal.elements) {
    std::vector<JobId> meant;
    for (const Job& job : jobs)
      if (means(element, job)) meant.push_back(job.id);
    if (removal.count < 0) std::reverse(meant.begin(), meant.end());
    const std::uint64_t most = removal.count == 0 ? meant.size() : static_cast<std::uint64_t>(std::abs(removal.count));
    meant.resize(std::min<std::size_t>(meant.size(), most));
    for (const JobId& job : meant)
      if (std::find(out.begin(), out.end(), job) == out.end()) out.push_back(job);
  }
  return out;
}

void search(const CallRef& call, Removal removal) {
  store::JobQuery query;
  query.filter = filter_of(removal.view);
  query.with_payload = true;
  plans::collect(call->core(), std::move(query), plans::kCollectedMax,
                 [call, removal = std::move(removal)](Result<plans::Collected<Job>> found) {
                   if (!found.ok()) return plans::refuse(call, found.status());
                   auto jobs = chosen(removal, found->items);
                   if (jobs.empty() && found->more)
                     return call->fail(fmt::format("not among the newest {}; name the job by its id", found->items.size()));
                   cancel(call, std::move(jobs));
                 });
}

// --- ZADD ---

std::optional<double> read_score(const CallRef& call, const std::string& text) {
  double score = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), score);
  if (error != std::errc() || end != text.data() + text.size()) {
    call->fail("ZADD score must be a valid number");
    return std::nullopt;
  }
  if (!std::isfinite(score)) {
    call->fail("Score must be a finite number");
    return std::nullopt;
  }
  return score;
}

// As a push would make it, due at an instant.
JobSpec scheduled_job(const RespOptions& options, const std::string& element, Instant due) {
  JobSpec spec;
  spec.queue = QueueName("ready");
  spec.type = JobType(plans::kTypeElement);
  spec.run_at = due;
  spec.timeout = options.job_timeout;
  spec.retry.attempts_max = options.job_attempts;
  spec.rescues_max = options.job_rescues;
  const work::ElementFacts facts = work::read_element(element);
  spec.payload = {.data = element, .encoding = facts.object ? Encoding::json : Encoding::bytes};
  if (facts.job_id) {
    spec.idempotency_key = std::string(work::kChosenIdKey) + *facts.job_id;
    spec.labels[plans::kLabelJob] = *facts.job_id;
  }
  return spec;
}

std::optional<std::vector<JobSpec>> read_schedule(const CallRef& call) {
  std::vector<JobSpec> jobs;
  if (call->size() % 2 != 0) {
    call->fail("syntax error: ZADD queue:scheduled score element [score element …]");
    return std::nullopt;
  }
  for (std::size_t i = 2; i + 1 < call->size(); i += 2) {
    const auto score = read_score(call, call->arg(i));
    if (!score) return std::nullopt;
    // The past is now; a time beyond the last one there is is left for the engine to refuse.
    const double ms = std::clamp(std::round(*score * 1000), 0.0, static_cast<double>(to_ms(limits::kRunAtMax)) + 1);
    if (work::parse_job_id(call->arg(i + 1))) {
      call->fail("a job's due time cannot be changed; add the element that describes a new one");
      return std::nullopt;
    }
    jobs.push_back(scheduled_job(call->core().options, call->arg(i + 1), from_ms(static_cast<std::int64_t>(ms))));
  }
  return jobs;
}

}  // namespace

void remove_waiting(const CallRef& call, const ViewKey& key) {
  if (Status status = command::authorize(call->client().caller, command::kJobCancel); !status.ok())
    return plans::refuse(call, status);
  auto removal = read_removal(call, key);
  if (!removal) return;
  if (removal->elements.size() != 1 || !work::parse_job_id(removal->elements[0])) return search(call, *std::move(removal));
  // A job of ours is found without walking its queue.
  plans::find_job(call, removal->elements[0], [call, removal = *removal](const Result<Job>& job) {
    if (!job.ok() && job.code() != Code::not_found) return plans::refuse(call, job.status());
    if (!job.ok() || !stands_in(*job, removal.view)) return call->answer(wire::integer_reply(0));
    cancel(call, {job->id});
  });
}

void schedule(const CallRef& call) {
  if (Status status = command::authorize(call->client().caller, command::kJobSubmit); !status.ok())
    return plans::refuse(call, status);
  auto jobs = read_schedule(call);
  if (!jobs) return;
  Core& core = call->core();
  core.engine.jobs().enqueue(
      *std::move(jobs), core.on_loop<std::vector<store::Enqueued>>([call](Result<std::vector<store::Enqueued>> enqueued) {
        if (!enqueued.ok()) return plans::refuse(call, enqueued.status());
        const auto added =
            std::count_if(enqueued->begin(), enqueued->end(), [](const store::Enqueued& each) { return !each.existed; });
        call->answer(wire::integer_reply(added));
      }));
}

}  // namespace muster::resp::views
