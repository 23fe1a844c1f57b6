// Every key pattern that is a view, read over the wire from the registry and the queues; what may be written, and what may not.
#include "base/ask_testing.h"
#include "fronts/resp/plans/calls_testing.h"

namespace muster::resp {
namespace {

using Texts = std::vector<std::string>;

class Views : public PlansTest {
 protected:
  static std::string registration(const std::string& id) {
    return Json{{"worker_id", id}, {"hostname", "h"}, {"agw_version", "0.1.0"}, {"capabilities", {{"tools", {"sort", "uniq"}}}}}
        .dump();
  }
};

// --- workers ---

TEST_F(Views, W5AWorkersKeysComeFromItsRegistration) {
  start();
  Wire wire = operate();
  const std::string json = registration("worker-macbook-001");
  ASSERT_EQ(wire.call({"WORKER.REGISTER", json}), "+OK worker_id=worker-macbook-001 heartbeat_interval=30\r\n");
  advance(Duration(5'000));
  ASSERT_EQ(wire.call({"WORKER.HEARTBEAT", "worker-macbook-001", R"({"active_jobs":0})"}), "+OK\r\n");
  const std::string worker = "worker:worker-macbook-001";
  EXPECT_EQ(json_of(wire.call({"GET", worker + ":metadata"})), Json::parse(json));
  EXPECT_EQ(bulk_of(wire.call({"GET", worker + ":stats"})), R"({"active_jobs":0})");
  EXPECT_EQ(bulk_of(wire.call({"GET", worker + ":alive"})), "1700000005");
  EXPECT_EQ(wire.call({"TTL", worker + ":alive"}), ":90\r\n");
  EXPECT_EQ(wire.call({"PTTL", worker + ":alive"}), ":90000\r\n");
  EXPECT_EQ(wire.call({"TTL", worker + ":stats"}), ":120\r\n");
  EXPECT_EQ(wire.call({"TTL", worker + ":metadata"}), ":-1\r\n");
  EXPECT_EQ(wire.call({"TTL", "worker:nobody:alive"}), ":-2\r\n");
  EXPECT_EQ(bulk_of(wire.call({"GET", worker + ":tools"})), "sort,uniq");
  EXPECT_EQ(wire.call({"TYPE", worker}), "+hash\r\n");
  EXPECT_EQ(texts_of(wire.call({"HGETALL", worker})),
            (Texts{"expire_at", "1700000095", "last_seen", "1700000005", "status", "active"}));
  EXPECT_EQ(wire.call({"GET", worker}), "-WRONGTYPE Operation against a key holding the wrong kind of value\r\n");
  EXPECT_EQ(bulk_of(wire.call({"ZSCORE", "workers:all", "worker-macbook-001"})), "1700000005");
}

TEST_F(Views, W7W8LiveWorkersAreFoundByKeyAndByTool) {
  start();
  Wire wire = operate();
  ASSERT_TRUE(wire.call({"WORKER.REGISTER", registration("worker-macbook-001")}).starts_with("+OK"));
  EXPECT_EQ(wire.call_bytes("*2\r\n$4\r\nKEYS\r\n$14\r\nworker:*:alive\r\n"), "*1\r\n$31\r\nworker:worker-macbook-001:alive\r\n");
  EXPECT_EQ(wire.call_bytes("*2\r\n$8\r\nSMEMBERS\r\n$23\r\ncapability:sort:workers\r\n"), "*1\r\n$18\r\nworker-macbook-001\r\n");
  EXPECT_EQ(wire.call({"SISMEMBER", "capability:sort:workers", "worker-macbook-001"}), ":1\r\n");
  EXPECT_EQ(wire.call({"SISMEMBER", "capability:awk:workers", "worker-macbook-001"}), ":0\r\n");
  EXPECT_EQ(wire.call({"SCARD", "capability:uniq:workers"}), ":1\r\n");
  Wire other = operate();
  ASSERT_TRUE(other.call({"SET", "worker:w-2:tools", "sort"}).starts_with("+OK"));
  EXPECT_EQ(texts_of(wire.call({"SMEMBERS", "capability:sort:workers"})), (Texts{"w-2", "worker-macbook-001"}));
  EXPECT_EQ(texts_of(wire.call({"SINTER", "capability:sort:workers", "capability:uniq:workers"})), (Texts{"worker-macbook-001"}));
}

TEST_F(Views, ADeadWorkerLeavesItsMetadata) {
  start();
  Wire wire = operate();
  ASSERT_TRUE(wire.call({"WORKER.REGISTER", registration("w-1")}).starts_with("+OK"));
  ASSERT_EQ(wire.call({"WORKER.HEARTBEAT", "w-1", R"({"a":1})"}), "+OK\r\n");
  advance(Duration(90'000));
  EXPECT_EQ(wire.call({"GET", "worker:w-1:alive"}), "$-1\r\n");
  EXPECT_EQ(wire.call({"KEYS", "worker:*:alive"}), "*0\r\n");
  EXPECT_EQ(wire.call({"SMEMBERS", "capability:sort:workers"}), "*0\r\n");
  EXPECT_EQ(bulk_of(wire.call({"HGET", "worker:w-1", "status"})), "dead");
  EXPECT_EQ(json_of(wire.call({"GET", "worker:w-1:metadata"}))["hostname"], "h");
  advance(Duration(30'000));
  EXPECT_EQ(wire.call({"GET", "worker:w-1:stats"}), "$-1\r\n");
}

TEST_F(Views, AnUnregisteredWorkerLeavesNothing) {
  start();
  Wire wire = operate();
  ASSERT_TRUE(wire.call({"WORKER.REGISTER", registration("w-1")}).starts_with("+OK"));
  ASSERT_EQ(wire.call({"WORKER.UNREGISTER", "w-1"}), "+OK\r\n");
  EXPECT_EQ(wire.call({"GET", "worker:w-1:metadata"}), "$-1\r\n");
  EXPECT_EQ(wire.call({"EXISTS", "worker:w-1"}), ":0\r\n");
  EXPECT_EQ(wire.call({"KEYS", "worker:*"}), "*0\r\n");
}

TEST_F(Views, ToolsAndTagsThatAWorkerSetsAreItsRegistration) {
  start();
  Wire wire = operate();
  ASSERT_EQ(wire.call({"SET", "worker:w-1:tools", "sort,uniq"}), "+OK\r\n");
  ASSERT_EQ(wire.call({"SET", "worker:w-1:tags", "cpu,fast"}), "+OK\r\n");
  EXPECT_EQ(bulk_of(wire.call({"GET", "worker:w-1:tools"})), "sort,uniq");
  EXPECT_EQ(bulk_of(wire.call({"GET", "worker:w-1:tags"})), "cpu,fast");
  EXPECT_EQ(json_of(wire.call({"GET", "worker:w-1:metadata"}))["worker_id"], "w-1");
}

// --- jobs ---

TEST_F(Views, J13AJobIsADocumentAndAHash) {
  start_with_plan();
  Wire wire = operate();
  const auto jobs = act(wire, "a1", 2);
  const std::string job = "job:" + jobs.at(0);
  EXPECT_EQ(wire.call({"GET", job + ":worker"}), "$-1\r\n");
  Wire worker = operate();
  ASSERT_EQ(worker.call({"PING", "w-1"}), "$3\r\nw-1\r\n");
  ASSERT_EQ(take(worker), jobs[0]);
  const Json doc = json_of(wire.call({"GET", job}));
  EXPECT_EQ(doc["job_id"], jobs[0]);
  EXPECT_EQ(doc["plan_id"], "plan-t1");
  EXPECT_EQ(doc["input"], Json::parse(R"({"n":1})"));
  EXPECT_EQ(json_of(wire.call({"JOB.GET", jobs[0]}))["status"], "running");
  EXPECT_EQ(wire.call({"TYPE", job}), "+string\r\n");
  EXPECT_EQ(bulk_of(wire.call({"HGET", job, "status"})), "running");
  EXPECT_EQ(bulk_of(wire.call({"HGET", job, "action_id"})), "a1");
  EXPECT_EQ(texts_of(wire.call({"HMGET", job, "plan_id", "input", "input_index", "worker_id"})),
            (Texts{"plan-t1", R"({"n":1})", "0", "w-1"}));
  EXPECT_EQ(wire.call({"HEXISTS", job, "created_at"}), ":1\r\n");
  EXPECT_EQ(bulk_of(wire.call({"GET", job + ":worker"})), "w-1");
  EXPECT_EQ(wire.call({"TTL", job + ":worker"}), ":3600\r\n");
  EXPECT_EQ(bulk_of(wire.call({"GET", job + ":status"})), "running");
  EXPECT_EQ(bulk_of(wire.call({"GET", job + ":input"})), R"({"n":1})");
  EXPECT_EQ(bulk_of(wire.call({"GET", job + ":plan"})), kEchoPlan);
  EXPECT_EQ(wire.call({"GET", job + ":stdout"}), "$-1\r\n");
  EXPECT_EQ(wire.call({"GET", job + ":output"}), "$-1\r\n");
  EXPECT_EQ(json_of(wire.call({"GET", job + ":metadata"}))["status"], "running");
  EXPECT_EQ(bulk_of(wire.call({"HGET", job + ":metadata", "started_at"})), "1700000000");
  EXPECT_EQ(wire.call({"LLEN", job}), "-WRONGTYPE Operation against a key holding the wrong kind of value\r\n");
}

TEST_F(Views, J14TheWorkersThreeSetsAndItsRemovalEndTheJob) {
  start_with_plan();
  Wire wire = operate();
  const auto jobs = act(wire, "a1", 2);
  Wire worker = operate();
  ASSERT_EQ(worker.call({"PING", "w-1"}), "$3\r\nw-1\r\n");
  ASSERT_EQ(take(worker), jobs.at(0));
  const std::string job = "job:" + jobs[0];
  EXPECT_EQ(texts_of(wire.call({"LRANGE", "queue:processing", "0", "-1"})), (Texts{jobs[0]}));
  EXPECT_EQ(worker.call({"SET", job + ":stdout", "hello\n"}), "+OK\r\n");
  EXPECT_EQ(worker.call({"SET", job + ":stderr", ""}), "+OK\r\n");
  EXPECT_EQ(worker.call({"SET", job + ":status", "completed"}), "+OK\r\n");
  EXPECT_EQ(worker.call({"LREM", "queue:processing", "1", jobs[0]}), ":1\r\n");
  EXPECT_EQ(json_of(wire.call({"ACTION.GET", "a1"}))["summary"],
            Json::parse(R"({"jobs_completed":1,"jobs_failed":0,"jobs_pending":1,"jobs_total":2})"));
  EXPECT_EQ(bulk_of(wire.call({"GET", job + ":stdout"})), "hello\n");
  EXPECT_EQ(wire.call({"GET", job + ":stderr"}), "$0\r\n\r\n");
  EXPECT_EQ(bulk_of(wire.call({"HGET", job, "status"})), "completed");
  EXPECT_EQ(wire.call({"LLEN", "queue:processing"}), ":0\r\n");
}

TEST_F(Views, UnknownJobsReadAsAbsent) {
  start();
  Wire wire = operate();
  EXPECT_EQ(wire.call({"GET", "job:nope"}), "$-1\r\n");
  EXPECT_EQ(wire.call({"HGETALL", "job:job_" + std::string(32, '0')}), "*0\r\n");
  EXPECT_EQ(wire.call({"EXISTS", "job:nope", "job:nope:status"}), ":0\r\n");
  EXPECT_EQ(wire.call({"TYPE", "job:nope"}), "+none\r\n");
  EXPECT_EQ(wire.call({"STRLEN", "job:nope:stdout"}), ":0\r\n");
}

// --- plans and actions ---

TEST_F(Views, J7APlanIsItsTextAndAHash) {
  start_with_plan();
  Wire wire = operate();
  const Json plan = json_of(wire.call_bytes("*2\r\n$3\r\nGET\r\n$12\r\nplan:plan-t1\r\n"));
  EXPECT_EQ(plan["plan_id"], "plan-t1");
  EXPECT_EQ(plan["tasks"][0]["command"], "echo");
  EXPECT_EQ(wire.call({"STRLEN", "plan:plan-t1"}), ":" + std::to_string(kEchoPlan.size()) + "\r\n");
  EXPECT_EQ(texts_of(wire.call({"HGETALL", "plan:plan-t1"})),
            (Texts{"created_at", "1700000000", "json", kEchoPlan, "plan_description", "", "status", "ready", "task_count", "1"}));
  EXPECT_EQ(wire.call({"HLEN", "plan:plan-t1:stats"}), ":0\r\n");
}

TEST_F(Views, PlansAndActionsKnowWhatWasMadeOfThem) {
  start_with_plan();
  Wire wire = operate();
  const auto first = act(wire, "a1", 2);
  advance(Duration(1'000));
  const auto second = act(wire, "a2", 1);
  EXPECT_EQ(texts_of(wire.call({"HGETALL", "plan:plan-t1:stats"})),
            (Texts{"last_used", "1700000001", "total_actions", "2", "total_jobs", "3"}));
  EXPECT_EQ(texts_of(wire.call({"LRANGE", "plan:plan-t1:actions", "0", "-1"})), (Texts{"a2", "a1"}));
  EXPECT_EQ(wire.call({"LLEN", "plan:plan-t1:actions"}), ":2\r\n");
  EXPECT_EQ(texts_of(wire.call({"LRANGE", "plan:plan-t1:jobs", "0", "-1"})), (Texts{second.at(0), first.at(1), first.at(0)}));
  EXPECT_EQ(texts_of(wire.call({"LRANGE", "plan:plan-t1:jobs", "1", "1"})), (Texts{first[1]}));
  EXPECT_EQ(bulk_of(wire.call({"LINDEX", "plan:plan-t1:jobs", "-1"})), first[0]);
  EXPECT_EQ(wire.call({"LLEN", "plan:plan-t1:jobs"}), ":3\r\n");
  EXPECT_EQ(texts_of(wire.call({"LRANGE", "action:a1:jobs", "0", "-1"})), (Texts{first[1], first[0]}));
  EXPECT_EQ(texts_of(wire.call({"LRANGE", "action:a1:jobs", "1", "5"})), (Texts{first[0]}));
  EXPECT_EQ(texts_of(wire.call({"HGETALL", "action:a1"})),
            (Texts{"created_at", "1700000000", "jobs_completed", "0", "jobs_created", "2", "jobs_failed", "0", "jobs_pending",
                   "2", "plan_id", "plan-t1", "status", "running"}));
  EXPECT_EQ(texts_of(wire.call({"ZRANGE", "actions:all", "0", "-1", "WITHSCORES"})),
            (Texts{"a1", "1700000000", "a2", "1700000001"}));
  EXPECT_EQ(texts_of(wire.call({"ZRANGEBYSCORE", "actions:all", "1700000001", "+inf"})), (Texts{"a2"}));
  EXPECT_EQ(wire.call({"ZRANK", "actions:all", "a2"}), ":1\r\n");
  EXPECT_EQ(wire.call({"ZCARD", "plans:all"}), ":1\r\n");
  EXPECT_EQ(bulk_of(wire.call({"ZSCORE", "plans:all", "plan-t1"})), "1700000000");
  EXPECT_EQ(wire.call({"LLEN", "action:nope:jobs"}), ":0\r\n");
}

TEST_F(Views, DeletingAPlansKeyDeletesThePlan) {
  start_with_plan();
  Wire wire = operate();
  EXPECT_EQ(wire.call({"DEL", "plan:nope"}), ":0\r\n");
  act(wire, "a1", 1);
  EXPECT_EQ(wire.call({"DEL", "plan:plan-t1"}), "-ERR Cannot delete plan with active jobs\r\n");
  ASSERT_EQ(wire.call({"PLAN.SUBMIT", R"({"plan_id":"p","tasks":[{"task_number":1,"command":"ls"}]})"}), "$1\r\np\r\n");
  EXPECT_EQ(wire.call({"DEL", "plan:p", "plan:plan-t1"}), "-ERR DEL takes one view at a time\r\n");
  EXPECT_EQ(wire.call({"DEL", "plan:p"}), ":1\r\n");
  EXPECT_EQ(wire.call({"GET", "plan:p"}), "$-1\r\n");
}

// --- queues ---

TEST_F(Views, AQueueIsAListWithItsNewestJobFirst) {
  start_with_plan();
  Wire wire = operate();
  const auto jobs = act(wire, "a1", 3);
  EXPECT_EQ(wire.call({"TYPE", "queue:ready"}), "+list\r\n");
  EXPECT_EQ(texts_of(wire.call({"LRANGE", "queue:ready", "0", "-1"})), (Texts{jobs.at(2), jobs.at(1), jobs.at(0)}));
  EXPECT_EQ(texts_of(wire.call({"LRANGE", "queue:ready", "-1", "-1"})), (Texts{jobs[0]}));
  EXPECT_EQ(bulk_of(wire.call({"LINDEX", "queue:ready", "0"})), jobs[2]);
  EXPECT_EQ(wire.call({"LINDEX", "queue:ready", "3"}), "$-1\r\n");
  EXPECT_EQ(wire.call({"LLEN", "queue:ready"}), ":3\r\n");
  EXPECT_EQ(wire.call({"EXISTS", "queue:ready", "queue:empty"}), ":1\r\n");
  EXPECT_EQ(wire.call({"LLEN", "queue:empty"}), ":0\r\n");
}

TEST_F(Views, WhatAClientPushedIsShownAsItWasPushed) {
  start();
  Wire wire = operate();
  ASSERT_EQ(wire.call({"LPUSH", "queue:mine", "one"}), ":1\r\n");
  ASSERT_EQ(wire.call({"LPUSH", "queue:mine", R"({"x":2})"}), ":2\r\n");
  EXPECT_EQ(texts_of(wire.call({"LRANGE", "queue:mine", "0", "-1"})), (Texts{R"({"x":2})", "one"}));
}

TEST_F(Views, RemovingAnElementOfAQueueCancelsThatJob) {
  start_with_plan();
  Wire wire = operate();
  const auto jobs = act(wire, "a1", 2);
  EXPECT_EQ(wire.call({"LREM", "queue:other", "1", jobs.at(0)}), ":0\r\n");
  EXPECT_EQ(wire.call({"LREM", "queue:ready", "1", jobs[0]}), ":1\r\n");
  EXPECT_EQ(wire.call({"LREM", "queue:ready", "1", jobs[0]}), ":0\r\n");
  EXPECT_EQ(bulk_of(wire.call({"GET", "job:" + jobs[0] + ":status"})), "cancelled");
  EXPECT_EQ(texts_of(wire.call({"LRANGE", "queue:ready", "0", "-1"})), (Texts{jobs.at(1)}));
  EXPECT_EQ(wire.call({"LREM", "queue:ready", "x", jobs[1]}), "-ERR LREM count must be an integer\r\n");
  for (int i = 0; i < 3; ++i) wire.call({"LPUSH", "queue:mine", "same"});
  EXPECT_EQ(wire.call({"LREM", "queue:mine", "2", "same"}), ":2\r\n");
  EXPECT_EQ(wire.call({"LREM", "queue:mine", "0", "same"}), ":1\r\n");
  EXPECT_EQ(wire.call({"LREM", "queue:mine", "0", "same"}), ":0\r\n");
}

TEST_F(Views, ScheduledJobsAreASortedSetByTheirTime) {
  start();
  Wire wire = operate();
  EXPECT_EQ(wire.call({"ZADD", "queue:scheduled", "1700000030", R"({"job_id":"j1"})", "1700000010.5", "two"}), ":2\r\n");
  EXPECT_EQ(wire.call({"ZADD", "queue:scheduled", "1700000099", R"({"job_id":"j1"})"}), ":0\r\n");
  EXPECT_EQ(texts_of(wire.call({"ZRANGE", "queue:scheduled", "0", "-1", "WITHSCORES"})),
            (Texts{"two", "1700000010.5", R"({"job_id":"j1"})", "1700000030"}));
  EXPECT_EQ(wire.call({"ZCARD", "queue:scheduled"}), ":2\r\n");
  EXPECT_EQ(wire.call({"LLEN", "queue:scheduled"}), ":2\r\n");
  EXPECT_EQ(wire.call({"TYPE", "queue:scheduled"}), "+zset\r\n");
  EXPECT_EQ(texts_of(wire.call({"ZRANGEBYSCORE", "queue:scheduled", "0", "1700000020"})), (Texts{"two"}));
  EXPECT_EQ(wire.call({"ZREM", "queue:scheduled", "j1"}), ":1\r\n");
  EXPECT_EQ(bulk_of(wire.call({"GET", "job:j1:status"})), "cancelled");
  advance(Duration(10'500));
  EXPECT_TRUE(eventually([&] { return wire.call({"LLEN", "queue:ready"}) == ":1\r\n"; }));
  EXPECT_EQ(bulk_of(wire.call({"RPOP", "queue:ready"})), "two");
  EXPECT_EQ(wire.call({"ZADD", "queue:scheduled", "nan", "x"}), "-ERR Score must be a finite number\r\n");
  EXPECT_EQ(wire.call({"ZADD", "queue:scheduled", "soon", "x"}), "-ERR ZADD score must be a valid number\r\n");
  EXPECT_TRUE(wire.call({"ZADD", "queue:scheduled", "1e300", "x"}).starts_with("-ERR "));
  EXPECT_EQ(wire.call({"ZADD", "queue:scheduled", "1700000099", "job_" + std::string(32, 'a')}),
            "-ERR a job's due time cannot be changed; add the element that describes a new one\r\n");
  EXPECT_TRUE(wire.call({"ZADD", "queue:scheduled", "NX", "1700000099", "x"}).starts_with("-ERR syntax error"));
  EXPECT_EQ(wire.call({"ZCARD", "queue:scheduled"}), ":0\r\n");
}

TEST_F(Views, OnlyTheOperatorRemovesAndSchedulesJobs) {
  RespOptions options;
  options.keys.push_back({.name = "w", .role = command::Role::worker, .secret = std::string(64, 'b'), .worker = WorkerId("w-1")});
  start_with_plan(options);
  Wire wire = operate();
  const auto jobs = act(wire, "a1", 1);
  Wire worker = authenticate({std::string(64, 'b')});
  EXPECT_TRUE(worker.call({"LREM", "queue:ready", "1", jobs.at(0)}).starts_with("-ERR NOPERM"));
  EXPECT_TRUE(worker.call({"ZADD", "queue:scheduled", "1700000099", "x"}).starts_with("-ERR NOPERM"));
  EXPECT_TRUE(worker.call({"SET", "worker:w-2:tools", "sort"}).starts_with("-ERR NOPERM"));
  EXPECT_EQ(wire.call({"LLEN", "queue:ready"}), ":1\r\n");
  EXPECT_EQ(wire.call({"LLEN", "queue:scheduled"}), ":0\r\n");
  EXPECT_EQ(wire.call({"EXISTS", "worker:w-2"}), ":0\r\n");
}

// --- mixed, refused, told by others ---

TEST_F(Views, MGetReadsViewsAndPlainKeysTogether) {
  start_with_plan();
  Wire wire = operate();
  const auto jobs = act(wire, "a1", 1);
  ASSERT_EQ(wire.call({"SET", "plain", "v"}), "+OK\r\n");
  EXPECT_EQ(wire.call({"MGET", "plain", "job:" + jobs.at(0) + ":status", "none", "queue:ready", "plain"}),
            "*5\r\n$1\r\nv\r\n$7\r\npending\r\n$-1\r\n$-1\r\n$1\r\nv\r\n");
  EXPECT_EQ(wire.call({"EXISTS", "plain", "none", "plan:plan-t1"}), ":2\r\n");
}

TEST_F(Views, OtherWritesAreRefusedAndChangeNothing) {
  start_with_plan();
  Wire wire = operate();
  const auto jobs = act(wire, "a1", 1);
  const std::string job = "job:" + jobs.at(0);
  const std::pair<Texts, std::string> cases[] = {
      {{"SET", "worker:w:alive", "1"}, "'worker:w:alive' is a view of the registry; use WORKER.HEARTBEAT"},
      {{"SET", "worker:w:metadata", "{}"}, "'worker:w:metadata' is a view of the registry; use WORKER.REGISTER"},
      {{"SADD", "capability:x:workers", "w"}, "'capability:x:workers' is a view of the registry; use WORKER.REGISTER"},
      {{"SET", job, "{}"}, "'" + job + "' is a view of the registry; use JOB.UPDATE"},
      {{"HSET", job, "status", "done"}, "'" + job + "' is a view of the registry; use JOB.UPDATE"},
      {{"DEL", job}, "'" + job + "' is a view of the registry; use JOB.UPDATE"},
      {{"EXPIRE", job, "1"}, "'" + job + "' is a view of the registry; use JOB.UPDATE"},
      {{"SET", job + ":worker", "me"}, "'" + job + ":worker' is a view of the registry; use BRPOP queue:ready"},
      {{"SET", "plan:x", "{}"}, "'plan:x' is a view of the registry; use PLAN.SUBMIT"},
      {{"HSET", "action:a1", "status", "x"}, "'action:a1' is a view of the registry; use ACTION.SUBMIT"},
      {{"DEL", "queue:ready"}, "'queue:ready' is a view of the registry; use LPUSH"},
      {{"LTRIM", "queue:ready", "1", "0"}, "'queue:ready' is a view of the registry; use LPUSH"},
      {{"RENAME", "queue:ready", "x"}, "'queue:ready' is a view of the registry; use LPUSH"},
      {{"MSET", "a", "1", "plan:x", "2"}, "'plan:x' is a view of the registry; use PLAN.SUBMIT"},
      {{"ZADD", "workers:all", "1", "w"}, "'workers:all' is a view of the registry; use WORKER.REGISTER"},
      {{"SET", job + ":status", "completed", "EX", "9"},
       "'" + job + ":status' is a view of the registry; SET takes no options there"},
  };
  for (const auto& [words, text] : cases) EXPECT_EQ(wire.call(words), "-ERR " + text + "\r\n") << words[0] << ' ' << words[1];
  EXPECT_EQ(wire.call({"GET", "a"}), "$-1\r\n");
  EXPECT_EQ(bulk_of(wire.call({"GET", job + ":status"})), "pending");
  EXPECT_EQ(wire.call({"LLEN", "queue:ready"}), ":1\r\n");
  EXPECT_EQ(wire.call({"EXISTS", "plan:x", "worker:w:alive"}), ":0\r\n");
}

TEST_F(Views, WhatAnotherWireDoesIsSeenAtOnce) {
  start_with_plan();
  Wire wire = operate();
  const auto jobs = act(wire, "a1", 1);
  const auto id = JobId::parse(jobs.at(0).substr(4));
  ASSERT_TRUE(id);
  // As the HTTP front does it: a worker registers, claims and completes.
  WorkerSpec spec;
  spec.id = WorkerId("http-1");
  spec.capabilities = CapabilitySet({"tool:echo"});
  const auto registered = muster::ask<store::Each<store::Registered>>(
      [&](auto reply) { engine->workers().register_workers({spec}, std::move(reply)); });
  EXPECT_TRUE(registered.ok() && registered->front().ok());
  store::ClaimRequest claim;
  claim.ns = NamespaceName(kDefaultNamespace);
  claim.worker = spec.id;
  const auto claimed = muster::ask<store::ClaimReply>([&](auto reply) { store->claim(claim, std::move(reply)); });
  ASSERT_TRUE(claimed.ok());
  ASSERT_EQ(claimed->grants.size(), 1U);
  const LeaseRef lease{claimed->grants[0].id, claimed->grants[0].fence};
  EXPECT_EQ(bulk_of(wire.call({"GET", "job:" + jobs[0] + ":worker"})), "http-1");
  EXPECT_EQ(texts_of(wire.call({"LRANGE", "queue:processing", "0", "-1"})), (Texts{jobs[0]}));
  EXPECT_EQ(texts_of(wire.call({"SMEMBERS", "capability:echo:workers"})), (Texts{"http-1"}));
  const auto completed = muster::ask<store::Each<store::Settled>>([&](auto reply) {
    engine->jobs().complete({{.lease = lease, .result = Content{R"({"ok":true})", Encoding::json}}}, std::move(reply));
  });
  EXPECT_TRUE(completed.ok() && completed->front().ok());
  EXPECT_EQ(bulk_of(wire.call({"HGET", "job:" + jobs[0], "status"})), "completed");
  EXPECT_EQ(bulk_of(wire.call({"GET", "job:" + jobs[0] + ":output"})), R"({"ok":true})");
  EXPECT_EQ(bulk_of(wire.call({"HGET", "action:a1", "jobs_completed"})), "1");
  EXPECT_EQ(wire.call({"LLEN", "queue:processing"}), ":0\r\n");
  EXPECT_EQ(bulk_of(wire.call({"HGET", "action:a1", "status"})), "completed");
}

TEST_F(Views, KeysListsEveryFamilyThatThePatternMeans) {
  start_with_plan();
  Wire wire = operate();
  const auto jobs = act(wire, "a1", 1);
  ASSERT_TRUE(wire.call({"WORKER.REGISTER", registration("w-1")}).starts_with("+OK"));
  ASSERT_EQ(wire.call({"SET", "plain", "v"}), "+OK\r\n");
  const std::string job = "job:" + jobs.at(0);
  EXPECT_EQ(texts_of(wire.call({"KEYS", "job:*"})),
            (Texts{job, job + ":input", job + ":metadata", job + ":plan", job + ":status"}));
  EXPECT_EQ(texts_of(wire.call({"KEYS", job + "*:status"})), (Texts{job + ":status"}));
  EXPECT_EQ(texts_of(wire.call({"KEYS", "plan*"})),
            (Texts{"plan:plan-t1", "plan:plan-t1:actions", "plan:plan-t1:jobs", "plan:plan-t1:stats", "plans:all"}));
  EXPECT_EQ(texts_of(wire.call({"KEYS", "action*"})), (Texts{"action:a1", "action:a1:jobs", "actions:all"}));
  EXPECT_EQ(texts_of(wire.call({"KEYS", "queue:*"})), (Texts{"queue:ready"}));
  EXPECT_EQ(texts_of(wire.call({"KEYS", "capability:*"})), (Texts{"capability:sort:workers", "capability:uniq:workers"}));
  EXPECT_EQ(texts_of(wire.call({"KEYS", "worker*"})),
            (Texts{"worker:w-1", "worker:w-1:alive", "worker:w-1:metadata", "worker:w-1:tools", "workers:all"}));
  const auto all = texts_of(wire.call({"KEYS", "*"}));
  for (const char* name : {"plain", "plan:plan-t1", "queue:ready", "worker:w-1"})
    EXPECT_NE(std::find(all.begin(), all.end(), name), all.end()) << name;
  ASSERT_TRUE(wire.call({"SET", "plan", "v"}).starts_with("+OK"));
  EXPECT_EQ(texts_of(wire.call({"KEYS", "nothing*"})), Texts{});
}

TEST_F(Views, AScanWalksThroughEveryNameOnce) {
  RespOptions options;
  options.limits.action_inputs_max = 200;
  start_with_plan(options);
  Wire wire = operate();
  const auto jobs = act(wire, "a1", 200);
  std::vector<std::string> met;
  std::string cursor = "0";
  do {
    const std::string page = wire.call({"SCAN", cursor, "MATCH", "job:*:status", "COUNT", "7"});
    ASSERT_TRUE(page.starts_with("*2\r\n$")) << page;
    const std::size_t array = page.find("\r\n*") + 2;
    cursor = bulk_of(page.substr(4, array - 4));
    for (std::string& name : texts_of(page.substr(array))) met.push_back(std::move(name));
  } while (cursor != "0");
  std::vector<std::string> expected;
  for (const std::string& job : jobs) expected.push_back("job:" + job + ":status");
  std::sort(expected.begin(), expected.end());
  EXPECT_EQ(met, expected);
}

TEST_F(Views, InResp3HashesAreMapsAndSetsAreSets) {
  start_with_plan();
  Wire wire = operate();
  ASSERT_TRUE(wire.call({"WORKER.REGISTER", registration("w-1")}).starts_with("+OK"));
  ASSERT_TRUE(wire.call({"HELLO", "3"}).starts_with("%"));
  EXPECT_TRUE(wire.call({"HGETALL", "worker:w-1"}).starts_with("%3\r\n"));
  EXPECT_EQ(wire.call({"SMEMBERS", "capability:sort:workers"}), "~1\r\n$3\r\nw-1\r\n");
  EXPECT_EQ(wire.call({"GET", "job:none"}), "_\r\n");
}

}  // namespace
}  // namespace muster::resp
