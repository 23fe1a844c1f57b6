// The catalogue, wishes and history over a real store.
#include "engine/packages.h"

#include <gtest/gtest.h>

#include "base/ask_testing.h"
#include "base/temp_folder_testing.h"
#include "engine/engine.h"
#include "store/sqlite/open_testing.h"

namespace muster::engine {
namespace {

using namespace std::chrono_literals;

class PackagesTest : public testing::Test {
 protected:
  ~PackagesTest() override { EXPECT_TRUE(store_->close().ok()); }

  static PackageReport report(std::string worker, std::vector<WorkerPackage> packages) {
    PackageReport out;
    out.worker = WorkerId(worker);
    out.worker_name = worker + "-name";
    out.labels = {{"zone", worker == "w1" ? "a" : "b"}};
    out.packages = std::move(packages);
    return out;
  }
  static PackageManifest manifest(std::string version, std::string text) {
    return {.name = "demo",
            .version = std::move(version),
            .text = std::move(text),
            .description = "d",
            .nodes = {"demo.echo"},
            .problem = {}};
  }
  Result<PackageInstructions> reconcile(PackageReport report) {
    return ask<PackageInstructions>([&](auto reply) { packages().reconcile(std::move(report), std::move(reply)); });
  }
  Result<PackageWished> wish(PackageWish wish) {
    return ask<PackageWished>([&](auto reply) { packages().wish(ns_, std::move(wish), std::move(reply)); });
  }
  Result<PackageView> get(std::string name, std::string version = {}) {
    return ask<PackageView>([&](auto reply) { packages().get({ns_, std::move(name), std::move(version)}, std::move(reply)); });
  }
  Result<PackagePage> list(PackageQuery query = {}) {
    return ask<PackagePage>([&](auto reply) { packages().list(std::move(query), std::move(reply)); });
  }
  std::vector<std::string> history() {
    const auto events = ask<PackageEvents>([&](auto reply) { packages().events({}, std::move(reply)); });
    std::vector<std::string> out;
    for (const PackageChange& event : events->events)
      out.push_back(event.worker.text() + " " + event.package + " " + std::string(to_string(event.status)));
    return out;
  }
  static PackageWish install(std::string version, std::string worker = {}) {
    PackageWish out;
    out.name = "demo";
    out.version = std::move(version);
    out.url = "file:///p.zip";
    out.worker = WorkerId(std::move(worker));
    out.by = "ops";
    return out;
  }
  std::string counted(const char* op, const char* status) {
    return std::to_string(metrics_.counter("pkg_ops_total", "", {{"tenant", "default"}, {"op", op}, {"status", status}}).value());
  }
  Packages& packages() { return engine_->packages(); }

