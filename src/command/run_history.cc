#include "command/run_history.h"

#include "command/run_guard.h"

namespace muster::command {

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

}  // namespace muster::command
