#include "server/inspector.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <future>

#include "base/ask_testing.h"
#include "base/temp_folder_testing.h"

namespace muster::server {
namespace {

using command::CheckState;
using command::CheckUp;

class InspectorTest : public testing::Test {
 protected:
  Config config(std::map<std::string, std::string> flags = {}) {
    flags.emplace("server.data_dir", folder_.path());
    LoadedConfig loaded = load_config({.file = file_, .environment = {}, .flags = std::move(flags)});
    for (const Problem& problem : loaded.problems) ADD_FAILURE() << problem.text();
    return loaded.config;
  }
  void start() {
    inspector_ = std::make_unique<Inspector>(config(), clock_,
                                             InspectorOptions{.store_health = [this] { return health_; },
                                                              .alive =
                                                                  [this] {
                                                                    ++looks_;
                                                                    return true;
                                                                  }});
  }
  Result<CheckUp> check() {
    return ask<CheckUp>([&](auto reply) { inspector_->check(std::move(reply)); });
  }
  static const command::Check* called(const CheckUp& up, std::string_view name) {
    const auto found = std::find_if(up.checks.begin(), up.checks.end(), [&](const auto& check) { return check.name == name; });
    return found == up.checks.end() ? nullptr : &*found;
  }
  static std::string value_of(const command::ConfigShown& shown, std::string_view key) {
    for (const auto& setting : shown.settings)
      if (setting.section + "." + setting.key == key) return setting.value;
    return "(none)";
  }

  TempFolder folder_;
  std::string file_;
  ManualClock clock_;
  store::StoreHealth health_;
  std::atomic<int> looks_{0};
  std::unique_ptr<Inspector> inspector_;
};

TEST_F(InspectorTest, LooksAtStoreDiskAndFiles) {
  start();
  const auto up = check();
  ASSERT_TRUE(up.ok()) << up.status().text();
  for (const char* name : {"store", "background work", "data folder", "disk space", "disk sync", "open files", "tls"})
    EXPECT_NE(called(*up, name), nullptr) << name;
  EXPECT_EQ(called(*up, "store")->state, CheckState::ok);
  EXPECT_EQ(up->at, clock_.now());
}

TEST_F(InspectorTest, SaysWhyTheStoreCannotWrite) {
  health_ = {.writable = false, .reason = "the disk is full"};
  start();
  const auto up = check();
  EXPECT_EQ(called(*up, "store")->state, CheckState::fail);
  EXPECT_EQ(called(*up, "store")->text, "the disk is full");
  EXPECT_NE(called(*up, "store")->remedy, "");
}

TEST_F(InspectorTest, OneCheckUpServesThoseWhoAskSoonAfterIt) {
  start();
  ASSERT_TRUE(check().ok());
  ASSERT_TRUE(check().ok());
  EXPECT_EQ(looks_, 1);
  clock_.advance(kCheckUpKept);
  ASSERT_TRUE(check().ok());
  EXPECT_EQ(looks_, 2);
}

TEST_F(InspectorTest, RefusesNewOnesOnceItHasStopped) {
  start();
  inspector_->stop();
  inspector_->stop();
  EXPECT_EQ(check().code(), Code::exhausted);
}

TEST_F(InspectorTest, ShowsTheConfigurationWithoutItsSecrets) {
  const std::string secret(64, 'a');
  file_ =
      folder_.write("muster.toml", "[auth]\nsession_key = \"" + secret +
                                       "\"\n[auth.tokens]\nboss = { role = \"operator\", token = \"a-secret-of-the-boss\" }\n");
  std::filesystem::permissions(file_, std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
  start();
  const command::ConfigShown shown = inspector_->config();
  EXPECT_EQ(value_of(shown, "auth.session_key"), "(redacted)");
  ASSERT_EQ(shown.credentials.size(), 1u);
  EXPECT_EQ(shown.credentials[0].name, "boss");
  for (const auto& setting : shown.settings) {
    EXPECT_EQ(setting.value.find(secret), std::string::npos);
    EXPECT_EQ(setting.source.find(secret), std::string::npos);
  }
}

TEST_F(InspectorTest, WhatWaitsForTheNextStartIsShownAsItIs) {
  start();
  inspector_->reloaded(config({{"log.level", "debug"}, {"limits.connections_max", "77"}}));
  EXPECT_EQ(value_of(inspector_->config(), "log.level"), "debug");
  EXPECT_NE(value_of(inspector_->config(), "limits.connections_max"), "77");
}

}  // namespace
}  // namespace muster::server
