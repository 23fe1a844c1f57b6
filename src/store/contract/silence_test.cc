// Contract: time in which the server could not listen is nobody's silence, and real silence is death all the same.
#include "store/contract/contract.h"

namespace muster::store::contract {
namespace {

constexpr Duration kDeadAfter = 30s;
constexpr Duration kPause = 42s;  // longer than anything that is judged here

class SilenceContract : public StoreContract {
 protected:
  void SetUp() override {
    StoreContract::SetUp();
    join(a_worker("w1", [](WorkerSpec& w) { w.policy = HeartbeatPolicy{10s, kDeadAfter}; }));
  }
  void nobody_is_judged() {
    sweep_moves(&Store::bury_silent_workers, 0);
    sweep_moves(&Store::expire_leases, 0);
    sweep_moves(&Store::time_out_jobs, 0);
    EXPECT_EQ(worker("w1").state, WorkerState::online);
  }
};

TEST_P(SilenceContract, APauseOfTheServerIsNotSilenceOfItsWorkers) {
  const JobId id = add();
  const Grant grant = take_one();
  must(beat());
  pause(kPause);
  nobody_is_judged();
  must(complete(grant));
  EXPECT_EQ(job(id).rescues, 0u);
}

TEST_P(SilenceContract, ABeatThatWaitedOutAPauseRenewsEveryLease) {
  add();
  const Grant grant = take_one();
  pause(kPause);
  EXPECT_TRUE(must(beat("w1", {lease_of(grant)})).lost.empty());
  nobody_is_judged();
  advance(kDeadAfter - 1s);
  nobody_is_judged();
  must(complete(grant));
}

TEST_P(SilenceContract, AWorkerThatStaysSilentAfterAPauseIsBuried) {
  const JobId id = add();
  take_one();
  pause(kPause);
  advance(kDeadAfter + 10s);
  sweep_moves(&Store::bury_silent_workers, 1);
  EXPECT_EQ(worker("w1").state, WorkerState::offline);
  EXPECT_EQ(job(id).rescues, 1u);
}

TEST_P(SilenceContract, SilenceBeforeAndAfterAPauseAddsUp) {
  advance(kDeadAfter - 10s);
  pause(kPause);
  nobody_is_judged();
  advance(kDeadAfter - 5s);
  sweep_moves(&Store::bury_silent_workers, 1);
}

TEST_P(SilenceContract, ALeaseOfItsOwnLengthOutlivesAPause) {
  add([](JobSpec& j) { j.lease_ttl = 6s; });
  const Grant grant = take_one();
  pause(kPause);
  nobody_is_judged();
  EXPECT_GT(must(renew(grant)).expires_at, now());
  advance(20s);
  must(beat());
  sweep_moves(&Store::expire_leases, 1);
}

TEST_P(SilenceContract, AnOutcomeThatWaitedOutAPauseComesBeforeItsTimeout) {
  const JobId id = add([](JobSpec& j) { j.timeout = 20s; });
  const Grant grant = take_one();
  pause(kPause);
  nobody_is_judged();
  must(complete(grant));
  EXPECT_EQ(state(id), JobState::completed);
}

TEST_P(SilenceContract, ATimeoutEndsAJobAfterAPauseAllTheSame) {
  const JobId id = add([](JobSpec& j) { j.timeout = 20s; });
  take_one();
  pause(kPause);
  must(beat());
  advance(20s);
  must(beat());
  advance(10s);
  sweep_moves(&Store::time_out_jobs, 1);
  EXPECT_EQ(job(id).attempts.size(), 1u);
}

INSTANTIATE_TEST_SUITE_P(Stores, SilenceContract, ::testing::ValuesIn(stores()), store_name);

}  // namespace
}  // namespace muster::store::contract
