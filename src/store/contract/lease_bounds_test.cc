// A caller that is bound to a worker or to namespaces may speak about its own leases alone, even when it guesses the fence of
// another.
#include "store/contract/contract.h"

namespace muster::store::contract {
namespace {

class LeaseBoundsContract : public StoreContract {
 protected:
  static std::shared_ptr<const LeaseBounds> worker_bounds(std::string worker) {
    return std::make_shared<const LeaseBounds>(LeaseBounds{.worker = WorkerId(std::move(worker))});
  }
  static std::shared_ptr<const LeaseBounds> namespace_bounds(std::string ns) {
    return std::make_shared<const LeaseBounds>(LeaseBounds{.worker = {}, .namespaces = {{NamespaceName(std::move(ns))}}});
  }
  static LeaseRef as(std::shared_ptr<const LeaseBounds> bounds, const Grant& grant) {
    return {grant.id, grant.fence, std::move(bounds)};
  }

  // What every verb of a holder answers; the job runs on when none of them is let through.
  std::vector<Code> every_verb(const LeaseRef& lease) {
    const RunRef run{lease.job, lease.fence, lease.bounds};
    return {
        client().renew({lease, std::nullopt}).code(),
        client().report_progress({lease, 0.5, "half", std::nullopt}).code(),
        client().run_step(step::Begin{.run = run, .step = "a"}).code(),
        client().release({lease, "not now"}).code(),
        client().snooze({lease, 1s}).code(),
        client().fail({lease, JobError{"boom", "boom"}}).code(),
        client().complete({lease, std::nullopt}).code(),
    };
  }
};

TEST_P(LeaseBoundsContract, NobodySpeaksForTheLeaseOfAnotherWorker) {
  join("w1");
  const Grant grant = take_run();
  EXPECT_EQ(every_verb(as(worker_bounds("w2"), grant)), std::vector<Code>(7, Code::permission_denied));
  EXPECT_EQ(every_verb(as(namespace_bounds("elsewhere"), grant)), std::vector<Code>(7, Code::permission_denied));
  EXPECT_EQ(state(grant.id), JobState::running);
  EXPECT_FALSE(job(grant.id).progress) << "what is refused changes nothing";
}

TEST_P(LeaseBoundsContract, TheHolderSpeaksForItsOwn) {
  join("w1");
  const Grant run = take_run();
  EXPECT_EQ(must(client().run_step(step::Begin{.run = {run.id, run.fence, worker_bounds("w1")}, .step = "a"})).state,
            JobState::running);
  EXPECT_TRUE(client().renew({as(namespace_bounds(kDefaultNamespace), run), std::nullopt}).ok());
  EXPECT_EQ(must(client().complete({as(worker_bounds("w1"), run), std::nullopt})).state, JobState::completed);
  EXPECT_EQ(must(client().complete({as(worker_bounds("w1"), run), std::nullopt})).state, JobState::completed) << "repeated";
}

TEST_P(LeaseBoundsContract, APlainJobIsCompletedByItsHolderAlone) {
  join("w1");
  add();
  const Grant grant = take_one();
  EXPECT_EQ(client().complete({as(worker_bounds("w2"), grant), std::nullopt}).code(), Code::permission_denied);
  EXPECT_EQ(client().complete({as(namespace_bounds("elsewhere"), grant), std::nullopt}).code(), Code::permission_denied);
  EXPECT_EQ(state(grant.id), JobState::running);
  EXPECT_EQ(must(client().complete({as(worker_bounds("w1"), grant), std::nullopt})).state, JobState::completed);
}

TEST_P(LeaseBoundsContract, WhatEndedIsRepeatedToItsLastHolderAlone) {
  join("w1");
  add();
  const Grant grant = take_one();
  must(complete(grant));
  EXPECT_EQ(client().complete({as(worker_bounds("w2"), grant), std::nullopt}).code(), Code::permission_denied);
  EXPECT_EQ(client().complete({as(namespace_bounds("elsewhere"), grant), std::nullopt}).code(), Code::permission_denied);
  EXPECT_EQ(must(client().complete({as(namespace_bounds(kDefaultNamespace), grant), std::nullopt})).state, JobState::completed);
}

TEST_P(LeaseBoundsContract, AWorkerThatLostItsLeaseIsToldSo) {
  join("w1");
  join("w2");
  add();
  const Grant first = take_one("w1");
  must(release(first));
  const Grant second = take_one("w2");
  ASSERT_EQ(second.id, first.id);
  EXPECT_EQ(client().complete({as(worker_bounds("w1"), first), std::nullopt}).code(), Code::lease_lost);
  EXPECT_EQ(client().renew({as(worker_bounds("w1"), first), std::nullopt}).code(), Code::lease_lost);
  EXPECT_EQ(state(first.id), JobState::running);
}

TEST_P(LeaseBoundsContract, AnEndedRunTellsNothingToAnotherNamespace) {
  join("w1");
  const Grant run = take_run();
  must(complete(run));
  const RunRef elsewhere{run.id, std::nullopt, namespace_bounds("elsewhere")};
  const RunRef here{run.id, std::nullopt, namespace_bounds(kDefaultNamespace)};
  EXPECT_EQ(client().run_step(step::Begin{.run = elsewhere, .step = "a"}).code(), Code::permission_denied);
  EXPECT_EQ(client().run_step(step::Begin{.run = here, .step = "a"}).code(), Code::conflict);
}

INSTANTIATE_TEST_SUITE_P(Stores, LeaseBoundsContract, ::testing::ValuesIn(stores()), store_name);

}  // namespace
}  // namespace muster::store::contract
