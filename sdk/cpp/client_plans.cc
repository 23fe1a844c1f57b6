// Client, the part about plans, actions and logs.
#include "sdk/cpp/client_state.h"

namespace muster::sdk {
namespace {

template <class Number>
std::string text_of(const std::optional<Number>& number) {
  return number ? std::to_string(*number) : std::string();
}

}  // namespace

Result<Plan> Client::submit_plan(const PlanRequest& request) {
  return state_->post(api("/plans").query("namespace", request.ns).query("replace", request.replace ? "true" : ""), request.text,
                      decode_plan);
}

Result<Plan> Client::plan(const PlanRef& ref) {
  return state_->get(api("/plans").segment(ref.plan).query("namespace", ref.ns), decode_plan);
}

Result<PlanPage> Client::plans(const PlanQuery& query) {
  Path path = api("/plans");
  path.query("namespace", query.ns).query("offset", text_of(query.offset)).query("limit", text_of(query.limit));
  return state_->get(path, decode_plan_page);
}

Result<Plan> Client::delete_plan(const PlanRef& ref) {
  const Result<std::string> body =
      state_->send("DELETE", api("/plans").segment(ref.plan).query("namespace", ref.ns), std::nullopt);
  if (!body.ok()) return body.error();
  return decode_plan(*body);
}

Result<Action> Client::submit_action(const ActionRequest& request) {
  Result<std::string> body = encode(request);
  if (!body.ok()) return body.error();
  return state_->post(api("/actions"), std::move(*body), decode_action);
}

Result<Action> Client::action(const ActionQuery& query) {
  Path path = api("/actions").segment(query.action).query("namespace", query.ns);
  path.query("job_offset", text_of(query.job_offset)).query("job_limit", text_of(query.job_limit));
  return state_->get(path, decode_action);
}

Result<ActionPage> Client::actions(const ActionListQuery& query) {
  Path path = api("/actions");
  path.query("namespace", query.ns).query("plan", query.plan).query("order", query.order);
  path.query("offset", text_of(query.offset)).query("limit", text_of(query.limit));
  return state_->get(path, decode_action_page);
}

Result<JobLogs> Client::logs(std::string_view job) {
  return state_->get(api("/jobs").segment(job).literal("/logs"), decode_logs);
}

}  // namespace muster::sdk
