// Plans: templates kept by name.
#include <unordered_map>

#include <fmt/format.h>

#include "store/postgres/verbs/verbs.h"
#include "store/refusals.h"

namespace muster::store::postgres {
namespace {

const Sql kPlanPut{"plan_put"};
const Sql kPlanLock{"plan_lock"};
const Sql kPlanReplace{"plan_replace"};
const Sql kPlanRead{"plan_read"};
const Sql kPlanList{"plan_list"};
const Sql kPlanCount{"plan_count"};
const Sql kPlanNeeded{"plan_needed"};
const Sql kPlanDelete{"plan_delete"};

// The columns of plan_read.
Plan read_plan(const Rows& rows, std::size_t row, const NamespaceName& ns) {
  Plan plan;
  plan.spec.ns = ns;
  plan.spec.id = PlanId(rows.text(row, 1));
  plan.spec.text = rows.text(row, 2);
  plan.spec.description = rows.text(row, 3);
  plan.spec.tasks = static_cast<std::uint32_t>(rows.integer(row, 4));
  plan.spec.needs = CapabilitySet::from_key(rows.view(row, 5));
  plan.created_at = from_ms(rows.integer(row, 6));
  if (const auto used = rows.maybe(row, 7)) plan.last_used_at = from_ms(*used);
  plan.actions = static_cast<std::uint64_t>(rows.integer(row, 8));
  plan.jobs = static_cast<std::uint64_t>(rows.integer(row, 9));
  return plan;
}

}  // namespace

Result<PlanStored> put_plan(Tx& tx, const PlanPut& request) {
  const PlanSpec& spec = request.plan;
  const auto ns = tx.namespace_key(spec.ns);
  if (!ns.ok()) return ns.status();
  const std::string needs = spec.needs.key();
  // Twice, because the one that was in the way may be deleted while we wait for it.
  for (int tries = 0; tries < 2; ++tries) {
    Params params;
    params.int4(*ns).text(spec.id.text()).bytes(spec.text).bytes(spec.description).int4(spec.tasks).bytes(needs);
    if (tx.ask(kPlanPut, std::move(params.int8(tx.now_ms()))).size() == 1) {
      Plan plan;
      plan.spec = spec;
      plan.created_at = tx.now();
      return PlanStored{std::move(plan), false};
    }
    const Rows rows = tx.ask(kPlanLock, Params().int4(*ns).text(spec.id.text()));
    if (rows.size() == 0) continue;
    Plan plan = read_plan(rows, 0, spec.ns);
    if (plan.spec.text == spec.text) return PlanStored{std::move(plan), true};
    if (!request.replace) return refusal::plan_exists(spec.id);
    Params changed;
    changed.int8(rows.integer(0, 0)).bytes(spec.text).bytes(spec.description).int4(spec.tasks).bytes(needs);
    tx.write(kPlanReplace, std::move(changed));
    plan.spec = spec;
    return PlanStored{std::move(plan), false};
  }
  return Status::unavailable(fmt::format("plan '{}' is being put and deleted by others; try again", spec.id.text()));
}

Each<Plan> get_plans(Tx& tx, const NamespaceName& ns, const std::vector<PlanId>& plans) {
  const auto ns_key = tx.namespace_key(ns);
  if (!ns_key.ok()) return Each<Plan>(plans.size(), ns_key.status());
  Column names(Type::text);
  for (const PlanId& id : plans) names.add(std::string_view(id.text()));
  const Rows rows = tx.ask(kPlanRead, std::move(Params().int4(*ns_key).array(std::move(names))));
  std::unordered_map<std::string, std::size_t> row_of;
  for (std::size_t i = 0; i < rows.size(); ++i) row_of.emplace(rows.text(i, 1), i);
  Each<Plan> out;
  for (const PlanId& id : plans) {
    if (const auto found = row_of.find(id.text()); found != row_of.end())
      out.emplace_back(read_plan(rows, found->second, ns));
    else
      out.emplace_back(refusal::no_plan(id));
  }
  return out;
}

Result<PlanPage> list_plans(Tx& tx, const PlanQuery& query) {
  const auto ns = tx.namespace_key(query.ns);
  if (!ns.ok()) return ns.status();
  tx.write(kPlanCount, Params().int4(*ns));
  Params params;
  params.int4(*ns).int8(static_cast<std::int64_t>(query.limit)).int8(static_cast<std::int64_t>(query.offset));
  tx.write(kPlanList, std::move(params.boolean(query.with_text)));
  const std::vector<Rows> answers = tx.ask_all();
  PlanPage page;
  if (tx.failed() || answers.size() < 2) return page;
  page.total = static_cast<std::uint64_t>(answers[0].integer(0, 0));
  for (std::size_t i = 0; i < answers[1].size(); ++i) page.plans.push_back(read_plan(answers[1], i, query.ns));
  return page;
}

Result<Plan> delete_plan(Tx& tx, const NamespaceName& ns, const PlanId& id) {
  const auto ns_key = tx.namespace_key(ns);
  if (!ns_key.ok()) return ns_key.status();
  // Whoever makes an action of it waits for this, and finds it gone.
  const Rows rows = tx.ask(kPlanLock, Params().int4(*ns_key).text(id.text()));
  if (rows.size() == 0) return refusal::no_plan(id);
  const Rows needed = tx.ask(kPlanNeeded, Params().int4(*ns_key).text(id.text()));
  if (needed.size() > 0) return refusal::plan_needed(id, needed.view(0, 0));
  tx.write(kPlanDelete, Params().int8(rows.integer(0, 0)));
  return read_plan(rows, 0, ns);
}

}  // namespace muster::store::postgres
