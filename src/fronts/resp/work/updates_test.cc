#include <gtest/gtest.h>

#include "base/ask_testing.h"
#include "fronts/resp/work/work_testing.h"

namespace muster::resp::work {
namespace {

class Updates : public WorkTest {
 protected:
  std::string update(Wire& wire, const std::string& id, const std::string& json) { return wire.call({"JOB.UPDATE", id, json}); }
  std::string take(Wire& wire) { return json(wire.call({"BRPOP", "queue:ready", "1"}))["job_id"]; }
};

TEST_F(Updates, W10RefusesUnknownJobs) {
  start();
  Wire wire = operate();
  EXPECT_EQ(wire.call_bytes("*3\r\n$10\r\nJOB.UPDATE\r\n$4\r\nnope\r\n$20\r\n{\"status\":\"running\"}\r\n"),
            "-ERR Job not found: nope\r\n");
  const std::string made_up = "job_0123456789abcdef0123456789abcdef";
  EXPECT_EQ(update(wire, made_up, R"({"status":"completed"})"), "-ERR Job not found: " + made_up + "\r\n");
  EXPECT_EQ(update(wire, std::string(300, 'x'), R"({"status":"running"})"),
            "-ERR Job not found: " + std::string(300, 'x') + "\r\n");
}

TEST_F(Updates, W11RefusesTheReportOfAnotherWorker) {
  start();
  Wire boss = operate();
  const std::string id = submit_one(boss);
  Wire a = worker("w-a");
  EXPECT_EQ(take(a), id);
  Wire b = worker("w-b");
  EXPECT_EQ(update(b, id, R"({"status":"completed"})"), "-ERR Worker w-b cannot update job claimed by w-a\r\n");
  EXPECT_EQ(update(b, id, R"({"status":"running"})"), "-ERR Worker w-b cannot update job claimed by w-a\r\n");
  EXPECT_EQ(update(boss, id, R"({"status":"running","worker_id":"w-x"})"),
            "-ERR Worker w-x cannot update job claimed by w-a\r\n");
  EXPECT_EQ(state(id), JobState::running);
  EXPECT_EQ(update(a, id, R"({"status":"completed"})"), kOk);
  EXPECT_EQ(update(b, id, R"({"status":"completed"})"), "-ERR Worker w-b cannot update job claimed by w-a\r\n");
}

TEST_F(Updates, TheSameHoldsWhenTheNodeHasForgottenWhoHoldsIt) {
  start();
  Wire boss = operate();
  const std::string id = submit_one(boss);
  {
    Wire a = worker("w-a");
    EXPECT_EQ(take(a), id);
  }
  Wire b = worker("w-b");
  EXPECT_EQ(update(b, id, R"({"status":"completed"})"), "-ERR Worker w-b cannot update job claimed by w-a\r\n");
  EXPECT_TRUE(eventually([&] { return update(boss, id, R"({"status":"completed"})") == kOk; }))
      << "the operator may, once the holder's connection is gone";
}

TEST_F(Updates, AJobGoesThroughItsWholeLife) {
  start();
  Wire boss = operate();
  const std::string id = submit_one(boss);
  Wire wire = worker("w-1");
  EXPECT_EQ(take(wire), id);
  EXPECT_EQ(update(wire, id, R"({"status":"running","worker_id":"w-1","started_at":"2025-11-17T10:00:00Z"})"), kOk);
  EXPECT_EQ(update(wire, id, R"({"current_task":2,"progress_percent":40})"), kOk);
  EXPECT_DOUBLE_EQ(job(id).progress->fraction, 0.4);
  EXPECT_EQ(job(id).progress->message, "task 2");
  const std::string done = R"({"status":"completed","task_results":[{"task_number":1,"exit_code":0,"stdout":"hello\n"}]})";
  EXPECT_EQ(update(wire, id, done), kOk);
  const Job after = job(id);
  EXPECT_EQ(after.state, JobState::completed);
  ASSERT_TRUE(after.result);
  EXPECT_EQ(Json::parse(after.result->data)["task_results"][0]["stdout"], "hello\n");
}

TEST_F(Updates, RefusesTransitionsThatCannotBe) {
  start();
  Wire wire = operate();
  const std::string id = submit_one(wire);
  EXPECT_EQ(update(wire, id, R"({"status":"completed"})"), "-ERR Invalid status transition: pending -> completed\r\n");
  EXPECT_EQ(update(wire, id, R"({"status":"running"})"), "-ERR Invalid status transition: pending -> running\r\n");
  EXPECT_EQ(update(wire, id, R"({"progress_percent":5})"), "-ERR Invalid status transition: pending -> running\r\n");
  EXPECT_EQ(state(id), JobState::ready);
  EXPECT_EQ(take(wire), id);
  EXPECT_EQ(update(wire, id, R"({"status":"pending"})"), "-ERR Invalid status transition: running -> pending\r\n");
  EXPECT_EQ(update(wire, id, R"({"status":"completed"})"), kOk);
  EXPECT_EQ(update(wire, id, R"({"status":"running"})"), "-ERR Invalid status transition: completed -> running\r\n");
  EXPECT_EQ(update(wire, id, R"({"status":"failed"})"), "-ERR Invalid status transition: completed -> failed\r\n");
}

TEST_F(Updates, ARepeatedOutcomeOfItsOwnWorkerIsFine) {
  start();
  Wire boss = operate();
  const std::string id = submit_one(boss);
  Wire wire = worker("w-1");
  EXPECT_EQ(take(wire), id);
  EXPECT_EQ(update(wire, id, R"({"status":"completed"})"), kOk);
  EXPECT_EQ(update(wire, id, R"({"status":"completed"})"), kOk) << "its answer may have been lost";
  EXPECT_EQ(update(wire, id, R"({"status":"failed"})"), "-ERR Invalid status transition: completed -> failed\r\n");
}

TEST_F(Updates, AReportedFailureEndsTheJobWithItsReasonAndTraces) {
  start();
  Wire wire = operate();
  const std::string id = submit_one(wire);
  EXPECT_EQ(take(wire), id);
  EXPECT_EQ(update(wire, id, R"({"status":"failed","error":"Task 2 timed out","task_results":[{"exit_code":-1}]})"), kOk);
  const Job after = job(id);
  EXPECT_EQ(after.state, JobState::dead);
  EXPECT_EQ(after.error->kind, "job_failed");
  EXPECT_EQ(after.error->message, "Task 2 timed out");
  ASSERT_TRUE(after.progress && after.progress->partial);
  EXPECT_EQ(Json::parse(after.progress->partial->data)["task_results"][0]["exit_code"], -1);
  EXPECT_EQ(json(wire.call({"JOB.GET", id}))["status"], "failed");
}

TEST_F(Updates, AHabitMakesFailuresRetry) {
  RespOptions options;
  options.compat_flags.failures_retry = true;
  start(options);
  Wire wire = operate();
  const std::string id = submit_one(wire);
  EXPECT_EQ(take(wire), id);
  EXPECT_EQ(update(wire, id, R"({"status":"failed","error":"once"})"), kOk);
  EXPECT_EQ(state(id), JobState::scheduled);
  EXPECT_EQ(json(wire.call({"JOB.GET", id}))["status"], "failed") << "will run again";
}

TEST_F(Updates, ALateReportIsAnErrorAndChangesNothing) {
  start();
  Wire boss = operate();
  const std::string id = submit_one(boss);
  Wire a = worker("w-a");
  EXPECT_EQ(take(a), id);
  advance(Duration(90'000));
  ASSERT_TRUE(eventually([&] { return state(id) == JobState::ready; }));
  EXPECT_EQ(update(a, id, R"({"status":"completed"})"), "-ERR Invalid status transition: pending -> completed\r\n");
  Wire b = worker("w-b");
  EXPECT_EQ(take(b), id);
  EXPECT_EQ(update(a, id, R"({"status":"completed"})"), "-ERR Worker w-a cannot update job claimed by w-b\r\n");
  EXPECT_EQ(state(id), JobState::running);
  EXPECT_EQ(update(b, id, R"({"status":"completed"})"), kOk);
}

TEST_F(Updates, AnAnonymousHolderOfAnEarlierClaimCannotSettleTheNextOne) {
  start();
  Wire a = operate();
  const std::string id = submit_one(a);
  EXPECT_EQ(take(a), id);
  // Its lease ends behind the front's back, and another connection takes the job.
  ASSERT_TRUE(muster::ask<store::Each<store::Settled>>([&](auto reply) {
                engine->jobs().release({{.lease = {job(id).id, job(id).fence}, .reason = "test"}}, std::move(reply));
              }).ok());
  Wire b = operate();
  EXPECT_EQ(take(b), id);
  EXPECT_TRUE(update(a, id, R"({"status":"completed"})").starts_with("-ERR Worker of an earlier claim cannot update job"));
  EXPECT_EQ(a.call({"SET", "job:" + id + ":status", "completed"}), kOk) << "ignored";
  EXPECT_EQ(state(id), JobState::running);
  EXPECT_EQ(update(b, id, R"({"status":"completed"})"), kOk);
}

TEST_F(Updates, AStrangersConnectionCannotSettleWhatAWorkerHolds) {
  start();
  Wire boss = operate();
  const std::string id = submit_one(boss);
  Wire a = worker("w-a");
  EXPECT_EQ(a.call({"RPOPLPUSH", "queue:ready", "queue:processing"}), bulk(id));
  Wire stranger = operate();
  const auto is_refused = [](const std::string& reply) {
    return reply.starts_with("-ERR Worker ") && reply.ends_with(" cannot update job claimed by w-a\r\n");
  };
  EXPECT_TRUE(is_refused(stranger.call({"SET", "job:" + id + ":status", "completed"})));
  EXPECT_TRUE(is_refused(stranger.call({"SET", "job:" + id + ":status", "pending"})));
  EXPECT_TRUE(is_refused(stranger.call({"SET", "job:" + id + ":stdout", "forged"})));
  EXPECT_TRUE(is_refused(update(stranger, id, R"({"status":"failed"})")));
  EXPECT_EQ(update(stranger, id, R"({"status":"completed","worker_id":"w-x"})"),
            "-ERR Worker w-x cannot update job claimed by w-a\r\n");
  EXPECT_EQ(stranger.call({"LREM", "queue:processing", "1", id}), ":0\r\n");
  EXPECT_EQ(state(id), JobState::running);
  EXPECT_EQ(a.call({"SET", "job:" + id + ":status", "completed"}), kOk);
  EXPECT_EQ(a.call({"LREM", "queue:processing", "1", id}), ":1\r\n");
  EXPECT_EQ(Json::parse(job(id).result->data).value("stdout", ""), "") << "nothing of the stranger's";
}

TEST_F(Updates, AStrangersConnectionCannotSettleWhatANamelessOneHolds) {
  start();
  Wire holder = operate();
  const std::string id = submit_one(holder);
  EXPECT_EQ(take(holder), id);
  Wire stranger = operate();
  EXPECT_TRUE(stranger.call({"SET", "job:" + id + ":status", "completed"}).starts_with("-ERR Worker "));
  EXPECT_TRUE(update(stranger, id, R"({"status":"completed"})").starts_with("-ERR Worker "));
  EXPECT_EQ(state(id), JobState::running);
  EXPECT_EQ(update(holder, id, R"({"status":"completed"})"), kOk);
}

TEST_F(Updates, AStrangersLremIsNotTheOutcomeOfAnElement) {
  start();
  Wire holder = operate();
  holder.call({"LPUSH", "queue:q", R"({"x":1})"});
  const std::string document = text(holder.call({"BLMOVE", "queue:q", "queue:processing", "RIGHT", "LEFT", "1"}));
  const std::string id = Json::parse(document)["job_id"];
  Wire stranger = operate();
  EXPECT_EQ(stranger.call({"LREM", "queue:processing", "1", document}), ":0\r\n");
  EXPECT_EQ(stranger.call({"LREM", "queue:processing", "1", id}), ":0\r\n");
  EXPECT_EQ(state(id), JobState::running);
  EXPECT_EQ(holder.call({"LREM", "queue:processing", "1", document}), ":1\r\n");
  EXPECT_EQ(state(id), JobState::completed);
}

TEST_F(Updates, J13AndJ14TheRealWorkersReportsMoveTheAction) {
  start();
  Wire wire = operate();
  submit_plan(wire, "plan-t1", {"echo"});
  const auto ids = submit(wire, "a1", 2, "plan-t1");
  EXPECT_EQ(wire.call({"BRPOPLPUSH", "queue:ready", "queue:processing", "5"}), bulk(ids[0]));
  const Json shown = json(wire.call({"GET", "job:" + ids[0]}));
  EXPECT_EQ(shown["job_id"], ids[0]);
  EXPECT_EQ(shown["plan_id"], "plan-t1");
  EXPECT_EQ(shown["input"], (Json{{"n", 1}}));
  EXPECT_EQ(json(wire.call({"JOB.GET", ids[0]}))["status"], "running");
  EXPECT_EQ(wire.call({"SET", "job:" + ids[0] + ":status", "completed"}), kOk);
  EXPECT_EQ(wire.call({"LREM", "queue:processing", "1", ids[0]}), ":1\r\n");
  const Json summary = json(wire.call({"ACTION.GET", "a1"}))["summary"];
  EXPECT_EQ(summary["jobs_completed"], 1);
  EXPECT_EQ(summary["jobs_pending"], 1);
  EXPECT_EQ(wire.call({"LREM", "queue:processing", "1", ids[0]}), ":0\r\n") << "once";
  EXPECT_EQ(wire.call({"LREM", "queue:processing", "1", ids[1]}), ":0\r\n") << "nobody has it";
}

TEST_F(Updates, StreamsAreKeptAndShortOnesStandInTheResult) {
  start();
  Wire wire = operate();
  const std::string id = submit_one(wire);
  EXPECT_EQ(wire.call({"RPOPLPUSH", "queue:ready", "queue:processing"}), bulk(id));
  EXPECT_EQ(wire.call({"SET", "job:" + id + ":stdout", "hello\n"}), kOk);
  EXPECT_EQ(wire.call({"SET", "job:" + id + ":stderr", ""}), kOk);
  EXPECT_EQ(wire.call({"SET", "job:" + id + ":status", "completed"}), kOk);
  EXPECT_EQ(Json::parse(job(id).result->data), (Json{{"stdout", "hello\n"}, {"stderr", ""}}));
  EXPECT_EQ(wire.call({"GET", "job:" + id + ":stdout"}), bulk("hello\n"));
}

TEST_F(Updates, ALongStreamIsPointedTo) {
  start();
  Wire wire = operate();
  const std::string id = submit_one(wire);
  EXPECT_EQ(wire.call({"RPOPLPUSH", "queue:ready", "queue:processing"}), bulk(id));
  const std::string large(5 * 1024 * 1024, '\xff');
  EXPECT_EQ(wire.call({"SET", "job:" + id + ":stdout", large}), kOk);
  EXPECT_EQ(wire.call({"SET", "job:" + id + ":status", "completed"}), kOk);
  EXPECT_EQ(Json::parse(job(id).result->data)["stdout_key"], "job:" + id + ":stdout");
  EXPECT_EQ(wire.call({"GET", "job:" + id + ":stdout"}), bulk(large));
}

TEST_F(Updates, AFailureByStatusTellsWhatStoodOnStderr) {
  start();
  Wire wire = operate();
  const std::string id = submit_one(wire);
  EXPECT_EQ(wire.call({"RPOPLPUSH", "queue:ready", "queue:processing"}), bulk(id));
  EXPECT_EQ(wire.call({"SET", "job:" + id + ":stderr", "sort: no such file"}), kOk);
  EXPECT_EQ(wire.call({"SET", "job:" + id + ":status", "failed"}), kOk);
  EXPECT_EQ(job(id).error->message, "sort: no such file");
  EXPECT_EQ(state(id), JobState::dead);
}

TEST_F(Updates, LateSetsAreAcceptedAndIgnored) {
  start();
  Wire boss = operate();
  const std::string id = submit_one(boss);
  Wire a = worker("w-a");
  EXPECT_EQ(a.call({"RPOPLPUSH", "queue:ready", "queue:processing"}), bulk(id));
  advance(Duration(90'000));
  ASSERT_TRUE(eventually([&] { return state(id) == JobState::ready; }));
  Wire b = worker("w-b");
  EXPECT_EQ(b.call({"RPOPLPUSH", "queue:ready", "queue:processing"}), bulk(id));
  EXPECT_EQ(b.call({"SET", "job:" + id + ":stdout", "the good one"}), kOk);
  EXPECT_EQ(a.call({"SET", "job:" + id + ":stdout", "the late one"}), kOk);
  EXPECT_EQ(a.call({"SET", "job:" + id + ":status", "failed"}), kOk);
  EXPECT_EQ(a.call({"LREM", "queue:processing", "1", id}), ":0\r\n");
  EXPECT_EQ(state(id), JobState::running);
  EXPECT_EQ(b.call({"SET", "job:" + id + ":status", "completed"}), kOk);
  EXPECT_EQ(Json::parse(job(id).result->data)["stdout"], "the good one");
  EXPECT_EQ(b.call({"SET", "job:" + id + ":status", "nonsense"}), "-ERR Invalid job status: nonsense\r\n");
  EXPECT_EQ(b.call({"SET", "job:nope:status", "completed"}), "-ERR Job not found: nope\r\n");
}

TEST_F(Updates, LremIsTheOutcomeOfAnElement) {
  start();
  Wire wire = operate();
  wire.call({"LPUSH", "queue:q", "raw", R"({"x":1})"});
  EXPECT_EQ(wire.call({"BRPOPLPUSH", "queue:q", "queue:processing", "1"}), bulk("raw"));
  const std::string document = text(wire.call({"BLMOVE", "queue:q", "queue:processing", "RIGHT", "LEFT", "1"}));
  EXPECT_EQ(wire.call({"LREM", "queue:processing", "1", "raw"}), ":1\r\n");
  EXPECT_EQ(wire.call({"LREM", "queue:processing", "1", "raw"}), ":0\r\n");
  const std::string id = Json::parse(document)["job_id"];
  EXPECT_EQ(wire.call({"LREM", "queue:processing", "0", document}), ":1\r\n");
  EXPECT_EQ(state(id), JobState::completed);
  EXPECT_EQ(wire.call({"LREM", "queue:processing", "x", document}), "-ERR LREM count must be an integer\r\n");
}

TEST_F(Updates, ElementsOfTheSameTextAreRemovedOneByOne) {
  start();
  Wire wire = operate();
  wire.call({"LPUSH", "queue:q", "same", "same"});
  for (int i = 0; i < 2; ++i) EXPECT_EQ(wire.call({"RPOPLPUSH", "queue:q", "queue:processing"}), bulk("same"));
  const std::string removal = frame({"LREM", "queue:processing", "1", "same"});
  wire.send(removal + removal + removal);
  EXPECT_EQ(wire.read_reply(), ":1\r\n");
  EXPECT_EQ(wire.read_reply(), ":1\r\n");
  EXPECT_EQ(wire.read_reply(), ":0\r\n");
}

TEST_F(Updates, AnIdThatAClientChoseMayLookLikeOneOfOurs) {
  start();
  Wire boss = operate();
  Wire wire = operate();
  for (const std::string id : {"3f2504e0-4f89-41d3-9a0c-0305e82c3301", "job_3f2504e04f8941d39a0c0305e82c3302"}) {
    boss.call({"LPUSH", "queue:ready", Json{{"job_id", id}, {"x", 1}}.dump()});
    EXPECT_EQ(json(wire.call({"BRPOP", "queue:ready", "1"}))["job_id"], id);
    EXPECT_EQ(json(boss.call({"GET", "job:" + id}))["status"], "running");
    EXPECT_EQ(wire.call({"SET", "job:" + id + ":stdout", "hello"}), kOk);
    EXPECT_EQ(update(wire, id, R"({"status":"completed"})"), kOk);
    EXPECT_EQ(boss.call({"GET", "job:" + id + ":status"}), bulk("completed"));
    EXPECT_EQ(boss.call({"GET", "job:" + id + ":stdout"}), bulk("hello"));
  }
}

TEST_F(Updates, AnElementMayLookLikeAnIdOfOurs) {
  start();
  Wire wire = operate();
  const std::string element = "3f2504e0-4f89-41d3-9a0c-0305e82c3301";
  wire.call({"LPUSH", "queue:q", element, element});
  EXPECT_EQ(wire.call({"LREM", "queue:q", "1", element}), ":1\r\n");
  EXPECT_EQ(wire.call({"RPOPLPUSH", "queue:q", "queue:processing"}), bulk(element));
  EXPECT_EQ(wire.call({"LREM", "queue:processing", "1", element}), ":1\r\n");
  EXPECT_EQ(wire.call({"LREM", "queue:processing", "1", element}), ":0\r\n");
}

TEST_F(Updates, AllReportsOfAJobMayComeInOnePipeline) {
  start();
  Wire wire = operate();
  const std::string id = submit_one(wire);
  EXPECT_EQ(wire.call({"RPOPLPUSH", "queue:ready", "queue:processing"}), bulk(id));
  wire.send(frame({"JOB.UPDATE", id, R"({"status":"running"})"}) + frame({"JOB.UPDATE", "nope", R"({"status":"running"})"}) +
            frame({"SET", "job:" + id + ":stdout", "x"}) + frame({"SET", "job:" + id + ":status", "completed"}) +
            frame({"LREM", "queue:processing", "1", id}));
  EXPECT_EQ(wire.read_reply(), kOk);
  EXPECT_EQ(wire.read_reply(), "-ERR Job not found: nope\r\n");
  EXPECT_EQ(wire.read_reply(), kOk);
  EXPECT_EQ(wire.read_reply(), kOk);
  EXPECT_EQ(wire.read_reply(), ":1\r\n");
  EXPECT_EQ(state(id), JobState::completed);
}

}  // namespace
}  // namespace muster::resp::work
