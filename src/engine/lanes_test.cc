#include "engine/lanes.h"

#include <gtest/gtest.h>

#include "base/ask_testing.h"
#include "store/scripted_testing.h"

namespace muster::engine {
namespace {

using store::LaneStats;
using store::Verb;

LaneStats lane(std::vector<std::string> needs, std::uint64_t ready = 1, const char* queue = "q") {
  LaneStats out;
  out.ns = NamespaceName("default");
  out.queue = QueueName(queue);
  out.needs = CapabilitySet(std::move(needs));
  out.ready = ready;
  return out;
}

Worker worker(const char* id, std::vector<std::string> offers, std::vector<QueueName> queues = {}) {
  Worker out;
  out.spec.id = WorkerId(id);
  out.spec.capabilities = CapabilitySet(std::move(offers));
  out.spec.queues = std::move(queues);
  return out;
}

std::vector<std::string> ids(const LaneService& service) {
  std::vector<std::string> out;
  for (const WorkerId& id : service.workers) out.push_back(id.text());
  return out;
}

LaneService judged(const LaneStats& lane, const std::vector<Worker>& workers) {
  LaneServers servers(std::span(&lane, 1));
  for (const Worker& each : workers) servers.add(each);
  return servers.judge(lane);
}

using Texts = std::vector<std::string>;

TEST(LaneServers, TheAbleAreThoseWhoOfferAllThatIsNeeded) {
  const std::vector workers{worker("a", {"tool:ffmpeg"}), worker("b", {"tool:ffmpeg", "tool:sox"}), worker("c", {"tool:sox"})};
  const LaneService both = judged(lane({"tool:ffmpeg", "tool:sox"}), workers);
  EXPECT_TRUE(both.served);
  EXPECT_EQ(ids(both), Texts{"b"});
  EXPECT_EQ(ids(judged(lane({}), workers)), (Texts{"a", "b", "c"}));
}

TEST(LaneServers, WhatNobodyOffersIsMissing) {
  const LaneService service = judged(lane({"label:gpu=1", "tool:ffmpeg"}), {worker("a", {"tool:ffmpeg"})});
  EXPECT_FALSE(service.served);
  EXPECT_EQ(service.missing, Texts{"label:gpu=1"});
}

TEST(LaneServers, NobodyNeedsToMissAnythingForALaneToBeUnserved) {
  const LaneService service = judged(lane({"tool:a", "tool:b"}), {worker("a", {"tool:a"}), worker("b", {"tool:b"})});
  EXPECT_FALSE(service.served);
  EXPECT_TRUE(service.missing.empty());
}

TEST(LaneServers, QueuesAndNamespacesAreHonoured) {
  EXPECT_FALSE(judged(lane({}), {worker("a", {}, {QueueName("other")})}).served);
  EXPECT_TRUE(judged(lane({}), {worker("a", {}, {QueueName("other"), QueueName("q")})}).served);
  Worker foreign = worker("a", {"tool:x"});
  foreign.spec.ns = NamespaceName("team-b");
  EXPECT_EQ(judged(lane({"tool:x"}), {foreign}).missing, Texts{"tool:x"});
}

TEST(LaneServers, OnlyOnlineWorkersCount) {
  Worker draining = worker("a", {"tool:x"});
  draining.state = WorkerState::draining;
  EXPECT_FALSE(judged(lane({"tool:x"}), {draining}).served);
}

TEST(LaneServers, AWholeKindStandsForEachOfItsNames) {
  EXPECT_TRUE(judged(lane({"workflow:order"}), {worker("a", {"workflow:*"})}).served);
}

TEST(LaneServers, LabelsAndNamesOfWorkersAreOffered) {
  Worker labelled = worker("a", {});
  labelled.spec.labels = {{"zone", "eu"}};
  EXPECT_TRUE(judged(lane({"label:zone=eu", "worker:a"}), {labelled}).served);
}

TEST(LaneServers, ClientsThatKnowOnlyRunsServeNoOtherJobs) {
  Worker runs = worker("a", {"tool:x", "workflow:order"});
  runs.spec.dialect = Dialect::grpc;
  EXPECT_FALSE(judged(lane({"tool:x"}), {runs}).served);
  EXPECT_TRUE(judged(lane({"workflow:order"}), {runs}).served);
}

TEST(LaneServers, AWorkerThatAsksForOtherQueuesServesNotThisOne) {
  const LaneStats mine = lane({});
  LaneServers servers(std::span(&mine, 1));
  servers.add(worker("elsewhere", {}), {QueueName("other")});
  EXPECT_FALSE(servers.judge(mine).served);
  servers.add(worker("here", {}), {QueueName("other"), QueueName("q")});
  EXPECT_EQ(ids(servers.judge(mine)), Texts{"here"});
}

// The rule of the claim itself, on every pair of a small world.
TEST(LaneServers, SaysWhatTheClaimWouldDo) {
  std::vector<Worker> workers;
  for (int i = 0; i < 64; ++i) {
    Texts offers;
    if (i & 1) offers.push_back("tool:a");
    if (i & 2) offers.push_back("tool:b");
    if (i & 4) offers.push_back("workflow:*");
    workers.push_back(worker(("w" + std::to_string(i)).c_str(), offers));
    if (i & 8) workers.back().spec.queues = {QueueName("q")};
    if (i & 16) workers.back().spec.dialect = Dialect::grpc;
    if (i & 32) workers.back().spec.ns = NamespaceName("other");
  }
  for (const char* queue : {"q", "p"})
    for (const Texts& needs :
         {Texts{}, Texts{"tool:a"}, Texts{"tool:a", "tool:b"}, Texts{"workflow:t"}, Texts{"tool:b", "workflow:t"}}) {
      const LaneService service = judged(lane(needs, 1, queue), workers);
      std::uint64_t able = 0;
      for (const Worker& each : workers)
        if (may_serve(offer_of(each.spec), {service.stats.ns, service.stats.queue, JobType("t"), service.stats.needs})) ++able;
      EXPECT_EQ(service.able_workers, able);
    }
}

TEST(LaneServers, ManyAbleWorkersAreCountedAndAFewNamed) {
  std::vector<Worker> workers;
  for (std::size_t i = 0; i < kLaneWorkersCountedMax + 50; ++i) workers.push_back(worker(("w" + std::to_string(i)).c_str(), {}));
  const LaneService service = judged(lane({}), workers);
  EXPECT_EQ(service.able_workers, kLaneWorkersCountedMax);
  EXPECT_EQ(service.workers.size(), kLaneWorkersNamedMax);
}

class LaneListing : public testing::Test {
 protected:
  LaneListing() {
    store_.on(Verb::list_lanes, [this](const store::LaneQuery&) -> Result<store::LaneList> { return lanes_; });
    store_.on(Verb::list_queues, [this](const NamespaceName&) -> Result<std::vector<QueueStats>> { return queues_; });
    store_.on(Verb::list_workers, [this](const store::WorkerQuery&) -> Result<store::WorkerPage> {
      return store::WorkerPage{.workers = workers_, .next = {}};
    });
  }
  Result<LanesListed> list(LanesQuery query = {}) {
    return ask<LanesListed>([&](auto reply) { list_lanes(store_, &asked_, std::move(query), std::move(reply)); });
  }
  static Texts queues_of(const LanesListed& listed) {
    Texts out;
    for (const LaneService& each : listed.lanes) out.push_back(each.stats.queue.text());
    return out;
  }

