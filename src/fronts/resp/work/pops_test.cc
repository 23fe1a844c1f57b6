#include <gtest/gtest.h>

#include "engine/claims.h"
#include "fronts/resp/work/work_state.h"
#include "fronts/resp/work/work_testing.h"

namespace muster::resp::work {
namespace {

using Pops = WorkTest;

TEST_F(Pops, BrpopAnswersTheWholeDocument) {
  start();
  Wire wire = operate();
  const std::string id = submit_one(wire);
  const Json document = json(wire.call({"BRPOP", "queue:ready", "1"}));
  EXPECT_EQ(document["job_id"], id);
  EXPECT_EQ(document["id"], id);
  EXPECT_EQ(document["action_id"], "a1");
  EXPECT_EQ(document["plan_id"], "p1");
  EXPECT_EQ(document["input"], (Json{{"n", 1}}));
  EXPECT_EQ(document["inputs"], (Json{{"n", 1}}));
  EXPECT_EQ(document["env"], (Json{{"n", 1}}));
  EXPECT_EQ(document["input_index"], 0);
  EXPECT_EQ(document["tasks"][0]["command"], "echo");
  EXPECT_EQ(document["plan"]["tasks"][0]["args"][0], "hello");
  EXPECT_EQ(document["command"], "echo");
  EXPECT_EQ(document["task_number"], 1);
  EXPECT_EQ(document["attempt"], 1);
  EXPECT_EQ(document["status"], "running");
  EXPECT_EQ(document["created_at"], to_ms(clock.now()) / 1000);
  EXPECT_EQ(state(id), JobState::running);
}

TEST_F(Pops, J12MovingAJobAnswersItsIdAndClaimsIt) {
  start();
  Wire wire = operate();
  const std::string id = submit_one(wire);
  EXPECT_EQ(wire.call({"BRPOPLPUSH", "queue:ready", "queue:processing", "5"}), bulk(id));
  EXPECT_EQ(state(id), JobState::running);
  EXPECT_EQ(wire.call({"RPOPLPUSH", "queue:ready", "queue:processing"}), kNothing);
}

TEST_F(Pops, AHabitMakesMovesAnswerTheDocument) {
  RespOptions options;
  options.compat_flags.pop_moves_document = true;
  start(options);
  Wire wire = operate();
  const std::string id = submit_one(wire);
  EXPECT_EQ(json(wire.call({"LMOVE", "queue:ready", "queue:processing", "RIGHT", "LEFT"}))["job_id"], id);
}

TEST_F(Pops, EveryVerbTakesAJob) {
  start();
  Wire wire = operate();
  submit_plan(wire, "p1", {"echo"});
  const auto ids = submit(wire, "a1", 7);
  EXPECT_EQ(json(wire.call({"BRPOP", "queue:ready", "1"}))["job_id"], ids[0]);
  EXPECT_EQ(json(wire.call({"BLPOP", "queue:ready", "1"}))["job_id"], ids[1]);
  EXPECT_EQ(json(wire.call({"RPOP", "queue:ready"}))["job_id"], ids[2]);
  EXPECT_EQ(json(wire.call({"LPOP", "queue:ready"}))["job_id"], ids[3]);
  EXPECT_EQ(wire.call({"RPOPLPUSH", "queue:ready", "queue:processing"}), bulk(ids[4]));
  EXPECT_EQ(wire.call({"LMOVE", "queue:ready", "queue:processing", "LEFT", "RIGHT"}), bulk(ids[5]));
  EXPECT_EQ(wire.call({"BLMOVE", "queue:ready", "queue:processing", "LEFT", "RIGHT", "0.1"}), bulk(ids[6]));
  EXPECT_EQ(wire.call({"LPOP", "queue:ready"}), kNothing);
}

TEST_F(Pops, ACountAnswersAList) {
  start();
  Wire wire = operate();
  submit_plan(wire, "p1", {"echo"});
  submit(wire, "a1", 3);
  EXPECT_TRUE(wire.call({"RPOP", "queue:ready", "2"}).starts_with("*2\r\n$"));
  EXPECT_TRUE(wire.call({"RPOP", "queue:ready", "2"}).starts_with("*1\r\n$"));
  EXPECT_EQ(wire.call({"RPOP", "queue:ready", "2"}), "*-1\r\n");
}

TEST_F(Pops, RepliesArePairsUnlessTheDialectIsAgqs) {
  start();
  Wire wire = operate();
  wire.call({"LPUSH", "queue:b", "x", "y", "z", "last"});
  EXPECT_EQ(wire.call({"BRPOP", "queue:b", "1"}), popped("queue:b", "x"));
  wire.call({"CLIENT", "DIALECT", "agq"});
  EXPECT_EQ(wire.call({"BRPOP", "queue:b", "1"}), bulk("y"));
  EXPECT_EQ(wire.call({"BRPOP", "queue:a", "queue:b", "1"}), popped("queue:b", "z"));
  Wire three = operate();
  three.call({"HELLO", "3"});
  EXPECT_EQ(three.call({"BRPOP", "queue:b", "1"}), popped("queue:b", "last"));
  EXPECT_EQ(three.call({"RPOP", "queue:b"}), "_\r\n");
}

TEST_F(Pops, OfSeveralQueuesTheFirstThatHoldsAJobWins) {
  start();
  Wire wire = operate();
  wire.call({"LPUSH", "queue:b", "old"});
  advance(Duration(1'000));
  wire.call({"LPUSH", "queue:a", "new"});
  EXPECT_EQ(wire.call({"BRPOP", "queue:a", "queue:b", "1"}), "*2\r\n$7\r\nqueue:a\r\n$3\r\nnew\r\n");
  EXPECT_EQ(wire.call({"BRPOP", "queue:a", "queue:b", "1"}), "*2\r\n$7\r\nqueue:b\r\n$3\r\nold\r\n");
}

TEST_F(Pops, WaitsForAJobAndIsWokenByItsPush) {
  start();
  Wire waiting = operate();
  waiting.send(frame({"BRPOP", "queue:q", "0"}));
  ASSERT_TRUE(eventually([&] { return engine->claims().parked() == 1; }));
  Wire other = operate();
  EXPECT_EQ(other.call({"LPUSH", "queue:q", "job"}), ":1\r\n");
  EXPECT_EQ(waiting.read_reply(), popped("queue:q", "job"));
}

TEST_F(Pops, AnswersNothingWhenItsTimeIsOver) {
  start();
  Wire wire = operate();
  wire.send(frame({"BRPOP", "queue:q", "5"}));
  ASSERT_TRUE(eventually([&] { return engine->claims().parked() == 1; }));
  advance(Duration(4'999));
  EXPECT_FALSE(wire.answered());
  advance(Duration(1));
  EXPECT_EQ(wire.read_reply(), kNoPair);
}

TEST_F(Pops, WaitsLongerThanOneClaimMay) {
  start();
  Wire wire = operate();
  wire.send(frame({"BRPOP", "queue:q", "150"}));
  for (int i = 0; i < 5; ++i) {
    ASSERT_TRUE(eventually([&] { return engine->claims().parked() == 1; })) << "after " << 30 * i << " s";
    advance(Duration(30'000));
    tick_work();  // the anonymous worker lives by beats of the front's own
  }
  EXPECT_EQ(wire.read_reply(), kNoPair);
}

TEST_F(Pops, L8AHeartbeatBehindABlockedPopEndsIt) {
  start();
  Wire wire = operate();
  wire.send(frame({"BRPOPLPUSH", "queue:ready", "queue:processing", "5"}) + frame({"PING", "w-1"}));
  EXPECT_EQ(wire.read(std::string("$-1\r\n$3\r\nw-1\r\n").size()), "$-1\r\n$3\r\nw-1\r\n") << "the clock stands still";
  // A job that comes now is not lost into that pop.
  Wire other = operate();
  other.call({"LPUSH", "queue:ready", "x"});
  EXPECT_EQ(wire.call({"BRPOPLPUSH", "queue:ready", "queue:processing", "5"}), bulk("x"));
}

TEST_F(Pops, WhatIsThereIsTakenWhateverStandsBehindThePop) {
  start();
  Wire wire = operate();
  wire.call({"LPUSH", "queue:q", "x", "y", "z"});
  wire.send(frame({"RPOP", "queue:q"}) + frame({"BRPOP", "queue:q", "5"}) + frame({"BRPOP", "queue:p", "queue:q", "5"}) +
            frame({"BRPOP", "queue:q", "5"}) + frame({"BRPOP", "queue:q", "5"}) + frame({"QUIT"}));
  EXPECT_EQ(wire.read_reply(), bulk("x"));
  EXPECT_EQ(wire.read_reply(), popped("queue:q", "y"));
  EXPECT_EQ(wire.read_reply(), popped("queue:q", "z"));
  EXPECT_EQ(wire.read_reply(), kNoPair) << "the clock stands still";
  EXPECT_EQ(wire.read_reply(), kNoPair);
  EXPECT_EQ(wire.read_reply(), kOk);
}

TEST_F(Pops, OneThatDoesNotWaitIsAnsweredToAClientThatSendsNoMore) {
  start();
  operate().call({"LPUSH", "queue:q", "x"});
  Wire wire = operate();
  wire.send(frame({"RPOP", "queue:q"}));
  wire.finish_sending();
  EXPECT_EQ(wire.read_reply(), bulk("x"));
}

TEST_F(Pops, NeighboursAreAnsweredInTheirOrder) {
  start();
  Wire wire = operate();
  std::string push;
  std::string pops;
  std::string expected;
  for (int i = 0; i < 16; ++i) {
    push += frame({"LPUSH", "queue:q", "e" + std::to_string(i)});
    pops += frame({"BRPOP", "queue:q", "1"});
    expected += popped("queue:q", "e" + std::to_string(i));
  }
  wire.send(push);
  for (int i = 1; i <= 16; ++i) EXPECT_EQ(wire.read_reply(), ":" + std::to_string(i) + "\r\n");
  wire.send(pops);
  EXPECT_EQ(wire.read(expected.size()), expected);
}

TEST_F(Pops, ANeighbourThatWaitsBeginsItsTimeWhenItIsFirst) {
  start();
  Wire wire = operate();
  wire.call({"LPUSH", "queue:q", "one"});
  wire.send(frame({"BRPOP", "queue:q", "5"}) + frame({"RPOP", "queue:q"}) + frame({"BRPOP", "queue:q", "5"}) +
            frame({"RPOP", "queue:q"}));
  EXPECT_EQ(wire.read_reply(), popped("queue:q", "one"));
  EXPECT_EQ(wire.read_reply(), kNothing);
  ASSERT_TRUE(eventually([&] { return engine->claims().parked() == 1; }));
  EXPECT_FALSE(wire.answered());
  advance(Duration(5'000));
  EXPECT_EQ(wire.read_reply(), kNoPair);
  EXPECT_EQ(wire.read_reply(), kNothing);
}

TEST_F(Pops, AClosedConnectionsWaitTakesNothing) {
  start();
  Wire wire = operate();
  wire.send(frame({"BRPOP", "queue:q", "0"}));
  ASSERT_TRUE(eventually([&] { return engine->claims().parked() == 1; }));
  wire.close();
  ASSERT_TRUE(eventually([&] { return engine->claims().parked() == 0; }));
  Wire other = operate();
  EXPECT_EQ(other.call({"LPUSH", "queue:q", "v"}), ":1\r\n");
  EXPECT_EQ(other.call({"RPOP", "queue:q"}), bulk("v"));
}

TEST_F(Pops, AWorkerIsNeverHandedWhatItLacksTheToolFor) {
  start();
  Wire boss = operate();
  submit_plan(boss, "p1", {"sort", "rare-tool"});
  const std::string id = submit(boss, "a1").at(0);
  Wire without = worker("w-sort", R"("sort")");
  EXPECT_EQ(without.call({"RPOP", "queue:ready"}), kNothing);
  Wire with = worker("w-both", R"("sort","rare-tool")");
  EXPECT_EQ(json(with.call({"RPOP", "queue:ready"}))["job_id"], id);
}

TEST_F(Pops, ARegisteredWorkerTakesAsManyAsItSaidItCan) {
  start();
  Wire boss = operate();
  submit_plan(boss, "p1", {"echo"});
  submit(boss, "a1", 3);
  Wire wire = worker("w-1", R"("echo")", 2);
  EXPECT_TRUE(wire.call({"RPOP", "queue:ready"}).starts_with("$"));
  const std::string second = wire.call({"RPOP", "queue:ready"});
  EXPECT_NE(second, kNothing);
  EXPECT_EQ(wire.call({"RPOP", "queue:ready"}), kNothing);
  EXPECT_EQ(wire.call({"JOB.UPDATE", json(second)["job_id"], R"({"status":"completed"})"}), kOk);
  EXPECT_NE(wire.call({"RPOP", "queue:ready"}), kNothing);
}

TEST_F(Pops, ADeadRegisteredWorkerIsToldSo) {
  start();
  Wire wire = worker("w-1");
  advance(Duration(90'000));
  ASSERT_TRUE(eventually([&] { return worker_row("w-1")->state == WorkerState::offline; }));
  EXPECT_EQ(wire.call({"BRPOP", "queue:ready", "1"}), "-ERR Worker not registered: w-1\r\n");
  EXPECT_EQ(wire.call({"WORKER.REGISTER", registration("w-1")}), "+OK worker_id=w-1 heartbeat_interval=30\r\n");
  EXPECT_EQ(wire.call({"RPOP", "queue:ready"}), kNothing);
}

TEST_F(Pops, ElementsComeBackAsTheyWereOrWithTheirIds) {
  start();
  Wire wire = operate();
  const std::string bytes("\x00\xff\r\nraw", 7);
  EXPECT_EQ(wire.call({"LPUSH", "queue:q", bytes, R"({"b":1,"a":[2]})", R"({"job_id":"mine","x":1})", "[1]"}), ":4\r\n");
  EXPECT_EQ(wire.call({"BRPOP", "queue:q", "1"}), popped("queue:q", bytes));
  const Json named = json(wire.call({"BRPOP", "queue:q", "1"}));
  EXPECT_EQ(named["b"], 1);
  EXPECT_TRUE(named["job_id"].get<std::string>().starts_with("job_"));
  EXPECT_EQ(named["id"], named["job_id"]);
  const Json own = json(wire.call({"BRPOPLPUSH", "queue:q", "queue:processing", "1"}));
  EXPECT_EQ(own["job_id"], "mine");
  EXPECT_EQ(own["x"], 1);
  EXPECT_EQ(wire.call({"BRPOP", "queue:q", "1"}), popped("queue:q", "[1]"));
}

TEST_F(Pops, AnElementThatIsJsonUpToItsFirstNulComesBackWhole) {
  start();
  Wire wire = operate();
  const std::string bytes("{\"a\":1}\0]", 9);
  EXPECT_EQ(wire.call({"LPUSH", "queue:q", bytes}), ":1\r\n");
  EXPECT_EQ(wire.call({"BRPOP", "queue:q", "1"}), popped("queue:q", bytes));
}

TEST_F(Pops, AnElementThatIsAJobsDocumentIsNamedByMovesAndShownByPops) {
  start();
  Wire wire = operate();
  const std::string document = R"({"job_id":"job-7","plan_id":"p1","input":{}})";
  EXPECT_EQ(wire.call({"LPUSH", "queue:ready", document}), ":1\r\n");
  EXPECT_EQ(wire.call({"BRPOPLPUSH", "queue:ready", "queue:processing", "1"}), bulk("job-7"));
}

TEST_F(Pops, BadPopsAreRefusedByThemselves) {
  start();
  Wire wire = operate();
  wire.send(frame({"LPUSH", "queue:q", "x"}) + frame({"BRPOP", "queue:q", "-1"}) + frame({"RPOPLPUSH", "queue:q", "elsewhere"}) +
            frame({"BRPOP", "queue:q", "1"}));
  EXPECT_EQ(wire.read_reply(), ":1\r\n");
  EXPECT_EQ(wire.read_reply(), "-ERR BRPOP timeout must be a non-negative integer\r\n");
  EXPECT_EQ(wire.read_reply(), "-ERR jobs taken from a queue move to queue:processing, not to 'elsewhere'\r\n");
  EXPECT_EQ(wire.read_reply(), popped("queue:q", "x"));
}

TEST_F(Pops, TakesAHundredJobsThroughOnePipeline) {
  start();
  Wire wire = operate();
  submit_plan(wire, "p1", {"echo"});
  const auto ids = submit(wire, "a1", 100);
  std::string pops;
  std::string expected;
  for (const std::string& id : ids) {
    pops += frame({"RPOPLPUSH", "queue:ready", "queue:processing"});
    expected += bulk(id);
  }
  wire.send(pops);
  EXPECT_EQ(wire.read(expected.size()), expected);
  std::string updates;
  for (const std::string& id : ids) updates += frame({"JOB.UPDATE", id, R"({"status":"completed"})"});
  wire.send(updates);
  for (std::size_t i = 0; i < ids.size(); ++i) ASSERT_EQ(wire.read_reply(), kOk);
  EXPECT_EQ(state(ids.back()), JobState::completed);
  on_loop([this] { EXPECT_EQ(core().work_state->facts().held, 0U); });
}

}  // namespace
}  // namespace muster::resp::work
