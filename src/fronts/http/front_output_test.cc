// Feedback and output over HTTP: what a worker posts, and who reads along.
#include <fmt/format.h>

#include "fronts/http/front_testing.h"

namespace muster::http {
namespace {

using namespace std::chrono_literals;
using json = nlohmann::json;

class Output : public FrontTest {
 protected:
  void running() {
    register_worker("w1");
    id = submit(R"({"type":"t"})");
    fence = claim_one("w1")["fence"].dump();
  }
  std::string path(std::string_view rest) const { return fmt::format("/api/v1/jobs/{}/{}", id, rest); }
  json report(std::string_view members, int status = 200) {
    return call_json("POST", path("feedback"), fmt::format(R"({{"fence":{},{}}})", fence, members), status);
  }

  std::string id;
  std::string fence;
};

TEST_F(Output, IsReadAsItWasReported) {
  start();
  running();
  const json renewed = report(
      R"("fraction":0.5,"stage":"streaming","metrics":{"tokens":3},"results":{"a":1},"chunks":[{"channel":"stdout","text":"line\n","index":0},{"channel":"custom","data_base64":"AP8=","mime_type":"image/png","terminal":true}],"outcome":{"status":"ok","duration_ms":5,"artifacts":[{"resource_id":"r"}]})");
  check_members("Renewed", renewed);
  const json output = call_json("GET", path("output"));
  check_members("JobOutput", output);
  check_members("OutputChunk", output["chunks"][0]);
  check_members("Outcome", output["outcome"]);
  EXPECT_EQ(output["state"], "running");
  EXPECT_EQ(output["stage"], "streaming");
  EXPECT_EQ(output["metrics"], (json{{"tokens", 3}}));
  EXPECT_EQ(output["next"], 2);
  EXPECT_EQ(output["chunks"][0]["text"], "line\n");
  EXPECT_EQ(output["chunks"][1]["data_base64"], "AP8=");
  EXPECT_EQ(output["chunks"][1]["terminal"], true);
  EXPECT_EQ(output["outcome"]["artifacts"][0]["resource_id"], "r");
  EXPECT_EQ(call_json("GET", path("output?channel=custom"))["chunks"].size(), 1U);
  EXPECT_EQ(call_json("GET", path("output?after=1&limit=1"))["chunks"][0]["number"], 2);
  EXPECT_EQ(call_json("GET", "/api/v1/jobs/" + id)["progress"]["partial"], (json{{"a", 1}}));
}

TEST_F(Output, IsWaitedFor) {
  start();
  running();
  Client waiting = connect();
  waiting.send(request_text("GET", path("output?wait_ms=60000"), ""));
  report(R"("chunks":[{"channel":"log","text":"now"}])");
  EXPECT_EQ(json::parse(waiting.read_answer().body)["chunks"][0]["text"], "now");
}

TEST_F(Output, BadReportsAndQueriesAreRefused) {
  start();
  running();
  report(R"("chunks":[{"channel":"nowhere","text":"x"}])", 400);
  report(R"("chunks":[{"channel":"log","text":"x","data_base64":"AA=="}])", 400);
  report(R"("fraction":2)", 400);
  report(R"("outcome":{"artifacts":{}})", 400);
  call_json("POST", path("feedback"), R"({"fence":1,"chunks":[{"channel":"log","text":"x"}]})", 409);
  EXPECT_NE(refused("GET", path("output?channel=nowhere"), "", 400).find("stdout, stderr"), std::string::npos);
  refused("GET", path("output?wait_ms=60001"), "", 400);
  refused("GET", path("output?limit=0"), "", 400);
  refused("GET", "/api/v1/jobs/00000000-0000-4000-8000-000000000001/output", "", 404);
  EXPECT_TRUE(call_json("GET", path("output"))["chunks"].empty());
}

// A stream of somebody else's, as the WebSocket front brings one.
class Hello final : public net::Session {
 public:
  Hello(net::Connection& connection, std::string text) : connection_(connection), text_(std::move(text)) {}
  void received(std::string_view) override {}
  void peer_finished() override { connection_.close_now(); }
  void read_expired() override {}
  void output_drained() override {
    if (!text_.empty()) connection_.send(std::exchange(text_, {}));
  }
  void drain() override { connection_.close_when_sent(); }
  void closed() override {}

 private:
  net::Connection& connection_;
  std::string text_;
};

TEST_F(Output, RunEventsAreAStreamOfWhoeverTellsThem) {
  start();
  refused("GET", "/api/v1/events", "", 404);
  const auto open = [](const RunEventsAsked& asked, net::Connection& connection) -> Result<std::shared_ptr<net::Session>> {
    if (asked.client == "refused") return Status::exhausted("too many");
    return std::shared_ptr<net::Session>(
        std::make_shared<Hello>(connection, fmt::format("{}|{}|{}\n\n", asked.ns.text(), asked.client, asked.last_event_id)));
  };
  front->set_run_events({.open = open, .revoke = {}});
  refused("GET", "/api/v1/events?clientSessionId=refused", "", 429);
  Client reader = connect();
  reader.send(request_text("GET", "/api/v1/events?namespace=default&clientSessionId=c1", "", "Last-Event-ID: 7\r\n"));
  const std::string head = reader.read_until("\r\n\r\n");
  EXPECT_EQ(head.substr(0, 15), "HTTP/1.1 200 OK");
  EXPECT_NE(head.find("text/event-stream"), std::string::npos);
  EXPECT_EQ(reader.read_until("\n\n"), "default|c1|7\n\n");
}

}  // namespace
}  // namespace muster::http
