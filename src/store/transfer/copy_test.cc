#include "store/transfer/copy.h"

#include <gtest/gtest.h>

#include "store/transfer/memory_testing.h"

namespace muster::store::transfer {
namespace {

constexpr Instant kNow = Instant(std::chrono::seconds(1'700'000'000));

class Copy : public ::testing::Test {
 protected:
  Everything from_ = Sample(kNow).all;
  Everything to_;
  MemorySource source_{from_};
  MemorySink sink_{to_};
};

TEST_F(Copy, MovesEverythingAndSaysSo) {
  std::vector<Step> steps;
  const auto report = copy(source_, sink_, 4, [&](const Step& step) { steps.push_back(step); });
  ASSERT_TRUE(report.ok()) << report.status().text();
  EXPECT_TRUE(report->same());
  EXPECT_TRUE(report->finished);
  EXPECT_FALSE(report->resumed);
  EXPECT_TRUE(sink_.bookmark.done);
  EXPECT_EQ(to_.numbers.salt, from_.numbers.salt);
  EXPECT_EQ(to_.numbers.next_fence, from_.numbers.next_fence);
  std::uint64_t all = 0;
  for (const std::uint64_t count : from_.counts()) all += count;
  EXPECT_EQ(report->moved, all);
  std::size_t ended = 0;
  for (const Step& step : steps) {
    EXPECT_LE(step.done, step.total);
    if (!step.last) continue;
    EXPECT_EQ(step.done, step.total);
    ++ended;
  }
  EXPECT_EQ(ended, 2 * kKinds.size());
}

TEST_F(Copy, GoesOnWhereverItWasBrokenOff) {
  for (std::size_t puts = 0;; ++puts) {
    Everything to;
    MemorySink sink(to);
    BreakingSink breaking(sink, puts);
    const auto first = copy(source_, breaking, 3, {});
    const auto second = copy(source_, sink, 3, {});
    ASSERT_TRUE(second.ok()) << second.status().text();
    EXPECT_TRUE(second->same()) << puts;
    EXPECT_EQ(second->resumed, puts > 0) << puts;
    EXPECT_TRUE(sink.bookmark.done);
    if (first.ok()) break;  // it was not broken off any more
    EXPECT_EQ(first.code(), Code::unavailable);
  }
}

TEST_F(Copy, GivenAgainMovesNothingAndComparesAgain) {
  ASSERT_TRUE(copy(source_, sink_, 10, {}).ok());
  const auto again = copy(source_, sink_, 10, {});
  ASSERT_TRUE(again.ok());
  EXPECT_EQ(again->moved, 0u);
  EXPECT_TRUE(again->same());
  to_.jobs[0].job.attempt = 9;
  const auto used = copy(source_, sink_, 10, {});
  ASSERT_TRUE(used.ok());
  EXPECT_FALSE(used->same());
  EXPECT_TRUE(used->finished);
}

TEST_F(Copy, DoesNotFinishATargetThatDiffers) {
  BreakingSink breaking(sink_, 8);
  ASSERT_FALSE(copy(source_, breaking, 4, {}).ok());
  // Something that no count and no number shows: only reading it again does.
  from_.jobs[0].job.spec.payload.data = "{}";
  const auto report = copy(source_, sink_, 4, {});
  ASSERT_TRUE(report.ok()) << report.status().text();
  EXPECT_FALSE(report->same());
  EXPECT_FALSE(report->finished);
  EXPECT_FALSE(report->source.same(report->target, Kind::jobs));
  EXPECT_TRUE(report->source.same(report->target, Kind::workers));
  EXPECT_FALSE(sink_.bookmark.done);
}

TEST_F(Copy, DoesNotFinishATargetWhoseNumbersWouldRepeat) {
  BreakingSink breaking(sink_, 8);
  ASSERT_FALSE(copy(source_, breaking, 4, {}).ok());
  to_.numbers.next_fence -= 1;
  const auto report = copy(source_, sink_, 4, {});
  ASSERT_TRUE(report.ok()) << report.status().text();
  EXPECT_EQ(report->source, report->target);
  EXPECT_FALSE(report->same());
  EXPECT_FALSE(sink_.bookmark.done);
}

TEST_F(Copy, RefusesToGoOnWhenTheSourceWasUsedMeanwhile) {
  BreakingSink breaking(sink_, 8);
  ASSERT_FALSE(copy(source_, breaking, 4, {}).ok());
  from_.numbers.next_fence += 1;
  EXPECT_EQ(copy(source_, sink_, 4, {}).code(), Code::conflict);
  from_.numbers.next_fence -= 1;
  from_.jobs.pop_back();
  EXPECT_EQ(copy(source_, sink_, 4, {}).code(), Code::conflict);
}

TEST_F(Copy, RefusesATargetThatHoldsSomethingElse) {
  to_.jobs = from_.jobs;
  EXPECT_EQ(copy(source_, sink_, 4, {}).code(), Code::conflict);
  EXPECT_EQ(to_.jobs.size(), from_.jobs.size());
}

Bookmark a_bookmark() {
  return {.source = "00ff", .schema = 3, .done = false, .kind = Kind::keys, .after = {12, std::string("a \0\xff", 4)}};
}

TEST(Bookmark, ReadsWhatItWrote) {
  EXPECT_EQ(bookmark_from_text(bookmark_to_text(a_bookmark())), a_bookmark());
  Bookmark begun{.source = "1"};
  EXPECT_EQ(bookmark_from_text(bookmark_to_text(begun)), begun);
  begun.done = true;
  EXPECT_EQ(bookmark_from_text(bookmark_to_text(begun)), begun);
}

TEST(Bookmark, ReadsNothingElse) {
  for (const char* text :
       {"", "1", "2 00ff 3 copying 5 12 61", "1 00ff x copying 5 12 61", "1 00ff 3 perhaps 5 12 61", "1 00ff 3 copying 99 12 61",
        "1 00ff 3 copying 5 12 6", "1 00ff 3 copying 5 12 zz", "1 00ff 3 copying 5 12 61 more"})
    EXPECT_FALSE(bookmark_from_text(text).has_value()) << text;
}

TEST(Bookmark, ContinuesOnlyTheSameSourceUnderTheSameSchema) {
  EXPECT_TRUE(may_continue(a_bookmark(), "00ff", 3).ok());
  EXPECT_EQ(may_continue(a_bookmark(), "00fe", 3).code(), Code::conflict);
  EXPECT_EQ(may_continue(a_bookmark(), "00ff", 4).code(), Code::conflict);
}

TEST(Bookmark, CallsATargetEmptyThatHoldsNothingButItsFirstNamespace) {
  EXPECT_TRUE(must_be_empty({}).ok());
  EXPECT_TRUE(must_be_empty({1}).ok());
  EXPECT_EQ(must_be_empty({2}).code(), Code::conflict);
  for (const Kind kind : kKinds) {
    if (kind == Kind::namespaces) continue;
    Counts counts{1};
    counts[index_of(kind)] = 1;
    EXPECT_EQ(must_be_empty(counts).code(), Code::conflict) << to_string(kind);
  }
}

}  // namespace

}  // namespace muster::store::transfer
