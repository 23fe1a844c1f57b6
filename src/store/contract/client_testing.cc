#include "store/contract/client.h"

#include <fmt/format.h>

#include "store/contract/client_call.h"

namespace muster::store::contract {

void Client::give_keys(std::vector<JobSpec>& jobs) {
  if (!harness_.faulty()) return;
  for (JobSpec& job : jobs)
    if (job.idempotency_key.empty()) job.idempotency_key = fmt::format("{}{}", kGivenKeyPrefix, ++keys_given_);
}

Result<std::vector<Enqueued>> Client::enqueue(std::vector<JobSpec> jobs) {
  give_keys(jobs);
  auto answer = call(&Store::enqueue, jobs);
  if (!answer.ok()) return answer;
  for (Enqueued& job : *answer) {
    const bool first_sight = seen_.insert(job.id).second;
    if (in_doubt_) job.existed = !first_sight;
  }
  return answer;
}

Result<ClaimReply> Client::claim(ClaimRequest request) { return call(&Store::claim, request); }
Result<Settled> Client::complete(Completion one) { return single(&Store::complete, std::move(one)); }
Result<Settled> Client::fail(Failure one) { return single(&Store::fail, std::move(one)); }
Result<Settled> Client::snooze(Snooze one) { return single(&Store::snooze, std::move(one)); }
Result<Settled> Client::release(Release one) { return single(&Store::release, std::move(one)); }
Result<Renewed> Client::report_progress(ProgressUpdate one) { return single(&Store::report_progress, std::move(one)); }
Result<Renewed> Client::renew(Renewal one) { return single(&Store::renew, std::move(one)); }
Result<Cancelled> Client::cancel(Cancel one) { return first_of(cancel_all({std::move(one)})); }
Result<Settled> Client::redrive(JobId one) { return first_of(redrive_all({one})); }
Result<Job> Client::get_job(JobId one) { return single(&Store::get_jobs, one); }
Result<Registered> Client::register_worker(WorkerSpec one) { return single(&Store::register_workers, std::move(one)); }
Result<BeatReply> Client::heartbeat(Beat one) { return single(&Store::heartbeat, std::move(one)); }
Result<Worker> Client::drain(Drain one) { return single(&Store::drain, std::move(one)); }
Result<Worker> Client::resume(Resume one) { return single(&Store::resume, std::move(one)); }
Result<Worker> Client::unregister(Unregister one) { return single(&Store::unregister, std::move(one)); }
Result<Worker> Client::get_worker(NamespaceName ns, WorkerId one) {
  return first_of(call(&Store::get_workers, ns, std::vector<WorkerId>{std::move(one)}));
}

Result<Each<Settled>> Client::complete_all(std::vector<Completion> batch) { return call(&Store::complete, batch); }
Result<Each<Settled>> Client::fail_all(std::vector<Failure> batch) { return call(&Store::fail, batch); }
Result<Each<Settled>> Client::release_all(std::vector<Release> batch) { return call(&Store::release, batch); }
Result<Each<Renewed>> Client::renew_all(std::vector<Renewal> batch) { return call(&Store::renew, batch); }

// `conflict` means re-read, then decide: after a lost answer it may be our own work that is in the way. What stood there
// before the call tells the two apart.
Result<Each<Cancelled>> Client::cancel_all(std::vector<Cancel> batch) {
  std::vector<JobId> jobs;
  for (const Cancel& one : batch) jobs.push_back(one.job);
  const std::vector<std::optional<JobState>> before = states_of(jobs);
  auto answers = call(&Store::cancel, batch);
  if (!answers.ok() || !in_doubt_) return answers;
  const std::vector<std::optional<JobState>> after = states_of(jobs);
  for (std::size_t i = 0; i < jobs.size(); ++i)
    if ((*answers)[i].code() == Code::conflict && before[i] && !is_finished(*before[i]))
      (*answers)[i] = Cancelled{jobs[i], *after[i]};
  return answers;
}

Result<Each<Settled>> Client::redrive_all(std::vector<JobId> batch) {
  const std::vector<std::optional<JobState>> before = states_of(batch);
  auto answers = call(&Store::redrive, batch);
  if (!answers.ok() || !in_doubt_) return answers;
  for (std::size_t i = 0; i < batch.size(); ++i) {
    if ((*answers)[i].code() != Code::conflict || (before[i] != JobState::dead && before[i] != JobState::cancelled)) continue;
    const auto job = get_job(batch[i]);
    if (job.ok() && job->state == JobState::ready) (*answers)[i] = Settled{job->id, job->state, job->attempt, job->run_at};
  }
  return answers;
}

std::vector<std::optional<JobState>> Client::states_of(const std::vector<JobId>& jobs) {
  std::vector<std::optional<JobState>> states(jobs.size());
  if (!harness_.faulty()) return states;
  const bool doubt = in_doubt_;  // a read must not hide what the write before it left
  const auto found = get_jobs(jobs);
  in_doubt_ = doubt;
  for (std::size_t i = 0; found.ok() && i < jobs.size(); ++i)
    if ((*found)[i].ok()) states[i] = (*found)[i]->state;
  return states;
}

Result<Each<Job>> Client::get_jobs(std::vector<JobId> batch) { return call(&Store::get_jobs, batch); }
Result<Each<Registered>> Client::register_all(std::vector<WorkerSpec> batch) { return call(&Store::register_workers, batch); }
Result<Each<BeatReply>> Client::heartbeat_all(std::vector<Beat> batch) { return call(&Store::heartbeat, batch); }
Result<Each<Worker>> Client::get_workers(NamespaceName ns, std::vector<WorkerId> batch) {
  return call(&Store::get_workers, ns, batch);
}

Result<Redriven> Client::redrive_matching(RedriveFilter filter) { return call(&Store::redrive_matching, filter); }
Result<JobPage> Client::list_jobs(JobQuery query) { return call(&Store::list_jobs, query); }
Result<WaitFacts> Client::explain(JobId job) { return call(&Store::explain, job); }
Result<WorkerPage> Client::list_workers(WorkerQuery query) { return call(&Store::list_workers, query); }

Result<std::vector<KeyAnswer>> Client::keyspace(KeyBatch batch) { return call(&Store::keyspace, batch); }
Result<QueueStats> Client::change_queue(QueueChange change) { return call(&Store::change_queue, change); }
Result<std::vector<QueueStats>> Client::list_queues(NamespaceName ns) { return call(&Store::list_queues, ns); }
Result<LaneList> Client::list_lanes(LaneQuery query) { return call(&Store::list_lanes, query); }
Result<std::vector<NamespaceInfo>> Client::list_namespaces() { return call(&Store::list_namespaces); }

Result<NamespaceInfo> Client::create_namespace(NamespaceInfo made) {
  const auto before = namespace_named(made.name);
  auto answer = call(&Store::create_namespace, made);
  if (!in_doubt_ || before || answer.code() != Code::already_exists) return answer;
  return *namespace_named(made.name);
}

Result<NamespaceInfo> Client::update_namespace(NamespaceChange change) { return call(&Store::update_namespace, change); }

Result<NamespaceInfo> Client::delete_namespace(NamespaceName ns) {
  const auto before = namespace_named(ns);
  auto answer = call(&Store::delete_namespace, ns);
  if (!in_doubt_ || !before || answer.code() != Code::not_found) return answer;
  return *before;
}

std::optional<NamespaceInfo> Client::namespace_named(const NamespaceName& ns) {
  if (!harness_.faulty()) return std::nullopt;
  const auto all = list_namespaces();
  if (!all.ok()) return std::nullopt;
  for (const NamespaceInfo& one : *all)
    if (one.name == ns) return one;
  return std::nullopt;
}

Result<Each<JobId>> Client::find_jobs(NamespaceName ns, std::vector<std::string> keys) {
  return call(&Store::find_jobs, ns, keys);
}
Result<JobId> Client::find_job(NamespaceName ns, std::string one) { return first_of(find_jobs(std::move(ns), {std::move(one)})); }

Result<PlanStored> Client::put_plan(PlanPut request) {
  const auto before = plan_named(request.plan.ns, request.plan.id);
  auto answer = call(&Store::put_plan, request);
  if (in_doubt_ && answer.ok()) answer->existed = before && before->spec.text == request.plan.text;
  return answer;
}

Result<Each<Plan>> Client::get_plans(NamespaceName ns, std::vector<PlanId> plans) { return call(&Store::get_plans, ns, plans); }
Result<Plan> Client::get_plan(NamespaceName ns, PlanId one) { return first_of(get_plans(std::move(ns), {std::move(one)})); }
Result<PlanPage> Client::list_plans(PlanQuery query) { return call(&Store::list_plans, query); }

Result<Plan> Client::delete_plan(NamespaceName ns, PlanId plan) {
  const auto before = plan_named(ns, plan);
  auto answer = call(&Store::delete_plan, ns, plan);
  if (!in_doubt_ || !before || answer.code() != Code::not_found) return answer;
  return *before;
}

Result<ActionSubmitted> Client::submit_action(ActionSpec action) {
  const auto before = action_named(action.ns, action.id);
  auto answer = call(&Store::submit_action, action);
  if (!in_doubt_ || before || answer.code() != Code::already_exists) return answer;
  ActionView made = *action_named(action.ns, action.id);
  return ActionSubmitted{std::move(made.action), std::move(made.jobs)};
}

Result<ActionView> Client::get_action(ActionQuery query) { return call(&Store::get_action, query); }
Result<ActionPage> Client::list_actions(ActionListQuery query) { return call(&Store::list_actions, query); }

Result<JobId> Client::find_holder(NamespaceName ns, std::string one) {
  return first_of(call(&Store::find_holders, ns, std::vector<std::string>{std::move(one)}));
}
Result<std::vector<JobCount>> Client::count_jobs(JobFilter filter) { return call(&Store::count_jobs, filter); }

Result<StepAnswer> Client::run_step(StepCall one) { return first_of(run_steps({std::move(one)})); }

// A repeat after a lost answer finds the step as the first call left it, unless that one parked the run: then the lease is gone.
Result<Each<StepAnswer>> Client::run_steps(std::vector<StepCall> calls) {
  auto answers = call(&Store::run_steps, calls);
  if (!answers.ok() || !in_doubt_) return answers;
  for (std::size_t i = 0; i < calls.size(); ++i) {
    const Code code = (*answers)[i].code();
    if (code != Code::lease_lost && code != Code::conflict) continue;
    if (auto parked = parked_by(calls[i])) (*answers)[i] = std::move(*parked);
  }
  in_doubt_ = true;
  return answers;
}

std::optional<StepAnswer> Client::parked_by(const StepCall& call) {
  const auto of = [](const auto& one) { return std::pair(one.run, one.step); };
  const auto [run, name] = std::visit(of, call);
  const bool never_parks = std::holds_alternative<step::Begin>(call) || std::holds_alternative<step::Complete>(call);
  const auto found = get_job(run.run);
  if (never_parks || !found.ok() || !run.fence || found->fence != *run.fence) return std::nullopt;
  // One that was parked for no time at all is due by now.
  const JobEvent last = found->last_event;
  const bool parked = last == JobEvent::snoozed || last == JobEvent::failed || last == JobEvent::due;
  if (found->state == JobState::running || !(parked || found->state == JobState::cancelled)) return std::nullopt;
  StepAnswer out;
  out.parked = true;
  out.state = found->state;
  if (!is_finished(found->state)) out.run_at = found->run_at;
  const auto steps = list_steps({.run = run.run, .name = name, .limit = limits::kPageMax});
  if (steps.ok() && !name.empty() && !steps->steps.empty()) out.step = steps->steps.back();
  return out;
}

Result<StepPage> Client::list_steps(StepQuery query) { return call(&Store::list_steps, query); }
Result<Signalled> Client::signal_run(Signal one) { return single(&Store::signal_runs, std::move(one)); }
Result<Settled> Client::wake_run(JobId one) { return single(&Store::wake_runs, one); }

Result<Schedule> Client::create_schedule(Schedule schedule) {
  const auto before = schedule_named(schedule.spec.ns, schedule.spec.id);
  auto answer = call(&Store::create_schedule, schedule);
  if (!in_doubt_ || before || answer.code() != Code::already_exists) return answer;
  return get_schedule(schedule.spec.ns, schedule.spec.id);
}

Result<Schedule> Client::update_schedule(Schedule schedule) {
  const auto before = schedule_named(schedule.spec.ns, schedule.spec.id);
  auto answer = call(&Store::update_schedule, schedule);
  if (!in_doubt_ || answer.code() != Code::conflict || before->revision != schedule.revision) return answer;
  return get_schedule(schedule.spec.ns, schedule.spec.id);
}

Result<Schedule> Client::get_schedule(NamespaceName ns, ScheduleId one) {
  return first_of(call(&Store::get_schedules, ns, std::vector<ScheduleId>{std::move(one)}));
}
Result<SchedulePage> Client::list_schedules(ScheduleQuery query) { return call(&Store::list_schedules, query); }

Result<Schedule> Client::delete_schedule(NamespaceName ns, ScheduleId id) {
  const auto before = schedule_named(ns, id);
  auto answer = call(&Store::delete_schedule, ns, id);
  if (!in_doubt_ || !before || answer.code() != Code::not_found) return answer;
  return *before;
}

Result<DueSchedules> Client::due_schedules(std::size_t limit) { return call(&Store::due_schedules, limit); }

Result<ScheduleFired> Client::fire_schedule(ScheduleFire fire) {
  give_keys(fire.jobs);
  const auto before = schedule_named(fire.after.spec.ns, fire.after.spec.id);
  auto answer = call(&Store::fire_schedule, fire);
  const bool lost = in_doubt_;
  if (lost && answer.code() == Code::conflict && before->revision == fire.after.revision) {
    const auto now = schedule_named(fire.after.spec.ns, fire.after.spec.id);
    if (!now || now->revision == before->revision) return answer;
    ScheduleFired fired{*now, {}};
    for (const JobSpec& job : fire.jobs) {
      const auto found = find_job(job.ns, job.idempotency_key);
      if (!found.ok()) return answer;
      fired.jobs.push_back({*found, JobState::ready, true});
    }
    answer = std::move(fired);
  }
  if (!answer.ok()) return answer;
  for (Enqueued& job : answer->jobs) {
    const bool first_sight = seen_.insert(job.id).second;
    if (lost) job.existed = !first_sight;
  }
  in_doubt_ = lost;
  return answer;
}

std::optional<Schedule> Client::schedule_named(const NamespaceName& ns, const ScheduleId& id) {
  if (!harness_.faulty()) return std::nullopt;
  const auto found = get_schedule(ns, id);
  return found.ok() ? std::optional(*found) : std::nullopt;
}

std::optional<Plan> Client::plan_named(const NamespaceName& ns, const PlanId& plan) {
  if (!harness_.faulty()) return std::nullopt;
  const auto found = get_plan(ns, plan);
  return found.ok() ? std::optional(*found) : std::nullopt;
}

std::optional<ActionView> Client::action_named(const NamespaceName& ns, const ActionId& action) {
  if (!harness_.faulty()) return std::nullopt;
  const auto found = get_action({.ns = ns, .id = action, .job_limit = limits::kActionJobsMax});
  return found.ok() ? std::optional(*found) : std::nullopt;
}

Result<SweepReport> Client::sweep(SweepVerb verb, std::size_t limit) { return call(verb, limit); }
Result<SweepReport> Client::prune_finished(Retention retention, std::size_t limit) {
  return call(&Store::prune_finished, retention, limit);
}
Result<SweepReport> Client::settle_actions(Retention retention, std::size_t limit) {
  return call(&Store::settle_actions, retention, limit);
}
Result<SweepReport> Client::prune_workers(Duration offline_kept, std::size_t limit) {
  return call(&Store::prune_workers, offline_kept, limit);
}
Result<StoreInfo> Client::info() { return call(&Store::info); }
Result<BackupReport> Client::backup(std::string path) { return call(&Store::backup, path); }
Result<SettingsTold> Client::tell_settings(NodeSettings settings) { return call(&Store::tell_settings, settings); }
Result<std::vector<NodeSettings>> Client::node_settings() { return call(&Store::node_settings); }

}  // namespace muster::store::contract
