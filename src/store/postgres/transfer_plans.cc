#include "store/postgres/transfer_plans.h"

#include <algorithm>

namespace muster::store::postgres {
namespace {

const Sql kPlansPut{"transfer_plans_put"};
const Sql kActionPut{"transfer_action_put"};

std::int64_t whole(std::uint64_t value) { return static_cast<std::int64_t>(value); }

}  // namespace

void put_plans(Tx& tx, TransferNames& names, const std::vector<Plan>& records) {
  Column ns(Type::int4), name(Type::text), text(Type::bytes), description(Type::bytes), tasks(Type::int4), needs(Type::bytes),
      created_at(Type::int8), last_used_at(Type::int8), actions(Type::int8), jobs(Type::int8);
  for (const Plan& plan : records) {
    ns.add(std::int64_t{names.ns(plan.spec.ns)});
    name.add(std::string_view(plan.spec.id.text()));
    text.add(std::string_view(plan.spec.text));
    description.add(std::string_view(plan.spec.description));
    tasks.add(std::int64_t{plan.spec.tasks});
    needs.add(std::string_view(plan.spec.needs.key()));
    created_at.add(to_ms(plan.created_at));
    last_used_at.add(to_ms(plan.last_used_at));
    actions.add(whole(plan.actions));
    jobs.add(whole(plan.jobs));
  }
  Params params;
  for (Column* column : {&ns, &name, &text, &description, &tasks, &needs, &created_at, &last_used_at, &actions, &jobs})
    params.array(std::move(*column));
  tx.write(kPlansPut, std::move(params));
}

// One by one, since a list of lists is no parameter.
void put_actions(Tx& tx, TransferNames& names, const std::vector<transfer::ActionRecord>& records) {
  for (const transfer::ActionRecord& record : records) {
    const Action& action = record.action;
    const auto [first, last] = std::minmax_element(record.jobs.begin(), record.jobs.end());
    Params params;
    params.int4(names.ns(action.ns)).text(action.id.text()).text(action.plan.text()).int8(to_ms(action.created_at));
    params.int4(whole(action.jobs)).int8(to_ms(record.settled_at)).int8(whole(action.counts.completed));
    params.int8(whole(action.counts.failed)).int8(whole(action.counts.dead)).int8(whole(action.counts.cancelled));
    params.int8(record.jobs.empty() ? 0 : *first).int8(record.jobs.empty() ? 0 : *last);
    tx.write(kActionPut, std::move(params.int8s(record.jobs)));
  }
}

}  // namespace muster::store::postgres
