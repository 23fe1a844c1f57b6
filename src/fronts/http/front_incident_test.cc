// Mistakes of ours on this wire: the request gets a 500 with an id, and everybody else goes on.
#include <stdexcept>

#include "fronts/http/front_testing.h"

namespace muster::http {
namespace {

class IncidentTest : public FrontTest {
 protected:
  void SetUp() override { start(); }
  // A mistake of ours.
  void break_enqueue() {
    store.on(store::Verb::enqueue, [](const std::vector<JobSpec>&) -> Result<std::vector<store::Enqueued>> {
      throw std::runtime_error("a test throws");
    });
  }
  std::uint64_t incidents() { return metrics.counter("muster_internal_errors_total", "", {{"where", "wire"}}).value(); }
};

TEST_F(IncidentTest, ARequestWhoseHandlerThrowsIsAnsweredAndItsConnectionGoesOn) {
  Client client(front->port());
  break_enqueue();
  const Answer answer = client.call("POST", "/api/v1/jobs", R"({"type":"work"})");
  EXPECT_EQ(answer.status, 500);
  EXPECT_NE(answer.body.find(R"("code":"internal")"), std::string::npos) << answer.body;
  EXPECT_NE(answer.body.find("under incident "), std::string::npos) << answer.body;
  EXPECT_EQ(answer.body.find("a test throws"), std::string::npos) << answer.body;
  store.off(store::Verb::enqueue);
  EXPECT_EQ(client.call("POST", "/api/v1/jobs", R"({"type":"work"})").status, 201);
  EXPECT_EQ(incidents(), 1u);
}

TEST_F(IncidentTest, RequestsBehindOneThatThrowsAreAnsweredInTheirOrder) {
  Client client(front->port());
  break_enqueue();
  client.send(
      "POST /api/v1/jobs HTTP/1.1\r\nHost: localhost\r\nContent-Length: 15\r\n\r\n{\"type\":\"work\"}"
      "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n");
  EXPECT_EQ(client.read_answer().status, 500);
  EXPECT_EQ(client.read_answer().status, 200);
}

}  // namespace
}  // namespace muster::http
