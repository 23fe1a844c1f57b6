// job.settle: many outcomes of many jobs in one request, each answered by itself.
#pragma once

#include "base/reply.h"
#include "command/context.h"
#include "command/spec.h"

namespace muster::command {

inline constexpr Spec kJobSettle{
    .name = "job.settle",
    .since = "0.1",
    .auth = Auth::worker,
    .effect = Effect::write,
    .idempotent = true,
    .audited = false,
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
void handle(Context& context, JobSettleRequest request, Reply<JobSettleReply> reply);

}  // namespace muster::command
