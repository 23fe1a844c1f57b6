#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "sdk/cpp/codec.h"

namespace muster::sdk {
namespace {

TEST(PackageCodec, WritesWhatIsWanted) {
  PackageInstall request{.ns = "n",
                         .name = "demo",
                         .version = "1.0.0",
                         .worker = "",
                         .selector = {{"zone", "a"}},
                         .all = false,
                         .url = "file:///p.zip",
                         .file = "",
                         .sha256 = ""};
  EXPECT_EQ(
      nlohmann::json::parse(encode(request)),
      nlohmann::json::parse(R"({"namespace":"n","version":"1.0.0","selector":{"zone":"a"},"all":false,"url":"file:///p.zip"})"));
}

TEST(PackageCodec, ReadsAPackageWithItsManifestAndWorkers) {
  const Result<Package> package = decode_package(
      R"({"namespace":"n","name":"demo","latest_version":"1.0.0","versions":[{"version":"1.0.0","nodes":["a"],"installed":2}],"drift":1,
      "wishes":[{"op":"install","name":"demo","version":"1.1.0"}],"workers":[{"worker":"w1","has":[{"version":"1.0.0","status":"installed"}],
      "wanted":"install","drift":true,"operation":{"op":"install","failed":true,"message":"m"}}],"workers_total":1,"manifest":{"b":1,"a":2}})");
  ASSERT_TRUE(package.ok());
  EXPECT_EQ(package->manifest, R"({"b":1,"a":2})");
  EXPECT_EQ(package->versions.at(0).installed, 2U);
  EXPECT_EQ(package->wishes.at(0).version, "1.1.0");
  ASSERT_TRUE(package->workers.at(0).operation);
  EXPECT_TRUE(package->workers[0].operation->failed);
  EXPECT_FALSE(decode_package(R"({"drift":1})").ok());
  EXPECT_EQ(decode_package_events(R"({"events":[{"package":"demo","status":"sent"}]})")->at(0).status, "sent");
}

}  // namespace
}  // namespace muster::sdk
