#include "command/runs.h"

#include <fmt/format.h>

#include "command/guards.h"
#include "command/jobs.h"
#include "command/run_spec.h"
#include "command/scope.h"
#include "command/single.h"
#include "model/validate.h"

namespace muster::command {

void handle(Context& context, RunStartRequest request, Reply<RunStartReply> reply) {
  if (!request.job.run) request.job.run.emplace();
  need_workflow(request.job);
  if (request.holds_id) hold_external_id(request.job);
  handle(context, JobSubmitRequest{.job = std::move(request.job)}, std::move(reply));
}

void handle(Context& context, RunStartChildRequest request, Reply<RunStartReply> reply) {
  if (!request.job.run || !request.job.run->parent)
    return reply(Status::invalid_argument("a run that a worker starts is the child of the run it holds; no parent is named"));
  handle(context, RunStartRequest{.job = std::move(request.job)}, std::move(reply));
}

void handle(Context& context, RunGetStepRequest request, Reply<RunGetStepReply> reply) {
  store::StepQuery query;
  query.step = request.step;
  auto found = [&engine = context.engine, caller = context.caller, step = request.step,
                reply = std::move(reply)](Result<store::StepPage> page) mutable {
    if (page.ok() && page->steps.empty())
      return reply(Status::not_found(fmt::format("step attempt {} does not exist", step.value.text())));
    if (!page.ok()) return reply(page.status());
    const JobId run = page->steps.front().run;
    engine.jobs().get({run}, unwrap<Job>([step = std::move(page->steps.front()), caller = std::move(caller),
                                          reply = std::move(reply)](Result<Job> job) mutable {
                        job = only_run(caller, std::move(job));
                        if (!job.ok()) return reply(job.status());
                        reply(RunGetStepReply{.step = std::move(step), .run = *std::move(job)});
                      }));
  };
  context.engine.runs().list_steps(std::move(query), std::move(found));
}

void handle(Context& context, RunCompleteRequest request, Reply<store::Settled> reply) {
  request.run.bounds = lease_bounds(context.caller);
  context.engine.runs().complete(std::move(request.run), std::move(request.output), std::move(reply));
}

void handle(Context& context, RunFailRequest request, Reply<store::Settled> reply) {
  request.run.bounds = lease_bounds(context.caller);
  context.engine.runs().fail(std::move(request.run), std::move(request.error), std::move(reply));
}

void handle(Context& context, RunGetRequest request, Reply<RunGetReply> reply) {
  with_run(context, request.run, std::move(reply));
}

void handle(Context& context, RunListRequest request, Reply<RunListReply> reply) {
  request.query.filter.runs_only = true;
  auto own = only_own(
      context.caller, [](RunListReply & page) -> auto& { return page.jobs; }, std::move(reply));
  context.engine.jobs().list(std::move(request.query), std::move(own));
}

void handle(Context& context, RunHistoryRequest request, Reply<RunHistoryReply> reply) {
  const JobId id = request.run;
  with_run(context, id,
           [&engine = context.engine, request = std::move(request), reply = std::move(reply)](Result<Job> run) mutable {
             if (!run.ok()) return reply(run.status());
             engine.runs().list_steps({.run = request.run,
                                       .name = std::move(request.step),
                                       .step = std::nullopt,
                                       .limit = request.limit,
                                       .cursor = std::move(request.cursor)},
                                      std::move(reply));
           });
}

engine::RunTicket handle(Context& context, RunResultRequest request, Reply<RunResultReply> reply) {
  if (Status wait = validate_duration("wait", request.wait, {Duration(0), limits::kClaimWaitMax}); !wait.ok()) {
    reply(std::move(wait));
    return {};
  }
  return context.engine.runs().await_end(
      request.run, request.wait,
      [caller = context.caller, reply = std::move(reply)](Result<Job> run) mutable { reply(only_run(caller, std::move(run))); });
}

void handle(Context& context, RunStepRequest request, Reply<RunStepReply> reply) {
  const auto bounds = lease_bounds(context.caller);
  // Only a caller that is bound is refused for what it names.
  if (bounds == nullptr) return context.engine.runs().steps(std::move(request.calls), std::move(reply));
  for (store::StepCall& call : request.calls) std::visit([&bounds](auto& one) { one.run.bounds = bounds; }, call);
  context.engine.runs().steps(std::move(request.calls), [reply = std::move(reply)](Result<RunStepReply> answers) mutable {
    if (answers.ok())
      if (Status refused = refused_whole(*answers); !refused.ok()) return reply(std::move(refused));
    reply(std::move(answers));
  });
}

void handle(Context& context, RunSignalRequest request, Reply<RunSignalReply> reply) {
  const JobId id = request.run;
  with_run(context, id,
           [&engine = context.engine, request = std::move(request), reply = std::move(reply)](Result<Job> run) mutable {
             if (!run.ok()) return reply(run.status());
             engine.runs().signal(std::move(request), std::move(reply));
           });
}

void handle(Context& context, RunCancelRequest request, Reply<RunCancelReply> reply) {
  with_run(context, request.run, [&engine = context.engine, request, reply = std::move(reply)](Result<Job> run) mutable {
    if (!run.ok()) return reply(run.status());
    engine.runs().cancel(request.run, std::move(request.reason), std::move(reply));
  });
}

void handle(Context& context, RunTerminateRequest request, Reply<RunTerminateReply> reply) {
  with_run(context, request.run, [&engine = context.engine, request, reply = std::move(reply)](Result<Job> run) mutable {
    if (!run.ok()) return reply(run.status());
    engine.runs().terminate(request.run, std::move(request.reason), std::move(reply));
  });
}

void handle(Context& context, RunRetryRequest request, Reply<RunRetryReply> reply) {
  with_run(context, request.run, [&engine = context.engine, request, reply = std::move(reply)](Result<Job> run) mutable {
    if (!run.ok()) return reply(run.status());
    if (request.external_id.empty()) request.external_id = run->spec.run->external_id;
    engine.runs().start_again(request.run, {std::move(request.external_id), std::move(request.correlation)}, std::move(reply));
  });
}

}  // namespace muster::command
