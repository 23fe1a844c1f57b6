#include "command/server.h"
#include "fronts/http/codec/audit.h"
#include "fronts/http/codec/cluster.h"
#include "fronts/http/codec/events.h"
#include "fronts/http/codec/history.h"
#include "fronts/http/codec/inspection.h"
#include "fronts/http/codec/queues.h"
#include "fronts/http/endpoint.h"
#include "fronts/http/endpoints.h"
#include "fronts/http/openapi/document.h"

namespace muster::http::endpoints {
namespace {

template <class Request>
Result<Request> nothing(const Exchange&) {
  return Request{};
}

Response plain(unsigned status, std::string text) {
  return {.status = status, .content_type = "text/plain; charset=utf-8", .body = std::move(text), .headers = {}};
}

}  // namespace

void audit_list(ExchangePtr exchange) { serve<decode_audit_list, as_json<engine::AuditPage>>(std::move(exchange)); }

void cluster_status(ExchangePtr exchange) {
  serve<nothing<command::ClusterStatusRequest>, as_json<command::Cluster>>(std::move(exchange));
}

void cluster_settings(ExchangePtr exchange) {
  serve<nothing<command::ClusterSettingsRequest>, as_json<command::ClusterSettingsReply>>(std::move(exchange));
}

void server_config(ExchangePtr exchange) {
  serve<nothing<command::ServerConfigRequest>, as_json<command::ConfigShown>>(std::move(exchange));
}

void server_doctor(ExchangePtr exchange) {
  serve<nothing<command::ServerDoctorRequest>, as_json<command::CheckUp>>(std::move(exchange));
}

void server_history(ExchangePtr exchange) {
  serve<decode_server_history, as_json<command::ServerHistoryReply>>(std::move(exchange));
}

void server_info(ExchangePtr exchange) {
  serve<nothing<command::ServerInfoRequest>, as_json<command::ServerInfoReply>>(std::move(exchange));
}

void server_search(ExchangePtr exchange) { serve<decode_search, as_json<command::SearchReply>>(std::move(exchange)); }

void openapi(ExchangePtr exchange) {
  Response response;
  response.body = openapi_document();
  exchange->answer(std::move(response));
}

void events(ExchangePtr exchange) {
  auto request = decode_event_request(exchange->query(), exchange->request().last_event_id);
  if (!request.ok()) return exchange->fail(request.status());
  if (const auto& own = exchange->credential.caller.namespaces) {
    NamespaceName asked(request->filter.ns);
    if (Status allowed = command::confine(exchange->credential.caller, asked, {.list = true}); !allowed.ok())
      return exchange->fail(allowed);
    for (const NamespaceName& each : *own) request->filter.only_namespaces.push_back(each.text());
  }
  Core& core = exchange->core();
  if (core.events->full())
    return exchange->fail(Status::exhausted("too many event streams are open; close one, or raise the limit of event streams"));
  const std::uint64_t after = request->after.value_or(core.door.events().newest());
  exchange->stream(*std::move(request), after);
}

void run_events(ExchangePtr exchange) {
  auto asked = decode_run_events(exchange->query(), exchange->request().last_event_id);
  if (!asked.ok()) return exchange->fail(asked.status());
  if (Status allowed = command::confine(exchange->credential.caller, asked->ns); !allowed.ok()) return exchange->fail(allowed);
  const RunEventsHandler& handler = exchange->core().run_events;
  if (!handler.open) return exchange->fail(Status::not_found("this server tells nothing of runs: it has no WebSocket workers"));
  asked->credential = exchange->credential;
  exchange->stream([&handler, asked = *std::move(asked)](net::Connection& connection) mutable {
    return handler.open(std::move(asked), connection);
  });
}

void metrics(ExchangePtr exchange) {
  if (Status allowed = command::authorize_everywhere(exchange->credential.caller, "/metrics"); !allowed.ok())
    return exchange->fail(allowed);
  Response response{.status = 200,
                    .content_type = "text/plain; version=0.0.4; charset=utf-8",
                    .body = exchange->core().metrics.text(),
                    .headers = {}};
  exchange->answer(std::move(response));
}

void healthz(ExchangePtr exchange) { exchange->answer(plain(200, "ok\n")); }

// The reason may quote the database, so that only those who show a token read it.
void readyz(ExchangePtr exchange) {
  const store::StoreHealth health = exchange->core().door.health();
  if (health.writable) return exchange->answer(plain(200, "ok\n"));
  exchange->answer(plain(503, exchange->credential.anonymous ? "store_not_writable\n" : health.reason + "\n"));
}

}  // namespace muster::http::endpoints
