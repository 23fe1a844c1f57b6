// The registry of resources on the real store, and mail for workers beside it.
#include "engine/resources.h"

#include <gtest/gtest.h>

#include "base/ask_testing.h"
#include "base/temp_folder_testing.h"
#include "engine/engine.h"
#include "engine/worker_mail.h"
#include "store/sqlite/open_testing.h"

namespace muster::engine {
namespace {

using namespace std::chrono_literals;

class ResourcesTest : public testing::Test {
 protected:
  ~ResourcesTest() override { EXPECT_TRUE(store_->close().ok()); }

  static Resource told(const std::string& id, const std::string& worker = "w1", const std::string& name = "gpu") {
    Resource out;
    out.id = id;
    out.type = "file";
    out.worker_name = name;
    out.worker = WorkerId(worker);
    return out;
  }
  Result<Resource> put(Resource resource) {
    auto answers = ask<store::Each<Resource>>([&](auto reply) { engine_.resources().put({resource}, std::move(reply)); });
    return answers.ok() ? std::move(answers->front()) : Result<Resource>(answers.status());
  }
  Result<Resource> get(const std::string& id) {
    auto answers = ask<store::Each<Resource>>(
        [&](auto reply) { engine_.resources().get(NamespaceName("default"), {id}, std::move(reply)); });
    return answers.ok() ? std::move(answers->front()) : Result<Resource>(answers.status());
  }
  ResourcePage list(ResourceQuery query = {}) {
    const auto page = ask<ResourcePage>([&](auto reply) { engine_.resources().list(query, std::move(reply)); });
    EXPECT_TRUE(page.ok()) << page.status().text();
    return page.ok() ? *page : ResourcePage();
  }
  void join(const std::string& id, const std::string& name, Dialect dialect = Dialect::ws, const std::string& metadata = {}) {
    WorkerSpec spec;
    spec.id = WorkerId(id);
    spec.dialect = dialect;
    spec.labels = {{kWorkerNameLabel, name}};
    spec.metadata = metadata;
    const auto made =
        ask<store::Each<store::Registered>>([&](auto reply) { engine_.workers().register_workers({spec}, std::move(reply)); });
    EXPECT_TRUE(made.ok() && made->front().ok());
  }
  void leave(const std::string& id) {
    const store::Unregister goodbye{NamespaceName("default"), WorkerId(id), std::nullopt};
    EXPECT_TRUE(ask<store::Each<Worker>>([&](auto reply) { engine_.workers().unregister({goodbye}, std::move(reply)); }).ok());
  }
  // Rows of workers that left are forgotten after a week.
  void forget_workers() {
    clock_.advance(limits::kOfflineKept + 1min);
    engine_.tick();
    EXPECT_TRUE(eventually([&] {
      clock_.advance(1min);
      engine_.tick();
      const auto rows = ask<store::WorkerPage>([&](auto reply) { engine_.workers().list({}, std::move(reply)); });
      return rows.ok() && rows->workers.empty();
    }));
  }

