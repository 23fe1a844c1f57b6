// Plans: templates kept by name, and the jobs that clients named themselves.
#include <algorithm>

#include "store/refusals.h"
#include "store/sqlite/rows.h"
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
  return std::move(found->plan);
}

std::optional<std::int64_t> plan_row(Core& core, std::int64_t ns_row, const PlanId& id) {
  Rows rows(core.sql.plan_find.bind(1, ns_row).bind_text(2, id.text()));
  if (!rows.next()) return std::nullopt;
  return core.sql.plan_find.integer(0);
}

namespace {

// Actions: one plan over many inputs, one job for each. The jobs are ordinary ones; an action is the stretches of their keys and
// the counts that outlive them.

constexpr std::size_t kOpenLookedPerMove = 10;     // open actions looked at for one that may be settled
constexpr std::uint64_t kSettledJobsMax = 20'000;  // jobs of the actions that one pass settles

// What is left of settled counts when those that are present are counted where they are.
ActionCounts without(const ActionCounts& all, const ActionCounts& present) {
  const auto less = [](std::uint64_t a, std::uint64_t b) { return a - std::min(a, b); };
  return {.completed = less(all.completed, present.completed),
          .failed = less(all.failed, present.failed),
          .dead = less(all.dead, present.dead),
          .cancelled = less(all.cancelled, present.cancelled)};
}

void write_counts(Core& core, std::int64_t row, std::optional<Instant> settled_at, const ActionCounts& counts) {
  Statement& st = core.sql.action_settle;
  st.bind(1, row);
  settled_at ? st.bind(2, to_ms(*settled_at)) : st.bind_null(2);
  st.bind(3, static_cast<std::int64_t>(counts.completed)).bind(4, static_cast<std::int64_t>(counts.failed));
  st.bind(5, static_cast<std::int64_t>(counts.dead)).bind(6, static_cast<std::int64_t>(counts.cancelled)).run();
}

struct Stretch {
  JobKey first = 0;
  std::int64_t jobs = 0;
};

std::vector<Stretch> stretches_of(Core& core, std::int64_t action) {
  std::vector<Stretch> out;
  Rows rows(core.sql.action_jobs.bind(1, action));
  while (rows.next()) out.push_back({core.sql.action_jobs.integer(0), core.sql.action_jobs.integer(1)});
  return out;
}

// From the last one: jobs of an action end more or less in their order, so a live one is soon found.
bool has_live_job(Core& core, std::int64_t action) {
  const std::vector<Stretch> stretches = stretches_of(core, action);
  for (auto it = stretches.rbegin(); it != stretches.rend(); ++it)
    for (JobKey key = it->first + it->jobs; key-- > it->first;)
      if (core.find(key) != nullptr) return true;
  return false;
}

std::vector<JobId> page_of_jobs(Core& core, std::int64_t action, const ActionQuery& query) {
  std::vector<JobId> out;
  if (query.job_limit == 0) return out;
  std::vector<Stretch> stretches = stretches_of(core, action);
  if (query.newest_first) std::reverse(stretches.begin(), stretches.end());
  std::uint64_t skip = query.job_offset;
  for (const Stretch& stretch : stretches) {
    const auto jobs = static_cast<std::uint64_t>(stretch.jobs);
    for (std::uint64_t i = std::min(skip, jobs); i < jobs && out.size() < query.job_limit; ++i) {
      const auto place = static_cast<JobKey>(i);
      out.push_back(core.ids.encode(query.newest_first ? stretch.first + stretch.jobs - 1 - place : stretch.first + place));
    }
    skip -= std::min(skip, jobs);
  }
  return out;
}

std::optional<FoundAction> find_action(Core& core, std::int64_t ns_row, const NamespaceName& ns, const ActionId& id) {
  Rows rows(core.sql.action_find.bind(1, ns_row).bind_text(2, id.text()));
  if (!rows.next()) return std::nullopt;
  return read_action(core.sql.action_find, ns);
}

std::optional<std::int64_t> action_of_job(Core& core, JobKey job) {
  Rows rows(core.sql.action_of_job.bind(1, job));
  if (!rows.next() || job >= core.sql.action_of_job.integer(1)) return std::nullopt;
  return core.sql.action_of_job.integer(0);
}

std::vector<std::int64_t> rows_of(Statement& st) {
  std::vector<std::int64_t> out;
  Rows rows(st);
  while (rows.next()) out.push_back(st.integer(0));
  return out;
}

void insert_action(Core& core, std::int64_t ns_row, const ActionSpec& action, JobKey first_job) {
  const auto jobs = static_cast<std::int64_t>(action.jobs.size());
  std::int64_t row = 0;
  {
    Statement& st = core.sql.action_insert;
    st.bind(1, ns_row).bind_text(2, action.id.text()).bind_text(3, action.plan.text()).bind(4, to_ms(core.now)).bind(5, jobs);
    Rows rows(st);
    if (rows.next()) row = st.integer(0);
  }
  core.sql.action_jobs_insert.bind(1, first_job).bind(2, row).bind(3, std::int64_t{0}).bind(4, jobs).run();
}

}  // namespace

