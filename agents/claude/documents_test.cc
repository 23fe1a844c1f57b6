#include "agents/claude/documents.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "agents/claude/limits.h"
#include "agents/claude/line_reader.h"

namespace muster::claude {
namespace {

TEST(LineReader, ReadsTheSameHoweverTheTextIsCut) {
  const std::string text = "one\n\r\n two \r\n" + std::string(100'000, 'x') + "\nlast";
  for (const std::size_t piece : {1UL, 2UL, 3UL, 7UL, 4'096UL, text.size()}) {
    LineReader reader;
    std::vector<std::string> lines;
    const auto take = [&](std::string_view line) { lines.emplace_back(line); };
    for (std::string_view rest = text; !rest.empty(); rest.remove_prefix(std::min(piece, rest.size())))
      ASSERT_TRUE(reader.feed(rest.substr(0, piece), take).ok());
    reader.finish(take);
    EXPECT_EQ(lines, (std::vector<std::string>{"one", "two", std::string(100'000, 'x'), "last"})) << piece;
  }
}

TEST(LineReader, RefusesALineBeyondItsBound) {
  LineReader reader;
  const std::string piece(1024 * 1024, 'x');
  const auto ignore = [](std::string_view) {};
  for (std::size_t i = 0; i < kModelResultLineBytesMax / piece.size(); ++i) ASSERT_TRUE(reader.feed(piece, ignore).ok());
  EXPECT_EQ(reader.feed("x", ignore).code(), Code::corrupt);
}

TEST(BatchLineReader, ReadsAMessageWithItsBlocksAsTheyAreWritten) {
  const auto line = read_batch_line(
      R"({"custom_id":"c1","result":{"type":"succeeded","message":{"id":"msg_1","type":"message","role":"assistant","model":"m",)"
      R"("content":[{"type":"text","text":"h\u00e9"},{"type":"moon","n":1.50}],"stop_reason":"stop_sequence","stop_sequence":"END",)"
      R"("usage":{"input_tokens":1,"output_tokens":2,"cache_creation_input_tokens":3,"cache_read_input_tokens":4}}}})");
  ASSERT_TRUE(line.ok());
  EXPECT_EQ(line->custom_id, "c1");
  EXPECT_EQ(line->type, BatchLineType::succeeded);
  EXPECT_EQ(line->answer.blocks, R"([{"type":"text","text":"h\u00e9"},{"type":"moon","n":1.50}])");
  EXPECT_EQ(line->answer.stop_reason, "stop_sequence");
  EXPECT_EQ(line->answer.stop_sequence, "END");
  EXPECT_EQ(line->answer.usage, (TokenUsage{.input = 1, .output = 2, .cache_creation = 3, .cache_read = 4}));
}

TEST(BatchLineReader, FindsTheMessageOfAnErrorNestedOrNot) {
  const auto nested = read_batch_line(
      R"({"custom_id":"c","result":{"type":"errored","error":{"type":"error","error":{"type":"invalid_request_error","message":"bad"}}}})");
  ASSERT_TRUE(nested.ok());
  EXPECT_EQ(nested->error_message, "bad");
  EXPECT_EQ(nested->error_type, "invalid_request_error");
  EXPECT_FALSE(nested->retryable);
  const auto flat =
      read_batch_line(R"({"custom_id":"c","result":{"type":"errored","error":{"type":"overloaded_error","message":"busy"}}})");
  ASSERT_TRUE(flat.ok());
  EXPECT_EQ(flat->error_message, "busy");
  EXPECT_EQ(flat->error_type, "overloaded_error");
  EXPECT_TRUE(flat->retryable);
}

TEST(BatchLineReader, KnowsCanceledAndExpired) {
  EXPECT_EQ(read_batch_line(R"({"custom_id":"c","result":{"type":"canceled"}})")->type, BatchLineType::canceled);
  const auto expired = read_batch_line(R"({"custom_id":"c","result":{"type":"expired"}})");
  EXPECT_EQ(expired->type, BatchLineType::expired);
  EXPECT_TRUE(expired->retryable);
}

TEST(BatchLineReader, MakesAnErrorOfWhatALineLacks) {
  for (const char* const text :
       {R"({"custom_id":"c"})", R"({"custom_id":"c","result":7})", R"({"custom_id":"c","result":{"type":"moon"}})",
        R"({"custom_id":"c","result":{"type":"succeeded","message":{"content":"x"}}})",
        R"({"custom_id":"c","result":{"type":"errored"}})"}) {
    const auto line = read_batch_line(text);
    ASSERT_TRUE(line.ok()) << text;
    EXPECT_EQ(line->type, BatchLineType::errored) << text;
    EXPECT_FALSE(line->error_message.empty()) << text;
    EXPECT_TRUE(line->retryable) << text;
  }
  EXPECT_EQ(read_batch_line("{}").code(), Code::corrupt);
  EXPECT_EQ(read_batch_line("<html>").code(), Code::corrupt);
}

TEST(BatchReader, ReadsStatesCountsAndExpiry) {
  const auto batch = read_batch(
      R"({"id":"msgbatch_1","processing_status":"canceling","request_counts":{"processing":1,"succeeded":2,"errored":3,"canceled":4,"expired":5},"expires_at":"2026-11-19T00:00:00Z"})");
  ASSERT_TRUE(batch.ok());
  EXPECT_EQ(batch->state, BatchState::canceling);
  EXPECT_EQ(batch->processing + 10 * batch->succeeded + 100 * batch->errored + 1'000 * batch->canceled + 10'000 * batch->expired,
            54'321U);
  EXPECT_TRUE(batch->expires_at.has_value());
  EXPECT_EQ(read_batch(R"({"id":"msgbatch_1"})").code(), Code::corrupt);
  EXPECT_EQ(read_batch(R"({"id":"","processing_status":"ended"})").code(), Code::corrupt);
  EXPECT_EQ(read_batch("null").code(), Code::corrupt);
  EXPECT_EQ(*read_token_count(R"({"input_tokens":7})"), 7U);
  EXPECT_EQ(read_token_count(R"({"input_tokens":-7})").code(), Code::corrupt);
}

TEST(Excerpt, HasNothingThatATerminalActsOn) {
  EXPECT_EQ(excerpt("<html>\r\n\x1b[31mred\x00\xff\xc2\x9b!"), "`<html> [31mred`");
  EXPECT_EQ(excerpt(std::string("a\x01\xff\xc2\x9b!", 6)), "`a !`");
  EXPECT_EQ(excerpt(""), "nothing readable");
  EXPECT_LE(excerpt(std::string(10'000, 'x')).size(), kModelExcerptBytesMax + 2);
  std::string umlauts;
  for (int i = 0; i < 1'000; ++i) umlauts += "ä";
  EXPECT_EQ(one_line(umlauts).size(), kModelErrorTextBytesMax);
}

}  // namespace
}  // namespace muster::claude
