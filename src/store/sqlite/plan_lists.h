// Lists of plans and actions on a reader's connection: counting the jobs of a page of actions may take long.
#pragma once

#include "base/status.h"
#include "store/plans.h"
#include "store/sqlite/db.h"

namespace muster::store::sqlite {

// Not thread-safe: one per thread.
class PlanLists {
 public:
  explicit PlanLists(Connection& connection);

  // A page ends early with the plan that passes limits::kPageBytesMax of texts.
  Result<PlanPage> list_plans(const PlanQuery& query);
  Result<ActionPage> list_actions(const ActionListQuery& query);

 private:
  Result<std::int64_t> namespace_row(const NamespaceName& ns);
  template <class Page>
  Result<Page> judged(Page page);

  Connection& db_;
  Statement namespace_;
  Statement plan_count_;
  Statement plan_list_;
  Statement action_count_;
  Statement newest_;
  Statement oldest_;
  Statement outcomes_;
};

}  // namespace muster::store::sqlite
