#include "command/worker_drain.h"
#include "command/worker_get.h"
#include "command/worker_heartbeat.h"
#include "command/worker_list.h"
#include "command/worker_register.h"
#include "command/worker_unregister.h"
#include "fronts/http/codec/workers.h"
#include "fronts/http/endpoint.h"
#include "fronts/http/endpoints.h"

namespace muster::http::endpoints {
namespace {

template <class T, Result<T> (*kDecode)(std::string, std::string_view)>
Result<T> with_body(const Exchange& exchange) {
  return kDecode(exchange.parameters.front(), exchange.body());
}

template <class T, Result<T> (*kDecode)(std::string, const std::vector<QueryParameter>&)>
Result<T> with_query(const Exchange& exchange) {
  return kDecode(exchange.parameters.front(), exchange.query());
}

Result<WorkerSpec> registration(const Exchange& exchange) { return decode_registration(exchange.body()); }
Result<store::WorkerQuery> listing(const Exchange& exchange) { return decode_worker_query(exchange.query()); }

Response registered(store::Registered& value, const Exchange&) { return json(value, 201); }
Response beat(store::BeatReply& value, const Exchange&) { return json(value); }

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

void worker_register(ExchangePtr exchange) { serve<registration, registered>(std::move(exchange)); }
void worker_heartbeat(ExchangePtr exchange) { serve<with_body<store::Beat, decode_beat>, beat>(std::move(exchange)); }
void worker_drain(ExchangePtr exchange) { serve<with_body<store::Drain, decode_drain>, one_worker>(std::move(exchange)); }
void worker_unregister(ExchangePtr exchange) {
  serve<with_query<store::Unregister, decode_unregister>, one_worker>(std::move(exchange));
}
void worker_list(ExchangePtr exchange) { serve<listing, many_workers>(std::move(exchange)); }
void worker_get(ExchangePtr exchange) {
  serve<with_query<command::WorkerGetRequest, decode_worker_get>, one_worker>(std::move(exchange));
}

}  // namespace muster::http::endpoints
