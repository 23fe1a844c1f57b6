#include <memory>

#include "command/runs.h"
#include "fronts/http/codec/job_replies.h"
#include "fronts/http/codec/job_spec.h"
#include "fronts/http/codec/runs.h"
#include "fronts/http/codec/values.h"
#include "fronts/http/endpoint.h"
#include "fronts/http/endpoints.h"

namespace muster::http::endpoints {
namespace {

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

void run_start(ExchangePtr exchange) { serve<decode_run_start, as_made<store::Enqueued>>(std::move(exchange)); }
void run_list(ExchangePtr exchange) { serve<decode_run_list, as_json<store::JobPage>>(std::move(exchange)); }
void run_get(ExchangePtr exchange) { serve<of_job<command::RunGetRequest>, as_json<Job>>(std::move(exchange)); }

void run_history(ExchangePtr exchange) { serve<decode_run_history, as_json<store::StepPage>>(std::move(exchange)); }

void run_result(ExchangePtr exchange) {
  // The exchange goes with the reply, but the ticket comes back here: what waits is noted through a copy of its address.
  const std::shared_ptr<Exchange> shared = std::move(exchange);  // shared by the reply and this function
  const command::RunTicket ticket = shared->core().door.run_read<command::RunResultRequest>(
      shared->credential.caller, [&] { return decode(*shared, decode_run_result); },
      [shared](Result<Job> run) {
        on_loop(shared->core().loop, [shared, run = std::move(run)]() mutable {
          if (!run.ok()) return shared->fail(run.status());
          shared->answer(ended(*run, *shared));
        });
      });
  shared->wait_with([delivery = shared->core().door.delivery(), ticket]() mutable { delivery.cancel(ticket); });
}

void run_cancel(ExchangePtr exchange) { serve<decode_run_cancel, as_json<store::Cancelled>>(std::move(exchange)); }

void run_terminate(ExchangePtr exchange) { serve<decode_run_terminate, as_json<store::Cancelled>>(std::move(exchange)); }

void run_retry(ExchangePtr exchange) { serve<decode_run_retry, as_made<store::Enqueued>>(std::move(exchange)); }

void run_signal(ExchangePtr exchange) { serve<decode_run_signal, as_json<store::Signalled>>(std::move(exchange)); }

void run_step(ExchangePtr exchange) { serve<decode_run_step, answered>(std::move(exchange)); }

}  // namespace muster::http::endpoints
