// The seam between the engine and the store under test: passes every verb on, lets the shadow hear requests, answers and commits,
// and swallows whatever a dead process would have said.
//
// The world puts it between the two for each life of the process. An answer that is still on its way when the disk dies
// never leaves; that is what a crash is.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "store/store.h"
#include "tests/sim/disk.h"
#include "tests/sim/shadow.h"

namespace muster::sim {

class ObservedStore final : public store::Store, private store::Listener {
 public:
  // store, shadow and disk outlive it; `work` is called whenever a verb may have queued something.
  ObservedStore(store::Store& store, Shadow& shadow, const Disk& disk, const Clock& clock, std::function<void()> work)
      : store_(store), shadow_(shadow), disk_(disk), clock_(clock), life_(disk.life()), work_(std::move(work)) {}

  void enqueue(std::vector<JobSpec> jobs, Reply<std::vector<store::Enqueued>> reply) override;
  void claim(store::ClaimRequest request, Reply<store::ClaimReply> reply) override;
  void complete(std::vector<store::Completion> batch, Reply<store::Each<store::Settled>> reply) override;
  void fail(std::vector<store::Failure> batch, Reply<store::Each<store::Settled>> reply) override;
  void snooze(std::vector<store::Snooze> batch, Reply<store::Each<store::Settled>> reply) override;
  void release(std::vector<store::Release> batch, Reply<store::Each<store::Settled>> reply) override;
  void report_progress(std::vector<store::ProgressUpdate> batch, Reply<store::Each<store::Renewed>> reply) override;
  void renew(std::vector<store::Renewal> batch, Reply<store::Each<store::Renewed>> reply) override;
  void cancel(std::vector<store::Cancel> batch, Reply<store::Each<store::Cancelled>> reply) override;
  void redrive(std::vector<JobId> jobs, Reply<store::Each<store::Settled>> reply) override;
  void redrive_matching(store::RedriveFilter filter, Reply<store::Redriven> reply) override;
  void get_jobs(std::vector<JobId> jobs, Reply<store::Each<Job>> reply) override;
  void list_jobs(store::JobQuery query, Reply<store::JobPage> reply) override;
  void explain(JobId job, Reply<store::WaitFacts> reply) override;

  void register_workers(std::vector<WorkerSpec> batch, Reply<store::Each<store::Registered>> reply) override;
  void heartbeat(std::vector<store::Beat> batch, Reply<store::Each<store::BeatReply>> reply) override;
  void drain(std::vector<store::Drain> batch, Reply<store::Each<Worker>> reply) override;
  void unregister(std::vector<store::Unregister> batch, Reply<store::Each<Worker>> reply) override;
  void get_workers(NamespaceName ns, std::vector<WorkerId> workers, Reply<store::Each<Worker>> reply) override;
  void list_workers(store::WorkerQuery query, Reply<store::WorkerPage> reply) override;

  void change_queue(QueueChange change, Reply<QueueStats> reply) override;
  void list_queues(NamespaceName ns, Reply<std::vector<QueueStats>> reply) override;
  void create_namespace(NamespaceInfo info, Reply<NamespaceInfo> reply) override;
  void list_namespaces(Reply<std::vector<NamespaceInfo>> reply) override;
  void delete_namespace(NamespaceName ns, Reply<NamespaceInfo> reply) override;

  void promote_due(std::size_t limit, Reply<store::SweepReport> reply) override;
  void expire_leases(std::size_t limit, Reply<store::SweepReport> reply) override;
  void time_out_jobs(std::size_t limit, Reply<store::SweepReport> reply) override;
  void expire_waiting(std::size_t limit, Reply<store::SweepReport> reply) override;
  void end_preferences(std::size_t limit, Reply<store::SweepReport> reply) override;
  void bury_silent_workers(std::size_t limit, Reply<store::SweepReport> reply) override;
  void end_drains(std::size_t limit, Reply<store::SweepReport> reply) override;
  void prune_finished(store::Retention retention, std::size_t limit, Reply<store::SweepReport> reply) override;
  void prune_workers(Duration offline_kept, std::size_t limit, Reply<store::SweepReport> reply) override;
  void settle_actions(store::Retention retention, std::size_t limit, Reply<store::SweepReport> reply) override;
  void expire_keys(std::size_t limit, Reply<store::SweepReport> reply) override;

