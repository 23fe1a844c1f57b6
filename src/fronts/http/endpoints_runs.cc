#include <memory>

#include "command/run_get.h"
#include "command/run_start.h"
#include "fronts/http/codec/job_replies.h"
#include "fronts/http/codec/job_spec.h"
#include "fronts/http/codec/runs.h"
#include "fronts/http/codec/values.h"
#include "fronts/http/endpoint.h"
#include "fronts/http/endpoints.h"

namespace muster::http::endpoints {
namespace {

template <class T, Result<T> (*kDecode)(JobId, std::string_view)>
Result<T> with_body(const Exchange& exchange) {
  const auto run = parse_job_id(exchange.parameters.front());
  if (!run.ok()) return run.status();
  return kDecode(*run, exchange.body());
}

template <class T, Result<T> (*kDecode)(JobId, const std::vector<QueryParameter>&)>
Result<T> with_query(const Exchange& exchange) {
  const auto run = parse_job_id(exchange.parameters.front());
  if (!run.ok()) return run.status();
  return kDecode(*run, exchange.query());
}

Result<command::RunStartRequest> started_by(const Exchange& exchange) { return decode_run_start(exchange.body()); }
Result<command::RunListRequest> listed_by(const Exchange& exchange) { return decode_run_list(exchange.query()); }

Result<command::RunGetRequest> named_by(const Exchange& exchange) {
  const auto run = parse_job_id(exchange.parameters.front());
  if (!run.ok()) return run.status();
  return command::RunGetRequest{*run};
}

template <class T>
Response as_json(T& value, const Exchange&) {
  return json(value);
}

Response started(store::Enqueued& enqueued, const Exchange&) { return json(enqueued, enqueued.existed ? 200 : 201); }

Response answered(store::Each<store::StepAnswer>& answers, const Exchange&) {
  Response response{.status = 200, .body = {}, .headers = {}};
  JsonWriter out(response.body);
  out.begin_object();
  write_each(out, "answers", answers);
  out.end_object();
  return response;
}

// 202: it has not finished, ask again.
Response ended(Job& run, const Exchange&) {
  Response response{.status = is_finished(run.state) ? 200U : 202U, .body = {}, .headers = {}};
  JsonWriter out(response.body);
  write_run_result(out, run);
  return response;
}

}  // namespace

void run_start(ExchangePtr exchange) { serve<started_by, started>(std::move(exchange)); }
void run_list(ExchangePtr exchange) { serve<listed_by, as_json<store::JobPage>>(std::move(exchange)); }
void run_get(ExchangePtr exchange) { serve<named_by, as_json<Job>>(std::move(exchange)); }

void run_history(ExchangePtr exchange) {
  serve<with_query<command::RunHistoryRequest, decode_run_history>, as_json<store::StepPage>>(std::move(exchange));
}

void run_result(ExchangePtr exchange) {
  auto request = with_query<command::RunResultRequest, decode_run_result>(*exchange);
  if (!request.ok()) return exchange->fail(request.status());
  command::Context context = exchange->context();
  // The exchange goes with the reply, but the ticket comes back here: what waits is noted through a copy of its address.
  const std::shared_ptr<Exchange> shared = std::move(exchange);  // shared by the reply and this function
  const engine::RunTicket ticket = command::handle(context, *std::move(request), [shared](Result<Job> run) {
    on_loop(shared->core().loop, [shared, run = std::move(run)]() mutable {
      if (!run.ok()) return shared->fail(run.status());
      shared->answer(ended(*run, *shared));
    });
  });
  shared->wait_with([&engine = shared->core().engine, ticket] { engine.runs().cancel_wait(ticket); });
}

void run_cancel(ExchangePtr exchange) {
  serve<with_body<command::RunCancelRequest, decode_run_cancel>, as_json<store::Cancelled>>(std::move(exchange));
}

void run_terminate(ExchangePtr exchange) {
  serve<with_body<command::RunTerminateRequest, decode_run_terminate>, as_json<store::Cancelled>>(std::move(exchange));
}

void run_retry(ExchangePtr exchange) {
  serve<with_body<command::RunRetryRequest, decode_run_retry>, started>(std::move(exchange));
}

void run_signal(ExchangePtr exchange) {
  serve<with_body<command::RunSignalRequest, decode_run_signal>, as_json<store::Signalled>>(std::move(exchange));
}

void run_step(ExchangePtr exchange) { serve<with_body<command::RunStepRequest, decode_run_step>, answered>(std::move(exchange)); }

}  // namespace muster::http::endpoints
