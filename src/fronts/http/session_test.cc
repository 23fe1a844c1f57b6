// The session without a socket: what happens to an answer that the connection could not carry.
#include "fronts/http/session.h"

#include <gtest/gtest.h>

#include <future>

#include "base/patience_testing.h"
#include "fronts/http/client_testing.h"
#include "fronts/http/core.h"
#include "fronts/http/memory_store_testing.h"

namespace muster::http {
namespace {

using namespace std::chrono_literals;

// Keeps what is sent until the test says what became of it.
class HeldConnection final : public net::Connection {
 public:
  void send(std::string bytes, UniqueFunction<void(bool)> done) override {
    sent += bytes;
    if (done) waiting.push_back(std::move(done));
  }
  std::size_t unsent() const override { return room ? 0 : 1; }
  void hold(std::size_t) override {}
  bool has_room() override { return room; }
  bool node_has_room() override { return true; }
  void pause_reading() override {}
  void resume_reading() override {}
  void expire_reading_in(Duration) override {}
  void never_expire_reading() override {}
  void close_when_sent() override { closed = true; }
  void close_now() override { closed = true; }
  bool closing() const override { return closed; }
  const std::string& peer_address() const override { return address; }

  std::string sent;
  std::vector<UniqueFunction<void(bool)>> waiting;
  bool closed = false;
  bool room = true;  // false: something is still to be sent, and no more is to be made
  std::string address = "127.0.0.1";
};

class SessionTest : public testing::Test {
 protected:
  void SetUp() override {
    loop.start();
    on_loop([this] { session = std::make_shared<HttpSession>(core, connection); });
    std::promise<void> registered;
    engine.workers().register_workers({WorkerSpec{.id = WorkerId("w1"), .slots = 10}}, [&](auto) { registered.set_value(); });
    registered.get_future().wait();
  }
  void TearDown() override {
    on_loop([this] {
      session->closed();
      session.reset();
    });
    loop.stop();
    engine.stop();
  }
  void on_loop(UniqueFunction<void()> work) {
    std::promise<void> done;
    loop.post([&] {
      work();
      done.set_value();
    });
    done.get_future().wait();
  }
  bool eventually_on_loop(UniqueFunction<bool()> holds) {
    return eventually([&] {
      bool held = false;
      on_loop([&] { held = holds(); });
      return held;
    });
  }
  void enqueue() {
    std::promise<void> done;
    JobSpec spec;
    spec.type = JobType("t");
    engine.jobs().enqueue({spec}, [&](auto) { done.set_value(); });
    done.get_future().wait();
  }

  bool is_paused(const std::string& queue) {
    bool paused = false;
    std::promise<void> done;
    engine.queues().list(NamespaceName(kDefaultNamespace), [&](Result<std::vector<QueueStats>> queues) {
      for (const QueueStats& each : *queues) paused = paused || (each.queue.text() == queue && each.settings.paused);
      done.set_value();
    });
    done.get_future().wait();
    return paused;
  }

