// Rows of plans and actions, as the verbs and the readers see them.
#pragma once

#include <cstdint>
#include <optional>

#include "base/clock.h"
#include "model/plan.h"
#include "store/sqlite/db.h"

namespace muster::store::sqlite {

struct FoundPlan {
  std::int64_t row = 0;
  Plan plan;
};
// The columns of plan_find.sql.
FoundPlan read_plan(const Statement& st, const NamespaceName& ns);

struct FoundAction {
  std::int64_t row = 0;
  Action action;  // counts: those of the row
  std::optional<Instant> settled_at;
};
// The columns of action_find.sql.
FoundAction read_action(const Statement& st, const NamespaceName& ns);

struct Present {
  ActionCounts counts;  // of the jobs that are still there
  std::optional<Instant> last_finished_at;
};
// By action_outcomes.sql.
Present count_present(Statement& outcomes, std::int64_t action);

ActionCounts sum(const ActionCounts& a, const ActionCounts& b);
// An open one with those of its jobs that are still there.
Action with_counts(Statement& outcomes, FoundAction found);

}  // namespace muster::store::sqlite
