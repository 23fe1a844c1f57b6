// The session without a socket: what happens to an answer that the connection could not carry.
#include "fronts/http/session.h"

#include <gtest/gtest.h>

#include "base/ask_testing.h"
#include "base/temp_folder_testing.h"
#include "fronts/http/client_testing.h"
#include "fronts/http/core.h"
#include "net/connection_testing.h"
#include "net/on_loop_testing.h"
#include "store/scripted_testing.h"
#include "store/sqlite/open_testing.h"

namespace muster::http {
namespace {

using namespace std::chrono_literals;

class SessionTest : public testing::Test {
 protected:
  void SetUp() override {
    loop.start();
    on_loop([this] { session = std::make_shared<HttpSession>(core, connection); });
    EXPECT_TRUE(ask<store::Each<store::Registered>>([this](auto reply) {
                  engine.workers().register_workers({WorkerSpec{.id = WorkerId("w1"), .slots = 10}}, std::move(reply));
                }).ok());
  }
  void TearDown() override {
    on_loop([this] {
      session->closed();
      session.reset();
    });
    loop.stop();
    engine.stop();
    EXPECT_TRUE(store.close().ok());
  }
  void on_loop(UniqueFunction<void()> work) { net::run_on(loop, std::move(work)); }
  bool eventually_on_loop(UniqueFunction<bool()> holds) {
    return eventually([&] {
      bool held = false;
      on_loop([&] { held = holds(); });
      return held;
    });
  }
  void enqueue() {
    JobSpec spec;
    spec.type = JobType("t");
    EXPECT_TRUE(ask<std::vector<store::Enqueued>>([&](auto reply) { engine.jobs().enqueue({spec}, std::move(reply)); }).ok());
  }

  std::vector<store::Release> releases() const { return store.elements<store::Release>(store::Verb::release); }
  bool is_paused(const std::string& queue) {
    const auto queues = ask<std::vector<QueueStats>>(
        [this](auto reply) { engine.queues().list(NamespaceName(kDefaultNamespace), std::move(reply)); });
    return std::any_of(queues->begin(), queues->end(),
                       [&](const QueueStats& each) { return each.queue.text() == queue && each.settings.paused; });
  }

  ManualClock clock;
  Metrics metrics;
  TempFolder folder;
  std::unique_ptr<store::sqlite::SqliteStore> file = store::sqlite::open_for_test(folder.path("muster.db"), clock, metrics);
  store::ScriptedStore store{*file};
  engine::Engine engine{store, clock, metrics, {}};
  net::IoLoop loop{clock};
  net::HeldConnection connection;
  command::Door door{engine, {}, metrics};
  std::shared_ptr<Core> core = std::make_shared<Core>(loop, door, metrics, HttpOptions{});
  std::shared_ptr<HttpSession> session;
};

TEST_F(SessionTest, HandsGrantsBackThatCouldNotBeSent) {
  enqueue();
  on_loop([this] { session->received(request_text("POST", "/api/v1/jobs/claim", R"({"worker":"w1"})")); });
  ASSERT_TRUE(eventually_on_loop([this] { return connection.waiting.size() == 1; }));
  EXPECT_TRUE(releases().empty());
  on_loop([this] { connection.waiting.front()(false); });
  ASSERT_TRUE(eventually_on_loop([this] { return releases().size() == 1; }));
}

TEST_F(SessionTest, KeepsGrantsThatWereSent) {
  enqueue();
  on_loop([this] { session->received(request_text("POST", "/api/v1/jobs/claim", R"({"worker":"w1"})")); });
  ASSERT_TRUE(eventually_on_loop([this] { return connection.waiting.size() == 1; }));
  on_loop([this] { connection.waiting.front()(true); });
  on_loop([this] { session->peer_finished(); });
  EXPECT_TRUE(releases().empty());
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
  EXPECT_TRUE(releases().empty()) << "nobody claimed the job that came later";
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
