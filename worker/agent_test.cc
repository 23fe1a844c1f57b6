// The worker against a server made for it: the conversation, outages, and every way to end.
#include "worker/agent.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <thread>

#include "base/temp_folder_testing.h"
#include "worker/exit.h"
#include "worker/fake_server_testing.h"
#include "worker/refusal.h"

namespace muster::worker {
namespace {

using nlohmann::json;
using namespace std::chrono_literals;

std::string document(const std::string& id, const std::string& tasks, const std::string& input = "{}") {
  return R"({"job_id":")" + id + R"(","plan":{"plan_id":"p","tasks":)" + tasks + R"(},"input":)" + input + "}";
}

constexpr const char* kPipeline =
    R"([{"task_number":1,"command":"printf","args":["{{input.text}}\\n"]},{"task_number":2,"command":"tr","args":["a-z","A-Z"],"input_from_task":1}])";
constexpr const char* kSleep = R"([{"task_number":1,"command":"sleep","args":["300"]}])";
constexpr const char* kShort = R"([{"task_number":1,"command":"sleep","args":["0.5"]}])";

struct AgentTest : testing::Test {
  void SetUp() override {
    options.client.address = server.address();
    options.client.key = "0123456789abcdef";
    options.identity.id = "w-1";
    options.adopts = false;
  }
  ~AgentTest() override { finish(); }

  void start() {
    ExecutorOptions executor_options;
    executor_options.temp_folder = temp.path();
    executor_options.kill_grace = 200ms;
    executor = std::make_unique<Executor>(*Toolbox::listed({"printf", "tr", "sleep", "false", "sort", "cat"}, "/usr/bin:/bin"),
                                          executor_options, clock);
    spool = std::move(*Spool::open(temp.path("spool")));
    agent = std::make_unique<Agent>(options, *executor, *spool, clock);
    thread = std::thread([this] {
      exit_code = agent->run([this](Duration wait) {
        std::unique_lock lock(mutex);
        if (!changed.wait_for(lock, wait, [this] { return signals > 0; })) return false;
        --signals;
        return true;
      });
    });
  }
  void signal() {
    {
      const std::lock_guard lock(mutex);
      ++signals;
    }
    changed.notify_all();
  }
  int finish() {
    if (!thread.joinable()) return exit_code;
    while (!joined.exchange(true)) thread.join();
    agent.reset();
    spool.reset();
    return exit_code;
  }
  int stop() {
    signal();
    return finish();
  }
  // The final update of a job, once it was said.
  json outcome(const std::string& id) {
    json found;
    const bool said = server.wait_for([&] {
      for (const Words& words : server.said("JOB.UPDATE"))
        if (const json update = json::parse(words[2]); words[1] == id && update.contains("task_results")) found = update;
      return !found.is_null();
    });
    EXPECT_TRUE(said) << "no outcome of " << id;
    return found;
  }

