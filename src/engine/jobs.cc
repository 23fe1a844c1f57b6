#include "engine/jobs.h"

#include <utility>

#include <fmt/format.h>

#include "engine/batch.h"
#include "engine/requests.h"
#include "model/limits.h"
#include "model/validate.h"

namespace muster::engine {
namespace {

template <class Element>
Status judge(const Element& element) {
  return validate(element);
}

Status judge_id(const JobId& id) {
  return id.value.is_nil() ? Status::invalid_argument("job id is nil; the id of a job is accepted") : Status();
}

}  // namespace

void Jobs::enqueue(std::vector<JobSpec> jobs, Reply<std::vector<store::Enqueued>> reply) {
  if (Status status = validate_batch("jobs", jobs.size(), limits::kEnqueueBatchMax); !status.ok()) return reply(status);
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    Status status = muster::validate(jobs[i]);
    // All or nothing: the first bad job refuses the batch, and says which one it is.
    if (!status.ok()) return reply(jobs.size() == 1 ? status : status.annotate(fmt::format("job {}", i)));
  }
  if (jobs.empty()) return reply(std::vector<store::Enqueued>());
  store_.enqueue(std::move(jobs), std::move(reply));
}

void Jobs::complete(std::vector<store::Completion> batch, Reply<store::Each<store::Settled>> reply) {
  if (Status status = validate_batch("completions", batch.size(), limits::kSettleBatchMax); !status.ok()) return reply(status);
  forward_valid<store::Settled>(
      std::move(batch), judge<store::Completion>,
      [this](auto valid, auto done) { store_.complete(std::move(valid), std::move(done)); }, std::move(reply));
}

void Jobs::fail(std::vector<store::Failure> batch, Reply<store::Each<store::Settled>> reply) {
  if (Status status = validate_batch("failures", batch.size(), limits::kSettleBatchMax); !status.ok()) return reply(status);
  forward_valid<store::Settled>(
      std::move(batch), judge<store::Failure>, [this](auto valid, auto done) { store_.fail(std::move(valid), std::move(done)); },
      std::move(reply));
}

void Jobs::snooze(std::vector<store::Snooze> batch, Reply<store::Each<store::Settled>> reply) {
  if (Status status = validate_batch("snoozes", batch.size(), limits::kSettleBatchMax); !status.ok()) return reply(status);
  forward_valid<store::Settled>(
      std::move(batch), judge<store::Snooze>, [this](auto valid, auto done) { store_.snooze(std::move(valid), std::move(done)); },
      std::move(reply));
}

void Jobs::release(std::vector<store::Release> batch, Reply<store::Each<store::Settled>> reply) {
  if (Status status = validate_batch("releases", batch.size(), limits::kSettleBatchMax); !status.ok()) return reply(status);
  forward_valid<store::Settled>(
      std::move(batch), judge<store::Release>,
      [this](auto valid, auto done) { store_.release(std::move(valid), std::move(done)); }, std::move(reply));
}

void Jobs::report_progress(std::vector<store::ProgressUpdate> batch, Reply<store::Each<store::Renewed>> reply) {
  if (Status status = validate_batch("progress updates", batch.size(), limits::kSettleBatchMax); !status.ok())
    return reply(status);
  forward_valid<store::Renewed>(
      std::move(batch), judge<store::ProgressUpdate>,
      [this](auto valid, auto done) { store_.report_progress(std::move(valid), std::move(done)); }, std::move(reply));
}

void Jobs::renew(std::vector<store::Renewal> batch, Reply<store::Each<store::Renewed>> reply) {
  if (Status status = validate_batch("renewals", batch.size(), limits::kSettleBatchMax); !status.ok()) return reply(status);
  forward_valid<store::Renewed>(
      std::move(batch), judge<store::Renewal>, [this](auto valid, auto done) { store_.renew(std::move(valid), std::move(done)); },
      std::move(reply));
}

void Jobs::cancel(std::vector<store::Cancel> batch, Reply<store::Each<store::Cancelled>> reply) {
  if (Status status = validate_batch("cancels", batch.size(), limits::kSettleBatchMax); !status.ok()) return reply(status);
  forward_valid<store::Cancelled>(
      std::move(batch), judge<store::Cancel>, [this](auto valid, auto done) { store_.cancel(std::move(valid), std::move(done)); },
      std::move(reply));
}

void Jobs::redrive(std::vector<JobId> jobs, Reply<store::Each<store::Settled>> reply) {
  if (Status status = validate_batch("jobs", jobs.size(), limits::kRedriveBatchMax); !status.ok()) return reply(status);
  forward_valid<store::Settled>(
      std::move(jobs), judge_id, [this](auto valid, auto done) { store_.redrive(std::move(valid), std::move(done)); },
      std::move(reply));
}

void Jobs::redrive_matching(store::RedriveFilter filter, Reply<store::Redriven> reply) {
  if (Status status = validate(filter); !status.ok()) return reply(status);
  store_.redrive_matching(std::move(filter), std::move(reply));
}

void Jobs::get(std::vector<JobId> jobs, Reply<store::Each<Job>> reply) {
  if (Status status = validate_batch("jobs", jobs.size(), limits::kPageMax); !status.ok()) return reply(status);
  forward_valid<Job>(
      std::move(jobs), judge_id, [this](auto valid, auto done) { store_.get_jobs(std::move(valid), std::move(done)); },
      std::move(reply));
}

void Jobs::list(store::JobQuery query, Reply<store::JobPage> reply) {
  if (Status status = validate(query); !status.ok()) return reply(status);
  store_.list_jobs(std::move(query), std::move(reply));
}

void Jobs::find(NamespaceName ns, std::vector<std::string> keys, Reply<store::Each<JobId>> reply) {
  if (Status status = validate_batch("keys", keys.size(), limits::kPageMax); !status.ok()) return reply(status);
  store_.find_jobs(std::move(ns), std::move(keys), std::move(reply));
}

void Jobs::find_holders(NamespaceName ns, std::vector<std::string> keys, Reply<store::Each<JobId>> reply) {
  if (Status status = validate_batch("keys", keys.size(), limits::kPageMax); !status.ok()) return reply(status);
  store_.find_holders(std::move(ns), std::move(keys), std::move(reply));
}

void Jobs::count(store::JobFilter filter, Reply<std::vector<store::JobCount>> reply) {
  store_.count_jobs(std::move(filter), std::move(reply));
}

void Jobs::why(JobId job, Reply<Why> reply) {
  if (Status status = judge_id(job); !status.ok()) return reply(status);
  store_.explain(job, [asked = asked_, reply = std::move(reply)](Result<store::WaitFacts> facts) mutable {
    if (!facts.ok()) return reply(facts.status());
    if (asked != nullptr) leave_out_elsewhere(*asked, *facts);
    reply(explain(*facts));
  });
}

}  // namespace muster::engine
