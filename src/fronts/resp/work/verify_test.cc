#include <gtest/gtest.h>

#include "fronts/resp/work/work_state.h"
#include "fronts/resp/work/work_testing.h"

namespace muster::resp::work {
namespace {

using Verify = WorkTest;

TEST_F(Verify, AWorkerWithoutResp3IsAskedThroughItsPop) {
  start();
  Wire boss = operate();
  Wire wire = worker("w-1", R"("agx-ocr","sort")");
  wire.send(frame({"BRPOP", "queue:ready", "5"}));
  boss.send(frame({"WORKER.VERIFY", "w-1", "agx-ocr", R"({"command":"agx-ocr","args":["--version"]})"}));
  const Json element = json(wire.read_reply());
  EXPECT_TRUE(element["job_id"].get<std::string>().starts_with("job_"));
  EXPECT_EQ(element["verify"]["tool"], "agx-ocr");
  EXPECT_EQ(element["verify"]["command"], "agx-ocr");
  EXPECT_EQ(element["verify"]["args"], (Json{"--version"}));
  EXPECT_EQ(wire.call({"WORKER.VERIFY", "agx-ocr",
                       Json{{"id", element["verify"]["id"]}, {"output", "agx-ocr 0.1.0\n"}, {"exit_code", 0}}.dump()}),
            "+OK output=\"agx-ocr 0.1.0\"\r\n");
  EXPECT_EQ(boss.read_reply(), "+OK output=\"agx-ocr 0.1.0\"\r\n");
  ASSERT_TRUE(eventually([&] { return state(element["job_id"]) == JobState::completed; }));
  ASSERT_TRUE(eventually([&] {
    return boss.call({"WORKER.LIST"}).find(R"("unverified_tools":["sort"],"verified_tools":["agx-ocr"])") != std::string::npos;
  })) << boss.call({"WORKER.LIST"});
}

TEST_F(Verify, AMovingPopIsShownTheQuestionToo) {
  start();
  Wire boss = operate();
  Wire wire = worker("w-1", R"("sort")");
  wire.send(frame({"BRPOPLPUSH", "queue:ready", "queue:processing", "5"}));
  boss.send(frame({"WORKER.VERIFY", "w-1", "sort"}));
  EXPECT_EQ(json(wire.read_reply())["verify"]["args"], (Json{"--version"}));
}

TEST_F(Verify, AWorkerThatSpeaksResp3IsPushedTheQuestion) {
  start();
  Wire boss = operate();
  Wire wire = operate();
  wire.call({"HELLO", "3"});
  wire.call({"WORKER.REGISTER", registration("w-1", R"("sort")")});
  boss.send(frame({"WORKER.VERIFY", "w-1", "sort"}));
  const std::string push = wire.read_reply();
  ASSERT_TRUE(push.starts_with(">3\r\n$13\r\nworker.verify\r\n$4\r\nsort\r\n$")) << push;
  const Json question = Json::parse(push.substr(push.find('{'), push.rfind('}') - push.find('{') + 1));
  wire.call({"WORKER.VERIFY", "sort", Json{{"id", question["id"]}, {"output", "x"}, {"exit_code", 2}}.dump()});
  EXPECT_EQ(boss.read_reply(), "-ERR Verification failed: exit code 2\r\n");
  EXPECT_NE(boss.call({"WORKER.LIST"}).find(R"("verified_tools":[])"), std::string::npos);
}

TEST_F(Verify, TheFormOfTheProtocolAsksSomeWorkerThatOffersTheTool) {
  start();
  Wire boss = operate();
  EXPECT_EQ(boss.call({"WORKER.VERIFY", "sort", R"({"command":"sort","args":["--version"]})"}),
            "-ERR No worker that can be asked offers sort\r\n");
  Wire wire = worker("w-1", R"("sort")");
  wire.send(frame({"BRPOP", "queue:ready", "5"}));
  boss.send(frame({"WORKER.VERIFY", "sort", R"({"command":"sort","args":["--version"]})"}));
  wire.read_reply();
  wire.call({"WORKER.VERIFY", "sort", R"({"output":"sort \"9\"\nmore"})"});
  EXPECT_EQ(boss.read_reply(), "+OK output=\"sort \\\"9\\\"\\nmore\"\r\n");
}

TEST_F(Verify, NobodyAnswersForAnother) {
  start();
  Wire boss = operate();
  Wire wire = worker("w-1", R"("sort")");
  Wire other = worker("w-2", R"("sort")");
  wire.send(frame({"BRPOP", "queue:ready", "5"}));
  boss.send(frame({"WORKER.VERIFY", "w-1", "sort"}));
  const std::string id = json(wire.read_reply())["verify"]["id"];
  const std::string lie = Json{{"id", id}, {"output", "fake"}}.dump();
  EXPECT_EQ(other.call({"WORKER.VERIFY", "sort", lie}), "-ERR No verification of sort is under way\r\n");
  Wire nobody = operate();
  EXPECT_EQ(nobody.call({"WORKER.VERIFY", "sort", lie}), "-ERR This connection acts as no worker; use WORKER.REGISTER\r\n");
  EXPECT_EQ(wire.call({"WORKER.VERIFY", "uniq", lie}), "-ERR No verification of uniq is under way\r\n");
  EXPECT_FALSE(boss.answered());
}

TEST_F(Verify, AQuestionNobodyAnswersEndsAfterThirtySeconds) {
  start();
  Wire boss = operate();
  Wire wire = worker("w-1", R"("sort")");
  boss.send(frame({"WORKER.VERIFY", "w-1", "sort"}));
  std::size_t pending = 0;
  ASSERT_TRUE(eventually([&] {
    on_loop([&] { pending = core().work_state->facts().verifications; });
    return pending == 1;
  }));
  advance(Duration(30'000));
  tick_work();
  EXPECT_EQ(boss.read_reply(), "-ERR Verification timed out\r\n");
  EXPECT_TRUE(eventually([&] { return boss.call({"LLEN", "queue:ready"}) == ":0\r\n"; })) << "the question is gone as well";
  EXPECT_EQ(wire.call({"RPOP", "queue:ready"}), kNothing);
}

TEST_F(Verify, OnlyRegisteredWorkersThatOfferTheToolAreAsked) {
  start();
  Wire boss = operate();
  Wire real = pinged("w-real");
  Wire wire = worker("w-1", R"("sort")");
  EXPECT_EQ(boss.call({"WORKER.VERIFY", "nobody", "sort"}), "-ERR Worker not registered: nobody\r\n");
  EXPECT_EQ(boss.call({"WORKER.VERIFY", "w-real", "sort"}), "-ERR Worker w-real registered by PING and cannot be asked\r\n");
  EXPECT_EQ(boss.call({"WORKER.VERIFY", "w-1", "uniq"}), "-ERR Worker w-1 does not offer uniq\r\n");
  EXPECT_EQ(boss.call({"WORKER.VERIFY", "w-1", "sort", "[]"}), "-ERR Invalid verification: expected a JSON object\r\n");
  EXPECT_TRUE(
      boss.call({"WORKER.VERIFY", "w-1", "sort", R"json({"args":["$(id)"]})json"}).starts_with("-ERR Invalid verification: "));
}

TEST_F(Verify, AWorkersKeyMayNotAsk) {
  RespOptions options;
  options.keys.push_back(
      {.name = "w-1", .role = command::Role::worker, .secret = std::string(64, 'b'), .worker = WorkerId("w-1")});
  start(options);
  Wire wire = authenticate({std::string(64, 'b')});
  EXPECT_EQ(wire.call({"WORKER.VERIFY", "w-2", "sort"}), "-ERR NOPERM this key may not ask for verifications\r\n");
}

}  // namespace
}  // namespace muster::resp::work
