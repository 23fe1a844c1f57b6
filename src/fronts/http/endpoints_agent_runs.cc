#include <memory>

#include "fronts/http/codec/agent_runs.h"
#include "fronts/http/endpoint.h"
#include "fronts/http/endpoints.h"
#include "fronts/http/run_stream.h"

namespace muster::http::endpoints {
namespace {

// What a tool has said, as it said it: a browser takes it for nothing else.
Response whole_output(command::ToolExecutionOutputReply& value, const Exchange&) {
  return {.status = 200,
          .content_type = "text/plain; charset=utf-8",
          .body = std::move(value.output),
          .headers = {{"X-Content-Type-Options", "nosniff"}}};
}

}  // namespace

void agent_run_start(ExchangePtr exchange) {
  serve<decode_agent_run_start, as_made<store::AgentRunStarted>>(std::move(exchange));
}
void agent_run_list(ExchangePtr exchange) { serve<decode_agent_run_list, as_json<store::AgentRunPage>>(std::move(exchange)); }
void agent_run_get(ExchangePtr exchange) { serve<decode_agent_run_get, as_json<command::AgentRunGetReply>>(std::move(exchange)); }
void agent_run_cancel(ExchangePtr exchange) { serve<decode_agent_run_cancel, as_json<AgentRun>>(std::move(exchange)); }
void agent_run_approve(ExchangePtr exchange) {
  serve<decode_agent_run_approve, as_json<command::AgentRunDecideReply>>(std::move(exchange));
}
void agent_run_deny(ExchangePtr exchange) {
  serve<decode_agent_run_deny, as_json<command::AgentRunDecideReply>>(std::move(exchange));
}
void agent_run_fork(ExchangePtr exchange) { serve<decode_agent_run_fork, as_made<store::AgentRunStarted>>(std::move(exchange)); }
void tool_execution_list(ExchangePtr exchange) {
  serve<decode_tool_execution_list, as_json<store::ExecutionPage>>(std::move(exchange));
}
void tool_execution_output(ExchangePtr exchange) { serve<decode_tool_execution_output, whole_output>(std::move(exchange)); }

// The run is asked for before the stream begins, so that one that is unknown or another's is refused in plain HTTP.
void agent_run_stream(ExchangePtr exchange) {
  const auto run = parse_job_id(exchange->parameters.front());
  if (!run.ok()) return exchange->fail(run.status());
  const auto asked = decode_run_stream(*run, exchange->query(), exchange->request().last_event_id);
  if (!asked.ok()) return exchange->fail(asked.status());
  const command::Caller caller = exchange->credential.caller;
  command::Door& door = exchange->core().door;
  auto found = [exchange = std::move(exchange), asked = *asked](Result<command::AgentRunGetReply> answer) mutable {
    net::IoLoop& loop = exchange->core().loop;
    on_loop(loop, [exchange = std::move(exchange), asked, answer = std::move(answer)]() mutable {
      guarded(exchange, [&] {
        if (!answer.ok()) return exchange->fail(answer.status());
        exchange->stream([&](net::Connection& connection) {
          return RunStream::open({.core = exchange->shared_core(), .credential = exchange->credential, .asked = asked},
                                 connection);
        });
      });
    });
  };
  door.run(caller, command::AgentRunGetRequest{.ns = asked->ns, .run = asked->run, .wait = {}},
           Reply<command::AgentRunGetReply>(std::move(found)));
}

}  // namespace muster::http::endpoints