  ManualClock clock;
  Metrics metrics;
  MemoryStore store{clock};
  engine::Engine engine{store, clock, metrics, {}};
  net::IoLoop loop{clock};
  HeldConnection connection;
  command::Door door{engine, {}, metrics};
  std::shared_ptr<Core> core = std::make_shared<Core>(loop, door, metrics, HttpOptions{});
  std::shared_ptr<HttpSession> session;
};

TEST_F(SessionTest, HandsGrantsBackThatCouldNotBeSent) {
  enqueue();
  on_loop([this] { session->received(request_text("POST", "/api/v1/jobs/claim", R"({"worker":"w1"})")); });
  ASSERT_TRUE(eventually_on_loop([this] { return connection.waiting.size() == 1; }));
  EXPECT_TRUE(store.releases().empty());
  on_loop([this] { connection.waiting.front()(false); });
  ASSERT_TRUE(eventually_on_loop([this] { return store.releases().size() == 1; }));
}

TEST_F(SessionTest, KeepsGrantsThatWereSent) {
  enqueue();
  on_loop([this] { session->received(request_text("POST", "/api/v1/jobs/claim", R"({"worker":"w1"})")); });
  ASSERT_TRUE(eventually_on_loop([this] { return connection.waiting.size() == 1; }));
  on_loop([this] { connection.waiting.front()(true); });
  on_loop([this] { session->peer_finished(); });
  EXPECT_TRUE(store.releases().empty());
  EXPECT_TRUE(connection.closed);
}

TEST_F(SessionTest, BeginsNothingWhileThePeerDoesNotTakeWhatItHas) {
  on_loop([this] {
    connection.room = false;
    for (int i = 0; i < 3; ++i) session->received(request_text("GET", "/api/v1/queues"));
  });
  on_loop([] {});
  EXPECT_TRUE(connection.sent.empty());
  on_loop([this] {
    connection.room = true;
    session->output_drained();
  });
  ASSERT_TRUE(eventually_on_loop([this] {
    std::size_t answers = 0;
    for (std::size_t at = connection.sent.find("HTTP/1.1 200"); at != std::string::npos;
         at = connection.sent.find("HTTP/1.1 200", at + 1))
      ++answers;
    return answers == 3;
  }));
}

TEST_F(SessionTest, LongAnswersAreMadeOneAtATimeAndShortOnesMeanwhile) {
  on_loop([this] {
    session->received(request_text("POST", "/api/v1/jobs/claim", R"({"worker":"w1","wait_ms":60000})"));
    session->received(request_text("POST", "/api/v1/jobs/claim", R"({"worker":"w1","wait_ms":60000})"));
    session->received(request_text("POST", "/api/v1/queues/q/pause"));
  });
  ASSERT_TRUE(eventually_on_loop([this] { return engine.claims().parked() == 1; }));
  ASSERT_TRUE(eventually_on_loop([this] { return is_paused("q"); })) << "it does not wait for the claims before it";
  EXPECT_EQ(engine.claims().parked(), 1u);
  enqueue();
  ASSERT_TRUE(eventually_on_loop([this] { return !connection.sent.empty() && engine.claims().parked() == 1; }))
      << "the second claim begins when the first is answered";
}

TEST_F(SessionTest, CancelsItsClaimsWhenItsConnectionEnds) {
  on_loop([this] { session->received(request_text("POST", "/api/v1/jobs/claim", R"({"worker":"w1","wait_ms":60000})")); });
  ASSERT_TRUE(eventually_on_loop([this] { return engine.claims().parked() == 1; }));
  on_loop([this] { session->received(request_text("GET", "/api/v1/queues")); });
  on_loop([this] { session->closed(); });
  ASSERT_TRUE(eventually_on_loop([this] { return engine.claims().parked() == 0; })) << "a closed connection waits for nothing";
  enqueue();
  on_loop([] {});
  EXPECT_TRUE(connection.sent.empty());
  EXPECT_TRUE(store.releases().empty()) << "nobody claimed the job that came later";
}

TEST_F(SessionTest, RequestsThatWaitWhenTheirConnectionEndsAreNoMistakesOfTheServer) {
  on_loop([this] { session->received(request_text("POST", "/api/v1/jobs/claim", R"({"worker":"w1","wait_ms":60000})")); });
  ASSERT_TRUE(eventually_on_loop([this] { return engine.claims().parked() == 1; }));
  on_loop([this] {
    session->received(request_text("GET", "/api/v1/queues"));  // waits for the claim's answer
    session->closed();
    session = std::make_shared<HttpSession>(core, connection);
  });
  on_loop([] {});
  EXPECT_EQ(metrics.counter("muster_internal_errors_total", "", {{"where", "wire"}}).value(), 0u);
}

}  // namespace
}  // namespace muster::http
