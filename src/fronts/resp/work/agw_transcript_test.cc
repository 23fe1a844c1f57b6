// The real worker's bytes, as the digest's §4.5 has them: what it sends, and what it must be answered with, byte for byte.
#include <gtest/gtest.h>

#include "engine/claims.h"
#include "fronts/resp/work/work_testing.h"

namespace muster::resp::work {
namespace {

class AgwTranscript : public WorkTest {
 protected:
  // What stands on the wire, in turn.
  void expect(Wire& wire, const std::string& sent, const std::string& answered) {
    wire.send(sent);
    EXPECT_EQ(wire.read(answered.size()), answered) << "after " << sent;
  }
  const std::string pop_ = "*4\r\n$10\r\nBRPOPLPUSH\r\n$11\r\nqueue:ready\r\n$16\r\nqueue:processing\r\n$1\r\n5\r\n";
  const std::string ping_ = "*2\r\n$4\r\nPING\r\n$3\r\nw-1\r\n";

  void greet(Wire& wire) {
    expect(wire,
           "*4\r\n$6\r\nCLIENT\r\n$7\r\nSETINFO\r\n$8\r\nLIB-NAME\r\n$8\r\nredis-rs\r\n"
           "*4\r\n$6\r\nCLIENT\r\n$7\r\nSETINFO\r\n$7\r\nLIB-VER\r\n$6\r\n0.24.0\r\n",
           "-ERR NOAUTH Authentication required\r\n-ERR NOAUTH Authentication required\r\n");
    expect(wire, "*2\r\n$4\r\nAUTH\r\n$64\r\n" + kTestKey + "\r\n", "+OK\r\n");
  }

