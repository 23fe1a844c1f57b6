// GET /api/v1/metrics/history and /api/v1/lanes: what happened over time, and who serves what waits.
#include "fronts/http/front_testing.h"

namespace muster::http {
namespace {

class HistoryRoute : public FrontTest {
 protected:
  HistoryRoute() {
    engine::Options options;
    options.history = true;
    use(options);
  }
  void pass_steps(int count) {
    for (int i = 0; i < count; ++i) {
      clock.advance(engine->history().tick());
      engine->history().tick();
      call_json("GET", "/api/v1/queues");  // behind what it asked the store
    }
  }
};

TEST_F(HistoryRoute, ShowsEachStepSinceTheServerStarted) {
  start();
  engine->history().tick();
  submit(R"({"type":"a"})");
  pass_steps(3);
  const auto history = call_json("GET", "/api/v1/metrics/history");
  check_members("History", history);
  EXPECT_EQ(history["step_ms"], 5'000);
  EXPECT_EQ(history["points"], 3);
  EXPECT_EQ(history["series"]["jobs_in_per_second"][0], 0.2);
  EXPECT_EQ(history["series"]["ready"][2], 1);
  EXPECT_TRUE(history["series"]["cpu_cores"][0].is_null());
}

TEST_F(HistoryRoute, SinceTheLastPointThereIsNothingNew) {
  start();
  engine->history().tick();
  pass_steps(2);
  const auto all = call_json("GET", "/api/v1/metrics/history?span=hour");
  const auto rest = call_json("GET", "/api/v1/metrics/history?since=" + all["from"].get<std::string>());
  EXPECT_EQ(rest["points"], 1);
  EXPECT_EQ(call_json("GET", "/api/v1/metrics/history?since=2100-01-01T00:00:00.000Z")["points"], 0);
}

TEST_F(HistoryRoute, ADayIsInMinutes) {
  start();
  engine->history().tick();
  pass_steps(13);
  EXPECT_EQ(call_json("GET", "/api/v1/metrics/history?span=day")["step_ms"], 60'000);
}

TEST_F(HistoryRoute, AnotherSpanIsRefused) {
  start();
  EXPECT_NE(refused("GET", "/api/v1/metrics/history?span=year", {}, 400).find("hour or day"), std::string::npos);
}

HttpOptions with_tokens() {
  HttpOptions options;
  options.auth.required = true;
  options.auth.tokens = {{.name = "bound",
                          .role = command::Role::read_only,
                          .secret = "bound-bound-bound",
                          .worker = WorkerId(),
                          .namespaces = std::vector{NamespaceName("default")}}};
  return options;
}
constexpr std::string_view kBound = "Authorization: Bearer bound-bound-bound\r\n";

TEST_F(HistoryRoute, IsAboutEverybodySoThatATokenOfSomeNamespacesIsRefused) {
  start(with_tokens());
  EXPECT_EQ(call("GET", "/api/v1/metrics/history", {}, kBound).status, 403);
}

using LanesRoute = FrontTest;

TEST_F(LanesRoute, ShowsThoseThatNobodyServesFirst) {
  start();
  register_worker("w1", R"(["tool:ffmpeg"])");
  submit(R"({"type":"encode","queue":"video","needs":["tool:ffmpeg"]})");
  submit(R"({"type":"encode","queue":"video","needs":["tool:ffmpeg","label:gpu=1"]})");
  const auto lanes = call_json("GET", "/api/v1/lanes");
  check_members("LaneList", lanes);
  ASSERT_EQ(lanes["lanes"].size(), 2u);
  check_members("Lane", lanes["lanes"][0]);
  EXPECT_EQ(lanes["unserved"], 1);
  EXPECT_EQ(lanes["lanes"][0]["missing"], nlohmann::json::parse(R"(["label:gpu=1"])"));
  EXPECT_EQ(lanes["lanes"][0]["served"], false);
  EXPECT_EQ(lanes["lanes"][1]["workers"], nlohmann::json::parse(R"(["w1"])"));
  EXPECT_EQ(lanes["lanes"][1]["ready"], 1);
}

TEST_F(LanesRoute, FiltersByQueueAndByWhetherAnybodyServes) {
  start();
  register_worker("w1", R"(["tool:ffmpeg"])");
  submit(R"({"type":"encode","queue":"video","needs":["tool:ffmpeg"]})");
  submit(R"({"type":"x","queue":"mail","needs":["tool:smtp"]})");
  EXPECT_EQ(call_json("GET", "/api/v1/lanes?queue=video")["lanes"].size(), 1u);
  EXPECT_EQ(call_json("GET", "/api/v1/lanes?unserved=true")["lanes"][0]["queue"], "mail");
  EXPECT_EQ(call_json("GET", "/api/v1/lanes?limit=1")["more"], true);
  EXPECT_EQ(call("GET", "/api/v1/lanes?limit=0").status, 400);
}

TEST_F(LanesRoute, ATokenSeesTheLanesOfItsNamespacesAlone) {
  HttpOptions options = with_tokens();
  options.auth.tokens.front().namespaces->push_back(NamespaceName("team-a"));
  options.auth.required = false;
  start(options);
  call_json("POST", "/api/v1/namespaces", R"({"name":"team-b"})", 201);
  submit(R"({"type":"x","namespace":"team-b"})");
  submit(R"({"type":"x"})");
  const Answer answer = call("GET", "/api/v1/lanes", {}, kBound);
  const auto lanes = nlohmann::json::parse(answer.body);
  ASSERT_EQ(lanes["lanes"].size(), 1u) << answer.body;
  EXPECT_EQ(lanes["lanes"][0]["namespace"], "default");
  EXPECT_EQ(lanes["total"], 1);
}

}  // namespace
}  // namespace muster::http
