// Archives of the folder, and what may be asked of packages through the door.
#include "command/packages.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "base/ask_testing.h"
#include "base/sha256.h"
#include "base/temp_folder_testing.h"
#include "command/door.h"
#include "store/sqlite/open_testing.h"

namespace muster::command {
namespace {

class PackageCommands : public testing::Test {
 protected:
  PackageCommands() {
    std::filesystem::create_directories(folder_.path("packages/demo/1.0.0"));
    folder_.write("packages/demo/1.0.0/demo.zip", kBytes);
  }
  ~PackageCommands() override {
    door_.reset();
    EXPECT_TRUE(store_->close().ok());
  }

  Result<PackageWished> install(PackageInstallRequest request, Role role = Role::operator_role) {
    return ask<PackageWished>([&](auto reply) {
      door_->run({.role = role, .name = "ops", .address = "", .worker = {}}, std::move(request), std::move(reply));
    });
  }
  static PackageInstallRequest request(std::string url = {}, std::string sha256 = {}) {
    PackageInstallRequest out;
    out.name = "demo";
    out.version = "1.0.0";
    out.target.everybody = true;
    out.url = std::move(url);
    out.sha256 = std::move(sha256);
    return out;
  }
  Result<ArchiveBytes> archive(std::string name, std::string version, std::string file) {
    return ask<ArchiveBytes>([&](auto reply) {
      door_->run({.role = Role::read_only, .name = "", .address = "", .worker = {}},
                 PackageArchiveRequest{{std::move(name), std::move(version), std::move(file)}}, std::move(reply));
    });
  }
  std::size_t wishes() {
    const auto page = ask<PackagePage>([&](auto reply) { door_->run(itself(), PackageListRequest{}, std::move(reply)); });
    return page->packages.size();
  }

