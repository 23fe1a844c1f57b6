// Mistakes of ours on this wire: the request gets a 500 with an id, and everybody else goes on.
#include <gtest/gtest.h>

#include "fronts/http/client_testing.h"
#include "fronts/http/front.h"
#include "fronts/http/memory_store_testing.h"
#include "store/throwing_testing.h"

namespace muster::http {
namespace {

class IncidentTest : public testing::Test {
 protected:
  void SetUp() override {
    HttpOptions options;
    options.port = 0;
    auto started = HttpFront::start(loop, door, metrics, std::move(options));
    ASSERT_TRUE(started.ok()) << started.status().text();
    front = *std::move(started);
    loop.start();
  }
  void TearDown() override {
    front.reset();
    loop.stop();
    engine.stop();
  }
  std::uint64_t incidents() { return metrics.counter("muster_internal_errors_total", "", {{"where", "wire"}}).value(); }

  ManualClock clock;
  Metrics metrics;
  MemoryStore store{clock};
  store::ThrowingStore throwing{store};
  engine::Engine engine{throwing, clock, metrics, {}};
  command::Door door{engine, {.version = "0.1.0", .started_at = clock.now()}, metrics};
  net::IoLoop loop{clock};
  std::unique_ptr<HttpFront> front;
};

TEST_F(IncidentTest, ARequestWhoseHandlerThrowsIsAnsweredAndItsConnectionGoesOn) {
  Client client(front->port());
  throwing.throw_at(store::Verb::enqueue);
  const Answer answer = client.call("POST", "/api/v1/jobs", R"({"type":"work"})");
  EXPECT_EQ(answer.status, 500);
  EXPECT_NE(answer.body.find(R"("code":"internal")"), std::string::npos) << answer.body;
  EXPECT_NE(answer.body.find("under incident "), std::string::npos) << answer.body;
  EXPECT_EQ(answer.body.find("a test throws"), std::string::npos) << answer.body;
  throwing.heal();
  EXPECT_EQ(client.call("POST", "/api/v1/jobs", R"({"type":"work"})").status, 201);
  EXPECT_EQ(incidents(), 1u);
}

TEST_F(IncidentTest, RequestsBehindOneThatThrowsAreAnsweredInTheirOrder) {
  Client client(front->port());
  throwing.throw_at(store::Verb::enqueue);
  client.send(
      "POST /api/v1/jobs HTTP/1.1\r\nHost: localhost\r\nContent-Length: 15\r\n\r\n{\"type\":\"work\"}"
      "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n");
  EXPECT_EQ(client.read_answer().status, 500);
  EXPECT_EQ(client.read_answer().status, 200);
}

}  // namespace
}  // namespace muster::http
