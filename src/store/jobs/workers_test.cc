#include "store/jobs/workers.h"

#include <gtest/gtest.h>

namespace muster::store::jobs {
namespace {

Worker worker() {
  Worker out;
  out.spec.id = WorkerId("w1");
  out.spec.capabilities = CapabilitySet({"tool:a", "tool:b"});
  out.spec.labels = {{"zone", "north"}};
  out.spec.queues = {QueueName("mail")};
  out.session = SessionId{5};
  return out;
}

ClaimRequest claim() {
  ClaimRequest request;
  request.worker = WorkerId("w1");
  return request;
}

TEST(WorkerRules, AnOfflineWorkerHasNoLiveSession) {
  Worker gone = worker();
  gone.state = WorkerState::offline;
  gone.offline_cause = "silent";
  const Status status = live_session(gone, std::nullopt);
  EXPECT_EQ(status.code(), Code::not_found);
  EXPECT_EQ(status.message(), "worker 'w1' is offline (silent); register it again");
}

TEST(WorkerRules, AReplacedSessionIsToldToStop) {
  EXPECT_TRUE(live_session(worker(), std::nullopt).ok());
  EXPECT_TRUE(live_session(worker(), SessionId{5}).ok());
  EXPECT_EQ(live_session(worker(), SessionId{4}).code(), Code::lease_lost);
}

TEST(WorkerRules, OnlyALiveWorkerWithItsOwnSessionClaims) {
  const Worker own = worker();
  const Offer offer = offer_of(own.spec);
  ClaimRequest request = claim();
  EXPECT_TRUE(may_claim(&own, &offer, request).ok());
  EXPECT_EQ(may_claim(nullptr, nullptr, request).code(), Code::not_found);
  Worker gone = own;
  gone.state = WorkerState::offline;
  EXPECT_EQ(may_claim(&gone, &offer, request).code(), Code::not_found);
  request.session = SessionId{4};
  EXPECT_EQ(may_claim(&own, &offer, request).code(), Code::lease_lost);
}

TEST(WorkerRules, AClaimIsNotNarrowedToWhatTheWorkerHasNot) {
  const Worker own = worker();
  const Offer offer = offer_of(own.spec);
  ClaimRequest request = claim();
  request.narrow = CapabilitySet({"tool:c"});
  EXPECT_EQ(may_claim(&own, &offer, request).code(), Code::invalid_argument);
}

TEST(WorkerRules, ANarrowedOfferKeepsLabelsAndName) {
  const Worker own = worker();
  ClaimRequest request = claim();
  request.narrow = CapabilitySet({"tool:b"});
  request.queues = {QueueName("z"), QueueName("a")};
  const Offer offer = narrowed(own.spec, offer_of(own.spec), request);
  EXPECT_FALSE(offer.capabilities.contains("tool:a"));
  EXPECT_TRUE(offer.capabilities.contains("tool:b"));
  EXPECT_TRUE(offer.capabilities.contains(worker_capability("w1")));
  for (const std::string& name : label_capabilities(own.spec.labels)) EXPECT_TRUE(offer.capabilities.contains(name));
  EXPECT_EQ(offer.queues, (std::vector{QueueName("a"), QueueName("z")}));
}

TEST(WorkerRules, AQueryMatchesWhatFitsAllItNames) {
  WorkerQuery query;
  EXPECT_TRUE(matches(worker(), query));
  query.states = {WorkerState::draining};
  EXPECT_FALSE(matches(worker(), query));
  query.states = {WorkerState::online};
  query.capability = "tool:a";
  query.labels = {{"zone", "north"}};
  query.queue = QueueName("mail");
  EXPECT_TRUE(matches(worker(), query));
  query.labels = {{"zone", "south"}};
  EXPECT_FALSE(matches(worker(), query));
  query.labels.clear();
  query.queue = QueueName("other");
  EXPECT_FALSE(matches(worker(), query));
}

}  // namespace
}  // namespace muster::store::jobs