  ManualClock clock_;
  Metrics metrics_;
  TempFolder folder_;
  std::unique_ptr<store::sqlite::SqliteStore> store_ = store::sqlite::open_for_test(folder_.path("muster.db"), clock_, metrics_);
  Engine engine_{*store_, clock_, metrics_, Options{}};
};

TEST_F(ResourcesTest, AreKnownAsTheyWereTold) {
  join("w1", "gpu");
  Resource resource = told("r1");
  resource.scope = "run";
  resource.size_bytes = 42;
  resource.metadata = R"({"path":"a/b"})";
  resource.job = "j";
  resource.expires_at = clock_.now() + 1h;
  ASSERT_TRUE(put(resource).ok());
  const auto known = get("r1");
  ASSERT_TRUE(known.ok()) << known.status().text();
  resource.created_at = clock_.now();
  resource.worker_live = true;
  EXPECT_EQ(*known, resource);
  EXPECT_EQ(get("r2").code(), Code::not_found);
}

TEST_F(ResourcesTest, EndWhenTheySaidSo) {
  join("w1", "gpu");
  Resource resource = told("r1");
  resource.expires_at = clock_.now() + 1min;
  ASSERT_TRUE(put(resource).ok());
  clock_.advance(1min - 1ms);
  EXPECT_TRUE(get("r1").ok());
  clock_.advance(1ms);
  EXPECT_EQ(get("r1").code(), Code::not_found);
  EXPECT_TRUE(list().resources.empty());
  EXPECT_EQ(put(resource).code(), Code::invalid_argument) << "its end has passed";
}

TEST_F(ResourcesTest, WithoutAnEndAreKeptForAWeek) {
  ASSERT_TRUE(put(told("r1")).ok());
  clock_.advance(limits::kResourceKeptDefault - 1ms);
  EXPECT_TRUE(get("r1").ok());
  clock_.advance(1ms);
  EXPECT_EQ(get("r1").code(), Code::not_found);
}

TEST_F(ResourcesTest, BelongToWhoeverToldOfThemFirst) {
  join("w1", "gpu");
  join("w2", "cpu");
  ASSERT_TRUE(put(told("r1", "w1", "gpu")).ok());
  const auto taken = put(told("r1", "w2", "cpu"));
  EXPECT_EQ(taken.code(), Code::conflict);
  EXPECT_NE(taken.status().message().find("resource 'r1' is worker 'gpu's"), std::string::npos) << taken.status().message();
  EXPECT_EQ(get("r1")->worker, WorkerId("w1"));
  EXPECT_TRUE(put(told("r1", "w1", "gpu")).ok()) << "told again by its own";
}

TEST_F(ResourcesTest, GoWhenAnotherInstanceTakesTheName) {
  join("w1", "gpu");
  ASSERT_TRUE(put(told("r1")).ok());
  leave("w1");
  EXPECT_EQ(get("r1")->state, ResourceState::active) << "it may come back";
  EXPECT_FALSE(get("r1")->worker_live);
  join("w2", "gpu");
  EXPECT_EQ(get("r1")->state, ResourceState::evicted);
  EXPECT_TRUE(put(told("r1", "w2")).ok()) << "the id is free again";
}

TEST_F(ResourcesTest, GoWithAWorkerThatIsForgotten) {
  join("w1", "gpu");
  leave("w1");
  Resource resource = told("r1");
  resource.expires_at = clock_.now() + 24h * 30;
  ASSERT_TRUE(put(resource).ok());
  forget_workers();
  const auto known = get("r1");
  ASSERT_TRUE(known.ok()) << known.status().text();
  EXPECT_EQ(known->state, ResourceState::evicted);
}

TEST_F(ResourcesTest, AreListedByPagesAndFilters) {
  join("w1", "gpu");
  for (int i = 0; i < 5; ++i) ASSERT_TRUE(put(told("r" + std::to_string(i))).ok());
  Resource other = told("s1", "w9", "cpu");
  other.type = "model";
  ASSERT_TRUE(put(other).ok());
  std::vector<std::string> ids;
  ResourceQuery query;
  query.limit = 2;
  do {
    const ResourcePage page = list(query);
    for (const Resource& each : page.resources) ids.push_back(each.id);
    query.cursor = page.next;
  } while (!query.cursor.empty());
  EXPECT_EQ(ids, (std::vector<std::string>{"r0", "r1", "r2", "r3", "r4", "s1"}));
  ResourceQuery by_type;
  by_type.type = "model";
  EXPECT_EQ(list(by_type).resources.size(), 1u);
  ResourceQuery by_worker;
  by_worker.worker = "gpu";
  EXPECT_EQ(list(by_worker).resources.size(), 5u);
  by_worker.worker = "w9";
  EXPECT_EQ(list(by_worker).resources.size(), 1u);
}

TEST_F(ResourcesTest, AreForgottenOnRequest) {
  ASSERT_TRUE(put(told("r1")).ok());
  const auto gone =
      ask<Resource>([&](auto reply) { engine_.resources().remove(NamespaceName("default"), "r1", std::move(reply)); });
  ASSERT_TRUE(gone.ok());
  EXPECT_EQ(gone->id, "r1");
  EXPECT_EQ(get("r1").code(), Code::not_found);
  EXPECT_TRUE(list().resources.empty());
}

TEST_F(ResourcesTest, OneRefusedLeavesTheOthersAsTheyAre) {
  std::vector<Resource> batch{told("r1"), told(""), told("r3")};
  const auto answers = ask<store::Each<Resource>>([&](auto reply) { engine_.resources().put(batch, std::move(reply)); });
  ASSERT_TRUE(answers.ok());
  EXPECT_TRUE((*answers)[0].ok());
  EXPECT_EQ((*answers)[1].code(), Code::invalid_argument);
  EXPECT_EQ((*answers)[2]->id, "r3");
}

// --- mail ---

TEST_F(ResourcesTest, MailIsRefusedToWhoeverCannotReadIt) {
  join("v2", "a", Dialect::ws, R"({"protocol":"v2"})");
  join("v1", "b", Dialect::ws, R"({"protocol":"v1"})");
  join("web", "c", Dialect::http);
  const auto send = [&](const std::string& worker, const std::string& type, const std::string& payload) {
    Mail mail;
    mail.worker = WorkerId(worker);
    mail.type = type;
    mail.payload = payload;
    return ask<MailSent>([&](auto reply) { engine_.mail().send(mail, std::move(reply)); });
  };
  EXPECT_EQ(send("nobody", "ext.vendor.x", "{}").code(), Code::not_found);
  EXPECT_EQ(send("v1", "ext.vendor.x", "{}").code(), Code::conflict);
  EXPECT_EQ(send("web", "ext.vendor.x", "{}").code(), Code::conflict);
  EXPECT_EQ(send("v2", "biz.exec.dispatch", "{}").code(), Code::invalid_argument);
  EXPECT_EQ(send("v2", "ext.vendor.", "{}").code(), Code::invalid_argument);
  EXPECT_EQ(send("v2", "ext.vendor.x", "[]").code(), Code::invalid_argument);
  EXPECT_EQ(send("v2", "ext.vendor.x", "{\"a\":\"" + std::string(kMailBytesMax, 'x') + "\"}").code(), Code::invalid_argument);
  EXPECT_EQ(send("v2", "ext.vendor.x", "")->waiting, 1u);
  EXPECT_EQ(send("v2", "ext.vendor.x", R"({"a":1})")->waiting, 2u);
  leave("v2");
  EXPECT_EQ(send("v2", "ext.vendor.x", "{}").code(), Code::unavailable);
}

TEST_F(ResourcesTest, PayloadsOfExtensionEventsHaveRoomOfTheirOwn) {
  const std::uint64_t before = engine_.events().newest();
  const auto tell = [&](std::size_t bytes) {
    ExtensionTold told{.ns = NamespaceName("default"), .worker = WorkerId("w"), .type = "ext.vendor.x"};
    told.payload = std::make_shared<const std::string>(bytes, 'x');
    told.payload_bytes = bytes;
    engine_.events().publish(std::move(told));
  };
  tell(kExtensionEventBytesMax + 1);
  constexpr std::size_t kFit = kExtensionEventsBytesMax / kExtensionEventBytesMax;
  for (std::size_t i = 0; i < kFit + 2; ++i) tell(kExtensionEventBytesMax);
  const Events::Slice slice = engine_.events().read(before, 1'000);
  ASSERT_EQ(slice.events.size(), kFit + 3);
  const auto payload = [&](std::size_t i) { return std::get<ExtensionTold>(slice.events[i].what).payload; };
  EXPECT_EQ(payload(0), nullptr) << "too long to be told";
  EXPECT_EQ(payload(1), nullptr) << "made room";
  EXPECT_EQ(payload(2), nullptr) << "made room";
  EXPECT_NE(payload(3), nullptr);
  EXPECT_NE(payload(kFit + 2), nullptr);
}

}  // namespace
}  // namespace muster::engine
