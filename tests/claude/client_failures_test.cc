// The client against the stand-in: every way in which the API fails.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "agents/claude/limits.h"
#include "tests/claude/client_testing.h"

namespace muster::claude {
namespace {

std::string fails_once(const std::string& failure) {
  return R"({"rules":[{"nth":1,"text":"never heard","failure":)" + failure + R"(},{"text":"heard"}]})";
}
std::string fails_always(const std::string& failure) {
  return R"({"rules":[{"text":"partly heard","failure":)" + failure + "}]}";
}

TEST_F(ClientTest, WaitsAsLongAsTheApiAsksForBeforeItTriesAgain) {
  serve(fails_once(R"({"status":429,"headers":{"retry-after":"30"}})"));
  const auto heard = start();
  ASSERT_TRUE(eventually([&] { return server->seen().size() == 1; }));
  const auto round_trip = [this] {
    return ask<std::uint64_t>([&](auto reply) { client().count_tokens(params(), {}, std::move(reply)); }).ok();
  };
  EXPECT_TRUE(round_trip());  // behind the 429, so the client has seen that
  const auto other = start("other");
  EXPECT_TRUE(round_trip());
  // Time stands still, so another call, which shares the limit, waits as well.
  EXPECT_EQ(server->seen("/v1/messages"), 1U);
  const Result<Answer> answer = finish(heard);
  ASSERT_TRUE(answer.ok()) << answer.status().message();
  EXPECT_EQ(heard->attempts(), 2U);
  EXPECT_TRUE(finish(other).ok());
  EXPECT_EQ(server->seen("/v1/messages"), 3U);
  EXPECT_EQ(counted("muster_model_retries_total", {}), 1U);
}

TEST_F(ClientTest, GivesUpAnOverloadedApiAfterEveryTry) {
  serve(fails_always(R"({"status":529,"message":"Overloaded"})"));
  const auto heard = start();
  const Result<Answer> answer = finish(heard);
  EXPECT_EQ(answer.code(), Code::exhausted);
  EXPECT_EQ(answer.status().message(),
            "POST /v1/messages answered 529: overloaded_error: Overloaded (request req_stand_in) (tried 3 times)");
  EXPECT_EQ(server->seen().size(), 3U);
  EXPECT_EQ(counted("muster_model_calls_total", {{"kind", "stream"}, {"outcome", "exhausted"}}), 1U);
}

TEST_F(ClientTest, TriesAgainWhatMayGoBetterNextTime) {
  for (const char* const failure :
       {R"({"status":408})", R"({"status":409})", R"({"status":429})", R"({"status":500})", R"({"status":529})",
        R"({"status":502,"html":true})", R"({"status":400,"headers":{"x-should-retry":"true"}})", R"({"drop":0})",
        R"({"drop":1})", R"({"drop":5})", R"({"truncate":5})", R"({"truncate":0})",
        R"({"error_event":"overloaded_error","after":4})", R"({"error_event":"api_error","after":0})"}) {
    serve(fails_once(failure));
    Client own(config, clock, metrics);
    const auto heard = std::make_shared<Heard>();
    own.stream(params(), {}, heard);
    const Result<Answer> answer = finish(heard);
    EXPECT_TRUE(answer.ok()) << failure << ": " << answer.status().message();
    EXPECT_EQ(heard->attempts(), 2U) << failure;
    EXPECT_EQ(heard->text(), "heard") << failure;
  }
}

TEST_F(ClientTest, DoesNotRepeatWhatTheApiRefuses) {
  struct Case {
    const char* failure;
    Code code;
  };
  for (const Case& each : {Case{R"({"status":401})", Code::unauthenticated}, Case{R"({"status":403})", Code::permission_denied},
                           Case{R"({"status":404})", Code::not_found}, Case{R"({"status":400})", Code::invalid_argument},
                           Case{R"({"status":413,"body":"too large"})", Code::invalid_argument},
                           Case{R"({"status":529,"headers":{"x-should-retry":"false"}})", Code::exhausted},
                           Case{R"({"status":301,"headers":{"location":"http://127.0.0.1:1/"}})", Code::corrupt},
                           Case{R"({"error_event":"invalid_request_error","after":4})", Code::invalid_argument}}) {
    serve(fails_always(each.failure));
    Client own(config, clock, metrics);
    const auto heard = std::make_shared<Heard>();
    own.stream(params(), {}, heard);
    EXPECT_EQ(finish(heard).code(), each.code) << each.failure;
    EXPECT_EQ(server->seen().size(), 1U) << each.failure;
  }
}

TEST_F(ClientTest, SaysWhatAnEndpointThatAnswersHtmlSays) {
  serve(fails_always(R"({"html":true})"));
  const Result<Answer> answer = say();
  EXPECT_EQ(answer.code(), Code::corrupt);
  EXPECT_EQ(answer.status().message(),
            "POST /v1/messages answered 200: `<!DOCTYPE html> <html><head><title>Welcome</title></head><body> [31mPlease sign "
            "in.</body></html>` of type `text/html; charset=utf-8`, not the model's API");
  EXPECT_EQ(server->seen().size(), 1U);
}

TEST_F(ClientTest, KeepsItsKeyOutOfWhatTheEndpointSays) {
  serve(fails_always(std::string(R"({"status":400,"message":"your key )") + kKey + R"( is odd"})"));
  const Result<Answer> answer = say();
  EXPECT_EQ(answer.status().message().find(kKey), std::string::npos);
  EXPECT_NE(answer.status().message().find("your key [key] is odd"), std::string::npos);
}

TEST_F(ClientTest, CallsAStreamWithoutItsEndCorrupt) {
  serve(fails_always(R"({"truncate":6})"));
  const auto heard = start();
  const Result<Answer> answer = finish(heard);
  EXPECT_EQ(answer.code(), Code::corrupt);
  EXPECT_NE(answer.status().message().find("before message_stop"), std::string::npos);
  EXPECT_EQ(heard->attempts(), 3U);
  EXPECT_FALSE(heard->text().empty());  // what was said is the listener's to keep
}

TEST_F(ClientTest, CallsABrokenConnectionUnavailable) {
  serve(fails_always(R"({"drop":6})"));
  EXPECT_EQ(say().code(), Code::unavailable);
  EXPECT_EQ(server->seen().size(), 3U);
}

TEST_F(ClientTest, GivesUpAConnectionThatSaysNothing) {
  serve(fails_once(R"({"silence":4})"));
  const auto heard = start();
  ASSERT_TRUE(eventually([&] { return heard->deltas() > 0; }));
  clock.advance(config.silence_timeout);
  EXPECT_TRUE(finish(heard).ok());
  EXPECT_EQ(heard->attempts(), 2U);
}

TEST_F(ClientTest, GivesUpAnEndpointThatIsNotThere) {
  serve("{}");
  server.reset();
  const auto heard = start();
  const Result<Answer> answer = finish(heard);
  EXPECT_EQ(answer.code(), Code::unavailable);
  EXPECT_EQ(heard->attempts(), 3U);
}

TEST_F(ClientTest, CannotTalkTlsToWhatDoesNot) {
  serve("{}");
  config.base_url.replace(0, 4, "https");
  config.tries_max = 1;
  EXPECT_EQ(say().code(), Code::unavailable);
}

TEST_F(ClientTest, RefusesAWrongConfigurationWithEveryCall) {
  const auto code_with = [this](auto change) {
    Config wrong;
    wrong.api_key = kKey;
    change(wrong);
    Client own(wrong, clock, metrics);
    const auto heard = std::make_shared<Heard>();
    own.stream(params(), {}, heard);
    const Status status = heard->answer().status();
    EXPECT_EQ(status.message().find(kKey), std::string::npos);
    return status.code();
  };
  EXPECT_EQ(code_with([](Config& wrong) { wrong.base_url = "ftp://example.com"; }), Code::invalid_argument);
  EXPECT_EQ(code_with([](Config& wrong) { wrong.base_url = "https://"; }), Code::invalid_argument);
  EXPECT_EQ(code_with([](Config& wrong) { wrong.api_key = "a\r\nx-other: b"; }), Code::invalid_argument);
  EXPECT_EQ(code_with([](Config& wrong) { wrong.betas = {"a\nb"}; }), Code::invalid_argument);
  EXPECT_EQ(code_with([](Config& wrong) { wrong.calls_max = 0; }), Code::invalid_argument);
}

TEST_F(ClientTest, WithoutAKeyNoneIsSent) {
  serve(R"({"rules":[{"text":"hello"}]})");
  config.api_key.clear();
  EXPECT_EQ(say().code(), Code::unauthenticated) << "the stand-in wants one; an API of one's own may not";
  ASSERT_EQ(server->seen().size(), 1U);
  EXPECT_TRUE(server->seen().front().key.empty());
  EXPECT_EQ(server->seen().front().headers.count("x-api-key"), 0U);
}

TEST_F(ClientTest, RefusesRequestsThatAreNone) {
  serve("{}");
  const auto heard = std::make_shared<Heard>();
  client().stream("[1]", {}, heard);
  EXPECT_EQ(heard->answer().code(), Code::invalid_argument);
  const auto large = std::make_shared<Heard>();
  client().stream("{" + std::string(kModelRequestBytesMax, ' ') + "}", {}, large);
  EXPECT_EQ(large->answer().code(), Code::invalid_argument);
  EXPECT_EQ(
      ask<Batch>([&](auto reply) {
        client().create_batch({{"a", "{}"}, {"b", "{" + std::string(kModelRequestBytesMax, ' ') + "}"}}, {}, std::move(reply));
      }).code(),
      Code::invalid_argument)
      << "which tells the batcher to look for the one";
  const auto odd = std::make_shared<Heard>();
  client().stream("{}", {"a,b"}, odd);
  EXPECT_EQ(odd->answer().code(), Code::invalid_argument);
  EXPECT_EQ(ask<Batch>([&](auto reply) { client().get_batch("../journal", std::move(reply)); }).code(), Code::invalid_argument);
  EXPECT_EQ(ask<Batch>([&](auto reply) { client().create_batch({}, {}, std::move(reply)); }).code(), Code::invalid_argument);
  EXPECT_TRUE(server->seen().empty());
}

TEST_F(ClientTest, LetsOnlySoManyCallsRunAtATime) {
  config.calls_max = 2;
  serve(R"({"rules":[{"match":{"last_user":"wait"},"text":"x","failure":{"silence":3}},{"text":"ok"}]})");
  std::vector<std::shared_ptr<Heard>> held;
  std::vector<CallId> calls;
  for (int i = 0; i < 2; ++i) {
    held.push_back(std::make_shared<Heard>());
    calls.push_back(client().stream(params("wait"), {}, held.back()));
  }
  ASSERT_TRUE(eventually([&] { return held[0]->deltas() > 0 && held[1]->deltas() > 0; }));
  const auto changed_mind = std::make_shared<Heard>();
  client().cancel(client().stream(params("go"), {}, changed_mind));
  const auto waiting = start("go");
  // A short call does not wait for a stream.
  EXPECT_TRUE(ask<std::uint64_t>([&](auto reply) { client().count_tokens(params(), {}, std::move(reply)); }).ok());
  EXPECT_EQ(server->seen("/v1/messages"), 2U);
  client().cancel(calls[0]);
  EXPECT_TRUE(finish(waiting).ok());
  EXPECT_EQ(changed_mind->answer().code(), Code::conflict);
  EXPECT_EQ(server->seen("/v1/messages"), 3U);  // which was never sent
  EXPECT_FALSE(held[1]->has_ended());
}

TEST_F(ClientTest, KeepsToItsTokensAMinute) {
  config.tokens_per_minute = 200;  // a request asks for 100 and some
  serve(R"({"rules":[{"text":"ok","usage":{"input_tokens":100,"output_tokens":90}}]})");
  const auto first = start();
  ASSERT_TRUE(eventually([&] { return first->has_ended(); }));
  const auto second = start();
  EXPECT_TRUE(ask<std::uint64_t>([&](auto reply) { client().count_tokens(params(), {}, std::move(reply)); }).ok());
  EXPECT_EQ(server->seen("/v1/messages"), 1U);  // 10 tokens are left, and time stands still
  clock.advance(Duration(60'000));
  ASSERT_TRUE(eventually([&] { return second->has_ended(); }));
  EXPECT_TRUE(second->answer().ok());
}

}  // namespace
}  // namespace muster::claude
