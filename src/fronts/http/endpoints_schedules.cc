#include "fronts/http/codec/job_replies.h"
#include "fronts/http/codec/schedules.h"
#include "fronts/http/endpoint.h"
#include "fronts/http/endpoints.h"

namespace muster::http::endpoints {
namespace {

Response backfilled(std::vector<store::Enqueued>& jobs, const Exchange&) { return json_list("jobs", jobs); }

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

void schedule_create(ExchangePtr exchange) { serve<decode_schedule_create, as_created<Schedule>>(std::move(exchange)); }
void schedule_list(ExchangePtr exchange) { serve<decode_schedule_list, as_json<store::SchedulePage>>(std::move(exchange)); }

void schedule_get(ExchangePtr exchange) { serve<decode_schedule_get, as_json<Schedule>>(std::move(exchange)); }

void schedule_update(ExchangePtr exchange) { serve<decode_schedule_update, as_json<Schedule>>(std::move(exchange)); }

void schedule_delete(ExchangePtr exchange) { serve<decode_schedule_delete, as_json<Schedule>>(std::move(exchange)); }

void schedule_pause(ExchangePtr exchange) { serve<decode_schedule_pause, as_json<Schedule>>(std::move(exchange)); }

void schedule_resume(ExchangePtr exchange) { serve<decode_schedule_resume, as_json<Schedule>>(std::move(exchange)); }

void schedule_trigger(ExchangePtr exchange) { serve<decode_schedule_trigger, as_created<store::Enqueued>>(std::move(exchange)); }

void schedule_backfill(ExchangePtr exchange) { serve<decode_schedule_backfill, backfilled>(std::move(exchange)); }

void schedule_explain(ExchangePtr exchange) {
  serve<decode_schedule_explain, as_json<command::TimingExplained>>(std::move(exchange));
}

void schedule_fires(ExchangePtr exchange) {
  serve<decode_schedule_fires, as_json<command::ScheduleFiresReply>>(std::move(exchange));
}

void schedule_preview(ExchangePtr exchange) { serve<decode_schedule_preview, previewed>(std::move(exchange)); }

}  // namespace muster::http::endpoints
