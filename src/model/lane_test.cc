#include "model/lane.h"

#include <gtest/gtest.h>

namespace muster {
namespace {

Lane lane(std::vector<std::string> needs) {
  return {NamespaceName("default"), QueueName("mail"), JobType("send"), CapabilitySet(std::move(needs))};
}

Offer offer(std::vector<std::string> offers) { return {NamespaceName("default"), {}, CapabilitySet(std::move(offers))}; }

TEST(MayServe, AsksOnlyTheAble) {
  EXPECT_TRUE(may_serve(offer({"tool:a", "tool:b"}), lane({"tool:a"})));
  EXPECT_TRUE(may_serve(offer({}), lane({})));
  EXPECT_FALSE(may_serve(offer({"tool:b"}), lane({"tool:a"})));
  EXPECT_FALSE(may_serve(offer({}), lane({"tool:a"})));
}

TEST(MayServe, StaysInsideTheNamespace) {
  Offer other = offer({"tool:a"});
  other.ns = NamespaceName("other");
  EXPECT_FALSE(may_serve(other, lane({"tool:a"})));
}

TEST(MayServe, KeepsToTheQueuesThatAreNamed) {
  Offer named = offer({});
  named.queues = {QueueName("a"), QueueName("mail"), QueueName("z")};
  EXPECT_TRUE(may_serve(named, lane({})));
  named.queues = {QueueName("a"), QueueName("z")};
  EXPECT_FALSE(may_serve(named, lane({})));
}

TEST(MayServe, AnOfferOfRunsAloneTakesNoOtherJob) {
  Offer runs = offer({"tool:a", "workflow:send"});
  runs.takes = JobKind::run;
  EXPECT_TRUE(may_serve(runs, lane({"workflow:send"})));
  EXPECT_TRUE(may_serve(runs, lane({"tool:a", "workflow:send"})));
  EXPECT_FALSE(may_serve(runs, lane({})));
  EXPECT_FALSE(may_serve(runs, lane({"tool:a"})));
}

TEST(PlainNeeds, JoinsCapabilitiesAndSelector) {
  JobSpec spec;
  spec.needs = CapabilitySet({"tool:a"});
  spec.selector = {{"zone", "b"}};
  EXPECT_EQ(plain_needs(spec), CapabilitySet({"label:zone=b", "tool:a"}));
  spec.selector.clear();
  EXPECT_EQ(plain_needs(spec), spec.needs);
}

}  // namespace
}  // namespace muster
