#include "store/sqlite/plan_row.h"

#include <array>
#include <utility>

namespace muster::store::sqlite {

FoundPlan read_plan(const Statement& st, const NamespaceName& ns) {
  FoundPlan out{st.integer(0), {}};
  PlanSpec& spec = out.plan.spec;
  spec.ns = ns;
  spec.id = PlanId(st.text(1));
  spec.text = st.text(2);
  spec.description = st.text(3);
  spec.tasks = static_cast<std::uint32_t>(st.integer(4));
  spec.needs = CapabilitySet::from_key(st.view(5));
  out.plan.created_at = from_ms(st.integer(6));
  if (const auto used = st.optional_integer(7)) out.plan.last_used_at = from_ms(*used);
  out.plan.actions = static_cast<std::uint64_t>(st.integer(8));
  out.plan.jobs = static_cast<std::uint64_t>(st.integer(9));
  return out;
}

FoundAction read_action(const Statement& st, const NamespaceName& ns) {
  const auto count = [&st](int column) { return static_cast<std::uint64_t>(st.integer(column)); };
  FoundAction out;
  out.row = st.integer(0);
  out.action.ns = ns;
  out.action.id = ActionId(st.text(1));
  out.action.plan = PlanId(st.text(2));
  out.action.created_at = from_ms(st.integer(3));
  out.action.jobs = count(4);
  if (const auto at = st.optional_integer(5)) out.settled_at = from_ms(*at);
  out.action.counts.completed = count(6);
  out.action.counts.failed = count(7);
  out.action.counts.dead = count(8);
  out.action.counts.cancelled = count(9);
  return out;
}

// Outcomes are numbered by the view job_outcomes.
Present count_present(Statement& st, std::int64_t action) {
  Present out;
  std::array<std::uint64_t*, 6> counts{&out.counts.waiting, &out.counts.running, &out.counts.completed,
                                       &out.counts.failed,  &out.counts.dead,    &out.counts.cancelled};
  Rows rows(st.bind(1, action));
  while (rows.next()) {
    ++*counts.at(static_cast<std::size_t>(st.integer(0)));
    if (const auto at = st.optional_integer(1); at && from_ms(*at) > out.last_finished_at.value_or(Instant()))
      out.last_finished_at = from_ms(*at);
  }
  return out;
}

ActionCounts sum(const ActionCounts& a, const ActionCounts& b) {
  return {.waiting = a.waiting + b.waiting,
          .running = a.running + b.running,
          .completed = a.completed + b.completed,
          .failed = a.failed + b.failed,
          .dead = a.dead + b.dead,
          .cancelled = a.cancelled + b.cancelled};
}

Action with_counts(Statement& outcomes, FoundAction found) {
  if (!found.settled_at) found.action.counts = sum(found.action.counts, count_present(outcomes, found.row).counts);
  return std::move(found.action);
}

}  // namespace muster::store::sqlite
