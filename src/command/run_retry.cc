#include "command/run_retry.h"

#include "command/run_guard.h"

namespace muster::command {

void handle(Context& context, RunRetryRequest request, Reply<RunRetryReply> reply) {
  with_run(context, request.run, [&engine = context.engine, request, reply = std::move(reply)](Result<Job> run) mutable {
    if (!run.ok()) return reply(run.status());
    if (request.external_id.empty()) request.external_id = run->spec.run->external_id;
    engine.runs().start_again(request.run, std::move(request.external_id), std::move(reply));
  });
}

}  // namespace muster::command
