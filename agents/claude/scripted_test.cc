#include <gtest/gtest.h>

#include "agents/claude/scripted_testing.h"
#include "base/ask_testing.h"

namespace muster::claude {
namespace {

struct Heard final : StreamSink {
  void started(std::uint32_t attempt) override { attempts = attempt, text.clear(); }
  void delta(const Delta& delta) override {
    if (delta.kind == DeltaKind::text) text += delta.text;
  }
  void ended(Result<Answer> got) override { answer.emplace(std::move(got)); }
  std::uint32_t attempts = 0;
  std::string text;
  std::optional<Result<Answer>> answer;
};

TEST(ScriptedApi, PlaysItsAnswersInOrder) {
  ScriptedApi api{tool_answer({tool_block("t1", "add", R"({"a":1})")}), text_answer("done")};
  const auto first = std::make_shared<Heard>();
  const auto second = std::make_shared<Heard>();
  const auto third = std::make_shared<Heard>();
  api.break_streams_once();
  api.stream(R"({"n":1})", {}, first);
  api.stream(R"({"n":2})", {"beta"}, second);
  api.stream("{}", {}, third);
  EXPECT_EQ((*first->answer)->stop_reason, "tool_use");
  EXPECT_EQ(first->attempts, 2U);
  EXPECT_EQ(second->text, "done");
  EXPECT_EQ(third->answer->code(), Code::exhausted);
  EXPECT_EQ(api.asked()[1].text, R"({"n":2})");
  EXPECT_EQ(api.asked("stream"), 3U);
}

TEST(ScriptedApi, HoldsCallsUntilTheyAreLetGoOrCancelled) {
  ScriptedApi api([](const std::string&) -> Result<Answer> { return text_answer("x"); });
  api.hold();
  const auto kept = std::make_shared<Heard>();
  const auto cancelled = std::make_shared<Heard>();
  const auto stopped = std::make_shared<Heard>();
  api.stream("{}", {}, kept);
  api.cancel(api.stream("{}", {}, cancelled));
  EXPECT_EQ(cancelled->answer->code(), Code::conflict);
  EXPECT_FALSE(kept->answer.has_value());
  EXPECT_TRUE(api.step());
  EXPECT_TRUE(kept->answer->ok());
  api.stream("{}", {}, stopped);
  api.stop();
  EXPECT_EQ(stopped->answer->code(), Code::conflict);
}

TEST(ScriptedApi, EndsABatchAfterItsPolls) {
  ScriptedApi api([](const std::string&) -> Result<Answer> { return text_answer("x"); });
  api.set_polls_until_ended(2);
  const auto batch = ask<Batch>([&](auto reply) { api.create_batch({{"a", "{}"}, {"b", "{}"}}, {}, std::move(reply)); });
  ASSERT_TRUE(batch.ok());
  const auto get = [&] { return ask<Batch>([&](auto reply) { api.get_batch(batch->id, std::move(reply)); }); };
  EXPECT_EQ(get()->state, BatchState::in_progress);
  EXPECT_EQ(get()->state, BatchState::ended);
  std::vector<std::string> ids;
  const auto lines = ask<std::uint64_t>([&](auto reply) {
    api.batch_results(batch->id, every_line([&](const BatchLine& line) { ids.push_back(line.custom_id); }), std::move(reply));
  });
  EXPECT_EQ(*lines, 2U);
  EXPECT_EQ(ids, (std::vector<std::string>{"a", "b"}));
}

}  // namespace
}  // namespace muster::claude
