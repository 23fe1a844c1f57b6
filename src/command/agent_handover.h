// How every command about agents is carried out: by the AgentService of this server, if it has one. For the handlers alone.
#pragma once

#include <utility>

#include "base/reply.h"
#include "command/agent_service.h"
#include "command/context.h"

namespace muster::command {

// unavailable: this server runs no agents; another one of its cluster may.
template <class Request>
void hand_over(Context& context, Request request, Reply<AnswerTo<Request>> reply) {
  AgentService* const agents = context.facts.agents.get();
  if (agents == nullptr)
    return reply(Status::unavailable("this server runs no agents; they are switched on in its configuration"));
  agents->run(context.caller, std::move(request), std::move(reply));
}

}  // namespace muster::command
