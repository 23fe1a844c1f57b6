#include "command/job_claim.h"
#include "command/job_complete.h"
#include "command/job_fail.h"
#include "command/job_get.h"
#include "command/job_heartbeat.h"
#include "command/job_list.h"
#include "command/job_progress.h"
#include "command/job_release.h"
#include "command/job_retry.h"
#include "command/job_snooze.h"
#include "command/job_why.h"
#include "engine/hand_out.h"
#include "fronts/http/codec/job_query.h"
#include "fronts/http/codec/job_replies.h"
#include "fronts/http/codec/job_requests.h"
#include "fronts/http/codec/job_spec.h"
#include "fronts/http/codec/values.h"
#include "fronts/http/endpoint.h"
#include "fronts/http/endpoints.h"

namespace muster::http::endpoints {
namespace {

// A decoder that takes the job of the path and the body.
template <class T, Result<T> (*kDecode)(JobId, std::string_view)>
Result<T> about_job(const Exchange& exchange) {
  const auto job = parse_job_id(exchange.parameters.front());
  if (!job.ok()) return job.status();
  return kDecode(*job, exchange.body());
}

// A request that is nothing but the job of the path.
template <class T>
Result<T> of_job(const Exchange& exchange) {
  const auto job = parse_job_id(exchange.parameters.front());
  if (!job.ok()) return job.status();
  return T{*job};
}

template <class T, Result<T> (*kDecode)(std::string_view)>
Result<T> of_body(const Exchange& exchange) {
  return kDecode(exchange.body());
}

Result<store::JobQuery> of_query(const Exchange& exchange) { return decode_job_query(exchange.query()); }

template <class T>
Response as_json(T& value, const Exchange&) {
  return json(value);
}

Response submitted(store::Enqueued& enqueued, const Exchange&) { return json(enqueued, enqueued.existed ? 200 : 201); }

Response submitted_bulk(std::vector<store::Enqueued>& enqueued, const Exchange&) {
  Response response{.status = 201, .body = {}, .headers = {}};
  JsonWriter out(response.body);
  out.begin_object();
  out.key("jobs");
  out.begin_array();
  for (const store::Enqueued& each : enqueued) write(out, each);
  out.end_array();
  out.end_object();
  return response;
}

Response cancelled_bulk(store::Each<store::Cancelled>& answers, const Exchange&) {
  Response response{.status = 200, .body = {}, .headers = {}};
  JsonWriter out(response.body);
  out.begin_object();
  write_each(out, "jobs", answers);
  out.end_object();
  return response;
}

// On the loop's thread. A client that went away while its claim was granted would take the jobs with it: they go back instead.
void answer_claim(Exchange& exchange, Result<store::ClaimReply> reply) {
  if (!reply.ok()) return exchange.fail(reply.status());
  if (exchange.peer_gone()) {
    exchange.core().hand_back(reply->grants);
    reply->grants.clear();
  }
  Response response;
  try {
    response = json(*reply);
  } catch (...) {
    const Incident incident(exchange.core().incidents, exchange.name(),
                            reply->grants.empty() ? "" : reply->grants.front().id.text());
    engine::hand_out_failed(exchange.core().engine, engine::leases_of(reply->grants), incident.status());
    return exchange.fail(incident.status());
  }
  exchange.answer(std::move(response), std::move(reply->grants));
}

}  // namespace

void job_claim(ExchangePtr exchange) {
  auto request = decode_claim(exchange->body());
  if (!request.ok()) return exchange->fail(request.status());
  if (Status allowed = command::confine(exchange->credential.caller, *request); !allowed.ok()) return exchange->fail(allowed);
  command::Context context = exchange->context();
  // The exchange goes with the reply, but the ticket comes back here: what waits is noted through a copy of its address.
  const std::shared_ptr<Exchange> shared = std::move(exchange);  // shared by the reply and this function
  const engine::ClaimTicket ticket = command::handle(context, *std::move(request), [shared](Result<store::ClaimReply> reply) {
    on_loop(shared->core().loop, [shared, reply = std::move(reply)]() mutable { answer_claim(*shared, std::move(reply)); });
  });
  shared->wait_with([&engine = shared->core().engine, ticket] { engine.claims().cancel(ticket); });
}

void job_submit(ExchangePtr exchange) {
  serve<of_body<command::JobSubmitRequest, decode_submit>, submitted>(std::move(exchange));
}

void job_submit_bulk(ExchangePtr exchange) {
  serve<of_body<command::JobSubmitBulkRequest, decode_submit_bulk>, submitted_bulk>(std::move(exchange));
}

void job_list(ExchangePtr exchange) { serve<of_query, as_json<store::JobPage>>(std::move(exchange)); }

void job_search(ExchangePtr exchange) {
  serve<of_body<store::JobQuery, decode_job_search>, as_json<store::JobPage>>(std::move(exchange));
}

void job_get(ExchangePtr exchange) { serve<of_job<command::JobGetRequest>, as_json<Job>>(std::move(exchange)); }

void job_why(ExchangePtr exchange) { serve<of_job<command::JobWhyRequest>, as_json<engine::Why>>(std::move(exchange)); }

void job_heartbeat(ExchangePtr exchange) {
  serve<about_job<store::Renewal, decode_renewal>, as_json<store::Renewed>>(std::move(exchange));
}

void job_progress(ExchangePtr exchange) {
  serve<about_job<store::ProgressUpdate, decode_progress>, as_json<store::Renewed>>(std::move(exchange));
}

void job_complete(ExchangePtr exchange) {
  serve<about_job<store::Completion, decode_completion>, as_json<store::Settled>>(std::move(exchange));
}

void job_fail(ExchangePtr exchange) {
  serve<about_job<store::Failure, decode_failure>, as_json<store::Settled>>(std::move(exchange));
}

void job_snooze(ExchangePtr exchange) {
  serve<about_job<store::Snooze, decode_snooze>, as_json<store::Settled>>(std::move(exchange));
}

void job_release(ExchangePtr exchange) {
  serve<about_job<store::Release, decode_release>, as_json<store::Settled>>(std::move(exchange));
}

void job_settle(ExchangePtr exchange) {
  serve<of_body<command::JobSettleRequest, decode_settle>, as_json<command::JobSettleReply>>(std::move(exchange));
}

void job_cancel(ExchangePtr exchange) {
  serve<about_job<command::JobCancelRequest, decode_cancel>, as_json<store::Cancelled>>(std::move(exchange));
}

void job_cancel_bulk(ExchangePtr exchange) {
  serve<of_body<command::JobCancelBulkRequest, decode_cancel_bulk>, cancelled_bulk>(std::move(exchange));
}

void job_retry(ExchangePtr exchange) { serve<of_job<command::JobRetryRequest>, as_json<store::Settled>>(std::move(exchange)); }

void job_retry_matching(ExchangePtr exchange) {
  serve<of_body<store::RedriveFilter, decode_redrive>, as_json<store::Redriven>>(std::move(exchange));
}

}  // namespace muster::http::endpoints
