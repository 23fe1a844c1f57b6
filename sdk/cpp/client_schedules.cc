// Client, the part about schedules.
#include "sdk/cpp/client_state.h"

namespace muster::sdk {
namespace {

using Pairs = std::vector<std::pair<std::string_view, std::string_view>>;

Path schedule_path(std::string_view id) { return api("/schedules").segment(id); }

}  // namespace

Result<Schedule> Client::create_schedule(const ScheduleRequest& request) {
  Result<std::string> body = encode(request);
  if (!body.ok()) return body.error();
  return state_->post(api("/schedules"), std::move(*body), decode_schedule);
}

Result<Schedule> Client::schedule(const ScheduleRef& ref) {
  return state_->get(schedule_path(ref.id).query("namespace", ref.ns), decode_schedule);
}

Result<SchedulePage> Client::schedules(const ScheduleQuery& query) {
  Path path = api("/schedules");
  path.query("namespace", query.ns).query("queue", query.queue).query("type", query.type);
  if (query.enabled) path.query("enabled", *query.enabled ? "true" : "false");
  if (query.limit) path.query("limit", std::to_string(*query.limit));
  return state_->get(path.query("cursor", query.cursor), decode_schedule_page);
}

Result<Schedule> Client::update_schedule(std::string_view id, const ScheduleRequest& change) {
  Result<std::string> request = encode(change);
  if (!request.ok()) return request.error();
  const Result<std::string> body = state_->send("PATCH", schedule_path(id), std::move(*request));
  if (!body.ok()) return body.error();
  return decode_schedule(*body);
}

Result<Schedule> Client::delete_schedule(const ScheduleRef& ref) {
  const Result<std::string> body = state_->send("DELETE", schedule_path(ref.id).query("namespace", ref.ns), std::nullopt);
  if (!body.ok()) return body.error();
  return decode_schedule(*body);
}

Result<Schedule> Client::pause_schedule(const ScheduleRef& ref, std::string_view note) {
  return state_->post(schedule_path(ref.id).literal("/pause"), encode_strings(Pairs{{"namespace", ref.ns}, {"note", note}}),
                      decode_schedule);
}

Result<Schedule> Client::resume_schedule(std::string_view id, const ResumeRequest& request) {
  return state_->post(schedule_path(id).literal("/resume"), encode(request), decode_schedule);
}

Result<Submitted> Client::trigger_schedule(const ScheduleRef& ref) {
  return state_->post(schedule_path(ref.id).literal("/trigger"), encode_strings(Pairs{{"namespace", ref.ns}}), decode_submitted);
}

Result<std::vector<Instant>> Client::preview_schedule(const PreviewQuery& query) {
  Path path = schedule_path(query.schedule.id).literal("/preview").query("namespace", query.schedule.ns);
  if (query.count) path.query("count", std::to_string(*query.count));
  if (query.after) path.query("after", format_instant(*query.after));
  return state_->get(path, decode_fires);
}

Result<std::vector<Submitted>> Client::backfill_schedule(const ScheduleRef& ref, const TimeRange& range) {
  return state_->post(schedule_path(ref.id).literal("/backfill"), encode_backfill(ref.ns, range), decode_submitted_many);
}

}  // namespace muster::sdk
