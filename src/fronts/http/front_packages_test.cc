// Packages over HTTP: what is wanted, what is shown, and the folder of archives.
#include <filesystem>

#include "command/packages.h"
#include "fronts/http/front_testing.h"

namespace muster::http {
namespace {

using nlohmann::json;

class PackagesFront : public FrontTest {
 protected:
  void begin(HttpOptions options = {}) {
    std::filesystem::create_directories(folder.path("packages/demo/1.1.0"));
    folder.write("packages/demo/1.1.0/demo.zip", "PK bytes");
    facts.archives =
        std::make_shared<command::Archives>(command::Archives::Options{.folder = folder.path("packages"), .url = {}});
    start(std::move(options));
    command::PackageReconcileRequest report;
    report.worker = WorkerId("w1");
    report.worker_name = "one";
    report.labels = {{"zone", "a"}};
    report.packages = {{"demo", "1.0.0", PackageStatus::installed}};
    report.manifests = {{.name = "demo",
                         .version = "1.0.0",
                         .text = R"({"name":"demo"})",
                         .description = "d",
                         .nodes = {"demo.echo"},
                         .problem = {}}};
    const auto told = ask<command::PackageInstructions>(
        [&](auto reply) { the_door().run(command::itself(), std::move(report), std::move(reply)); });
    ASSERT_TRUE(told.ok()) << told.status().text();
  }
};

TEST_F(PackagesFront, ShowsWhatWorkersHaveAndWhatTheyShallHave) {
  begin();
  const json wish = call_json("POST", "/api/v1/packages/demo/install", R"({"version":"1.1.0","selector":{"zone":"a"}})");
  EXPECT_EQ(wish["workers"], 1);
  EXPECT_EQ(wish["drift"], 1);
  check_members("PackageWished", wish);
  const json page = call_json("GET", "/api/v1/packages");
  check_members("PackagePage", page);
  EXPECT_EQ(page["packages"][0]["drift"], 1);
  const json package = call_json("GET", "/api/v1/packages/demo");
  check_members("Package", package);
  EXPECT_EQ(package["manifest"], (json{{"name", "demo"}}));
  EXPECT_EQ(package["workers"][0]["wanted_version"], "1.1.0");
  const json events = call_json("GET", "/api/v1/packages/events?package=demo");
  check_members("PackageEvents", events);
  EXPECT_EQ(events["events"][0]["status"], "requested");
  EXPECT_TRUE(call_json("POST", "/api/v1/packages/demo/uninstall", R"({"selector":{"zone":"a"},"forget":true})")["forgotten"]);
}

TEST_F(PackagesFront, RefusesWhatIsWrongByNameAndWhoMayNot) {
  begin(
      {.auth = {.tokens = {{.name = "eyes", .role = command::Role::read_only, .secret = "reader-reader-reader", .worker = {}},
                           {.name = "hand", .role = command::Role::worker, .secret = "worker-worker-worker", .worker = {}},
                           {.name = "ops", .role = command::Role::operator_role, .secret = "operator-operator-x", .worker = {}}},
                .required = true}});
  const std::string ops = "Authorization: Bearer operator-operator-x\r\n";
  const auto install = [&](const std::string& body, const std::string& token) {
    return call("POST", "/api/v1/packages/demo/install", body, token);
  };
  const Answer invalid = install(R"({"version":"1.1","all":true})", ops);
  EXPECT_EQ(invalid.status, 400);
  EXPECT_NE(invalid.body.find("E.PKG.INVALID"), std::string::npos) << invalid.body;
  const Answer forbidden = install(R"({"version":"1.1.0","all":true})", "Authorization: Bearer worker-worker-worker\r\n");
  EXPECT_EQ(forbidden.status, 403);
  EXPECT_NE(forbidden.body.find("E.PKG.PERMISSION"), std::string::npos) << forbidden.body;
  EXPECT_EQ(call("GET", "/packages/demo/1.1.0/demo.zip").status, 401);
  EXPECT_EQ(call("GET", "/packages/demo/1.1.0/demo.zip", {}, "Authorization: Bearer reader-reader-reader\r\n").body, "PK bytes");
}

TEST_F(PackagesFront, ServesArchivesAndNothingBesideThem) {
  begin();
  folder.write("packages/secret.txt", "secret");
  const Answer found = call("GET", "/packages/demo/1.1.0/demo.zip");
  EXPECT_EQ(found.status, 200);
  EXPECT_EQ(found.body, "PK bytes");
  for (const char* target :
       {"/packages/demo/1.1.0/%2e%2e", "/packages/demo/..%2f1.1.0/demo.zip", "/packages/%2e%2e/packages/secret.txt",
        "/packages/demo/1.1.0/..%2f..%2fsecret.txt", "/packages/demo/1.1.0/none.zip", "/packages/demo/1.1.0/%00"}) {
    const Answer refused = call("GET", target);
    EXPECT_TRUE(refused.status == 400 || refused.status == 404) << target << " " << refused.status;
    EXPECT_EQ(refused.body.find("secret\n"), std::string::npos);
  }
  EXPECT_EQ(call("GET", "/packages/demo/1.1.0/demo.zip", {}, "Origin: https://elsewhere.example\r\n").status, 403);
}

}  // namespace
}  // namespace muster::http
