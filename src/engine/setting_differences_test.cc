#include "engine/setting_differences.h"

#include <gtest/gtest.h>

namespace muster::engine {
namespace {

using store::NodeSetting;
using store::NodeSettings;

NodeSettings node(std::string name, std::vector<NodeSetting> settings, std::string key = "key") {
  return {.node = std::move(name), .sealed_by = std::move(key), .settings = std::move(settings)};
}
NodeSetting plain(std::string name, std::string value) { return {std::move(name), std::move(value), "", false}; }
NodeSetting own(std::string name, std::string value) { return {std::move(name), std::move(value), "", true}; }
NodeSetting sealed(std::string name, std::string seal) { return {std::move(name), "(redacted)", std::move(seal), false}; }

std::vector<std::string> names(const SettingDifferences& found) {
  std::vector<std::string> out;
  for (const SettingDifference& one : found.settings) out.push_back(one.name);
  return out;
}
std::vector<std::uint32_t> groups(const SettingDifference& one) {
  std::vector<std::uint32_t> out;
  for (const ValueOfNode& value : one.values) out.push_back(value.group);
  return out;
}
using Names = std::vector<std::string>;
using Groups = std::vector<std::uint32_t>;

TEST(SettingDifferences, NobodyAndOneAloneDifferInNothing) {
  EXPECT_TRUE(setting_differences({}).settings.empty());
  const auto alone = setting_differences({node("a", {plain("x", "1")})});
  EXPECT_TRUE(alone.settings.empty());
  EXPECT_EQ(alone.differing, 0u);
  EXPECT_EQ(alone.nodes, Names{"a"});
}

TEST(SettingDifferences, OnlyThoseThatDifferAreListedAndNodesWithTheSameValueStandTogether) {
  const auto found =
      setting_differences({node("a", {plain("x", "1"), plain("y", "7d")}), node("b", {plain("x", "1"), plain("y", "30d")}),
                           node("c", {plain("x", "1"), plain("y", "7d")})});
  EXPECT_EQ(names(found), Names{"y"});
  EXPECT_EQ(found.differing, 1u);
  EXPECT_TRUE(found.settings[0].known);
  EXPECT_EQ(groups(found.settings[0]), (Groups{1, 2, 1}));
  EXPECT_EQ(found.settings[0].values[1].node, "b");
  EXPECT_EQ(found.settings[0].values[1].value, "30d");
}

TEST(SettingDifferences, WhatRightlyDiffersIsMarkedComesLastAndDoesNotCount) {
  const auto found = setting_differences(
      {node("a", {own("listen", "a:1"), plain("x", "1")}), node("b", {own("listen", "b:1"), plain("x", "2")})});
  EXPECT_EQ(names(found), (Names{"x", "listen"}));
  EXPECT_EQ(found.differing, 1u);
  EXPECT_TRUE(found.settings[1].own);
}

TEST(SettingDifferences, SecretsAreComparedByTheirSeals) {
  const auto found = setting_differences(
      {node("a", {sealed("token", "s1"), sealed("other", "s2")}), node("b", {sealed("token", "s9"), sealed("other", "s2")})});
  EXPECT_EQ(names(found), Names{"token"});
  EXPECT_TRUE(found.settings[0].known);
  EXPECT_EQ(found.settings[0].values[0].value, found.settings[0].values[1].value);  // which is all that is shown
}

TEST(SettingDifferences, SealsByDifferentKeysSayNothingButThatTheKeysDiffer) {
  const auto found = setting_differences({node("a", {sealed("key", "k1"), sealed("token", "s1")}, "k1"),
                                          node("b", {sealed("key", "k2"), sealed("token", "s2")}, "k2")});
  EXPECT_EQ(names(found), (Names{"key", "token"}));
  EXPECT_TRUE(found.settings[0].known);
  EXPECT_FALSE(found.settings[1].known);
  EXPECT_EQ(found.differing, 1u);
}

TEST(SettingDifferences, ASecretThatOneHasAndAnotherLacksDiffersWhateverTheKeys) {
  const auto found = setting_differences({node("a", {sealed("token", "s1")}, "k1"), node("b", {plain("token", "")}, "k2")});
  ASSERT_EQ(names(found), Names{"token"});
  EXPECT_TRUE(found.settings[0].known);
}

TEST(SettingDifferences, AThirdNodeWithTheSameKeyMakesADifferenceKnown) {
  const auto found = setting_differences({node("a", {sealed("token", "s1")}, "k1"), node("b", {sealed("token", "s2")}, "k2"),
                                          node("c", {sealed("token", "s3")}, "k2")});
  ASSERT_EQ(found.settings.size(), 1u);
  EXPECT_TRUE(found.settings[0].known);
}

TEST(SettingDifferences, ASettingThatAnOlderNodeDoesNotKnowIsNoDifference) {
  EXPECT_TRUE(
      setting_differences({node("a", {plain("x", "1"), plain("new", "1")}), node("b", {plain("x", "1")})}).settings.empty());
  const auto found =
      setting_differences({node("a", {plain("new", "1")}), node("b", {plain("x", "1")}), node("c", {plain("new", "2")})});
  ASSERT_EQ(names(found), Names{"new"});
  EXPECT_EQ(found.settings[0].values.size(), 2u);
}

TEST(SettingDifferences, ANodeThatToldNothingIsNamed) {
  const auto found = setting_differences({node("a", {plain("x", "1")}), node("old", {}), node("c", {plain("x", "2")})});
  EXPECT_EQ(found.silent, Names{"old"});
  EXPECT_EQ(found.nodes, (Names{"a", "c"}));
  EXPECT_EQ(found.differing, 1u);
}

}  // namespace
}  // namespace muster::engine
