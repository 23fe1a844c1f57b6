#include "command/agent_sessions.h"

#include <utility>

#include "command/agent_handover.h"

namespace muster::command {

void handle(Context& context, SessionCreateRequest request, Reply<AgentSession> reply) {
  hand_over(context, std::move(request), std::move(reply));
}

void handle(Context& context, SessionGetRequest request, Reply<SessionGetReply> reply) {
  hand_over(context, std::move(request), std::move(reply));
}

void handle(Context& context, SessionListRequest request, Reply<store::SessionPage> reply) {
  hand_over(context, std::move(request), std::move(reply));
}

void handle(Context& context, SessionUpdateRequest request, Reply<AgentSession> reply) {
  hand_over(context, std::move(request), std::move(reply));
}

void handle(Context& context, SessionDeleteRequest request, Reply<AgentSession> reply) {
  hand_over(context, std::move(request), std::move(reply));
}

void handle(Context& context, SessionMessagesRequest request, Reply<store::MessagePage> reply) {
  hand_over(context, std::move(request), std::move(reply));
}

void handle(Context& context, SessionCompactRequest request, Reply<SessionCompactReply> reply) {
  hand_over(context, std::move(request), std::move(reply));
}

void handle(Context& context, SessionRestoreRequest request, Reply<store::CompactionEvent> reply) {
  hand_over(context, std::move(request), std::move(reply));
}

void handle(Context& context, SessionCompactionsRequest request, Reply<store::CompactionPage> reply) {
  hand_over(context, std::move(request), std::move(reply));
}

}  // namespace muster::command
