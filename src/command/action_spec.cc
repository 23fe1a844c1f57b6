#include "command/action_spec.h"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include "base/check.h"
#include "base/uuid.h"
#include "model/limits.h"

namespace muster::command {
namespace {

Status validate(const plan::Document& plan, const ActionOrder& order) {
  if (Status status = plan::validate_identifier("action_id", order.id.text()); !status.ok()) return status;
  if (order.inputs.empty()) return Status::invalid_argument("inputs array must contain at least one input");
  const std::size_t jobs_each = order.unit == JobUnit::task ? plan.tasks.size() : 1;
  const std::size_t inputs_max = limits::kActionJobsMax / std::max<std::size_t>(1, jobs_each);
  if (order.inputs.size() > inputs_max)
    return Status::invalid_argument(fmt::format("inputs array holds {} inputs of {} jobs each; at most {} inputs are accepted",
                                                order.inputs.size(), jobs_each, inputs_max));
  std::size_t bytes = 0;
  for (const std::string& input : order.inputs) bytes += input.size() * jobs_each;
  if (bytes > kActionBytesMax)
    return Status::invalid_argument(
        fmt::format("the payloads of the action have {} bytes; at most {} are accepted", bytes, kActionBytesMax));
  return {};
}

JobSpec job_of(const plan::Document& plan, const ActionOrder& order, std::size_t input) {
  JobSpec job;
  job.ns = order.ns;
  job.queue = QueueName(kPlanQueue);
  job.type = JobType(kPlanJobType);
  job.payload = {.data = order.inputs[input], .encoding = Encoding::json};
  job.labels = {{kLabelAction, order.id.text()}, {kLabelPlan, plan.id}, {kLabelInput, std::to_string(input)}};
  job.priority = order.policy.priority;
  job.timeout = order.policy.timeout;
  job.retry.attempts_max = order.policy.attempts_max;
  job.rescues_max = order.policy.rescues_max;
  return job;
}

bool wants_gpu(std::string_view command) {
  return command.find("ocr") != std::string_view::npos || command.find("gpu") != std::string_view::npos;
}

ActionJob task_job(const plan::Document& plan, const ActionOrder& order, std::size_t input, const plan::Task& task) {
  ActionJob job{.spec = job_of(plan, order, input), .after = {}};
  job.spec.queue = QueueName(wants_gpu(task.command) ? kGpuQueue : kTaskQueue);
  job.spec.labels.emplace(kLabelTask, std::to_string(task.number));
  job.spec.needs = CapabilitySet({plan::tool_capability(task.command)});
  // The jobs of one input stand together, in the order of their tasks.
  const std::size_t first = input * plan.tasks.size();
  if (task.input_from_task) job.after.push_back(static_cast<std::uint32_t>(first + *task.input_from_task - 1));
  return job;
}

}  // namespace

std::string_view to_string(JobUnit unit) {
  switch (unit) {
    case JobUnit::plan: return "plan";
    case JobUnit::task: return "task";
  }
  unreachable();
}

std::optional<JobUnit> parse_job_unit(std::string_view name) {
  for (const JobUnit unit : {JobUnit::plan, JobUnit::task})
    if (to_string(unit) == name) return unit;
  return std::nullopt;
}

Result<ActionSpec> make_action(const plan::Document& plan, ActionOrder order) {
  if (Status status = validate(plan, order); !status.ok()) return status;
  ActionSpec action{.ns = order.ns, .id = order.id, .plan = PlanId(plan.id), .jobs = {}};
  const CapabilitySet needs = plan::needs(plan);
  for (std::size_t input = 0; input < order.inputs.size(); ++input) {
    if (order.unit == JobUnit::task) {
      for (const plan::Task& task : plan.tasks) action.jobs.push_back(task_job(plan, order, input, task));
      continue;
    }
    action.jobs.push_back({.spec = job_of(plan, order, input), .after = {}});
    action.jobs.back().spec.needs = needs;
  }
  return action;
}

ActionId new_action_id() { return ActionId("action_" + Uuid{random_seed(), random_seed()}.hex()); }

}  // namespace muster::command
