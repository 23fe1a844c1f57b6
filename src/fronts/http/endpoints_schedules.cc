#include "fronts/http/codec/job_replies.h"
#include "fronts/http/codec/schedules.h"
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

Result<command::ScheduleCreateRequest> created_by(const Exchange& exchange) { return decode_schedule_create(exchange.body()); }
Result<command::ScheduleListRequest> listed_by(const Exchange& exchange) { return decode_schedule_list(exchange.query()); }

template <class T>
Response as_json(T& value, const Exchange&) {
  return json(value);
}

Response created(Schedule& schedule, const Exchange&) { return json(schedule, 201); }
Response enqueued(store::Enqueued& job, const Exchange&) { return json(job, 201); }

Response backfilled(std::vector<store::Enqueued>& jobs, const Exchange&) {
  Response response{.status = 200, .body = {}, .headers = {}};
  JsonWriter out(response.body);
  out.begin_object();
  out.key("jobs");
  out.begin_array();
  for (const store::Enqueued& job : jobs) write(out, job);
  out.end_array();
  out.end_object();
  return response;
}

Response previewed(std::vector<Instant>& fires, const Exchange&) {
  Response response{.status = 200, .body = {}, .headers = {}};
  JsonWriter out(response.body);
  out.begin_object();
  out.key("fires");
  out.begin_array();
  for (const Instant fire : fires) out.instant(fire);
  out.end_array();
  out.end_object();
  return response;
}

}  // namespace

void schedule_create(ExchangePtr exchange) { serve<created_by, created>(std::move(exchange)); }
void schedule_list(ExchangePtr exchange) { serve<listed_by, as_json<store::SchedulePage>>(std::move(exchange)); }

void schedule_get(ExchangePtr exchange) {
  serve<with_query<command::ScheduleGetRequest, decode_schedule_get>, as_json<Schedule>>(std::move(exchange));
}

void schedule_update(ExchangePtr exchange) {
  serve<with_body<command::ScheduleUpdateRequest, decode_schedule_update>, as_json<Schedule>>(std::move(exchange));
}

void schedule_delete(ExchangePtr exchange) {
  serve<with_query<command::ScheduleDeleteRequest, decode_schedule_delete>, as_json<Schedule>>(std::move(exchange));
}

void schedule_pause(ExchangePtr exchange) {
  serve<with_body<command::SchedulePauseRequest, decode_schedule_pause>, as_json<Schedule>>(std::move(exchange));
}

void schedule_resume(ExchangePtr exchange) {
  serve<with_body<command::ScheduleResumeRequest, decode_schedule_resume>, as_json<Schedule>>(std::move(exchange));
}

void schedule_trigger(ExchangePtr exchange) {
  serve<with_body<command::ScheduleTriggerRequest, decode_schedule_trigger>, enqueued>(std::move(exchange));
}

void schedule_backfill(ExchangePtr exchange) {
  serve<with_body<command::ScheduleBackfillRequest, decode_schedule_backfill>, backfilled>(std::move(exchange));
}

void schedule_preview(ExchangePtr exchange) {
  serve<with_query<command::SchedulePreviewRequest, decode_schedule_preview>, previewed>(std::move(exchange));
}

}  // namespace muster::http::endpoints
