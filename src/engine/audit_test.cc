#include "engine/audit.h"

#include <gtest/gtest.h>

#include <set>

#include "base/ask_testing.h"
#include "base/temp_folder_testing.h"
#include "engine/audit_search.h"
#include "store/faults.h"
#include "store/sqlite/open_testing.h"

namespace muster::engine {
namespace {

using namespace std::chrono_literals;

AuditRow deed(std::string action, std::string target, std::string who = "ops") {
  AuditRow row;
  row.ns = NamespaceName("default");
  row.who = std::move(who);
  row.role = "operator";
  row.address = "10.0.0.1:7";
  row.action = std::move(action);
  row.target = std::move(target);
  row.correlation = "req-1";
  row.outcome = "ok";
  return row;
}

class AuditTest : public testing::Test {
 protected:
  ~AuditTest() override {
    book_.reset();
    EXPECT_TRUE(sqlite_->close().ok());
  }

  void open(Options options = {}) {
    book_.reset();
    book_ = std::make_unique<Audit>(store_, clock_, metrics_, options);
  }
  Result<AuditPage> list(AuditQuery query = {}) {
    return ask<AuditPage>([&](auto reply) { book_->list(std::move(query), std::move(reply)); });
  }
  std::vector<std::string> targets(AuditQuery query = {}) {
    const auto page = list(std::move(query));
    EXPECT_TRUE(page.ok()) << page.status().text();
    std::vector<std::string> out;
    if (page.ok())
      for (const AuditRow& row : page->rows) out.push_back(row.target);
    return out;
  }
  // Every page, by cursor.
  std::vector<std::string> all_targets(AuditQuery query) {
    std::vector<std::string> out;
    do {
      const auto page = list(query);
      EXPECT_TRUE(page.ok()) << page.status().text();
      if (!page.ok()) return out;
      for (const AuditRow& row : page->rows) out.push_back(row.target);
      query.cursor = page->next;
    } while (!query.cursor.empty());
    return out;
  }
  std::vector<store::KeyAnswer> run(std::vector<store::KeyCommand> commands) {
    store::KeyBatch batch{.space = store::KeySpace::internal, .commands = std::move(commands)};
    const auto answers =
        ask<std::vector<store::KeyAnswer>>([&](auto reply) { sqlite_->keyspace(std::move(batch), std::move(reply)); });
    EXPECT_TRUE(answers.ok()) << answers.status().text();
    return *answers;
  }
  std::int64_t blocks(AuditShelf shelf = AuditShelf::deeds) {
    return run({store::key::ScoresCount{index_key(shelf), {}}})[0].number;
  }
  bool eventually_blocks(std::int64_t count, AuditShelf shelf = AuditShelf::deeds) {
    return eventually([&] { return blocks(shelf) == count; });
  }
  std::uint64_t dropped() { return metrics_.counter("muster_audit_dropped_total", "").value(); }

