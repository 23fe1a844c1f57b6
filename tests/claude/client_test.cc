// The client against the stand-in: what goes well.
#include <gtest/gtest.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "base/json_reader.h"
#include "tests/claude/client_testing.h"

namespace muster::claude {
namespace {

// Every kind of block, with members in an order and numbers in a form that only a text keeps.
const std::vector<std::string> kBlocks{
    R"({"type":"thinking","thinking":"Let me think äöü.","signature":"c2lnbmVk"})",
    R"({"type":"redacted_thinking","data":"EmwKAhgB"})",
    R"({"type":"text","text":"It is so.","citations":[{"type":"char_location","cited_text":"so","document_index":0}]})",
    R"({"type":"server_tool_use","id":"srv_1","name":"web_search","input":{"query":"moon"}})",
    R"({"type":"web_search_tool_result","tool_use_id":"srv_1","content":[{"type":"web_search_result","url":"http://x"}]})",
    R"({"type":"moon_phase","zeta":1,"alpha":{"full":true}})",
    R"({"type":"tool_use","id":"same","name":"add","input":{"b":1,"a":2}})",
    R"({"type":"tool_use","id":"same","name":"now","input":{}})",
};

std::string all_blocks() {
  std::string all;
  for (const std::string& block : kBlocks) all += (all.empty() ? "[" : ",") + block;
  return all + "]";
}

TEST_F(ClientTest, RebuildsEveryBlockExactlyHoweverTheStreamIsCut) {
  const std::string rest =
      R"("usage":{"input_tokens":11,"output_tokens":22,"cache_creation_input_tokens":33,"cache_read_input_tokens":44},)"
      R"("stop_sequence":"END","unknown_events":true,"blocks":)" +
      all_blocks();
  serve(R"({"rules":[{"match":{"last_user":"bytes"},"piece_bytes":1,)" + rest +
        R"(},{"match":{"last_user":"odd"},"piece_bytes":7,"token_bytes":1,)" + rest + "},{" + rest + "}]}");
  for (const char* const how : {"whole", "odd", "bytes"}) {
    const auto heard = start(how);
    const Result<Answer> answer = finish(heard);
    ASSERT_TRUE(answer.ok()) << answer.status().message();
    EXPECT_EQ(answer->blocks, all_blocks()) << how;
    EXPECT_EQ(answer->stop_reason, "tool_use");
    EXPECT_EQ(answer->stop_sequence, "END");
    EXPECT_EQ(answer->model, "m");
    EXPECT_EQ(answer->usage, (TokenUsage{.input = 11, .output = 22, .cache_creation = 33, .cache_read = 44}));
    EXPECT_EQ(heard->text(), "It is so.");
    EXPECT_EQ(heard->attempts(), 1U);
  }
  EXPECT_EQ(counted("muster_model_calls_total", {{"kind", "stream"}, {"outcome", "ok"}}), 3U);
  EXPECT_EQ(counted("muster_model_tokens_total", {{"kind", "cache_read"}}), 3 * 44U);
}

TEST_F(ClientTest, SendsWhatTheApiAsksFor) {
  config.betas = {"one-2025"};
  serve(R"({"rules":[{"text":"ok"}]})");
  const auto heard = std::make_shared<Heard>();
  client().stream(params(), {"two-2026", "one-2025"}, heard);
  ASSERT_TRUE(finish(heard).ok());
  const stand_in::Seen seen = server->seen().at(0);
  EXPECT_EQ(seen.path, "/v1/messages");
  EXPECT_EQ(seen.key, kKey);
  EXPECT_EQ(seen.headers.at("anthropic-version"), "2023-06-01");
  EXPECT_EQ(seen.headers.at("anthropic-beta"), "one-2025,two-2026");
  EXPECT_EQ(seen.headers.at("content-type"), "application/json");
  EXPECT_FALSE(seen.headers.contains("expect"));
  const auto body = json::parse_object(seen.body);
  ASSERT_TRUE(body.has_value());
  EXPECT_EQ(json::flag(*body, "stream"), true);
  EXPECT_EQ(json::natural(*body, "max_tokens"), 100U);
}

TEST_F(ClientTest, UsesOneConnectionForCallsThatFollowEachOther) {
  serve(R"({"rules":[{"text":"ok"}]})");
  for (int i = 0; i < 20; ++i) ASSERT_TRUE(say().ok());
  EXPECT_EQ(server->connections(), 1U);
}

TEST_F(ClientTest, RunsHundredsOfStreamsAtOnce) {
  constexpr std::size_t kStreams = 400;
  serve(R"({"rules":[{"text":"a stream of some tokens","token_ms":5,"delay_ms":50}]})");
  std::vector<std::shared_ptr<Heard>> all;
  for (std::size_t i = 0; i < kStreams; ++i) all.push_back(start());
  for (const auto& heard : all) {
    const Result<Answer> answer = finish(heard);
    ASSERT_TRUE(answer.ok()) << answer.status().message();
    EXPECT_EQ(heard->text(), "a stream of some tokens");
  }
  EXPECT_EQ(server->seen("/v1/messages"), kStreams);
}

TEST_F(ClientTest, TakesAnAnswerOfManyMegabytes) {
  serve(R"({"rules":[{"text":"0123456789abcdef","repeat":300000,"token_bytes":100000}]})");
  const Result<Answer> answer = say();
  ASSERT_TRUE(answer.ok());
  EXPECT_GT(answer->blocks.size(), 4'800'000U);
}

TEST_F(ClientTest, WrapsAToolsInputThatTheModelWasCutOffIn) {
  serve(
      R"({"rules":[{"blocks":[{"type":"tool_use","id":"t","name":"add","input":{}}],"input_pieces":["{\"a\":","[1,"],"stop_reason":"max_tokens"}]})");
  const Result<Answer> answer = say();
  ASSERT_TRUE(answer.ok());
  EXPECT_EQ(answer->blocks, R"([{"type":"tool_use","id":"t","name":"add","input":{"INVALID_JSON":"{\"a\":[1,"}}])");
}

