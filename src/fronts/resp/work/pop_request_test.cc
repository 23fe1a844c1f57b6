#include "fronts/resp/work/pop_request.h"

#include <gtest/gtest.h>

namespace muster::resp::work {
namespace {

std::string pop_refusal(const Args& args) {
  const auto pop = read_pop(args);
  return pop.ok() ? "accepted" : pop.status().message();
}

TEST(PopRequest, ReadsEveryVerbThatTakesFromAQueue) {
  EXPECT_EQ(read_pop({"RPOP", "queue:ready"})->queues, std::vector{QueueName("ready")});
  EXPECT_FALSE(read_pop({"RPOP", "queue:ready"})->waits);
  EXPECT_EQ(read_pop({"LPOP", "queue:ready", "3"})->count, 3U);
  const auto several = read_pop({"BRPOP", "queue:a", "queue:b", "5"});
  ASSERT_TRUE(several.ok());
  EXPECT_EQ(several->queues, (std::vector{QueueName("a"), QueueName("b")}));
  EXPECT_EQ(several->wait, Duration(5'000));
  EXPECT_TRUE(several->names);
  EXPECT_TRUE(read_pop({"BRPOPLPUSH", "queue:ready", "queue:processing", "5"})->moves);
  EXPECT_FALSE(read_pop({"RPOPLPUSH", "queue:ready", "queue:processing"})->waits);
  EXPECT_TRUE(read_pop({"BLMOVE", "queue:ready", "queue:processing", "RIGHT", "left", "0"})->waits);
  EXPECT_TRUE(read_pop({"LMOVE", "queue:ready", "queue:ready:processing", "RIGHT", "LEFT"})->moves);
}

TEST(PopRequest, TakesSecondsWithAFractionAndKeepsZeroForEver) {
  EXPECT_EQ(read_pop({"BRPOP", "queue:a", "0.25"})->wait, Duration(250));
  EXPECT_EQ(read_pop({"BRPOP", "queue:a", "0"})->wait, Duration(0));
  EXPECT_EQ(read_pop({"BRPOP", "queue:a", "0.0001"})->wait, Duration(1)) << "more than nothing is not for ever";
  for (const char* timeout : {"-1", "x", "", "1e3", "inf", "nan", "5s", "99999999999999"})
    EXPECT_EQ(pop_refusal({"BRPOP", "queue:a", timeout}), "BRPOP timeout must be a non-negative integer") << timeout;
}

TEST(PopRequest, RefusesWhatIsNoQueue) {
  EXPECT_EQ(pop_refusal({"BRPOP", "queue:a", "list", "1"}), "'list' is no queue; queues and plain lists cannot be used together");
  EXPECT_EQ(pop_refusal({"RPOP", "queue:processing"}), "'queue:processing' is a view of all queues and holds no jobs of its own");
  EXPECT_EQ(pop_refusal({"RPOP", "queue:scheduled"}), "'queue:scheduled' is a view of all queues and holds no jobs of its own");
  EXPECT_EQ(pop_refusal({"RPOPLPUSH", "queue:a", "other"}), "jobs taken from a queue move to queue:processing, not to 'other'");
  EXPECT_EQ(pop_refusal({"RPOPLPUSH", "queue:a", "queue:b"}),
            "jobs taken from a queue move to queue:processing, not to 'queue:b'");
  EXPECT_NE(pop_refusal({"RPOP", "queue:a b"}), "accepted");
  EXPECT_NE(pop_refusal({"RPOP", "queue:"}), "accepted");
  EXPECT_NE(pop_refusal({"LMOVE", "queue:a", "queue:processing", "UP", "LEFT"}), "accepted");
  EXPECT_NE(pop_refusal({"RPOP", "queue:a", "1001"}), "accepted");
}

}  // namespace
}  // namespace muster::resp::work
