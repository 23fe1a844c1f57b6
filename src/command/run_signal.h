// run.signal: somebody outside tells a run something it waits for, or will.
#pragma once

#include "base/reply.h"
#include "command/context.h"
#include "command/spec.h"

namespace muster::command {

inline constexpr Spec kRunSignal{
    .name = "run.signal",
    .since = "0.3",
    .auth = Auth::operator_only,
    .effect = Effect::write,
    .idempotent = false,
    .audited = false,
    .summary = "Send a signal to a workflow run; one that nobody waits for yet is kept.",
};

using RunSignalRequest = store::Signal;
using RunSignalReply = store::Signalled;

// conflict: the run is finished. exhausted: too many signals that nobody has taken.
void handle(Context& context, RunSignalRequest request, Reply<RunSignalReply> reply);

}  // namespace muster::command
