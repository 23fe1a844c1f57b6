#include "base/utf8.h"
#include "fronts/http/codec/plans.h"
#include "fronts/http/codec/values.h"
#include "fronts/http/endpoint.h"
#include "fronts/http/endpoints.h"

namespace muster::http::endpoints {
namespace {

Result<command::PlanSubmitRequest> plan_of_body(const Exchange& exchange) {
  return decode_plan_submit(exchange.query(), exchange.body());
}

// The sender has the text; it is not sent back.
Response kept(store::PlanStored& stored, const Exchange& exchange) {
  stored.plan.spec.text.clear();
  return as_made(stored, exchange);
}

Result<command::JobLogsRequest> logs_of_path(const Exchange& exchange) {
  if (const auto stream = decode_log_stream(exchange.query()); !stream.ok()) return stream.status();
  const auto job = parse_job_id(exchange.parameters.front());
  if (!job.ok()) return job.status();
  return command::JobLogsRequest{*job};
}

// What a tool wrote is shown as it is and never taken for a page: the browser may not guess its type.
Response logs(command::JobLogs& value, const Exchange& exchange) {
  const auto stream = decode_log_stream(exchange.query());
  if (!stream.ok() || *stream == LogStream::both) return json(value);
  std::string& bytes = *stream == LogStream::output ? value.output : value.errors;
  const std::string_view type = is_utf8(bytes) ? "text/plain; charset=utf-8" : "application/octet-stream";
  return {.status = 200, .content_type = type, .body = std::move(bytes), .headers = {{"X-Content-Type-Options", "nosniff"}}};
}

}  // namespace

void plan_submit(ExchangePtr exchange) { serve<plan_of_body, kept>(std::move(exchange)); }
void plan_list(ExchangePtr exchange) { serve<decode_plan_list, as_json<store::PlanPage>>(std::move(exchange)); }
void plan_get(ExchangePtr exchange) { serve<decode_plan_get, as_json<Plan>>(std::move(exchange)); }
void plan_delete(ExchangePtr exchange) { serve<decode_plan_delete, as_json<Plan>>(std::move(exchange)); }

void action_submit(ExchangePtr exchange) { serve<decode_action_submit, as_created<store::ActionSubmitted>>(std::move(exchange)); }
void action_list(ExchangePtr exchange) { serve<decode_action_list, as_json<store::ActionPage>>(std::move(exchange)); }
void action_get(ExchangePtr exchange) { serve<decode_action_get, as_json<store::ActionView>>(std::move(exchange)); }

void job_logs(ExchangePtr exchange) { serve<logs_of_path, logs>(std::move(exchange)); }

}  // namespace muster::http::endpoints
