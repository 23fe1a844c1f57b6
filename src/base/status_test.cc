#include "base/status.h"

#include <gtest/gtest.h>

#include <memory>
#include <set>

namespace muster {
namespace {

TEST(Status, IsOkByDefaultAndStaysOkWhenAnnotated) {
  EXPECT_TRUE(Status().ok());
  EXPECT_EQ(Status().annotate("lease sweep").text(), "ok");
}

TEST(Status, AnnotationKeepsTheCodeAndPutsTheContextFirst) {
  const Status status = Status::unavailable("disk full").annotate("commit").annotate("enqueue");
  EXPECT_EQ(status.code(), Code::unavailable);
  EXPECT_EQ(status.text(), "unavailable: enqueue: commit: disk full");
}

TEST(Status, EveryCodeHasItsOwnNameAndIsReadBack) {
  std::set<std::string_view> names;
  for (int i = 0; i <= static_cast<int>(Code::internal); ++i) {
    const Code code = static_cast<Code>(i);
    EXPECT_TRUE(names.insert(to_string(code)).second) << to_string(code);
    EXPECT_EQ(parse_code(to_string(code)), code);
  }
  EXPECT_EQ(parse_code("NOT_FOUND"), std::nullopt);
}

TEST(Result, HoldsAValueOrAnError) {
  const Result<int> good(3);
  EXPECT_TRUE(good.ok());
  EXPECT_EQ(*good, 3);
  EXPECT_TRUE(good.status().ok());
  const Result<int> bad(Status::not_found("no job 7"));
  EXPECT_FALSE(bad.ok());
  EXPECT_EQ(bad.code(), Code::not_found);
  EXPECT_EQ(bad.status().message(), "no job 7");
}

TEST(Result, GivesAwayAValueThatOnlyMoves) {
  Result<std::unique_ptr<int>> result(std::make_unique<int>(4));
  const std::unique_ptr<int> taken = std::move(result).value();
  EXPECT_EQ(*taken, 4);
}

TEST(ResultDeathTest, ReadingTheValueOfAnErrorStopsTheProgram) {
  const Result<int> bad(Status::not_found("x"));
  EXPECT_DEATH((void)*bad, "failed Result");
}

TEST(ResultDeathTest, AnOkStatusIsNotAnError) { EXPECT_DEATH((void)Result<int>(Status()), "holds an error"); }

}  // namespace
}  // namespace muster
