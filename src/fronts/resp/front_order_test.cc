// The order of replies when commands wait: groups, barriers, heartbeats behind a pop, and connections that end.
//
// Plain lists stand for everything that blocks here; pops of jobs are tested in work/.
#include "fronts/resp/front_testing.h"

namespace muster::resp {
namespace {

class FrontOrderTest : public FrontTest {
 protected:
  void SetUp() override { start(); }
};

TEST_F(FrontOrderTest, EveryKindOfCommandIsAnsweredInItsPlace) {
  Wire wire = operate();
  wire.send(frame({"SET", "a", "1"}) + frame({"GET", "a"}) + frame({"PING"}) + frame({"NO.SUCH"}) + frame({"GET"}) +
            frame({"INFO", "nothing"}) + frame({"INCR", "a"}) + frame({"ECHO", "x"}) + frame({"GET", "a"}));
  EXPECT_EQ(wire.read_reply(), "+OK\r\n");
  EXPECT_EQ(wire.read_reply(), "$1\r\n1\r\n");
  EXPECT_EQ(wire.read_reply(), "+PONG\r\n");
  EXPECT_EQ(wire.read_reply(), "-ERR unknown command 'NO.SUCH'\r\n");
  EXPECT_EQ(wire.read_reply(), "-ERR GET requires exactly one argument\r\n");
  EXPECT_EQ(wire.read_reply(), "$0\r\n\r\n");
  EXPECT_EQ(wire.read_reply(), ":2\r\n");
  EXPECT_EQ(wire.read_reply(), "$1\r\nx\r\n");
  EXPECT_EQ(wire.read_reply(), "$1\r\n2\r\n");
}

TEST_F(FrontOrderTest, WhatStandsBehindABlockedPopWaitsForIt) {
  Wire wire = operate();
  Wire other = operate();
  wire.send(frame({"BRPOP", "l", "0"}) + frame({"SET", "after", "1"}) + frame({"PING"}));
  EXPECT_TRUE(waits());
  EXPECT_FALSE(wire.answered());
  EXPECT_EQ(other.call({"GET", "after"}), "$-1\r\n");
  EXPECT_EQ(other.call({"LPUSH", "l", "x"}), ":1\r\n");
  EXPECT_EQ(wire.read_reply(), "*2\r\n$1\r\nl\r\n$1\r\nx\r\n");
  EXPECT_EQ(wire.read_reply(), "+OK\r\n");
  EXPECT_EQ(wire.read_reply(), "+PONG\r\n");
}

TEST_F(FrontOrderTest, AHeartbeatEndsEveryWaitBeforeIt) {
  Wire wire = operate();
  wire.send(frame({"BRPOP", "l", "0"}) + frame({"BRPOP", "m", "0"}) + frame({"PING", "w-1"}));
  EXPECT_EQ(wire.read_reply(), "*-1\r\n");
  EXPECT_EQ(wire.read_reply(), "*-1\r\n");
  EXPECT_EQ(wire.read_reply(), "$3\r\nw-1\r\n");
  // It also works when it comes later.
  Wire other = operate();
  wire.send(frame({"BRPOP", "l", "0"}));
  EXPECT_TRUE(waits());
  wire.send(frame({"PING", "w-1"}));
  EXPECT_EQ(wire.read_reply(), "*-1\r\n");
  EXPECT_EQ(wire.read_reply(), "$3\r\nw-1\r\n");
}

TEST_F(FrontOrderTest, AMalformedFrameBehindAPopIsNotWedgedByIt) {
  Wire wire = operate();
  wire.send(frame({"BRPOP", "l", "0"}) + "*x");
  EXPECT_EQ(wire.read_to_end(), "*-1\r\n-ERR Protocol error: Invalid array size\r\n");
}

TEST_F(FrontOrderTest, L9AConnectionThatEndsTakesItsPopWithIt) {
  Wire other = operate();
  {
    Wire wire = operate();
    wire.send(frame({"BRPOP", "zz", "0"}));
    EXPECT_TRUE(waits());
  }
  EXPECT_TRUE(eventually([&] { return other.call({"INFO", "clients"}).find("connected_clients:1") != std::string::npos; }));
  EXPECT_EQ(other.call({"LPUSH", "zz", "v"}), ":1\r\n");
  EXPECT_EQ(other.call({"LLEN", "zz"}), ":1\r\n");
}

TEST_F(FrontOrderTest, StoppingAnswersThoseWhoWaitWithNothing) {
  Wire wire = operate();
  Wire other = operate();
  wire.send(frame({"BRPOP", "l", "0"}));
  EXPECT_TRUE(waits());
  other.close();
  std::thread stopping([&] { front->stop(Duration(5'000)); });
  EXPECT_EQ(wire.read_to_end(), "*-1\r\n");
  wire.close();
  stopping.join();
}

}  // namespace
}  // namespace muster::resp
