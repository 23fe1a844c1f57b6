#include "command/job_claim.h"

namespace muster::command {

engine::ClaimTicket handle(Context& context, JobClaimRequest request, Reply<JobClaimReply> reply) {
  if (const Status allowed = authorize_worker(context.caller, request.claim.worker); !allowed.ok()) {
    reply(allowed);
    return {};
  }
  return context.engine.claims().claim(std::move(request.claim), request.wait, std::move(reply));
}

}  // namespace muster::command
