#include "command/run_cancel.h"

#include "command/run_guard.h"

namespace muster::command {

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

}  // namespace muster::command
