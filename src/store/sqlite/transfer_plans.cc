#include "store/sqlite/transfer_plans.h"

namespace muster::store::sqlite {
namespace {

std::uint64_t count_at(const Statement& st, int column) { return static_cast<std::uint64_t>(st.integer(column)); }

}  // namespace

PlanReader::PlanReader(Connection& connection)
    : plans_(connection, "transfer_plans"), actions_(connection, "transfer_actions"), jobs_(connection, "action_jobs") {}

void PlanReader::read_plans(transfer::Batch& batch, const transfer::Position& after, std::size_t limit) {
  auto& out = batch.records.emplace<std::vector<Plan>>();
  Statement& st = plans_;
  std::size_t bytes = 0;
  Rows rows(st.bind(1, after.first).bind(2, as_integer(limit)));
  while (bytes < transfer::kCopyBatchBytesMax && rows.next()) {
    Plan& plan = out.emplace_back();
    plan.spec.ns = NamespaceName(st.text(1));
    plan.spec.id = PlanId(st.text(2));
    plan.spec.text = st.text(3);
    plan.spec.description = st.text(4);
    plan.spec.tasks = static_cast<std::uint32_t>(st.integer(5));
    plan.spec.needs = CapabilitySet::from_key(st.view(6));
    plan.created_at = from_ms(st.integer(7));
    plan.last_used_at = from_ms(st.optional_integer(8));
    plan.actions = count_at(st, 9);
    plan.jobs = count_at(st, 10);
    bytes += plan.spec.text.size();
    batch.last.first = st.integer(0);
  }
}

void PlanReader::read_actions(transfer::Batch& batch, const transfer::Position& after, std::size_t limit) {
  auto& out = batch.records.emplace<std::vector<transfer::ActionRecord>>();
  Statement& st = actions_;
  std::size_t bytes = 0;
  Rows rows(st.bind(1, after.first).bind(2, as_integer(limit)));
  while (bytes < transfer::kCopyBatchBytesMax && rows.next()) {
    transfer::ActionRecord& record = out.emplace_back();
    Action& action = record.action;
    action.ns = NamespaceName(st.text(1));
    action.id = ActionId(st.text(2));
    action.plan = PlanId(st.text(3));
    action.created_at = from_ms(st.integer(4));
    action.jobs = count_at(st, 5);
    record.settled_at = from_ms(st.optional_integer(6));
    action.counts.completed = count_at(st, 7);
    action.counts.failed = count_at(st, 8);
    action.counts.dead = count_at(st, 9);
    action.counts.cancelled = count_at(st, 10);
    batch.last.first = st.integer(0);
    Rows stretches(jobs_.bind(1, batch.last.first));
    while (stretches.next())
      for (std::int64_t i = 0; i < jobs_.integer(1); ++i) record.jobs.push_back(jobs_.integer(0) + i);
    bytes += record.jobs.size() * sizeof(JobKey);
  }
}

PlanWriter::PlanWriter(Connection& connection)
    : plan_put_(connection, "transfer_plan_put"),
      action_put_(connection, "transfer_action_put"),
      jobs_put_(connection, "action_jobs_insert") {}

void PlanWriter::put(const Plan& plan, std::int64_t ns_row) {
  const std::string needs = plan.spec.needs.key();
  Statement& st = plan_put_;
  st.bind(1, ns_row).bind_text(2, plan.spec.id.text()).bind_text(3, plan.spec.text).bind_text(4, plan.spec.description);
  st.bind(5, std::int64_t{plan.spec.tasks}).bind_text(6, needs).bind(7, to_ms(plan.created_at));
  st.bind_optional(8, to_ms(plan.last_used_at));
  st.bind(9, as_integer(plan.actions)).bind(10, as_integer(plan.jobs)).run();
}

void PlanWriter::put(const transfer::ActionRecord& record, std::int64_t ns_row) {
  const Action& action = record.action;
  std::int64_t row = 0;
  {
    Statement& st = action_put_;
    st.bind(1, ns_row).bind_text(2, action.id.text()).bind_text(3, action.plan.text()).bind(4, to_ms(action.created_at));
    st.bind(5, as_integer(action.jobs)).bind_optional(6, to_ms(record.settled_at));
    st.bind(7, as_integer(action.counts.completed)).bind(8, as_integer(action.counts.failed));
    Rows rows(st.bind(9, as_integer(action.counts.dead)).bind(10, as_integer(action.counts.cancelled)));
    if (rows.next()) row = st.integer(0);
  }
  // Keys that follow each other are one stretch.
  for (std::size_t from = 0, to = 0; from < record.jobs.size(); from = to) {
    while (to < record.jobs.size() && record.jobs[to] == record.jobs[from] + as_integer(to - from)) ++to;
    jobs_put_.bind(1, record.jobs[from]).bind(2, row).bind(3, as_integer(from)).bind(4, as_integer(to - from)).run();
  }
}

}  // namespace muster::store::sqlite
