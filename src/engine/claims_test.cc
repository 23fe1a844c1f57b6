// Who waits, who is answered and when: waits, polls, slots, drains, cancelled callers. Which claim a lane wakes is
// claims_wake_test.cc.
#include <stdexcept>

#include "engine/claims_testing.h"

namespace muster::engine {
namespace {

using namespace std::chrono_literals;

TEST_F(ClaimsTest, DeliversWhatIsThereAtOnce) {
  claim("a");
  answer("a", job("a", 1, lane_));
  EXPECT_EQ(seen_["a"].jobs, std::vector{(JobId{{0, 1}})});
  EXPECT_EQ(claims_.parked(), 0u);
}

TEST_F(ClaimsTest, ParksNothingThatMayNotWait) {
  claim("a", 0s);
  answer("a", nothing("a"));
  EXPECT_EQ(seen_["a"].calls, 1);
  EXPECT_EQ(seen_["a"].code, Code::ok);
  EXPECT_EQ(claims_.parked(), 0u);
}

TEST_F(ClaimsTest, RefusesBadRequestsWithoutAskingTheStore) {
  store::ClaimRequest request;
  request.ns = NamespaceName(kDefaultNamespace);
  request.worker = WorkerId("a");
  claim(request, limits::kClaimWaitMax + 1ms);
  EXPECT_EQ(seen_["a"].code, Code::invalid_argument);
  claim(request, -1ms);
  request.limit = 0;
  claim(request, 0s);
  request.limit = limits::kClaimBatchMax + 1;
  claim(request, 0s);
  EXPECT_EQ(seen_["a"].calls, 4);
  EXPECT_EQ(seen_["a"].code, Code::invalid_argument);
  EXPECT_EQ(store_.asked(store::Verb::claim), 0u);
}

TEST_F(ClaimsTest, AnswersAClaimWhoseQuestionThrows) {
  store_.on(store::Verb::claim,
            [](const store::ClaimRequest&) -> Result<ClaimReply> { throw std::runtime_error("a test throws"); });
  EXPECT_NO_THROW(claim("w1"));
  EXPECT_EQ(seen_["w1"].calls, 1);
  EXPECT_EQ(seen_["w1"].code, Code::internal);
  EXPECT_EQ(claims_.parked(), 0u);
}

TEST_F(ClaimsTest, PassesAnErrorOn) {
  claim("a");
  answer("a", Status::not_found("worker 'a' is not registered"));
  EXPECT_EQ(seen_["a"].code, Code::not_found);
}

TEST_F(ClaimsTest, AnswersACancelledParkedClaimEmptyAndOnce) {
  const ClaimTicket ticket = park("a");
  claims_.cancel(ticket);
  EXPECT_EQ(seen_["a"].calls, 1);
  EXPECT_EQ(seen_["a"].code, Code::ok);
  EXPECT_TRUE(seen_["a"].jobs.empty());
  claims_.cancel(ticket);
  wake({lane_});
  EXPECT_EQ(seen_["a"].calls, 1);
  EXPECT_TRUE(asked().empty());
}

TEST_F(ClaimsTest, HandsBackWhatComesForACancelledClaim) {
  const ClaimTicket ticket = claim("a");
  claims_.cancel(ticket);
  EXPECT_EQ(seen_["a"].calls, 1);
  answer("a", job("a", 7, lane_));
  EXPECT_EQ(seen_["a"].calls, 1);
  EXPECT_TRUE(seen_["a"].jobs.empty());
  ASSERT_EQ(releases().size(), 1u);
  EXPECT_EQ(releases()[0].lease, (LeaseRef{JobId{{0, 7}}, Fence{7}}));
}

TEST_F(ClaimsTest, AHurriedClaimIsAnsweredByTheLookThatIsUnderWay) {
  claims_.hurry(claim("a"));
  EXPECT_EQ(seen_["a"].calls, 0);
  answer("a", job("a", 7, lane_));
  EXPECT_EQ(seen_["a"].jobs, std::vector{(JobId{{0, 7}})});
  claims_.hurry(claim("b"));
  answer("b", nothing("b"));
  EXPECT_EQ(seen_["b"].calls, 1) << "it does not park any more";
  EXPECT_EQ(claims_.parked(), 0u);
  EXPECT_TRUE(releases().empty());
}

TEST_F(ClaimsTest, AHurriedClaimThatIsParkedIsAnsweredEmptyAtOnce) {
  const ClaimTicket ticket = park("a");
  claims_.hurry(ticket);
  claims_.hurry(ticket);
  EXPECT_EQ(seen_["a"].calls, 1);
  EXPECT_TRUE(seen_["a"].jobs.empty());
  wake({lane_});
  EXPECT_TRUE(asked().empty());
}

TEST_F(ClaimsTest, GivesTheWakeOfACancelledFlightToTheNext) {
  const ClaimTicket ticket = park("a");
  park("b");
  wake({lane_});
  claims_.cancel(ticket);
  answer("a", job("a", 7, lane_));
  EXPECT_EQ(releases().size(), 1u);
  EXPECT_EQ(asked(), Names{"b"});
}

TEST_F(ClaimsTest, HandsBackWhatCouldNotBeSentOn) {
  claims_.hand_back({make_grant(3, *lane_), make_grant(4, *lane_)});
  ASSERT_EQ(releases().size(), 2u);
  EXPECT_EQ(releases()[1].lease.fence, Fence{4});
  claims_.hand_back({});
  EXPECT_EQ(store_.asked(), std::vector{store::Verb::release});
}

TEST_F(ClaimsTest, AnswersEmptyWhenTheWaitIsOver) {
  park("a", 10s);
  park("b", 20s);
  clock_.advance(9'999ms);
  claims_.tick();
  while (!waiting_.empty()) answer(asked().front(), nothing(asked().front()));
  EXPECT_EQ(seen_["a"].calls, 0);
  clock_.advance(1ms);
  claims_.tick();
  EXPECT_EQ(seen_["a"].calls, 1);
  EXPECT_EQ(seen_["a"].code, Code::ok);
  EXPECT_EQ(seen_["b"].calls, 0);
}

TEST_F(ClaimsTest, AnswersWhenTheWaitEndedDuringALook) {
  park("a", 10s);
  wake({lane_});
  clock_.advance(10s);
  answer("a", nothing("a"));
  EXPECT_EQ(seen_["a"].calls, 1);
}

TEST_F(ClaimsTest, SleepsUntilTheNextPollOrTheNextEnd) {
  EXPECT_EQ(claims_.tick(), options_.claim_poll_every);
  park("a", 300ms);
  EXPECT_EQ(claims_.tick(), 300ms);
  park("b", 30s);
  clock_.advance(300ms);
  EXPECT_EQ(claims_.tick(), 700ms);
}

TEST_F(ClaimsTest, PollsEachParkedClaimOnceAPeriod) {
  park("a");
  clock_.advance(400ms);
  park("b");
  clock_.advance(600ms);
  claims_.tick();
  EXPECT_EQ(asked(), Names{"a"});
  answer("a", nothing("a"));
  clock_.advance(400ms);
  claims_.tick();
  EXPECT_EQ(asked(), Names{"b"});
  answer("b", job("b", 1, lane_));
  EXPECT_EQ(seen_["b"].jobs.size(), 1u);
}

TEST_F(ClaimsTest, SpreadsPollsAndReachesEveryClaim) {
  // Three thousand parked claims: no tick asks the store for more than a period's worth, and each claim has been asked within
  // three periods.
  constexpr std::size_t kMany = 3 * Claims::kPollsPerPeriod;
  std::map<std::string, int> polls;
  store_.on(store::Verb::claim, [&](const store::ClaimRequest& request) {
    ++polls[request.worker.text()];
    return Result<ClaimReply>(nothing(request.worker.text()));
  });
  for (std::size_t i = 0; i < kMany; ++i) claim("w" + std::to_string(i), 60s);
  ASSERT_EQ(claims_.parked(), kMany);
  polls.clear();
  clock_.advance(1s);
  Duration passed{0};
  while (passed < 3'000ms) {
    const std::size_t before = store_.asked(store::Verb::claim);
    const Duration sleep = claims_.tick();
    EXPECT_LE(store_.asked(store::Verb::claim) - before, Claims::kPollsPerPeriod);
    ASSERT_GT(sleep, 0ms);
    clock_.advance(sleep);
    passed += sleep;
  }
  EXPECT_EQ(polls.size(), kMany);
}

TEST_F(ClaimsTest, LooksAgainWhenARateLimitFreesAToken) {
  claim("a");
  ClaimReply limited = nothing("a");
  limited.retry_at = clock_.now() + 250ms;
  answer("a", limited);
  EXPECT_EQ(claims_.tick(), 250ms);
  clock_.advance(250ms);
  claims_.tick();
  EXPECT_EQ(asked(), Names{"a"});
}

TEST_F(ClaimsTest, RetriesAClaimWithoutASlotWhenAJobOfItsWorkerEnds) {
  claim("a");
  answer("a", nothing("a", ClaimBlock::no_slots));
  EXPECT_EQ(claims_.parked(), 1u);
  wake({lane_});
  job_ends("b");
  EXPECT_TRUE(asked().empty());
  job_ends("a");
  EXPECT_EQ(asked(), Names{"a"});
}

TEST_F(ClaimsTest, RetriesWhenTheSlotWasFreedDuringItsFlight) {
  claim("a");
  job_ends("a");
  answer("a", nothing("a", ClaimBlock::no_slots));
  EXPECT_EQ(asked(), Names{"a"});
  answer("a", nothing("a", ClaimBlock::no_slots));
  EXPECT_EQ(claims_.parked(), 1u);
}

TEST_F(ClaimsTest, AnswersADrainingWorkerAtOnce) {
  claim("a");
  answer("a", nothing("a", ClaimBlock::draining));
  EXPECT_EQ(seen_["a"].calls, 1);
  EXPECT_EQ(seen_["a"].block, ClaimBlock::draining);
}

TEST_F(ClaimsTest, AnswersParkedClaimsOfAWorkerThatDrainsOrGoes) {
  park("a");
  park("b");
  park("c");
  worker_becomes("a", WorkerState::draining);
  EXPECT_EQ(seen_["a"].calls, 1);
  EXPECT_EQ(seen_["a"].block, ClaimBlock::draining);
  worker_becomes("b", WorkerState::offline);
  EXPECT_EQ(seen_["b"].calls, 1);
  EXPECT_EQ(seen_["c"].calls, 0);
}

TEST_F(ClaimsTest, DoesNotParkWhenItsWorkerWentDuringTheFlight) {
  claim("a");
  worker_becomes("a", WorkerState::draining);
  answer("a", nothing("a"));
  EXPECT_EQ(seen_["a"].calls, 1);
}

TEST_F(ClaimsTest, LeavesClaimsOfAnotherSessionAlone) {
  store::ClaimRequest request;
  request.ns = NamespaceName(kDefaultNamespace);
  request.worker = WorkerId("a");
  request.session = SessionId{2};
  claim(request, 30s);
  answer("a", nothing("a"));
  worker_becomes("a", WorkerState::offline, SessionId{1});
  EXPECT_EQ(seen_["a"].calls, 0);
  worker_becomes("a", WorkerState::offline, SessionId{2});
  EXPECT_EQ(seen_["a"].calls, 1);
}

TEST_F(ClaimsTest, TriesParkedClaimsAgainWhenTheirWorkerRegistersAgain) {
  park("a");
  park("b");
  worker_becomes("a", WorkerState::online);
  EXPECT_EQ(asked(), Names{"a"});
  capabilities_["a"] = {"tool:new"};
  offers_.erase("a");
  answer("a", nothing("a"));
  EXPECT_EQ(claims_.parked(), 2u);
  wake({make_lane({"tool:new"})});
  EXPECT_EQ(asked(), Names{"a"});
}

TEST_F(ClaimsTest, StopAnswersEverybodyAndParksNoMore) {
  park("a");
  claim("b");
  claims_.stop();
  EXPECT_EQ(seen_["a"].calls, 1);
  EXPECT_EQ(seen_["b"].calls, 0);
  answer("b", nothing("b"));
  EXPECT_EQ(seen_["b"].calls, 1);
  claim("c");
  answer("c", nothing("c"));
  EXPECT_EQ(seen_["c"].calls, 1);
  claims_.stop();
  EXPECT_EQ(claims_.parked(), 0u);
}

TEST_F(ClaimsTest, AnswersAfterItsOwnerIsGone) {
  auto claims = std::make_unique<Claims>(store_, clock_, metrics_, options_);
  int calls = 0;
  store::ClaimRequest request;
  request.ns = NamespaceName(kDefaultNamespace);
  request.worker = WorkerId("a");
  claims->claim(request, 30s, [&](Result<ClaimReply>) { ++calls; });
  claims.reset();
  answer("a", nothing("a"));
  EXPECT_EQ(calls, 1);
}

TEST_F(ClaimsTest, RefusesOneMoreThanMayPark) {
  options_.parked_max = 2;
  std::vector<Code> codes;
  Claims small(store_, clock_, metrics_, options_);
  for (const char* worker : {"a", "b", "c"}) {
    store::ClaimRequest request;
    request.ns = NamespaceName(kDefaultNamespace);
    request.worker = WorkerId(worker);
    small.claim(request, 30s, [&](Result<ClaimReply> result) { codes.push_back(result.code()); });
    answer(worker, nothing(worker));
  }
  EXPECT_EQ(codes, std::vector{Code::exhausted});
  EXPECT_EQ(small.parked(), 2u);
  // One that is parked already keeps its right while it looks.
  small.committed({.jobs = {}, .workers = {}, .queues = {}, .wakes = std::span(&lane_, 1)});
  answer("a", nothing("a"));
  EXPECT_EQ(small.parked(), 2u);
}

TEST_F(ClaimsTest, ShowsTheWaitingInItsGauge) {
  park("a");
  const ClaimTicket ticket = park("b");
  Gauge& gauge = metrics_.gauge("muster_claims_parked", "");
  EXPECT_EQ(gauge.value(), 2);
  claims_.cancel(ticket);
  EXPECT_EQ(gauge.value(), 1);
}

}  // namespace
}  // namespace muster::engine
