#include "server/doctor.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>

#include "base/temp_folder_testing.h"

namespace muster::server {
namespace {

Config config_in(const TempFolder& folder, std::map<std::string, std::string> flags = {}) {
  flags.emplace("server.data_dir", folder.path());
  LoadedConfig loaded = load_config({.file = "", .environment = {}, .flags = std::move(flags)});
  EXPECT_TRUE(loaded.problems.empty());
  return loaded.config;
}

const Finding* find(const std::vector<Finding>& findings, std::string_view name) {
  const auto at = std::find_if(findings.begin(), findings.end(), [&](const Finding& finding) { return finding.name == name; });
  return at == findings.end() ? nullptr : &*at;
}

TEST(Doctor, AGoodFolderIsMeasuredAndLeftAsItWas) {
  const TempFolder folder;
  ::chmod(folder.path().c_str(), 0700);
  const auto findings = check_data_dir(config_in(folder));
  ASSERT_NE(find(findings, "disk sync"), nullptr);
  EXPECT_NE(find(findings, "disk sync")->grade, Grade::fail);
  EXPECT_EQ(find(findings, "data folder")->grade, Grade::ok);
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

TEST(Doctor, AFileThatAnEarlierCheckLeftIsInNobodysWay) {
  const TempFolder folder;
  folder.write(".doctor-" + std::to_string(::getpid()), "");
  EXPECT_NE(find(check_data_dir(config_in(folder)), "disk sync")->grade, Grade::fail);
}

TEST(Doctor, AFolderThatOthersCanWriteIsNamedWithTheRemedy) {
  const TempFolder folder;
  ::chmod(folder.path().c_str(), 0777);
  const auto findings = check_data_dir(config_in(folder));
  EXPECT_EQ(find(findings, "data folder")->grade, Grade::warn);
  EXPECT_EQ(find(findings, "data folder")->remedy, "chmod go-w " + folder.path());
}

TEST(Doctor, AKeyFileThatOthersCanReadIsNamed) {
  const TempFolder folder;
  folder.write("session.key", std::string(64, 'a'));
  ::chmod(folder.path("session.key").c_str(), 0644);
  EXPECT_EQ(check_secret_files(config_in(folder))[0].grade, Grade::warn);
  ::chmod(folder.path("session.key").c_str(), 0600);
  EXPECT_EQ(check_secret_files(config_in(folder))[0].grade, Grade::ok);
}

TEST(Doctor, ACertificateThatIsNoneIsAFailure) {
  const TempFolder folder;
  const RealClock clock;
  const std::string nonsense = folder.write("c.pem", "nonsense");
  EXPECT_EQ(check_tls(config_in(folder, {{"tls.cert", nonsense}, {"tls.key", nonsense}}), clock)[0].grade, Grade::fail);
  const std::string none = folder.path("none.pem");
  EXPECT_EQ(check_tls(config_in(folder, {{"tls.cert", none}, {"tls.key", none}}), clock)[0].grade, Grade::fail);
  EXPECT_EQ(check_tls(config_in(folder), clock)[0].text, "off");
}

TEST(Doctor, WhatTheDatabaseSaysOfItselfIsPartOfTheTable) {
  using Seen = store::postgres::Finding;
  const auto findings =
      findings_of({{.grade = Seen::Grade::good, .name = "server version", .text = "15.4", .advice = ""},
                   {.grade = Seen::Grade::warning, .name = "clock skew", .text = "3 s", .advice = "synchronise the clocks"},
                   {.grade = Seen::Grade::bad, .name = "rights", .text = "no INSERT", .advice = "grant it"}});
  ASSERT_EQ(findings.size(), 3u);
  EXPECT_EQ(find(findings, "postgres: server version")->grade, Grade::ok);
  EXPECT_EQ(find(findings, "postgres: clock skew")->grade, Grade::warn);
  EXPECT_EQ(find(findings, "postgres: clock skew")->remedy, "synchronise the clocks");
  EXPECT_EQ(find(findings, "postgres: rights")->grade, Grade::fail);
  EXPECT_EQ(find(findings, "postgres: rights")->text, "no INSERT");
}

TEST(Doctor, OnPostgresTheLocalDiskIsNotMeasured) {
  const TempFolder folder;
  ::chmod(folder.path().c_str(), 0700);
  const auto findings = check_data_dir(config_in(folder, {{"server.store", "postgres://db/x"}}));
  EXPECT_EQ(find(findings, "data folder")->grade, Grade::ok);
  EXPECT_EQ(find(findings, "disk sync"), nullptr);
}

TEST(Doctor, AConfigurationFileWithASecretIsForItsOwnerAlone) {
  const TempFolder folder;
  const auto grade_of = [&folder](const std::string& toml) -> std::optional<Grade> {
    const std::string path = folder.write("muster.toml", toml);
    ::chmod(path.c_str(), 0644);
    const LoadedConfig loaded =
        load_config({.file = path, .environment = {}, .flags = {{"server.data_dir", folder.path("data")}}});
    EXPECT_TRUE(loaded.problems.empty());
    const auto findings = check_secret_files(loaded.config);
    const Finding* const finding = find(findings, "configuration file");
    return finding == nullptr ? std::nullopt : std::optional(finding->grade);
  };
  const auto grade_with = [&grade_of](const std::string& store) { return grade_of("[server]\nstore = \"" + store + "\"\n"); };
  EXPECT_EQ(grade_of("[agents]\napi_key = \"sk-1\"\n"), Grade::warn);
  EXPECT_EQ(grade_of("[agents]\nproxy = \"me:hunter2@proxy.example:3128\"\n"), Grade::warn);
  EXPECT_EQ(grade_of("[agents]\nproxy = \"proxy.example:3128\"\n"), std::nullopt);
  EXPECT_EQ(grade_with("postgres://u:hunter2@db/x"), Grade::warn);
  EXPECT_EQ(grade_with("postgresql://db/x?user=u&password=hunter2"), Grade::warn);
  EXPECT_EQ(grade_with("postgres://u@db/x"), std::nullopt);
  EXPECT_EQ(grade_with("postgresql://db:5432/x?target_session_attrs=read-write"), std::nullopt);
  EXPECT_EQ(grade_with("sqlite:x.db"), std::nullopt);
}

TEST(Doctor, AClockThatWasNeverSetIsAFailure) {
  const TempFolder folder;
  const ManualClock clock(from_ms(0));
  EXPECT_EQ(find(check_system(config_in(folder), clock), "clock")->grade, Grade::fail);
}

TEST(Doctor, ABusyPortIsNamedWithItsOwner) {
  const TempFolder folder;
  const int fd = ::socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  ASSERT_EQ(::bind(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
  ASSERT_EQ(::listen(fd, 1), 0);
  socklen_t size = sizeof address;
  ASSERT_EQ(::getsockname(fd, reinterpret_cast<sockaddr*>(&address), &size), 0);
  const std::string listen = "127.0.0.1:" + std::to_string(ntohs(address.sin_port));
  const auto busy = check_ports(config_in(folder, {{"listen.http", listen}}));
  EXPECT_EQ(busy[0].grade, Grade::fail);
  EXPECT_NE(busy[0].text.find("pid " + std::to_string(::getpid())), std::string::npos) << busy[0].text;
  ::close(fd);
  EXPECT_EQ(check_ports(config_in(folder, {{"listen.http", listen}}))[0].grade, Grade::ok);
}

}  // namespace
}  // namespace muster::server
