// job.retry and job.retry_matching: dead or cancelled work starts over.
#pragma once

#include "base/reply.h"
#include "command/context.h"
#include "command/spec.h"

namespace muster::command {

inline constexpr Spec kJobRetry{
    .name = "job.retry",
    .since = "0.1",
    .auth = Auth::operator_only,
    .effect = Effect::write,
    .idempotent = false,
    .audited = true,
    .summary = "Re-drive one dead or cancelled job.",
};

struct JobRetryRequest {
  JobId job;
};
using JobRetryReply = store::Settled;

void handle(Context& context, JobRetryRequest request, Reply<JobRetryReply> reply);

inline constexpr Spec kJobRetryMatching{
    .name = "job.retry_matching",
    .since = "0.1",
    .auth = Auth::operator_only,
    .effect = Effect::write,
    .idempotent = false,
    .audited = true,
    .summary = "Re-drive the dead or cancelled jobs that match a filter.",
};

using JobRetryMatchingRequest = store::RedriveFilter;
using JobRetryMatchingReply = store::Redriven;

void handle(Context& context, JobRetryMatchingRequest request, Reply<JobRetryMatchingReply> reply);

}  // namespace muster::command
