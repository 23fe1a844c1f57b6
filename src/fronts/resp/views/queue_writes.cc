// LREM queue:<name> and ZREM queue:scheduled cancel waiting jobs; ZADD queue:scheduled makes jobs that are due later.
#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <memory>
#include <utility>

#include <fmt/format.h>

#include "command/jobs.h"
#include "fronts/resp/plans/collect.h"
#include "fronts/resp/plans/handlers.h"
#include "fronts/resp/plans/job_document.h"
#include "fronts/resp/plans/job_find.h"
#include "fronts/resp/views/queue_jobs.h"
#include "fronts/resp/views/removal.h"
#include "fronts/resp/views/writes.h"
#include "fronts/resp/work/element.h"
#include "fronts/resp/work/names.h"
#include "fronts/resp/work/work.h"
#include "model/validate.h"

namespace muster::resp::views {
namespace {

// Which elements to remove, and how many of each.
struct RemovalRequest {
  ViewKey view;
  std::vector<std::string> elements;
  std::int64_t count = 0;
};

std::optional<RemovalRequest> read_removal(const CallRef& call, const ViewKey& key) {
  if (call->name() == "ZREM") return RemovalRequest{key, {call->args().begin() + 2, call->args().end()}, 1};
  const auto count = plans::to_integer(call->arg(2));
  if (!count) {
    call->fail("LREM count must be an integer");
    return std::nullopt;
  }
  if (*count == std::numeric_limits<std::int64_t>::min()) {
    call->fail("Invalid count value");
    return std::nullopt;
  }
  return RemovalRequest{key, {call->arg(3)}, *count};
}

bool stands_in(const Job& job, const ViewKey& view) {
  if (view.kind == Kind::scheduled) return job.state == JobState::scheduled;
  return job.state == JobState::ready && job.spec.queue.text() == view.id;
}

// Few at a time: others are served in between.
class Cancelling : public std::enable_shared_from_this<Cancelling> {
 public:
  Cancelling(CallRef call, std::vector<JobId> jobs) : call_(std::move(call)), jobs_(std::move(jobs)) {}

  void next() {
    if (done_ == jobs_.size()) return finish({});
    command::JobCancelBulkRequest batch;
    for (; done_ < jobs_.size() && batch.cancels.size() < kCancelledAtOnceMax; ++done_)
      batch.cancels.push_back({.job = jobs_[done_], .reason = fmt::format("removed by {}", call_->name())});
    ask(call_, std::move(batch), [self = shared_from_this()](Result<command::JobCancelBulkReply> cancelled) {
      if (!cancelled.ok()) return self->finish(cancelled.status());
      // One that was taken meanwhile was not removed: its worker is told to stop.
      for (const auto& each : *cancelled) self->removed_ += each.ok() && each->state == JobState::cancelled ? 1 : 0;
      self->next();
    });
  }

 private:
  static constexpr std::size_t kCancelledAtOnceMax = 1'000;

  void finish(const Status& status) {
    if (!status.ok()) return plans::refuse(call_, status);
    call_->answer(wire::integer_reply(removed_));
  }

  const CallRef call_;
  const std::vector<JobId> jobs_;
  std::size_t done_ = 0;
  std::int64_t removed_ = 0;
};

void cancel(const CallRef& call, std::vector<JobId> jobs) {
  if (jobs.empty()) return call->answer(wire::integer_reply(0));
  std::make_shared<Cancelling>(call, std::move(jobs))->next();
}

// Looks through the view's jobs page by page, so that others are served in between.
class Search : public std::enable_shared_from_this<Search> {
 public:
  Search(CallRef call, RemovalRequest request) : call_(std::move(call)), removal_(std::move(request.elements), request.count) {
    query_.filter = filter_of(request.view);
    query_.with_payload = true;
    query_.limit = limits::kPageMax;
  }

  void next_page() {
    ask(call_, query_, [self = shared_from_this()](Result<store::JobPage> page) {
      if (!page.ok()) return plans::refuse(self->call_, page.status());
      self->take(*page);
    });
  }

 private:
  void take(const store::JobPage& page) {
    const std::size_t room = plans::kCollectedMax - looked_at_;
    const std::size_t taken = std::min(room, page.jobs.size());
    for (std::size_t i = 0; i < taken; ++i) removal_.look_at(page.jobs[i]);
    looked_at_ += taken;
    const bool more = !page.next.empty() || taken < page.jobs.size();
    if (more && !removal_.is_complete() && looked_at_ < plans::kCollectedMax) {
      query_.cursor = page.next;
      return next_page();
    }
    auto jobs = removal_.chosen();
    if (jobs.empty() && more) return call_->fail(fmt::format("not among the newest {}; name the job by its id", looked_at_));
    cancel(call_, std::move(jobs));
  }

  const CallRef call_;
  Removal removal_;
  store::JobQuery query_;
  std::size_t looked_at_ = 0;
};

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
  if (Status status = call->core().door.admit(call->client().caller, command::kJobCancelBulk); !status.ok())
    return plans::refuse(call, status);
  auto removal = read_removal(call, key);
  if (!removal) return;
  if (removal->elements.size() != 1 || !work::parse_job_id(removal->elements[0]))
    return std::make_shared<Search>(call, *std::move(removal))->next_page();
  // A job of ours is found without walking its queue. What only looks like one may be an element that its client pushed.
  plans::find_job(call, removal->elements[0], [call, removal = *removal](const Result<Job>& job) mutable {
    if (!job.ok() && job.code() != Code::not_found) return plans::refuse(call, job.status());
    if (!job.ok()) return std::make_shared<Search>(call, std::move(removal))->next_page();
    if (!stands_in(*job, removal.view)) return call->answer(wire::integer_reply(0));
    cancel(call, {job->id});
  });
}

void schedule(const CallRef& call) {
  if (Status status = call->core().door.admit(call->client().caller, command::kJobSubmitBulk); !status.ok())
    return plans::refuse(call, status);
  auto jobs = read_schedule(call);
  if (!jobs) return;
  ask(call, command::JobSubmitBulkRequest{*std::move(jobs)}, [call](Result<command::JobSubmitBulkReply> enqueued) {
    if (!enqueued.ok()) return plans::refuse(call, enqueued.status());
    const auto added =
        std::count_if(enqueued->begin(), enqueued->end(), [](const store::Enqueued& each) { return !each.existed; });
    call->answer(wire::integer_reply(added));
  });
}

}  // namespace muster::resp::views
