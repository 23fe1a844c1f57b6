// Plans, actions and the internal keys of the store in memory.
#include <algorithm>

#include <fmt/format.h>

#include "fronts/http/memory_store_testing.h"

namespace muster::http {

void MemoryStore::set_text(std::string key, std::string value) { texts_[std::move(key)] = std::move(value); }

void MemoryStore::put_plan(store::PlanPut request, Reply<store::PlanStored> reply) {
  run<store::PlanStored>(std::move(reply), [this, request = std::move(request)]() -> Result<store::PlanStored> {
    const std::string id = request.plan.id.text();
    const auto found = plans_.find(id);
    if (found != plans_.end() && found->second.spec.text == request.plan.text)
      return store::PlanStored{.plan = found->second, .existed = true};
    if (found != plans_.end() && !request.replace) return Status::already_exists(fmt::format("Plan already exists: {}", id));
    Plan& plan = plans_[id];
    plan.spec = request.plan;
    plan.created_at = clock_.now();
    return store::PlanStored{.plan = plan, .existed = false};
  });
}

void MemoryStore::get_plans(NamespaceName, std::vector<PlanId> plans, Reply<store::Each<Plan>> reply) {
  run_each<PlanId, Plan>(std::move(plans), std::move(reply), [this](const PlanId& id) -> Result<Plan> {
    const auto found = plans_.find(id.text());
    if (found == plans_.end()) return Status::not_found(fmt::format("Plan not found: {}", id.text()));
    return found->second;
  });
}

void MemoryStore::list_plans(store::PlanQuery query, Reply<store::PlanPage> reply) {
  run<store::PlanPage>(std::move(reply), [this, query]() -> Result<store::PlanPage> {
    store::PlanPage page;
    page.total = plans_.size();
    std::uint64_t place = 0;
    for (const auto& [id, plan] : plans_) {
      if (place++ < query.offset || page.plans.size() == query.limit) continue;
      page.plans.push_back(plan);
      if (!query.with_text) page.plans.back().spec.text.clear();
    }
    return page;
  });
}

void MemoryStore::delete_plan(NamespaceName, PlanId id, Reply<Plan> reply) {
  run<Plan>(std::move(reply), [this, id]() -> Result<Plan> {
    const auto found = plans_.find(id.text());
    if (found == plans_.end()) return Status::not_found(fmt::format("Plan not found: {}", id.text()));
    for (const auto& [name, kept] : actions_)
      if (kept.action.plan == id && !count(kept.jobs).finished()) return Status::conflict("Cannot delete plan with active jobs");
    Plan plan = found->second;
    plans_.erase(found);
    return plan;
  });
}

ActionCounts MemoryStore::count(const std::vector<JobId>& jobs) const {
  ActionCounts counts;
  for (const JobId& id : jobs) switch (jobs_.at(id).state) {
      case JobState::running: ++counts.running; break;
      case JobState::completed: ++counts.completed; break;
      case JobState::dead: ++counts.dead; break;
      case JobState::cancelled: ++counts.cancelled; break;
      default: ++counts.waiting;
    }
  return counts;
}

void MemoryStore::submit_action(ActionSpec spec, Reply<store::ActionSubmitted> reply) {
  run<store::ActionSubmitted>(std::move(reply), [this, spec = std::move(spec)]() -> Result<store::ActionSubmitted> {
    const auto plan = plans_.find(spec.plan.text());
    if (plan == plans_.end()) return Status::not_found(fmt::format("Plan not found: {}", spec.plan.text()));
    if (actions_.contains(spec.id.text()))
      return Status::already_exists(fmt::format("Action ID already exists: {}", spec.id.text()));
    KeptAction& kept = actions_[spec.id.text()];
    for (const ActionJob& each : spec.jobs) {
      const JobId id{{1, next_job_++}};
      Job& job = jobs_[id];
      job.id = id;
      job.spec = each.spec;
      job.created_at = clock_.now();
      job.state = JobState::ready;
      ready_.push_back(id);
      kept.jobs.push_back(id);
    }
    ++plan->second.actions;
    plan->second.jobs += kept.jobs.size();
    plan->second.last_used_at = clock_.now();
    kept.action = {.ns = spec.ns,
                   .id = spec.id,
                   .plan = spec.plan,
                   .created_at = clock_.now(),
                   .jobs = kept.jobs.size(),
                   .counts = count(kept.jobs)};
    return store::ActionSubmitted{.action = kept.action, .jobs = kept.jobs};
  });
}

void MemoryStore::get_action(store::ActionQuery query, Reply<store::ActionView> reply) {
  run<store::ActionView>(std::move(reply), [this, query]() -> Result<store::ActionView> {
    const auto found = actions_.find(query.id.text());
    if (found == actions_.end()) return Status::not_found(fmt::format("Action not found: {}", query.id.text()));
    store::ActionView view{.action = found->second.action, .jobs = {}};
    view.action.counts = count(found->second.jobs);
    std::vector<JobId> jobs = found->second.jobs;
    if (query.newest_first) std::reverse(jobs.begin(), jobs.end());
    for (std::size_t i = query.job_offset; i < jobs.size() && view.jobs.size() < query.job_limit; ++i)
      view.jobs.push_back(jobs[i]);
    return view;
  });
}

void MemoryStore::list_actions(store::ActionListQuery query, Reply<store::ActionPage> reply) {
  run<store::ActionPage>(std::move(reply), [this, query]() -> Result<store::ActionPage> {
    store::ActionPage page;
    for (const auto& [id, kept] : actions_) {
      if (!query.plan.empty() && kept.action.plan != query.plan) continue;
      if (page.total++ < query.offset || page.actions.size() == query.limit) continue;
      page.actions.push_back(kept.action);
      page.actions.back().counts = count(kept.jobs);
    }
    return page;
  });
}

// Reading a text is all that the HTTP front asks of keys.
void MemoryStore::keyspace(store::KeyBatch batch, Reply<std::vector<store::KeyAnswer>> reply) {
  run<std::vector<store::KeyAnswer>>(std::move(reply), [this, batch]() -> Result<std::vector<store::KeyAnswer>> {
    std::vector<store::KeyAnswer> answers;
    for (const store::KeyCommand& command : batch.commands) {
      const auto* get = std::get_if<store::key::Get>(&command);
      const auto found = get == nullptr || batch.space != store::KeySpace::internal ? texts_.end() : texts_.find(get->key);
      answers.push_back(found == texts_.end() ? store::KeyAnswer::none() : store::KeyAnswer::bytes(found->second));
    }
    return answers;
  });
}

void MemoryStore::settle_actions(store::Retention, std::size_t, Reply<store::SweepReport> reply) { reply(store::SweepReport()); }
void MemoryStore::expire_keys(std::size_t, Reply<store::SweepReport> reply) { reply(store::SweepReport()); }

}  // namespace muster::http
