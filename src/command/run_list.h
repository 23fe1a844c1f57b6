// run.list: a page of the runs that match a filter, with a stable cursor.
#pragma once

#include "base/reply.h"
#include "command/context.h"
#include "command/spec.h"

namespace muster::command {

inline constexpr Spec kRunList{
    .name = "run.list",
    .since = "0.3",
    .auth = Auth::read_only,
    .effect = Effect::read,
    .idempotent = true,
    .audited = false,
    .summary = "List workflow runs.",
};

struct RunListRequest {
  store::JobQuery query;
};
using RunListReply = store::JobPage;

void handle(Context& context, RunListRequest request, Reply<RunListReply> reply);

}  // namespace muster::command
