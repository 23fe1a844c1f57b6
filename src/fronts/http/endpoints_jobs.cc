#include "command/jobs.h"
#include "fronts/http/codec/feedback.h"
#include "fronts/http/codec/job_query.h"
#include "fronts/http/codec/job_replies.h"
#include "fronts/http/codec/job_requests.h"
#include "fronts/http/codec/job_spec.h"
#include "fronts/http/codec/values.h"
#include "fronts/http/endpoint.h"
#include "fronts/http/endpoints.h"

namespace muster::http::endpoints {
namespace {

Response submitted_bulk(std::vector<store::Enqueued>& enqueued, const Exchange&) { return json_list("jobs", enqueued, 201); }

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
    exchange.core().door.delivery().hand_back(reply->grants);
    reply->grants.clear();
  }
  Response response;
  try {
    response = json(*reply);
  } catch (...) {
    const Incident incident(exchange.core().incidents, exchange.name(),
                            reply->grants.empty() ? "" : reply->grants.front().id.text());
    exchange.core().door.delivery().failed(command::leases_of(reply->grants), incident.status());
    return exchange.fail(incident.status());
  }
  exchange.answer(std::move(response), std::move(reply->grants));
}

}  // namespace

void job_claim(ExchangePtr exchange) {
  // The exchange goes with the reply, but the ticket comes back here: what waits is noted through a copy of its address.
  const std::shared_ptr<Exchange> shared = std::move(exchange);  // shared by the reply and this function
  const command::ClaimTicket ticket = shared->core().door.run_read<command::JobClaimRequest>(
      shared->credential.caller, [&] { return decode_claim(shared->body()); },
      [shared](Result<store::ClaimReply> reply) {
        on_loop(shared->core().loop, [shared, reply = std::move(reply)]() mutable { answer_claim(*shared, std::move(reply)); });
      });
  shared->wait_with([delivery = shared->core().door.delivery(), ticket]() mutable { delivery.cancel(ticket); });
}

void job_submit(ExchangePtr exchange) { serve<decode_submit, as_made<store::Enqueued>>(std::move(exchange)); }

void job_submit_bulk(ExchangePtr exchange) { serve<decode_submit_bulk, submitted_bulk>(std::move(exchange)); }

void job_list(ExchangePtr exchange) { serve<decode_job_query, as_json<store::JobPage>>(std::move(exchange)); }

void job_search(ExchangePtr exchange) { serve<decode_job_search, as_json<store::JobPage>>(std::move(exchange)); }

void job_get(ExchangePtr exchange) { serve<of_job<command::JobGetRequest>, as_json<Job>>(std::move(exchange)); }

void job_why(ExchangePtr exchange) { serve<of_job<command::JobWhyRequest>, as_json<command::JobWhyReply>>(std::move(exchange)); }

void job_heartbeat(ExchangePtr exchange) { serve<decode_renewal, as_json<store::Renewed>>(std::move(exchange)); }

void job_progress(ExchangePtr exchange) { serve<decode_progress, as_json<store::Renewed>>(std::move(exchange)); }

void job_feedback(ExchangePtr exchange) { serve<decode_feedback, as_json<store::Renewed>>(std::move(exchange)); }

void job_output(ExchangePtr exchange) { serve<decode_output_query, as_json<command::JobOutput>>(std::move(exchange)); }

void job_complete(ExchangePtr exchange) { serve<decode_completion, as_json<store::Settled>>(std::move(exchange)); }

void job_fail(ExchangePtr exchange) { serve<decode_failure, as_json<store::Settled>>(std::move(exchange)); }

void job_snooze(ExchangePtr exchange) { serve<decode_snooze, as_json<store::Settled>>(std::move(exchange)); }

void job_release(ExchangePtr exchange) { serve<decode_release, as_json<store::Settled>>(std::move(exchange)); }

void job_settle(ExchangePtr exchange) { serve<decode_settle, as_json<command::JobSettleReply>>(std::move(exchange)); }

void job_cancel(ExchangePtr exchange) { serve<decode_cancel, as_json<store::Cancelled>>(std::move(exchange)); }

void job_act(ExchangePtr exchange) { serve<decode_job_act, as_json<command::JobActed>>(std::move(exchange)); }
void job_cancel_bulk(ExchangePtr exchange) { serve<decode_cancel_bulk, cancelled_bulk>(std::move(exchange)); }

void job_retry(ExchangePtr exchange) { serve<of_job<command::JobRetryRequest>, as_json<store::Settled>>(std::move(exchange)); }

void job_retry_matching(ExchangePtr exchange) { serve<decode_redrive, as_json<store::Redriven>>(std::move(exchange)); }

}  // namespace muster::http::endpoints
