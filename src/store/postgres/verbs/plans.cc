// Plans: templates kept by name.
#include <algorithm>
#include <unordered_map>

#include <fmt/format.h>

#include "model/plan.h"
#include "store/codec/columns.h"
#include "store/postgres/node.h"
#include "store/postgres/verbs/verbs.h"
#include "store/refusals.h"

namespace muster::store::postgres {
namespace {

// The columns of plan_read.
Plan plan_at(const Rows& rows, std::size_t row, const NamespaceName& ns) {
  Plan plan;
  plan.spec.ns = ns;
  read_plan(rows.at(row), 1, plan);
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
    if (tx.ask("plan_put"_sql, std::move(params.int8(tx.now_ms()))).size() == 1) {
      Plan plan;
      plan.spec = spec;
      plan.created_at = tx.now();
      return PlanStored{std::move(plan), false};
    }
    const Rows rows = tx.ask("plan_lock"_sql, Params().int4(*ns).text(spec.id.text()));
    if (rows.size() == 0) continue;
    Plan plan = plan_at(rows, 0, spec.ns);
    if (plan.spec.text == spec.text) return PlanStored{std::move(plan), true};
    if (!request.replace) return refusal::plan_exists(spec.id);
    Params changed;
    changed.int8(rows.integer(0, 0)).bytes(spec.text).bytes(spec.description).int4(spec.tasks).bytes(needs);
    tx.write("plan_replace"_sql, std::move(changed));
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
  const Rows rows = tx.ask("plan_read"_sql, std::move(Params().int4(*ns_key).array(std::move(names))));
  std::unordered_map<std::string, std::size_t> row_of;
  for (std::size_t i = 0; i < rows.size(); ++i) row_of.emplace(rows.text(i, 1), i);
  Each<Plan> out;
  for (const PlanId& id : plans) {
    if (const auto found = row_of.find(id.text()); found != row_of.end())
      out.emplace_back(plan_at(rows, found->second, ns));
    else
      out.emplace_back(refusal::no_plan(id));
  }
  return out;
}

Result<PlanPage> list_plans(Tx& tx, const PlanQuery& query) {
  const auto ns = tx.namespace_key(query.ns);
  if (!ns.ok()) return ns.status();
  tx.write("plan_count"_sql, Params().int4(*ns));
  Params params;
  params.int4(*ns).int8(static_cast<std::int64_t>(query.limit)).int8(static_cast<std::int64_t>(query.offset));
  tx.write("plan_list"_sql, std::move(params.boolean(query.with_text)));
  const std::vector<Rows> answers = tx.ask_all();
  PlanPage page;
  if (tx.failed() || answers.size() < 2) return page;
  page.total = static_cast<std::uint64_t>(answers[0].integer(0, 0));
  for (std::size_t i = 0; i < answers[1].size(); ++i) page.plans.push_back(plan_at(answers[1], i, query.ns));
  return page;
}

Result<Plan> delete_plan(Tx& tx, const NamespaceName& ns, const PlanId& id) {
  const auto ns_key = tx.namespace_key(ns);
  if (!ns_key.ok()) return ns_key.status();
  // Whoever makes an action of it waits for this, and finds it gone.
  const Rows rows = tx.ask("plan_lock"_sql, Params().int4(*ns_key).text(id.text()));
  if (rows.size() == 0) return refusal::no_plan(id);
  const Rows needed = tx.ask("plan_needed"_sql, Params().int4(*ns_key).text(id.text()));
  if (needed.size() > 0) return refusal::plan_needed(id, needed.view(0, 0));
  tx.write("plan_delete"_sql, Params().int8(rows.integer(0, 0)));
  return plan_at(rows, 0, ns);
}

namespace {

// Actions: one plan over many inputs, one job for each. The jobs are ordinary ones; an action is the list of their keys and the
// counts that outlive them.

constexpr std::size_t kSettlePassMax = 200;  // open actions one pass looks at: each may have thousands of jobs

// The columns of action_read: those of the row, then those of the jobs that are there, for an open one.
Action action_at(const Rows& rows, std::size_t row, const NamespaceName& ns) {
  Action out;
  out.ns = ns;
  std::optional<Instant> settled_at;
  read_action(rows.at(row), 1, out, settled_at);
  // Of a settled one columns 10 and on are null, which reads as nothing.
  ActionCounts present;
  read_columns(rows.at(row), 10, out.counts.waiting, out.counts.running, present.completed, present.failed, present.dead,
               present.cancelled);
  out.counts.completed += present.completed;
  out.counts.failed += present.failed;
  out.counts.dead += present.dead;
  out.counts.cancelled += present.cancelled;
  return out;
}

std::vector<std::int64_t> keys_of(const Rows& rows) {
  std::vector<std::int64_t> keys;
  for (std::size_t i = 0; i < rows.size(); ++i) keys.push_back(rows.integer(i, 0));
  return keys;
}

}  // namespace

Result<ActionSubmitted> submit_action(Tx& tx, const ActionSpec& action) {
  const auto ns = tx.namespace_key(action.ns);
  if (!ns.ok()) return ns.status();
  const Rows known = tx.ask("action_known"_sql, Params().int4(*ns).text(action.plan.text()).text(action.id.text()));
  if (known.size() == 0) return Status::unavailable("the database is away");
  if (known.integer(0, 0) == 0) return refusal::no_plan(action.plan);
  if (known.integer(0, 1) != 0) return refusal::action_exists(action.id);
  if (action.jobs.empty()) return refusal::action_without_jobs();

  std::vector<JobSpec> specs;
  std::vector<std::vector<std::uint32_t>> after;
  for (const ActionJob& job : action.jobs) {
    // Its jobs are counted by their keys, so none of them may turn out to be an older one.
    if (!job.spec.idempotency_key.empty() || job.spec.unique) return refusal::action_job_with_key();
    JobSpec& spec = specs.emplace_back(job.spec);
    spec.ns = action.ns;
    spec.labels.insert_or_assign(kLabelAction, action.id.text());
    spec.labels.insert_or_assign(kLabelPlan, action.plan.text());
    after.push_back(job.after);
  }
  const auto enqueued = enqueue_linked(tx, std::move(specs), after);
  if (!enqueued.ok()) return undo(tx, enqueued.status());

  ActionSubmitted out;
  std::vector<std::int64_t> keys;
  for (const Enqueued& job : *enqueued) {
    out.jobs.push_back(job.id);
    keys.push_back(tx.ids().decode(job.id).value_or(0));
  }
  const auto jobs = static_cast<std::int64_t>(keys.size());
  // The plan's row last, and then at once the commit: actions of one plan wait for each other no longer than that.
  Params params;
  params.int4(*ns).text(action.id.text()).text(action.plan.text()).int8(tx.now_ms()).int4(jobs);
  params.int8(*std::min_element(keys.begin(), keys.end())).int8(*std::max_element(keys.begin(), keys.end()));
  if (tx.ask("plan_used"_sql, Params().int4(*ns).text(action.plan.text()).int8(tx.now_ms()).int8(jobs)).size() == 0)
    return undo(tx, refusal::no_plan(action.plan));
  if (tx.ask("action_put"_sql, std::move(params.int8s(keys))).size() == 0) return undo(tx, refusal::action_exists(action.id));
  out.action = {.ns = action.ns, .id = action.id, .plan = action.plan, .created_at = tx.now(), .jobs = keys.size()};
  for (const Enqueued& job : *enqueued) is_finished(job.state) ? ++out.action.counts.cancelled : ++out.action.counts.waiting;
  return out;
}

Result<ActionView> get_action(Tx& tx, const ActionQuery& query) {
  const auto ns = tx.namespace_key(query.ns);
  if (!ns.ok()) return ns.status();
  const Rows rows = tx.ask("action_read"_sql, Params().int4(*ns).text(query.id.text()));
  if (rows.size() == 0) return refusal::no_action(query.id);
  ActionView view{action_at(rows, 0, query.ns), {}};
  if (query.job_limit == 0) return view;
  Params params;
  params.int8(rows.integer(0, 0)).int8(static_cast<std::int64_t>(query.job_limit));
  params.int8(static_cast<std::int64_t>(query.job_offset)).boolean(query.newest_first);
  for (const std::int64_t key : keys_of(tx.ask("action_jobs"_sql, std::move(params)))) view.jobs.push_back(tx.ids().encode(key));
  return view;
}

Result<ActionPage> list_actions(Tx& tx, const ActionListQuery& query) {
  const auto ns = tx.namespace_key(query.ns);
  if (!ns.ok()) return ns.status();
  const auto filter = [&] {
    Params params;
    params.int4(*ns);
    query.plan.empty() ? params.null() : params.text(query.plan.text());
    return params;
  };
  tx.write("action_count"_sql, filter());
  Params params = filter();
  params.int8(static_cast<std::int64_t>(query.limit)).int8(static_cast<std::int64_t>(query.offset));
  tx.write(query.newest_first ? "action_list_newest"_sql : "action_list_oldest"_sql, std::move(params));
  const std::vector<Rows> answers = tx.ask_all();
  ActionPage page;
  if (tx.failed() || answers.size() < 2) return page;
  page.total = static_cast<std::uint64_t>(answers[0].integer(0, 0));
  for (std::size_t i = 0; i < answers[1].size(); ++i) page.actions.push_back(action_at(answers[1], i, query.ns));
  return page;
}

SweepReport settle_actions(Tx& tx, const Retention& retention, std::size_t limit) {
  if (!leads(tx)) return {};
  SweepReport report;
  const std::size_t room = std::min(limit, kSettlePassMax);
  const Rows open = tx.ask("action_open"_sql, Params().int8(tx.node().settle_from.load()).int8(static_cast<std::int64_t>(room)));
  std::vector<std::int64_t> idle;
  for (std::size_t i = 0; i < open.size(); ++i)
    if (open.integer(i, 1) != 0) idle.push_back(open.integer(i, 0));
  if (!idle.empty()) {
    // A job that starts over holds its action first: what is counted under this lock stays so.
    const std::vector<std::int64_t> held = keys_of(tx.ask("action_lock_open"_sql, Params().int8s(idle)));
    if (!held.empty()) report.moved = tx.ask("action_settle"_sql, Params().int8s(held).int8(tx.now_ms())).size();
  }
  report.more = open.size() == room && room > 0;
  tx.node().settle_from = report.more ? open.integer(open.size() - 1, 0) : 0;

  const std::int64_t cut = to_ms(tx.now() - retention.completed_kept);
  const std::size_t left = limit - std::min(limit, report.moved);
  const std::size_t forgotten = tx.ask("action_forget"_sql, Params().int8(cut).int8(static_cast<std::int64_t>(left))).affected();
  report.moved += forgotten;
  report.more = report.more || (forgotten == left && left > 0);
  return report;
}

void reopen_action(Tx& tx, NamespaceKey ns, const JobSpec& spec, JobKey job) {
  const auto label = spec.labels.find(kLabelAction);
  if (label == spec.labels.end()) return;
  const Rows rows = tx.ask("action_lock"_sql, Params().int4(ns).text(label->second).int8(job));
  if (rows.size() == 1 && !rows.null(0, 1)) tx.write("action_reopen"_sql, Params().int8(rows.integer(0, 0)));
}

void forget_action_jobs(Tx& tx, const Rows& removed) {
  if (removed.size() == 0) return;
  Table rows({Type::int8, Type::int2});
  std::int64_t first = INT64_MAX, last = 0;
  for (std::size_t i = 0; i < removed.size(); ++i) {
    const std::int64_t key = removed.integer(i, 0);
    first = std::min(first, key);
    last = std::max(last, key);
    rows.add(key, removed.integer(i, 1));
  }
  Params params = rows.params();
  tx.write("action_forget_jobs"_sql, std::move(params.int8(first).int8(last)));
}

}  // namespace muster::store::postgres
