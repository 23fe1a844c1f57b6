// job.submit and job.submit_bulk: a client hands over work.
#pragma once

#include "base/reply.h"
#include "command/context.h"
#include "command/spec.h"

namespace muster::command {

inline constexpr Spec kJobSubmit{
    .name = "job.submit",
    .since = "0.1",
    .auth = Auth::operator_only,
    .effect = Effect::write,
    .idempotent = false,
    .audited = false,
    .summary = "Submit one job.",
};

struct JobSubmitRequest {
  JobSpec job;
};
using JobSubmitReply = store::Enqueued;

void handle(Context& context, JobSubmitRequest request, Reply<JobSubmitReply> reply);

inline constexpr Spec kJobSubmitBulk{
    .name = "job.submit_bulk",
    .since = "0.1",
    .auth = Auth::operator_only,
    .effect = Effect::write,
    .idempotent = false,
    .audited = false,
    .summary = "Submit many jobs, all or none of them.",
};

struct JobSubmitBulkRequest {
  std::vector<JobSpec> jobs;
};
using JobSubmitBulkReply = std::vector<store::Enqueued>;

void handle(Context& context, JobSubmitBulkRequest request, Reply<JobSubmitBulkReply> reply);

}  // namespace muster::command