  FakeServer server;
  TempFolder temp;
  RealClock clock;
  AgentOptions options;
  std::unique_ptr<Executor> executor;
  std::unique_ptr<Spool> spool;
  std::unique_ptr<Agent> agent;
  std::thread thread;
  std::atomic<bool> joined{false};
  std::mutex mutex;
  std::condition_variable changed;
  int signals = 0;
  int exit_code = -1;
};

TEST_F(AgentTest, RegistersRunsReportsAndLeaves) {
  server.push(document("job_1", kPipeline, R"({"text":"hello"})"));
  start();
  const json update = outcome("job_1");
  EXPECT_EQ(update["status"], "completed");
  EXPECT_EQ(update["task_results"][1]["stdout"], "HELLO\n");
  ASSERT_TRUE(server.wait_for([&] { return spool->list().empty(); })) << "delivered results leave the spool";
  ASSERT_TRUE(server.wait_said("WORKER.HEARTBEAT", 1));
  EXPECT_EQ(stop(), kExitOk);

  const auto updates = server.said("JOB.UPDATE");
  ASSERT_EQ(updates.size(), 4U);
  EXPECT_EQ(json::parse(updates[0][2])["status"], "running");
  EXPECT_EQ(json::parse(updates[1][2]), json::parse(R"({"worker_id":"w-1","current_task":1,"progress_percent":0})"));
  EXPECT_EQ(json::parse(updates[2][2]), json::parse(R"({"worker_id":"w-1","current_task":2,"progress_percent":50})"));
  const json stats = json::parse(server.said("WORKER.HEARTBEAT")[0][2]);
  for (const char* name : {"active_jobs", "completed_jobs_total", "failed_jobs_total", "avg_job_duration_ms", "uptime_seconds",
                           "cpu_usage_percent", "memory_mb", "disk_available_gb"})
    EXPECT_TRUE(stats.contains(name) && stats[name].is_number()) << name;
  EXPECT_GT(stats["memory_mb"], 0);
  EXPECT_GT(stats["disk_available_gb"], 0);
  EXPECT_EQ(server.names().front(), "AUTH");
  EXPECT_EQ(server.names().back(), "WORKER.UNREGISTER");
  EXPECT_EQ(server.said("WORKER.UNREGISTER"), (std::vector<Words>{{"WORKER.UNREGISTER", "w-1"}}));
}

TEST_F(AgentTest, ReportsAFailureWithWhatWasDone) {
  server.push(document("job_1", R"([{"task_number":1,"command":"printf","args":["x"]},{"task_number":2,"command":"false"}])"));
  start();
  const json update = outcome("job_1");
  EXPECT_EQ(update["status"], "failed");
  EXPECT_EQ(update["error"], "Task 2 failed with exit code 1");
  EXPECT_EQ(update["task_results"].size(), 2U);
  stop();
}

TEST_F(AgentTest, OutlivesPoison) {
  server.push(R"({"job_id":"job_1","plan":{"plan_id":"p","tasks":"no"}})");
  server.push(document("job_2", R"([{"task_number":1,"command":"rm","args":["-rf","x"]}])"));
  server.push(document("job_3", kPipeline, "[]"));
  server.push(document("job_4", kPipeline, R"({"text":"fine"})"));
  start();
  EXPECT_EQ(outcome("job_1")["status"], "failed");
  EXPECT_EQ(outcome("job_2")["error"], "Task 1: tool 'rm' is not announced by this worker");
  EXPECT_EQ(outcome("job_3")["error"], "Missing required input fields: text");
  EXPECT_EQ(outcome("job_4")["status"], "completed");
  EXPECT_EQ(stop(), kExitOk);
}

TEST_F(AgentTest, RunsAsManyAsItHasSlots) {
  options.identity.max_concurrent = 2;
  for (const char* id : {"job_1", "job_2", "job_3"}) server.push(document(id, kSleep));
  start();
  ASSERT_TRUE(server.wait_for([&] { return server.said("JOB.UPDATE").size() >= 4; }));
  EXPECT_EQ(server.said("BRPOP").size(), 2U) << "nothing is pulled while no slot is free";
  signal();
  EXPECT_EQ(stop(), kExitFailure);
}

TEST_F(AgentTest, FinishesItsJobAfterTheFirstSignal) {
  server.push(document("job_1", kShort));
  start();
  ASSERT_TRUE(server.wait_said("JOB.UPDATE", 2));
  EXPECT_EQ(stop(), kExitOk);
  EXPECT_EQ(outcome("job_1")["status"], "completed");
  const auto names = server.names();
  EXPECT_EQ(names.back(), "WORKER.UNREGISTER");
  EXPECT_EQ(std::count(names.begin(), names.end(), "BRPOP"), 1) << "no pop after the signal";
}

TEST_F(AgentTest, LeavesABlockedPopAtOnceWithoutLosingAJob) {
  server.make_pops_endless();
  start();
  ASSERT_TRUE(server.wait_said("BRPOP", 1));
  EXPECT_EQ(stop(), kExitOk);
  EXPECT_EQ(server.said("WORKER.UNREGISTER").size(), 1U);
}

TEST_F(AgentTest, AbandonsJobsAtTheSecondSignal) {
  server.push(document("job_1", kSleep));
  start();
  ASSERT_TRUE(server.wait_said("JOB.UPDATE", 2));
  signal();
  EXPECT_EQ(stop(), kExitFailure);
  EXPECT_EQ(server.said("JOB.UPDATE").size(), 2U) << "an abandoned job is nobody's failure";
  EXPECT_EQ(server.names().back(), "WORKER.UNREGISTER");
  EXPECT_EQ(temp.entries(), 1U) << "only the spool is left";
}

TEST_F(AgentTest, AbandonsJobsWhenTheTimeToStopIsOver) {
  options.shutdown_timeout = 100ms;
  server.push(document("job_1", kSleep));
  start();
  ASSERT_TRUE(server.wait_said("JOB.UPDATE", 2));
  EXPECT_EQ(stop(), kExitFailure);
  EXPECT_EQ(server.said("WORKER.UNREGISTER").size(), 1U);
}

TEST_F(AgentTest, DropsAJobThatIsNotItsOwnAnyMore) {
  server.answer("JOB.UPDATE", [](const Words& words) {
    return json::parse(words[2]).contains("current_task") ? "-ERR Worker w-1 cannot update job claimed by w-2\r\n" : "+OK\r\n";
  });
  server.push(document("job_1", kSleep));
  start();
  ASSERT_TRUE(server.wait_said("BRPOP", 2)) << "its slot is free again";
  EXPECT_EQ(stop(), kExitOk);
  for (const Words& words : server.said("JOB.UPDATE")) EXPECT_FALSE(json::parse(words[2]).contains("task_results"));
}

TEST_F(AgentTest, HearsDuringALongTaskThatTheJobIsGone) {
  options.heartbeat = 100ms;
  std::atomic<int> told{0};
  server.answer("JOB.UPDATE", [&](const Words& words) {
    return json::parse(words[2]).contains("current_task") && told++ > 0 ? "-ERR Job not found: job_1\r\n" : "+OK\r\n";
  });
  server.push(document("job_1", kSleep));
  start();
  ASSERT_TRUE(server.wait_said("BRPOP", 2)) << "its slot is free again";
  EXPECT_EQ(stop(), kExitOk);
}

TEST_F(AgentTest, KeepsAResultThroughAnOutageAndDeliversItAfterwards) {
  std::atomic<bool> away{false};
  server.answer("JOB.UPDATE", [&](const Words& words) -> std::string {
    if (!json::parse(words[2]).contains("task_results")) return "+OK\r\n";
    return away ? "" : "+OK\r\n";  // closes instead of answering
  });
  away = true;
  server.push(document("job_1", kPipeline, R"({"text":"kept"})"));
  start();
  ASSERT_TRUE(server.wait_for([&] { return server.said("JOB.UPDATE").size() >= 4; }));
  EXPECT_EQ(spool->list().size(), 1U);
  away = false;
  ASSERT_TRUE(server.wait_for([&] { return spool->list().empty(); }));
  EXPECT_EQ(outcome("job_1")["task_results"][1]["stdout"], "KEPT\n");
  EXPECT_EQ(stop(), kExitOk);
}

TEST_F(AgentTest, DeliversFirstWhatAnEarlierProcessFinished) {
  {
    auto earlier = Spool::open(temp.path("spool"));
    ASSERT_TRUE((*earlier)->put({.job_id = "old_1", .update = R"({"status":"completed","task_results":[]})"}).ok());
    ASSERT_TRUE((*earlier)
                    ->put({.job_id = "old_2",
                           .update = R"({"status":"completed","task_results":[]})",
                           .has_outputs = true,
                           .out = "o",
                           .err = "e"})
                    .ok());
  }
  server.answer("JOB.UPDATE",
                [](const Words& words) { return words[1] == "old_1" ? "-ERR Job not found: old_1\r\n" : "+OK\r\n"; });
  server.push(document("job_1", kPipeline, R"({"text":"new"})"));
  start();
  outcome("job_1");
  EXPECT_EQ(stop(), kExitOk);
  const auto names = server.names();
  const auto first_pop = std::find(names.begin(), names.end(), "BRPOP");
  EXPECT_EQ(std::count(names.begin(), first_pop, "JOB.UPDATE"), 2) << "stale or not, old results come before new work";
  EXPECT_EQ(server.said("SET"), (std::vector<Words>{{"SET", "job:old_2:stdout", "o"}, {"SET", "job:old_2:stderr", "e"}}));
  auto left = Spool::open(temp.path("spool"));
  EXPECT_TRUE((*left)->list().empty());
}

TEST_F(AgentTest, RegistersAgainWhenTheServerForgotIt) {
  std::atomic<int> beats{0};
  server.answer("WORKER.HEARTBEAT",
                [&](const Words&) { return beats++ == 0 ? "-ERR Worker not registered: w-1\r\n" : "+OK\r\n"; });
  start();
  ASSERT_TRUE(server.wait_said("WORKER.REGISTER", 2));
  ASSERT_TRUE(server.wait_said("WORKER.HEARTBEAT", 2));
  EXPECT_EQ(stop(), kExitOk);
}

TEST_F(AgentTest, AuthenticatesAndRegistersAgainAfterAnOutage) {
  start();
  ASSERT_TRUE(server.wait_said("BRPOP", 1));
  server.close_connections();
  ASSERT_TRUE(server.wait_said("WORKER.REGISTER", 2));
  server.push(document("job_1", kPipeline, R"({"text":"back"})"));
  EXPECT_EQ(outcome("job_1")["status"], "completed");
  EXPECT_GE(server.said("AUTH").size(), 3U);
  EXPECT_EQ(stop(), kExitOk);
}

TEST_F(AgentTest, TakesUpWhatTheServerCountsAsItsOwn) {
  options.adopts = true;
  const std::string id = "job_00000000000000000000000000000001";
  server.answer("LRANGE", [&](const Words&) { return "*2\r\n" + bulk(id) + bulk("job_00000000000000000000000000000002"); });
  server.answer("GET", [&](const Words& words) -> std::string {
    if (words[1] == "job:" + id + ":worker") return bulk("w-1");
    if (words[1] == "job:" + id) return bulk(document(id, kPipeline, R"({"text":"lost"})"));
    return bulk("w-2");
  });
  start();
  EXPECT_EQ(outcome(id)["task_results"][1]["stdout"], "LOST\n");
  EXPECT_EQ(stop(), kExitOk);
  for (const Words& words : server.said("JOB.UPDATE")) EXPECT_EQ(words[1], id);
}

TEST_F(AgentTest, FailsAnElementThatIsNoJobUnderTheNameTheServerGaveIt) {
  const std::string id = "job_00000000000000000000000000000003";
  server.answer("JOBS.SEARCH", [&](const Words&) { return "*1\r\n" + bulk(id); });
  server.answer("GET", [&](const Words& words) { return words[1] == "job:" + id + ":worker" ? bulk("w-1") : bulk("garbage"); });
  server.push("garbage");
  start();
  const json update = outcome(id);
  EXPECT_EQ(update["status"], "failed");
  EXPECT_EQ(update["error"], "the job is not a plan");
  EXPECT_EQ(stop(), kExitOk);
}

TEST_F(AgentTest, AnswersChallengesFromPushesAndPops) {
  server.send_push(">3\r\n+worker.verify\r\n" + bulk("sort") + bulk(R"({"id":"v1","command":"sort","args":["--version"]})"));
  server.push(R"({"job_id":"job_1","verify":{"id":"v2","tool":"rm","command":"rm","args":["--version"]}})");
  start();
  ASSERT_TRUE(server.wait_said("WORKER.VERIFY", 2));
  EXPECT_EQ(stop(), kExitOk);
  std::map<std::string, json> answers;
  for (const Words& words : server.said("WORKER.VERIFY")) answers[words[1]] = json::parse(words[2]);
  EXPECT_EQ(answers["sort"]["id"], "v1");
  EXPECT_EQ(answers["sort"]["exit_code"], 0);
  EXPECT_TRUE(answers["sort"]["output"].get<std::string>().starts_with("sort (GNU coreutils)"));
  EXPECT_EQ(answers["rm"]["id"], "v2");
  EXPECT_NE(answers["rm"]["exit_code"], 0);
}

TEST_F(AgentTest, EndsByItselfWhenTheQueueStaysEmpty) {
  options.once = true;
  server.push(document("job_1", kShort));
  start();
  EXPECT_EQ(finish(), kExitOk);
  EXPECT_EQ(outcome("job_1")["status"], "completed");
  EXPECT_EQ(server.names().back(), "WORKER.UNREGISTER");
}

TEST_F(AgentTest, SaysThatItWasRefused) {
  server.answer("AUTH", [](const Words&) { return "-ERR Invalid authentication key\r\n"; });
  start();
  EXPECT_EQ(finish(), kExitRefused);
}

TEST_F(AgentTest, SaysThatItsRegistrationWasRefused) {
  server.answer("WORKER.REGISTER", [](const Words&) { return "-ERR Invalid capabilities format\r\n"; });
  start();
  EXPECT_EQ(finish(), kExitRefused);
  EXPECT_TRUE(server.said("BRPOP").empty());
}

TEST_F(AgentTest, SaysThatNobodyIsThereWhenItIsToRunOnce) {
  options.once = true;
  options.client.address = {.host = "127.0.0.1", .port = 1};
  start();
  EXPECT_EQ(finish(), kExitUnreachable);
}

// The loop of reconnections on a pause that only counts.
class CountingPause final : public Pause {
 public:
  bool wait(Duration wait) override {
    waits.push_back(wait);
    return waits.size() < 12;
  }
  std::vector<Duration> waits;
};

TEST(Puller, SpacesItsTriesFromOneSecondToAMinuteWithJitter) {
  CountingPause pause;
  Puller puller({.client = {.address = {.host = "127.0.0.1", .port = 1}}, .worker_id = "w-1", .queues = {"ready"}, .seed = 7}, {},
                pause);
  puller.run();
  ASSERT_EQ(pause.waits.size(), 12U);
  Duration step = 1s;
  bool jittered = false;
  for (const Duration wait : pause.waits) {
    EXPECT_GE(wait, step / 2);
    EXPECT_LE(wait, step);
    jittered = jittered || wait < step;
    step = std::min<Duration>(step * 2, 60s);
  }
  EXPECT_EQ(step, 60s);
  EXPECT_TRUE(jittered);
  EXPECT_FALSE(puller.fatal());
}

TEST(Control, AnswersAtOnceBetweenTries) {
  ManualClock clock;
  FakeServer server;
  Control control({.address = {.host = "127.0.0.1", .port = 1}}, clock, 1);
  EXPECT_NE(control.say({"PING"}).error().detail, "waiting before the next try");
  EXPECT_EQ(control.say({"PING"}).error().detail, "waiting before the next try");
  clock.advance(1s);
  EXPECT_NE(control.say({"PING"}).error().detail, "waiting before the next try");
  clock.advance(500ms);
  EXPECT_EQ(control.say({"PING"}).error().detail, "waiting before the next try") << "the second step is at least a second";
}

TEST(Refusals, ReadTheProtocolsTexts) {
  EXPECT_EQ(read_refusal("ERR Worker w-b cannot update job claimed by w-a"), Refusal::stale);
  EXPECT_EQ(read_refusal("ERR Job not found: x"), Refusal::stale);
  EXPECT_EQ(read_refusal("ERR Invalid status transition: completed -> completed"), Refusal::stale);
  EXPECT_EQ(read_refusal("ERR Job x is no longer claimed; its report came too late"), Refusal::stale);
  EXPECT_EQ(read_refusal("ERR Worker not registered: w"), Refusal::unregistered);
  EXPECT_EQ(read_refusal("ERR NOAUTH Authentication required"), Refusal::unregistered);
  EXPECT_EQ(read_refusal("ERR TRYAGAIN nothing was written: disk"), Refusal::later);
  EXPECT_EQ(read_refusal("ERR Internal error: x"), Refusal::other);
}

}  // namespace
}  // namespace muster::worker
