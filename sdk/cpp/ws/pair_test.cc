// Our worker against our server's front in one process, without sockets: what a cut, a restart of the server, a repeated dispatch
// and a drain make of jobs. Both sides speak their real bytes; time is one manual clock.
#include "fronts/ws/front_testing.h"
#include "sdk/cpp/ws/core_testing.h"

namespace muster::sdk::ws {
namespace {

using namespace std::chrono_literals;
using muster::ws::FrontTest;

// The wire between a core and the front: bytes of either, until it is cut.
class Wire {
 public:
  Wire(TestCore& worker, net::IoLoop& loop, muster::ws::WsFront& front) : worker_(worker), loop_(loop) {
    Machine& machine = worker_.core.machine();
    machine.connected(worker_.now());
    const AskedUpgrade asked = read_upgrade(machine.take_output());
    std::string response;
    net::run_on(loop_, [&] {
      auto taken = front.take({.method = asked.method, .headers = asked.headers}, connection_);
      auto& accepted = std::get<muster::ws::Taken>(taken);
      session_ = std::move(accepted.session);
      response = std::move(accepted.response);
    });
    machine.received(response, worker_.now());
  }
  ~Wire() {
    cut();
    net::run_on(loop_, [this] { session_.reset(); });
  }

  // One exchange both ways. False: the connection is over.
  bool turn() {
    worker_.work();
    Machine& machine = worker_.core.machine();
    const std::string out = machine.take_output();
    std::string in;
    bool closed = false;
    net::run_on(loop_, [&] {
      if (!connection_.closed && !out.empty()) session_->received(out);
      in = connection_.sent.substr(read_);
      read_ = connection_.sent.size();
      closed = connection_.closed;
    });
    if (!in.empty()) machine.received(in, worker_.now());
    worker_.work();
    if (!closed && !machine.wants_disconnect()) return true;
    cut();
    return false;
  }

  void cut() {
    if (std::exchange(gone_, true)) return;
    net::run_on(loop_, [this] { session_->closed(); });
    worker_.core.machine().disconnected("cut", worker_.now());
    worker_.work();
  }

 private:
  TestCore& worker_;
  net::IoLoop& loop_;
  net::HeldConnection connection_;
  std::shared_ptr<net::Session> session_;
  std::size_t read_ = 0;
  bool gone_ = false;
};

class Pair : public FrontTest {
 protected:
  void TearDown() override {
    wire.reset();
    FrontTest::TearDown();
  }
  // Bytes flow and time passes, a little, until it holds; a lost connection is made again when the worker wants it.
  template <class Condition>
  bool flows_until(Condition holds) {
    return eventually([&] {
      if (!wire && worker->core.machine().wants_connection(worker->now())) wire = std::make_unique<Wire>(*worker, loop, *front);
      if (wire && !wire->turn()) wire.reset();
      if (holds()) return true;
      pass(20ms);
      worker->work();
      return holds();
    });
  }
  bool is_ready() {
    return flows_until([this] { return worker->core.machine().is_ready(); });
  }
  bool begins(std::size_t tasks) {
    return flows_until([&] { return worker->host.begun.size() >= tasks; });
  }
  bool completes(JobId id) {
    return flows_until([&] { return job(id).state == JobState::completed; });
  }
  void begin(session::Protocol protocol = session::Protocol::v2) {
    start();
    worker = std::make_unique<TestCore>(clock, test_options(protocol));
    ASSERT_TRUE(is_ready());
  }
  void cut() {
    wire->cut();
    wire.reset();
  }

