// Long-running checks of the digest and the ends of connections: nothing is lost, nothing goes round for ever.
#include <gtest/gtest.h>

#include "fronts/resp/work/work_state.h"
#include "fronts/resp/work/work_testing.h"

namespace muster::resp::work {
namespace {

using Endings = WorkTest;

TEST_F(Endings, CASilentWorkerLosesItsJobAndKeepsItsMetadata) {
  start();
  Wire boss = operate();
  const std::string id = submit_one(boss);
  Wire wire = worker("w-1");
  EXPECT_EQ(json(wire.call({"BRPOP", "queue:ready", "1"}))["job_id"], id);
  EXPECT_EQ(boss.call({"KEYS", "worker:*:alive"}), "*1\r\n" + bulk("worker:w-1:alive"));
  advance(Duration(89'999));
  EXPECT_EQ(state(id), JobState::running);
  advance(Duration(1));
  ASSERT_TRUE(eventually([&] {
    advance(Duration(5));  // passes keep that far apart
    return state(id) == JobState::ready;
  }));
  EXPECT_EQ(boss.call({"KEYS", "worker:*:alive"}), "*0\r\n");
  EXPECT_EQ(boss.call({"LLEN", "queue:ready"}), ":1\r\n");
  EXPECT_EQ(json(boss.call({"GET", "worker:w-1:metadata"}))["worker_id"], "w-1");
}

TEST_F(Endings, TheEndOfARegisteredWorkersConnectionIsSilenceOnly) {
  start();
  Wire boss = operate();
  const std::string id = submit_one(boss);
  {
    Wire wire = worker("w-1");
    EXPECT_EQ(json(wire.call({"BRPOP", "queue:ready", "1"}))["job_id"], id);
  }
  advance(Duration(60'000));
  tick_work();
  EXPECT_EQ(state(id), JobState::running);
  advance(Duration(30'000));
  EXPECT_TRUE(eventually([&] { return state(id) == JobState::ready; }));
}

TEST_F(Endings, DAClaimOlderThanTheTimeoutFailsRunsAgainAndFlagsItsWorker) {
  RespOptions options;
  options.job_timeout = Duration(120'000);
  start(options);
  Wire boss = operate();
  const std::string id = submit_one(boss);
  Wire wire = worker("w-1");
  for (int attempt = 1; attempt <= 3; ++attempt) {
    std::string popped = kNothing;
    ASSERT_TRUE(eventually([&] {
      popped = wire.call({"RPOP", "queue:ready"});
      if (popped == kNothing) advance(Duration(1'000));  // the pause before the next attempt
      return popped != kNothing;
    }));
    EXPECT_EQ(json(popped)["attempt"], attempt);
    advance_beating(Duration(120'000), [&] { EXPECT_EQ(wire.call({"WORKER.HEARTBEAT", "w-1"}), kOk); });
    ASSERT_TRUE(eventually([&] { return state(id) != JobState::running; }));
    EXPECT_EQ(wire.call({"WORKER.HEARTBEAT", "w-1"}), kOk) << "which tells the front that the job was taken away";
  }
  EXPECT_EQ(state(id), JobState::dead);
  EXPECT_EQ(json(boss.call({"JOB.GET", id}))["status"], "dead");
  EXPECT_TRUE(eventually([&] { return boss.call({"WORKER.LIST"}).find("\"flagged\":true") != std::string::npos; }));
  on_loop([this] { EXPECT_EQ(core().work_state->facts().flagged, 3U); });
}

TEST_F(Endings, EAPoisonJobOfRealWorkersEndsDeadAndLaterWorkersStayUp) {
  start();
  Wire boss = operate();
  const std::string id = submit_one(boss);
  for (int attempt = 1; attempt <= 3; ++attempt) {
    Wire victim = pinged("w-" + std::to_string(attempt));
    std::string popped;
    ASSERT_TRUE(eventually([&] {
      popped = victim.call({"RPOPLPUSH", "queue:ready", "queue:processing"});
      return popped != kNothing;
    }));
    EXPECT_EQ(popped, bulk(id));
    victim.close();  // the plan killed it
    ASSERT_TRUE(eventually([&] { return state(id) != JobState::running; }));
    EXPECT_EQ(job(id).attempt, static_cast<std::uint32_t>(attempt)) << "the attempt counts";
  }
  EXPECT_EQ(state(id), JobState::dead);
  EXPECT_EQ(job(id).error->kind, kErrorWorkerLost);
  EXPECT_EQ(json(boss.call({"JOB.GET", id}))["status"], "dead");
  Wire later = pinged("w-9");
  EXPECT_EQ(later.call({"RPOPLPUSH", "queue:ready", "queue:processing"}), kNothing);
  EXPECT_EQ(later.call({"PING", "w-9"}), bulk("w-9"));
}

TEST_F(Endings, APingedWorkersEndUnregistersItAtOnce) {
  start();
  Wire boss = operate();
  {
    Wire wire = pinged("w-1");
    EXPECT_NE(boss.call({"WORKERS.LIST"}), "*0\r\n");
  }
  EXPECT_TRUE(eventually([&] { return boss.call({"WORKERS.LIST"}) == "*0\r\n"; })) << "the clock stands still";
}

TEST_F(Endings, ASecondPopOfAPingedWorkerGivesTheFirstJobUp) {
  start();
  Wire boss = operate();
  const std::string id = submit_one(boss);
  Wire wire = pinged("w-1");
  EXPECT_EQ(wire.call({"BRPOPLPUSH", "queue:ready", "queue:processing", "5"}), bulk(id));
  EXPECT_EQ(wire.call({"BRPOPLPUSH", "queue:ready", "queue:processing", "5"}), bulk(id)) << "it is the only one there is";
  EXPECT_EQ(job(id).attempt, 2U);
  EXPECT_EQ(wire.call({"BRPOPLPUSH", "queue:ready", "queue:processing", "5"}), bulk(id));
  wire.send(frame({"BRPOPLPUSH", "queue:ready", "queue:processing", "5"}));
  ASSERT_TRUE(eventually([&] { return state(id) == JobState::dead; }));
}

TEST_F(Endings, AJobWhoseOutputIsTooLargeEndsWithThatCause) {
  RespOptions options;
  options.limits.message_bytes_max = options.limits.value_bytes_max = 1024 * 1024;
  start(std::move(options));
  Wire boss = operate();
  const std::string id = submit_one(boss);
  Wire wire = pinged("w-1");
  EXPECT_EQ(wire.call({"BRPOPLPUSH", "queue:ready", "queue:processing", "5"}), bulk(id));
  const std::string key = "job:" + id + ":stdout";
  wire.send("*3\r\n$3\r\nSET\r\n" + bulk(key) + "$1048577\r\n");
  EXPECT_NE(wire.read_to_end().find("too large"), std::string::npos);
  wire.close();
  ASSERT_TRUE(eventually([&] { return job(id).error.has_value(); }));
  EXPECT_NE(job(id).error->message.find("too large"), std::string::npos) << job(id).error->message;
}

TEST_F(Endings, AnAnonymousConnectionsJobIsGivenUpNinetySecondsAfterItsEnd) {
  start();
  Wire boss = operate();
  const std::string id = submit_one(boss);
  {
    Wire wire = operate();
    EXPECT_EQ(json(wire.call({"BRPOP", "queue:ready", "1"}))["job_id"], id);
    advance_beating(Duration(300'000), [&] { tick_work(); });
    EXPECT_EQ(state(id), JobState::running) << "it lives as long as its connection";
  }
  std::size_t left = 0;
  ASSERT_TRUE(eventually([&] {
    on_loop([&] { left = core().work_state->facts().left; });
    return left == 1;
  }));
  advance_beating(Duration(89'999), [&] { tick_work(); });
  EXPECT_EQ(state(id), JobState::running);
  advance(Duration(1));
  tick_work();
  ASSERT_TRUE(eventually([&] { return state(id) == JobState::ready; }));
  EXPECT_EQ(job(id).attempt, 1U);
}

TEST_F(Endings, WhatIsSettledByAnotherConnectionInTimeStaysSettled) {
  start();
  Wire boss = operate();
  const std::string id = submit_one(boss);
  {
    Wire wire = operate();
    EXPECT_EQ(json(wire.call({"BRPOP", "queue:ready", "1"}))["job_id"], id);
  }
  EXPECT_TRUE(eventually([&] {
    return boss.call({"JOB.UPDATE", id, R"({"status":"completed"})"}) == kOk;
  })) << "as soon as the holder's connection is gone";
  advance_beating(Duration(120'000), [&] { tick_work(); });
  EXPECT_EQ(state(id), JobState::completed);
}

TEST_F(Endings, HAHardEndBetweenSubmitAndPopLosesNoJob) {
  start();
  std::vector<std::string> ids;
  {
    Wire boss = operate();
    submit_plan(boss, "p1", {"echo"});
    ids = submit(boss, "a1", 20);
  }
  restart();
  Wire wire = operate();
  for (const std::string& id : ids) EXPECT_EQ(wire.call({"RPOPLPUSH", "queue:ready", "queue:processing"}), bulk(id));
}

TEST_F(Endings, AfterARestartWhatAnonymousConnectionsHeldIsGivenUpInTime) {
  start();
  std::string id;
  {
    Wire boss = operate();
    id = submit_one(boss);
    EXPECT_EQ(json(boss.call({"BRPOP", "queue:ready", "1"}))["job_id"], id);
    restart();
  }
  Wire wire = operate();
  EXPECT_EQ(state(id), JobState::running) << "its client may come back";
  EXPECT_EQ(wire.call({"RPOP", "queue:ready"}), kNothing) << "which registers the anonymous worker again";
  std::size_t left = 0;
  ASSERT_TRUE(eventually([&] {
    on_loop([&] { left = core().work_state->facts().left; });
    return left == 1;
  }));
  EXPECT_EQ(state(id), JobState::running);
  advance_beating(Duration(90'000), [&] { tick_work(); });
  EXPECT_TRUE(eventually([&] { return state(id) == JobState::ready; }));
}

TEST_F(Endings, AReplyThatDidNotLeaveHandsTheJobBackAtNoCost) {
  start();
  Wire boss = operate();
  // Far more than the socket's buffers hold, so that the last replies stay behind.
  const std::string element(1024 * 1024, 'x');
  constexpr int kJobs = 30;
  for (int i = 0; i < kJobs; ++i) boss.call({"LPUSH", "queue:q", element});
  Wire greedy = operate();
  std::string pops;
  for (int i = 0; i < kJobs; ++i) pops += frame({"RPOP", "queue:q"});
  greedy.send(pops);
  ASSERT_TRUE(eventually([&] { return boss.call({"LLEN", "queue:q"}) != ":30\r\n"; }));
  greedy.reset();
  std::size_t left = 0;
  ASSERT_TRUE(eventually([&] {
    on_loop([&] { left = core().work_state->facts().left + core().work_state->facts().held; });
    // All of them are held until the end of the connection is noticed.
    return left < static_cast<std::size_t>(kJobs) &&
           boss.call({"LLEN", "queue:q"}) == ":" + std::to_string(kJobs - static_cast<int>(left)) + "\r\n";
  })) << "some did not leave";
}

TEST_F(Endings, AStopOfTheServerBlamesNobody) {
  start();
  std::string id;
  {
    Wire boss = operate();
    id = submit_one(boss);
    Wire wire = pinged("w-1");
    EXPECT_EQ(wire.call({"RPOPLPUSH", "queue:ready", "queue:processing"}), bulk(id));
    restart();
  }
  EXPECT_EQ(state(id), JobState::running);
  EXPECT_EQ(job(id).attempt, 1U);
  Wire wire = pinged("w-1");
  EXPECT_EQ(wire.call({"SET", "job:" + id + ":status", "completed"}), kOk) << "it came back in time";
  EXPECT_EQ(state(id), JobState::completed);
}

}  // namespace
}  // namespace muster::resp::work
