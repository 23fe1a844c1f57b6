#include "server/told_settings.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "base/sha256.h"
#include "base/temp_folder_testing.h"
#include "engine/setting_differences.h"

namespace muster::server {
namespace {

using store::NodeSetting;
using store::NodeSettings;

const std::string kKey(64, 'a');

class ToldSettings : public testing::Test {
 protected:
  // A node's configuration, from its file and its flags.
  NodeSettings told(const std::string& name, const std::string& toml = {}, std::map<std::string, std::string> flags = {},
                    const std::string& key = kKey) {
    const std::string file = folder_.write(name + ".toml", toml);
    std::filesystem::permissions(file, std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
    flags.emplace("server.data_dir", "/var/lib/" + name);
    const LoadedConfig loaded = load_config({.file = file, .environment = {}, .flags = std::move(flags)});
    for (const Problem& problem : loaded.problems) ADD_FAILURE() << problem.text();
    NodeSettings out = told_settings(loaded.config, {.text = key, .path = {}});
    out.node = name;
    return out;
  }
  static const NodeSetting& find(const NodeSettings& told, std::string_view name) {
    for (const NodeSetting& one : told.settings)
      if (one.name == name) return one;
    ADD_FAILURE() << name;
    return told.settings.front();
  }
  static std::string all_of(const NodeSettings& told) {
    std::string out = told.sealed_by;
    for (const NodeSetting& one : told.settings) out += "\n" + one.name + " " + one.value + " " + one.seal;
    return out;
  }
  // Names of those that differ and should not; with a question mark where nobody can say.
  static std::vector<std::string> differing(const std::vector<NodeSettings>& nodes) {
    std::vector<std::string> out;
    for (const auto& one : engine::setting_differences(nodes).settings)
      if (!one.own) out.push_back(one.name + (one.known ? "" : "?"));
    return out;
  }
  using Names = std::vector<std::string>;

  TempFolder folder_;
};

TEST_F(ToldSettings, EverySettingIsToldAsPeopleReadIt) {
  const NodeSettings a = told("a", "[retention]\ncompleted_kept = \"30d\"\n");
  EXPECT_EQ(a.settings.size(), settings().size() + 3);
  EXPECT_EQ(find(a, "retention.completed_kept").value, "30d");
  EXPECT_EQ(find(a, "retention.completed_kept").seal, "");
  EXPECT_EQ(find(a, "auth.tokens").value, "0");
}

TEST_F(ToldSettings, NoSecretIsToldAndNeitherIsAHashThatCouldBeTriedWithoutTheKey) {
  const std::string secret = "hunter2-of-the-boss", api = "sk-ant-0123456789", password = "db-pass-77", proxy_password = "pr0xy";
  const NodeSettings a = told("a", "[server]\nstore = \"postgres://app:" + password + "@db/muster\"\n[auth]\nsession_key = \"" +
                                       kKey + "\"\n[auth.tokens]\nboss = { role = \"operator\", token = \"" + secret +
                                       "\" }\n[workers]\nw1 = \"" + std::string(64, 'b') + "\"\n[agents]\napi_key = \"" + api +
                                       "\"\nproxy = \"http://me:" + proxy_password + "@proxy:3128\"\n");
  const std::string all = all_of(a);
  for (const std::string& each : {secret, api, password, proxy_password, kKey, std::string(64, 'b')}) {
    EXPECT_EQ(all.find(each), std::string::npos) << each;
    EXPECT_EQ(all.find(sha256_hex(each)), std::string::npos) << each;
    EXPECT_EQ(all.find(sha256_hex(each).substr(0, 32)), std::string::npos) << each;
  }
  EXPECT_EQ(find(a, "agents.api_key").value, "(redacted)");
  EXPECT_EQ(find(a, "auth.tokens").value, "1: boss");
  EXPECT_EQ(find(a, "workers").value, "1: w1");
}

TEST_F(ToldSettings, NodesThatAreSetUpAlikeDifferInWhatIsTheirOwnOnly) {
  const std::string toml =
      "[agents]\napi_key = \"sk-1\"\n[auth.tokens]\nci = { role = \"operator\", token = \"0123456789abcdef\" }\n";
  const NodeSettings a = told("a", toml, {{"postgres.node", "a"}, {"listen.http", "127.0.0.1:8081"}});
  const NodeSettings b = told("b", toml, {{"postgres.node", "b"}, {"listen.http", "127.0.0.1:8082"}});
  EXPECT_EQ(differing({a, b}), Names());
  std::vector<std::string> own;
  for (const auto& one : engine::setting_differences({a, b}).settings) own.push_back(one.name);
  EXPECT_EQ(own, (Names{"server.data_dir", "server.store", "postgres.node", "listen.http"}));
}

TEST_F(ToldSettings, SecretsThatDifferAreFoundByName) {
  const NodeSettings a =
      told("a", "[agents]\napi_key = \"sk-1\"\n[auth.tokens]\nci = { role = \"operator\", token = \"0123456789abcdef\" }\n");
  const NodeSettings b =
      told("b", "[agents]\napi_key = \"sk-2\"\n[auth.tokens]\nci = { role = \"operator\", token = \"0123456789abcdeX\" }\n");
  EXPECT_EQ(differing({a, b}), (Names{"agents.api_key", "auth.tokens"}));
}

TEST_F(ToldSettings, WhatATokenMayDoIsPartOfIt) {
  const NodeSettings a = told("a", "[auth.tokens]\nci = { role = \"operator\", token = \"0123456789abcdef\" }\n");
  const NodeSettings b = told("b", "[auth.tokens]\nci = { role = \"read-only\", token = \"0123456789abcdef\" }\n");
  EXPECT_EQ(differing({a, b}), Names{"auth.tokens"});
}

TEST_F(ToldSettings, AnotherOperatorKeyDiffersAndLeavesOtherSecretsOpen) {
  const std::string toml = "[agents]\napi_key = \"sk-1\"\n";
  const NodeSettings a = told("a", toml), b = told("b", toml, {}, std::string(64, 'c'));
  EXPECT_EQ(differing({a, b}), (Names{"agents.api_key?", "auth.session_key"}));
}

TEST_F(ToldSettings, AUserInAnAddressIsComparedAndNotTold) {
  const NodeSettings a = told("a", "[agents]\nproxy = \"http://me:one@proxy:3128\"\n");
  const NodeSettings b = told("b", "[agents]\nproxy = \"http://me:two@proxy:3128\"\n");
  EXPECT_EQ(find(a, "agents.proxy").value, find(b, "agents.proxy").value);
  EXPECT_EQ(differing({a, b}), Names{"agents.proxy"});
}

TEST_F(ToldSettings, ALongValueIsCutAndComparedWhole) {
  const auto toml = [](const std::string& end) {
    return "[agents]\nbetas = [\"" + std::string(3 * kSettingToldBytesMax, 'x') + end + "\"]\n";
  };
  const NodeSettings a = told("a", toml("1")), b = told("b", toml("2"));
  EXPECT_LE(find(a, "agents.betas").value.size(), kSettingToldBytesMax + 3);
  EXPECT_EQ(differing({a, b}), Names{"agents.betas"});
  EXPECT_EQ(differing({a, told("c", toml("1"))}), Names());
}

TEST_F(ToldSettings, ValuesOfNamespacesAreCompared) {
  const NodeSettings a = told("a", "[load.namespaces]\nteam-a = { mem_pct = 80 }\n");
  const NodeSettings b = told("b", "[load.namespaces]\nteam-a = { mem_pct = 70 }\n");
  EXPECT_EQ(find(a, "load.namespaces").value, "team-a.mem_pct = 80");
  EXPECT_EQ(differing({a, b}), Names{"load.namespaces"});
}

TEST_F(ToldSettings, BytesThatAreNoTextAreToldAsText) {
  const LoadedConfig loaded = load_config({.file = {},
                                           .environment = {{"MUSTER_AGENTS_VERSION",
                                                            "a\xff"
                                                            "b"}},
                                           .flags = {{"server.data_dir", "/d"}}});
  const NodeSettings a = told_settings(loaded.config, {.text = kKey, .path = {}});
  EXPECT_EQ(find(a, "agents.version").value, "a?b");
  EXPECT_NE(find(a, "agents.version").seal, "");
}

}  // namespace
}  // namespace muster::server