Result<ActionSubmitted> submit_action(Core& core, ActionSpec& action) {
  const auto ns_row = core.namespace_row(action.ns);
  if (!ns_row.ok()) return ns_row.status();
  const auto plan = plan_row(core, *ns_row, action.plan);
  if (!plan) return refusal::no_plan(action.plan);
  if (find_action(core, *ns_row, action.ns, action.id)) return refusal::action_exists(action.id);
  if (action.jobs.empty()) return refusal::action_without_jobs();

  std::vector<JobSpec> specs;
  std::vector<std::vector<std::uint32_t>> after;
  for (ActionJob& job : action.jobs) {
    // Its jobs are counted by their keys, so none of them may turn out to be an older one.
    if (!job.spec.idempotency_key.empty() || job.spec.unique) return refusal::action_job_with_key();
    job.spec.ns = action.ns;
    job.spec.labels.insert_or_assign(kLabelAction, action.id.text());
    job.spec.labels.insert_or_assign(kLabelPlan, action.plan.text());
    specs.push_back(std::move(job.spec));
    after.push_back(std::move(job.after));
  }
  const auto enqueued = enqueue_linked(core, specs, after);
  if (!enqueued.ok()) return enqueued.status();

  ActionSubmitted out;
  for (const Enqueued& job : *enqueued) out.jobs.push_back(job.id);
  insert_action(core, *ns_row, action, core.ids.decode(out.jobs.front()).value_or(0));
  core.sql.plan_used.bind(1, *plan).bind(2, to_ms(core.now)).bind(3, static_cast<std::int64_t>(out.jobs.size())).run();
  out.action = {.ns = action.ns, .id = action.id, .plan = action.plan, .created_at = core.now, .jobs = out.jobs.size()};
  for (const Enqueued& job : *enqueued) is_finished(job.state) ? ++out.action.counts.cancelled : ++out.action.counts.waiting;
  return out;
}

Result<ActionView> get_action(Core& core, const ActionQuery& query) {
  const auto ns_row = core.namespace_row(query.ns);
  if (!ns_row.ok()) return ns_row.status();
  auto found = find_action(core, *ns_row, query.ns, query.id);
  if (!found) return refusal::no_action(query.id);
  ActionView view;
  view.jobs = page_of_jobs(core, found->row, query);
  view.action = with_counts(core.sql.action_outcomes, std::move(*found));
  return view;
}

SweepReport settle_actions(Core& core, const Retention& retention, std::size_t limit) {
  SweepReport report;
  const std::size_t look = limit * kOpenLookedPerMove;
  core.sql.action_open.bind(1, core.settle_from).bind(2, static_cast<std::int64_t>(look));
  const std::vector<std::int64_t> open = rows_of(core.sql.action_open);
  std::uint64_t jobs = 0;
  for (const std::int64_t row : open) {
    if (report.moved == limit || jobs >= kSettledJobsMax) break;
    core.settle_from = row;
    if (has_live_job(core, row)) continue;
    const Present present = count_present(core.sql.action_outcomes, row);
    ActionCounts forgotten;
    {
      Rows rows(core.sql.action_read.bind(1, row));
      if (rows.next()) {
        const Action action = read_action(core.sql.action_read, {}).action;
        forgotten = action.counts;
        jobs += action.jobs;
      }
    }
    write_counts(core, row, present.last_finished_at.value_or(core.now), sum(forgotten, present.counts));
    ++report.moved;
  }
  report.more = report.moved == limit || jobs >= kSettledJobsMax || open.size() == look;
  if (!report.more) core.settle_from = 0;

  const std::size_t room = limit - report.moved;
  core.sql.action_ended.bind(1, to_ms(core.now - retention.completed_kept)).bind(2, static_cast<std::int64_t>(room));
  const std::vector<std::int64_t> ended = rows_of(core.sql.action_ended);
  for (const std::int64_t row : ended) {
    core.sql.action_jobs_delete.bind(1, row).run();
    core.sql.action_delete.bind(1, row).run();
  }
  report.moved += ended.size();
  report.more = report.more || ended.size() == room;
  return report;
}

void reopen_action(Core& core, JobKey job) {
  const auto row = action_of_job(core, job);
  if (!row) return;
  FoundAction found;
  {
    Rows rows(core.sql.action_read.bind(1, *row));
    if (!rows.next()) return;
    found = read_action(core.sql.action_read, {});
  }
  if (!found.settled_at) return;
  write_counts(core, *row, std::nullopt, without(found.action.counts, count_present(core.sql.action_outcomes, *row).counts));
  // Behind the place where the pass is: it has to come by again.
  core.settle_from = 0;
}

void forget_action_job(Core& core, JobKey job) {
  if (const auto row = action_of_job(core, job)) core.sql.action_forget_job.bind(1, *row).bind(2, job).run();
}

std::optional<ActionId> unfinished_action_of_plan(Core& core, std::int64_t ns_row, const PlanId& plan) {
  std::vector<std::pair<std::int64_t, std::string>> open;
  {
    Statement& st = core.sql.action_open_of_plan;
    Rows rows(st.bind(1, ns_row).bind_text(2, plan.text()));
    while (rows.next()) open.emplace_back(st.integer(0), st.text(1));
  }
  for (const auto& [row, name] : open)
    if (has_live_job(core, row)) return ActionId(name);
  return std::nullopt;
}

}  // namespace muster::store::sqlite
