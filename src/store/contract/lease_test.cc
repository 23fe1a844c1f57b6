// Contract: leases and fences. One owner at a time; a stale fence is refused and changes nothing.
#include "store/contract/contract.h"

namespace muster::store::contract {
namespace {

class LeaseContract : public StoreContract {
 protected:
  // Every verb that names a lease, with the code it answered.
  std::vector<std::pair<const char*, Code>> try_all(const LeaseRef& lease) {
    return {
        {"complete", client().complete({lease, Content{"1", Encoding::json}}).code()},
        {"fail", client().fail({lease, {"boom", "m"}, true, std::nullopt}).code()},
        {"fail for good", client().fail({lease, {"boom", "m"}, false, std::nullopt}).code()},
        {"snooze", client().snooze({lease, 1min}).code()},
        {"release", client().release({lease, "r"}).code()},
        {"progress", client().report_progress({lease, 0.5, "half", Content{"p", Encoding::bytes}}).code()},
        {"renew", client().renew({lease, std::nullopt}).code()},
    };
  }
  void all_are(const LeaseRef& lease, Code code) {
    for (const auto& [verb, seen] : try_all(lease)) EXPECT_EQ(seen, code) << verb;
  }
  static void expect_same(const Job& before, const Job& after) {
    EXPECT_EQ(after.state, before.state);
    EXPECT_EQ(after.worker, before.worker);
    EXPECT_EQ(after.fence, before.fence);
    EXPECT_EQ(after.attempt, before.attempt);
    EXPECT_EQ(after.rescues, before.rescues);
    EXPECT_EQ(after.run_at, before.run_at);
    EXPECT_EQ(after.lease_expires_at, before.lease_expires_at);
    EXPECT_EQ(after.result, before.result);
    EXPECT_EQ(after.error, before.error);
    EXPECT_EQ(after.progress.has_value(), before.progress.has_value());
    EXPECT_EQ(after.attempts.size(), before.attempts.size());
  }
  Fence grant_and_release() {
    const Grant grant = take_one();
    must(release(grant));
    return grant.fence;
  }
};

TEST_P(LeaseContract, EveryVerbRefusesAFenceOfAnEarlierGrant) {
  join();
  add();
  const Grant old = take_one();
  must(release(old));
  take_one();
  const Job before = job(old.id);
  all_are(lease_of(old), Code::lease_lost);
  expect_same(before, job(old.id));
}

TEST_P(LeaseContract, EveryVerbRefusesAFenceThatWasNeverGiven) {
  join();
  add();
  const Grant grant = take_one();
  const Job before = job(grant.id);
  all_are({grant.id, Fence{to_number(grant.fence) + 1'000'000}}, Code::lease_lost);
  all_are({grant.id, Fence{0}}, Code::lease_lost);
  expect_same(before, job(grant.id));
}

TEST_P(LeaseContract, EveryVerbRefusesTheFenceOfAnotherJob) {
  join();
  add_many(2);
  const std::vector<Grant> grants = take("w1", 2);
  const Job before = job(grants.at(0).id);
  all_are({grants.at(0).id, grants.at(1).fence}, Code::lease_lost);
  expect_same(before, job(grants.at(0).id));
}

TEST_P(LeaseContract, EveryVerbRefusesALeaseOnAJobThatWasNeverClaimed) {
  const JobId id = add();
  all_are({id, Fence{0}}, Code::lease_lost);
  all_are({id, Fence{1}}, Code::lease_lost);
  EXPECT_EQ(state(id), JobState::ready);
}

TEST_P(LeaseContract, EveryVerbSaysNotFoundForAnUnknownJob) { all_are({JobId{{3, 4}}, Fence{1}}, Code::not_found); }

TEST_P(LeaseContract, EveryVerbRefusesAtTheInstantOfExpiry) {
  join();
  add();
  const Grant grant = take_one();
  advance(grant.lease_expires_at - now());
  const Job before = job(grant.id);
  all_are(lease_of(grant), Code::lease_lost);
  expect_same(before, job(grant.id));
}

TEST_P(LeaseContract, EveryVerbRefusesAfterTheRescue) {
  join(a_worker("w1", [](WorkerSpec& w) { w.policy = HeartbeatPolicy{10s, 1h}; }));
  add([](JobSpec& j) { j.lease_ttl = 5s; });
  const Grant grant = take_one();
  advance(5s);
  sweep_moves(&Store::expire_leases, 1);
  const Job before = job(grant.id);
  all_are(lease_of(grant), Code::lease_lost);
  expect_same(before, job(grant.id));
}

TEST_P(LeaseContract, EveryVerbRefusesAfterTheSessionIsReplaced) {
  join();
  add();
  const Grant grant = take_one();
  join();
  all_are(lease_of(grant), Code::lease_lost);
  EXPECT_EQ(state(grant.id), JobState::ready);
}

TEST_P(LeaseContract, CompletesAMillisecondBeforeExpiry) {
  join();
  add();
  const Grant grant = take_one();
  advance(grant.lease_expires_at - now() - 1ms);
  EXPECT_EQ(must(complete(grant)).state, JobState::completed);
}

TEST_P(LeaseContract, TheSweepTakesALeaseAtTheInstantOfExpiryAndNotBefore) {
  join();
  add();
  const Grant grant = take_one();
  advance(grant.lease_expires_at - now() - 1ms);
  sweep_moves(&Store::expire_leases, 0);
  EXPECT_EQ(state(grant.id), JobState::running);
  advance(1ms);
  sweep_moves(&Store::expire_leases, 1);
  EXPECT_EQ(state(grant.id), JobState::ready);
}

TEST_P(LeaseContract, ARenewalMovesTheExpiry) {
  join();
  add([](JobSpec& j) { j.lease_ttl = 10s; });
  const Grant grant = take_one();
  advance(6s);
  EXPECT_EQ(must(renew(grant)).expires_at, now() + 10s);
  EXPECT_EQ(job(grant.id).lease_expires_at, now() + 10s);
  advance(6s);
  sweep_moves(&Store::expire_leases, 0);
  EXPECT_TRUE(complete(grant).ok());
}

TEST_P(LeaseContract, ARenewalMayAskForAnotherTime) {
  join();
  add([](JobSpec& j) { j.lease_ttl = 10s; });
  const Grant grant = take_one();
  EXPECT_EQ(must(client().renew({lease_of(grant), 25s})).expires_at, now() + 25s);
  EXPECT_EQ(job(grant.id).lease_expires_at, now() + 25s);
}

TEST_P(LeaseContract, ARenewalIsAsGrantedWhenTheClaimChoseTheTime) {
  join();
  add();
  ClaimRequest request = claim_of("w1");
  request.lease_ttl = 4s;
  const Grant grant = must(client().claim(request)).grants.at(0);
  advance(1s);
  EXPECT_EQ(must(renew(grant)).expires_at, now() + 4s);
}

TEST_P(LeaseContract, ARenewalKeepsTheFence) {
  join();
  add();
  const Grant grant = take_one();
  advance(1s);
  must(renew(grant));
  EXPECT_EQ(job(grant.id).fence, grant.fence);
  EXPECT_EQ(job(grant.id).attempt, 1u);
}

TEST_P(LeaseContract, ProgressRenewsTheLeaseToo) {
  join();
  add([](JobSpec& j) { j.lease_ttl = 10s; });
  const Grant grant = take_one();
  advance(9s);
  EXPECT_EQ(must(client().report_progress({lease_of(grant), 0.1, "", std::nullopt})).expires_at, now() + 10s);
  EXPECT_EQ(job(grant.id).lease_expires_at, now() + 10s);
}

TEST_P(LeaseContract, AHeartbeatRenewsEveryLeaseOfTheWorker) {
  join();
  join("w2");
  add([](JobSpec& j) { j.lease_ttl = 15s; });
  add();
  const std::vector<Grant> grants = take("w1", 2);
  add();
  const Grant other = take_one("w2");
  advance(10s);
  must(beat("w1"));
  EXPECT_EQ(job(grants.at(0).id).lease_expires_at, now() + 15s);
  EXPECT_EQ(job(grants.at(1).id).lease_expires_at, now() + 30s);
  EXPECT_EQ(job(other.id).lease_expires_at, other.lease_expires_at);
  advance(14s);
  sweep_moves(&Store::expire_leases, 0);
  EXPECT_TRUE(complete(grants.at(0)).ok());
}

TEST_P(LeaseContract, AHeartbeatDoesNotReviveALeaseThatIsOver) {
  join();
  add([](JobSpec& j) { j.lease_ttl = 5s; });
  const Grant grant = take_one();
  advance(5s);
  EXPECT_EQ(must(beat("w1", {lease_of(grant)})).lost, std::vector{lease_of(grant)});
  EXPECT_EQ(complete(grant).code(), Code::lease_lost);
  sweep(&Store::expire_leases);
  EXPECT_EQ(state(grant.id), JobState::ready);
}

TEST_P(LeaseContract, FencesGrowWithEveryGrantOfAJob) {
  join();
  add();
  Fence last{0};
  for (int i = 0; i < 20; ++i) {
    const Fence fence = grant_and_release();
    EXPECT_GT(to_number(fence), to_number(last));
    last = fence;
  }
}

TEST_P(LeaseContract, FencesGrowAcrossJobsAndBatches) {
  join(a_worker("w1", [](WorkerSpec& w) { w.slots = 100; }));
  add_many(30);
  std::uint64_t last = 0;
  for (int i = 0; i < 3; ++i) {
    for (const Grant& grant : take("w1", 10)) {
      EXPECT_GT(to_number(grant.fence), last);
      last = to_number(grant.fence);
    }
  }
}

TEST_P(LeaseContract, FencesGrowAcrossRestartsAndCrashes) {
  join();
  add();
  std::uint64_t last = to_number(grant_and_release());
  for (int i = 0; i < 4; ++i) {
    if (i % 2 == 0)
      restart();
    else
      crash();
    const std::uint64_t fence = to_number(grant_and_release());
    EXPECT_GT(fence, last);
    last = fence;
  }
}

TEST_P(LeaseContract, FencesGrowAcrossARedrive) {
  join();
  const JobId id = make_dead();
  const Fence before = job(id).fence;
  must(client().redrive(id));
  EXPECT_GT(to_number(take_one().fence), to_number(before));
}

TEST_P(LeaseContract, ABatchOfOutcomesJudgesEachByItself) {
  join();
  add_many(3);
  const std::vector<Grant> grants = take("w1", 3);
  must(release(grants.at(1)));
  const Each<Settled> answers = must(client().complete_all({{lease_of(grants[0]), std::nullopt},
                                                            {lease_of(grants[1]), std::nullopt},
                                                            {{JobId{{9, 9}}, Fence{1}}, std::nullopt},
                                                            {lease_of(grants[2]), std::nullopt}}));
  ASSERT_EQ(answers.size(), 4u);
  EXPECT_TRUE(answers[0].ok());
  EXPECT_EQ(answers[1].code(), Code::lease_lost);
  EXPECT_EQ(answers[2].code(), Code::not_found);
  EXPECT_TRUE(answers[3].ok());
}

TEST_P(LeaseContract, ABatchMayNameALeaseTwice) {
  join();
  add();
  const Grant grant = take_one();
  const Each<Settled> answers = must(client().complete_all({{lease_of(grant), std::nullopt}, {lease_of(grant), std::nullopt}}));
  EXPECT_TRUE(answers.at(0).ok());
  EXPECT_TRUE(answers.at(1).ok());
  EXPECT_EQ(worker().completed, 1u);
}

TEST_P(LeaseContract, ARenewalBatchJudgesEachByItself) {
  join();
  add_many(2);
  const std::vector<Grant> grants = take("w1", 2);
  must(complete(grants.at(0)));
  const Each<Renewed> answers =
      must(client().renew_all({{lease_of(grants[0]), std::nullopt}, {lease_of(grants[1]), std::nullopt}}));
  EXPECT_EQ(answers.at(0).code(), Code::lease_lost);
  EXPECT_TRUE(answers.at(1).ok());
}

INSTANTIATE_TEST_SUITE_P(Stores, LeaseContract, ::testing::ValuesIn(stores()), store_name);

}  // namespace
}  // namespace muster::store::contract