  ManualClock clock_;
  Metrics metrics_;
  TempFolder folder_;
  std::unique_ptr<store::sqlite::SqliteStore> sqlite_ = store::sqlite::open_for_test(folder_.path("muster.db"), clock_, metrics_);
  store::FaultStore store_{*sqlite_, {}};
  std::unique_ptr<Audit> book_;
};

TEST_F(AuditTest, ARowIsReadAsItWasAdded) {
  open();
  AuditRow row = deed("job.dispatch", "job-1");
  row.worker = "w1";
  row.outcome = "E.DISPATCH.UNAVAILABLE";
  book_->add(row, AuditShelf::traffic);
  const auto page = list();
  ASSERT_TRUE(page.ok()) << page.status().text();
  ASSERT_EQ(page->rows.size(), 1U);
  const AuditRow& read = page->rows[0];
  EXPECT_EQ(read.at, clock_.now());
  EXPECT_EQ(read.ns, row.ns);
  EXPECT_EQ(read.who, "ops");
  EXPECT_EQ(read.role, "operator");
  EXPECT_EQ(read.address, "10.0.0.1:7");
  EXPECT_EQ(read.worker, "w1");
  EXPECT_EQ(read.action, "job.dispatch");
  EXPECT_EQ(read.target, "job-1");
  EXPECT_EQ(read.correlation, "req-1");
  EXPECT_EQ(read.outcome, "E.DISPATCH.UNAVAILABLE");
  EXPECT_TRUE(page->next.empty());
}

TEST_F(AuditTest, RowsAreWrittenTogetherAfterTheDelayAndNotBefore) {
  open();
  for (int i = 0; i < 10; ++i) book_->add(deed("queue.pause", "q"), AuditShelf::deeds);
  clock_.advance(kAuditDelay - 1ms);
  EXPECT_EQ(book_->tick(), 1ms);
  EXPECT_EQ(blocks(), 0);
  clock_.advance(1ms);
  book_->tick();
  EXPECT_TRUE(eventually_blocks(1));
}

TEST_F(AuditTest, WhatIsInMemoryIsWrittenAtTheEnd) {
  open();
  for (std::size_t i = 0; i < kAuditBlockRowsMax + 1; ++i) book_->add(deed("queue.pause", std::to_string(i)), AuditShelf::deeds);
  book_->stop();
  book_->add(deed("queue.pause", "late"), AuditShelf::deeds);
  EXPECT_TRUE(eventually_blocks(3));
  open();
  EXPECT_EQ(targets({.filter = {}, .limit = 2, .cursor = {}}),
            (std::vector<std::string>{"late", std::to_string(kAuditBlockRowsMax)}));
}

TEST_F(AuditTest, PagesGoFromTheNewestToTheOldestWithoutHolesOrRepeats) {
  open();
  std::vector<std::string> expected;
  for (int i = 0; i < 1'300; ++i) {
    book_->add(deed("queue.pause", std::to_string(i)), i % 3 == 0 ? AuditShelf::deeds : AuditShelf::traffic);
    expected.insert(expected.begin(), std::to_string(i));
    if (i % 7 == 0) clock_.advance(90ms);
    if (i % 5 == 0) book_->tick();
  }
  for (const std::size_t limit : {1'000U, 97U, 31U})
    EXPECT_EQ(all_targets({.filter = {}, .limit = limit, .cursor = {}}), expected) << limit;
}

TEST_F(AuditTest, RowsOfTwoNodesAtTheSameTimeAreBothRead) {
  open();
  Audit other(store_, clock_, metrics_, {});
  std::set<std::string> expected;
  for (int i = 0; i < 40; ++i) {
    book_->add(deed("queue.pause", "a" + std::to_string(i)), AuditShelf::deeds);
    other.add(deed("queue.pause", "b" + std::to_string(i)), AuditShelf::deeds);
    expected.insert({"a" + std::to_string(i), "b" + std::to_string(i)});
    clock_.advance(kAuditDelay);
    book_->tick();
    other.tick();
  }
  ASSERT_TRUE(ask<AuditPage>([&](auto reply) { other.list({}, std::move(reply)); }).ok()) << "what it has is written";
  const auto read = all_targets({.filter = {}, .limit = 3, .cursor = {}});
  EXPECT_EQ(read.size(), expected.size());
  EXPECT_EQ(std::set<std::string>(read.begin(), read.end()), expected);
}

TEST_F(AuditTest, APageThatLookedAtEnoughIsShortAndTheNextGoesOn) {
  open();
  for (std::size_t i = 0; i < 2 * kAuditScanMax + 10; ++i) {
    book_->add(deed("queue.pause", "q", i < 5 ? "rare" : "often"), AuditShelf::traffic);
    if (i % 10'000 == 0) {
      ASSERT_TRUE(list({.filter = {}, .limit = 1, .cursor = {}}).ok());
    }
  }
  const AuditQuery rare{.filter = {.ns = {}, .within = {}, .action = {}, .who = "rare"}, .limit = 5, .cursor = {}};
  const auto first = list(rare);
  ASSERT_TRUE(first.ok());
  EXPECT_TRUE(first->rows.empty());
  EXPECT_FALSE(first->next.empty());
  EXPECT_EQ(all_targets(rare).size(), 5U);
  EXPECT_EQ(dropped(), 0U);
}

TEST_F(AuditTest, EveryFilterLeavesOutWhatDoesNotFit) {
  open();
  AuditRow row = deed("queue.pause", "default/mail");
  row.worker = "w1";
  book_->add(row, AuditShelf::deeds);
  clock_.advance(1s);
  const Instant middle = clock_.now();
  row = deed("queueing.stop", "team/mail", "eve");
  row.ns = NamespaceName("team");
  row.outcome = "permission_denied";
  book_->add(row, AuditShelf::traffic);
  const std::vector<std::string> first{"default/mail"};
  const std::vector<std::string> second{"team/mail"};
  const auto of = [&](auto set) {
    AuditQuery query;
    set(query.filter);
    return targets(query);
  };
  EXPECT_EQ(of([](AuditFilter& f) { f.ns = NamespaceName("default"); }), first);
  EXPECT_EQ(of([](AuditFilter& f) { f.within = {NamespaceName("team")}; }), second);
  EXPECT_EQ(of([](AuditFilter& f) { f.within.emplace(); }), std::vector<std::string>{});
  EXPECT_EQ(of([](AuditFilter& f) { f.action = "queue.pause"; }), first);
  EXPECT_EQ(of([](AuditFilter& f) { f.action = "queue"; }), first);
  EXPECT_EQ(of([](AuditFilter& f) { f.who = "eve"; }), second);
  EXPECT_EQ(of([](AuditFilter& f) { f.worker = "w1"; }), first);
  EXPECT_EQ(of([](AuditFilter& f) { f.target = "default/"; }), first);
  EXPECT_EQ(of([](AuditFilter& f) { f.outcome = "permission_denied"; }), second);
  EXPECT_EQ(of([&](AuditFilter& f) { f.since = middle; }), second);
  EXPECT_EQ(of([&](AuditFilter& f) { f.until = middle; }), first);
}

TEST_F(AuditTest, ACursorThatIsNoneOfOursAndALimitOutOfRangeAreRefused) {
  open();
  for (const char* cursor : {"x", "0000000000000000000000zz", "-000000000000001", "ffffffffffffffff"})
    EXPECT_EQ(list({.filter = {}, .limit = 10, .cursor = cursor}).code(), Code::invalid_argument) << cursor;
  EXPECT_EQ(list({.filter = {}, .limit = 0, .cursor = {}}).code(), Code::invalid_argument);
  EXPECT_EQ(list({.filter = {}, .limit = limits::kPageMax + 1, .cursor = {}}).code(), Code::invalid_argument);
}

TEST_F(AuditTest, TextsOfPeersCannotMakeRowsOrGrowThem) {
  open();
  AuditRow row = deed("queue.pause",
                      "a\nb\x1f"
                      "c");
  row.correlation = std::string(1'000'000, 'x');
  row.address = std::string(kAuditFieldBytesMax - 1, 'a') + "\xC3\xA9";
  book_->add(row, AuditShelf::deeds);
  const auto page = list();
  ASSERT_TRUE(page.ok());
  ASSERT_EQ(page->rows.size(), 1U);
  EXPECT_EQ(page->rows[0].target, "a b c");
  EXPECT_EQ(page->rows[0].correlation.size(), kAuditFieldBytesMax);
  EXPECT_EQ(page->rows[0].address, std::string(kAuditFieldBytesMax - 1, 'a')) << "half a character is no text";
}

TEST_F(AuditTest, AStoreThatRefusesIsTriedAgainAndNothingIsLostOrRepeated) {
  open();
  store_.add_script(store::Verb::keyspace,
                    {store::Fault::refuse, store::Fault::none, store::Fault::refuse, store::Fault::unknown});
  book_->add(deed("queue.pause", "a"), AuditShelf::deeds);
  for (int i = 0; i < 5; ++i) {
    clock_.advance(kAuditRetryAfter);
    book_->tick();
    ASSERT_TRUE(eventually([&] { return book_->tick() > 5ms; }));
  }
  EXPECT_EQ(targets(), std::vector<std::string>{"a"});
  EXPECT_EQ(blocks(), 1);
  EXPECT_EQ(dropped(), 0U);
}

TEST_F(AuditTest, WhatFindsNoRoomInMemoryIsCounted) {
  open();
  store_.set_policy(store::Verb::keyspace, {.refuse = 1});
  for (std::size_t i = 0; i < kAuditPendingMax + 3; ++i) book_->add(deed("queue.pause", "a"), AuditShelf::deeds);
  EXPECT_EQ(dropped(), 3U);
  EXPECT_EQ(list().code(), Code::unavailable);
  store_.set_policy(store::Verb::keyspace, {});
  clock_.advance(kAuditRetryAfter);
  book_->tick();
  EXPECT_TRUE(eventually_blocks(static_cast<std::int64_t>(kAuditPendingMax / kAuditBlockRowsMax)));
  book_->add(deed("queue.pause", "again"), AuditShelf::deeds);
  EXPECT_EQ(targets({.filter = {}, .limit = 1, .cursor = {}}), std::vector<std::string>{"again"});
  EXPECT_EQ(dropped(), 3U);
}

TEST_F(AuditTest, WhatCannotBeWrittenAtTheEndIsCounted) {
  open();
  store_.set_policy(store::Verb::keyspace, {.refuse = 1});
  for (int i = 0; i < 3; ++i) book_->add(deed("queue.pause", "a"), AuditShelf::deeds);
  book_->stop();
  EXPECT_EQ(dropped(), 3U);
}

TEST_F(AuditTest, OldRowsGoByAgeASliceAtATime) {
  open({.audit_kept = 1h});
  const auto old = static_cast<std::int64_t>(kAuditPruneBlocksMax) + 10;
  for (std::int64_t i = 0; i < old; ++i) {
    book_->add(deed("queue.pause", "old"), AuditShelf::deeds);
    ASSERT_TRUE(list({.filter = {}, .limit = 1, .cursor = {}}).ok());
  }
  ASSERT_EQ(blocks(), old);
  clock_.advance(1h);
  book_->add(deed("queue.pause", "young"), AuditShelf::deeds);
  book_->tick();
  ASSERT_TRUE(list({.filter = {}, .limit = 1, .cursor = {}}).ok());
  ASSERT_EQ(blocks(), old + 1);
  EXPECT_EQ(run({store::key::Count{}})[0].number, old + 3) << "at its age it is still there";
  clock_.advance(kAuditPruneEvery);
  book_->tick();
  ASSERT_TRUE(eventually_blocks(11)) << "one slice";
  ASSERT_TRUE(eventually([&] {
    clock_.advance(5ms);
    book_->tick();
    return blocks() == 1;
  }));
  EXPECT_EQ(targets(), std::vector<std::string>{"young"});
  EXPECT_EQ(run({store::key::Count{}})[0].number, 3) << "index, counter and the text that is left";
}

TEST_F(AuditTest, RowsBeyondTheirNumberGoAndThoseOfTheOtherShelfStay) {
  open({.audit_deeds_max = 100, .audit_traffic_max = 10});
  book_->add(deed("queue.pause", "deed"), AuditShelf::deeds);
  for (int i = 0; i < 30; ++i) {
    book_->add(deed("job.dispatch", std::to_string(i)), AuditShelf::traffic);
    ASSERT_TRUE(list({.filter = {}, .limit = 1, .cursor = {}}).ok());
  }
  clock_.advance(kAuditPruneEvery);
  book_->tick();
  ASSERT_TRUE(eventually_blocks(10, AuditShelf::traffic));
  const auto left = targets();
  ASSERT_EQ(left.size(), 11U);
  EXPECT_EQ(left.front(), "29");
  EXPECT_EQ(left[9], "20");
  EXPECT_EQ(left.back(), "deed");
}

TEST_F(AuditTest, TheNumberOfRowsIsKnownAfterARestart) {
  open({.audit_deeds_max = 10});
  for (int i = 0; i < 8; ++i) {
    book_->add(deed("queue.pause", std::to_string(i)), AuditShelf::deeds);
    ASSERT_TRUE(list({.filter = {}, .limit = 1, .cursor = {}}).ok());
  }
  clock_.advance(1s);
  open({.audit_deeds_max = 10});
  for (int i = 8; i < 12; ++i) {
    book_->add(deed("queue.pause", std::to_string(i)), AuditShelf::deeds);
    ASSERT_TRUE(list({.filter = {}, .limit = 1, .cursor = {}}).ok());
  }
  clock_.advance(kAuditPruneEvery);
  book_->tick();
  ASSERT_TRUE(eventually_blocks(10)) << blocks();
  EXPECT_EQ(targets().back(), "2");
}

TEST_F(AuditTest, AClockThatStepsBackDoesNotChangeTheOrder) {
  open();
  book_->add(deed("queue.pause", "first"), AuditShelf::deeds);
  clock_.advance(-1h);
  book_->add(deed("queue.pause", "second"), AuditShelf::deeds);
  EXPECT_EQ(targets(), (std::vector<std::string>{"second", "first"}));
}

}  // namespace
}  // namespace muster::engine
