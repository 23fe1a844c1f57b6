// Jobs: what clients submit and ask, and what workers report.
#pragma once

#include <string>
#include <vector>

#include "base/reply.h"
#include "command/context.h"
#include "command/spec.h"

namespace muster::command {

// job.submit and job.submit_bulk: a client hands over work.
inline constexpr Spec kJobSubmit{
    .name = "job.submit",
    .since = "0.1",
    .auth = Auth::operator_only,
    .effect = Effect::write,
    .summary = "Submit one job.",
};

struct JobSubmitRequest {
  JobSpec job;
};
using JobSubmitReply = store::Enqueued;

template <>
struct Record<JobSubmitRequest> : Command<kJobSubmit, JobSubmitReply> {};

void handle(Context& context, JobSubmitRequest request, Reply<JobSubmitReply> reply);

inline constexpr Spec kJobSubmitBulk{
    .name = "job.submit_bulk",
    .since = "0.1",
    .auth = Auth::operator_only,
    .effect = Effect::write,
    .summary = "Submit many jobs, all or none of them.",
};

struct JobSubmitBulkRequest {
  std::vector<JobSpec> jobs;
};
using JobSubmitBulkReply = std::vector<store::Enqueued>;

template <>
struct Record<JobSubmitBulkRequest> : Command<kJobSubmitBulk, JobSubmitBulkReply> {};

void handle(Context& context, JobSubmitBulkRequest request, Reply<JobSubmitBulkReply> reply);

// job.get: one job with its payload, result and attempts.
inline constexpr Spec kJobGet{
    .name = "job.get",
    .since = "0.1",
    .auth = Auth::read_only,
    .effect = Effect::read,
    .idempotent = true,
    .summary = "Show one job.",
};

struct JobGetRequest {
  JobId job;
};
using JobGetReply = Job;

template <>
struct Record<JobGetRequest> : Command<kJobGet, JobGetReply> {};

void handle(Context& context, std::vector<JobGetRequest> requests, Reply<store::Each<JobGetReply>> reply);

// job.find: jobs by a key that whoever submitted them chose.
inline constexpr Spec kJobFind{
    .name = "job.find",
    .since = "0.4",
    .auth = Auth::read_only,
    .effect = Effect::read,
    .idempotent = true,
    .summary = "Find jobs by idempotency key, or unfinished ones by unique key.",
};

struct JobFindRequest {
  enum class By : std::uint8_t { idempotency_key, unique_key };

