#include "command/watch/history.h"

namespace muster::command {

void handle(Context& context, ServerHistoryRequest request, Reply<ServerHistoryReply> reply) {
  if (Status allowed = authorize_everywhere(context.caller, kServerHistory.name); !allowed.ok()) return reply(allowed);
  reply(ServerHistoryReply{.node = context.facts.node, .points = context.engine.history().read(request.span, request.since)});
}

}  // namespace muster::command
