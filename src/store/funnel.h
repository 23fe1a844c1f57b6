// A store whose verbs all pass through one function template of its subclass: the base of the decorators.
//
// Self provides, reachable from here,
//   template <class T, class Method, class... Args>
//   void pass(Verb verb, Method method, Reply<T> reply, Args... args);
// where `method` is the member function of Store that was called and `args` are its arguments without the reply. The
// list of verbs exists once, here; a decorator says only what it does to any of them.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "store/store.h"
#include "store/verb.h"

namespace muster::store {

template <class Self>
class Funnel : public Store {
 public:
  void enqueue(std::vector<JobSpec> jobs, Reply<std::vector<Enqueued>> r) override {
    go(Verb::enqueue, &Store::enqueue, r, jobs);
  }
  void claim(ClaimRequest request, Reply<ClaimReply> r) override { go(Verb::claim, &Store::claim, r, request); }
  void complete(std::vector<Completion> batch, Reply<Each<Settled>> r) override {
    go(Verb::complete, &Store::complete, r, batch);
  }
  void fail(std::vector<Failure> batch, Reply<Each<Settled>> r) override { go(Verb::fail, &Store::fail, r, batch); }
  void snooze(std::vector<Snooze> batch, Reply<Each<Settled>> r) override { go(Verb::snooze, &Store::snooze, r, batch); }
  void release(std::vector<Release> batch, Reply<Each<Settled>> r) override { go(Verb::release, &Store::release, r, batch); }
  void report_progress(std::vector<ProgressUpdate> batch, Reply<Each<Renewed>> r) override {
    go(Verb::report_progress, &Store::report_progress, r, batch);
  }
  void renew(std::vector<Renewal> batch, Reply<Each<Renewed>> r) override { go(Verb::renew, &Store::renew, r, batch); }
  void cancel(std::vector<Cancel> batch, Reply<Each<Cancelled>> r) override { go(Verb::cancel, &Store::cancel, r, batch); }
  void redrive(std::vector<JobId> jobs, Reply<Each<Settled>> r) override { go(Verb::redrive, &Store::redrive, r, jobs); }
  void redrive_matching(RedriveFilter filter, Reply<Redriven> r) override {
    go(Verb::redrive_matching, &Store::redrive_matching, r, filter);
  }
  void get_jobs(std::vector<JobId> jobs, Reply<Each<Job>> r) override { go(Verb::get_jobs, &Store::get_jobs, r, jobs); }
  void list_jobs(JobQuery query, Reply<JobPage> r) override { go(Verb::list_jobs, &Store::list_jobs, r, query); }
  void explain(JobId job, Reply<WaitFacts> r) override { go(Verb::explain, &Store::explain, r, job); }

  void find_jobs(NamespaceName ns, std::vector<std::string> keys, Reply<Each<JobId>> r) override {
    go(Verb::find_jobs, &Store::find_jobs, r, ns, keys);
  }

  void find_holders(NamespaceName ns, std::vector<std::string> keys, Reply<Each<JobId>> r) override {
    go(Verb::find_holders, &Store::find_holders, r, ns, keys);
  }
  void count_jobs(JobFilter filter, Reply<std::vector<JobCount>> r) override {
    go(Verb::count_jobs, &Store::count_jobs, r, filter);
  }
  void run_steps(std::vector<StepCall> calls, Reply<Each<StepAnswer>> r) override {
    go(Verb::run_steps, &Store::run_steps, r, calls);
  }
  void list_steps(StepQuery query, Reply<StepPage> r) override { go(Verb::list_steps, &Store::list_steps, r, query); }
  void signal_runs(std::vector<Signal> signals, Reply<Each<Signalled>> r) override {
    go(Verb::signal_runs, &Store::signal_runs, r, signals);
  }
  void wake_runs(std::vector<JobId> runs, Reply<Each<Settled>> r) override { go(Verb::wake_runs, &Store::wake_runs, r, runs); }
  void create_schedule(Schedule schedule, Reply<Schedule> r) override {
    go(Verb::create_schedule, &Store::create_schedule, r, schedule);
  }
  void update_schedule(Schedule schedule, Reply<Schedule> r) override {
    go(Verb::update_schedule, &Store::update_schedule, r, schedule);
  }
  void get_schedules(NamespaceName ns, std::vector<ScheduleId> ids, Reply<Each<Schedule>> r) override {
    go(Verb::get_schedules, &Store::get_schedules, r, ns, ids);
  }
  void list_schedules(ScheduleQuery query, Reply<SchedulePage> r) override {
    go(Verb::list_schedules, &Store::list_schedules, r, query);
  }
  void delete_schedule(NamespaceName ns, ScheduleId id, Reply<Schedule> r) override {
    go(Verb::delete_schedule, &Store::delete_schedule, r, ns, id);
  }
  void due_schedules(std::size_t limit, Reply<DueSchedules> r) override {
    go(Verb::due_schedules, &Store::due_schedules, r, limit);
  }
  void fire_schedule(ScheduleFire fire, Reply<ScheduleFired> r) override {
    go(Verb::fire_schedule, &Store::fire_schedule, r, fire);
  }
  void update_namespace(NamespaceChange change, Reply<NamespaceInfo> r) override {
    go(Verb::update_namespace, &Store::update_namespace, r, change);
  }

