// Lists as bytes on the wire, and clients that wait for an element.
#include "fronts/resp/keyspace/keyspace_testing.h"

namespace muster::resp::keyspace {
namespace {

using namespace std::chrono_literals;

class ListsFront : public KeyspaceFrontTest {};

TEST_F(ListsFront, PushesPopsAndRanges) {
  EXPECT_EQ(call({"LPUSH", "l", "a"}), number(1));
  EXPECT_EQ(call({"LPUSH", "l", "b", "c"}), number(3));
  EXPECT_EQ(call({"RPUSH", "l", "z"}), number(4));
  EXPECT_EQ(call({"LRANGE", "l", "0", "-1"}), array({"c", "b", "a", "z"}));
  EXPECT_EQ(call({"LRANGE", "l", "9", "20"}), "*0\r\n");
  EXPECT_EQ(call({"LLEN", "l"}), number(4));
  EXPECT_EQ(call({"LINDEX", "l", "-1"}), bulk("z"));
  EXPECT_EQ(call({"RPOP", "l"}), bulk("z"));
  EXPECT_EQ(call({"LPOP", "l"}), bulk("c"));
  EXPECT_EQ(call({"LPOP", "l", "5"}), array({"b", "a"}));
  EXPECT_EQ(call({"LPOP", "l", "5"}), "*-1\r\n");
  EXPECT_EQ(call({"RPOP", "l"}), kNull);
  EXPECT_EQ(call({"LPUSHX", "l", "a"}), number(0));
  EXPECT_EQ(call({"RPUSHX", "l", "a"}), number(0));
}

TEST_F(ListsFront, ErrorsInTheDialectsWords) {
  EXPECT_EQ(call({"LPUSH", "l"}), error("LPUSH requires exactly two arguments"));
  EXPECT_EQ(call({"RPOP"}), error("RPOP requires exactly one argument"));
  EXPECT_EQ(call({"RPOP", "l", "-1"}), error("value is out of range, must be positive"));
  EXPECT_EQ(call({"BRPOP", "l"}), error("BRPOP requires exactly two arguments"));
  EXPECT_EQ(call({"BRPOP", "l", "x"}), error("BRPOP timeout must be a non-negative integer"));
  EXPECT_EQ(call({"BRPOP", "l", "-1"}), error("BRPOP timeout must be a non-negative integer"));
  EXPECT_EQ(call({"BLPOP", "l", "x"}), error("timeout is not a float or out of range"));
  EXPECT_EQ(call({"BLPOP", "l", "-1"}), error("timeout is negative"));
  EXPECT_EQ(call({"LLEN"}), error("LLEN requires exactly one argument"));
  EXPECT_EQ(call({"LRANGE", "l", "0"}), error("LRANGE requires exactly three arguments"));
  EXPECT_EQ(call({"LRANGE", "l", "x", "0"}), error("LRANGE start must be an integer"));
  EXPECT_EQ(call({"LRANGE", "l", "0", "x"}), error("LRANGE stop must be an integer"));
  EXPECT_EQ(call({"LREM", "l", "0"}), error("LREM requires exactly three arguments: key count element"));
  EXPECT_EQ(call({"LREM", "l", "x", "e"}), error("LREM count must be an integer"));
  EXPECT_EQ(call({"LREM", "l", "-9223372036854775808", "e"}), error("Invalid count value"));
  EXPECT_EQ(call({"RPOPLPUSH", "l"}), error("RPOPLPUSH requires exactly two arguments"));
  EXPECT_EQ(call({"BRPOPLPUSH", "s", "d"}), error("BRPOPLPUSH requires exactly three arguments"));
  EXPECT_EQ(call({"BRPOPLPUSH", "s", "d", "x"}), error("BRPOPLPUSH timeout must be a non-negative integer"));
  EXPECT_EQ(call({"LMOVE", "s", "d", "UP", "LEFT"}), error("syntax error"));
  EXPECT_EQ(call({"LINSERT", "l", "BESIDE", "a", "b"}), error("syntax error"));
}

TEST_F(ListsFront, ChangesInTheMiddle) {
  call({"RPUSH", "l", "a", "b", "a", "c"});
  EXPECT_EQ(call({"LINSERT", "l", "BEFORE", "b", "x"}), number(5));
  EXPECT_EQ(call({"LSET", "l", "0", "A"}), kOk);
  EXPECT_EQ(call({"LSET", "l", "9", "A"}), error("index out of range"));
  EXPECT_EQ(call({"LREM", "l", "1", "a"}), number(1));
  EXPECT_EQ(call({"LTRIM", "l", "0", "2"}), kOk);
  EXPECT_EQ(call({"LRANGE", "l", "0", "-1"}), array({"A", "x", "b"}));
  EXPECT_EQ(call({"LPOS", "l", "b"}), number(2));
  EXPECT_EQ(call({"LPOS", "l", "none"}), kNull);
}

TEST_F(ListsFront, PositionsWithOptions) {
  call({"RPUSH", "l", "a", "b", "a", "c", "a"});
  EXPECT_EQ(call({"LPOS", "l", "a", "RANK", "2"}), number(2));
  EXPECT_EQ(call({"LPOS", "l", "a", "RANK", "-1"}), number(4));
  EXPECT_EQ(call({"LPOS", "l", "a", "COUNT", "0"}), "*3\r\n:0\r\n:2\r\n:4\r\n");
  EXPECT_EQ(call({"LPOS", "l", "a", "COUNT", "2", "RANK", "-1"}), "*2\r\n:4\r\n:2\r\n");
  EXPECT_EQ(call({"LPOS", "l", "c", "MAXLEN", "3"}), kNull);
  EXPECT_EQ(call({"LPOS", "l", "a", "RANK", "0"}),
            error("RANK can't be zero: use 1 to start from the first match, -1 from the last"));
  EXPECT_EQ(call({"LPOS", "none", "a", "COUNT", "1"}), "*0\r\n");
}

TEST_F(ListsFront, Moves) {
  call({"RPUSH", "s", "a", "b", "c"});
  EXPECT_EQ(call({"RPOPLPUSH", "s", "d"}), bulk("c"));
  EXPECT_EQ(call({"LMOVE", "s", "d", "left", "RIGHT"}), bulk("a"));
  EXPECT_EQ(call({"LRANGE", "d", "0", "-1"}), array({"c", "a"}));
  EXPECT_EQ(call({"RPOPLPUSH", "none", "d"}), kNull);
}

TEST_F(ListsFront, L3AnElementThatIsThereIsPoppedAtOnce) {
  EXPECT_EQ(pipeline(*wire_, {{"LPUSH", "l3", "x"}, {"BRPOP", "l3", "5"}}), ":1\r\n*2\r\n$2\r\nl3\r\n$1\r\nx\r\n");
}

TEST_F(ListsFront, L5AWaitingMoveInAPipeline) {
  EXPECT_EQ(pipeline(*wire_, {{"LPUSH", "s", "j1"}, {"BRPOPLPUSH", "s", "d", "1"}, {"LREM", "d", "1", "j1"}, {"LLEN", "d"}}),
            ":1\r\n$2\r\nj1\r\n:1\r\n:0\r\n");
}

TEST_F(ListsFront, L2AWaitEndsWithNull) {
  const std::vector<std::pair<Words, std::string>> cases{{{"BRPOP", "l2", "1"}, kNullArray},
                                                         {{"BRPOPLPUSH", "l2", "d", "1"}, kNull},
                                                         {{"BLMOVE", "l2", "d", "LEFT", "LEFT", "0.5"}, kNull}};
  for (const auto& [words, nothing] : cases) {
    wire_->send(frame(words));
    EXPECT_TRUE(waits());
    advance(1s);
    EXPECT_EQ(wire_->read_reply(), nothing) << words.front();
  }
}

TEST_F(ListsFront, L6APushWakesTheOneWhoWaits) {
  wire_->send(frame({"BRPOPLPUSH", "q", "p", "0"}));
  Wire other = operate();
  EXPECT_TRUE(waits());
  EXPECT_EQ(other.call({"LPUSH", "q", "j"}), ":1\r\n");
  EXPECT_EQ(wire_->read_reply(), "$1\r\nj\r\n");
  EXPECT_EQ(other.call({"LRANGE", "p", "0", "-1"}), array({"j"}));
}

TEST_F(ListsFront, CommandsBehindAWaitComeAfterIt) {
  wire_->send(frame({"BLPOP", "q", "0"}) + frame({"LLEN", "q"}));
  EXPECT_TRUE(waits());
  Wire other = operate();
  other.call({"RPUSH", "q", "a", "b"});
  EXPECT_EQ(wire_->read_reply(), array({"q", "a"}));
  EXPECT_EQ(wire_->read_reply(), number(1));
}

TEST_F(ListsFront, SeveralKeysAnswerThePair) {
  call({"RPUSH", "b", "x"});
  EXPECT_EQ(call({"BLPOP", "a", "b", "1"}), array({"b", "x"}));
  wire_->send(frame({"BRPOP", "a", "b", "1"}));
  EXPECT_TRUE(waits());
  advance(1s);
  EXPECT_EQ(wire_->read_reply(), "*-1\r\n");
}

TEST_F(ListsFront, Resp3AnswersThePair) {
  Wire wire = speaking_resp3();
  call({"RPUSH", "a", "x"});
  EXPECT_EQ(wire.call({"BRPOP", "a", "1"}), array({"a", "x"}));
}

class ElementsFront : public KeyspaceFrontTest {
  RespOptions options() override {
    RespOptions options;
    options.compat_flags.pop_answers_pair = false;
    return options;
  }
};
TEST_F(ElementsFront, AnswerTheElementByHabit) {
  call({"RPUSH", "a", "x"});
  EXPECT_EQ(call({"BRPOP", "a", "1"}), bulk("x"));
  wire_->send(frame({"BRPOP", "a", "1"}));
  EXPECT_TRUE(waits());
  advance(1s);
  EXPECT_EQ(wire_->read_reply(), "$-1\r\n");
}

TEST_F(ListsFront, L9AClosedClientWaitsForNothing) {
  Wire waiting = operate();
  waiting.send(frame({"BRPOP", "zz", "0"}));
  EXPECT_TRUE(waits());
  waiting.close();
  EXPECT_TRUE(eventually([&] {
    return call({"CLIENT", "LIST"}).find("cmd=brpop") == std::string::npos &&
           call({"CLIENT", "LIST"}).find("cmd=BRPOP") == std::string::npos;
  }));
  EXPECT_EQ(pipeline(*wire_, {{"LPUSH", "zz", "v"}, {"LLEN", "zz"}}), ":1\r\n:1\r\n");
}

// The connection is broken when the element comes, but the server may find that out only by trying to send it.
TEST_F(ListsFront, AnElementForAClientThatIsGoneReturnsToItsEnd) {
  for (int round = 0; round < 20; ++round) {
    const bool left = round % 2 == 0;
    Wire leaving = operate();
    leaving.send(frame({left ? "BLPOP" : "BRPOP", "zz", "0"}));
    EXPECT_TRUE(waits()) << round;
    leaving.reset();
    EXPECT_EQ(call({"RPUSH", "zz", "a", "b"}), number(2));
    EXPECT_TRUE(eventually([&] { return call({"LRANGE", "zz", "0", "-1"}) == array({"a", "b"}); })) << round;
    call({"DEL", "zz"});
  }
}

TEST_F(ListsFront, AnElementMovedForAClientThatIsGoneReturns) {
  for (int round = 0; round < 10; ++round) {
    Wire leaving = operate();
    leaving.send(frame({"BRPOPLPUSH", "from", "to", "0"}));
    EXPECT_TRUE(waits()) << round;
    leaving.reset();
    EXPECT_EQ(call({"LPUSH", "from", "v"}), number(1));
    EXPECT_TRUE(eventually([&] {
      return pipeline(*wire_, {{"LRANGE", "from", "0", "-1"}, {"LLEN", "to"}}) == array({"v"}) + number(0);
    })) << round;
    call({"DEL", "from"});
  }
}

TEST_F(ListsFront, AHeartbeatEndsAWaitOnAnOrdinaryListToo) {
  wire_->send(frame({"BRPOP", "plain", "5"}) + frame({"PING", "w-1"}));
  EXPECT_EQ(wire_->read_reply(), kNullArray);
  EXPECT_EQ(wire_->read_reply(), bulk("w-1"));
}

TEST_F(ListsFront, WhatIsThereIsTakenWhateverStandsBehindThePop) {
  wire_->call({"RPUSH", "l", "a", "b"});
  wire_->send(frame({"BLPOP", "l", "0"}) + frame({"BLMOVE", "l", "m", "LEFT", "RIGHT", "0"}) + frame({"BLPOP", "l", "0"}) +
              frame({"QUIT"}));
  EXPECT_EQ(wire_->read_reply(), "*2\r\n$1\r\nl\r\n$1\r\na\r\n");
  EXPECT_EQ(wire_->read_reply(), bulk("b"));
  EXPECT_EQ(wire_->read_reply(), kNullArray);
  EXPECT_EQ(wire_->read_reply(), "+OK\r\n");
}

TEST_F(ListsFront, AnotherTypeIsRefusedAtOnce) {
  call({"SET", "t", "v"});
  EXPECT_EQ(call({"BRPOP", "t", "0"}), kWrongType);
  EXPECT_EQ(call({"LPUSH", "t", "v"}), kWrongType);
}

}  // namespace
}  // namespace muster::resp::keyspace
