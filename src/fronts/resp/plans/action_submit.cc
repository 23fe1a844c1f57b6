// ACTION.SUBMIT: a plan over many inputs.
#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "base/json_reader.h"
#include "command/actions.h"
#include "fronts/resp/plans/handlers.h"
#include "fronts/resp/plans/job_document.h"
#include "fronts/resp/plans/json_text.h"
#include "fronts/resp/plans/plan_cache.h"

namespace muster::resp::plans {
namespace {

using Json = json::Tree;

constexpr std::size_t kInputBytesMax = 10'485'760;

struct Asked {
  std::string plan;
  command::ActionOrder order;
};

Status bad(std::string message) { return Status::invalid_argument(std::move(message)); }

Result<Json> read_tree(std::string_view text) {
  // Where, but not what: inputs are nobody's business but their owner's.
  return json::read(text, [](std::size_t byte) { return fmt::format("syntax error at byte {}", byte); });
}

Result<std::string> read_identifier(const Json& tree, const char* field) {
  const std::string* text = json::text(tree, field);
  if (text == nullptr) return bad(fmt::format("Missing required field: {}", field));
  if (Status status = plan::validate_identifier(field, *text); !status.ok()) return status;
  return *text;
}

Result<std::vector<std::string>> read_inputs(const Json& tree, const RespOptions& options) {
  const Json* it = json::array(tree, "inputs");
  if (it == nullptr) return bad("Missing or invalid field: inputs (must be array)");
  if (it->empty() && options.compat_flags.empty_inputs_run_once) return std::vector<std::string>{"{}"};
  if (it->empty()) return bad("inputs array must contain at least one input");
  const std::size_t most = std::min(options.limits.action_inputs_max, limits::kActionJobsMax);
  if (it->size() > most) return bad(fmt::format("inputs array exceeds maximum of {} inputs per Action", most));
  std::vector<std::string> inputs;
  for (const Json& input : *it) {
    inputs.push_back(json::dump(input));
    if (inputs.back().size() > kInputBytesMax)
      return bad(fmt::format("Input {} exceeds maximum size of {} bytes (got {} bytes)", inputs.size() - 1, kInputBytesMax,
                             inputs.back().size()));
  }
  return inputs;
}

Result<command::JobUnit> read_unit(const Json& tree, const CompatFlags& compat_flags) {
  const Json* it = json::member(tree, "job_unit");
  if (it == nullptr || it->is_null()) return compat_flags.jobs_are_tasks ? command::JobUnit::task : command::JobUnit::plan;
  const std::string* name = json::text(tree, "job_unit");
  const auto unit = name != nullptr ? command::parse_job_unit(*name) : std::nullopt;
  if (!unit) return bad("job_unit must be one of: plan, task");
  return *unit;
}

Result<Asked> read_action(std::string_view text, const RespOptions& options) {
  const Result<Json> tree = read_tree(text);
  if (!tree.ok()) return tree.status();
  const Result<std::string> action = read_identifier(*tree, "action_id");
  if (!action.ok()) return action.status();
  const Result<std::string> plan = read_identifier(*tree, "plan_id");
  if (!plan.ok()) return plan.status();
  Result<std::vector<std::string>> inputs = read_inputs(*tree, options);
  if (!inputs.ok()) return inputs.status();
  const Result<command::JobUnit> unit = read_unit(*tree, options.compat_flags);
  if (!unit.ok()) return unit.status();
  return Asked{
      .plan = *plan,
      .order = {
          .id = ActionId(*action),
          .inputs = *std::move(inputs),
          .unit = *unit,
          .policy = {.timeout = options.job_timeout, .attempts_max = options.job_attempts, .rescues_max = options.job_rescues}}};
}

std::string submitted_document(const store::ActionSubmitted& submitted) {
  std::vector<std::string> names;
  names.reserve(submitted.jobs.size());
  for (const JobId& job : submitted.jobs) names.push_back(job_name(job));
  ObjectText out;
  out.text("action_id", submitted.action.id.text());
  out.raw("job_ids", string_array(names));
  out.number("jobs_created", static_cast<std::int64_t>(names.size()));
  out.text("plan_id", submitted.action.plan.text());
  return std::move(out).take();
}

void submit(const CallRef& call, command::ActionSubmitRequest request) {
  const std::string id = request.order.id.text();
  const std::string plan = request.plan.text();
  ask(call, std::move(request), [call, id, plan](Result<store::ActionSubmitted> submitted) {
    if (submitted.code() == Code::already_exists) return call->fail("Action ID already exists: " + id);
    if (submitted.code() == Code::not_found) {
      call->core().plan_cache->drop(plan);  // it was deleted elsewhere
      return call->fail("Plan not found: " + plan);
    }
    if (!submitted.ok()) return refuse(call, submitted.status());
    call->answer(wire::bulk_reply(submitted_document(*submitted)));
  });
}

}  // namespace

void action_submit(const CallRef& call) {
  Core& core = call->core();
  if (!core.plan_cache->spend(Limited::action_submit))
    return call->fail(fmt::format("Protocol error: Rate limit exceeded for ACTION.SUBMIT (max {}/minute)",
                                  core.options.limits.action_submits_per_minute));
  Result<Asked> asked = read_action(call->arg(1), core.options);
  if (!asked.ok()) return refuse(call, asked.status());
  const std::string plan = asked->plan;
  core.plan_cache->find(plan, [call, plan, order = std::move(asked->order)](std::shared_ptr<const StoredPlan> found) mutable {
    if (!found) return call->fail("Plan not found: " + plan);
    submit(call, {.plan = PlanId(plan), .document = {found, &found->document}, .order = std::move(order)});
  });
}

}  // namespace muster::resp::plans
