// The long poll: parked claims, clients that go away, grants that nobody could take.
#include <fmt/format.h>

#include "fronts/http/front_testing.h"

namespace muster::http {
namespace {

using namespace std::chrono_literals;
using LongPoll = FrontTest;

constexpr const char* kWaiting = R"({"worker":"w1","wait_ms":60000})";

TEST_F(LongPoll, IsAnsweredByTheNextJob) {
  start();
  register_worker("w1");
  Client waiting = connect();
  waiting.send(request_text("POST", "/api/v1/jobs/claim", kWaiting));
  ASSERT_TRUE(eventually([&] { return engine->claims().parked() == 1; }));
  const std::string id = submit(R"({"type":"t"})");
  EXPECT_EQ(nlohmann::json::parse(waiting.read_answer().body)["jobs"][0]["id"], id);
}

TEST_F(LongPoll, IsAnsweredEmptyWhenItsWaitIsOver) {
  start();
  register_worker("w1");
  Client waiting = connect();
  waiting.send(request_text("POST", "/api/v1/jobs/claim", R"({"worker":"w1","wait_ms":500})"));
  ASSERT_TRUE(eventually([&] { return engine->claims().parked() == 1; }));
  clock.advance(500ms);
  engine->tick();
  const auto reply = nlohmann::json::parse(waiting.read_answer().body);
  EXPECT_TRUE(reply["jobs"].empty());
  EXPECT_EQ(reply["block"], "none");
}

TEST_F(LongPoll, IsCancelledWhenItsClientGoesAway) {
  start();
  register_worker("w1");
  Client waiting = connect();
  waiting.send(request_text("POST", "/api/v1/jobs/claim", kWaiting));
  ASSERT_TRUE(eventually([&] { return engine->claims().parked() == 1; }));
  waiting.close();
  ASSERT_TRUE(eventually([&] { return engine->claims().parked() == 0; }));
  const std::string id = submit(R"({"type":"t"})");
  EXPECT_EQ(call_json("GET", "/api/v1/jobs/" + id)["state"], "ready") << "nobody took it";
}

TEST_F(LongPoll, IsAnsweredEmptyWhenItsClientOnlyFinishedSending) {
  start();
  register_worker("w1");
  Client waiting = connect();
  waiting.send(request_text("POST", "/api/v1/jobs/claim", kWaiting));
  ASSERT_TRUE(eventually([&] { return engine->claims().parked() == 1; }));
  waiting.finish_sending();
  EXPECT_TRUE(nlohmann::json::parse(waiting.read_answer().body)["jobs"].empty());
}

TEST_F(LongPoll, HandsGrantsBackThatCameTooLate) {
  start();
  register_worker("w1");
  const std::string id = submit(R"({"type":"t"})");
  store.hold();
  Client client = connect();
  client.send(request_text("POST", "/api/v1/jobs/claim", kWaiting));
  // The claim is with the store when the client leaves; what it takes must not stay with a client that is gone.
  ASSERT_TRUE(eventually([&] { return store.held() == 1; }));
  client.close();
  ASSERT_TRUE(eventually([&] { return metrics.gauge("muster_http_connections_open", "").value() == 0; }));
  store.let_go();
  ASSERT_TRUE(eventually([&] { return call_json("GET", "/api/v1/jobs/" + id)["state"] == "ready"; }));
  EXPECT_EQ(call_json("GET", "/api/v1/jobs/" + id)["attempt"], 0);
}

TEST_F(LongPoll, DoesNotKeepTheConnectionFromOtherRequests) {
  start();
  register_worker("w1");
  Client client = connect();
  client.send(request_text("POST", "/api/v1/jobs/claim", kWaiting) + request_text("GET", "/healthz"));
  ASSERT_TRUE(eventually([&] { return engine->claims().parked() == 1; }));
  submit(R"({"type":"t"})");
  EXPECT_EQ(nlohmann::json::parse(client.read_answer().body)["jobs"].size(), 1u);
  EXPECT_EQ(client.read_answer().body, "ok\n");
}

TEST_F(LongPoll, IsAnsweredEmptyWhenTheFrontStops) {
  start();
  register_worker("w1");
  Client waiting = connect();
  waiting.send(request_text("POST", "/api/v1/jobs/claim", kWaiting));
  ASSERT_TRUE(eventually([&] { return engine->claims().parked() == 1; }));
  std::thread stopping([&] { front->stop(10s); });
  EXPECT_TRUE(nlohmann::json::parse(waiting.read_answer().body)["jobs"].empty());
  waiting.close();
  stopping.join();
}

TEST_F(LongPoll, RefusesAWaitBeyondTheLimit) {
  start();
  const auto problem = call_json("POST", "/api/v1/jobs/claim", R"({"worker":"w1","wait_ms":60001})", 400);
  EXPECT_EQ(problem["detail"], "field \"wait_ms\": 60001 is out of range; 0 to 60000 is accepted");
}

}  // namespace
}  // namespace muster::http
