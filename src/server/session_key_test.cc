#include "server/session_key.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include "base/temp_folder_testing.h"

namespace muster::server {
namespace {

Config config_in(const TempFolder& folder, std::map<std::string, std::string> environment = {}) {
  return load_config({.file = "", .environment = std::move(environment), .flags = {{"server.data_dir", folder.path()}}}).config;
}

TEST(SessionKey, IsGeneratedOnceAndPrivate) {
  const TempFolder folder;
  const auto first = session_key(config_in(folder));
  ASSERT_TRUE(first.ok()) << first.status().text();
  EXPECT_TRUE(first->generated);
  EXPECT_EQ(first->text.size(), 64u);
  EXPECT_EQ(first->path, folder.path("session.key"));
  struct stat info {};
  ASSERT_EQ(::stat(first->path.c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0600u);
  const auto second = session_key(config_in(folder));
  ASSERT_TRUE(second.ok());
  EXPECT_FALSE(second->generated);
  EXPECT_EQ(second->text, first->text);
}

TEST(SessionKey, DiffersBetweenServers) {
  const TempFolder a;
  const TempFolder b;
  EXPECT_NE(session_key(config_in(a))->text, session_key(config_in(b))->text);
}

TEST(SessionKey, AConfiguredOneIsTakenAndNothingIsWritten) {
  const TempFolder folder;
  const auto key = session_key(config_in(folder, {{"MUSTER_AUTH_SESSION_KEY", std::string(64, 'c')}}));
  ASSERT_TRUE(key.ok());
  EXPECT_EQ(key->text, std::string(64, 'c'));
  EXPECT_TRUE(key->path.empty());
  EXPECT_FALSE(std::filesystem::exists(folder.path("session.key")));
}

TEST(SessionKey, AFileWithoutAKeyIsRefusedAndKept) {
  const TempFolder folder;
  folder.write("session.key", "not a key\n");
  const auto key = session_key(config_in(folder));
  EXPECT_EQ(key.code(), Code::invalid_argument);
  EXPECT_EQ(key.status().message().find("not a key"), std::string::npos);
  EXPECT_EQ(std::filesystem::file_size(folder.path("session.key")), 10u);
}

TEST(SessionKey, AFolderThatIsNotThereIsSaid) {
  const TempFolder folder;
  const Config config = load_config({.file = "", .environment = {}, .flags = {{"server.data_dir", folder.path("none")}}}).config;
  EXPECT_EQ(session_key(config).code(), Code::unavailable);
}

}  // namespace
}  // namespace muster::server
