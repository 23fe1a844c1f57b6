// worker.list: a page of workers that match a filter.
#pragma once

#include "base/reply.h"
#include "command/context.h"
#include "command/spec.h"

namespace muster::command {

inline constexpr Spec kWorkerList{
    .name = "worker.list",
    .since = "0.1",
    .auth = Auth::read_only,
    .effect = Effect::read,
    .idempotent = true,
    .audited = false,
    .summary = "List workers.",
};

using WorkerListRequest = store::WorkerQuery;
using WorkerListReply = store::WorkerPage;

void handle(Context& context, WorkerListRequest request, Reply<WorkerListReply> reply);

}  // namespace muster::command
