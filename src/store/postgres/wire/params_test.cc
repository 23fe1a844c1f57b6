#include "store/postgres/wire/params.h"

#include <gtest/gtest.h>

#include "model/ids.h"

namespace muster::store::postgres {
namespace {

// The array of a column with these values, as Column writes it.
std::string bytes_of(Column column) { return column.take(); }

TEST(Table, IsOneArrayForEachColumn) {
  Table table({Type::int8, Type::int2, Type::bytes, Type::int8, Type::text});
  EXPECT_TRUE(table.empty());
  table.add(7, Fence{2}, std::string("a"), std::optional<Instant>(from_ms(90)), QueueName("mail"));
  table.add(8, true, or_null(""), std::optional<Instant>(), std::string("other"));
  EXPECT_EQ(table.size(), 2U);
  const Params params = table.params();
  ASSERT_EQ(params.size(), 5U);
  EXPECT_EQ(params.at(0), bytes_of(std::move(Column(Type::int8).add(std::int64_t{7}).add(std::int64_t{8}))));
  EXPECT_EQ(params.at(1), bytes_of(std::move(Column(Type::int2).add(std::int64_t{2}).add(std::int64_t{1}))));
  EXPECT_EQ(params.at(2), bytes_of(std::move(Column(Type::bytes).add(std::string_view("a")).add_null())));
  EXPECT_EQ(params.at(3), bytes_of(std::move(Column(Type::int8).add(std::int64_t{90}).add_null())));
  EXPECT_EQ(params.at(4), bytes_of(std::move(Column(Type::text).add(std::string_view("mail")).add(std::string_view("other")))));
}

TEST(TableDeathTest, ARowHasAValueForEachColumn) {
  Table table({Type::int8, Type::int8});
  EXPECT_DEATH(table.add(1), "a row has a value for each column");
}

}  // namespace
}  // namespace muster::store::postgres
