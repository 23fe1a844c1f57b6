#include <gtest/gtest.h>

#include "fronts/resp/work/work_testing.h"

namespace muster::resp::work {
namespace {

using Pushes = WorkTest;

TEST_F(Pushes, AnswerTheLengthOfTheQueue) {
  start();
  Wire wire = operate();
  EXPECT_EQ(wire.call({"LPUSH", "queue:q", "a"}), ":1\r\n");
  EXPECT_EQ(wire.call({"LPUSH", "queue:q", "b", "c"}), ":3\r\n");
  EXPECT_EQ(wire.call({"RPOP", "queue:q"}), bulk("a"));
  EXPECT_EQ(wire.call({"LPUSH", "queue:q", "d"}), ":3\r\n");
  EXPECT_EQ(wire.call({"LPUSH", "queue:other", "x"}), ":1\r\n");
}

TEST_F(Pushes, LengthsFollowWhatOthersDoWithinAQuarterOfASecond) {
  start();
  Wire wire = operate();
  submit_plan(wire, "p1", {"echo"});
  EXPECT_EQ(wire.call({"LPUSH", "queue:ready", "a"}), ":1\r\n");
  submit(wire, "a1", 10);
  advance(Duration(250));
  EXPECT_EQ(wire.call({"LPUSH", "queue:ready", "b"}), ":12\r\n");
}

TEST_F(Pushes, NeighboursBecomeOneEnqueueAndAnswerGrowingLengths) {
  start();
  Wire wire = operate();
  std::string bytes;
  for (int i = 0; i < 50; ++i) bytes += frame({"LPUSH", "queue:q", std::to_string(i)});
  wire.send(bytes);
  for (int i = 1; i <= 50; ++i) ASSERT_EQ(wire.read_reply(), ":" + std::to_string(i) + "\r\n");
  for (int i = 0; i < 50; ++i) ASSERT_EQ(wire.call({"RPOP", "queue:q"}), bulk(std::to_string(i)));
}

TEST_F(Pushes, ABadOneIsRefusedAndItsNeighboursStand) {
  start();
  Wire wire = operate();
  wire.send(frame({"LPUSH", "queue:q", "a"}) + frame({"LPUSH", "queue:q", std::string(5 * 1024 * 1024, 'x')}) +
            frame({"LPUSH", "queue:processing", "x"}) + frame({"LPUSH", "queue:q", "b"}));
  EXPECT_EQ(wire.read_reply(), ":1\r\n");
  EXPECT_TRUE(wire.read_reply().starts_with("-ERR payload")) << "too large";
  EXPECT_TRUE(wire.read_reply().starts_with("-ERR "));
  EXPECT_EQ(wire.read_reply(), ":2\r\n");
}

TEST_F(Pushes, RpushGoesBeforeWhatLpushBrought) {
  start();
  Wire wire = operate();
  wire.call({"LPUSH", "queue:q", "first", "second"});
  wire.call({"RPUSH", "queue:q", "urgent"});
  EXPECT_EQ(wire.call({"RPOP", "queue:q"}), bulk("urgent"));
  EXPECT_EQ(wire.call({"RPOP", "queue:q"}), bulk("first"));
}

TEST_F(Pushes, AnIdOfTheClientsOwnNamesOneJobHoweverOftenItIsPushed) {
  start();
  Wire wire = operate();
  const std::string element = R"({"job_id":"order-17","total":3})";
  EXPECT_EQ(wire.call({"LPUSH", "queue:q", element}), ":1\r\n");
  EXPECT_EQ(wire.call({"LPUSH", "queue:q", element}), ":1\r\n");
  EXPECT_EQ(json(wire.call({"RPOP", "queue:q"}))["job_id"], "order-17");
  EXPECT_EQ(wire.call({"RPOP", "queue:q"}), kNothing);
  EXPECT_EQ(wire.call({"JOB.UPDATE", "order-17", R"({"status":"completed"})"}), kOk);
  EXPECT_EQ(json(wire.call({"JOB.GET", "order-17"}))["status"], "completed");
}

}  // namespace
}  // namespace muster::resp::work