  NamespaceName ns{kDefaultNamespace};
  By by = By::idempotency_key;
  std::vector<std::string> keys;
};
using JobFindReply = store::Each<JobId>;  // in the order of the keys

template <>
struct Record<JobFindRequest> : Command<kJobFind, JobFindReply> {};

void handle(Context& context, JobFindRequest request, Reply<JobFindReply> reply);

// job.count: how many jobs are where.
inline constexpr Spec kJobCount{
    .name = "job.count",
    .since = "0.4",
    .auth = Auth::read_only,
    .effect = Effect::read,
    .idempotent = true,
    .summary = "Count jobs by queue, type and state.",
};

struct JobCountRequest {
  store::JobFilter filter;  // its namespace, queue, type, states and runs_only count
};
using JobCountReply = std::vector<store::JobCount>;

template <>
struct Record<JobCountRequest> : Command<kJobCount, JobCountReply> {};

void handle(Context& context, JobCountRequest request, Reply<JobCountReply> reply);

// job.list: a page of the jobs that match a filter, with a stable cursor.
inline constexpr Spec kJobList{
    .name = "job.list",
    .since = "0.1",
    .auth = Auth::read_only,
    .effect = Effect::read,
    .idempotent = true,
    .summary = "List or search jobs.",
};

using JobListRequest = store::JobQuery;
using JobListReply = store::JobPage;

template <>
struct Record<JobListRequest> : Command<kJobList, JobListReply> {};

void handle(Context& context, JobListRequest request, Reply<JobListReply> reply);

// job.why: the reason a job is not running.
inline constexpr Spec kJobWhy{
    .name = "job.why",
    .since = "0.1",
    .auth = Auth::read_only,
    .effect = Effect::read,
    .idempotent = true,
    .summary = "Explain why a job is not running.",
};

struct JobWhyRequest {
  JobId job;
};
using JobWhyReply = engine::Why;
using JobWhyCode = engine::WhyCode;

template <>
struct Record<JobWhyRequest> : Command<kJobWhy, JobWhyReply> {};

void handle(Context& context, JobWhyRequest request, Reply<JobWhyReply> reply);

// job.logs: what the tools of a job wrote.
//
// A worker may hand the two streams over as they are, under names of the job's own; or tell them task by task in the result, or
// in the partial result of a job that fails. The first is preferred: it is whole, while results are bounded.
inline constexpr Spec kJobLogs{
    .name = "job.logs",
    .since = "0.2",
    .auth = Auth::read_only,
    .effect = Effect::read,
    .idempotent = true,
    .summary = "Show what the tools of a job wrote.",
};

struct JobLogsRequest {
  JobId job;
};

struct JobLogs {
  JobId job;
  JobState state = JobState::ready;
  std::string output;  // bytes of standard output; empty when there is none
  std::string errors;  // bytes of standard error
};
using JobLogsReply = JobLogs;

template <>
struct Record<JobLogsRequest> : Command<kJobLogs, JobLogsReply> {};

void handle(Context& context, JobLogsRequest request, Reply<JobLogsReply> reply);

// Where a job's streams are kept, in store::KeySpace::internal.
std::string output_key(JobId job);
std::string errors_key(JobId job);

// job.cancel and job.cancel_bulk: work that is no longer wanted.
inline constexpr Spec kJobCancel{
    .name = "job.cancel",
    .since = "0.1",
    .auth = Auth::operator_only,
    .effect = Effect::write,
    .audited = true,
    .summary = "Cancel a job: a waiting one at once, a running one through its worker.",
};

struct JobCancelRequest {
  store::Cancel cancel;
};
using JobCancelReply = store::Cancelled;

template <>
struct Record<JobCancelRequest> : Command<kJobCancel, JobCancelReply> {};

void handle(Context& context, JobCancelRequest request, Reply<JobCancelReply> reply);

inline constexpr Spec kJobCancelBulk{
    .name = "job.cancel_bulk",
    .since = "0.1",
    .auth = Auth::operator_only,
    .effect = Effect::write,
    .audited = true,
    .summary = "Cancel many jobs, each answered by itself.",
};

struct JobCancelBulkRequest {
  std::vector<store::Cancel> cancels;
};
using JobCancelBulkReply = store::Each<store::Cancelled>;

template <>
struct Record<JobCancelBulkRequest> : Command<kJobCancelBulk, JobCancelBulkReply> {};

void handle(Context& context, JobCancelBulkRequest request, Reply<JobCancelBulkReply> reply);

// job.retry and job.retry_matching: dead or cancelled work starts over.
inline constexpr Spec kJobRetry{
    .name = "job.retry",
    .since = "0.1",
    .auth = Auth::operator_only,
    .effect = Effect::write,
    .audited = true,
    .summary = "Re-drive one dead or cancelled job.",
};

struct JobRetryRequest {
  JobId job;
};
using JobRetryReply = store::Settled;

template <>
struct Record<JobRetryRequest> : Command<kJobRetry, JobRetryReply> {};

void handle(Context& context, JobRetryRequest request, Reply<JobRetryReply> reply);

inline constexpr Spec kJobRetryMatching{
    .name = "job.retry_matching",
    .since = "0.1",
    .auth = Auth::operator_only,
    .effect = Effect::write,
    .audited = true,
    .summary = "Re-drive the dead or cancelled jobs that match a filter.",
};

using JobRetryMatchingRequest = store::RedriveFilter;
using JobRetryMatchingReply = store::Redriven;

template <>
struct Record<JobRetryMatchingRequest> : Command<kJobRetryMatching, JobRetryMatchingReply> {};

void handle(Context& context, JobRetryMatchingRequest request, Reply<JobRetryMatchingReply> reply);

// job.claim: a worker asks for work and may wait for it.
inline constexpr Spec kJobClaim{
    .name = "job.claim",
    .since = "0.1",
    .auth = Auth::worker,
    .effect = Effect::write,
    .summary = "Take up to limit jobs the worker can do, waiting for one if there is none.",
};

struct JobClaimRequest {
  store::ClaimRequest claim;
  Duration wait{0};  // 0: answer at once
};
using JobClaimReply = store::ClaimReply;

// The ticket cancels the claim while it waits (engine::Claims::cancel); it is 0 when the claim was refused.
template <>
struct Record<JobClaimRequest> : Command<kJobClaim, JobClaimReply> {};

engine::ClaimTicket handle(Context& context, JobClaimRequest request, Reply<JobClaimReply> reply);

// job.heartbeat: the worker renews the lease of one job. worker.heartbeat renews all of a worker's at once.
inline constexpr Spec kJobHeartbeat{
    .name = "job.heartbeat",
    .since = "0.1",
    .auth = Auth::worker,
    .effect = Effect::write,
    .idempotent = true,
    .summary = "Renew the lease of a running job and learn whether it is to be cancelled.",
};

using JobHeartbeatRequest = store::Renewal;
using JobHeartbeatReply = store::Renewed;

template <>
struct Record<JobHeartbeatRequest> : Command<kJobHeartbeat, JobHeartbeatReply> {};

void handle(Context& context, std::vector<JobHeartbeatRequest> requests, Reply<store::Each<JobHeartbeatReply>> reply);

// job.progress: the worker tells how far it is; the lease is renewed too.
inline constexpr Spec kJobProgress{
    .name = "job.progress",
    .since = "0.1",
    .auth = Auth::worker,
    .effect = Effect::write,
    .idempotent = true,
    .summary = "Report progress and a partial result of a running job, and renew its lease.",
};

using JobProgressRequest = store::ProgressUpdate;
using JobProgressReply = store::Renewed;

template <>
struct Record<JobProgressRequest> : Command<kJobProgress, JobProgressReply> {};

void handle(Context& context, std::vector<JobProgressRequest> requests, Reply<store::Each<JobProgressReply>> reply);

// job.complete: the worker finished the job it holds.
inline constexpr Spec kJobComplete{
    .name = "job.complete",
    .since = "0.1",
    .auth = Auth::worker,
    .effect = Effect::write,
    .idempotent = true,
    .summary = "Finish a running job with a result.",
};

using JobCompleteRequest = store::Completion;
using JobCompleteReply = store::Settled;

template <>
struct Record<JobCompleteRequest> : Command<kJobComplete, JobCompleteReply> {};

void handle(Context& context, std::vector<JobCompleteRequest> requests, Reply<store::Each<JobCompleteReply>> reply);

// job.fail: the worker's attempt failed.
inline constexpr Spec kJobFail{
    .name = "job.fail",
    .since = "0.1",
    .auth = Auth::worker,
    .effect = Effect::write,
    .idempotent = true,
    .summary = "Report that the attempt failed; the retry policy decides what follows.",
};

using JobFailRequest = store::Failure;
using JobFailReply = store::Settled;

template <>
struct Record<JobFailRequest> : Command<kJobFail, JobFailReply> {};

void handle(Context& context, std::vector<JobFailRequest> requests, Reply<store::Each<JobFailReply>> reply);

// job.snooze: the worker asks for the job again later.
inline constexpr Spec kJobSnooze{
    .name = "job.snooze",
    .since = "0.1",
    .auth = Auth::worker,
    .effect = Effect::write,
    .idempotent = true,
    .summary = "Put a running job off without spending an attempt.",
};

using JobSnoozeRequest = store::Snooze;
using JobSnoozeReply = store::Settled;

template <>
struct Record<JobSnoozeRequest> : Command<kJobSnooze, JobSnoozeReply> {};

void handle(Context& context, std::vector<JobSnoozeRequest> requests, Reply<store::Each<JobSnoozeReply>> reply);

// job.release: the worker hands the job back.
inline constexpr Spec kJobRelease{
    .name = "job.release",
    .since = "0.1",
    .auth = Auth::worker,
    .effect = Effect::write,
    .idempotent = true,
    .summary = "Hand a running job back without spending an attempt.",
};

using JobReleaseRequest = store::Release;
using JobReleaseReply = store::Settled;

template <>
struct Record<JobReleaseRequest> : Command<kJobRelease, JobReleaseReply> {};

void handle(Context& context, std::vector<JobReleaseRequest> requests, Reply<store::Each<JobReleaseReply>> reply);

// job.settle: many outcomes of many jobs in one request, each answered by itself.
inline constexpr Spec kJobSettle{
    .name = "job.settle",
    .since = "0.1",
    .auth = Auth::worker,
    .effect = Effect::write,
    .idempotent = true,
    .summary = "Complete, fail, snooze and release many jobs at once.",
};

struct JobSettleRequest {
  std::vector<store::Completion> complete;
  std::vector<store::Failure> fail;
  std::vector<store::Snooze> snooze;
  std::vector<store::Release> release;
};

struct JobSettleReply {
  store::Each<store::Settled> complete;
  store::Each<store::Settled> fail;
  store::Each<store::Settled> snooze;
  store::Each<store::Settled> release;
};

// invalid_argument: more than limits::kSettleBatchMax outcomes together. The four kinds are separate writes: a failure of the
// database answers the elements of its kind, and the others stand.
template <>
struct Record<JobSettleRequest> : Command<kJobSettle, JobSettleReply> {};

void handle(Context& context, JobSettleRequest request, Reply<JobSettleReply> reply);

}  // namespace muster::command
