#include "agents/claude/accumulator.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "agents/claude/limits.h"

namespace muster::claude {
namespace {

constexpr const char* kStart =
    R"({"type":"message_start","message":{"id":"msg_1","type":"message","role":"assistant","model":"m","content":[],)"
    R"("stop_reason":null,"usage":{"input_tokens":11,"cache_creation_input_tokens":3,"cache_read_input_tokens":7,"output_tokens":1}}})";

class AccumulatorTest : public testing::Test {
 protected:
  Status take(std::string_view name, std::string_view data) {
    return accumulator.take({.name = name, .data = data}, [this](const Delta& delta) {
      told.push_back(fmt::format("{}@{}:{}", static_cast<int>(delta.kind), delta.index, delta.text));
    });
  }
  void start() { ASSERT_TRUE(take("message_start", kStart).ok()); }
  void begin_block(std::size_t index, std::string_view block) {
    ASSERT_TRUE(take("content_block_start",
                     fmt::format(R"({{"type":"content_block_start","index":{},"content_block":{}}})", index, block))
                    .ok());
  }
  void add(std::size_t index, std::string_view delta) {
    ASSERT_TRUE(
        take("content_block_delta", fmt::format(R"({{"type":"content_block_delta","index":{},"delta":{}}})", index, delta)).ok());
  }
  void end_block(std::size_t index) {
    ASSERT_TRUE(take("content_block_stop", fmt::format(R"({{"type":"content_block_stop","index":{}}})", index)).ok());
  }
  Answer finish(std::string_view reason = "end_turn") {
    EXPECT_TRUE(
        take("message_delta", fmt::format(R"({{"type":"message_delta","delta":{{"stop_reason":"{}","stop_sequence":null}},)"
                                          R"("usage":{{"output_tokens":42}}}})",
                                          reason))
            .ok());
    EXPECT_FALSE(accumulator.complete());
    EXPECT_TRUE(take("message_stop", R"({"type":"message_stop"})").ok());
    EXPECT_TRUE(accumulator.complete());
    return accumulator.take_answer();
  }
  std::string blocks_of(std::size_t index, std::string_view block, const std::vector<std::string>& deltas) {
    start();
    begin_block(index, block);
    for (const std::string& each : deltas) add(index, each);
    end_block(index);
    return finish().blocks;
  }

  Accumulator accumulator;
  std::vector<std::string> told;
};

TEST_F(AccumulatorTest, PutsTextTogetherAndTellsEachPiece) {
  start();
  begin_block(0, R"({"type":"text","text":""})");
  add(0, R"({"type":"text_delta","text":"Hé \"the"})");
  add(0, R"({"type":"text_delta","text":"re\"\n😀"})");
  end_block(0);
  const Answer answer = finish();
  EXPECT_EQ(answer.blocks, "[{\"type\":\"text\",\"text\":\"Hé \\\"there\\\"\\n😀\"}]");
  EXPECT_EQ(answer.id, "msg_1");
  EXPECT_EQ(answer.model, "m");
  EXPECT_EQ(answer.stop_reason, "end_turn");
  EXPECT_EQ(answer.stop_sequence, "");
  EXPECT_EQ(answer.usage, (TokenUsage{.input = 11, .output = 42, .cache_creation = 3, .cache_read = 7}));
  EXPECT_EQ(told, (std::vector<std::string>{"0@0:", "1@0:Hé \"the", "1@0:re\"\n😀", "6@0:"}));
}

TEST_F(AccumulatorTest, KeepsAToolsInputAsItWasWritten) {
  EXPECT_EQ(blocks_of(0, R"({"type":"tool_use","id":"t1","name":"add","input":{}})",
                      {R"({"type":"input_json_delta","partial_json":""})",
                       R"({"type":"input_json_delta","partial_json":"{\"b\": 1.50,"})",
                       R"({"type":"input_json_delta","partial_json":" \"a\": 12345678901234567890123}"})"}),
            R"([{"type":"tool_use","id":"t1","name":"add","input":{"b": 1.50, "a": 12345678901234567890123}}])");
}

TEST_F(AccumulatorTest, LeavesTheInputOfAToolWithoutArgumentsAlone) {
  EXPECT_EQ(blocks_of(0, R"({"type":"tool_use","id":"t1","name":"now","input":{}})",
                      {R"({"type":"input_json_delta","partial_json":""})"}),
            R"([{"type":"tool_use","id":"t1","name":"now","input":{}}])");
}

TEST_F(AccumulatorTest, WrapsAnInputThatWasCutOff) {
  EXPECT_EQ(blocks_of(0, R"({"type":"tool_use","id":"t1","name":"add","input":{}})",
                      {R"({"type":"input_json_delta","partial_json":"{\"a\": \"x"})"}),
            R"([{"type":"tool_use","id":"t1","name":"add","input":{"INVALID_JSON":"{\"a\": \"x"}}])");
}

TEST_F(AccumulatorTest, KeepsThinkingWithItsSignature) {
  EXPECT_EQ(blocks_of(0, R"({"type":"thinking","thinking":"","signature":""})",
                      {R"({"type":"thinking_delta","thinking":"Let "})", R"({"type":"thinking_delta","thinking":"me see"})",
                       R"({"type":"signature_delta","signature":"c2ln"})"}),
            R"([{"type":"thinking","thinking":"Let me see","signature":"c2ln"}])");
}

