// job.claim: a worker asks for work and may wait for it.
#pragma once

#include "base/reply.h"
#include "command/context.h"
#include "command/spec.h"

namespace muster::command {

inline constexpr Spec kJobClaim{
    .name = "job.claim",
    .since = "0.1",
    .auth = Auth::worker,
    .effect = Effect::write,
    .idempotent = false,
    .audited = false,
    .summary = "Take up to limit jobs the worker can do, waiting for one if there is none.",
};

struct JobClaimRequest {
  store::ClaimRequest claim;
  Duration wait{0};  // 0: answer at once
};
using JobClaimReply = store::ClaimReply;

// The ticket cancels the claim while it waits (engine::Claims::cancel); it is 0 when the claim was refused.
engine::ClaimTicket handle(Context& context, JobClaimRequest request, Reply<JobClaimReply> reply);

}  // namespace muster::command
