// A store for the HTTP front's tests: jobs and workers in memory, first come first served, answered on a thread of its own like a
// real store's. It knows none of the rules of scheduling; those have their own tests. `failure` makes every verb answer with it.
#pragma once

#include <atomic>
#include <condition_variable>
#include <deque>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "base/unique_function.h"
#include "store/store.h"

namespace muster::http {

class MemoryStore final : public store::Store {
 public:
  explicit MemoryStore(const Clock& clock);
  ~MemoryStore() override;

  void set_failure(std::optional<Status> failure);
  void set_health(store::StoreHealth health);
  // Holds every answer back until it is released, so that a test can look at what is under way.
  void hold();
  void release_held();
  std::size_t waiting() const;                        // verbs that wait for that
  std::vector<store::Release> releases() const;       // all that were ever asked for
  void set_text(std::string key, std::string value);  // of the internal keys; before the first request

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
  void find_jobs(NamespaceName ns, std::vector<std::string> keys, Reply<store::Each<JobId>> reply) override;
  void find_holders(NamespaceName ns, std::vector<std::string> keys, Reply<store::Each<JobId>> reply) override;
  void count_jobs(store::JobFilter filter, Reply<std::vector<store::JobCount>> reply) override;
  void run_steps(std::vector<store::StepCall> calls, Reply<store::Each<store::StepAnswer>> reply) override;
  void list_steps(store::StepQuery query, Reply<store::StepPage> reply) override;
  void signal_runs(std::vector<store::Signal> signals, Reply<store::Each<store::Signalled>> reply) override;
  void wake_runs(std::vector<JobId> runs, Reply<store::Each<store::Settled>> reply) override;
  void create_schedule(Schedule schedule, Reply<Schedule> reply) override;
  void update_schedule(Schedule schedule, Reply<Schedule> reply) override;
  void get_schedules(NamespaceName ns, std::vector<ScheduleId> ids, Reply<store::Each<Schedule>> reply) override;
  void list_schedules(store::ScheduleQuery query, Reply<store::SchedulePage> reply) override;
  void delete_schedule(NamespaceName ns, ScheduleId id, Reply<Schedule> reply) override;
  void due_schedules(std::size_t limit, Reply<store::DueSchedules> reply) override;
  void fire_schedule(store::ScheduleFire fire, Reply<store::ScheduleFired> reply) override;
  void update_namespace(NamespaceChange change, Reply<NamespaceInfo> reply) override;
  void put_plan(store::PlanPut request, Reply<store::PlanStored> reply) override;
  void get_plans(NamespaceName ns, std::vector<PlanId> plans, Reply<store::Each<Plan>> reply) override;
  void list_plans(store::PlanQuery query, Reply<store::PlanPage> reply) override;
  void delete_plan(NamespaceName ns, PlanId plan, Reply<Plan> reply) override;
  void submit_action(ActionSpec action, Reply<store::ActionSubmitted> reply) override;
  void get_action(store::ActionQuery query, Reply<store::ActionView> reply) override;
  void list_actions(store::ActionListQuery query, Reply<store::ActionPage> reply) override;
  void keyspace(store::KeyBatch batch, Reply<std::vector<store::KeyAnswer>> reply) override;
  store::KeyGlance glance(std::string_view) const override { return {}; }
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
  void info(Reply<store::StoreInfo> reply) override;
  store::StoreHealth health() const override;
  void backup(std::string path, Reply<store::BackupReport> reply) override;
  void set_listener(store::Listener* listener) override;
  Status close() override;

 private:
  // Everything below `mutex_` but the queue is touched on the store's thread only.
  template <class T, class Work>
  void run(Reply<T> reply, Work work);
  template <class Request, class T, class Work>
  void run_each(std::vector<Request> batch, Reply<store::Each<T>> reply, Work work);
  void queue(UniqueFunction<void()> work);
  void work_loop();
  Result<Job*> held(const LeaseRef& lease);
  Result<Job*> find(JobId id);
  void move(Job& job, JobState to, JobEvent event, std::string cause = {});
  void tell();
  ActionCounts count(const std::vector<JobId>& jobs) const;
  QueueStats& queue_of(const NamespaceName& ns, const QueueName& name);

  const Clock& clock_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<UniqueFunction<void()>> queue_;
  bool held_ = false;
  bool closed_ = false;
  std::optional<Status> failure_;
  store::StoreHealth health_;
  std::vector<store::Release> releases_;

  store::Listener* listener_ = nullptr;
  std::map<JobId, Job> jobs_;
  std::map<std::string, JobId> keys_;  // idempotency
  std::deque<JobId> ready_;
  std::map<std::string, Worker> workers_;
  std::map<std::string, QueueStats> queues_;
  std::map<std::string, NamespaceInfo> namespaces_;
  std::map<std::string, Plan> plans_;
  struct KeptAction {
    Action action;
    std::vector<JobId> jobs;
  };
  std::map<std::string, KeptAction> actions_;
  std::map<std::string, std::string> texts_;  // internal keys
  std::uint64_t next_job_ = 1;
  std::uint64_t next_fence_ = 1;
  std::uint64_t next_session_ = 1;
  std::vector<JobChange> job_changes_;
  std::vector<WorkerChange> worker_changes_;
  std::vector<QueueChanged> queue_changes_;
  std::vector<LaneRef> wakes_;
  std::thread thread_;
};

template <class T, class Work>
void MemoryStore::run(Reply<T> reply, Work work) {
  queue([this, reply = std::move(reply), work = std::move(work)]() mutable {
    std::optional<Status> failure;
    {
      const std::lock_guard lock(mutex_);
      failure = failure_;
    }
    Result<T> answer = failure ? Result<T>(*failure) : work();
    tell();
    reply(std::move(answer));
  });
}

template <class Request, class T, class Work>
void MemoryStore::run_each(std::vector<Request> batch, Reply<store::Each<T>> reply, Work work) {
  run<store::Each<T>>(std::move(reply), [batch = std::move(batch), work = std::move(work)]() mutable -> Result<store::Each<T>> {
    store::Each<T> answers;
    for (Request& request : batch) answers.push_back(work(request));
    return answers;
  });
}

}  // namespace muster::http
