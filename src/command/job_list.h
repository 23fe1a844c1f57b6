// job.list: a page of the jobs that match a filter, with a stable cursor.
#pragma once

#include "base/reply.h"
#include "command/context.h"
#include "command/spec.h"

namespace muster::command {

inline constexpr Spec kJobList{
    .name = "job.list",
    .since = "0.1",
    .auth = Auth::read_only,
    .effect = Effect::read,
    .idempotent = true,
    .audited = false,
    .summary = "List or search jobs.",
};

using JobListRequest = store::JobQuery;
using JobListReply = store::JobPage;

void handle(Context& context, JobListRequest request, Reply<JobListReply> reply);

}  // namespace muster::command