TEST_F(ClientTest, CountsTokensOfWhatTheModelWouldRead) {
  serve(R"({"tokens":77})");
  const auto tokens = ask_in_time<std::uint64_t>([&](auto reply) { client().count_tokens(params(), {}, std::move(reply)); });
  ASSERT_TRUE(tokens.ok()) << tokens.status().message();
  EXPECT_EQ(*tokens, 77U);
  EXPECT_EQ(server->seen().at(0).body, R"({"model":"m","messages":[{"role":"user","content":"hello"}]})");
}

TEST_F(ClientTest, AsksNoProxyThatTheEnvironmentNames) {
  ::setenv("http_proxy", "http://127.0.0.1:1", 1);
  ::setenv("ALL_PROXY", "http://127.0.0.1:1", 1);
  serve(R"({"rules":[{"text":"ok"}]})");
  EXPECT_TRUE(say().ok());
  ::unsetenv("http_proxy");
  ::unsetenv("ALL_PROXY");
}

TEST_F(ClientTest, GoesThroughTheProxyOfItsConfiguration) {
  serve(R"({"rules":[{"text":"ok"}]})");
  config.proxy = server->url();
  config.base_url = "http://api.invalid";
  config.tries_max = 1;
  // The stand-in is no proxy, so it refuses the target; that it was asked is what counts.
  EXPECT_EQ(say().code(), Code::not_found);
  EXPECT_EQ(server->seen().at(0).path, "http://api.invalid/v1/messages");
}

TEST_F(ClientTest, EndsAStreamThatIsCancelledAndItsConnectionWithIt) {
  serve(R"({"rules":[{"text":"never whole","failure":{"silence":5}}]})");
  const auto heard = std::make_shared<Heard>();
  const CallId call = client().stream(params(), {}, heard);
  ASSERT_TRUE(eventually([&] { return heard->deltas() > 0; }));
  client().cancel(call);
  client().cancel(call);
  EXPECT_EQ(finish(heard).code(), Code::conflict);
  EXPECT_TRUE(eventually([&] { return server->open_connections() == 0; }));
  EXPECT_EQ(server->seen().size(), 1U);
}

TEST_F(ClientTest, EndsEveryCallWhenItStops) {
  config.calls_max = 1;
  serve(R"({"rules":[{"text":"never whole","failure":{"silence":3}}]})");
  const auto running = start();
  const auto waiting = start();
  ASSERT_TRUE(eventually([&] { return server->seen().size() == 1; }));
  client().stop();
  client().stop();
  EXPECT_EQ(running->answer().code(), Code::conflict);
  EXPECT_EQ(waiting->answer().code(), Code::conflict);
  EXPECT_EQ(start()->answer().code(), Code::conflict);
  EXPECT_EQ(ask<Batch>([&](auto reply) { client().get_batch("b", std::move(reply)); }).code(), Code::conflict);
}

TEST_F(ClientTest, MayBeStoppedByASink) {
  struct Stopper final : StreamSink {
    explicit Stopper(Client& stopped) : client(stopped) {}
    void started(std::uint32_t) override {}
    void delta(const Delta&) override {}
    void ended(Result<Answer>) override {
      client.stop();
      done = true;
    }
    Client& client;
    std::atomic<bool> done = false;
  };
  serve(R"({"rules":[{"text":"ok"}]})");
  const auto stopper = std::make_shared<Stopper>(client());
  client().stream(params(), {}, stopper);
  ASSERT_TRUE(eventually([&] { return stopper->done.load(); }));
  EXPECT_EQ(start()->answer().code(), Code::conflict);
}

TEST_F(ClientTest, OutlivesASinkThatThrows) {
  struct Thrower final : StreamSink {
    void started(std::uint32_t) override { throw 1; }
    void delta(const Delta&) override { throw std::runtime_error("boo"); }
    void ended(Result<Answer> answer) override {
      code = answer.code();
      throw 2;
    }
    std::atomic<Code> code = Code::ok;
  };
  serve(R"({"rules":[{"text":"ok"}]})");
  const auto thrower = std::make_shared<Thrower>();
  client().stream(params(), {}, thrower);
  ASSERT_TRUE(eventually([&] { return thrower->code.load() != Code::ok; }));
  EXPECT_EQ(thrower->code.load(), Code::internal);
  EXPECT_TRUE(say().ok());
}

}  // namespace
}  // namespace muster::claude
