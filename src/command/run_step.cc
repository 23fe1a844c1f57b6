#include "command/run_step.h"

#include "command/lease_guard.h"

namespace muster::command {

void handle(Context& context, RunStepRequest request, Reply<RunStepReply> reply) {
  guard_leases(context, {request.run},
               [&engine = context.engine, calls = std::move(request.calls), reply = std::move(reply)](Status allowed) mutable {
                 if (!allowed.ok()) return reply(std::move(allowed));
                 engine.runs().steps(std::move(calls), std::move(reply));
               });
}

}  // namespace muster::command
