// Jobs into queues: LPUSH and RPUSH. A run of neighbours is one enqueue; a push that is wrong is refused by itself.
//
// Each element is a job. A JSON object may bring its own job_id, under which its client can name the job later; pushing that id
// again makes no second job. The end that pops take from next is the right one, so RPUSH goes before what LPUSH brought.
#include <algorithm>
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
  std::size_t added = 0;  // without those that were there already
};

// Pushes that become one enqueue, and their jobs in the same order.
struct Batch {
  std::vector<Push> pushes;
  std::vector<JobSpec> jobs;
};

// The number of jobs that a push brings.
std::size_t count_of(const Call& call) { return std::max<std::size_t>(call.size(), 2) - 2; }

// A job of a queue with a valid name; what its client chose is validated.
Status add_job(const RespOptions& options, const Push& push, const std::string& element, std::vector<JobSpec>& jobs) {
  JobSpec& spec = jobs.emplace_back();
  spec.queue = push.queue;
  spec.type = JobType(plans::kTypeElement);
  spec.priority = push.call->name() == "RPUSH" ? 1 : 0;
  spec.timeout = options.job_timeout;
  spec.retry.attempts_max = options.job_attempts;
  spec.rescues_max = options.job_rescues;
  const ElementFacts facts = read_element(element);
  spec.payload = {.data = element, .encoding = facts.object ? Encoding::json : Encoding::bytes};
  if (!facts.job_id) return validate_content("payload", spec.payload, limits::kPayloadBytesMax);
  spec.idempotency_key = std::string(kChosenIdKey) + *facts.job_id;
  spec.labels[plans::kLabelJob] = *facts.job_id;
  return validate(spec);
}

// The queue of a push that may be.
Result<QueueName> read_target(const CallRef& call) {
  // Plain lists are for everybody who may write; a job is work for others, and workers only take it.
  if (!call->core().door.admit(call->client().caller, command::kJobSubmitBulk).ok())
    return Status::permission_denied("only the operator's key puts jobs into queues");
  if (call->name() != "RPUSH" && call->name() != "LPUSH")
    return Status::invalid_argument(fmt::format("{} does not work on queues", call->name()));
  if (count_of(*call) == 0) return Status::invalid_argument(fmt::format("{} requires at least two arguments", call->name()));
  if (count_of(*call) > limits::kEnqueueBatchMax)
    return Status::invalid_argument(
        fmt::format("{} elements; at most {} are accepted in one push", count_of(*call), limits::kEnqueueBatchMax));
  return read_queue(call->arg(1));
}

// All of its jobs, or none and why. REQUIRES: the form that read_target() accepts.
Status add_push(Push push, Batch& batch) {
  const std::size_t before = batch.jobs.size();
  for (std::size_t i = 2; i < push.call->size(); ++i) {
    Status status = add_job(push.call->core().options, push, push.call->arg(i), batch.jobs);
    if (status.ok()) continue;
    batch.jobs.resize(before);
    return status;
  }
  batch.pushes.push_back(std::move(push));
  return {};
}

// Answers with the lengths as they were after each push of the batch.
void answer_lengths(const std::vector<Push>& pushes) {
  Core& core = pushes.front().call->core();
  std::vector<std::pair<const QueueName*, std::size_t>> pushed_after;  // by queue; there are few, and they are looked through
  for (auto push = pushes.rbegin(); push != pushes.rend(); ++push) {
    auto known =
        std::find_if(pushed_after.begin(), pushed_after.end(), [&](const auto& each) { return *each.first == push->queue; });
    if (known == pushed_after.end()) known = pushed_after.insert(known, {&push->queue, 0});
    core.work_state->lengths().find(
        push->queue, [call = push->call, added = push->added, after = known->second](std::uint64_t length) {
          // Somebody may have been waiting and taken them already; they were there.
          const std::uint64_t then = length > after ? length - after : 0;
          call->answer(wire::integer_reply(static_cast<std::int64_t>(std::max<std::uint64_t>(then, added))));
        });
    known->second += push->added;
  }
}

void enqueue(Batch batch) {
  const CallRef first = batch.pushes.front().call;
  auto done = [&core = first->core(), pushes = std::move(batch.pushes)](Result<std::vector<store::Enqueued>> enqueued) mutable {
    if (!enqueued.ok()) {
      for (const Push& push : pushes) refuse(push.call, enqueued.status());
      return;
    }
    std::size_t next = 0;
    for (Push& push : pushes) {
      for (std::size_t i = 0; i < count_of(*push.call); ++i, ++next) push.added += (*enqueued)[next].existed ? 0 : 1;
      core.work_state->lengths().add(push.queue, static_cast<std::int64_t>(push.added));
    }
    answer_lengths(pushes);
  };
  ask(first, command::JobSubmitBulkRequest{std::move(batch.jobs)}, std::move(done));
}

}  // namespace
}  // namespace muster::resp::work

namespace muster::resp {

void run_pushes(const CallGroupRef& calls) {
  std::size_t left = 0;  // jobs that are still to come
  for (const CallRef& call : *calls) left += work::count_of(*call);
  work::Batch batch;
  for (const CallRef& call : *calls) {
    auto queue = work::read_target(call);
    if (!queue.ok()) {
      work::refuse(call, queue.status());
      continue;
    }
    // Or the engine would refuse all of them.
    if (batch.jobs.size() + work::count_of(*call) > limits::kEnqueueBatchMax && !batch.pushes.empty())
      work::enqueue(std::exchange(batch, {}));
    if (batch.pushes.empty()) batch.jobs.reserve(std::min(left, limits::kEnqueueBatchMax));
    left -= work::count_of(*call);
    if (Status status = work::add_push({.call = call, .queue = *std::move(queue)}, batch); !status.ok())
      work::refuse(call, status);
  }
  if (!batch.pushes.empty()) work::enqueue(std::move(batch));
}

}  // namespace muster::resp
