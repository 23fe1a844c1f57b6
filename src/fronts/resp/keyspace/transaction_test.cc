// MULTI, EXEC, DISCARD, WATCH and UNWATCH on the wire.
#include "fronts/resp/keyspace/transaction.h"

#include "fronts/resp/keyspace/keyspace_testing.h"

namespace muster::resp::keyspace {
namespace {

const std::string kQueued = "+QUEUED\r\n";
const std::string kAborted = "-EXECABORT Transaction discarded because of previous errors.\r\n";

class TransactionFront : public KeyspaceFrontTest {};

TEST_F(TransactionFront, CommandsAreKeptUntilExecAndAnsweredTogether) {
  EXPECT_EQ(call({"MULTI"}), kOk);
  EXPECT_EQ(call({"SET", "a", "1"}), kQueued);
  EXPECT_EQ(call({"INCR", "a"}), kQueued);
  Wire other = operate();
  EXPECT_EQ(other.call({"GET", "a"}), kNull) << "nothing has happened yet";
  EXPECT_EQ(call({"LPUSH", "l", "x", "y"}), kQueued);
  EXPECT_EQ(call({"HGETALL", "none"}), kQueued);
  EXPECT_EQ(call({"EXEC"}), "*4\r\n" + kOk + number(2) + number(2) + "*0\r\n");
  EXPECT_EQ(other.call({"GET", "a"}), bulk("2"));
  EXPECT_EQ(call({"EXEC"}), error("EXEC without MULTI"));
}

TEST_F(TransactionFront, OneBreathIsEnough) {
  EXPECT_EQ(pipeline(*wire_, {{"MULTI"}, {"SET", "a", "1"}, {"GET", "a"}, {"EXEC"}, {"GET", "a"}}),
            kOk + kQueued + kQueued + "*2\r\n" + kOk + bulk("1") + bulk("1"));
}

TEST_F(TransactionFront, NothingHappensBehindACommandThatWasRefused) {
  EXPECT_EQ(pipeline(*wire_, {{"MULTI"}, {"SET", "a"}, {"SET", "a", "1"}, {"EXEC"}, {"EXISTS", "a"}}),
            kOk + error("SET requires at least two arguments") + kQueued + kAborted + number(0));
  EXPECT_EQ(pipeline(*wire_, {{"MULTI"}, {"NOPE"}, {"SET", "a", "1"}, {"EXEC"}, {"EXISTS", "a"}}),
            kOk + error("unknown command 'NOPE'") + kQueued + kAborted + number(0));
}

TEST_F(TransactionFront, ACommandThatFailsWhenItIsDoneKeepsNoOtherFromHappening) {
  call({"SET", "t", "v"});
  EXPECT_EQ(pipeline(*wire_, {{"MULTI"}, {"LPUSH", "t", "x"}, {"SET", "a", "1"}, {"EXPIRE", "a", "x"}, {"EXEC"}, {"GET", "a"}}),
            kOk + kQueued + kQueued + kQueued + "*3\r\n" + kWrongType + kOk + error("value is not an integer or out of range") +
                bulk("1"));
}

TEST_F(TransactionFront, WhatIsAboutJobsIsNoPartOfOne) {
  EXPECT_EQ(call({"MULTI"}), kOk);
  EXPECT_EQ(call({"LPUSH", "queue:ready", "x"}),
            error("'queue:ready' is a view and cannot be part of a transaction; only plain keys can"));
  EXPECT_EQ(call({"EXEC"}), kAborted);
  EXPECT_EQ(call({"MULTI"}), kOk);
  EXPECT_EQ(call({"JOBS.LIST"}), error("'JOBS.LIST' cannot be part of a transaction; only commands about plain keys can"));
  EXPECT_EQ(call({"EXEC"}), kAborted);
  EXPECT_EQ(call({"LLEN", "queue:ready"}), number(0));
}

TEST_F(TransactionFront, DiscardForgetsIt) {
  EXPECT_EQ(pipeline(*wire_, {{"MULTI"}, {"SET", "a", "1"}, {"DISCARD"}, {"EXISTS", "a"}, {"EXEC"}}),
            kOk + kQueued + kOk + number(0) + error("EXEC without MULTI"));
  EXPECT_EQ(call({"DISCARD"}), error("DISCARD without MULTI"));
}

TEST_F(TransactionFront, MultiAndWatchDoNotStandInOne) {
  EXPECT_EQ(pipeline(*wire_, {{"MULTI"}, {"MULTI"}, {"WATCH", "k"}, {"SET", "a", "1"}, {"EXEC"}}),
            kOk + error("MULTI calls can not be nested") + error("WATCH inside MULTI is not allowed") + kQueued + "*1\r\n" + kOk);
}

TEST_F(TransactionFront, AWatchedKeyThatChangedLetsNothingHappen) {
  Wire other = operate();
  call({"SET", "k", "1"});
  EXPECT_EQ(call({"WATCH", "k", "missing"}), kOk);
  other.call({"SET", "k", "2"});
  EXPECT_EQ(pipeline(*wire_, {{"MULTI"}, {"SET", "k", "3"}, {"EXEC"}}), kOk + kQueued + "*-1\r\n");
  EXPECT_EQ(call({"GET", "k"}), bulk("2"));
  EXPECT_EQ(pipeline(*wire_, {{"MULTI"}, {"SET", "k", "3"}, {"EXEC"}}), kOk + kQueued + "*1\r\n" + kOk) << "it watches no more";
  EXPECT_EQ(call({"WATCH", "missing"}), kOk);
  other.call({"LPUSH", "missing", "x"});
  EXPECT_EQ(pipeline(*wire_, {{"MULTI"}, {"EXEC"}}), kOk + "*-1\r\n") << "a key that came";
}

TEST_F(TransactionFront, AWatchedKeyThatStaysLetsItHappen) {
  call({"HSET", "h", "f", "1"});
  EXPECT_EQ(call({"WATCH", "h", "missing"}), kOk);
  call({"HGET", "h", "f"});
  EXPECT_EQ(pipeline(*wire_, {{"MULTI"}, {"HSET", "h", "f", "2"}, {"EXEC"}}), kOk + kQueued + "*1\r\n" + number(0));
}

TEST_F(TransactionFront, UnwatchAndDiscardForgetWhatIsWatched) {
  Wire other = operate();
  for (const Words& forget : {Words{"UNWATCH"}, Words{"MULTI"}}) {
    EXPECT_EQ(call({"WATCH", "k"}), kOk);
    other.call({"INCR", "k"});
    EXPECT_EQ(call(forget), kOk);
    if (forget.front() == "MULTI") call({"DISCARD"});
    EXPECT_EQ(pipeline(*wire_, {{"MULTI"}, {"EXEC"}}), kOk + "*0\r\n") << forget.front();
  }
}

TEST_F(TransactionFront, PopsDoNotWaitInOne) {
  call({"RPUSH", "l", "x"});
  EXPECT_EQ(pipeline(*wire_, {{"MULTI"}, {"BLPOP", "l", "0"}, {"BLPOP", "l", "0"}, {"EXEC"}}),
            kOk + kQueued + kQueued + "*2\r\n" + array({"l", "x"}) + kNullArray);
}

TEST_F(TransactionFront, AListThatGotElementsInOneWakesThoseWhoWait) {
  Wire waiting = operate();
  waiting.send(frame({"BLPOP", "l", "0"}));
  EXPECT_TRUE(waits());
  EXPECT_EQ(pipeline(*wire_, {{"MULTI"}, {"RPUSH", "l", "x"}, {"EXEC"}}), kOk + kQueued + "*1\r\n" + number(1));
  EXPECT_EQ(waiting.read_reply(), array({"l", "x"}));
}

TEST_F(TransactionFront, MessagesAreToldWhenItIsDone) {
  Wire listener = operate();
  listener.call({"SUBSCRIBE", "news"});
  EXPECT_EQ(call({"PUBLISH", "news", "one"}), number(1));
  EXPECT_EQ(listener.read_reply(), array({"message", "news", "one"}));
  EXPECT_EQ(pipeline(*wire_, {{"MULTI"}, {"PUBLISH", "news", "two"}, {"SET", "a", "1"}, {"PING"}, {"EXEC"}}),
            kOk + kQueued + kQueued + kQueued + "*3\r\n" + number(1) + kOk + "+PONG\r\n");
  EXPECT_EQ(listener.read_reply(), array({"message", "news", "two"}));
  EXPECT_EQ(call({"PUBLISH", "jobs", "a lie"}), error("'jobs' is told by the server itself; publish on another channel"));
}

TEST_F(TransactionFront, WhatIsWatchedHasBounds) {
  const std::string refusal = error("too many watched keys; at most 1000, and 65536 bytes of their names, of one connection");
  EXPECT_EQ(call({"WATCH", std::string(kWatchedBytesMax + 1, 'k')}), refusal);
  Words many{"WATCH"};
  for (std::size_t i = 0; i <= kWatchedKeysMax; ++i) many.push_back("k" + std::to_string(i));
  EXPECT_EQ(call(many), refusal);
  EXPECT_EQ(pipeline(*wire_, {{"INCR", "k1"}, {"MULTI"}, {"EXEC"}}), number(1) + kOk + "*0\r\n") << "none was added";
}

TEST_F(TransactionFront, ATransactionHasBounds) {
  std::string bytes = frame({"MULTI"});
  for (std::size_t i = 0; i <= kTransactionCommandsMax; ++i) bytes += frame({"GET", "a"});
  wire_->send(bytes + frame({"EXEC"}));
  EXPECT_EQ(wire_->read_reply(), kOk);
  for (std::size_t i = 0; i < kTransactionCommandsMax; ++i) ASSERT_EQ(wire_->read_reply(), kQueued);
  EXPECT_EQ(wire_->read_reply(), error("a transaction has at most 10000 commands"));
  EXPECT_EQ(wire_->read_reply(), kAborted);
}

}  // namespace
}  // namespace muster::resp::keyspace
