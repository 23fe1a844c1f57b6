// job.cancel and job.cancel_bulk: work that is no longer wanted.
#pragma once

#include "base/reply.h"
#include "command/context.h"
#include "command/spec.h"

namespace muster::command {

inline constexpr Spec kJobCancel{
    .name = "job.cancel",
    .since = "0.1",
    .auth = Auth::operator_only,
    .effect = Effect::write,
    .idempotent = false,
    .audited = true,
    .summary = "Cancel a job: a waiting one at once, a running one through its worker.",
};

struct JobCancelRequest {
  store::Cancel cancel;
};
using JobCancelReply = store::Cancelled;

void handle(Context& context, JobCancelRequest request, Reply<JobCancelReply> reply);

inline constexpr Spec kJobCancelBulk{
    .name = "job.cancel_bulk",
    .since = "0.1",
    .auth = Auth::operator_only,
    .effect = Effect::write,
    .idempotent = false,
    .audited = true,
    .summary = "Cancel many jobs, each answered by itself.",
};

struct JobCancelBulkRequest {
  std::vector<store::Cancel> cancels;
};
using JobCancelBulkReply = store::Each<store::Cancelled>;

void handle(Context& context, JobCancelBulkRequest request, Reply<JobCancelBulkReply> reply);

}  // namespace muster::command
