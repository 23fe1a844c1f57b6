// One worker and what is wanted of it, on a clock that the test moves.
#include "engine/package_rules.h"

#include <gtest/gtest.h>

namespace muster::engine {
namespace {

using namespace std::chrono_literals;

class PackageRules : public testing::Test {
 protected:
  PackageRules() {
    worker_.id = WorkerId("w1");
    worker_.name = "one";
    worker_.labels = {{"zone", "a"}};
    worker_.packages = {{"demo", "1.0.0", PackageStatus::installed}};
  }
  PackageWish install(std::string version, Instant at = {}) {
    PackageWish wish;
    wish.name = "demo";
    wish.version = std::move(version);
    wish.url = "file:///p.zip";
    wish.at = at;
    return wish;
  }
  PackageRound round(const std::vector<PackageWish>& wishes, bool afresh = false) {
    return advance(worker_, wishes, timing_, now_, {.afresh = afresh, .away = away_});
  }
  static std::vector<PackageStatus> told(const PackageRound& round) {
    std::vector<PackageStatus> out;
    for (const PackageChange& change : round.changes) out.push_back(change.status);
    return out;
  }
  using Told = std::vector<PackageStatus>;

  PackageWorker worker_;
  PackageTiming timing_;
  bool away_ = false;
  Instant now_{1'000'000ms};
};

TEST_F(PackageRules, AWorkerThatIsAsWantedIsToldNothing) {
  const PackageRound done = round({install("1.0.0")});
  EXPECT_TRUE(done.orders.empty());
  EXPECT_TRUE(done.changes.empty());
  EXPECT_FALSE(done.drift);
  EXPECT_FALSE(done.next);
}

TEST_F(PackageRules, DriftIsSentOnceAndDoneWhenItIsRegistered) {
  const std::vector<PackageWish> wishes{install("2.0.0")};
  const PackageRound first = round(wishes);
  ASSERT_EQ(first.orders.size(), 1U);
  EXPECT_EQ(first.orders[0].version, "2.0.0");
  EXPECT_EQ(first.orders[0].url, "file:///p.zip");
  EXPECT_EQ(told(first), Told{PackageStatus::sent});
  EXPECT_TRUE(first.drift);
  EXPECT_EQ(first.next, now_ + 30s);

  const PackageRound again = round(wishes);
  EXPECT_TRUE(again.orders.empty()) << "the same facts ask for nothing new";
  EXPECT_TRUE(again.changes.empty());

  worker_.packages = {{"demo", "2.0.0", PackageStatus::installed}};
  const PackageRound done = round(wishes);
  EXPECT_EQ(told(done), Told{PackageStatus::installed});
  EXPECT_FALSE(done.drift);
  EXPECT_TRUE(worker_.operations.empty());
}

TEST_F(PackageRules, SilenceIsFailureAfterThirtySecondsAndIsTriedAgainWithGrowingPauses) {
  const std::vector<PackageWish> wishes{install("2.0.0")};
  static_cast<void>(round(wishes));
  now_ += 30s - 1ms;
  EXPECT_TRUE(round(wishes).changes.empty());
  Duration pause = timing_.retry_first;
  for (std::uint32_t attempt = 1; attempt < timing_.attempts; ++attempt) {
    now_ = *worker_.operations.at("demo").due;
    const PackageRound failed = round(wishes);
    EXPECT_EQ(told(failed), Told{PackageStatus::failed});
    EXPECT_NE(failed.changes[0].message.find("E.TIMEOUT"), std::string::npos);
    EXPECT_TRUE(failed.drift);
    EXPECT_EQ(failed.next, now_ + pause);
    now_ += pause - 1ms;
    EXPECT_TRUE(round(wishes).orders.empty());
    now_ += 1ms;
    EXPECT_EQ(round(wishes).orders.size(), 1U) << "attempt " << attempt + 1;
    pause *= 2;
  }
  now_ += 30s;
  const PackageRound last = round(wishes);
  EXPECT_EQ(told(last), Told{PackageStatus::failed});
  EXPECT_FALSE(last.next) << "nobody tries for ever";
  now_ += 24h;
  EXPECT_TRUE(round(wishes).orders.empty());
  EXPECT_EQ(round(wishes, true).orders.size(), 1U) << "a worker that starts over gets another chance";
}

TEST_F(PackageRules, AWorkerThatIsAwayIsSentNothingAndWhatItWasSentStillFails) {
  const std::vector<PackageWish> wishes{install("2.0.0")};
  static_cast<void>(round(wishes));
  away_ = true;
  now_ += 30s;
  EXPECT_EQ(told(round(wishes)), Told{PackageStatus::failed});
  now_ += 1h;
  EXPECT_TRUE(round(wishes).orders.empty());
  EXPECT_FALSE(round(wishes).next) << "it is looked at when it comes back";
  away_ = false;
  EXPECT_EQ(round(wishes).orders.size(), 1U);
}

TEST_F(PackageRules, AWorkerThatStartsOverAgainAndAgainIsNotAskedEachTime) {
  const std::vector<PackageWish> wishes{install("2.0.0")};
  std::size_t orders = 0;
  for (int i = 0; i < 3'600; ++i) {
    orders += round(wishes, true).orders.size();
    now_ += 1s;
  }
  EXPECT_LE(orders, timing_.attempts + 1);
}

TEST_F(PackageRules, ANewWishTriesAtOnceWhatFailed) {
  static_cast<void>(round({install("2.0.0", Instant(1ms))}));
  fail_operation(worker_, "demo", "disk full", timing_, now_);
  EXPECT_EQ(worker_.operations.at("demo").message, "disk full");
  EXPECT_TRUE(round({install("2.0.0", Instant(1ms))}).orders.empty());
  EXPECT_EQ(round({install("2.0.0", Instant(2ms))}).orders.size(), 1U);
}

TEST_F(PackageRules, AWorkerThatCannotFailsAtOnceAndIsSentNothing) {
  worker_.unable = "it would die of it";
  const PackageRound failed = round({install("2.0.0")});
  EXPECT_TRUE(failed.orders.empty());
  EXPECT_EQ(told(failed), Told{PackageStatus::failed});
  EXPECT_EQ(failed.changes[0].message, "it would die of it");
  EXPECT_TRUE(round({install("2.0.0")}).changes.empty()) << "said once";
  worker_.unable.clear();
  EXPECT_EQ(round({install("2.0.0")}).orders.size(), 1U) << "it can now";
}

TEST_F(PackageRules, UninstallIsMetByWhatIsNotThere) {
  PackageWish wish = install("");
  wish.op = PackageOp::uninstall;
  EXPECT_EQ(round({wish}).orders.at(0).op, PackageOp::uninstall);
  worker_.packages = {{"demo", "1.0.0", PackageStatus::failed}};
  EXPECT_EQ(told(round({wish})), Told{PackageStatus::removed});
  wish.version = "2.0.0";
  worker_.packages = {{"demo", "1.0.0", PackageStatus::installed}};
  EXPECT_TRUE(is_met(worker_, wish)) << "another version is not meant";
}

TEST_F(PackageRules, TheWorkersOwnWishComesBeforeThoseOfItsLabelsAndTheNewestOfThose) {
  PackageWish all = install("1.0.0", Instant(1ms));
  PackageWish zone = install("2.0.0", Instant(2ms));
  zone.selector = {{"zone", "a"}};
  PackageWish elsewhere = install("3.0.0", Instant(3ms));
  elsewhere.selector = {{"zone", "b"}};
  PackageWish own = install("4.0.0", Instant(0ms));
  own.worker = WorkerId("w1");
  PackageWish others = install("5.0.0", Instant(5ms));
  others.worker = WorkerId("w2");
  const std::vector<PackageWish> labels{all, zone, elsewhere, others};
  EXPECT_EQ(wishes_for(worker_, labels).at(0)->version, "2.0.0");
  const std::vector<PackageWish> with_own{all, zone, own};
  EXPECT_EQ(wishes_for(worker_, with_own).at(0)->version, "4.0.0");
}

TEST_F(PackageRules, WhatIsNotWantedAnyMoreIsNotPursued) {
  static_cast<void>(round({install("2.0.0")}));
  const PackageRound none = round({});
  EXPECT_TRUE(worker_.operations.empty());
  EXPECT_FALSE(none.drift);
}

TEST_F(PackageRules, ChangesOfAWorkersOwnAreToldAndThoseOfAnOperationAreNotToldTwice) {
  const std::vector<WorkerPackage> before = worker_.packages;
  static_cast<void>(round({install("2.0.0")}));
  worker_.packages = {{"demo", "2.0.0", PackageStatus::installed}, {"other", "1.0.0", PackageStatus::missing}};
  const auto changes = differences(worker_, before, now_);
  ASSERT_EQ(changes.size(), 2U);
  EXPECT_EQ(changes[0].package, "other");
  EXPECT_EQ(changes[0].status, PackageStatus::missing);
  EXPECT_EQ(changes[1].version, "1.0.0");
  EXPECT_EQ(changes[1].status, PackageStatus::removed);
  EXPECT_FALSE(changes[1].op);
}

}  // namespace
}  // namespace muster::engine
