// Contract: workers that leave, and lists of those that are there.
#include "store/contract/contract.h"

namespace muster::store::contract {
namespace {

class DrainContract : public StoreContract {
 protected:
  std::vector<std::string> names(WorkerQuery query) {
    std::vector<std::string> found;
    for (int pages = 0; pages < 100; ++pages) {
      const WorkerPage page = must(client().list_workers(query));
      EXPECT_LE(page.workers.size(), query.limit);
      for (const Worker& one : page.workers) found.push_back(one.spec.id.text());
      if (page.next.empty()) return found;
      query.cursor = page.next;
    }
    throw std::runtime_error("a listing without an end");
  }
  static WorkerQuery in_default() {
    WorkerQuery query;
    query.ns = kDefault;
    return query;
  }
};

using Names = std::vector<std::string>;

TEST_P(DrainContract, AnOperatorsDrainIsTold) {
  join();
  const Worker drained = must(drain("w1", 45s, "upgrade"));
  EXPECT_EQ(drained.state, WorkerState::draining);
  EXPECT_EQ(drained.drain_deadline, now() + 45s);
  EXPECT_EQ(drained.drain_reason, "upgrade");
  const BeatReply reply = must(beat());
  EXPECT_EQ(reply.state, WorkerState::draining);
  EXPECT_EQ(reply.drain_deadline, now() + 45s);
  EXPECT_EQ(reply.drain_reason, "upgrade");
}

TEST_P(DrainContract, ADrainingWorkerFinishesWhatItHas) {
  join();
  add();
  const Grant grant = take_one();
  must(drain("w1", 45s));
  must(renew(grant));
  EXPECT_EQ(must(complete(grant)).state, JobState::completed);
}

TEST_P(DrainContract, AWorkersOwnDrainStopsNewWork) {
  join();
  add();
  Beat beat;
  beat.ns = kDefault;
  beat.worker = WorkerId("w1");
  beat.accepting = false;
  EXPECT_EQ(must(client().heartbeat(beat)).state, WorkerState::draining);
  EXPECT_EQ(worker().state, WorkerState::draining);
  EXPECT_EQ(claim("w1").block, ClaimBlock::draining);
}

TEST_P(DrainContract, AnOrdinaryHeartbeatDoesNotEndAnOperatorsDrain) {
  join();
  must(drain("w1", 45s));
  advance(1s);
  must(beat());
  EXPECT_EQ(worker().state, WorkerState::draining);
  EXPECT_EQ(worker().drain_deadline, now() + 44s);
}

TEST_P(DrainContract, DrainingAgainMovesTheDeadline) {
  join();
  must(drain("w1", 10s));
  advance(5s);
  EXPECT_EQ(must(drain("w1", 60s, "later")).drain_deadline, now() + 60s);
  advance(10s);
  sweep_moves(&Store::end_drains, 0);
  EXPECT_EQ(worker().state, WorkerState::draining);
  EXPECT_EQ(worker().drain_reason, "later");
}

TEST_P(DrainContract, AtTheDeadlineItsJobsAreHandedBackWithoutCost) {
  join(a_worker("w1", [](WorkerSpec& w) { w.policy = HeartbeatPolicy{1min, 24h}; }));
  const JobId id = add([](JobSpec& j) {
    j.retry.attempts_max = 1;
    j.rescues_max = 0;
  });
  const Grant grant = take_one();
  must(drain("w1", 10s));
  advance(10s - 1ms);
  sweep_moves(&Store::end_drains, 0);
  EXPECT_EQ(state(id), JobState::running);
  advance(1ms);
  sweep(&Store::end_drains);
  const Job found = job(id);
  EXPECT_EQ(found.state, JobState::ready);
  EXPECT_EQ(found.attempt, 0u);
  EXPECT_EQ(found.rescues, 0u);
  EXPECT_EQ(complete(grant).code(), Code::lease_lost);
}

TEST_P(DrainContract, AtTheDeadlineTheWorkerIsOffline) {
  join();
  must(drain("w1", 10s));
  advance(10s);
  sweep(&Store::end_drains);
  const Worker found = worker();
  EXPECT_EQ(found.state, WorkerState::offline);
  EXPECT_EQ(found.offline_cause, "drained");
  EXPECT_EQ(found.offline_at, now());
  EXPECT_EQ(beat().code(), Code::not_found);
}

TEST_P(DrainContract, WhoDrainsIsCountedUntilTheDeadline) {
  join("w1");
  join("w2");
  must(drain("w1", 10s));
  EXPECT_EQ(must(client().info()).workers_live, 2u);
  advance(10s);
  sweep(&Store::end_drains);
  EXPECT_EQ(must(client().info()).workers_live, 1u);
}

TEST_P(DrainContract, ADrainSurvivesARestart) {
  join();
  add();
  take_one();
  must(drain("w1", 10s, "upgrade"));
  restart();
  EXPECT_EQ(worker().state, WorkerState::draining);
  EXPECT_EQ(worker().drain_reason, "upgrade");
  EXPECT_EQ(claim("w1").block, ClaimBlock::draining);
  advance(10s);
  sweep(&Store::end_drains);
  EXPECT_EQ(worker().state, WorkerState::offline);
}

TEST_P(DrainContract, ADrainingWorkerThatFallsSilentIsBuried) {
  join();
  const JobId id = add();
  take_one();
  must(drain("w1", 1h));
  advance(default_policy(Dialect::http).dead_after);
  sweep(&Store::bury_silent_workers);
  EXPECT_EQ(worker().state, WorkerState::offline);
  EXPECT_EQ(worker().offline_cause, "silent");
  EXPECT_EQ(state(id), JobState::ready);
}

TEST_P(DrainContract, ANewRegistrationEndsTheDrain) {
  join();
  must(drain("w1", 10s));
  join();
  EXPECT_EQ(worker().state, WorkerState::online);
  EXPECT_FALSE(worker().drain_deadline);
  advance(10s);
  sweep_moves(&Store::end_drains, 0);
  EXPECT_EQ(worker().state, WorkerState::online);
}

TEST_P(DrainContract, DrainingAStrangerOrAnOfflineWorkerIsNotFound) {
  EXPECT_EQ(drain("stranger", 1s).code(), Code::not_found);
  join();
  must(unregister("w1"));
  EXPECT_EQ(drain("w1", 1s).code(), Code::not_found);
}

TEST_P(DrainContract, UnregisteringHandsItsJobsBackWithoutCost) {
  join();
  const JobId id = add([](JobSpec& j) {
    j.retry.attempts_max = 1;
    j.rescues_max = 0;
  });
  const Grant grant = take_one();
  advance(1s);
  const Worker gone = must(unregister("w1"));
  EXPECT_EQ(gone.state, WorkerState::offline);
  EXPECT_EQ(gone.offline_cause, "unregistered");
  EXPECT_EQ(gone.offline_at, now());
  EXPECT_EQ(job(id).state, JobState::ready);
  EXPECT_EQ(job(id).attempt, 0u);
  EXPECT_EQ(job(id).rescues, 0u);
  EXPECT_EQ(complete(grant).code(), Code::lease_lost);
  EXPECT_EQ(worker().state, WorkerState::offline);
}

TEST_P(DrainContract, UnregisteringTwiceIsOk) {
  join();
  must(unregister("w1"));
  advance(1s);
  const Worker again = must(unregister("w1"));
  EXPECT_EQ(again.state, WorkerState::offline);
  EXPECT_EQ(again.offline_at, now() - 1s);
}

TEST_P(DrainContract, UnregisteringAStrangerIsNotFound) { EXPECT_EQ(unregister("stranger").code(), Code::not_found); }

TEST_P(DrainContract, AReplacedSessionCannotUnregisterTheNewOne) {
  const Registered first = join();
  join();
  EXPECT_EQ(client().unregister({kDefault, WorkerId("w1"), first.session}).code(), Code::lease_lost);
  EXPECT_EQ(worker().state, WorkerState::online);
}

TEST_P(DrainContract, WorkersAreListedByNamespaceAndName) {
  NamespaceInfo info;
  info.name = NamespaceName("aaa");
  must(client().create_namespace(info));
  for (const char* id : {"c", "a", "b"}) join(id);
  join(a_worker("z", [](WorkerSpec& w) { w.ns = NamespaceName("aaa"); }));
  EXPECT_EQ(names({}), (Names{"z", "a", "b", "c"}));
  EXPECT_EQ(names(in_default()), (Names{"a", "b", "c"}));
}

TEST_P(DrainContract, AnUnknownNamespaceHasNoList) {
  WorkerQuery query;
  query.ns = NamespaceName("nowhere");
  EXPECT_EQ(client().list_workers(query).code(), Code::not_found);
}

TEST_P(DrainContract, TheListCanBeFilteredByEachProperty) {
  join(a_worker("a", [](WorkerSpec& w) {
    w.capabilities = CapabilitySet({"tool:x"});
    w.labels = {{"zone", "1"}, {"os", "l"}};
  }));
  join(a_worker("b", [](WorkerSpec& w) {
    w.queues = {QueueName("mail")};
    w.labels = {{"zone", "2"}, {"os", "l"}};
  }));
  join(a_worker("c", [](WorkerSpec& w) {
    w.queues = {QueueName("video")};
    w.capabilities = CapabilitySet({"tool:x", "tool:y"});
  }));
  join("d");
  must(drain("c", 1h));
  must(unregister("d"));
  const auto with = [&](auto tweak) {
    WorkerQuery query = in_default();
    tweak(query);
    return names(query);
  };
  EXPECT_EQ(with([](WorkerQuery& q) { q.states = {WorkerState::online}; }), (Names{"a", "b"}));
  EXPECT_EQ(with([](WorkerQuery& q) { q.states = {WorkerState::draining, WorkerState::offline}; }), (Names{"c", "d"}));
  EXPECT_EQ(with([](WorkerQuery& q) { q.capability = "tool:x"; }), (Names{"a", "c"}));
  EXPECT_EQ(with([](WorkerQuery& q) { q.capability = "tool:none"; }), Names{});
  EXPECT_EQ(with([](WorkerQuery& q) { q.labels = {{"os", "l"}}; }), (Names{"a", "b"}));
  EXPECT_EQ(with([](WorkerQuery& q) { q.labels = {{"os", "l"}, {"zone", "2"}}; }), Names{"b"});
  EXPECT_EQ(with([](WorkerQuery& q) {
              q.queue = QueueName("mail");
              q.states = {WorkerState::online};
            }),
            (Names{"a", "b"}));
  EXPECT_EQ(with([](WorkerQuery& q) {
              q.queue = QueueName("video");
              q.states = {WorkerState::draining};
            }),
            Names{"c"});
}

TEST_P(DrainContract, TheListComesInPages) {
  for (int i = 0; i < 10; ++i) join(fmt::format("w{}", i));
  WorkerQuery query = in_default();
  query.limit = 3;
  EXPECT_EQ(names(query).size(), 10u);
  const WorkerPage page = must(client().list_workers(query));
  EXPECT_EQ(page.workers.size(), 3u);
  EXPECT_FALSE(page.next.empty());
}

TEST_P(DrainContract, PagesStayInStepWhileWorkersComeAndGo) {
  for (int i = 0; i < 6; ++i) join(fmt::format("w{}", i * 2));  // w0, w2, …, w10
  WorkerQuery query = in_default();
  query.limit = 2;
  const WorkerPage first = must(client().list_workers(query));  // by name: w0, w10
  must(unregister("w0"));
  must(client().prune_workers(0s, kSweepLimit));
  join("w1");   // before w10: already passed
  join("w99");  // still ahead
  query.cursor = first.next;
  EXPECT_EQ(names(query), (Names{"w2", "w4", "w6", "w8", "w99"}));
}

TEST_P(DrainContract, ABadCursorIsRefused) {
  join();
  WorkerQuery query = in_default();
  query.cursor = "nonsense";
  EXPECT_EQ(client().list_workers(query).code(), Code::invalid_argument);
}

INSTANTIATE_TEST_SUITE_P(Stores, DrainContract, ::testing::ValuesIn(stores()), store_name);

}  // namespace
}  // namespace muster::store::contract