  std::unique_ptr<TestCore> worker;
  std::unique_ptr<Wire> wire;
};

TEST_F(Pair, RunsATaskInBothProtocols) {
  for (const session::Protocol protocol : {session::Protocol::v2, session::Protocol::v1}) {
    wire.reset();
    begin(protocol);
    const JobId id = submit();
    ASSERT_TRUE(begins(1));
    EXPECT_EQ(worker->host.begun[0].task.node_type, "demo.echo");
    EXPECT_EQ(worker->host.begun[0].task.parameters, (Json{{"m", "hi"}}));
    worker->finish(worker->host.begun[0], Outcome::succeeded({{"echo", "hi"}}));
    ASSERT_TRUE(completes(id));
    EXPECT_EQ(job(id).result->data, R"({"echo":"hi"})");
    EXPECT_TRUE(flows_until([&] { return worker->core.machine().unacknowledged() == 0; }));
  }
}

TEST_F(Pair, ResultsMadeWhileTheNetworkIsCutCompleteTheirJobsAfterTheResume) {
  begin();
  std::vector<JobId> ids;
  for (int i = 0; i < 4; ++i) ids.push_back(submit());
  ASSERT_TRUE(begins(4));
  cut();
  for (int i = 0; i < 4; ++i) worker->finish(worker->host.begun[static_cast<std::size_t>(i)]);
  for (const JobId id : ids) EXPECT_TRUE(completes(id));
  EXPECT_EQ(worker->core.counts().sessions, 1U) << "it was resumed, not begun anew";
  EXPECT_EQ(worker->host.begun.size(), 4U) << "and nothing ran twice";
}

TEST_F(Pair, ARestartedServerGetsEveryResultOnce) {
  begin();
  const JobId before = submit();
  ASSERT_TRUE(begins(1));
  const JobId across = submit();
  ASSERT_TRUE(begins(2));
  worker->finish(worker->host.begun[0]);
  ASSERT_TRUE(completes(before));
  cut();
  restart();
  worker->finish(worker->host.begun[1], Outcome::succeeded({{"n", 2}}));
  ASSERT_TRUE(completes(across));
  EXPECT_EQ(job(across).result->data, R"({"n":2})");
  const JobId after = submit();
  ASSERT_TRUE(begins(3));
  worker->finish(worker->host.begun[2]);
  EXPECT_TRUE(completes(after));
  EXPECT_EQ(worker->host.begun.size(), 3U);
  EXPECT_EQ(job(across).attempt, 1U);
}

TEST_F(Pair, ATaskThatARestartedServerSendsAgainRunsOnce) {
  begin();
  const JobId id = submit();
  ASSERT_TRUE(begins(1));
  cut();
  restart();
  ASSERT_TRUE(flows_until([&] { return worker->core.counts().refused >= 1; })) << "the server asks again after a while";
  EXPECT_EQ(worker->host.begun.size(), 1U);
  EXPECT_EQ(job(id).state, JobState::running);
  worker->finish(worker->host.begun[0]);
  EXPECT_TRUE(completes(id));
}

TEST_F(Pair, AServerThatForgotTheSessionGetsItsResultsInAFreshOne) {
  begin();
  const JobId id = submit();
  ASSERT_TRUE(begins(1));
  cut();
  used.session_secret = "another";
  front.reset();
  auto other = used;
  auto started = muster::ws::WsFront::start(loop, *door, metrics, other);
  ASSERT_TRUE(started.ok());
  front = *std::move(started);
  worker->finish(worker->host.begun[0]);
  EXPECT_TRUE(completes(id));
  EXPECT_EQ(worker->core.counts().sessions, 2U);
  EXPECT_EQ(worker->host.begun.size(), 1U);
}

TEST_F(Pair, AMiddlewareAsksAsOftenAsItLikesAndItsHostRunsEachTime) {
  begin();
  const JobId id = submit("demo.loop", R"({"node_type":"demo.loop","node_id":"loop","parameters":{},
    "chain":[{"node_id":"echo","node_type":"demo.echo","parameters":{}}]})");
  ASSERT_TRUE(begins(1));
  const Begun loop_task = worker->host.begun[0];
  for (std::size_t i = 1; i <= 3; ++i) {
    const std::string request = "next-" + std::to_string(i);
    worker->core.next(loop_task.execution, {.request_id = request, .payload = Json::object(), .timeout = {}}, worker->now());
    ASSERT_TRUE(begins(1 + i)) << "time " << i;
    worker->finish(worker->host.begun[i], Outcome::succeeded({{"i", i}}));
    ASSERT_TRUE(flows_until([&] { return worker->host.answers.size() == i; }));
    EXPECT_EQ(worker->host.answers.back().second.reply.result, (Json{{"i", i}}));
  }
  worker->finish(loop_task);
  EXPECT_TRUE(completes(id));
}

TEST_F(Pair, ADrainedWorkerLeavesItsJobsToOthers) {
  begin();
  const JobId running = submit();
  ASSERT_TRUE(begins(1));
  worker->core.drain(worker->now().ticks + 30s, worker->now());
  const JobId later = submit();
  worker->finish(worker->host.begun[0]);
  ASSERT_TRUE(flows_until([&] { return worker->core.is_over(); }));
  EXPECT_EQ(job(running).state, JobState::completed);
  EXPECT_EQ(worker->host.begun.size(), 1U);
  EXPECT_TRUE(eventually([&] { return job(later).state == JobState::ready; }));
}

}  // namespace
}  // namespace muster::sdk::ws
