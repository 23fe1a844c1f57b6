#include "server/wiring.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <fstream>
#include <sstream>

#include "server/temp_folder_testing.h"
#include "server/version.h"

namespace muster::server {
namespace {

Config config_with(std::map<std::string, std::string> flags) {
  LoadedConfig loaded = load_config({.file = "", .environment = {{"HOME", "/h"}}, .flags = std::move(flags)});
  EXPECT_TRUE(loaded.problems.empty());
  return loaded.config;
}

TEST(Wiring, TheDefaultsOfTheTableAreTheDefaultsOfTheParts) {
  const Config config = config_with({});
  const engine::Options engine_default;
  const engine::Options engine = engine_options(config);
  for (std::size_t i = 0; i < engine.policies.size(); ++i) {
    EXPECT_EQ(engine.policies[i].interval, engine_default.policies[i].interval) << i;
    EXPECT_EQ(engine.policies[i].dead_after, engine_default.policies[i].dead_after) << i;
  }
  EXPECT_EQ(engine.retention.completed_kept, engine_default.retention.completed_kept);
  EXPECT_EQ(engine.retention.dead_kept, engine_default.retention.dead_kept);
  EXPECT_EQ(engine.retention.finished_count_max, engine_default.retention.finished_count_max);
  EXPECT_EQ(engine.offline_kept, engine_default.offline_kept);
  EXPECT_EQ(engine.events_kept, engine_default.events_kept);
  EXPECT_EQ(engine.parked_max, engine_default.parked_max);
  const http::HttpOptions http_default;
  const http::HttpOptions http = http_options(config, "key");
  EXPECT_EQ(http.address, http_default.address);
  EXPECT_EQ(http.port, http_default.port);
  EXPECT_EQ(http.limits.body_bytes_max, http_default.limits.body_bytes_max);
  EXPECT_EQ(http.limits.header_bytes_max, http_default.limits.header_bytes_max);
  EXPECT_EQ(http.limits.connections_max, http_default.limits.connections_max);
  EXPECT_EQ(store_options(config).pending_max, store::sqlite::Options().pending_max);
  EXPECT_EQ(store_options(config).durability, store::sqlite::Durability::full);
}

TEST(Wiring, OnLoopbackAGeneratedKeyLocksNobodyOut) {
  const http::AuthOptions auth = auth_options(config_with({}), "key");
  EXPECT_FALSE(auth.required);
  ASSERT_EQ(auth.tokens.size(), 1u);
  EXPECT_EQ(auth.tokens[0].role, command::Role::operator_role);
  EXPECT_EQ(auth.tokens[0].secret, "key");
}

TEST(Wiring, AConfiguredKeyOrAReachableListenerAsksForATokenAlways) {
  const LoadedConfig keyed =
      load_config({.file = "", .environment = {{"HOME", "/h"}, {"MUSTER_AUTH_SESSION_KEY", std::string(64, 'a')}}, .flags = {}});
  EXPECT_TRUE(auth_options(keyed.config, "key").required);
  EXPECT_TRUE(auth_options(config_with({{"listen.http", "0.0.0.0:1"}, {"tls.cert", "c"}, {"tls.key", "k"}}), "key").required);
  EXPECT_FALSE(auth_options(config_with({{"listen.http", "0.0.0.0:1"}, {"server.insecure", "true"}}), "key").required);
}

TEST(Wiring, MakesAPrivateDataFolderWithItsParents) {
  const TempFolder folder;
  const Config config = config_with({{"server.data_dir", folder.path("a/b")}});
  ASSERT_TRUE(prepare_data_dir(config).ok());
  struct stat info {};
  ASSERT_EQ(::stat(folder.path("a/b").c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0700u);
  EXPECT_TRUE(prepare_data_dir(config).ok());
}

TEST(Wiring, NamesTheDataFolderThatCannotBe) {
  const TempFolder folder;
  folder.write("file", "x");
  const Status in_the_way = prepare_data_dir(config_with({{"server.data_dir", folder.path("file")}}));
  EXPECT_EQ(in_the_way.code(), Code::unavailable);
  EXPECT_NE(in_the_way.message().find(folder.path("file")), std::string::npos);
  EXPECT_EQ(prepare_data_dir(config_with({{"server.data_dir", folder.path("file/below")}})).code(), Code::unavailable);
}

// The test program runs in the root of the tree.
std::string text_of(const char* path) {
  std::ifstream in(path);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

TEST(Version, IsTheProjects) {
  EXPECT_NE(text_of("CMakeLists.txt").find("project(muster VERSION " + std::string(kVersion) + " "), std::string::npos);
}

TEST(Settings, EachHasARowInTheOperationsPageWithItsDefaultAndFlag) {
  const std::string page = text_of("docs/operations.md");
  for (const Setting& setting : settings()) {
    const std::size_t begin = page.find("| `" + full_name(setting) + "` |");
    ASSERT_NE(begin, std::string::npos) << full_name(setting);
    const std::string row = page.substr(begin, page.find('\n', begin) - begin);
    for (const std::string_view text : {setting.fallback, setting.flag})
      EXPECT_TRUE(text.empty() || row.find("`" + std::string(text) + "`") != std::string::npos) << row;
    EXPECT_EQ(row.find("| applies |") != std::string::npos, setting.reloadable) << row;
  }
}

}  // namespace
}  // namespace muster::server
