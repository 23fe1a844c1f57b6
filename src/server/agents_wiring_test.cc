#include "server/agents_wiring.h"

#include <gtest/gtest.h>

#include <fstream>

#include "base/temp_folder_testing.h"

namespace muster::server {
namespace {

LoadedConfig loaded(std::map<std::string, std::string> environment) {
  environment.emplace("HOME", "/nowhere");
  return load_config({.file = {}, .environment = std::move(environment), .flags = {}});
}

TEST(AgentsWiring, WithoutAKeyNothingCanBeRun) {
  const auto api = claude_config(loaded({}).config);
  ASSERT_TRUE(api.ok());
  EXPECT_FALSE(api->has_value());
}

TEST(AgentsWiring, TheKeyComesFromTheEnvironmentOrAFile) {
  EXPECT_EQ((*claude_config(loaded({{"ANTHROPIC_API_KEY", "sk-1"}}).config))->api_key, "sk-1");
  EXPECT_EQ((*claude_config(loaded({{"ANTHROPIC_API_KEY", "sk-1"}, {"MUSTER_AGENTS_API_KEY", "sk-2"}}).config))->api_key, "sk-2");
  const TempFolder folder;
  std::ofstream(folder.path("key")) << "sk-3\n";
  EXPECT_EQ((*claude_config(loaded({{"MUSTER_AGENTS_API_KEY_FILE", folder.path("key")}}).config))->api_key, "sk-3");
  const auto missing = claude_config(loaded({{"MUSTER_AGENTS_API_KEY_FILE", folder.path("none")}}).config);
  EXPECT_EQ(missing.code(), Code::unavailable);
}

TEST(AgentsWiring, AnApiOfOnesOwnNeedsNoKey) {
  const auto api = claude_config(loaded({{"MUSTER_AGENTS_BASE_URL", "http://127.0.0.1:1"}}).config);
  ASSERT_TRUE(api.ok() && api->has_value());
  EXPECT_EQ((*api)->base_url, "http://127.0.0.1:1");
}

TEST(AgentsWiring, ACassetteAnswersInsteadOfTheApi) {
  const TempFolder folder;
  std::ofstream(folder.path("cassette")) << R"({"request":{},"result":{"type":"succeeded","message":{"content":[]}}})"
                                         << "\n";
  const RealClock clock;
  Metrics metrics;
  const auto api = model_api(loaded({{"MUSTER_AGENTS_REPLAY_FILE", folder.path("cassette")}}).config, clock, metrics);
  ASSERT_TRUE(api.ok()) << api.status().text();
  EXPECT_NE(*api, nullptr) << "without a key";
  const auto none = model_api(loaded({}).config, clock, metrics);
  EXPECT_TRUE(none.ok() && *none == nullptr);
  EXPECT_EQ(model_api(loaded({{"MUSTER_AGENTS_REPLAY_FILE", folder.path("none")}}).config, clock, metrics).code(),
            Code::unavailable);
  EXPECT_EQ(model_api(loaded({{"ANTHROPIC_API_KEY", "sk-1"}, {"MUSTER_AGENTS_RECORD_FILE", folder.path("none/x")}}).config, clock,
                      metrics)
                .code(),
            Code::unavailable);
  EXPECT_FALSE(loaded({{"MUSTER_AGENTS_REPLAY_FILE", "a"}, {"MUSTER_AGENTS_RECORD_FILE", "b"}}).problems.empty());
}

TEST(AgentsWiring, BudgetsAndPricesAreCheckedWhenTheyAreRead) {
  const LoadedConfig good = loaded({{"MUSTER_AGENTS_BUDGETS", "*=100/0,team=5/7"}, {"MUSTER_AGENTS_PRICES", "claude=3/15"}});
  ASSERT_TRUE(good.problems.empty());
  const agents::Settings settings = agent_settings(good.config);
  EXPECT_EQ(settings.budget_of(NamespaceName("team")).microdollars_per_day, 7U);
  EXPECT_EQ(settings.budget_of(NamespaceName("other")).tokens_per_day, 100U);
  EXPECT_EQ(settings.prices.microdollars("claude-x", {1, 1}), 18U);
  EXPECT_FALSE(loaded({{"MUSTER_AGENTS_BUDGETS", "team=many"}}).problems.empty());
  EXPECT_FALSE(loaded({{"MUSTER_AGENTS_PRICES", "claude"}}).problems.empty());
}

}  // namespace
}  // namespace muster::server
