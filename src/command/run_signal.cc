#include "command/run_signal.h"

#include "command/run_guard.h"

namespace muster::command {

void handle(Context& context, RunSignalRequest request, Reply<RunSignalReply> reply) {
  const JobId id = request.run;
  with_run(context, id,
           [&engine = context.engine, request = std::move(request), reply = std::move(reply)](Result<Job> run) mutable {
             if (!run.ok()) return reply(run.status());
             engine.runs().signal(std::move(request), std::move(reply));
           });
}

}  // namespace muster::command
