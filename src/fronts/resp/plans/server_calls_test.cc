// WORKERS.LIST, QUEUE.STATS, QUEUE.PEEK and METRICS over the wire.
#include "fronts/resp/plans/calls_testing.h"

namespace muster::resp {
namespace {

class ServerCalls : public PlansTest {
 protected:
  static std::string registration(const std::string& id) {
    return Json{{"worker_id", id}, {"hostname", "h"}, {"agw_version", "0.1.0"}, {"capabilities", {{"tools", {"uniq", "echo"}}}}}
        .dump();
  }
};

TEST_F(ServerCalls, Q2WorkersListIsEmptyOnAFreshServer) {
  start();
  Wire wire = operate();
  EXPECT_EQ(wire.call_bytes("*1\r\n$12\r\nWORKERS.LIST\r\n"), "*0\r\n");
}

TEST_F(ServerCalls, WorkersListShowsTheLiveOnesTheLatestHeardFirst) {
  start();
  Wire wire = operate();
  Wire other = operate();
  ASSERT_TRUE(wire.call({"WORKER.REGISTER", registration("w-1")}).starts_with("+OK"));
  advance(Duration(2'000));
  ASSERT_EQ(other.call({"PING", "w-2"}), "$3\r\nw-2\r\n");
  const auto workers = texts_of(wire.call({"WORKERS.LIST"}));
  ASSERT_EQ(workers.size(), 2U);
  EXPECT_EQ(workers[0], R"({"last_seen":1700000002,"status":"active","tools":"","worker_id":"w-2"})");
  EXPECT_EQ(workers[1], R"({"last_seen":1700000000,"status":"active","tools":"echo,uniq","worker_id":"w-1"})");
  advance(Duration(89'000));
  EXPECT_TRUE(eventually([&] { return texts_of(wire.call({"WORKERS.LIST"})).size() == 1U; }));
}

TEST_F(ServerCalls, TheAnonymousWorkerIsNobodysBusiness) {
  start_with_plan();
  Wire wire = operate();
  act(wire, "a1", 1);
  ASSERT_TRUE(take(wire).starts_with("job_"));
  EXPECT_EQ(wire.call({"WORKERS.LIST"}), "*0\r\n");
  EXPECT_EQ(wire.call({"KEYS", "worker:*"}), "*0\r\n");
  EXPECT_EQ(wire.call({"ZCARD", "workers:all"}), ":0\r\n");
}

TEST_F(ServerCalls, QueueStatsBeginsWithTheOriginalsPairs) {
  start_with_plan();
  Wire wire = operate();
  act(wire, "a1", 3);
  ASSERT_TRUE(take(wire).starts_with("job_"));
  ASSERT_EQ(wire.call({"ZADD", "queue:scheduled", "1700000060", "later"}), ":1\r\n");
  EXPECT_EQ(texts_of(wire.call({"QUEUE.STATS"})),
            (std::vector<std::string>{"pending_jobs", "2", "scheduled_jobs", "1", "processing_jobs", "1", "waiting_jobs", "2",
                                      "active_workers", "0"}));
}

TEST_F(ServerCalls, QueueStatsOfOneQueueIsADocument) {
  start_with_plan();
  Wire wire = operate();
  act(wire, "a1", 1);
  advance(Duration(10'000));
  act(wire, "a2", 1);
  advance(Duration(5'000));
  ASSERT_EQ(wire.call({"ZADD", "queue:scheduled", "1700000075", "later"}), ":1\r\n");
  ASSERT_TRUE(wire.call({"WORKER.REGISTER", registration("w-1")}).starts_with("+OK"));
  EXPECT_EQ(bulk_of(wire.call({"QUEUE.STATS", "queue:ready"})),
            R"({"queue:ready":{"length":2,"newest_job_age_seconds":5,"oldest_job_age_seconds":15},)"
            R"("queue:scheduled":{"length":1,"next_job_due_in_seconds":60},"workers":{"active":0,"idle":1,"total":1}})");
  const Json empty = json_of(wire.call({"QUEUE.STATS", "zzz"}));
  EXPECT_EQ(empty["queue:zzz"], Json::parse(R"({"length":0,"newest_job_age_seconds":null,"oldest_job_age_seconds":null})"));
  EXPECT_EQ(json_of(wire.call({"QUEUE.STATS", "queue:scheduled"}))["queue:scheduled"]["length"], 1);
}

TEST_F(ServerCalls, QueuePeekShowsTheNextJobsAndTakesNone) {
  start_with_plan();
  Wire wire = operate();
  const auto jobs = act(wire, "a1", 12);
  EXPECT_EQ(texts_of(wire.call({"QUEUE.PEEK", "queue:ready", "2"})), (std::vector<std::string>{jobs.at(0), jobs.at(1)}));
  EXPECT_EQ(texts_of(wire.call({"QUEUE.PEEK", "ready"})).size(), 10U);
  EXPECT_EQ(wire.call({"QUEUE.PEEK", "nobody"}), "*0\r\n");
  EXPECT_EQ(wire.call({"QUEUE.PEEK", "ready", "0"}), "-ERR count must be a positive integer\r\n");
  EXPECT_EQ(wire.call({"LLEN", "queue:ready"}), ":12\r\n");
}

TEST_F(ServerCalls, MetricsSpeakBothForms) {
  start_with_plan();
  Wire wire = operate();
  act(wire, "a1", 2);
  ASSERT_TRUE(wire.call({"WORKER.REGISTER", registration("w-1")}).starts_with("+OK"));
  const std::string text = bulk_of(wire.call({"METRICS"}));
  EXPECT_NE(text.find("agq_jobs_total{status=\"pending\"} 2\n"), std::string::npos);
  EXPECT_NE(text.find("agq_workers_active 1\n"), std::string::npos);
  EXPECT_NE(text.find("agq_queue_length{queue=\"queue:ready\"} 2\n"), std::string::npos);
  EXPECT_NE(text.find("muster_"), std::string::npos);
  EXPECT_EQ(bulk_of(wire.call({"METRICS", "prometheus"})).substr(0, 6), "# HELP");
  const Json json = json_of(wire.call({"METRICS", "json"}));
  EXPECT_EQ(json["agq_jobs_total"]["pending"], 2);
  EXPECT_EQ(json["agq_queue_length"]["queue:ready"], 2);
  EXPECT_EQ(json["agq_workers_active"], 1);
  EXPECT_EQ(wire.call({"METRICS", "xml"}), "-ERR format must be one of: prometheus, json\r\n");
}

}  // namespace
}  // namespace muster::resp
