#include "agents/compaction.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "agents/context.h"
#include "agents/rules_testing.h"

namespace muster::agents {
namespace {

// Two hundred tokens a message and a pair of call and result in every third place.
std::vector<AgentMessage> talk(std::size_t rounds) {
  std::vector<AgentMessage> out;
  const std::string filler(800, 'x');
  for (std::size_t i = 0; i < rounds; ++i) {
    const std::string id = "t" + std::to_string(i);
    out.push_back(said(MessageRole::user, filler, out.size() + 1));
    out.push_back(
        message(MessageRole::assistant, R"([{"type":"tool_use","id":")" + id + R"(","name":"x","input":{}}])", out.size() + 1));
    out.push_back(message(MessageRole::user,
                          R"([{"type":"tool_result","tool_use_id":")" + id + R"(","content":")" + filler + R"("}])",
                          out.size() + 1));
  }
  return out;
}

CompactionSettings small() {
  CompactionSettings settings;
  settings.window = 1'000;
  settings.target = 1'800;
  settings.protected_tokens = 300;
  settings.preserve_last = 2;
  return settings;
}

// What the session holds afterwards.
std::vector<AgentMessage> applied(std::vector<AgentMessage> messages, const store::Compaction& compaction) {
  std::erase_if(messages, [&](const AgentMessage& one) {
    return std::find(compaction.archived.begin(), compaction.archived.end(), one.id) != compaction.archived.end();
  });
  messages.insert(messages.end(), compaction.replacements.begin(), compaction.replacements.end());
  std::sort(messages.begin(), messages.end(), [](const auto& a, const auto& b) { return a.number < b.number; });
  return messages;
}

bool every_call_is_answered(const std::vector<AgentMessage>& messages) {
  return json::dump(api_messages(messages)).find("The call was not carried out") == std::string::npos;
}

TEST(Compaction, IsNeededAtItsTrigger) {
  CompactionSettings settings = small();
  EXPECT_TRUE(plan_compaction(talk(3), kHybrid, settings).needed);
  settings.window = 1'000'000;
  EXPECT_FALSE(plan_compaction(talk(3), kHybrid, settings).needed);
}

TEST(Compaction, PruningAloneRewritesOutputsInTheirPlaces) {
  const auto messages = talk(5);
  const CompactionPlan plan = plan_compaction(messages, kHybrid, small());
  ASSERT_FALSE(plan.summarise);
  ASSERT_FALSE(plan.pruned.empty());
  AgentSession session;
  session.revision = 4;
  const auto compaction = compaction_of(plan, session, kHybrid, "", small(), counting_ids(), kNow);
  EXPECT_EQ(compaction.revision, 4U);
  EXPECT_EQ(compaction.archived.size(), compaction.replacements.size());
  EXPECT_LT(compaction.event.compacted_tokens, compaction.event.original_tokens);
  const auto after = applied(messages, compaction);
  EXPECT_EQ(after.size(), messages.size()) << "nothing is deleted";
  EXPECT_TRUE(every_call_is_answered(after));
  EXPECT_NE(after[2].blocks.find(kPrunedOutput), std::string::npos);
  EXPECT_EQ(after.back().blocks, messages.back().blocks) << "the newest stay as they are";
}

TEST(Compaction, ASummaryStandsWhereItsMessagesStood) {
  const auto messages = talk(8);
  CompactionSettings settings = small();
  settings.target = 100;
  const CompactionPlan plan = plan_compaction(messages, kHybrid, settings);
  ASSERT_TRUE(plan.summarise);
  const auto compaction = compaction_of(plan, {}, kHybrid, "they talked", settings, counting_ids(), kNow);
  ASSERT_EQ(compaction.replacements.size(), 1U);
  EXPECT_EQ(compaction.replacements[0].number, 1U);
  EXPECT_TRUE(compaction.replacements[0].summary);
  EXPECT_EQ(compaction.replacements[0].role, MessageRole::user);
  const auto after = applied(messages, compaction);
  EXPECT_TRUE(after.front().summary);
  EXPECT_TRUE(every_call_is_answered(after));
  EXPECT_EQ(compaction.event.messages_removed, compaction.archived.size());
}

TEST(Compaction, NeverSeparatesACallFromItsResult) {
  for (std::size_t last = 0; last < 8; ++last)
    for (std::uint64_t guarded : {0U, 150U, 210U, 220U, 430U, 700U}) {
      CompactionSettings settings = small();
      settings.preserve_last = last;
      settings.protected_tokens = guarded;
      settings.target = 0;
      for (const char* strategy : {kHybrid, kSummarization}) {
        const auto messages = talk(4);
        const CompactionPlan plan = plan_compaction(messages, strategy, settings);
        if (plan.gives_way.empty()) continue;
        const auto after = applied(messages, compaction_of(plan, {}, strategy, "s", settings, counting_ids(), kNow));
        EXPECT_TRUE(every_call_is_answered(after)) << last << " " << guarded << " " << strategy;
      }
    }
}

TEST(Compaction, WhatIsPreservedStaysAndEarlierSummariesAreFoldedIn) {
  auto messages = talk(6);
  messages[0].summary = true;
  messages[3].preserved = true;
  const CompactionPlan plan = plan_compaction(messages, kSummarization, small());
  ASSERT_TRUE(plan.summarise);
  EXPECT_EQ(plan.gives_way.front().number, 1U);
  ASSERT_EQ(plan.preserved.size(), 1U);
  EXPECT_EQ(plan.preserved[0].number, 4U);
  EXPECT_NE(summary_params(plan, small()).find("earlier summary"), std::string::npos);
}

TEST(Compaction, MessagesOfDeeperRunsAreNotTouched) {
  auto messages = talk(6);
  for (std::size_t i = 0; i < 9; ++i) messages[i].run_depth = 1;
  for (const AgentMessage& one : plan_compaction(messages, kSummarization, small()).gives_way) EXPECT_EQ(one.run_depth, 0U);
}

TEST(Compaction, WhatIsSummarisedHasShortOutputs) {
  const auto plan = plan_compaction(talk(6), kSummarization, small());
  const std::string params = summary_params(plan, small());
  EXPECT_NE(params.find("[cut: these are the first 500 of 800 bytes]"), std::string::npos);
}

}  // namespace
}  // namespace muster::agents