  // Not part of the simulated world; passed on as they are.
  void find_jobs(NamespaceName ns, std::vector<std::string> keys, Reply<store::Each<JobId>> reply) override {
    store_.find_jobs(std::move(ns), std::move(keys), std::move(reply));
  }
  void find_holders(NamespaceName ns, std::vector<std::string> keys, Reply<store::Each<JobId>> reply) override {
    store_.find_holders(std::move(ns), std::move(keys), std::move(reply));
  }
  void count_jobs(store::JobFilter filter, Reply<std::vector<store::JobCount>> reply) override {
    store_.count_jobs(std::move(filter), std::move(reply));
  }
  void run_steps(std::vector<store::StepCall> calls, Reply<store::Each<store::StepAnswer>> reply) override {
    store_.run_steps(std::move(calls), std::move(reply));
  }
  void list_steps(store::StepQuery query, Reply<store::StepPage> reply) override {
    store_.list_steps(std::move(query), std::move(reply));
  }
  void signal_runs(std::vector<store::Signal> signals, Reply<store::Each<store::Signalled>> reply) override {
    store_.signal_runs(std::move(signals), std::move(reply));
  }
  void wake_runs(std::vector<JobId> runs, Reply<store::Each<store::Settled>> reply) override {
    store_.wake_runs(std::move(runs), std::move(reply));
  }
  void create_schedule(Schedule schedule, Reply<Schedule> reply) override {
    store_.create_schedule(std::move(schedule), std::move(reply));
  }
  void update_schedule(Schedule schedule, Reply<Schedule> reply) override {
    store_.update_schedule(std::move(schedule), std::move(reply));
  }
  void get_schedules(NamespaceName ns, std::vector<ScheduleId> ids, Reply<store::Each<Schedule>> reply) override {
    store_.get_schedules(std::move(ns), std::move(ids), std::move(reply));
  }
  void list_schedules(store::ScheduleQuery query, Reply<store::SchedulePage> reply) override {
    store_.list_schedules(std::move(query), std::move(reply));
  }
  void delete_schedule(NamespaceName ns, ScheduleId id, Reply<Schedule> reply) override {
    store_.delete_schedule(std::move(ns), std::move(id), std::move(reply));
  }
  void due_schedules(std::size_t limit, Reply<store::DueSchedules> reply) override {
    store_.due_schedules(limit, std::move(reply));
  }
  void fire_schedule(store::ScheduleFire fire, Reply<store::ScheduleFired> reply) override {
    store_.fire_schedule(std::move(fire), std::move(reply));
  }
  void update_namespace(NamespaceChange change, Reply<NamespaceInfo> reply) override {
    store_.update_namespace(std::move(change), std::move(reply));
  }
  void put_plan(store::PlanPut request, Reply<store::PlanStored> reply) override {
    store_.put_plan(std::move(request), std::move(reply));
  }
  void get_plans(NamespaceName ns, std::vector<PlanId> plans, Reply<store::Each<Plan>> reply) override {
    store_.get_plans(std::move(ns), std::move(plans), std::move(reply));
  }
  void list_plans(store::PlanQuery query, Reply<store::PlanPage> reply) override {
    store_.list_plans(std::move(query), std::move(reply));
  }
  void delete_plan(NamespaceName ns, PlanId plan, Reply<Plan> reply) override {
    store_.delete_plan(std::move(ns), std::move(plan), std::move(reply));
  }
  void submit_action(ActionSpec action, Reply<store::ActionSubmitted> reply) override {
    store_.submit_action(std::move(action), std::move(reply));
  }
  void get_action(store::ActionQuery query, Reply<store::ActionView> reply) override {
    store_.get_action(std::move(query), std::move(reply));
  }
  void list_actions(store::ActionListQuery query, Reply<store::ActionPage> reply) override {
    store_.list_actions(std::move(query), std::move(reply));
  }
  void keyspace(store::KeyBatch batch, Reply<std::vector<store::KeyAnswer>> reply) override {
    store_.keyspace(std::move(batch), std::move(reply));
  }

  void info(Reply<store::StoreInfo> reply) override;
  store::StoreHealth health() const override { return store_.health(); }
  store::KeyGlance glance(std::string_view key) const override { return store_.glance(key); }
  void backup(std::string path, Reply<store::BackupReport> reply) override;

  void set_listener(store::Listener* listener) override;
  Status close() override { return store_.close(); }

 private:
  void committed(const store::Committed& commit) override;
  bool dead() const { return disk_.dead() || disk_.life() != life_; }

  // The reply that reaches the caller only while the process lives; `hear` is told first.
  template <class T, class Hear>
  Reply<T> heard(Reply<T> reply, Hear hear) {
    return [this, reply = std::move(reply), hear = std::move(hear)](Result<T> result) mutable {
      if (dead()) return;
      hear(result);
      reply(std::move(result));
    };
  }
  template <class T>
  Reply<T> passed(std::string_view verb, Reply<T> reply) {
    return heard<T>(std::move(reply), [this, verb](const Result<T>& result) {
      if (!result.ok()) shadow_.code_answered(verb, result.status());
    });
  }

  store::Store& store_;
  Shadow& shadow_;
  const Disk& disk_;
  const Clock& clock_;
  std::uint64_t life_;
  std::function<void()> work_;
  store::Listener* listener_ = nullptr;
};

}  // namespace muster::sim
