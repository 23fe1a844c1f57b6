// QUEUE.STATS and QUEUE.PEEK.
#include <algorithm>
#include <memory>
#include <utility>

#include "command/action_spec.h"
#include "fronts/resp/plans/collect.h"
#include "fronts/resp/plans/handlers.h"
#include "fronts/resp/plans/job_document.h"
#include "fronts/resp/plans/json_text.h"
#include "fronts/resp/plans/live_state.h"
#include "model/validate.h"

namespace muster::resp::plans {
namespace {

constexpr std::int64_t kPeekDefault = 10;
constexpr std::string_view kQueuePrefix = "queue:";
constexpr std::string_view kProcessing = "processing";
constexpr std::string_view kScheduled = "scheduled";

std::string_view without_prefix(std::string_view queue) {
  return queue.starts_with(kQueuePrefix) ? queue.substr(kQueuePrefix.size()) : queue;
}

// What stands in a list of this name: running jobs, those that are due later, or what waits in a queue.
store::JobFilter filter_of(std::string_view name) {
  store::JobFilter filter;
  filter.ns = default_namespace();
  if (name == kProcessing) {
    filter.states = {JobState::running};
  } else if (name == kScheduled) {
    filter.states = {JobState::scheduled};
  } else {
    filter.states = {JobState::ready};
    filter.queue = QueueName(std::string(name));
  }
  return filter;
}

void with_jobs(const CallRef& call, store::JobFilter filter, store::Order order, std::size_t most,
               UniqueFunction<void(std::vector<Job>)> then) {
  store::JobQuery query;
  query.filter = std::move(filter);
  query.order = order;
  collect(call, std::move(query), most, [call, then = std::move(then)](Result<Collected<Job>> found) mutable {
    if (!found.ok()) return refuse(call, found.status());
    then(std::move(found->items));
  });
}

// The original's two pairs first, then ours.
void answer_pairs(const CallRef& call) {
  with_queues(call, [call](const std::vector<QueueStats>& queues) {
    with_live_workers(call, [call, queues](const std::vector<Worker>& workers) {
      const QueueTotals sum = totals_of(queues);
      std::uint64_t pending = ready_in(queues, command::kPlanQueue);
      if (call->core().options.compat_flags.jobs_are_tasks)
        pending += ready_in(queues, command::kTaskQueue) + ready_in(queues, command::kGpuQueue);
      const std::pair<std::string_view, std::uint64_t> pairs[] = {{"pending_jobs", pending},
                                                                  {"scheduled_jobs", sum.scheduled},
                                                                  {"processing_jobs", sum.running},
                                                                  {"waiting_jobs", sum.ready},
                                                                  {"active_workers", workers.size()}};
      std::string out;
      wire::array(out, 2 * std::size(pairs));
      for (const auto& [name, value] : pairs) {
        wire::bulk(out, name);
        wire::bulk(out, std::to_string(value));
      }
      call->answer(std::move(out));
    });
  });
}

std::string seconds_or_null(std::optional<Duration> span) {
  if (!span) return "null";
  return std::to_string(std::max<std::int64_t>(0, std::chrono::duration_cast<std::chrono::seconds>(*span).count()));
}

// What QUEUE.STATS <queue> tells, gathered one question after the other.
struct Report : std::enable_shared_from_this<Report> {
  Report(CallRef asked_by, std::string queue) : call(std::move(asked_by)), name(std::move(queue)) {}

  void count() {
    with_queues(call, [self = shared_from_this()](const std::vector<QueueStats>& queues) {
      const QueueTotals sum = totals_of(queues);
      self->scheduled = sum.scheduled;
      self->length = self->name == kProcessing ? sum.running : ready_in(queues, self->name);
      self->look_at_newest();
    });
  }

  void look_at_newest() {
    with_jobs(call, filter_of(name), store::Order::newest_first, 1, [self = shared_from_this()](const std::vector<Job>& jobs) {
      if (!jobs.empty()) self->newest = self->call->core().now() - jobs[0].created_at;
      self->look_at_oldest();
    });
  }

