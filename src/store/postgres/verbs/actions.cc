// Actions: one plan over many inputs, one job for each. The jobs are ordinary ones; an action is the list of their keys and the
// counts that outlive them.
#include "store/postgres/verbs/actions.h"

#include <algorithm>

#include "model/plan.h"
#include "store/postgres/node.h"
#include "store/postgres/verbs/verbs.h"
#include "store/refusals.h"

namespace muster::store::postgres {
namespace {

const Sql kPlanUsed{"plan_used"};
const Sql kActionKnown{"action_known"};
const Sql kActionPut{"action_put"};
const Sql kActionRead{"action_read"};
const Sql kActionJobs{"action_jobs"};
const Sql kActionListOldest{"action_list_oldest"};
const Sql kActionListNewest{"action_list_newest"};
const Sql kActionCount{"action_count"};
const Sql kActionLock{"action_lock"};
const Sql kActionReopen{"action_reopen"};
const Sql kActionOpen{"action_open"};
const Sql kActionLockOpen{"action_lock_open"};
const Sql kActionSettle{"action_settle"};
const Sql kActionForget{"action_forget"};
const Sql kActionForgetJobs{"action_forget_jobs"};

constexpr std::size_t kSettlePassMax = 200;  // open actions one pass looks at: each may have thousands of jobs

// The columns of action_read: those of the row, then those of the jobs that are there, for an open one.
Action read_action(const Rows& rows, std::size_t row, const NamespaceName& ns) {
  const auto count = [&rows, row](int column) { return static_cast<std::uint64_t>(rows.integer(row, column)); };
  Action out;
  out.ns = ns;
  out.id = ActionId(rows.text(row, 1));
  out.plan = PlanId(rows.text(row, 2));
  out.created_at = from_ms(rows.integer(row, 3));
  out.jobs = count(4);
  // Of a settled one columns 10 and on are null, which reads as nothing.
  out.counts = {.waiting = count(10),
                .running = count(11),
                .completed = count(6) + count(12),
                .failed = count(7) + count(13),
                .dead = count(8) + count(14),
                .cancelled = count(9) + count(15)};
  return out;
}

// The answer stands, and nothing of what was written does.
Status undo(Tx& tx, Status status) {
  tx.undone = true;
  return status;
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
  const Rows known = tx.ask(kActionKnown, Params().int4(*ns).text(action.plan.text()).text(action.id.text()));
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
  if (tx.ask(kPlanUsed, Params().int4(*ns).text(action.plan.text()).int8(tx.now_ms()).int8(jobs)).size() == 0)
    return undo(tx, refusal::no_plan(action.plan));
  if (tx.ask(kActionPut, std::move(params.int8s(keys))).size() == 0) return undo(tx, refusal::action_exists(action.id));
  out.action = {.ns = action.ns, .id = action.id, .plan = action.plan, .created_at = tx.now(), .jobs = keys.size()};
  for (const Enqueued& job : *enqueued) is_finished(job.state) ? ++out.action.counts.cancelled : ++out.action.counts.waiting;
  return out;
}

Result<ActionView> get_action(Tx& tx, const ActionQuery& query) {
  const auto ns = tx.namespace_key(query.ns);
  if (!ns.ok()) return ns.status();
  const Rows rows = tx.ask(kActionRead, Params().int4(*ns).text(query.id.text()));
  if (rows.size() == 0) return refusal::no_action(query.id);
  ActionView view{read_action(rows, 0, query.ns), {}};
  if (query.job_limit == 0) return view;
  Params params;
  params.int8(rows.integer(0, 0)).int8(static_cast<std::int64_t>(query.job_limit));
  params.int8(static_cast<std::int64_t>(query.job_offset)).boolean(query.newest_first);
  for (const std::int64_t key : keys_of(tx.ask(kActionJobs, std::move(params)))) view.jobs.push_back(tx.ids().encode(key));
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
  tx.write(kActionCount, filter());
  Params params = filter();
  params.int8(static_cast<std::int64_t>(query.limit)).int8(static_cast<std::int64_t>(query.offset));
  tx.write(query.newest_first ? kActionListNewest : kActionListOldest, std::move(params));
  const std::vector<Rows> answers = tx.ask_all();
  ActionPage page;
  if (tx.failed() || answers.size() < 2) return page;
  page.total = static_cast<std::uint64_t>(answers[0].integer(0, 0));
  for (std::size_t i = 0; i < answers[1].size(); ++i) page.actions.push_back(read_action(answers[1], i, query.ns));
  return page;
}

SweepReport settle_actions(Tx& tx, const Retention& retention, std::size_t limit) {
  if (!leads(tx)) return {};
  SweepReport report;
  const std::size_t room = std::min(limit, kSettlePassMax);
  const Rows open = tx.ask(kActionOpen, Params().int8(tx.node().settle_from.load()).int8(static_cast<std::int64_t>(room)));
  std::vector<std::int64_t> idle;
  for (std::size_t i = 0; i < open.size(); ++i)
    if (open.integer(i, 1) != 0) idle.push_back(open.integer(i, 0));
  if (!idle.empty()) {
    // A job that starts over holds its action first: what is counted under this lock stays so.
    const std::vector<std::int64_t> held = keys_of(tx.ask(kActionLockOpen, Params().int8s(idle)));
    if (!held.empty()) report.moved = tx.ask(kActionSettle, Params().int8s(held).int8(tx.now_ms())).size();
  }
  report.more = open.size() == room && room > 0;
  tx.node().settle_from = report.more ? open.integer(open.size() - 1, 0) : 0;

  const std::int64_t cut = to_ms(tx.now() - retention.completed_kept);
  const std::size_t left = limit - std::min(limit, report.moved);
  const std::size_t forgotten = tx.ask(kActionForget, Params().int8(cut).int8(static_cast<std::int64_t>(left))).affected();
  report.moved += forgotten;
  report.more = report.more || (forgotten == left && left > 0);
  return report;
}

void reopen_action(Tx& tx, NamespaceKey ns, const JobSpec& spec, JobKey job) {
  const auto label = spec.labels.find(kLabelAction);
  if (label == spec.labels.end()) return;
  const Rows rows = tx.ask(kActionLock, Params().int4(ns).text(label->second).int8(job));
  if (rows.size() == 1 && !rows.null(0, 1)) tx.write(kActionReopen, Params().int8(rows.integer(0, 0)));
}

void forget_action_jobs(Tx& tx, const Rows& removed) {
  if (removed.size() == 0) return;
  Column job(Type::int8), outcome(Type::int2);
  std::int64_t first = INT64_MAX, last = 0;
  for (std::size_t i = 0; i < removed.size(); ++i) {
    const std::int64_t key = removed.integer(i, 0);
    first = std::min(first, key);
    last = std::max(last, key);
    job.add(key);
    outcome.add(removed.integer(i, 1));
  }
  Params params;
  params.array(std::move(job)).array(std::move(outcome)).int8(first).int8(last);
  tx.write(kActionForgetJobs, std::move(params));
}

}  // namespace muster::store::postgres
