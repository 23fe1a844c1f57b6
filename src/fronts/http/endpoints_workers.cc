#include "command/workers.h"
#include "fronts/http/codec/workers.h"
#include "fronts/http/endpoint.h"
#include "fronts/http/endpoints.h"

namespace muster::http::endpoints {
namespace {

Response one_worker(Worker& worker, const Exchange& exchange) {
  Response response;
  JsonWriter out(response.body);
  write_worker(out, worker, exchange.now());
  return response;
}

Response many_workers(store::WorkerPage& page, const Exchange& exchange) {
  Response response;
  JsonWriter out(response.body);
  write_workers(out, page, exchange.now());
  return response;
}

}  // namespace

void worker_register(ExchangePtr exchange) { serve<decode_registration, as_created<store::Registered>>(std::move(exchange)); }
void worker_heartbeat(ExchangePtr exchange) { serve<decode_beat, as_json<store::BeatReply>>(std::move(exchange)); }
void worker_drain(ExchangePtr exchange) { serve<decode_drain, one_worker>(std::move(exchange)); }
void worker_resume(ExchangePtr exchange) { serve<decode_worker_resume, one_worker>(std::move(exchange)); }
void worker_unregister(ExchangePtr exchange) { serve<decode_unregister, one_worker>(std::move(exchange)); }
void worker_list(ExchangePtr exchange) { serve<decode_worker_query, many_workers>(std::move(exchange)); }
void worker_send(ExchangePtr exchange) { serve<decode_worker_send, as_json<command::WorkerSendReply>>(std::move(exchange)); }
void worker_get(ExchangePtr exchange) { serve<decode_worker_get, one_worker>(std::move(exchange)); }

}  // namespace muster::http::endpoints
