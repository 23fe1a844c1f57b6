#include "store/sqlite/plan_lists.h"

#include <utility>

#include "store/refusals.h"
#include "store/sqlite/plan_row.h"

namespace muster::store::sqlite {
namespace {

std::uint64_t number_in(Statement& st) {
  Rows rows(st);
  return rows.next() ? static_cast<std::uint64_t>(st.integer(0)) : 0;
}

}  // namespace

PlanLists::PlanLists(Connection& connection)
    : db_(connection),
      namespace_(connection, "namespace_find"),
      plan_count_(connection, "plan_count"),
      plan_list_(connection, "plan_list"),
      action_count_(connection, "action_count"),
      newest_(connection, "action_list_newest"),
      oldest_(connection, "action_list_oldest"),
      outcomes_(connection, "action_outcomes") {}

Result<std::int64_t> PlanLists::namespace_row(const NamespaceName& ns) {
  db_.clear_fault();
  Rows rows(namespace_.bind_text(1, ns.text()));
  if (rows.next()) return namespace_.integer(0);
  if (!db_.fault().ok()) return db_.fault();
  return refusal::namespace_not_made(ns);
}

template <class Page>
Result<Page> PlanLists::judged(Page page) {
  const Status fault = db_.fault();
  db_.clear_fault();
  if (!fault.ok()) return fault;
  return page;
}

Result<PlanPage> PlanLists::list_plans(const PlanQuery& query) {
  const auto ns_row = namespace_row(query.ns);
  if (!ns_row.ok()) return ns_row.status();
  PlanPage page;
  page.total = number_in(plan_count_.bind(1, *ns_row));
  Statement& st = plan_list_;
  st.bind(1, *ns_row).bind(2, static_cast<std::int64_t>(query.limit)).bind(3, static_cast<std::int64_t>(query.offset));
  std::size_t bytes = 0;
  Rows rows(st.bind(4, std::int64_t{query.with_text}));
  while (bytes < limits::kPageBytesMax && rows.next()) {
    page.plans.push_back(read_plan(st, query.ns).plan);
    bytes += page.plans.back().spec.text.size();
  }
  return judged(std::move(page));
}

Result<ActionPage> PlanLists::list_actions(const ActionListQuery& query) {
  const auto ns_row = namespace_row(query.ns);
  if (!ns_row.ok()) return ns_row.status();
  ActionPage page;
  page.total = number_in(action_count_.bind(1, *ns_row).bind_text_or_null(2, query.plan.text()));
  std::vector<FoundAction> found;
  {
    Statement& st = query.newest_first ? newest_ : oldest_;
    st.bind(1, *ns_row).bind_text_or_null(2, query.plan.text());
    Rows rows(st.bind(3, static_cast<std::int64_t>(query.limit)).bind(4, static_cast<std::int64_t>(query.offset)));
    while (rows.next()) found.push_back(read_action(st, query.ns));
  }
  for (FoundAction& one : found) page.actions.push_back(with_counts(outcomes_, std::move(one)));
  return judged(std::move(page));
}

}  // namespace muster::store::sqlite
