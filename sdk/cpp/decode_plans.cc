#include <utility>

#include "sdk/cpp/reading.h"

namespace muster::sdk {

using namespace reading;

namespace {

Plan read_plan(const Json& json) {
  Plan plan;
  plan.id = json.at("id").get<std::string>();
  plan.ns = text(json, "namespace");
  plan.description = text(json, "description");
  plan.tasks = number<std::uint32_t>(json, "tasks");
  plan.needs = texts(json, "needs");
  plan.created_at = instant(json, "created_at");
  plan.last_used_at = instant(json, "last_used_at");
  plan.actions = number<std::uint64_t>(json, "actions");
  plan.jobs = number<std::uint64_t>(json, "jobs");
  plan.existed = number<bool>(json, "existed");
  if (const Json* own = find(json, "document")) plan.text = document(*own);
  plan.document = document(json);
  return plan;
}

Action read_action(const Json& json) {
  Action action;
  action.id = json.at("id").get<std::string>();
  action.ns = text(json, "namespace");
  action.plan = text(json, "plan");
  action.state = text(json, "state");
  action.created_at = instant(json, "created_at");
  action.jobs = number<std::uint64_t>(json, "jobs");
  if (const Json* counts = find(json, "counts"))
    action.counts = {.waiting = number<std::uint64_t>(*counts, "waiting"),
                     .running = number<std::uint64_t>(*counts, "running"),
                     .completed = number<std::uint64_t>(*counts, "completed"),
                     .failed = number<std::uint64_t>(*counts, "failed"),
                     .dead = number<std::uint64_t>(*counts, "dead"),
                     .cancelled = number<std::uint64_t>(*counts, "cancelled")};
  action.job_ids = texts(json, "job_ids");
  action.document = document(json);
  return action;
}

// A stream is text, or bytes in base64.
std::string read_stream(const Json& json, const std::string& name) {
  const std::string coded = text(json, (name + "_base64").c_str());
  return coded.empty() ? text(json, name.c_str()) : from_base64(coded).value_or("");
}

}  // namespace

Result<Plan> decode_plan(std::string_view body) { return decoded(body, read_plan); }

Result<PlanPage> decode_plan_page(std::string_view body) {
  return decoded(body, [](const Json& json) {
    return PlanPage{.plans = elements(json, "plans", read_plan), .total = number<std::uint64_t>(json, "total")};
  });
}

Result<Action> decode_action(std::string_view body) { return decoded(body, read_action); }

Result<ActionPage> decode_action_page(std::string_view body) {
  return decoded(body, [](const Json& json) {
    return ActionPage{.actions = elements(json, "actions", read_action), .total = number<std::uint64_t>(json, "total")};
  });
}

Result<JobLogs> decode_logs(std::string_view body) {
  return decoded(body, [](const Json& json) {
    return JobLogs{.id = json.at("id").get<std::string>(),
                   .state = text(json, "state"),
                   .output = read_stream(json, "stdout"),
                   .errors = read_stream(json, "stderr"),
                   .document = document(json)};
  });
}

}  // namespace muster::sdk
