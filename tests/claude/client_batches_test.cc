// The client against the stand-in: batches.
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "tests/claude/client_testing.h"

namespace muster::claude {
namespace {

class ClientBatchesTest : public ClientTest {
 protected:
  Result<Batch> create(const std::vector<std::string>& ids) {
    std::vector<BatchRequest> requests;
    for (const std::string& id : ids) requests.push_back({.custom_id = id, .params = params(id)});
    return ask_in_time<Batch>([&](auto reply) { client().create_batch(std::move(requests), {}, std::move(reply)); });
  }
  Result<Batch> get(const std::string& id) {
    return ask_in_time<Batch>([&](auto reply) { client().get_batch(id, std::move(reply)); });
  }
  Result<std::uint64_t> read(const std::string& id) {
    return ask_in_time<std::uint64_t>([&](auto reply) {
      client().batch_results(
          id, [this](BatchLine line) { lines.push_back(std::move(line)); }, std::move(reply));
    });
  }

  std::vector<BatchLine> lines;  // read when the reply has come
};

TEST_F(ClientBatchesTest, BringsEveryKindOfLine) {
  serve(R"({"batches":{"polls_until_ended":3},"rules":[
    {"match":{"custom_id":"nested"},"batch_result":"errored","failure":{"type":"invalid_request_error","message":"bad input"}},
    {"match":{"custom_id":"flat"},"batch_result":"errored","nested":false,"failure":{"type":"api_error","message":"our fault"}},
    {"match":{"custom_id":"canceled"},"batch_result":"canceled"},
    {"match":{"custom_id":"expired"},"batch_result":"expired"},
    {"match":{"custom_id":"missing"},"batch_result":"missing"},
    {"match":{"custom_id":"unreadable"},"batch_result":"unreadable"},
    {"match":{"custom_id":"long"},"text":"0123456789","repeat":20000},
    {"text":"you said {{last_user}}","usage":{"input_tokens":7,"output_tokens":8}}]})");
  const auto batch = create({"good", "nested", "flat", "canceled", "expired", "missing", "unreadable", "long"});
  ASSERT_TRUE(batch.ok()) << batch.status().message();
  EXPECT_EQ(batch->state, BatchState::in_progress);
  EXPECT_EQ(batch->processing, 8U);
  EXPECT_TRUE(batch->expires_at.has_value());
  EXPECT_EQ(read(batch->id).code(), Code::not_found);  // it has not ended
  EXPECT_EQ(get(batch->id)->state, BatchState::in_progress);
  EXPECT_EQ(get(batch->id)->state, BatchState::in_progress);
  const auto ended = get(batch->id);
  EXPECT_EQ(ended->state, BatchState::ended);
  EXPECT_EQ(ended->succeeded, 2U);
  const auto count = read(batch->id);
  ASSERT_TRUE(count.ok()) << count.status().message();
  EXPECT_EQ(*count, 6U);
  std::map<std::string, BatchLine> by_id;
  for (const BatchLine& line : lines) by_id[line.custom_id] = line;
  ASSERT_EQ(by_id.size(), 6U);
  EXPECT_EQ(by_id["good"].answer.blocks, R"([{"type":"text","text":"you said good"}])");
  EXPECT_EQ(by_id["good"].answer.usage.output, 8U);
  EXPECT_EQ(by_id["nested"].error_message, "bad input");
  EXPECT_FALSE(by_id["nested"].retryable);
  EXPECT_EQ(by_id["flat"].error_message, "our fault");
  EXPECT_TRUE(by_id["flat"].retryable);
  EXPECT_EQ(by_id["canceled"].type, BatchLineType::canceled);
  EXPECT_EQ(by_id["expired"].type, BatchLineType::expired);
  EXPECT_GT(by_id["long"].answer.blocks.size(), 200'000U);
  EXPECT_EQ(counted("muster_model_tokens_total", {{"kind", "output"}}), 8U + 5U);
}

TEST_F(ClientBatchesTest, BringsNoLineTwiceWhenADownloadBreaks) {
  serve(R"({"batches":{"drop_results_after_lines":2},"rules":[{"text":"ok"}]})");
  const auto batch = create({"a", "b", "c", "d"});
  ASSERT_TRUE(batch.ok());
  ASSERT_EQ(get(batch->id)->state, BatchState::ended);
  const auto count = read(batch->id);
  ASSERT_TRUE(count.ok()) << count.status().message();
  EXPECT_EQ(*count, 4U);
  std::string ids;
  for (const BatchLine& line : lines) ids += line.custom_id;
  EXPECT_EQ(ids, "abcd");
  EXPECT_EQ(server->seen("/v1/messages/batches/" + batch->id + "/results"), 2U);
}

TEST_F(ClientBatchesTest, CancelsABatch) {
  serve(R"({"batches":{"polls_until_ended":100},"rules":[{"text":"ok"}]})");
  const auto batch = create({"a", "b"});
  ASSERT_TRUE(batch.ok());
  const auto cancelled = ask_in_time<Batch>([&](auto reply) { client().cancel_batch(batch->id, std::move(reply)); });
  ASSERT_TRUE(cancelled.ok()) << cancelled.status().message();
  EXPECT_EQ(cancelled->state, BatchState::canceling);
  EXPECT_EQ(get(batch->id)->canceled, 2U);
  EXPECT_EQ(*read(batch->id), 2U);
  EXPECT_EQ(lines.at(0).type, BatchLineType::canceled);
}

TEST_F(ClientBatchesTest, NeverCreatesABatchTwiceWhenTheAnswerIsLost) {
  serve(R"({"rules":[{"match":{"endpoint":"create_batch"},"failure":{"drop":0}},{"text":"ok"}]})");
  EXPECT_EQ(create({"a"}).code(), Code::outcome_unknown);
  EXPECT_EQ(server->seen("/v1/messages/batches"), 1U);
  EXPECT_EQ(server->seen().at(0).custom_ids, std::vector<std::string>{"a"});
}

TEST_F(ClientBatchesTest, CreatesABatchOnceTheApiHasRoom) {
  serve(R"({"rules":[{"match":{"endpoint":"create_batch"},"times":2,"failure":{"status":429}},{"text":"ok"}]})");
  EXPECT_TRUE(create({"a"}).ok());
  EXPECT_EQ(server->seen("/v1/messages/batches"), 3U);
}

TEST_F(ClientBatchesTest, KnowsABatchThatIsNotThere) {
  serve("{}");
  EXPECT_EQ(get("msgbatch_9").code(), Code::not_found);
  EXPECT_EQ(server->seen().size(), 1U);
}

}  // namespace
}  // namespace muster::claude