  void put_plan(PlanPut request, Reply<PlanStored> r) override { go(Verb::put_plan, &Store::put_plan, r, request); }
  void get_plans(NamespaceName ns, std::vector<PlanId> plans, Reply<Each<Plan>> r) override {
    go(Verb::get_plans, &Store::get_plans, r, ns, plans);
  }
  void list_plans(PlanQuery query, Reply<PlanPage> r) override { go(Verb::list_plans, &Store::list_plans, r, query); }
  void delete_plan(NamespaceName ns, PlanId plan, Reply<Plan> r) override {
    go(Verb::delete_plan, &Store::delete_plan, r, ns, plan);
  }
  void submit_action(ActionSpec action, Reply<ActionSubmitted> r) override {
    go(Verb::submit_action, &Store::submit_action, r, action);
  }
  void get_action(ActionQuery query, Reply<ActionView> r) override { go(Verb::get_action, &Store::get_action, r, query); }
  void list_actions(ActionListQuery query, Reply<ActionPage> r) override {
    go(Verb::list_actions, &Store::list_actions, r, query);
  }

  void keyspace(KeyBatch batch, Reply<std::vector<KeyAnswer>> r) override { go(Verb::keyspace, &Store::keyspace, r, batch); }

  void register_workers(std::vector<WorkerSpec> batch, Reply<Each<Registered>> r) override {
    go(Verb::register_workers, &Store::register_workers, r, batch);
  }
  void heartbeat(std::vector<Beat> batch, Reply<Each<BeatReply>> r) override { go(Verb::heartbeat, &Store::heartbeat, r, batch); }
  void drain(std::vector<Drain> batch, Reply<Each<Worker>> r) override { go(Verb::drain, &Store::drain, r, batch); }
  void resume(std::vector<Resume> batch, Reply<Each<Worker>> r) override { go(Verb::resume, &Store::resume, r, batch); }
  void unregister(std::vector<Unregister> batch, Reply<Each<Worker>> r) override {
    go(Verb::unregister, &Store::unregister, r, batch);
  }
  void get_workers(NamespaceName ns, std::vector<WorkerId> workers, Reply<Each<Worker>> r) override {
    go(Verb::get_workers, &Store::get_workers, r, ns, workers);
  }
  void list_workers(WorkerQuery query, Reply<WorkerPage> r) override { go(Verb::list_workers, &Store::list_workers, r, query); }

  void change_queue(QueueChange change, Reply<QueueStats> r) override { go(Verb::change_queue, &Store::change_queue, r, change); }
  void list_queues(NamespaceName ns, Reply<std::vector<QueueStats>> r) override {
    go(Verb::list_queues, &Store::list_queues, r, ns);
  }
  void create_namespace(NamespaceInfo info_of, Reply<NamespaceInfo> r) override {
    go(Verb::create_namespace, &Store::create_namespace, r, info_of);
  }
  void list_namespaces(Reply<std::vector<NamespaceInfo>> r) override { go(Verb::list_namespaces, &Store::list_namespaces, r); }
  void delete_namespace(NamespaceName ns, Reply<NamespaceInfo> r) override {
    go(Verb::delete_namespace, &Store::delete_namespace, r, ns);
  }

  void promote_due(std::size_t limit, Reply<SweepReport> r) override { go(Verb::promote_due, &Store::promote_due, r, limit); }
  void expire_leases(std::size_t limit, Reply<SweepReport> r) override {
    go(Verb::expire_leases, &Store::expire_leases, r, limit);
  }
  void time_out_jobs(std::size_t limit, Reply<SweepReport> r) override {
    go(Verb::time_out_jobs, &Store::time_out_jobs, r, limit);
  }
  void expire_waiting(std::size_t limit, Reply<SweepReport> r) override {
    go(Verb::expire_waiting, &Store::expire_waiting, r, limit);
  }
  void end_preferences(std::size_t limit, Reply<SweepReport> r) override {
    go(Verb::end_preferences, &Store::end_preferences, r, limit);
  }
  void bury_silent_workers(std::size_t limit, Reply<SweepReport> r) override {
    go(Verb::bury_silent_workers, &Store::bury_silent_workers, r, limit);
  }
  void end_drains(std::size_t limit, Reply<SweepReport> r) override { go(Verb::end_drains, &Store::end_drains, r, limit); }
  void prune_finished(Retention retention, std::size_t limit, Reply<SweepReport> r) override {
    go(Verb::prune_finished, &Store::prune_finished, r, retention, limit);
  }
  void prune_workers(Duration kept, std::size_t limit, Reply<SweepReport> r) override {
    go(Verb::prune_workers, &Store::prune_workers, r, kept, limit);
  }
  void settle_actions(Retention retention, std::size_t limit, Reply<SweepReport> r) override {
    go(Verb::settle_actions, &Store::settle_actions, r, retention, limit);
  }
  void expire_keys(std::size_t limit, Reply<SweepReport> r) override { go(Verb::expire_keys, &Store::expire_keys, r, limit); }

  void info(Reply<StoreInfo> r) override { go(Verb::info, &Store::info, r); }
  void backup(std::string path, Reply<BackupReport> r) override { go(Verb::backup, &Store::backup, r, path); }

 private:
  // Takes its arguments by reference only to move out of them: each verb above owns what it passes on.
  template <class Method, class T, class... Args>
  void go(Verb verb, Method method, UniqueFunction<void(Result<T>)>& reply, Args&... args) {
    static_cast<Self*>(this)->template pass<T>(verb, method, std::move(reply), std::move(args)...);
  }
};

}  // namespace muster::store
