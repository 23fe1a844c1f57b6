// What a worker hears about its packages, and what becomes of what it says about them.
#include "command/packages.h"

#include "command/workers.h"
#include "fronts/ws/front_testing.h"

namespace muster::ws {
namespace {

using namespace std::chrono_literals;

Json registered(std::string version, std::string status = "installed") {
  Json payload = registration_payload();
  payload["packages"].push_back({{"name", "extra"}, {"version", std::move(version)}, {"status", std::move(status)}});
  return payload;
}

class WsPackages : public FrontTest {
 protected:
  Result<command::PackageWished> install(std::string version, std::string worker = kInstance) {
    command::PackageInstallRequest request;
    request.name = "extra";
    request.version = std::move(version);
    request.target.worker = WorkerId(worker);
    request.target.everybody = worker.empty();
    request.url = "file:///srv/extra.zip";
    return ask<command::PackageWished>([&](auto reply) { door->run(command::itself(), std::move(request), std::move(reply)); });
  }
  command::PackageView view(std::string name = "extra") {
    auto found = ask<command::PackageView>([&](auto reply) {
      door->run(command::itself(), command::PackageGetRequest{NamespaceName("default"), std::move(name), {}}, std::move(reply));
    });
    EXPECT_TRUE(found.ok()) << found.status().text();
    return *std::move(found);
  }
  // The newest first.
  std::vector<std::string> statuses() {
    const auto found = ask<command::PackageEvents>(
        [&](auto reply) { door->run(command::itself(), command::PackageEventsRequest{}, std::move(reply)); });
    std::vector<std::string> out;
    for (const PackageChange& change : found->events) out.emplace_back(to_string(change.status));
    return out;
  }
  bool known(std::string name = "demo.pkg") {
    return eventually([&] {
      const auto page = ask<command::PackagePage>(
          [&](auto reply) { door->run(command::itself(), command::PackageListRequest{}, std::move(reply)); });
      for (const auto& package : page->packages)
        if (package.name == name && package.workers == 1) return true;
      return false;
    });
  }
  using Statuses = std::vector<std::string>;
};

TEST_F(WsPackages, TheCatalogueHasWhatAWorkerRegistersWithItsManifest) {
  start();
  const auto socket = join_v2();
  ASSERT_TRUE(known());
  const command::PackageView demo = view("demo.pkg");
  EXPECT_EQ(demo.versions.at(0).nodes, (std::vector<std::string>{"demo.echo", "demo.slow"}));
  EXPECT_EQ(Json::parse(demo.manifest)["name"], "demo.pkg");
  EXPECT_EQ(demo.workers.at(0).worker, WorkerId(kInstance));
}

TEST_F(WsPackages, AManifestThatBreaksItsSchemaIsNotKeptAndSaysWhy) {
  start();
  auto socket = connect();
  socket.say(v2_handshake());
  Json payload = registration_payload();
  payload["manifests"][0]["manifest"].erase("adapters");
  socket.say(v2_frame("control.register", payload, "control.register-1"));
  ASSERT_TRUE(known());
  EXPECT_EQ(view("demo.pkg").manifest, "");
  EXPECT_NE(view("demo.pkg").versions.at(0).problem.find("adapters"), std::string::npos);
}

TEST_F(WsPackages, AnInstallIsDoneWhenARegisterListsIt) {  // 48, 13
  start();
  const auto socket = join_v2();
  ASSERT_TRUE(known());
  ASSERT_TRUE(install("1.1.0").ok());
  const Json order = socket->hear("biz.pkg.install");
  EXPECT_EQ(order["payload"], (Json{{"name", "extra"}, {"version", "1.1.0"}, {"url", "file:///srv/extra.zip"}}));
  EXPECT_EQ(order["session_seq"], 1);
  EXPECT_EQ(order["corr"], order["id"]);
  EXPECT_EQ(view().drift, 1U);
  socket->say(v2_frame("control.register", registered("1.1.0"), "control.register-7"));
  EXPECT_EQ(socket->hear("control.ack")["payload"]["for"], "control.register-7");
  EXPECT_TRUE(eventually([&] { return view().drift == 0; }));
  EXPECT_FALSE(socket->heard("control.session.accept")) << "a second register is acknowledged, and nothing more";
  EXPECT_TRUE(eventually([&] { return statuses() == Statuses{"installed", "sent", "requested"}; }));
}

TEST_F(WsPackages, AnInstallThatNoRegisterListsHasFailedAfterItsTime) {  // 48
  start();
  const auto socket = join_v2();
  ASSERT_TRUE(known());
  ASSERT_TRUE(install("1.1.0").ok());
  static_cast<void>(socket->hear("biz.pkg.install"));
  socket->say(v2_frame("control.register", registered("1.0.0"), "control.register-7"));  // another version
  pass(29s);
  EXPECT_EQ(view().workers.at(0).operation->failed, false);
  pass(2s);
  EXPECT_TRUE(eventually([&] { return view().workers.at(0).operation->failed; }));
  EXPECT_NE(view().workers.at(0).operation->message.find("E.TIMEOUT"), std::string::npos);
  EXPECT_EQ(view().drift, 1U);
}

// The real worker registers only after a handshake; close 1012 makes it begin with one.
TEST_F(WsPackages, AResumedWorkerThatDoesNotRegisterInTimeIsMadeToWhenItIsIdle) {
  start();
  auto socket = join_v2();
  ASSERT_TRUE(known());
  socket->cut();
  TestSocket next(loop, *front);
  next.say(v2_frame("control.resume",
                    {{"session_id", accepted["session_id"]}, {"session_token", accepted["session_token"]}, {"last_seen_seq", 0}},
                    "control.resume-5"));
  ASSERT_EQ(next.hear("control.session.accept")["payload"]["resumed"], true);
  ASSERT_TRUE(install("2.0.0").ok());
  const Json order = next.hear("biz.pkg.install");
  next.say(ack_of(order, 1));
  const JobId id = submit();
  const Json dispatch = next.hear("biz.exec.dispatch");
  next.say(ack_of(dispatch, 2));
  pass(31s);
  EXPECT_TRUE(eventually([&] { return statuses().at(0) == "failed"; }));
  EXPECT_FALSE(next.is_closed()) << "it runs a task";
  Json result = v2_frame("biz.exec.result",
                         {{"run_id", dispatch["payload"]["run_id"]},
                          {"task_id", dispatch["payload"]["task_id"]},
                          {"status", "SUCCEEDED"},
                          {"result", Json::object()}},
                         "biz.exec.result-1");
  result["corr"] = dispatch["id"];
  result["session_seq"] = 1;
  next.say(result);
  EXPECT_EQ(next.hear("control.ack")["payload"]["for"], "biz.exec.result-1");
  EXPECT_EQ(next.closed(), (std::pair<int, std::string>(1012, "service restart")));
  EXPECT_TRUE(ends(id, JobState::completed));
  TestSocket last(loop, *front);
  last.say(v2_handshake("dev-token", "control.handshake-9"));
  last.say(v2_frame("control.register", registered("2.0.0"), "control.register-10"));
  EXPECT_EQ(last.hear("control.session.accept")["payload"]["resumed"], false);
  EXPECT_TRUE(eventually([&] { return statuses().at(0) == "installed"; }));
}

TEST_F(WsPackages, AFailedEventIsAFailureAndIsAcknowledged) {
  start();
  const auto socket = join_v2();
  ASSERT_TRUE(known());
  ASSERT_TRUE(install("1.1.0").ok());
  static_cast<void>(socket->hear("biz.pkg.install"));
  Json event = v2_frame("biz.pkg.event",
                        {{"name", "extra"}, {"version", "1.1.0"}, {"status", "failed"}, {"details", {{"message", "disk full"}}}},
                        "biz.pkg.event-9", false);
  event["session_seq"] = 1;
  socket->say(event);
  EXPECT_TRUE(eventually([&] { return view().workers.at(0).operation->failed; }));
  EXPECT_EQ(view().workers.at(0).operation->message, "disk full");
  EXPECT_EQ(socket->hear("control.ack")["payload"]["ack_seq"], 1);
}

TEST_F(WsPackages, UninstallIsDoneWhenARegisterNoLongerListsIt) {
  start();
  auto socket = connect();
  socket.say(v2_handshake());
  socket.say(v2_frame("control.register", registered("1.1.0"), "control.register-1"));
  static_cast<void>(socket.hear("control.session.accept"));
  ASSERT_TRUE(known("extra"));
  command::PackageUninstallRequest request;
  request.name = "extra";
  request.target.selector = {{"worker_name", "worker-local"}};
  const auto wished =
      ask<command::PackageWished>([&](auto reply) { door->run(command::itself(), std::move(request), std::move(reply)); });
  ASSERT_TRUE(wished.ok()) << wished.status().text();
  EXPECT_EQ(wished->workers, 1U);
  EXPECT_EQ(socket.hear("biz.pkg.uninstall")["payload"], (Json{{"name", "extra"}}));
  socket.say(v2_frame("control.register", registration_payload(), "control.register-8"));
  EXPECT_TRUE(eventually([&] { return statuses() == Statuses{"removed", "sent", "requested"}; }));
}

TEST_F(WsPackages, AWorkerThatComesLaterOrBackIsSentWhatItShallHave) {
  start();
  auto first = join_v2();
  ASSERT_TRUE(known());
  first->cut();
  ASSERT_TRUE(install("1.1.0", "").ok());
  restart();
  const auto socket = join_v2();
  EXPECT_EQ(socket->hear("biz.pkg.install")["payload"]["version"], "1.1.0");
}

TEST_F(WsPackages, AWishOfAnotherNodeIsFoundByLooking) {
  start();
  const auto socket = join_v2();
  ASSERT_TRUE(known());
  pass(3s);  // what was wanted before is known
  // Another node's events are not ours: it shares the store and nothing else.
  engine::Events elsewhere(16, 1);
  engine::Packages other(*store, elsewhere, clock, metrics, engine::Options());
  PackageWish wish;
  wish.name = "extra";
  wish.version = "1.1.0";
  const auto wished =
      ask<engine::PackageWished>([&](auto reply) { other.wish(NamespaceName("default"), wish, std::move(reply)); });
  ASSERT_TRUE(wished.ok()) << wished.status().text();
  EXPECT_TRUE(eventually([&] {
    pass(2s);
    return socket->heard("biz.pkg.install");
  }));
}

TEST_F(WsPackages, AStockWorkerOfProtocol1IsNeverAskedAndTheOperationFailsAtOnce) {
  start();
  const auto socket = join_v1();
  ASSERT_TRUE(known());
  ASSERT_TRUE(install("1.1.0", "worker-local").ok());
  EXPECT_TRUE(eventually([&] { return !view().workers.empty() && view().workers[0].operation.has_value(); }));
  EXPECT_TRUE(view().workers[0].operation->failed);
  EXPECT_NE(view().workers[0].operation->message.find("protocol 1"), std::string::npos);
  EXPECT_FALSE(socket->heard("pkg.install"));
}

TEST_F(WsPackages, AWorkerOfProtocol1ThatSaysItCanIsAskedAndItsEventIsItsAnswer) {
  start();
  auto socket = connect();
  socket.say(v1_handshake());
  Json payload = registration_payload();
  payload["capabilities"]["features"] = {"pkg"};
  socket.say(v1_frame("register", payload, "register-1"));
  ASSERT_TRUE(known());
  ASSERT_TRUE(install("1.1.0", "worker-local").ok());
  EXPECT_EQ(socket.hear("pkg.install")["payload"]["name"], "extra");
  socket.say(v1_frame("pkg.event", {{"name", "extra"}, {"version", "1.1.0"}, {"status", "installed"}}, "pkg.event-5", false));
  EXPECT_TRUE(eventually([&] { return view().drift == 0; }));
  EXPECT_EQ(view().versions.at(0).installed, 1U);
}

TEST_F(WsPackages, DriftIsShownOnTheWorker) {
  start();
  const auto socket = join_v2();
  ASSERT_TRUE(known());
  ASSERT_TRUE(install("1.1.0").ok());
  static_cast<void>(socket->hear("biz.pkg.install"));
  socket->say(v2_frame("control.heartbeat", {{"healthy", true}, {"metrics", {{"inflight", 0}}}}, "control.heartbeat-2", false));
  EXPECT_TRUE(eventually([&] {
    const auto row = ask<Worker>([&](auto reply) {
      door->run(command::itself(), command::WorkerGetRequest{NamespaceName("default"), WorkerId(kInstance)}, std::move(reply));
    });
    const Json stats = Json::parse(row->stats.empty() ? "{}" : row->stats);
    return stats.contains("packages") && stats["packages"]["drift"] == true;
  }));
}

}  // namespace
}  // namespace muster::ws
