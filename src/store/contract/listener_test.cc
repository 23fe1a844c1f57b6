// Contract: what the listener is told. Every move once, after its commit, in order; and when to look again.
#include "base/patience_testing.h"
#include "store/contract/contract.h"
#include "store/contract/recorder.h"

namespace muster::store::contract {
namespace {

class ListenerContract : public StoreContract {
 protected:
  void SetUp() override {
    StoreContract::SetUp();
    harness().listen(&recorder);
  }
  std::vector<JobEvent> events(JobId id) {
    recorder.catch_up(client());
    std::vector<JobEvent> seen;
    for (const JobChange& change : recorder.of(id)) seen.push_back(change.event);
    return seen;
  }
  std::size_t wakes_of(const char* type) {
    recorder.catch_up(client());
    std::size_t count = 0;
    for (const LaneRef& lane : recorder.wakes()) count += lane->type.text() == type;
    return count;
  }
  Recorder recorder;
};

using Events = std::vector<JobEvent>;

TEST_P(ListenerContract, AWholeLifeIsToldInOrder) {
  join();
  const JobId id = add();
  must(client().fail({lease_of(take_one()), {"boom", "m"}, true, Duration(1s)}));
  advance(1s);
  sweep(&Store::promote_due);
  must(release(take_one()));
  must(snooze(take_one(), 1s));
  advance(1s);
  sweep(&Store::promote_due);
  must(complete(take_one()));
  EXPECT_EQ(events(id),
            (Events{JobEvent::enqueued, JobEvent::claimed, JobEvent::failed, JobEvent::due, JobEvent::claimed, JobEvent::released,
                    JobEvent::claimed, JobEvent::snoozed, JobEvent::due, JobEvent::claimed, JobEvent::completed}));
}

TEST_P(ListenerContract, EveryMoveIsLegalAndFollowsTheOneBefore) {
  join(a_worker("w1", [](WorkerSpec& w) { w.slots = 100; }));
  add_many(6, a_job([](JobSpec& j) {
             j.lease_ttl = 5s;
             j.rescues_max = 0;
           }));
  const JobId first = add();
  add([&](JobSpec& j) { j.after = {first}; });
  add([](JobSpec& j) {
    j.expires_in = 1s;
    j.delay = 1h;
  });
  const std::vector<Grant> grants = take("w1", 7);
  must(complete(grants[0]));
  must(fail(grants[1]));
  must(fail_for_good(grants[2]));
  must(cancel(grants[3].id));
  must(fail(grants[3]));
  must(client().redrive(grants[2].id));
  advance(5s);
  sweep(&Store::promote_due);
  sweep(&Store::expire_leases);
  sweep(&Store::expire_waiting);
  recorder.catch_up(client());
  std::map<JobId, JobState> last;
  for (const JobChange& change : recorder.jobs()) {
    const auto known = last.find(change.id);
    if (change.event == JobEvent::enqueued) {
      EXPECT_FALSE(change.from);
      EXPECT_EQ(known, last.end());
    } else {
      ASSERT_TRUE(change.from);
      ASSERT_NE(known, last.end());
      EXPECT_EQ(*change.from, known->second);
      EXPECT_EQ(next(*change.from, change.event), change.to) << to_string(change.event);
    }
    last[change.id] = change.to;
  }
  for (const auto& [id, told] : last) EXPECT_EQ(state(id), told);
  EXPECT_EQ(last.size(), 9u);
}

TEST_P(ListenerContract, AChangeSaysWhoWhatAndWhen) {
  join(a_worker("w1", [](WorkerSpec& w) { w.capabilities = CapabilitySet({"tool:x"}); }));
  const JobId id = add([](JobSpec& j) {
    j.queue = QueueName("mail");
    j.needs = CapabilitySet({"tool:x"});
  });
  advance(3s);
  const Grant grant = take_one();
  const Instant claimed_at = now();
  advance(2s);
  must(fail_for_good(grant, "bad_thing"));
  recorder.catch_up(client());
  const std::vector<JobChange> changes = recorder.of(id);
  ASSERT_EQ(changes.size(), 3u);
  EXPECT_EQ(changes[0].to, JobState::ready);
  ASSERT_NE(changes[1].lane, nullptr);
  EXPECT_EQ(changes[1].lane->ns, kDefault);
  EXPECT_EQ(changes[1].lane->queue.text(), "mail");
  EXPECT_EQ(changes[1].lane->type.text(), "work");
  EXPECT_EQ(changes[1].lane->needs, CapabilitySet({"tool:x"}));
  EXPECT_EQ(changes[1].worker.text(), "w1");
  EXPECT_EQ(changes[1].fence, grant.fence);
  EXPECT_EQ(changes[1].attempt, 1u);
  EXPECT_EQ(changes[1].at, claimed_at);
  EXPECT_EQ(changes[2].event, JobEvent::exhausted);
  EXPECT_EQ(changes[2].to, JobState::dead);
  EXPECT_EQ(changes[2].cause, "bad_thing");
  EXPECT_EQ(changes[2].at, now());
}

TEST_P(ListenerContract, ARescueIsToldAsLost) {
  join();
  const JobId id = add([](JobSpec& j) { j.lease_ttl = 5s; });
  take_one();
  advance(5s);
  sweep(&Store::expire_leases);
  EXPECT_EQ(events(id), (Events{JobEvent::enqueued, JobEvent::claimed, JobEvent::lost}));
}

TEST_P(ListenerContract, AFreedDependentIsToldAsDue) {
  join();
  const JobId second = add([first = add()](JobSpec& j) { j.after = {first}; });
  must(complete(take_one()));
  EXPECT_EQ(events(second), (Events{JobEvent::enqueued, JobEvent::due}));
}

TEST_P(ListenerContract, ACascadeOfCancellationsIsToldJobByJob) {
  const JobId first = add();
  const JobId second = add([&](JobSpec& j) { j.after = {first}; });
  const JobId third = add([&](JobSpec& j) { j.after = {second}; });
  must(cancel(first));
  for (const JobId& id : {first, second, third}) EXPECT_EQ(events(id), (Events{JobEvent::enqueued, JobEvent::cancelled}));
}

TEST_P(ListenerContract, RefusedVerbsTellNothing) {
  join();
  add();
  const Grant grant = take_one();
  must(complete(grant));
  recorder.catch_up(client());
  recorder.forget();
  EXPECT_EQ(fail(grant).code(), Code::lease_lost);
  EXPECT_EQ(cancel(grant.id).code(), Code::conflict);
  must(complete(grant));
  EXPECT_FALSE(client().enqueue({a_job(), a_job([](JobSpec& j) { j.ns = NamespaceName("nowhere"); })}).ok());
  recorder.catch_up(client());
  EXPECT_TRUE(recorder.jobs().empty());
}

TEST_P(ListenerContract, AJobFoundByItsKeyTellsNothing) {
  const auto keyed = [](JobSpec& j) { j.idempotency_key = "k"; };
  const JobId id = add(keyed);
  add(keyed);
  EXPECT_EQ(events(id), Events{JobEvent::enqueued});
  EXPECT_EQ(recorder.jobs().size(), 1u);
}

TEST_P(ListenerContract, WhatIsToldIsThereToRead) {
  if (harness().faulty()) GTEST_SKIP() << "the listener makes raw calls, which nobody repeats";
  class Reader final : public Listener {
   public:
    explicit Reader(Harness& harness) : harness_(harness) {}
    void committed(const Committed& commit) override {
      for (const JobChange& change : commit.jobs)
        harness_.store().get_jobs({change.id}, [this](Result<Each<Job>> found) {
          const std::lock_guard lock(mutex_);
          found_ += found.ok() && found->at(0).ok();
          changed_.notify_all();
        });
    }
    bool finds(int count) {
      while (harness_.pump()) continue;
      std::unique_lock lock(mutex_);
      return changed_.wait_for(lock, harness_.threaded() ? patience() : 0s, [&] { return found_ == count; });
    }

   private:
    Harness& harness_;
    std::mutex mutex_;
    std::condition_variable changed_;
    int found_ = 0;
  } reader(harness());
  harness().listen(&reader);
  add_many(3);
  EXPECT_TRUE(reader.finds(3));
  must(harness().store().close());  // the reader goes first
}

TEST_P(ListenerContract, WorkersComingAndGoingAreTold) {
  const Registered first = join();
  must(drain("w1", 10s, "upgrade"));
  advance(10s);
  sweep(&Store::end_drains);
  recorder.catch_up(client());
  const std::vector<WorkerChange> changes = recorder.workers();
  ASSERT_EQ(changes.size(), 3u);
  EXPECT_EQ(changes[0].id.text(), "w1");
  EXPECT_EQ(changes[0].session, first.session);
  EXPECT_FALSE(changes[0].from);
  EXPECT_EQ(changes[0].to, WorkerState::online);
  EXPECT_EQ(changes[1].from, WorkerState::online);
  EXPECT_EQ(changes[1].to, WorkerState::draining);
  EXPECT_EQ(changes[2].from, WorkerState::draining);
  EXPECT_EQ(changes[2].to, WorkerState::offline);
  EXPECT_EQ(changes[2].cause, "drained");
}

TEST_P(ListenerContract, ASilentWorkersDeathIsTold) {
  join();
  advance(default_policy(Dialect::http).dead_after);
  sweep(&Store::bury_silent_workers);
  recorder.catch_up(client());
  ASSERT_FALSE(recorder.workers().empty());
  EXPECT_EQ(recorder.workers().back().to, WorkerState::offline);
  EXPECT_EQ(recorder.workers().back().cause, "silent");
}

TEST_P(ListenerContract, APauseAndAResumeAreTold) {
  limit_queue([](QueueChange& c) { c.paused = true; });
  limit_queue([](QueueChange& c) { c.paused = false; });
  recorder.catch_up(client());
  std::vector<bool> paused;
  for (const QueueChanged& change : recorder.queues()) paused.push_back(change.paused);
  ASSERT_FALSE(paused.empty());
  EXPECT_TRUE(paused.front());
  EXPECT_FALSE(paused.back());
}

TEST_P(ListenerContract, EachNewReadyJobWakesItsLaneOnce) {
  add_many(3);
  add([](JobSpec& j) { j.delay = 1h; });
  EXPECT_EQ(wakes_of("work"), 3u);
  advance(1h);
  sweep(&Store::promote_due);
  EXPECT_EQ(wakes_of("work"), 4u);
}

TEST_P(ListenerContract, AJobThatComesBackWakesItsLane) {
  join();
  add();
  const Grant grant = take_one();
  recorder.catch_up(client());
  recorder.forget();
  must(release(grant));
  EXPECT_GE(wakes_of("work"), 1u);
}

TEST_P(ListenerContract, AFreedConcurrencyKeyWakesTheOneBehind) {
  join();
  add([](JobSpec& j) { j.concurrency = ConcurrencyKey{"k", 1}; });
  const Grant grant = take_one();
  add([](JobSpec& j) {
    j.concurrency = ConcurrencyKey{"k", 1};
    j.type = JobType("behind");
  });
  EXPECT_TRUE(idle());
  recorder.catch_up(client());
  recorder.forget();
  must(complete(grant));
  EXPECT_GE(wakes_of("behind"), 1u);
}

TEST_P(ListenerContract, AFreedPlaceUnderAQueueCapWakesTheOneBehind) {
  join();
  limit_queue([](QueueChange& c) { c.running_max = 1; });
  add();
  const Grant grant = take_one();
  add([](JobSpec& j) { j.type = JobType("behind"); });
  EXPECT_TRUE(idle());
  recorder.catch_up(client());
  recorder.forget();
  must(complete(grant));
  EXPECT_GE(wakes_of("behind"), 1u);
}

TEST_P(ListenerContract, AResumedQueueWakesItsLanes) {
  limit_queue([](QueueChange& c) { c.paused = true; });
  add();
  recorder.catch_up(client());
  recorder.forget();
  limit_queue([](QueueChange& c) { c.paused = false; });
  EXPECT_GE(wakes_of("work"), 1u);
}

TEST_P(ListenerContract, ALiftedCapWakesTheQueue) {
  join();
  limit_queue([](QueueChange& c) { c.running_max = 1; });
  add_many(2);
  take_one();
  recorder.catch_up(client());
  recorder.forget();
  limit_queue([](QueueChange& c) { c.running_max = 0; });
  EXPECT_GE(wakes_of("work"), 1u);
}

TEST_P(ListenerContract, AnEndedPreferenceWakesTheOpenLane) {
  join(a_worker("a", [](WorkerSpec& w) { w.labels = {{"zone", "a"}}; }));
  add([](JobSpec& j) {
    j.affinity.prefer = "label:zone=a";
    j.affinity.prefer_wait = 5s;
  });
  recorder.catch_up(client());
  recorder.forget();
  advance(5s);
  sweep(&Store::end_preferences);
  recorder.catch_up(client());
  const std::vector<LaneRef> wakes = recorder.wakes();
  ASSERT_FALSE(wakes.empty());
  EXPECT_TRUE(wakes.back()->needs.empty());
}

TEST_P(ListenerContract, AStickyKeyWithoutItsWorkerWakesTheOpenLane) {
  join("w1");
  join("w2");
  add_many(2, a_job([](JobSpec& j) { j.affinity.sticky_key = "s"; }));
  must(complete(take_one("w1")));
  ASSERT_TRUE(idle("w2"));
  recorder.catch_up(client());
  recorder.forget();
  must(unregister("w1"));
  EXPECT_GE(wakes_of("work"), 1u);
}

INSTANTIATE_TEST_SUITE_P(Stores, ListenerContract, ::testing::ValuesIn(stores()), store_name);

}  // namespace
}  // namespace muster::store::contract
