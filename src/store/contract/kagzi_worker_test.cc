// Contract: workers of Kagzi's dialects. They know runs alone, and their silence does not end a lease that has a time of its own.
#include "model/run.h"
#include "store/contract/contract.h"

namespace muster::store::contract {
namespace {

constexpr Duration kDeadAfter = 30s;
constexpr Duration kLease = 60s;
constexpr Lengthening kEachBeat{.by = 45s, .ahead_max = 5min};

class KagziWorkerContract : public StoreContract {
 protected:
  void SetUp() override {
    StoreContract::SetUp();
    join(a_worker("k1", [](WorkerSpec& w) {
      w.dialect = Dialect::grpc;
      w.policy = HeartbeatPolicy{10s, kDeadAfter};
      w.capabilities = CapabilitySet({workflow_capability("work")});
    }));
  }
  JobId add_run() {
    return add(a_run([](JobSpec& j) { j.needs = CapabilitySet({workflow_capability("work")}); }));
  }
  Grant take_leased(std::optional<Duration> lease) {
    ClaimRequest request = claim_of("k1");
    request.lease_ttl = lease;
    const ClaimReply reply = must(client().claim(request));
    if (reply.grants.size() != 1) throw std::runtime_error("one run waits");
    return reply.grants.front();
  }
  void lengthening_beat() {
    Beat beat;
    beat.ns = kDefault;
    beat.worker = WorkerId("k1");
    beat.lengthens = kEachBeat;
    must(client().heartbeat(beat));
  }
  void bury() {
    sweep_moves(&Store::bury_silent_workers, 1);
    EXPECT_EQ(worker("k1").state, WorkerState::offline);
  }
};

TEST_P(KagziWorkerContract, ALeaseOfItsOwnLengthOutlivesTheSilenceOfItsWorker) {
  const JobId id = add_run();
  const Grant grant = take_leased(kLease);
  advance(kDeadAfter);
  bury();
  EXPECT_EQ(state(id), JobState::running);
  EXPECT_EQ(worker("k1").running, 1u);
  advance(kLease - kDeadAfter - 1s);
  sweep_moves(&Store::expire_leases, 0);
  must(complete(grant));
  EXPECT_EQ(job(id).rescues, 0u);
}

TEST_P(KagziWorkerContract, AndIsRescuedWhenItIsOver) {
  const JobId id = add_run();
  const Grant grant = take_leased(kLease);
  advance(kDeadAfter);
  bury();
  advance(kLease - kDeadAfter);
  EXPECT_EQ(complete(grant).code(), Code::lease_lost);
  sweep_moves(&Store::expire_leases, 1);
  EXPECT_EQ(job(id).rescues, 1u);
}

TEST_P(KagziWorkerContract, ALeaseAsLongAsSilenceEndsWithIt) {
  const JobId id = add_run();
  take_leased(std::nullopt);
  advance(kDeadAfter);
  bury();
  EXPECT_EQ(job(id).rescues, 1u);
}

TEST_P(KagziWorkerContract, EachBeatAddsToTheLease) {
  const JobId id = add_run();
  take_leased(kLease);
  for (int beats = 0; beats < 2; ++beats) {
    lengthening_beat();
    advance(10s);
  }
  advance(kDeadAfter);
  bury();
  const Duration gone = 20s + kDeadAfter;
  advance(kLease + 2 * kEachBeat.by - gone - 1s);
  sweep_moves(&Store::expire_leases, 0);
  advance(1s);
  sweep_moves(&Store::expire_leases, 1);
  EXPECT_EQ(job(id).rescues, 1u);
}

TEST_P(KagziWorkerContract, BeatsLeadNoFurtherAheadThanIsAllowed) {
  add_run();
  take_leased(kLease);
  for (int beats = 0; beats < 20; ++beats) {
    advance(10s);
    lengthening_beat();
  }
  advance(kDeadAfter);
  bury();
  advance(kEachBeat.ahead_max - kDeadAfter - 1s);
  sweep_moves(&Store::expire_leases, 0);
  advance(1s);
  sweep_moves(&Store::expire_leases, 1);
}

TEST_P(KagziWorkerContract, ABeatAddsNothingToALeaseThatIsOverOrAsLongAsSilence) {
  add_run();
  add_run();
  const Grant over = take_leased(5s);
  take_leased(std::nullopt);
  advance(6s);
  lengthening_beat();
  EXPECT_EQ(complete(over).code(), Code::lease_lost);
  sweep_moves(&Store::expire_leases, 1);
  advance(kDeadAfter);
  bury();
  sweep_moves(&Store::expire_leases, 0);
  EXPECT_EQ(queue().running, 0u);
}

TEST_P(KagziWorkerContract, JobsThatAreNoRunsAreNotOfferedThoughTheyNeedNothing) {
  const JobId plain = add();
  const JobId run = add_run();
  EXPECT_EQ(take_one("k1").id, run);
  EXPECT_TRUE(idle("k1"));
  EXPECT_EQ(must(client().explain(plain)).able_count, 0u) << "and nobody says that this worker could take it";
  join("w1");
  EXPECT_EQ(take_one("w1").id, plain);
}

INSTANTIATE_TEST_SUITE_P(Stores, KagziWorkerContract, ::testing::ValuesIn(stores()), store_name);

}  // namespace
}  // namespace muster::store::contract
