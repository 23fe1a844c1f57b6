// Contract: the life of a worker. Registration, sessions, heartbeats, silence.
#include "store/contract/contract.h"

namespace muster::store::contract {
namespace {

class WorkerContract : public StoreContract {
 protected:
  static Beat beat_of(const char* id) {
    Beat beat;
    beat.ns = kDefault;
    beat.worker = WorkerId(id);
    return beat;
  }
  static constexpr Duration kDeadAfter = default_policy(Dialect::http).dead_after;
};

TEST_P(WorkerContract, AFirstRegistrationOpensASession) {
  const Registered registered = join();
  EXPECT_EQ(registered.id.text(), "w1");
  EXPECT_GT(to_number(registered.session), 0u);
  EXPECT_FALSE(registered.replaced);
  const Worker found = worker();
  EXPECT_EQ(found.state, WorkerState::online);
  EXPECT_EQ(found.session, registered.session);
  EXPECT_EQ(found.registered_at, now());
  EXPECT_EQ(found.last_seen_at, now());
  EXPECT_EQ(found.running, 0u);
  EXPECT_FALSE(found.offline_at);
}

TEST_P(WorkerContract, ThePolicyIsTheDialectsByDefault) {
  for (const Dialect dialect : {Dialect::http, Dialect::resp, Dialect::grpc, Dialect::ws, Dialect::agent}) {
    const Registered registered = join(a_worker(std::string(to_string(dialect)), [&](WorkerSpec& w) { w.dialect = dialect; }));
    EXPECT_EQ(registered.policy.interval, default_policy(dialect).interval);
    EXPECT_EQ(registered.policy.dead_after, default_policy(dialect).dead_after);
  }
}

TEST_P(WorkerContract, AWorkerMayBringItsOwnPolicy) {
  const Registered registered = join(a_worker("w1", [](WorkerSpec& w) { w.policy = HeartbeatPolicy{2s, 7s}; }));
  EXPECT_EQ(registered.policy.interval, 2s);
  EXPECT_EQ(registered.policy.dead_after, 7s);
  EXPECT_EQ(must(beat()).next_beat_in, 2s);
}

TEST_P(WorkerContract, KeepsEveryPartOfTheDescription) {
  const WorkerSpec spec = a_worker("w1", [](WorkerSpec& w) {
    w.dialect = Dialect::agent;
    w.capabilities = CapabilitySet({"tool:a", "agent:b"});
    w.queues = {QueueName("q1"), QueueName("q2")};
    w.labels = {{"zone", "a"}};
    w.slots = 17;
    w.hostname = "host-9";
    w.version = "1.2.3";
    w.metadata = R"({"gpu":true})";
  });
  join(spec);
  for (const bool after_restart : {false, true}) {
    if (after_restart) restart();
    const WorkerSpec found = worker().spec;
    EXPECT_EQ(found.ns, kDefault);
    EXPECT_EQ(found.dialect, spec.dialect);
    EXPECT_EQ(found.capabilities, spec.capabilities);
    EXPECT_EQ(found.queues, spec.queues);
    EXPECT_EQ(found.labels, spec.labels);
    EXPECT_EQ(found.slots, spec.slots);
    EXPECT_EQ(found.hostname, spec.hostname);
    EXPECT_EQ(found.version, spec.version);
    EXPECT_EQ(found.metadata, spec.metadata);
    ASSERT_TRUE(found.policy);
    EXPECT_EQ(found.policy->dead_after, default_policy(Dialect::agent).dead_after);
  }
}

TEST_P(WorkerContract, AnUnknownNamespaceIsNotFound) {
  EXPECT_EQ(client().register_worker(a_worker("w1", [](WorkerSpec& w) { w.ns = NamespaceName("nowhere"); })).code(),
            Code::not_found);
}

TEST_P(WorkerContract, ABatchOfRegistrationsJudgesEachByItself) {
  const Each<Registered> answers = must(client().register_all(
      {a_worker("a"), a_worker("b", [](WorkerSpec& w) { w.ns = NamespaceName("nowhere"); }), a_worker("c")}));
  ASSERT_EQ(answers.size(), 3u);
  EXPECT_TRUE(answers[0].ok());
  EXPECT_EQ(answers[1].code(), Code::not_found);
  EXPECT_TRUE(answers[2].ok());
}

TEST_P(WorkerContract, ASecondRegistrationReplacesTheSession) {
  const Registered first = join();
  const Registered second = join();
  EXPECT_TRUE(second.replaced);
  EXPECT_NE(second.session, first.session);
  EXPECT_EQ(worker().session, second.session);
}

TEST_P(WorkerContract, SessionsAreNotReusedAfterARestart) {
  const Registered first = join();
  restart();
  EXPECT_NE(join("w2").session, first.session);
  EXPECT_NE(join("w1").session, first.session);
}

TEST_P(WorkerContract, AReplacedSessionLosesItsLeases) {
  join();
  const JobId id = add();
  take_one();
  join();
  const Job found = job(id);
  EXPECT_EQ(found.state, JobState::ready);
  EXPECT_EQ(found.rescues, 1u);
  EXPECT_EQ(worker().running, 0u);
}

TEST_P(WorkerContract, AReplacedSessionSpendsTheRescueBudget) {
  join();
  const JobId id = add([](JobSpec& j) { j.rescues_max = 0; });
  take_one();
  join();
  EXPECT_EQ(state(id), JobState::dead);
  EXPECT_EQ(job(id).error->kind, kErrorRescueFailed);
}

TEST_P(WorkerContract, AResumedSessionKeepsItsLeases) {
  const Registered first = join();
  add();
  const Grant grant = take_one();
  const Registered resumed = join(a_worker("w1", [&](WorkerSpec& w) {
    w.resume = first.session;
    w.slots = 3;
    w.version = "2";
  }));
  EXPECT_EQ(resumed.session, first.session);
  EXPECT_FALSE(resumed.replaced);
  EXPECT_EQ(worker().spec.slots, 3u);
  EXPECT_EQ(worker().spec.version, "2");
  EXPECT_EQ(worker().running, 1u);
  EXPECT_TRUE(complete(grant).ok());
}

TEST_P(WorkerContract, ASessionCanBeResumedAfterARestart) {
  const Registered first = join();
  add();
  const Grant grant = take_one();
  restart();
  EXPECT_EQ(join(a_worker("w1", [&](WorkerSpec& w) { w.resume = first.session; })).session, first.session);
  EXPECT_TRUE(complete(grant).ok());
}

TEST_P(WorkerContract, ResumingAnotherSessionIsAReplacement) {
  const Registered first = join();
  const JobId id = add();
  take_one();
  const Registered second = join(a_worker("w1", [&](WorkerSpec& w) { w.resume = SessionId{to_number(first.session) + 1'000}; }));
  EXPECT_TRUE(second.replaced);
  EXPECT_EQ(state(id), JobState::ready);
}

TEST_P(WorkerContract, ASessionThatIsOverCannotBeResumed) {
  const Registered first = join();
  advance(kDeadAfter);
  sweep(&Store::bury_silent_workers);
  const Registered second = join(a_worker("w1", [&](WorkerSpec& w) { w.resume = first.session; }));
  EXPECT_NE(second.session, first.session);
  EXPECT_EQ(worker().state, WorkerState::online);
}

TEST_P(WorkerContract, TheSameNameInTwoNamespacesIsTwoWorkers) {
  NamespaceInfo info;
  info.name = NamespaceName("other");
  must(client().create_namespace(info));
  join();
  const Registered there = join(a_worker("w1", [](WorkerSpec& w) { w.ns = NamespaceName("other"); }));
  EXPECT_FALSE(there.replaced);
  EXPECT_EQ(must(client().list_workers({})).workers.size(), 2u);
}

TEST_P(WorkerContract, AHeartbeatIsSeenAndItsStatsKept) {
  join();
  advance(5s);
  Beat with_stats = beat_of("w1");
  with_stats.stats = R"({"load":0.5})";
  const BeatReply reply = must(client().heartbeat(with_stats));
  EXPECT_EQ(reply.state, WorkerState::online);
  EXPECT_EQ(reply.next_beat_in, default_policy(Dialect::http).interval);
  EXPECT_TRUE(reply.cancel.empty());
  EXPECT_TRUE(reply.lost.empty());
  EXPECT_EQ(worker().last_seen_at, now());
  EXPECT_EQ(worker().stats, R"({"load":0.5})");
}

TEST_P(WorkerContract, AHeartbeatSaysHowMuchRuns) {
  join();
  add_many(3);
  take("w1", 3);
  EXPECT_EQ(must(beat()).running, 3u);
}

TEST_P(WorkerContract, AHeartbeatOfAStrangerIsNotFound) { EXPECT_EQ(beat("stranger").code(), Code::not_found); }

TEST_P(WorkerContract, AHeartbeatOfAnOfflineWorkerIsNotFound) {
  join();
  advance(kDeadAfter);
  sweep(&Store::bury_silent_workers);
  EXPECT_EQ(beat().code(), Code::not_found);
  EXPECT_EQ(worker().state, WorkerState::offline);
  join();
  EXPECT_TRUE(beat().ok());
}

TEST_P(WorkerContract, AHeartbeatOfAReplacedSessionIsRefused) {
  const Registered first = join();
  join();
  add();
  const Grant grant = take_one();
  advance(1s);
  Beat old = beat_of("w1");
  old.session = first.session;
  EXPECT_EQ(client().heartbeat(old).code(), Code::lease_lost);
  EXPECT_EQ(job(grant.id).lease_expires_at, grant.lease_expires_at);
}

TEST_P(WorkerContract, AHeartbeatNamesTheLeasesThatAreLost) {
  join();
  add_many(3);
  const std::vector<Grant> grants = take("w1", 3);
  must(complete(grants[0]));
  must(release(grants[1]));
  const LeaseRef invented{grants[2].id, Fence{to_number(grants[2].fence) + 99}};
  const BeatReply reply = must(beat("w1", {lease_of(grants[0]), lease_of(grants[1]), lease_of(grants[2]), invented}));
  EXPECT_EQ(reply.lost, (std::vector{lease_of(grants[0]), lease_of(grants[1]), invented}));
}

TEST_P(WorkerContract, ALeaseOfAnotherWorkerIsLostToThisOne) {
  join("w1");
  join("w2");
  add();
  const Grant grant = take_one("w1");
  EXPECT_EQ(must(beat("w2", {lease_of(grant)})).lost, std::vector{lease_of(grant)});
  EXPECT_TRUE(complete(grant).ok());
}

TEST_P(WorkerContract, ABatchOfHeartbeatsJudgesEachByItself) {
  join("w1");
  join("w2");
  const Each<BeatReply> answers = must(client().heartbeat_all({beat_of("w1"), beat_of("stranger"), beat_of("w2")}));
  ASSERT_EQ(answers.size(), 3u);
  EXPECT_TRUE(answers[0].ok());
  EXPECT_EQ(answers[1].code(), Code::not_found);
  EXPECT_TRUE(answers[2].ok());
}

TEST_P(WorkerContract, SilenceForDeadAfterIsDeathAndNotAMillisecondLess) {
  join();
  advance(kDeadAfter - 1ms);
  sweep_moves(&Store::bury_silent_workers, 0);
  EXPECT_EQ(worker().state, WorkerState::online);
  advance(1ms);
  EXPECT_EQ(dead_at(worker()), now());
  sweep(&Store::bury_silent_workers);
  const Worker found = worker();
  EXPECT_EQ(found.state, WorkerState::offline);
  EXPECT_EQ(found.offline_at, now());
  EXPECT_EQ(found.offline_cause, "silent");
}

TEST_P(WorkerContract, AHeartbeatPutsDeathOff) {
  join();
  for (int i = 0; i < 5; ++i) {
    advance(kDeadAfter - 1ms);
    must(beat());
    sweep_moves(&Store::bury_silent_workers, 0);
  }
  EXPECT_EQ(worker().state, WorkerState::online);
}

TEST_P(WorkerContract, TheJobsOfADeadWorkerAreRescued) {
  join();
  const JobId id = add([](JobSpec& j) { j.lease_ttl = 1h; });
  const Grant grant = take_one();
  advance(kDeadAfter);
  sweep(&Store::bury_silent_workers);
  EXPECT_EQ(state(id), JobState::ready);
  EXPECT_EQ(job(id).rescues, 1u);
  EXPECT_EQ(worker().running, 0u);
  EXPECT_EQ(complete(grant).code(), Code::lease_lost);
}

TEST_P(WorkerContract, SilenceIsJudgedAfterARestart) {
  join();
  restart();
  advance(kDeadAfter);
  sweep(&Store::bury_silent_workers);
  EXPECT_EQ(worker().state, WorkerState::offline);
}

TEST_P(WorkerContract, ADeadWorkerIsBuriedOnce) {
  join();
  advance(kDeadAfter);
  sweep(&Store::bury_silent_workers);
  advance(1h);
  sweep_moves(&Store::bury_silent_workers, 0);
  EXPECT_EQ(worker().offline_at, now() - 1h);
}

TEST_P(WorkerContract, TheDescriptionIsKeptAfterDeath) {
  join(a_worker("w1", [](WorkerSpec& w) {
    w.metadata = R"({"rack":7})";
    w.hostname = "host-9";
  }));
  advance(kDeadAfter);
  sweep(&Store::bury_silent_workers);
  restart();
  EXPECT_EQ(worker().spec.metadata, R"({"rack":7})");
  EXPECT_EQ(worker().spec.hostname, "host-9");
  EXPECT_EQ(worker().offline_cause, "silent");
}

TEST_P(WorkerContract, OfflineRowsArePrunedAfterTheirTimeAndLiveOnesNever) {
  join("gone");
  join("here");
  must(unregister("gone"));
  advance(24h - 1ms);
  must(client().prune_workers(24h, kSweepLimit));
  EXPECT_EQ(worker("gone").state, WorkerState::offline);
  advance(1ms);
  must(client().prune_workers(24h, kSweepLimit));
  EXPECT_EQ(client().get_worker(kDefault, WorkerId("gone")).code(), Code::not_found);
  EXPECT_EQ(worker("here").state, WorkerState::online);
  restart();
  EXPECT_EQ(client().get_worker(kDefault, WorkerId("gone")).code(), Code::not_found);
}

TEST_P(WorkerContract, GetWorkersJudgesEachByItself) {
  join("w1");
  const Each<Worker> found = must(client().get_workers(kDefault, {WorkerId("w1"), WorkerId("stranger")}));
  ASSERT_EQ(found.size(), 2u);
  EXPECT_TRUE(found[0].ok());
  EXPECT_EQ(found[1].code(), Code::not_found);
}

INSTANTIATE_TEST_SUITE_P(Stores, WorkerContract, ::testing::ValuesIn(stores()), store_name);

}  // namespace
}  // namespace muster::store::contract