  static constexpr const char* kBytes = "PK archive";
  TempFolder folder_;
  ManualClock clock_;
  Metrics metrics_;
  std::unique_ptr<store::sqlite::SqliteStore> store_ = store::sqlite::open_for_test(folder_.path("m.db"), clock_, metrics_);
  std::unique_ptr<engine::Engine> engine_ = std::make_unique<engine::Engine>(*store_, clock_, metrics_, engine::Options{});
  std::unique_ptr<Door> door_ =
      std::make_unique<Door>(*engine_,
                             ServerFacts{.version = "0",
                                         .archives = std::make_shared<Archives>(Archives::Options{
                                             .folder = folder_.path("packages"), .url = {}, .bytes_max = 1'000})},
                             metrics_);
};

TEST_F(PackageCommands, AnInstallWithoutUrlTakesTheArchiveOfTheFolderAndItsHash) {
  const auto wished = install(request());
  ASSERT_TRUE(wished.ok()) << wished.status().text();
  EXPECT_EQ(wished->wish.url, "file://" + folder_.path("packages/demo/1.0.0/demo.zip"));
  EXPECT_EQ(wished->wish.sha256, sha256_hex(kBytes));
  EXPECT_EQ(wished->wish.by, "ops");
}

TEST_F(PackageCommands, AnotherHashThanTheGivenOneIsRefusedAndNothingIsWanted) {
  const std::string other(64, '0');
  const std::string file_url = "file://" + folder_.path("packages/demo/1.0.0/demo.zip");
  for (const std::string& url : {std::string(), file_url}) {
    const auto refused = install(request(url, other));
    EXPECT_EQ(refused.code(), Code::invalid_argument);
    EXPECT_EQ(refused.status().message().find("E.PKG.INVALID"), 0U) << refused.status().message();
  }
  EXPECT_EQ(wishes(), 0U);
  EXPECT_TRUE(install(request(file_url, sha256_hex(kBytes))).ok());
}

TEST_F(PackageCommands, AHashBesideTheArchiveIsHeldTo) {
  folder_.write("packages/demo/1.0.0/demo.zip.sha256", std::string(64, '1') + "  demo.zip\n");
  EXPECT_EQ(install(request()).code(), Code::invalid_argument);
  folder_.write("packages/demo/1.0.0/demo.zip.sha256", sha256_hex(kBytes) + "  demo.zip\n");
  EXPECT_TRUE(install(request()).ok());
}

TEST_F(PackageCommands, AUrlOfAnotherMachineIsPassedOnAsItIs) {
  const auto wished = install(request("https://packages.example/demo.zip", std::string(64, 'A')));
  ASSERT_TRUE(wished.ok());
  EXPECT_EQ(wished->wish.url, "https://packages.example/demo.zip");
  EXPECT_EQ(wished->wish.sha256, std::string(64, 'a'));
}

TEST_F(PackageCommands, WhatIsNotAsItMustBeIsRefusedByName) {
  const auto code = [&](auto change) {
    PackageInstallRequest wrong = request();
    change(wrong);
    const auto refused = install(wrong);
    EXPECT_EQ(refused.status().message().find("E.PKG.INVALID"), 0U) << refused.status().message();
    return refused.code();
  };
  EXPECT_EQ(code([](auto& wrong) { wrong.name = "../demo"; }), Code::invalid_argument);
  EXPECT_EQ(code([](auto& wrong) { wrong.version = "latest"; }), Code::invalid_argument);
  EXPECT_EQ(code([](auto& wrong) { wrong.version = "9.9.9"; }), Code::invalid_argument) << "there is no archive of it";
  EXPECT_EQ(code([](auto& wrong) { wrong.file = "../../m.db"; }), Code::invalid_argument);
  EXPECT_EQ(code([](auto& wrong) { wrong.sha256 = "abc"; }), Code::invalid_argument);
  EXPECT_EQ(code([](auto& wrong) { wrong.target.everybody = false; }), Code::invalid_argument);
  EXPECT_EQ(code([](auto& wrong) { wrong.target.worker = WorkerId("w1"); }), Code::invalid_argument) << "one worker or all";
  folder_.write("packages/demo/1.0.0/second.zip", "x");
  EXPECT_EQ(code([](auto&) {}), Code::invalid_argument) << "which of the two?";
  EXPECT_EQ(wishes(), 0U);
}

TEST_F(PackageCommands, OnlyOperatorsInstall) {
  const auto refused = install(request(), Role::worker);
  EXPECT_EQ(refused.code(), Code::permission_denied);
  EXPECT_EQ(refused.status().message().find("E.PKG.PERMISSION"), 0U) << refused.status().message();
}

TEST_F(PackageCommands, ArchivesAreReadAndNothingElseIs) {
  EXPECT_EQ(archive("demo", "1.0.0", "demo.zip")->bytes, kBytes);
  EXPECT_EQ(archive("demo", "1.0.0", "no.zip").code(), Code::not_found);
  for (const char* file : {"..", ".", "../demo.zip", "a/b", ".hidden"})
    EXPECT_EQ(archive("demo", "1.0.0", file).code(), Code::invalid_argument) << file;
  EXPECT_EQ(archive("..", "1.0.0", "demo.zip").code(), Code::invalid_argument);
  EXPECT_EQ(archive("demo", "..", "demo.zip").code(), Code::invalid_argument);
}

TEST_F(PackageCommands, LinksOutOfTheFolderAreNotFollowed) {
  folder_.write("secret.zip", "secret");
  std::filesystem::create_symlink(folder_.path("secret.zip"), folder_.path("packages/demo/1.0.0/link.zip"));
  std::filesystem::create_directory_symlink(folder_.path(), folder_.path("packages/demo/2.0.0"));
  EXPECT_EQ(archive("demo", "1.0.0", "link.zip").code(), Code::not_found);
  EXPECT_EQ(archive("demo", "2.0.0", "secret.zip").code(), Code::not_found);
}

TEST_F(PackageCommands, AnArchiveAboveTheBoundIsNeitherServedNorInstalled) {
  folder_.write("packages/demo/1.0.0/demo.zip", std::string(1'001, 'x'));
  EXPECT_EQ(archive("demo", "1.0.0", "demo.zip").code(), Code::not_found);
  EXPECT_EQ(install(request()).code(), Code::invalid_argument);
}

}  // namespace
}  // namespace muster::command
