// A store for the engine's unit tests: it keeps nothing, writes down what it was asked, and answers as the test says.
//
// Claims and sweeps wait in lists until the test answers them, unless it gave a function that answers at once. Every other verb
// is answered before it returns, with `failure` when that is set, else with one plain value for each element. claim() and
// release() may be called from several threads; on_claim is then called from them too.
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "store/store.h"

namespace muster::engine {

class FakeStore : public store::Store {
 public:
  struct AskedClaim {
    store::ClaimRequest request;
    Reply<store::ClaimReply> reply;
  };
  struct AskedSweep {
    std::string name;
    std::size_t limit = 0;
    Reply<store::SweepReport> reply;
  };

  // Claims that wait for the test's answer, oldest first; total counts all that ever came.
  std::deque<AskedClaim> claims;
  std::size_t claims_total = 0;
  std::function<Result<store::ClaimReply>(const store::ClaimRequest&)> on_claim;
  std::deque<AskedSweep> sweeps;
  std::vector<std::string> sweeps_total;
  std::function<Result<store::SweepReport>(std::string_view name)> on_sweep;

  std::optional<Status> failure;
  std::vector<std::string> verbs;  // those answered at once, in order
  std::vector<JobSpec> enqueued;
  std::vector<store::Completion> completions;
  std::vector<store::Release> releases;
  std::function<void(const store::Release&)> on_release;
  std::vector<WorkerSpec> registered;
  std::vector<ActionSpec> actions;
  std::vector<store::KeyBatch> key_batches;
  std::function<Result<std::vector<store::KeyAnswer>>(const store::KeyBatch&)> on_keyspace;
  store::WaitFacts facts;
  store::Retention retention;
  Duration offline_kept{};
  store::Listener* listener = nullptr;

  // Answers the oldest waiting claim, whose worker must be the one named.
  void answer_claim(std::string_view worker, Result<store::ClaimReply> result);
  void answer_sweep(std::string_view name, Result<store::SweepReport> result);

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
  void prune_finished(store::Retention keep, std::size_t limit, Reply<store::SweepReport> reply) override;
  void prune_workers(Duration keep, std::size_t limit, Reply<store::SweepReport> reply) override;
  void settle_actions(store::Retention keep, std::size_t limit, Reply<store::SweepReport> reply) override;
  void expire_keys(std::size_t limit, Reply<store::SweepReport> reply) override;

  void info(Reply<store::StoreInfo> reply) override;
  store::StoreHealth health() const override { return {}; }
  void backup(std::string path, Reply<store::BackupReport> reply) override;
  void set_listener(store::Listener* to) override { listener = to; }
  Status close() override { return {}; }

 private:
  std::mutex mutex_;  // leaf; guards what claim() and release() write down

  template <class T>
  void answer(std::string_view verb, T value, Reply<T> reply);
  template <class T>
  void answer_each(std::string_view verb, std::size_t count, Reply<store::Each<T>> reply);
  void sweep(std::string_view name, std::size_t limit, Reply<store::SweepReport> reply);
};

// Values the tests need over and over.
LaneRef make_lane(std::vector<std::string> needs, std::string queue = "default", std::string type = "work");
Grant make_grant(std::uint64_t number, const Lane& lane);
// What worker `id` offers: the capabilities named, its own name, and every queue.
std::shared_ptr<const Offer> make_offer(const std::string& worker, std::vector<std::string> capabilities);

}  // namespace muster::engine
