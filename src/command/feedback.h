// What a job tells while it runs: feedback of its worker, and its output for those who read along.
#pragma once

#include "base/reply.h"
#include "command/context.h"
#include "command/spec.h"

namespace muster::command {

using engine::FeedbackPlace;
using engine::JobOutput;
using engine::kOutputWaitMax;
using engine::OutputGap;

// job.feedback: the worker tells how far it is and what it has put out.
inline constexpr Spec kJobFeedback{
    .name = "job.feedback",
    .since = "0.5",
    .auth = Auth::worker,
    .effect = Effect::write,
    .summary = "Report output, partial results, stage and progress of a running job, and renew its lease.",
};

using JobFeedbackRequest = engine::FeedbackReport;
using JobFeedbackReply = store::Renewed;

// Answered when it is written. Reports that follow each other closely are written together.
template <>
struct Record<JobFeedbackRequest> : Command<kJobFeedback, JobFeedbackReply> {};

void handle(Context& context, JobFeedbackRequest request, Reply<JobFeedbackReply> reply);

// job.output: what a job has put out, behind a number; it may be waited for.
inline constexpr Spec kJobOutput{
    .name = "job.output",
    .since = "0.5",
    .auth = Auth::read_only,
    .effect = Effect::read,
    .idempotent = true,
    .summary = "Read the output of a job, waiting for more of it while it runs.",
};

using JobOutputRequest = engine::OutputQuery;
using JobOutputReply = engine::JobOutput;

template <>
struct Record<JobOutputRequest> : Command<kJobOutput, JobOutputReply> {};

void handle(Context& context, JobOutputRequest request, Reply<JobOutputReply> reply);

}  // namespace muster::command
