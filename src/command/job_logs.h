// job.logs: what the tools of a job wrote.
//
// A worker may hand the two streams over as they are, under names of the job's own; or tell them task by task in the result, or
// in the partial result of a job that fails. The first is preferred: it is whole, while results are bounded.
#pragma once

#include <string>

#include "base/reply.h"
#include "command/context.h"
#include "command/spec.h"

namespace muster::command {

inline constexpr Spec kJobLogs{
    .name = "job.logs",
    .since = "0.2",
    .auth = Auth::read_only,
    .effect = Effect::read,
    .idempotent = true,
    .audited = false,
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

void handle(Context& context, JobLogsRequest request, Reply<JobLogsReply> reply);

// Where a job's streams are kept, in store::KeySpace::internal.
std::string output_key(JobId job);
std::string errors_key(JobId job);

}  // namespace muster::command