  const NamespaceName ns_{kDefaultNamespace};
  const std::vector<WorkerPackage> one_{{"demo", "1.0.0", PackageStatus::installed}};
  const std::vector<WorkerPackage> two_{{"demo", "2.0.0", PackageStatus::installed}};
  ManualClock clock_;
  Metrics metrics_;
  TempFolder folder_;
  std::unique_ptr<store::sqlite::SqliteStore> store_ = store::sqlite::open_for_test(folder_.path("m.db"), clock_, metrics_);
  std::unique_ptr<Engine> engine_ = std::make_unique<Engine>(*store_, clock_, metrics_, Options{});
};

TEST_F(PackagesTest, TheCatalogueIsWhatWorkersRegisteredAndOutlivesTheServer) {
  PackageReport first = report("w1", one_);
  first.manifests = {manifest("1.0.0", R"({"name":"demo"})")};
  ASSERT_TRUE(reconcile(first).ok());
  ASSERT_TRUE(
      reconcile(report("w2", {{"demo", "1.0.0", PackageStatus::failed}, {"Bad Name", "x", PackageStatus::installed}})).ok());
  engine_.reset();
  engine_ = std::make_unique<Engine>(*store_, clock_, metrics_, Options{});
  const auto page = list();
  ASSERT_TRUE(page.ok());
  ASSERT_EQ(page->packages.size(), 1U) << "what has no name that can be asked for is left out";
  EXPECT_EQ(page->packages[0].latest, "1.0.0");
  EXPECT_EQ(page->packages[0].workers, 1U);
  const auto view = get("demo");
  ASSERT_TRUE(view.ok()) << view.status().text();
  EXPECT_EQ(view->manifest, R"({"name":"demo"})");
  EXPECT_EQ(view->versions.at(0).nodes, std::vector<std::string>{"demo.echo"});
  EXPECT_EQ(view->versions[0].installed, 1U);
  EXPECT_EQ(view->versions[0].failed, 1U);
  EXPECT_EQ(view->workers_total, 2U);
  EXPECT_EQ(get("other").code(), Code::not_found);
  EXPECT_EQ(get("demo", "9.9.9").code(), Code::not_found);
}

TEST_F(PackagesTest, AManifestThatIsTooLargeIsNotKeptAndSaysSo) {
  PackageReport large = report("w1", one_);
  large.manifests = {manifest("1.0.0", std::string(kPackageManifestBytesMax + 1, ' '))};
  ASSERT_TRUE(reconcile(large).ok());
  EXPECT_EQ(get("demo")->manifest, "");
  EXPECT_NE(get("demo")->versions.at(0).problem.find(std::to_string(kPackageManifestBytesMax)), std::string::npos);
}

TEST_F(PackagesTest, AWishIsSentToTheWorkersItIsAboutAndDoneByTheirNextRegistration) {
  ASSERT_TRUE(reconcile(report("w1", one_)).ok());
  ASSERT_TRUE(reconcile(report("w2", one_)).ok());
  PackageWish zone = install("2.0.0");
  zone.selector = {{"zone", "a"}};
  const auto wished = wish(zone);
  ASSERT_TRUE(wished.ok()) << wished.status().text();
  EXPECT_EQ(wished->workers, 1U);
  EXPECT_EQ(wished->drift, 1U);
  EXPECT_EQ(get("demo")->drift, 1U);

  PackageReport look = report("w2", {});
  look.packages.reset();
  EXPECT_TRUE(reconcile(look)->orders.empty());
  look.worker = WorkerId("w1");
  look.labels = {{"zone", "a"}};
  const auto told = reconcile(look);
  ASSERT_EQ(told->orders.size(), 1U);
  EXPECT_TRUE(told->drift);
  EXPECT_EQ(told->look_at, clock_.now() + 30s);
  ASSERT_TRUE(reconcile(report("w1", two_)).ok());
  EXPECT_EQ(get("demo")->drift, 0U);
  EXPECT_EQ(history(), (std::vector<std::string>{"w1 demo installed", "w1 demo removed", "w1 demo sent", " demo requested"}));
  EXPECT_EQ(counted("install", "installed"), "1");
  EXPECT_EQ(counted("install", "failed"), "0");
}

TEST_F(PackagesTest, AWorkerThatComesLaterGetsWhatItsLabelsSay) {
  PackageWish everywhere = install("2.0.0");
  ASSERT_TRUE(wish(everywhere).ok());
  const auto told = reconcile(report("w9", one_));
  ASSERT_EQ(told->orders.size(), 1U);
  EXPECT_EQ(told->orders[0].name, "demo");
}

TEST_F(PackagesTest, AWorkerThatSaysItFailedHasFailed) {
  ASSERT_TRUE(reconcile(report("w1", one_)).ok());
  ASSERT_TRUE(wish(install("2.0.0", "w1")).ok());
  ASSERT_EQ(reconcile(report("w1", one_))->orders.size(), 1U);
  PackageNotice notice{.ns = ns_,
                       .worker = WorkerId("w1"),
                       .worker_name = "one",
                       .name = "demo",
                       .version = "2.0.0",
                       .status = PackageStatus::failed,
                       .message = "disk full"};
  const auto noted = ask<PackageNoticed>([&](auto reply) { packages().note(notice, std::move(reply)); });
  ASSERT_TRUE(noted.ok()) << noted.status().text();
  EXPECT_EQ(noted->op, PackageOp::install);
  const auto view = get("demo");
  ASSERT_TRUE(view->workers.at(0).operation);
  EXPECT_TRUE(view->workers[0].operation->failed);
  EXPECT_EQ(view->workers[0].operation->message, "disk full");
  EXPECT_EQ(counted("install", "failed"), "1");
  clock_.advance(60s);
  EXPECT_EQ(reconcile(report("w1", one_))->orders.size(), 1U) << "it is tried again later";
}

TEST_F(PackagesTest, AWishAboutAWorkerThatNobodyKnowsIsRefusedAndChangesNothing) {
  EXPECT_EQ(wish(install("2.0.0", "w7")).code(), Code::not_found);
  PackageWish bad = install("2.0");
  EXPECT_EQ(wish(bad).code(), Code::invalid_argument);
  EXPECT_TRUE(history().empty());
  EXPECT_TRUE(list()->packages.empty());
}

TEST_F(PackagesTest, AForgottenWishLeavesWorkersAsTheyAre) {
  ASSERT_TRUE(reconcile(report("w1", one_)).ok());
  ASSERT_TRUE(wish(install("2.0.0", "w1")).ok());
  const auto forget = [&] {
    return ask<PackageWished>([&](auto reply) { packages().forget(ns_, install("", "w1"), std::move(reply)); });
  };
  EXPECT_TRUE(forget()->forgotten);
  EXPECT_EQ(forget().code(), Code::not_found);
  EXPECT_TRUE(reconcile(report("w1", one_))->orders.empty());
  EXPECT_EQ(get("demo")->drift, 0U);
}

TEST_F(PackagesTest, WishesAreBoundedAndTheBoundIsSaid) {
  for (std::size_t i = 0; i < kPackageWishesMax; ++i) {
    PackageWish each = install("1.0.0");
    each.name = "p" + std::to_string(i);
    ASSERT_TRUE(wish(each).ok());
  }
  EXPECT_EQ(wish(install("1.0.0")).code(), Code::exhausted);
  PackageWish again = install("2.0.0");
  again.name = "p0";
  EXPECT_TRUE(wish(again).ok()) << "one that is there already may change";
}

TEST_F(PackagesTest, TheVersionOfWishesChangesWithThem) {
  const auto version = [&] { return *ask<std::string>([&](auto reply) { packages().wishes_version(ns_, std::move(reply)); }); };
  const std::string before = version();
  ASSERT_TRUE(wish(install("2.0.0")).ok());
  const std::string after = version();
  EXPECT_NE(before, after);
  ASSERT_TRUE(reconcile(report("w1", one_)).ok());
  EXPECT_EQ(version(), after) << "what workers do is no wish";
}

TEST_F(PackagesTest, WhatHappenedIsToldToThoseWhoWatch) {
  ASSERT_TRUE(reconcile(report("w1", one_)).ok());
  const std::uint64_t before = engine_->events().newest();
  ASSERT_TRUE(wish(install("2.0.0", "w1")).ok());
  const Events::Slice slice = engine_->events().read(before, 10);
  ASSERT_EQ(slice.events.size(), 1U);
  const auto& change = std::get<PackageChange>(slice.events[0].what);
  EXPECT_EQ(change.worker, WorkerId("w1"));
  EXPECT_EQ(change.package, "demo");
  EXPECT_EQ(change.status, PackageStatus::requested);
  EXPECT_EQ(change.by, "ops");
}

TEST_F(PackagesTest, ListsPagesOfPackagesByNameAndThoseOfOneWorker) {
  ASSERT_TRUE(reconcile(report("w1", {{"b", "1.0.0", PackageStatus::installed}, {"a", "1.0.0", PackageStatus::installed}})).ok());
  ASSERT_TRUE(reconcile(report("w2", {{"c", "1.0.0", PackageStatus::installed}})).ok());
  PackageQuery query;
  query.limit = 2;
  const auto first = list(query);
  ASSERT_EQ(first->packages.size(), 2U);
  EXPECT_EQ(first->packages[0].name, "a");
  query.cursor = first->next;
  EXPECT_EQ(list(query)->packages.at(0).name, "c");
  PackageQuery of_worker;
  of_worker.worker = WorkerId("w2");
  ASSERT_EQ(list(of_worker)->packages.size(), 1U);
  EXPECT_EQ(list(of_worker)->packages[0].name, "c");
  query.limit = 0;
  EXPECT_EQ(list(query).code(), Code::invalid_argument);
}

}  // namespace
}  // namespace muster::engine