TEST_F(AccumulatorTest, HandsOnWholeBlocksByteForByte) {
  const std::vector<std::string> whole{
      R"({"type":"redacted_thinking","data":"EmwKAhgB"})",
      R"({"type":"web_search_tool_result","tool_use_id":"s1","content":[{"type":"web_search_result","url":"http://x","z":1,"a":1.50}]})",
      R"({"type":"moon","phase":{"z":0.10,"a":[1, 12345678901234567890123]}})"};
  start();
  for (std::size_t i = 0; i < whole.size(); ++i) {
    begin_block(i, whole[i]);
    end_block(i);
  }
  EXPECT_EQ(finish().blocks, "[" + whole[0] + "," + whole[1] + "," + whole[2] + "]");
}

TEST_F(AccumulatorTest, CollectsCitationsBehindThoseOfTheStart) {
  EXPECT_EQ(blocks_of(0, R"({"citations":[{"n":1}],"type":"text","text":"so "})",
                      {R"({"type":"text_delta","text":"it is"})", R"({"type":"citations_delta","citation":{"z":1,"a":2}})",
                       R"({"type":"citations_delta","citation":{"n":3}})"}),
            R"([{"citations":[{"n":1},{"z":1,"a":2},{"n":3}],"type":"text","text":"so it is"}])");
}

TEST_F(AccumulatorTest, AppendsTextsOfDeltasItDoesNotKnow) {
  EXPECT_EQ(blocks_of(0, R"({"type":"compaction","content":null})",
                      {R"({"type":"compaction_delta","content":"one "})",
                       R"({"type":"compaction_delta","content":"two","level":2,"none":null})"}),
            R"([{"type":"compaction","content":"one two","level":2}])");
  EXPECT_EQ(told[1], "7@0:");
}

TEST_F(AccumulatorTest, KeepsTheOrderOfBlocksThatOverlap) {
  start();
  begin_block(1, R"({"type":"tool_use","id":"same","name":"b","input":{}})");
  begin_block(0, R"({"type":"tool_use","id":"same","name":"a","input":{}})");
  add(1, R"({"type":"input_json_delta","partial_json":"{\"x\":1}"})");
  add(0, R"({"type":"input_json_delta","partial_json":"{\"x\":0}"})");
  end_block(1);
  EXPECT_EQ(
      finish("tool_use").blocks,  // the second one was never ended, and is complete all the same
      R"([{"type":"tool_use","id":"same","name":"a","input":{"x":0}},{"type":"tool_use","id":"same","name":"b","input":{"x":1}}])");
}

TEST_F(AccumulatorTest, IgnoresPingsAndEventsItDoesNotKnow) {
  EXPECT_TRUE(take("ping", "not even JSON").ok());
  EXPECT_TRUE(take("moon_phase", "not even JSON").ok());
  start();
  EXPECT_EQ(finish().blocks, "[]");
  EXPECT_TRUE(take("error", "after the end").ok());
}

TEST_F(AccumulatorTest, FailsAsTheErrorEventSays) {
  const Status busy = take("error", R"({"type":"error","error":{"type":"overloaded_error","message":"Over\nloaded"}})");
  EXPECT_EQ(busy.code(), Code::exhausted);
  EXPECT_EQ(busy.message(), "overloaded_error: Over loaded");
  EXPECT_EQ(take("error", R"({"type":"error","error":{"type":"api_error","message":"x"}})").code(), Code::unavailable);
  EXPECT_EQ(take("error", R"({"type":"error","error":{"type":"invalid_request_error","message":"x"}})").code(),
            Code::invalid_argument);
  EXPECT_EQ(take("error", "what").code(), Code::corrupt);
}

TEST_F(AccumulatorTest, RefusesWhatIsNotAStreamOfTheApi) {
  EXPECT_EQ(take("message_stop", "{}").code(), Code::corrupt);
  EXPECT_EQ(take("message_start", "[]").code(), Code::corrupt);
  EXPECT_EQ(take("message_start", R"({"message":7})").code(), Code::corrupt);
  start();
  EXPECT_EQ(take("message_start", kStart).code(), Code::corrupt);
  EXPECT_EQ(take("content_block_delta", R"({"index":0,"delta":{"type":"text_delta","text":"x"}})").code(), Code::corrupt);
  EXPECT_EQ(take("content_block_start", R"({"index":-1,"content_block":{}})").code(), Code::corrupt);
  EXPECT_EQ(take("content_block_start", R"({"index":0,"content_block":[]})").code(), Code::corrupt);
  EXPECT_EQ(take("content_block_start", fmt::format(R"({{"index":{},"content_block":{{}}}})", kModelBlocksMax)).code(),
            Code::corrupt);
  EXPECT_EQ(take("content_block_stop", R"({"index":0})").code(), Code::corrupt);
  EXPECT_EQ(take("message_delta", "{").code(), Code::corrupt);
  begin_block(0, R"({"type":"text","text":""})");
  EXPECT_EQ(take("content_block_start", R"({"index":0,"content_block":{}})").code(), Code::corrupt);
  EXPECT_EQ(take("content_block_delta", R"({"index":0,"delta":{}})").code(), Code::corrupt);
}

TEST_F(AccumulatorTest, BoundsTheWholeAnswer) {
  start();
  begin_block(0, R"({"type":"text","text":""})");
  const std::string delta = R"({"index":0,"delta":{"type":"moon","none":null}})" + std::string(8 * 1024 * 1024, ' ');
  Status taken;
  std::size_t events = 0;
  while (taken.ok() && events++ < 100) taken = take("content_block_delta", delta);
  EXPECT_EQ(taken.code(), Code::corrupt);
  EXPECT_LE(events, kModelAnswerBytesMax / (8 * 1024 * 1024));
}

}  // namespace
}  // namespace muster::claude
