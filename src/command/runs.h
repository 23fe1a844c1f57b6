// Runs of workflows.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "base/reply.h"
#include "command/context.h"
#include "command/spec.h"

namespace muster::command {

// run.start: a client starts a durable workflow.
inline constexpr Spec kRunStart{
    .name = "run.start",
    .since = "0.3",
    .auth = Auth::operator_only,
    .effect = Effect::write,
    .summary = "Start a workflow run; an unfinished one with the same external id is returned instead.",
};

struct RunStartRequest {
  JobSpec job;           // with its RunSpec
  bool holds_id = true;  // false: unfinished runs may share an external id
};
using RunStartReply = store::Enqueued;

template <>
struct Record<RunStartRequest> : Command<kRunStart, RunStartReply> {};

void handle(Context& context, RunStartRequest request, Reply<RunStartReply> reply);

// run.start_child: the worker of a run starts another one and waits for it.
inline constexpr Spec kRunStartChild{
    .name = "run.start_child",
    .since = "0.3",
    .auth = Auth::worker,
    .effect = Effect::write,
    .idempotent = true,
    .summary = "Start a workflow run for a step of the run that the worker holds.",
};

struct RunStartChildRequest {
  JobSpec job;  // its RunSpec names the parent and the step
};

template <>
struct Record<RunStartChildRequest> : Command<kRunStartChild, RunStartReply> {};

// The same child however often the step asks for it.
void handle(Context& context, RunStartChildRequest request, Reply<RunStartReply> reply);

// run.get: one run with its input, its result and its facts as a run.
inline constexpr Spec kRunGet{
    .name = "run.get",
    .since = "0.3",
    .auth = Auth::read_only,
    .effect = Effect::read,
    .idempotent = true,
    .summary = "Show one workflow run.",
};

struct RunGetRequest {
  JobId run;
};
using RunGetReply = Job;

template <>
struct Record<RunGetRequest> : Command<kRunGet, RunGetReply> {};

void handle(Context& context, RunGetRequest request, Reply<RunGetReply> reply);

// run.list: a page of the runs that match a filter, with a stable cursor.
inline constexpr Spec kRunList{
    .name = "run.list",
    .since = "0.3",
    .auth = Auth::read_only,
    .effect = Effect::read,
    .idempotent = true,
    .summary = "List workflow runs.",
};

struct RunListRequest {
  store::JobQuery query;
};
using RunListReply = store::JobPage;

template <>
struct Record<RunListRequest> : Command<kRunList, RunListReply> {};

void handle(Context& context, RunListRequest request, Reply<RunListReply> reply);

// run.history: every attempt at every step of a run, oldest first.
inline constexpr Spec kRunHistory{
    .name = "run.history",
    .since = "0.3",
    .auth = Auth::read_only,
    .effect = Effect::read,
    .idempotent = true,
    .summary = "List the step attempts of a workflow run, oldest first.",
};

struct RunHistoryRequest {
  JobId run;
  std::string step;  // only this step's attempts
  std::size_t limit = limits::kPageDefault;
  std::string cursor;
};
using RunHistoryReply = store::StepPage;

template <>
struct Record<RunHistoryRequest> : Command<kRunHistory, RunHistoryReply> {};

void handle(Context& context, RunHistoryRequest request, Reply<RunHistoryReply> reply);

// run.get_step: one attempt at a step.
inline constexpr Spec kRunGetStep{
    .name = "run.get_step",
    .since = "0.3",
    .auth = Auth::read_only,
    .effect = Effect::read,
    .idempotent = true,
    .summary = "Show one attempt at a step of a workflow run.",
};

struct RunGetStepRequest {
  StepId step;
};
struct RunGetStepReply {
  Step step;
  Job run;
};

template <>
struct Record<RunGetStepRequest> : Command<kRunGetStep, RunGetStepReply> {};

void handle(Context& context, RunGetStepRequest request, Reply<RunGetStepReply> reply);

// run.result: waits for a run to finish.
inline constexpr Spec kRunResult{
    .name = "run.result",
    .since = "0.3",
    .auth = Auth::read_only,
    .effect = Effect::read,
    .idempotent = true,
    .summary = "Wait for a workflow run to finish and show how it ended.",
};

struct RunResultRequest {
  JobId run;
  Duration wait{0};  // 0: answer at once
};
using RunResultReply = Job;

// The run as it is when it has finished or the wait is over. The ticket ends the wait (engine::Runs::cancel_wait).
template <>
struct Record<RunResultRequest> : Command<kRunResult, RunResultReply> {};

engine::RunTicket handle(Context& context, RunResultRequest request, Reply<RunResultReply> reply);

// run.step: the worker that holds a run tells of its steps, several calls at once and in order.
inline constexpr Spec kRunStep{
    .name = "run.step",
    .since = "0.3",
    .auth = Auth::worker,
    .effect = Effect::write,
    .idempotent = true,
    .summary = "Begin, complete or fail steps of the run that the worker holds, or park it.",
};

struct RunStepRequest {
  JobId run;
  std::vector<store::StepCall> calls;  // all about this run
};
using RunStepReply = store::Each<store::StepAnswer>;

template <>
struct Record<RunStepRequest> : Command<kRunStep, RunStepReply> {};

void handle(Context& context, RunStepRequest request, Reply<RunStepReply> reply);

// run.complete and run.fail: the worker that holds a run ends it. Wires that cannot name a lease end whichever is current.
inline constexpr Spec kRunComplete{
    .name = "run.complete",
    .since = "0.3",
    .auth = Auth::worker,
    .effect = Effect::write,
    .idempotent = true,
    .summary = "Finish the workflow run that the worker holds.",
};

struct RunCompleteRequest {
  store::RunRef run;
  Content output;
};

template <>
struct Record<RunCompleteRequest> : Command<kRunComplete, store::Settled> {};

void handle(Context& context, RunCompleteRequest request, Reply<store::Settled> reply);

inline constexpr Spec kRunFail{
    .name = "run.fail",
    .since = "0.3",
    .auth = Auth::worker,
    .effect = Effect::write,
    .idempotent = true,
    .summary = "End the workflow run that the worker holds as failed.",
};

struct RunFailRequest {
  store::RunRef run;
  JobError error;
};

template <>
struct Record<RunFailRequest> : Command<kRunFail, store::Settled> {};

void handle(Context& context, RunFailRequest request, Reply<store::Settled> reply);

// run.signal: somebody outside tells a run something it waits for, or will.
inline constexpr Spec kRunSignal{
    .name = "run.signal",
    .since = "0.3",
    .auth = Auth::operator_only,
    .effect = Effect::write,
    .summary = "Send a signal to a workflow run; one that nobody waits for yet is kept.",
};

using RunSignalRequest = store::Signal;
using RunSignalReply = store::Signalled;

// conflict: the run is finished. exhausted: too many signals that nobody has taken.
template <>
struct Record<RunSignalRequest> : Command<kRunSignal, RunSignalReply> {};

void handle(Context& context, RunSignalRequest request, Reply<RunSignalReply> reply);

// run.cancel and run.terminate: a run that is no longer wanted ends at once, and its unfinished children with it.
inline constexpr Spec kRunCancel{
    .name = "run.cancel",
    .since = "0.3",
    .auth = Auth::operator_only,
    .effect = Effect::write,
    .audited = true,
    .summary = "Cancel a workflow run at once, whoever works on it.",
};

struct RunCancelRequest {
  JobId run;
  std::string reason;
};
using RunCancelReply = store::Cancelled;

template <>
struct Record<RunCancelRequest> : Command<kRunCancel, RunCancelReply> {};

void handle(Context& context, RunCancelRequest request, Reply<RunCancelReply> reply);

inline constexpr Spec kRunTerminate{
    .name = "run.terminate",
    .since = "0.3",
    .auth = Auth::operator_only,
    .effect = Effect::write,
    .audited = true,
    .summary = "End a workflow run at once as dead, with the reason as its error.",
};

struct RunTerminateRequest {
  JobId run;
  std::string reason;
};
using RunTerminateReply = store::Cancelled;

template <>
struct Record<RunTerminateRequest> : Command<kRunTerminate, RunTerminateReply> {};

void handle(Context& context, RunTerminateRequest request, Reply<RunTerminateReply> reply);

// run.retry: a finished run is started once more, as a new run from its beginning.
inline constexpr Spec kRunRetry{
    .name = "run.retry",
    .since = "0.3",
    .auth = Auth::operator_only,
    .effect = Effect::write,
    .audited = true,
    .summary = "Start a finished workflow run again, as a new run with the same input.",
};

struct RunRetryRequest {
  JobId run;
  std::string external_id;    // empty: that of the finished one
  std::string correlation{};  // empty: that of the finished one
};
using RunRetryReply = store::Enqueued;

// conflict: the run is not finished.
template <>
struct Record<RunRetryRequest> : Command<kRunRetry, RunRetryReply> {};

void handle(Context& context, RunRetryRequest request, Reply<RunRetryReply> reply);

}  // namespace muster::command
