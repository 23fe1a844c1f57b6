// The client against the stand-in: batches.
#include <gtest/gtest.h>

#include <atomic>
#include <map>
#include <string>
#include <vector>

#include "agents/claude/scripted_testing.h"
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
      client().batch_results(id, every_line([this](BatchLine line) { lines.push_back(std::move(line)); }), std::move(reply));
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

// Has room for so many lines at a time.
class Counter final : public LineSink {
 public:
  explicit Counter(std::size_t room) : room_(room) {}
  void line(BatchLine) override {
    too_many_ = too_many_ + (taken_ >= room_ ? 1 : 0);
    ++taken_;
  }
  bool has_room() const override {
    if (taken_ < room_) return true;
    ++refused_;
    return false;
  }
  void make_room(std::size_t more) { room_ += more; }
  std::size_t taken() const { return taken_; }
  std::size_t too_many() const { return too_many_; }
  std::size_t refused() const { return refused_; }

 private:
  std::atomic<std::size_t> room_;
  std::atomic<std::size_t> taken_ = 0;
  std::atomic<std::size_t> too_many_ = 0;
  mutable std::atomic<std::size_t> refused_ = 0;
};

TEST_F(ClientBatchesTest, ReadsNoMoreThanThereIsRoomFor) {
  serve(R"({"rules":[{"text":"0123456789","repeat":2000}]})");
  std::vector<std::string> ids;
  for (int i = 0; i < 60; ++i) ids.push_back(std::to_string(i));
  const auto batch = create(ids);
  ASSERT_TRUE(batch.ok());
  ASSERT_EQ(get(batch->id)->state, BatchState::ended);
  const auto sink = std::make_shared<Counter>(10);
  std::atomic<std::uint64_t> count = 0;
  client().batch_results(batch->id, sink, [&count](Result<std::uint64_t> read) { count = read.ok() ? *read : 1; });
  ASSERT_TRUE(eventually([&] { return sink->refused() >= 3; })) << "it asks again";
  EXPECT_EQ(sink->taken(), 10U);
  EXPECT_EQ(count, 0U);
  clock.advance(std::chrono::minutes(6));  // nobody takes the wait for silence
  sink->make_room(20);
  ASSERT_TRUE(eventually([&] { return sink->taken() == 30; }));
  sink->make_room(100);
  ASSERT_TRUE(eventually([&] { return count == 60; }));
  EXPECT_EQ(sink->too_many(), 0U) << "a line is longer than what is read at a time";
}

}  // namespace
}  // namespace muster::claude
