#include "command/run_result.h"

#include "command/run_guard.h"
#include "model/validate.h"

namespace muster::command {

engine::RunTicket handle(Context& context, RunResultRequest request, Reply<RunResultReply> reply) {
  if (Status wait = validate_duration("wait", request.wait, {Duration(0), limits::kClaimWaitMax}); !wait.ok()) {
    reply(std::move(wait));
    return {};
  }
  return context.engine.runs().await_end(
      request.run, request.wait,
      [caller = context.caller, reply = std::move(reply)](Result<Job> run) mutable { reply(only_run(caller, std::move(run))); });
}

}  // namespace muster::command
