#include "fronts/http/codec/agent_sessions.h"
#include "fronts/http/codec/agents.h"
#include "fronts/http/codec/job_replies.h"
#include "fronts/http/endpoint.h"
#include "fronts/http/endpoints.h"

namespace muster::http::endpoints {
namespace {

Response defined_tool(Tool& tool, const Exchange&) { return json(tool, tool.revision > 1 ? 200 : 201); }

Result<command::SessionRestoreRequest> restore_of_path(const Exchange& exchange) {
  return decode_session_restore(exchange.parameters[0], exchange.parameters[1], exchange.body());
}

}  // namespace

void agent_create(ExchangePtr exchange) { serve<decode_agent_create, as_created<Agent>>(std::move(exchange)); }
void agent_list(ExchangePtr exchange) { serve<decode_agent_list, as_json<store::AgentPage>>(std::move(exchange)); }
void agent_get(ExchangePtr exchange) { serve<decode_agent_get, as_json<Agent>>(std::move(exchange)); }
void agent_update(ExchangePtr exchange) { serve<decode_agent_update, as_json<Agent>>(std::move(exchange)); }
void agent_delete(ExchangePtr exchange) { serve<decode_agent_delete, as_json<Agent>>(std::move(exchange)); }

void tool_define(ExchangePtr exchange) { serve<decode_tool_define, defined_tool>(std::move(exchange)); }
void tool_list(ExchangePtr exchange) { serve<decode_tool_list, as_json<store::ToolPage>>(std::move(exchange)); }
void tool_get(ExchangePtr exchange) { serve<decode_tool_get, as_json<Tool>>(std::move(exchange)); }
void tool_delete(ExchangePtr exchange) { serve<decode_tool_delete, as_json<Tool>>(std::move(exchange)); }
void tool_run(ExchangePtr exchange) { serve<decode_tool_run, as_created<store::Enqueued>>(std::move(exchange)); }

void session_create(ExchangePtr exchange) { serve<decode_session_create, as_created<AgentSession>>(std::move(exchange)); }
void session_list(ExchangePtr exchange) { serve<decode_session_list, as_json<store::SessionPage>>(std::move(exchange)); }
void session_get(ExchangePtr exchange) { serve<decode_session_get, as_json<command::SessionGetReply>>(std::move(exchange)); }
void session_update(ExchangePtr exchange) { serve<decode_session_update, as_json<AgentSession>>(std::move(exchange)); }
void session_delete(ExchangePtr exchange) { serve<decode_session_delete, as_json<AgentSession>>(std::move(exchange)); }
void session_messages(ExchangePtr exchange) { serve<decode_session_messages, as_json<store::MessagePage>>(std::move(exchange)); }
void session_compact(ExchangePtr exchange) {
  serve<decode_session_compact, as_json<command::SessionCompactReply>>(std::move(exchange));
}
void session_compactions(ExchangePtr exchange) {
  serve<decode_session_compactions, as_json<store::CompactionPage>>(std::move(exchange));
}
void session_restore(ExchangePtr exchange) { serve<restore_of_path, as_json<store::CompactionEvent>>(std::move(exchange)); }

}  // namespace muster::http::endpoints
