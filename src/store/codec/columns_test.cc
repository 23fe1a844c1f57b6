#include "store/codec/columns.h"

#include <gtest/gtest.h>

#include <map>

namespace muster::store {
namespace {

// A row of numbers and texts; what is in neither is null.
struct FakeRow {
  std::map<int, std::int64_t> numbers;
  std::map<int, std::string> texts;
  bool is_null(int column) const { return !numbers.contains(column) && !texts.contains(column); }
  std::int64_t integer(int column) const { return numbers.contains(column) ? numbers.at(column) : 0; }
  double real(int column) const { return static_cast<double>(integer(column)); }
  std::string text(int column) const { return texts.contains(column) ? texts.at(column) : std::string(); }
  std::string_view view(int column) const { return texts.contains(column) ? std::string_view(texts.at(column)) : ""; }
};

TEST(Columns, FollowEachOtherIntoVariablesOfEveryKind) {
  const FakeRow row{{{1, 3}, {2, 1}, {3, 5'000}, {4, 90}}, {{5, "mail"}}};
  JobState state{};
  bool enabled = false;
  Instant at{};
  Duration length{};
  QueueName queue;
  read_columns(row, 1, state, enabled, at, length, queue);
  EXPECT_EQ(state, JobState::completed);
  EXPECT_TRUE(enabled);
  EXPECT_EQ(at, from_ms(5'000));
  EXPECT_EQ(length, Duration(90));
  EXPECT_EQ(queue, QueueName("mail"));
}

TEST(Columns, NullIsNothingOfAnOptionalOneAndZeroOrEmptyOfAnother) {
  const FakeRow row;
  std::optional<Instant> at = from_ms(1);
  std::uint32_t count = 7;
  std::string text = "before";
  read_columns(row, 0, at, count, text);
  EXPECT_FALSE(at);
  EXPECT_EQ(count, 0U);
  EXPECT_EQ(text, "");
}

TEST(Columns, AContentIsThereUnlessItIsNull) {
  const FakeRow row{{}, {{0, ""}}};
  EXPECT_EQ(read_content(row, 0, true), (Content{"", Encoding::bytes}));
  EXPECT_FALSE(read_content(row, 1, true));
}

}  // namespace
}  // namespace muster::store