  store::ScriptedStore store_;
  AskedQueues asked_;
  store::LaneList lanes_;
  std::vector<QueueStats> queues_;
  std::vector<Worker> workers_;
};

TEST_F(LaneListing, ThoseThatNobodyServesComeFirst) {
  lanes_.lanes = {lane({}, 100, "served"), lane({"tool:x"}, 0, "idle"), lane({"tool:x"}, 2, "stuck"), lane({}, 200, "busy")};
  workers_ = {worker("a", {})};
  const auto listed = list();
  ASSERT_TRUE(listed.ok());
  EXPECT_EQ(queues_of(*listed), (Texts{"stuck", "idle", "busy", "served"}));
  EXPECT_EQ(listed->total, 4u);
  EXPECT_EQ(listed->unserved, 2u);
  EXPECT_FALSE(listed->more);
}

TEST_F(LaneListing, ALimitCutsTheTailAndSaysSo) {
  lanes_.lanes = {lane({}, 1, "a"), lane({}, 2, "b"), lane({}, 3, "c")};
  const auto listed = list({.limit = 2});
  EXPECT_EQ(queues_of(*listed), (Texts{"c", "b"}));
  EXPECT_EQ(listed->total, 3u);
  EXPECT_TRUE(listed->more);
}

TEST_F(LaneListing, OnlyUnservedOnesWhenAskedFor) {
  lanes_.lanes = {lane({}, 1, "a"), lane({"tool:x"}, 2, "b")};
  workers_ = {worker("a", {})};
  EXPECT_EQ(queues_of(*list({.unserved = true})), Texts{"b"});
}

TEST_F(LaneListing, SaysWhenTheQueueIsPaused) {
  lanes_.lanes = {lane({})};
  queues_.emplace_back();
  queues_[0].ns = NamespaceName("default");
  queues_[0].queue = QueueName("q");
  queues_[0].settings.paused = true;
  EXPECT_TRUE(list()->lanes.front().paused);
}

TEST_F(LaneListing, WhoSeesAFewNamespacesIsShownAllOfThem) {
  store_.on(Verb::list_lanes, [](const store::LaneQuery& query) -> Result<store::LaneList> {
    if (query.ns.text() == "gone") return Status::not_found("no namespace gone");
    EXPECT_TRUE(query.ns.text() == "a" || query.ns.text() == "b") << "a whole list would be cut before it is narrowed";
    store::LaneList out;
    out.lanes = {lane({}, 1, query.ns.text().c_str())};
    out.lanes[0].ns = query.ns;
    return out;
  });
  store_.on(Verb::list_workers, [](const store::WorkerQuery& query) -> Result<store::WorkerPage> {
    store::WorkerPage page;
    if (query.ns.text() == "a") page.workers = {worker("w", {})};
    for (Worker& each : page.workers) each.spec.ns = query.ns;
    return page;
  });
  const auto listed = list({.within = std::vector{NamespaceName("a"), NamespaceName("gone"), NamespaceName("b")}});
  ASSERT_TRUE(listed.ok()) << listed.status().text();
  EXPECT_EQ(queues_of(*listed), (Texts{"b", "a"}));
  EXPECT_EQ(listed->total, 2u);
  EXPECT_EQ(listed->unserved, 1u);
}

TEST_F(LaneListing, QueuesThatAWorkerAskedForAreHonoured) {
  lanes_.lanes = {lane({}, 1, "asked"), lane({}, 1, "not-asked")};
  workers_ = {worker("a", {})};
  asked_.note({.ns = NamespaceName("default"), .worker = WorkerId("a"), .queues = {QueueName("asked")}}, Ticks{});
  EXPECT_EQ(queues_of(*list({.unserved = true})), Texts{"not-asked"});
}

TEST_F(LaneListing, AskForNoMoreWorkersThanItLooksAt) {
  store_.on(Verb::list_workers, [](const store::WorkerQuery&) -> Result<store::WorkerPage> {
    store::WorkerPage page;
    page.workers.assign(limits::kPageMax, worker("w", {}));
    page.next = "more";
    return page;
  });
  lanes_.lanes = {lane({})};
  ASSERT_TRUE(list().ok());
  EXPECT_EQ(store_.asked(Verb::list_workers), kLaneWorkersLookedAtMax / limits::kPageMax);
}

TEST_F(LaneListing, ManyWorkersOfOneNamespaceHideNoneOfTheNext) {
  store_.on(Verb::list_lanes, [](const store::LaneQuery& query) -> Result<store::LaneList> {
    store::LaneList out;
    out.lanes = {lane({}, 1, query.ns.text().c_str())};
    out.lanes[0].ns = query.ns;
    return out;
  });
  // The only worker of the second namespace stands on its second page.
  store_.on(Verb::list_workers, [](const store::WorkerQuery& query) -> Result<store::WorkerPage> {
    store::WorkerPage page;
    const bool crowded = query.ns.text() == "a";
    if (crowded) page.workers.assign(limits::kPageMax, worker("w", {}));
    if (!crowded && !query.cursor.empty()) page.workers = {worker("last", {})};
    for (Worker& each : page.workers) each.spec.ns = query.ns;
    if (crowded || query.cursor.empty()) page.next = "more";
    return page;
  });
  const auto listed = list({.within = std::vector{NamespaceName("a"), NamespaceName("b")}});
  ASSERT_TRUE(listed.ok()) << listed.status().text();
  EXPECT_EQ(listed->unserved, 0u);
}

TEST_F(LaneListing, RefusesALimitOfNothingAndAFailureIsTold) {
  EXPECT_EQ(list({.limit = 0}).code(), Code::invalid_argument);
  lanes_.lanes = {lane({})};
  store_.on(Verb::list_queues,
            [](const NamespaceName&) -> Result<std::vector<QueueStats>> { return Status::unavailable("away"); });
  EXPECT_EQ(list().code(), Code::unavailable);
}

}  // namespace
}  // namespace muster::engine
