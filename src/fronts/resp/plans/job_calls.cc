// JOB.GET, JOB.STATUS and JOB.RETRY.
#include <utility>

#include <fmt/format.h>

#include "command/jobs.h"
#include "command/keys.h"
#include "fronts/resp/plans/handlers.h"
#include "fronts/resp/plans/job_document.h"
#include "fronts/resp/plans/job_find.h"
#include "fronts/resp/plans/outputs.h"
#include "fronts/resp/plans/plan_cache.h"
#include "plan/plan.h"

namespace muster::resp::plans {
namespace {

std::string retries_key(JobId job) { return "job:" + job.value.hex() + ":retries"; }

// Moves the count of a job's retries and answers with what it is then. It lives as long as a dead job does.
void count_retry(const CallRef& call, JobId job, std::int64_t by, UniqueFunction<void(Result<std::int64_t>)> then) {
  store::KeyBatch batch;
  batch.space = store::KeySpace::internal;
  batch.commands = {store::key::Increment{.key = retries_key(job), .by = by},
                    store::key::Expire{.key = retries_key(job), .at = Instant(limits::kDeadKeptDefault), .relative = true}};
  ask(call, command::KeysWriteRequest{std::move(batch)}, [then = std::move(then)](Result<command::KeysReply> answers) mutable {
    if (!answers.ok()) return then(answers.status());
    then(answers->front().number);
  });
}

// Takes a counted retry back: it was not made.
void uncount_retry(const CallRef& call, JobId job) {
  count_retry(call, job, -1, [](const Result<std::int64_t>&) {});
}

void redrive(const CallRef& call, JobId job) {
  ask(call, command::JobRetryRequest{.job = job}, [call, job](Result<command::JobRetryReply> settled) {
    if (settled.ok()) return call->answer("+OK job re-queued\r\n");
    uncount_retry(call, job);
    if (settled.code() == Code::conflict) return call->fail("Job not in failed status");
    refuse(call, settled.status());
  });
}

// The job, or the answer that there is none.
void with_job(const CallRef& call, UniqueFunction<void(Job)> then) {
  if (Status status = plan::validate_identifier("job_id", call->arg(1)); !status.ok()) return refuse(call, status);
  find_job(call, call->arg(1), [call, then = std::move(then)](Result<Job> job) mutable {
    if (job.code() == Code::not_found) return call->fail("Job not found: " + call->arg(1));
    if (!job.ok()) return refuse(call, job.status());
    then(*std::move(job));
  });
}

}  // namespace

void job_get(const CallRef& call) {
  Core& core = call->core();
  if (!core.plan_cache->spend(Limited::job_get))
    return call->fail(
        fmt::format("Protocol error: Rate limit exceeded for JOB.GET (max {}/minute)", core.options.limits.job_gets_per_minute));
  with_job(call, [call](Job job) {
    with_document(call, std::move(job), [call](const Job&, std::string document) { call->answer(wire::bulk_reply(document)); });
  });
}

void job_status(const CallRef& call) {
  if (Status status = plan::validate_identifier("job_id", call->arg(1)); !status.ok()) return refuse(call, status);
  find_job(call, call->arg(1), [call](Result<Job> job) {
    if (job.code() == Code::not_found) return call->answer(wire::null_reply(call->protocol()));
    if (!job.ok()) return refuse(call, job.status());
    auto shown = std::make_shared<const Job>(*std::move(job));
    read_outputs(call, *shown, [call, shown](Result<Outputs> outputs) {
      if (!outputs.ok()) return refuse(call, outputs.status());
      call->answer(wire::bulk_reply(status_document(*shown, *outputs)));
    });
  });
}

void job_retry(const CallRef& call) {
  with_job(call, [call](const Job& job) {
    if (job.state != JobState::dead) return call->fail("Job not in failed status");
    count_retry(call, job.id, 1, [call, id = job.id](Result<std::int64_t> retries) {
      if (!retries.ok()) return refuse(call, retries.status());
      if (*retries > static_cast<std::int64_t>(call->core().options.job_attempts)) {
        uncount_retry(call, id);
        return call->fail("Max retries exceeded");
      }
      redrive(call, id);
    });
  });
}

}  // namespace muster::resp::plans
