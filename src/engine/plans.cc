#include "engine/plans.h"

#include <fmt/format.h>

#include "model/limits.h"
#include "model/validate.h"

namespace muster::engine {
namespace {

Status validate_action(const ActionSpec& action) {
  if (Status status = validate_name("action id", action.id.text()); !status.ok()) return status;
  if (action.jobs.empty()) return Status::invalid_argument("an action has at least one job");
  if (action.jobs.size() > limits::kActionJobsMax)
    return Status::invalid_argument(
        fmt::format("an action of {} jobs is too large; at most {} are accepted", action.jobs.size(), limits::kActionJobsMax));
  for (std::size_t i = 0; i < action.jobs.size(); ++i) {
    const ActionJob& job = action.jobs[i];
    if (Status status = validate(job.spec); !status.ok()) return status.annotate(fmt::format("job {}", i));
    if (job.after.size() > limits::kDependenciesMax) return Status::invalid_argument(fmt::format("job {} waits for too many", i));
    for (const std::uint32_t earlier : job.after)
      if (earlier >= i)
        return Status::invalid_argument(fmt::format("job {} waits for job {}, which is not an earlier one", i, earlier));
  }
  return {};
}

}  // namespace

void Plans::put(store::PlanPut request, Reply<store::PlanStored> reply) {
  if (Status status = validate_name("plan id", request.plan.id.text()); !status.ok()) return reply(status);
  if (request.plan.text.size() > limits::kPlanBytesMax)
    return reply(Status::invalid_argument(fmt::format("a plan of {} bytes is too large; at most {} are accepted",
                                                      request.plan.text.size(), limits::kPlanBytesMax)));
  store_.put_plan(std::move(request), std::move(reply));
}

void Plans::get(NamespaceName ns, std::vector<PlanId> plans, Reply<store::Each<Plan>> reply) {
  store_.get_plans(std::move(ns), std::move(plans), std::move(reply));
}

void Plans::list(store::PlanQuery query, Reply<store::PlanPage> reply) {
  if (Status status = validate_count("limit", query.limit, {.least = 1, .most = limits::kPageMax}); !status.ok())
    return reply(status);
  store_.list_plans(std::move(query), std::move(reply));
}

void Plans::remove(NamespaceName ns, PlanId plan, Reply<Plan> reply) {
  store_.delete_plan(std::move(ns), std::move(plan), std::move(reply));
}

void Plans::submit(ActionSpec action, Reply<store::ActionSubmitted> reply) {
  if (Status status = validate_action(action); !status.ok()) return reply(status);
  store_.submit_action(std::move(action), std::move(reply));
}

void Plans::get_action(store::ActionQuery query, Reply<store::ActionView> reply) {
  if (Status status = validate_count("job limit", query.job_limit, {.least = 0, .most = limits::kActionJobsMax}); !status.ok())
    return reply(status);
  store_.get_action(std::move(query), std::move(reply));
}

void Plans::list_actions(store::ActionListQuery query, Reply<store::ActionPage> reply) {
  if (Status status = validate_count("limit", query.limit, {.least = 1, .most = limits::kPageMax}); !status.ok())
    return reply(status);
  store_.list_actions(std::move(query), std::move(reply));
}

}  // namespace muster::engine
