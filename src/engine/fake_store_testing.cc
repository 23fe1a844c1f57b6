#include "engine/fake_store_testing.h"

#include <utility>

#include <gtest/gtest.h>

namespace muster::engine {

template <class T>
void FakeStore::answer(std::string_view verb, T value, Reply<T> reply) {
  verbs.emplace_back(verb);
  if (failure) return reply(*failure);
  reply(std::move(value));
}

template <class T>
void FakeStore::answer_each(std::string_view verb, std::size_t count, Reply<store::Each<T>> reply) {
  store::Each<T> values;
  for (std::size_t i = 0; i < count; ++i) values.emplace_back(T());
  answer(verb, std::move(values), std::move(reply));
}

void FakeStore::answer_claim(std::string_view worker, Result<store::ClaimReply> result) {
  if (claims.empty() || claims.front().request.worker.text() != worker) {
    ADD_FAILURE() << "the oldest waiting claim is not of worker " << worker;
    return;
  }
  AskedClaim asked = std::move(claims.front());
  claims.pop_front();
  asked.reply(std::move(result));
}

void FakeStore::answer_sweep(std::string_view name, Result<store::SweepReport> result) {
  for (auto asked = sweeps.begin(); asked != sweeps.end(); ++asked) {
    if (asked->name != name) continue;
    Reply<store::SweepReport> reply = std::move(asked->reply);
    sweeps.erase(asked);
    return reply(std::move(result));
  }
  ADD_FAILURE() << "no sweep " << name << " waits for its answer";
}

void FakeStore::claim(store::ClaimRequest request, Reply<store::ClaimReply> reply) {
  {
    const std::lock_guard lock(mutex_);
    ++claims_total;
    if (!on_claim) {
      claims.push_back({std::move(request), std::move(reply)});
      return;
    }
  }
  reply(on_claim(request));
}

void FakeStore::enqueue(std::vector<JobSpec> jobs, Reply<std::vector<store::Enqueued>> reply) {
  enqueued = std::move(jobs);
  answer("enqueue", std::vector<store::Enqueued>(enqueued.size()), std::move(reply));
}

void FakeStore::complete(std::vector<store::Completion> batch, Reply<store::Each<store::Settled>> reply) {
  completions = std::move(batch);
  store::Each<store::Settled> settled;
  for (const store::Completion& completion : completions)
    settled.emplace_back(store::Settled{.id = completion.lease.job, .run_at = {}});
  answer("complete", std::move(settled), std::move(reply));
}

void FakeStore::fail(std::vector<store::Failure> batch, Reply<store::Each<store::Settled>> reply) {
  answer_each("fail", batch.size(), std::move(reply));
}

void FakeStore::snooze(std::vector<store::Snooze> batch, Reply<store::Each<store::Settled>> reply) {
  answer_each("snooze", batch.size(), std::move(reply));
}

void FakeStore::release(std::vector<store::Release> batch, Reply<store::Each<store::Settled>> reply) {
  store::Each<store::Settled> settled;
  {
    const std::lock_guard lock(mutex_);
    verbs.emplace_back("release");
    releases.insert(releases.end(), batch.begin(), batch.end());
  }
  for (const store::Release& release : batch) {
    if (on_release) on_release(release);
    settled.emplace_back(store::Settled{.id = release.lease.job, .run_at = {}});
  }
  reply(std::move(settled));
}

void FakeStore::report_progress(std::vector<store::ProgressUpdate> batch, Reply<store::Each<store::Renewed>> reply) {
  answer_each("report_progress", batch.size(), std::move(reply));
}

void FakeStore::renew(std::vector<store::Renewal> batch, Reply<store::Each<store::Renewed>> reply) {
  answer_each("renew", batch.size(), std::move(reply));
}

void FakeStore::cancel(std::vector<store::Cancel> batch, Reply<store::Each<store::Cancelled>> reply) {
  answer_each("cancel", batch.size(), std::move(reply));
}

void FakeStore::redrive(std::vector<JobId> jobs, Reply<store::Each<store::Settled>> reply) {
  answer_each("redrive", jobs.size(), std::move(reply));
}

void FakeStore::redrive_matching(store::RedriveFilter, Reply<store::Redriven> reply) {
  answer("redrive_matching", store::Redriven(), std::move(reply));
}

void FakeStore::get_jobs(std::vector<JobId> jobs, Reply<store::Each<Job>> reply) {
  answer_each("get_jobs", jobs.size(), std::move(reply));
}

void FakeStore::list_jobs(store::JobQuery, Reply<store::JobPage> reply) {
  answer("list_jobs", store::JobPage(), std::move(reply));
}

void FakeStore::explain(JobId, Reply<store::WaitFacts> reply) { answer("explain", facts, std::move(reply)); }

void FakeStore::register_workers(std::vector<WorkerSpec> batch, Reply<store::Each<store::Registered>> reply) {
  registered = std::move(batch);
  store::Each<store::Registered> answers;
  for (const WorkerSpec& spec : registered)
    answers.emplace_back(store::Registered{.id = spec.id, .policy = spec.policy.value_or(HeartbeatPolicy())});
  answer("register_workers", std::move(answers), std::move(reply));
}

void FakeStore::heartbeat(std::vector<store::Beat> batch, Reply<store::Each<store::BeatReply>> reply) {
  answer_each("heartbeat", batch.size(), std::move(reply));
}

void FakeStore::drain(std::vector<store::Drain> batch, Reply<store::Each<Worker>> reply) {
  answer_each("drain", batch.size(), std::move(reply));
}

void FakeStore::unregister(std::vector<store::Unregister> batch, Reply<store::Each<Worker>> reply) {
  answer_each("unregister", batch.size(), std::move(reply));
}

void FakeStore::get_workers(NamespaceName, std::vector<WorkerId> workers, Reply<store::Each<Worker>> reply) {
  answer_each("get_workers", workers.size(), std::move(reply));
}

void FakeStore::list_workers(store::WorkerQuery, Reply<store::WorkerPage> reply) {
  answer("list_workers", store::WorkerPage(), std::move(reply));
}

void FakeStore::change_queue(QueueChange, Reply<QueueStats> reply) { answer("change_queue", QueueStats(), std::move(reply)); }

void FakeStore::list_queues(NamespaceName, Reply<std::vector<QueueStats>> reply) {
  answer("list_queues", std::vector<QueueStats>(), std::move(reply));
}

void FakeStore::create_namespace(NamespaceInfo info, Reply<NamespaceInfo> reply) {
  answer("create_namespace", std::move(info), std::move(reply));
}

void FakeStore::list_namespaces(Reply<std::vector<NamespaceInfo>> reply) {
  answer("list_namespaces", std::vector<NamespaceInfo>(), std::move(reply));
}

void FakeStore::delete_namespace(NamespaceName, Reply<NamespaceInfo> reply) {
  answer("delete_namespace", NamespaceInfo(), std::move(reply));
}

void FakeStore::sweep(std::string_view name, std::size_t limit, Reply<store::SweepReport> reply) {
  sweeps_total.emplace_back(name);
  if (on_sweep) return reply(on_sweep(name));
  sweeps.push_back({std::string(name), limit, std::move(reply)});
}

void FakeStore::promote_due(std::size_t limit, Reply<store::SweepReport> reply) { sweep("promote_due", limit, std::move(reply)); }
void FakeStore::expire_leases(std::size_t limit, Reply<store::SweepReport> reply) {
  sweep("expire_leases", limit, std::move(reply));
}
void FakeStore::time_out_jobs(std::size_t limit, Reply<store::SweepReport> reply) {
  sweep("time_out_jobs", limit, std::move(reply));
}
void FakeStore::expire_waiting(std::size_t limit, Reply<store::SweepReport> reply) {
  sweep("expire_waiting", limit, std::move(reply));
}
void FakeStore::end_preferences(std::size_t limit, Reply<store::SweepReport> reply) {
  sweep("end_preferences", limit, std::move(reply));
}
void FakeStore::bury_silent_workers(std::size_t limit, Reply<store::SweepReport> reply) {
  sweep("bury_silent_workers", limit, std::move(reply));
}
void FakeStore::end_drains(std::size_t limit, Reply<store::SweepReport> reply) { sweep("end_drains", limit, std::move(reply)); }

void FakeStore::prune_finished(store::Retention keep, std::size_t limit, Reply<store::SweepReport> reply) {
  retention = keep;
  sweep("prune_finished", limit, std::move(reply));
}

void FakeStore::prune_workers(Duration keep, std::size_t limit, Reply<store::SweepReport> reply) {
  offline_kept = keep;
  sweep("prune_workers", limit, std::move(reply));
}

void FakeStore::settle_actions(store::Retention keep, std::size_t limit, Reply<store::SweepReport> reply) {
  retention = keep;
  sweep("settle_actions", limit, std::move(reply));
}

void FakeStore::expire_keys(std::size_t limit, Reply<store::SweepReport> reply) { sweep("expire_keys", limit, std::move(reply)); }

void FakeStore::find_jobs(NamespaceName, std::vector<std::string> keys, Reply<store::Each<JobId>> reply) {
  answer_each<JobId>("find_jobs", keys.size(), std::move(reply));
}

void FakeStore::find_holders(NamespaceName, std::vector<std::string> keys, Reply<store::Each<JobId>> reply) {
  answer_each<JobId>("find_holders", keys.size(), std::move(reply));
}

void FakeStore::count_jobs(store::JobFilter, Reply<std::vector<store::JobCount>> reply) {
  answer("count_jobs", std::vector<store::JobCount>(), std::move(reply));
}

void FakeStore::run_steps(std::vector<store::StepCall> calls, Reply<store::Each<store::StepAnswer>> reply) {
  answer_each<store::StepAnswer>("run_steps", calls.size(), std::move(reply));
}

void FakeStore::list_steps(store::StepQuery, Reply<store::StepPage> reply) {
  answer("list_steps", store::StepPage(), std::move(reply));
}

void FakeStore::signal_runs(std::vector<store::Signal> signals, Reply<store::Each<store::Signalled>> reply) {
  answer_each<store::Signalled>("signal_runs", signals.size(), std::move(reply));
}

void FakeStore::wake_runs(std::vector<JobId> runs, Reply<store::Each<store::Settled>> reply) {
  answer_each<store::Settled>("wake_runs", runs.size(), std::move(reply));
}

void FakeStore::create_schedule(Schedule, Reply<Schedule> reply) { answer("create_schedule", Schedule(), std::move(reply)); }

void FakeStore::update_schedule(Schedule, Reply<Schedule> reply) { answer("update_schedule", Schedule(), std::move(reply)); }

void FakeStore::get_schedules(NamespaceName, std::vector<ScheduleId> ids, Reply<store::Each<Schedule>> reply) {
  answer_each<Schedule>("get_schedules", ids.size(), std::move(reply));
}

void FakeStore::list_schedules(store::ScheduleQuery, Reply<store::SchedulePage> reply) {
  answer("list_schedules", store::SchedulePage(), std::move(reply));
}

void FakeStore::delete_schedule(NamespaceName, ScheduleId, Reply<Schedule> reply) {
  answer("delete_schedule", Schedule(), std::move(reply));
}

void FakeStore::due_schedules(std::size_t, Reply<store::DueSchedules> reply) {
  answer("due_schedules", store::DueSchedules(), std::move(reply));
}

void FakeStore::fire_schedule(store::ScheduleFire, Reply<store::ScheduleFired> reply) {
  answer("fire_schedule", store::ScheduleFired(), std::move(reply));
}

void FakeStore::update_namespace(NamespaceChange, Reply<NamespaceInfo> reply) {
  answer("update_namespace", NamespaceInfo(), std::move(reply));
}

void FakeStore::put_plan(store::PlanPut request, Reply<store::PlanStored> reply) {
  store::PlanStored stored;
  stored.plan.spec = std::move(request.plan);
  answer("put_plan", std::move(stored), std::move(reply));
}

void FakeStore::get_plans(NamespaceName, std::vector<PlanId> plans, Reply<store::Each<Plan>> reply) {
  answer_each<Plan>("get_plans", plans.size(), std::move(reply));
}

void FakeStore::list_plans(store::PlanQuery, Reply<store::PlanPage> reply) {
  answer("list_plans", store::PlanPage(), std::move(reply));
}

void FakeStore::delete_plan(NamespaceName, PlanId, Reply<Plan> reply) { answer("delete_plan", Plan(), std::move(reply)); }

void FakeStore::submit_action(ActionSpec action, Reply<store::ActionSubmitted> reply) {
  store::ActionSubmitted submitted;
  submitted.jobs.resize(action.jobs.size());
  actions.push_back(std::move(action));
  answer("submit_action", std::move(submitted), std::move(reply));
}

void FakeStore::get_action(store::ActionQuery, Reply<store::ActionView> reply) {
  answer("get_action", store::ActionView(), std::move(reply));
}

void FakeStore::list_actions(store::ActionListQuery, Reply<store::ActionPage> reply) {
  answer("list_actions", store::ActionPage(), std::move(reply));
}

void FakeStore::keyspace(store::KeyBatch batch, Reply<std::vector<store::KeyAnswer>> reply) {
  key_batches.push_back(batch);
  if (on_keyspace) return reply(on_keyspace(batch));
  answer("keyspace", std::vector<store::KeyAnswer>(batch.commands.size()), std::move(reply));
}

void FakeStore::info(Reply<store::StoreInfo> reply) { answer("info", store::StoreInfo(), std::move(reply)); }

void FakeStore::backup(std::string path, Reply<store::BackupReport> reply) {
  answer("backup", store::BackupReport{.path = std::move(path)}, std::move(reply));
}

LaneRef make_lane(std::vector<std::string> needs, std::string queue, std::string type) {
  return std::make_shared<const Lane>(Lane{NamespaceName(kDefaultNamespace), QueueName(std::move(queue)),
                                           JobType(std::move(type)), CapabilitySet(std::move(needs))});
}

Grant make_grant(std::uint64_t number, const Lane& lane) {
  Grant grant;
  grant.id = JobId{{0, number}};
  grant.ns = lane.ns;
  grant.queue = lane.queue;
  grant.type = lane.type;
  grant.fence = Fence{number};
  return grant;
}

std::shared_ptr<const Offer> make_offer(const std::string& worker, std::vector<std::string> capabilities) {
  capabilities.push_back(worker_capability(worker));
  return std::make_shared<const Offer>(Offer{NamespaceName(kDefaultNamespace), {}, CapabilitySet(std::move(capabilities))});
}

}  // namespace muster::engine
