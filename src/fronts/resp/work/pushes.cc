// Jobs into queues: LPUSH and RPUSH. A run of neighbours is one enqueue; a push that is wrong is refused by itself.
//
// Each element is a job. A JSON object may bring its own job_id, under which its client can name the job later; pushing that id
// again makes no second job. The end that pops take from next is the right one, so RPUSH goes before what LPUSH brought.
#include <algorithm>
#include <iterator>
#include <unordered_map>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "command/jobs.h"
#include "fronts/resp/commands.h"
#include "fronts/resp/core.h"
#include "fronts/resp/plans/job_document.h"
#include "fronts/resp/work/access.h"
#include "fronts/resp/work/element.h"
#include "fronts/resp/work/lengths.h"
#include "fronts/resp/work/names.h"
#include "fronts/resp/work/pop_request.h"
#include "fronts/resp/work/work_state.h"
#include "model/validate.h"

namespace muster::resp::work {
namespace {

struct Push {
  CallRef call;
  QueueName queue;
  std::vector<JobSpec> jobs;
  std::size_t added = 0;  // without those that were there already
};

Result<JobSpec> make_job(const RespOptions& options, const QueueName& queue, std::string element, bool ahead) {
  JobSpec spec;
  spec.queue = queue;
  spec.type = JobType(plans::kTypeElement);
  spec.priority = ahead ? 1 : 0;
  spec.timeout = options.job_timeout;
  spec.retry.attempts_max = options.job_attempts;
  spec.rescues_max = options.job_rescues;
  const ElementFacts facts = read_element(element);
  spec.payload = {.data = std::move(element), .encoding = facts.object ? Encoding::json : Encoding::bytes};
  if (facts.job_id) {
    spec.idempotency_key = std::string(kChosenIdKey) + *facts.job_id;
    spec.labels[plans::kLabelJob] = *facts.job_id;
  }
  if (Status status = validate(spec); !status.ok()) return status;
  return spec;
}

Result<Push> read_push(const CallRef& call) {
  // Plain lists are for everybody who may write; a job is work for others, and workers only take it.
  if (!call->core().door.admit(call->client().caller, command::kJobSubmitBulk).ok())
    return Status::permission_denied("only the operator's key puts jobs into queues");
  const bool ahead = call->name() == "RPUSH";
  if (!ahead && call->name() != "LPUSH") return Status::invalid_argument(fmt::format("{} does not work on queues", call->name()));
  if (call->size() < 3) return Status::invalid_argument(fmt::format("{} requires at least two arguments", call->name()));
  if (call->size() - 2 > limits::kEnqueueBatchMax)
    return Status::invalid_argument(
        fmt::format("{} elements; at most {} are accepted in one push", call->size() - 2, limits::kEnqueueBatchMax));
  auto queue = read_queue(call->arg(1));
  if (!queue.ok()) return queue.status();
  Push push{.call = call, .queue = *std::move(queue), .jobs = {}};
  push.jobs.reserve(call->size() - 2);
  for (std::size_t i = 2; i < call->size(); ++i) {
    auto job = make_job(call->core().options, push.queue, call->arg(i), ahead);
    if (!job.ok()) return job.status();
    push.jobs.push_back(*std::move(job));
  }
  return push;
}

// Answers with the lengths as they were after each push of the batch.
void answer_lengths(std::vector<Push> pushes) {
  Core& core = pushes.front().call->core();
  std::unordered_map<std::string, std::size_t> pushed_after;  // by queue
  for (auto push = pushes.rbegin(); push != pushes.rend(); ++push) {
    std::size_t& after = pushed_after[push->queue.text()];
    core.work_state->lengths().find(push->queue, [call = push->call, added = push->added, after](std::uint64_t length) {
      // Somebody may have been waiting and taken them already; they were there.
      const std::uint64_t then = length > after ? length - after : 0;
      call->answer(wire::integer_reply(static_cast<std::int64_t>(std::max<std::uint64_t>(then, added))));
    });
    after += push->added;
  }
}

void enqueue(std::vector<Push> pushes) {
  const CallRef first = pushes.front().call;
  std::vector<JobSpec> jobs;
  for (Push& push : pushes)
    jobs.insert(jobs.end(), std::make_move_iterator(push.jobs.begin()), std::make_move_iterator(push.jobs.end()));
  auto done = [&core = first->core(), pushes = std::move(pushes)](Result<std::vector<store::Enqueued>> enqueued) mutable {
    if (!enqueued.ok()) {
      for (const Push& push : pushes) refuse(push.call, enqueued.status());
      return;
    }
    std::size_t next = 0;
    for (Push& push : pushes) {
      for (std::size_t i = 0; i + 2 < push.call->size(); ++i, ++next) push.added += (*enqueued)[next].existed ? 0 : 1;
      core.work_state->lengths().add(push.queue, static_cast<std::int64_t>(push.added));
    }
    answer_lengths(std::move(pushes));
  };
  ask(first, command::JobSubmitBulkRequest{std::move(jobs)}, std::move(done));
}

}  // namespace
}  // namespace muster::resp::work

namespace muster::resp {

void run_pushes(const CallGroupRef& calls) {
  std::vector<work::Push> pushes;
  std::size_t jobs = 0;
  for (const CallRef& call : *calls) {
    auto push = work::read_push(call);
    if (!push.ok()) {
      work::refuse(call, push.status());
      continue;
    }
    if (jobs + push->jobs.size() > limits::kEnqueueBatchMax) {
      work::enqueue(std::exchange(pushes, {}));
      jobs = 0;
    }
    jobs += push->jobs.size();
    pushes.push_back(*std::move(push));
  }
  if (!pushes.empty()) work::enqueue(std::move(pushes));
}

}  // namespace muster::resp