  void look_at_oldest() {
    with_jobs(call, filter_of(name), store::Order::oldest_first, 1, [self = shared_from_this()](const std::vector<Job>& jobs) {
      if (!jobs.empty()) self->oldest = self->call->core().now() - jobs[0].created_at;
      self->look_at_scheduled();
    });
  }

  void look_at_scheduled() {
    with_jobs(call, filter_of(kScheduled), store::Order::oldest_first, kCollectedMax,
              [self = shared_from_this()](const std::vector<Job>& jobs) {
                std::optional<Instant> first;
                for (const Job& job : jobs)
                  if (job.run_at) first = std::min(first.value_or(*job.run_at), *job.run_at);
                if (first) self->next_due = *first - self->call->core().now();
                self->look_at_workers();
              });
  }

  void look_at_workers() {
    with_live_workers(call, [self = shared_from_this()](const std::vector<Worker>& live) {
      self->workers = live.size();
      self->busy = static_cast<std::size_t>(
          std::count_if(live.begin(), live.end(), [](const Worker& worker) { return worker.running > 0; }));
      self->call->answer(wire::bulk_reply(self->document()));
    });
  }

  std::string document() const {
    ObjectText waiting;
    waiting.number("length", static_cast<std::int64_t>(length));
    waiting.raw("newest_job_age_seconds", seconds_or_null(newest));
    waiting.raw("oldest_job_age_seconds", seconds_or_null(oldest));
    ObjectText later;
    later.number("length", static_cast<std::int64_t>(scheduled));
    later.raw("next_job_due_in_seconds", seconds_or_null(next_due));
    ObjectText people;
    people.number("active", static_cast<std::int64_t>(busy));
    people.number("idle", static_cast<std::int64_t>(workers - busy));
    people.number("total", static_cast<std::int64_t>(workers));
    const std::string key = json_string(std::string(kQueuePrefix) + name);
    ObjectText out;
    const std::string_view bare = std::string_view(key).substr(1, key.size() - 2);
    // Alphabetical: a queue's name may come before or after `queue:scheduled`.
    if (name < kScheduled) out.raw(bare, std::move(waiting).take());
    out.raw("queue:scheduled", std::move(later).take());
    if (name > kScheduled) out.raw(bare, std::move(waiting).take());
    out.raw("workers", std::move(people).take());
    return std::move(out).take();
  }

  const CallRef call;
  const std::string name;
  std::uint64_t length = 0;
  std::uint64_t scheduled = 0;
  std::optional<Duration> oldest;
  std::optional<Duration> newest;
  std::optional<Duration> next_due;
  std::size_t workers = 0;
  std::size_t busy = 0;
};

}  // namespace

void queue_stats(const CallRef& call) {
  if (call->size() == 1) return answer_pairs(call);
  const std::string name(without_prefix(call->arg(1)));
  if (Status status = validate_name("queue", name); !status.ok()) return refuse(call, status);
  std::make_shared<Report>(call, name)->count();
}

void queue_peek(const CallRef& call) {
  const std::string name(without_prefix(call->arg(1)));
  if (Status status = validate_name("queue", name); !status.ok()) return refuse(call, status);
  const auto count = call->size() > 2 ? to_integer(call->arg(2)) : std::optional<std::int64_t>(kPeekDefault);
  if (!count || *count <= 0) return call->fail("count must be a positive integer");
  // The next to be taken first.
  with_jobs(call, filter_of(name), store::Order::oldest_first, std::min(static_cast<std::size_t>(*count), limits::kPageMax),
            [call](const std::vector<Job>& jobs) {
              std::string out;
              wire::array(out, jobs.size());
              for (const Job& job : jobs) wire::bulk(out, job_name(job.id, job.spec.labels));
              call->answer(std::move(out));
            });
}

}  // namespace muster::resp::plans
