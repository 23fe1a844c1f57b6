#include <gtest/gtest.h>

#include "fronts/resp/work/work_testing.h"

namespace muster::resp::work {
namespace {

class WorkerCommands : public WorkTest {
 protected:
  // The frame of the digest's cases W1 and W2.
  const std::string frame_ =
      "*2\r\n$15\r\nWORKER.REGISTER\r\n$112\r\n"
      R"({"worker_id":"worker-macbook-001","hostname":"h","agw_version":"0.1.0","capabilities":{"tools":["sort","uniq"]}})"
      "\r\n";
  const std::string registered_ = "+OK worker_id=worker-macbook-001 heartbeat_interval=30\r\n";
};

TEST_F(WorkerCommands, W1RegistersAWorkerWithItsTools) {
  start();
  Wire wire = operate();
  EXPECT_EQ(wire.call_bytes(frame_), registered_);
  const auto row = worker_row("worker-macbook-001");
  ASSERT_TRUE(row);
  EXPECT_EQ(row->state, WorkerState::online);
  EXPECT_EQ(row->spec.capabilities, CapabilitySet({"tool:sort", "tool:uniq"}));
  EXPECT_EQ(row->spec.slots, 1U);
}

TEST_F(WorkerCommands, W2RefusesAnIdWhoseOwnerIsConnected) {
  start();
  Wire first = operate();
  EXPECT_EQ(first.call_bytes(frame_), registered_);
  Wire second = operate();
  EXPECT_EQ(second.call_bytes(frame_), "-ERR Worker ID already registered\r\n");
  EXPECT_EQ(first.call_bytes(frame_), "-ERR Worker ID already registered\r\n") << "also on the very same connection";
}

TEST_F(WorkerCommands, W4RefusesBadIdsAndCapabilities) {
  start();
  Wire wire = operate();
  EXPECT_EQ(wire.call_bytes("*2\r\n$15\r\nWORKER.REGISTER\r\n$84\r\n"
                            R"({"worker_id":"w 2","hostname":"h","agw_version":"0.1.0","capabilities":{"tools":[]}})"
                            "\r\n"),
            "-ERR Invalid worker ID characters\r\n");
  EXPECT_EQ(wire.call({"WORKER.REGISTER", R"({"worker_id":"w2","hostname":"h","agw_version":"1","capabilities":7})"}),
            "-ERR Invalid capabilities format\r\n");
  EXPECT_FALSE(worker_row("w2"));
}

TEST_F(WorkerCommands, W5KeepsTheStatsOfAHeartbeat) {
  start();
  Wire wire = operate();
  EXPECT_EQ(wire.call_bytes(frame_), registered_);
  advance(Duration(20'000));
  EXPECT_EQ(wire.call_bytes("*3\r\n$16\r\nWORKER.HEARTBEAT\r\n$18\r\nworker-macbook-001\r\n$17\r\n{\"active_jobs\":0}\r\n"), kOk);
  const auto row = worker_row("worker-macbook-001");
  ASSERT_TRUE(row);
  EXPECT_EQ(row->stats, R"({"active_jobs":0})");
  EXPECT_EQ(row->last_seen_at, clock.now());
}

TEST_F(WorkerCommands, RefusesAHeartbeatWithBadStatsAndChangesNothing) {
  start();
  Wire wire = worker("w-1");
  const Instant before = worker_row("w-1")->last_seen_at;
  advance(Duration(5'000));
  EXPECT_EQ(wire.call({"WORKER.HEARTBEAT", "w-1", "[1,2]"}), "-ERR Invalid worker stats: expected a JSON object\r\n");
  EXPECT_EQ(worker_row("w-1")->last_seen_at, before);
}

TEST_F(WorkerCommands, HeartbeatsAreForTheRegisteredOnly) {
  start();
  Wire wire = operate();
  EXPECT_EQ(wire.call({"WORKER.HEARTBEAT", "nobody"}), "-ERR Worker not registered: nobody\r\n");
  EXPECT_EQ(wire.call({"WORKER.UNREGISTER", "nobody"}), "-ERR Worker not registered\r\n");
  EXPECT_EQ(wire.call({"WORKER.HEARTBEAT", "a b/c"}), "-ERR Worker not registered: a b/c\r\n");
}

TEST_F(WorkerCommands, UnregisteringHandsTheJobsBackAtNoCost) {
  start();
  Wire boss = operate();
  const std::string id = submit_one(boss);
  Wire wire = worker("w-1");
  EXPECT_EQ(json(wire.call({"BRPOP", "queue:ready", "1"}))["job_id"], id);
  EXPECT_EQ(state(id), JobState::running);
  EXPECT_EQ(wire.call({"WORKER.UNREGISTER", "w-1"}), kOk);
  EXPECT_EQ(state(id), JobState::ready);
  EXPECT_EQ(job(id).attempt, 0U);
  EXPECT_EQ(wire.call({"WORKER.UNREGISTER", "w-1"}), "-ERR Worker not registered\r\n");
  EXPECT_EQ(wire.call({"WORKER.HEARTBEAT", "w-1"}), "-ERR Worker not registered: w-1\r\n");
}

TEST_F(WorkerCommands, AWorkerThatComesBackResumesAndKeepsItsJobs) {
  start();
  Wire boss = operate();
  const std::string id = submit_one(boss);
  Wire first = worker("w-1");
  EXPECT_EQ(json(first.call({"BRPOP", "queue:ready", "1"}))["job_id"], id);
  const SessionId session = worker_row("w-1")->session;
  first.close();
  Wire second = operate();
  ASSERT_TRUE(eventually([&] {
    return second.call({"WORKER.REGISTER", registration("w-1")}) == "+OK worker_id=w-1 heartbeat_interval=30\r\n";
  }));
  EXPECT_EQ(worker_row("w-1")->session, session);
  EXPECT_EQ(second.call({"JOB.UPDATE", id, R"({"status":"completed"})"}), kOk);
  EXPECT_EQ(state(id), JobState::completed);
}

TEST_F(WorkerCommands, AWorkersKeyActsAsThatWorkerOnly) {
  RespOptions options;
  options.keys.push_back(
      {.name = "w-1", .role = command::Role::worker, .secret = std::string(64, 'b'), .worker = WorkerId("w-1")});
  start(options);
  Wire wire = authenticate({std::string(64, 'b')});
  const std::string denied = "-ERR NOPERM this key acts as worker 'w-1' only\r\n";
  EXPECT_EQ(wire.call({"WORKER.REGISTER", registration("w-2")}), denied);
  EXPECT_EQ(wire.call({"WORKER.HEARTBEAT", "w-2"}), denied);
  EXPECT_EQ(wire.call({"WORKER.UNREGISTER", "w-2"}), denied);
  EXPECT_EQ(wire.call({"PING", "w-2"}), denied);
  EXPECT_FALSE(worker_row("w-2"));
  EXPECT_EQ(wire.call({"WORKER.REGISTER", registration("w-1")}), "+OK worker_id=w-1 heartbeat_interval=30\r\n");
  Wire again = authenticate({std::string(64, 'b')});
  EXPECT_EQ(again.call({"WORKER.REGISTER", registration("w-1")}), "+OK worker_id=w-1 heartbeat_interval=30\r\n")
      << "the same key from a new connection is the same worker";
}

TEST_F(WorkerCommands, AWorkersKeyPopsAsItsWorkerWithoutSayingSo) {
  RespOptions options;
  options.keys.push_back(
      {.name = "w-1", .role = command::Role::worker, .secret = std::string(64, 'b'), .worker = WorkerId("w-1")});
  start(options);
  Wire boss = operate();
  const std::string id = submit_one(boss);
  Wire wire = authenticate({std::string(64, 'b')});
  EXPECT_EQ(json(wire.call({"BRPOP", "queue:ready", "1"}))["job_id"], id);
  EXPECT_EQ(job(id).worker, WorkerId("w-1"));
}

TEST_F(WorkerCommands, PingRegistersBeatsAndEchoes) {
  start();
  Wire wire = operate();
  EXPECT_EQ(wire.call({"PING", "w-1"}), "$3\r\nw-1\r\n");
  auto row = worker_row("w-1");
  ASSERT_TRUE(row);
  EXPECT_EQ(row->spec.capabilities, CapabilitySet({"tool:*"}));
  advance(Duration(60'000));
  EXPECT_EQ(wire.call({"PING", "w-1"}), "$3\r\nw-1\r\n");
  EXPECT_EQ(worker_row("w-1")->last_seen_at, clock.now());
  EXPECT_EQ(wire.call({"PING", "two words"}),
            "-ERR worker_id contains invalid characters (only alphanumeric, hyphens, and underscores allowed)\r\n");
  EXPECT_EQ(wire.call({"PING", std::string(65, 'w')}), "-ERR worker_id must be between 1 and 64 characters\r\n");
}

TEST_F(WorkerCommands, PingBringsASilentWorkerBackWithWhatItSaidBefore) {
  start();
  Wire wire = operate();
  EXPECT_EQ(wire.call({"SET", "worker:w-1:tools", "sort,uniq"}), kOk);
  EXPECT_EQ(wire.call({"PING", "w-1"}), "$3\r\nw-1\r\n");
  const SessionId session = worker_row("w-1")->session;
  advance(Duration(90'000));
  ASSERT_TRUE(eventually([&] { return worker_row("w-1")->state == WorkerState::offline; }));
  EXPECT_EQ(wire.call({"PING", "w-1"}), "$3\r\nw-1\r\n");
  const auto row = worker_row("w-1");
  EXPECT_EQ(row->state, WorkerState::online);
  EXPECT_NE(row->session, session);
  EXPECT_EQ(row->spec.capabilities, CapabilitySet({"tool:sort", "tool:uniq"}));
}

TEST_F(WorkerCommands, APingedWorkerMayRegisterProperlyLater) {
  start();
  Wire wire = pinged("w-1");
  EXPECT_EQ(wire.call({"WORKER.REGISTER", registration("w-1")}), "+OK worker_id=w-1 heartbeat_interval=30\r\n");
  EXPECT_EQ(worker_row("w-1")->spec.capabilities, CapabilitySet({"tool:echo"}));
}

TEST_F(WorkerCommands, APingOfAnotherConnectionsWorkerIsAHeartbeatAndNothingElse) {
  start();
  Wire first = worker("w-1");
  { Wire second = pinged("w-1"); }
  advance(Duration(1'000));
  Wire third = operate();  // its round trips come after the second's end
  EXPECT_EQ(third.call({"PING"}), "+PONG\r\n");
  EXPECT_EQ(worker_row("w-1")->state, WorkerState::online) << "it is the first one's";
}

TEST_F(WorkerCommands, TheOriginalsCapOnWorkersIsAnOption) {
  RespOptions options;
  options.limits.workers_max = 1;
  start(options);
  Wire first = worker("w-1");
  Wire second = operate();
  const std::string full =
      "-ERR Protocol error: Maximum worker limit reached (1 workers). Cannot register new worker.; try again later\r\n";
  EXPECT_EQ(second.call({"PING", "w-2"}), full);
  EXPECT_EQ(second.call({"WORKER.REGISTER", registration("w-2")}), full);
  EXPECT_EQ(first.call({"WORKER.HEARTBEAT", "w-1"}), kOk) << "the known ones go on";
}

class WorkerList : public WorkTest {
 protected:
  std::vector<Json> list(Wire& wire, std::vector<std::string> options = {}) {
    options.insert(options.begin(), "WORKER.LIST");
    const std::string reply = wire.call(options);
    std::vector<Json> out;
    std::size_t at = reply.find("\r\n") + 2;
    while (at < reply.size()) {
      const std::size_t line = reply.find("\r\n", at);
      const std::size_t size = std::stoul(reply.substr(at + 1, line - at - 1));
      out.push_back(Json::parse(reply.substr(line + 2, size)));
      at = line + 2 + size + 2;
    }
    return out;
  }
};

TEST_F(WorkerList, ShowsWhatIsKnownAndHidesTheAnonymousOne) {
  start();
  Wire boss = operate();
  EXPECT_EQ(boss.call({"WORKER.LIST"}), "*0\r\n");
  EXPECT_EQ(boss.call({"RPOP", "queue:ready"}), kNothing) << "which registers the anonymous worker";
  Wire a = worker("w-a", R"("sort","uniq")", 4);
  EXPECT_EQ(a.call({"WORKER.HEARTBEAT", "w-a", R"({"active_jobs":2})"}), kOk);
  const auto workers = list(boss);
  ASSERT_EQ(workers.size(), 1U);
  EXPECT_EQ(workers[0]["worker_id"], "w-a");
  EXPECT_EQ(workers[0]["state"], "ACTIVE");
  EXPECT_EQ(workers[0]["tools"], (std::vector<std::string>{"sort", "uniq"}));
  EXPECT_EQ(workers[0]["unverified_tools"], (std::vector<std::string>{"sort", "uniq"}));
  EXPECT_EQ(workers[0]["max_concurrent_jobs"], 4);
  EXPECT_EQ(workers[0]["stats"]["active_jobs"], 2);
  EXPECT_EQ(workers[0]["flagged"], false);
  EXPECT_EQ(workers[0]["last_seen"], to_ms(clock.now()) / 1000);
}

TEST_F(WorkerList, FiltersByStateToolAndTag) {
  start();
  Wire boss = operate();
  Wire a = worker("w-a", R"("sort")");
  Wire b = operate();
  b.call({"WORKER.REGISTER",
          R"({"worker_id":"w-b","hostname":"h","agw_version":"1","capabilities":["uniq"],"tags":{"tier":"gold"}})"});
  Wire c = worker("w-c", R"("sort")");
  EXPECT_EQ(c.call({"WORKER.UNREGISTER", "w-c"}), kOk);
  const auto names = [](const std::vector<Json>& workers) {
    std::string out;
    for (const Json& each : workers) out += each["worker_id"].get<std::string>() + " ";
    return out;
  };
  EXPECT_EQ(names(list(boss, {"TOOL", "sort"})), "w-a w-c ");
  EXPECT_EQ(names(list(boss, {"TAG", "tier=gold"})), "w-b ");
  EXPECT_EQ(names(list(boss, {"STATE", "unregistered"})), "w-c ");
  EXPECT_EQ(names(list(boss, {"STATE", "ACTIVE", "TOOL", "sort"})), "w-a ");
  advance(Duration(90'000));
  ASSERT_TRUE(eventually([&] { return names(list(boss, {"STATE", "DEAD"})) == "w-a w-b "; }));
  EXPECT_EQ(boss.call({"WORKER.LIST", "STATE", "asleep"}), "-ERR state must be one of: ACTIVE, DRAINING, DEAD, UNREGISTERED\r\n");
  EXPECT_EQ(boss.call({"WORKER.LIST", "LIMIT", "0"}), "-ERR limit must be an integer from 1 to 1000\r\n");
  EXPECT_EQ(boss.call({"WORKER.LIST", "COLOUR", "x"}), "-ERR Unknown WORKER.LIST option: COLOUR\r\n");
  EXPECT_EQ(boss.call({"WORKER.LIST", "LIMIT"}), "-ERR LIMIT requires a value\r\n");
}

TEST_F(WorkerList, GoesThroughAllByCursorOnceEach) {
  start();
  Wire boss = operate();
  std::vector<Wire> wires;
  for (const char* id : {"w-1", "w-2", "w-3", "w-4", "w-5"}) wires.push_back(worker(id));
  std::string cursor = "0";
  std::string seen;
  int pages = 0;
  do {
    const std::string reply = boss.call({"WORKER.LIST", "LIMIT", "2", "CURSOR", cursor});
    ASSERT_TRUE(reply.starts_with("*2\r\n")) << reply;
    const std::size_t line = reply.find("\r\n", 4);
    cursor = reply.substr(line + 2, reply.find("\r\n", line + 2) - line - 2);
    for (std::size_t at = reply.find("\"worker_id\":\""); at != std::string::npos; at = reply.find("\"worker_id\":\"", at + 1))
      seen += reply.substr(at + 13, 3) + " ";
    ASSERT_LT(++pages, 10);
  } while (cursor != "0");
  EXPECT_EQ(seen, "w-1 w-2 w-3 w-4 w-5 ");
}

}  // namespace
}  // namespace muster::resp::work
