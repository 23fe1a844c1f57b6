// Plans: templates kept by name, and the jobs that clients named themselves.
#include "store/refusals.h"
#include "store/sqlite/plan_row.h"
#include "store/sqlite/verbs/actions.h"
#include "store/sqlite/verbs/verbs.h"

namespace muster::store::sqlite {
namespace {

std::optional<FoundPlan> find_plan(Core& core, std::int64_t ns_row, const NamespaceName& ns, const PlanId& id) {
  Rows rows(core.sql.plan_find.bind(1, ns_row).bind_text(2, id.text()));
  if (!rows.next()) return std::nullopt;
  return read_plan(core.sql.plan_find, ns);
}

}  // namespace

Result<JobId> find_job(Core& core, const NamespaceName& ns, const std::string& key) {
  const auto ns_row = core.namespace_row(ns);
  if (!ns_row.ok()) return ns_row.status();
  Rows rows(core.sql.idempotency_find.bind(1, *ns_row).bind_text(2, key));
  if (!rows.next()) return refusal::no_key(key);
  return core.ids.encode(core.sql.idempotency_find.integer(0));
}

Result<PlanStored> put_plan(Core& core, const PlanPut& request) {
  const PlanSpec& spec = request.plan;
  const auto ns_row = core.namespace_row(spec.ns);
  if (!ns_row.ok()) return ns_row.status();
  auto found = find_plan(core, *ns_row, spec.ns, spec.id);
  if (found && found->plan.spec.text == spec.text) return PlanStored{std::move(found->plan), true};
  if (found && !request.replace) return refusal::plan_exists(spec.id);
  const std::string needs = spec.needs.key();
  core.group.wrote = true;
  if (found) {
    core.sql.plan_replace.bind(1, found->row).bind_text(2, spec.text).bind_text(3, spec.description);
    core.sql.plan_replace.bind(4, std::int64_t{spec.tasks}).bind_text(5, needs).run();
    found->plan.spec = spec;
    return PlanStored{std::move(found->plan), false};
  }
  Statement& st = core.sql.plan_insert;
  st.bind(1, *ns_row).bind_text(2, spec.id.text()).bind_text(3, spec.text).bind_text(4, spec.description);
  st.bind(5, std::int64_t{spec.tasks}).bind_text(6, needs).bind(7, to_ms(core.now)).run();
  Plan plan;
  plan.spec = spec;
  plan.created_at = core.now;
  return PlanStored{std::move(plan), false};
}

Result<Plan> get_plan(Core& core, const NamespaceName& ns, const PlanId& id) {
  const auto ns_row = core.namespace_row(ns);
  if (!ns_row.ok()) return ns_row.status();
  auto found = find_plan(core, *ns_row, ns, id);
  if (!found) return refusal::no_plan(id);
  return std::move(found->plan);
}

Result<Plan> delete_plan(Core& core, const NamespaceName& ns, const PlanId& id) {
  const auto ns_row = core.namespace_row(ns);
  if (!ns_row.ok()) return ns_row.status();
  auto found = find_plan(core, *ns_row, ns, id);
  if (!found) return refusal::no_plan(id);
  if (const auto action = unfinished_action_of_plan(core, *ns_row, id)) return refusal::plan_needed(id, action->text());
  core.sql.plan_delete.bind(1, found->row).run();
  core.group.wrote = true;
  return std::move(found->plan);
}

std::optional<std::int64_t> plan_row(Core& core, std::int64_t ns_row, const PlanId& id) {
  Rows rows(core.sql.plan_find.bind(1, ns_row).bind_text(2, id.text()));
  if (!rows.next()) return std::nullopt;
  return core.sql.plan_find.integer(0);
}

}  // namespace muster::store::sqlite
