#include "server/settings.h"

#include <gtest/gtest.h>

#include <array>
#include <set>

namespace muster::server {
namespace {

const Setting& setting(std::string_view section, std::string_view key) {
  const Setting* found = find_setting(section, key);
  EXPECT_NE(found, nullptr) << section << "." << key;
  return *found;
}

TEST(Settings, EveryDefaultIsAcceptedAndWrittenBackAsItStands) {
  for (const Setting& each : settings()) {
    const auto value = parse_setting(each, each.fallback);
    ASSERT_TRUE(value.ok()) << full_name(each) << ": " << value.status().text();
    EXPECT_EQ(format_setting(each, *value), each.fallback) << full_name(each);
  }
}

TEST(Settings, NamesVariablesAndFlagsAreUnique) {
  std::set<std::string> names;
  std::set<std::string_view> flags;
  for (const Setting& each : settings()) {
    EXPECT_TRUE(names.insert(environment_name(each)).second) << full_name(each);
    EXPECT_FALSE(each.help.empty()) << full_name(each);
    if (!each.flag.empty()) {
      EXPECT_TRUE(flags.insert(each.flag).second) << each.flag;
      // A secret on a command line is in every process list.
      EXPECT_FALSE(each.secret) << each.flag;
    }
  }
  EXPECT_TRUE(names.contains("MUSTER_AUTH_SESSION_KEY"));
  EXPECT_TRUE(names.contains("MUSTER_LISTEN_HTTP"));
}

TEST(Settings, DurationsAndBytesTakeUnitsAndRefuseWhatIsOutOfRange) {
  const Setting& grace = setting("server", "stop_grace");
  EXPECT_EQ(std::get<std::int64_t>(*parse_setting(grace, "1500ms")), 1'500);
  EXPECT_EQ(std::get<std::int64_t>(*parse_setting(grace, "2m")), 120'000);
  EXPECT_EQ(format_setting(grace, std::int64_t{120'000}), "2m");
  EXPECT_EQ(format_setting(grace, std::int64_t{90'000}), "90s");
  for (const char* bad : {"", "s", "10", "-1s", "1.5s", "11m", "10 s", "99999999999999999999s", "9223372036854775807d"})
    EXPECT_EQ(parse_setting(grace, bad).code(), Code::invalid_argument) << bad;
  EXPECT_NE(parse_setting(grace, "11m").status().message().find("from 0ms to 10m"), std::string::npos)
      << parse_setting(grace, "11m").status().message();

  const Setting& body = setting("limits", "body_bytes_max");
  EXPECT_EQ(std::get<std::int64_t>(*parse_setting(body, "2MiB")), 2 * 1024 * 1024);
  EXPECT_EQ(std::get<std::int64_t>(*parse_setting(body, "4096")), 4'096);
  for (const char* bad : {"1023", "1MB", "2GiB", "x", "1 MiB"})
    EXPECT_EQ(parse_setting(body, bad).code(), Code::invalid_argument) << bad;
}

TEST(Settings, AddressesAreHostAndPortOrOff) {
  const Setting& http = setting("listen", "http");
  for (const char* good : {"off", "127.0.0.1:0", "localhost:8080", "[::1]:65535", "0.0.0.0:1"})
    EXPECT_TRUE(parse_setting(http, good).ok()) << good;
  for (const char* bad : {"", "8080", ":8080", "127.0.0.1", "127.0.0.1:", "127.0.0.1:65536", "127.0.0.1:-1", "127.0.0.1:+1",
                          "::1:80", "[::1:80", "a b:80", "127.0.0.1:80x", "OFF"})
    EXPECT_EQ(parse_setting(http, bad).code(), Code::invalid_argument) << bad;
  EXPECT_EQ(parse_host_port("[::1]:80")->host, "::1");
}

TEST(Settings, SeveralAddressesStandBehindEachOther) {
  const Setting& resp = setting("listen", "resp");
  for (const char* good : {"off", "127.0.0.1:0", "127.0.0.1:6380,[::1]:6380", "unix:/a", "localhost:1,unix:/a b/c"})
    EXPECT_TRUE(parse_setting(resp, good).ok()) << good;
  for (const char* bad : {"", "6380", "127.0.0.1:1,", ",127.0.0.1:1", "127.0.0.1:1,off", "unix:", "unix:relative", "off,off",
                          "127.0.0.1:1 ,127.0.0.1:2"})
    EXPECT_EQ(parse_setting(resp, bad).code(), Code::invalid_argument) << bad;
}

TEST(Settings, ASecretIsNotRepeatedInTheErrorAboutIt) {
  const auto value = parse_setting(setting("auth", "session_key"), "hunter2-hunter2");
  ASSERT_FALSE(value.ok());
  EXPECT_EQ(value.status().message().find("hunter2"), std::string::npos);
  EXPECT_NE(value.status().message().find("64 hexadecimal digits"), std::string::npos);
}

TEST(Settings, SuggestsTheNearestNameOnlyWhenItIsNear) {
  const std::array<std::string_view, 3> names{"http", "resp", "grpc"};
  EXPECT_EQ(closest("htpt", names), "http");
  EXPECT_EQ(closest("grcp", names), "grpc");
  EXPECT_EQ(closest("websocket", names), "");
  EXPECT_EQ(closest("x", names), "");
}

}  // namespace
}  // namespace muster::server