  // The three SETs and the LREM that end a job.
  void report(Wire& wire, const std::string& id) {
    ASSERT_EQ(id.size(), 36U);
    expect(wire, "*3\r\n$3\r\nSET\r\n$47\r\njob:" + id + ":stdout\r\n$6\r\nhello\n\r\n", "+OK\r\n");
    expect(wire, "*3\r\n$3\r\nSET\r\n$47\r\njob:" + id + ":stderr\r\n$0\r\n\r\n", "+OK\r\n");
    expect(wire, "*3\r\n$3\r\nSET\r\n$47\r\njob:" + id + ":status\r\n$9\r\ncompleted\r\n", "+OK\r\n");
    expect(wire, "*4\r\n$4\r\nLREM\r\n$16\r\nqueue:processing\r\n$1\r\n1\r\n$36\r\n" + id + "\r\n", ":1\r\n");
  }
};

TEST_F(AgwTranscript, ThePublishedWorkerDoesOneJob) {
  start();
  Wire wire = connect();
  greet(wire);
  expect(wire, "*3\r\n$3\r\nSET\r\n$16\r\nworker:w-1:tools\r\n$9\r\nsort,uniq\r\n", "+OK\r\n");
  expect(wire, ping_, "$3\r\nw-1\r\n");

  wire.send(pop_);
  ASSERT_TRUE(eventually([&] { return engine->claims().parked() == 1; }));
  advance(Duration(5'000));
  EXPECT_EQ(wire.read(5), "$-1\r\n");

  Wire boss = operate();
  submit_plan(boss, "p1", {"sort"});
  const std::string id = submit(boss, "a1").at(0);
  expect(wire, pop_, "$36\r\n" + id + "\r\n");

  wire.send("*2\r\n$3\r\nGET\r\n$40\r\njob:" + id + "\r\n");
  const Json job_document = json(wire.read_reply());
  EXPECT_EQ(job_document["job_id"], id);
  EXPECT_EQ(job_document["plan_id"], "p1");
  EXPECT_TRUE(job_document.contains("input"));
  EXPECT_TRUE(job_document["status"].is_string());
  wire.send("*2\r\n$3\r\nGET\r\n$7\r\nplan:p1\r\n");
  const Json plan = json(wire.read_reply());
  EXPECT_EQ(plan["plan_id"], "p1");
  EXPECT_EQ(plan["tasks"][0]["task_number"], 1);
  EXPECT_EQ(plan["tasks"][0]["command"], "sort");

  advance(Duration(30'000));
  expect(wire, ping_, "$3\r\nw-1\r\n");
  report(wire, id);
  EXPECT_EQ(state(id), JobState::completed);
  EXPECT_EQ(boss.call({"GET", "job:" + id + ":status"}), "$9\r\ncompleted\r\n");

  wire.send(pop_);
  EXPECT_TRUE(waits());
}

TEST_F(AgwTranscript, AHeartbeatTickDuringAPopLosesNoJob) {
  start();
  Wire wire = connect();
  greet(wire);
  expect(wire, ping_, "$3\r\nw-1\r\n");
  wire.send(pop_);
  ASSERT_TRUE(eventually([&] { return engine->claims().parked() == 1; }));
  expect(wire, ping_, "$-1\r\n$3\r\nw-1\r\n");
  Wire boss = operate();
  const std::string id = submit_one(boss);
  expect(wire, pop_, "$36\r\n" + id + "\r\n");
  report(wire, id);
}

TEST_F(AgwTranscript, TheMonorepoWorkerDoesATask) {
  RespOptions options;
  options.compat_flags.jobs_are_tasks = true;
  start(options);
  Wire boss = operate();
  submit_plan(boss, "p1", {"echo"});
  const std::string id = submit(boss, "a1").at(0);
  Wire wire = connect();
  greet(wire);
  expect(wire, "*3\r\n$3\r\nSET\r\n$16\r\nworker:w-1:tools\r\n$9\r\necho,uniq\r\n", "+OK\r\n");
  expect(wire, "*3\r\n$3\r\nSET\r\n$15\r\nworker:w-1:tags\r\n$3\r\ncpu\r\n", "+OK\r\n");
  expect(wire, ping_, "$3\r\nw-1\r\n");
  expect(wire, "*4\r\n$10\r\nBRPOPLPUSH\r\n$13\r\nqueue:default\r\n$16\r\nqueue:processing\r\n$1\r\n5\r\n",
         "$36\r\n" + id + "\r\n");
  wire.send("*2\r\n$7\r\nJOB.GET\r\n$36\r\n" + id + "\r\n");
  const Json document = json(wire.read_reply());
  for (const char* field : {"id", "action_id", "plan_id", "task_number", "command", "args"})
    EXPECT_TRUE(document.contains(field)) << field;
  EXPECT_EQ(document["command"], "echo");
  report(wire, id);
  EXPECT_EQ(state(id), JobState::completed);
}

TEST_F(AgwTranscript, TheWorkerOfTheProtocolDoesOneJob) {
  start();
  Wire boss = operate();
  const std::string id = submit_one(boss);
  Wire wire = connect();
  expect(wire, "*2\r\n$4\r\nAUTH\r\n$64\r\n" + kTestKey + "\r\n", "+OK\r\n");
  expect(wire, frame({"WORKER.REGISTER", registration("worker-001")}), "+OK worker_id=worker-001 heartbeat_interval=30\r\n");
  wire.send("*3\r\n$5\r\nBRPOP\r\n$11\r\nqueue:ready\r\n$1\r\n5\r\n");
  const Json document = json(wire.read_reply());
  EXPECT_EQ(document["job_id"], id);
  EXPECT_TRUE(document.contains("plan"));
  EXPECT_TRUE(document.contains("inputs"));
  EXPECT_EQ(boss.call({"GET", "job:" + id + ":worker"}), bulk("worker-001"));
  expect(wire, frame({"JOB.UPDATE", id, R"({"status":"running","worker_id":"worker-001","started_at":"2025-11-17T10:00:00Z"})"}),
         "+OK\r\n");
  expect(wire, frame({"JOB.UPDATE", id, R"({"current_task":1,"progress_percent":40})"}), "+OK\r\n");
  expect(wire, frame({"WORKER.HEARTBEAT", "worker-001", R"({"active_jobs":1})"}), "+OK\r\n");
  expect(wire, frame({"JOB.UPDATE", id, R"({"status":"completed","completed_at":"2025-11-17T10:00:15Z","task_results":[]})"}),
         "+OK\r\n");
  expect(wire, frame({"WORKER.UNREGISTER", "worker-001"}), "+OK\r\n");
  EXPECT_EQ(state(id), JobState::completed);
  EXPECT_EQ(job(id).attempt, 1U);
}

}  // namespace
}  // namespace muster::resp::work
