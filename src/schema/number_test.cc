#include "schema/number.h"

#include <gtest/gtest.h>

#include "schema/schema_testing.h"

namespace muster::schema {
namespace {

Number number(std::string_view text) { return Number::of(tree(text)); }
bool is_multiple(std::string_view value, std::string_view unit) {
  return is_multiple(Decimal::of(number(value)), Decimal::of(number(unit)));
}

TEST(SchemaNumber, OrdersIntegersOf64BitsExactly) {
  constexpr std::string_view kOrdered[] = {"-1e300",
                                           "-18446744073709551616",
                                           "-9223372036854775808",
                                           "-9223372036854775807",
                                           "-1.5",
                                           "-1",
                                           "-0.5",
                                           "0",
                                           "5e-324",
                                           "0.5",
                                           "1",
                                           "9007199254740992",
                                           "9007199254740993",
                                           "9223372036854775807",
                                           "9223372036854775808",
                                           "18446744073709551614",
                                           "18446744073709551615",
                                           "18446744073709551616",
                                           "1e300"};
  for (std::size_t i = 0; i < std::size(kOrdered); ++i)
    for (std::size_t j = 0; j < std::size(kOrdered); ++j)
      EXPECT_EQ(compare(number(kOrdered[i]), number(kOrdered[j])), i <=> j) << kOrdered[i] << " and " << kOrdered[j];
}

TEST(SchemaNumber, IsTheSameHoweverItIsWritten) {
  EXPECT_EQ(number("1"), number("1.0"));
  EXPECT_EQ(number("-0.0"), number("0"));
  EXPECT_EQ(number("1e3"), number("1000"));
  EXPECT_NE(number("9007199254740993"), number("9007199254740992.0"));
}

TEST(SchemaNumber, ComparesAckBitmapsWithoutRounding) {
  const std::string_view bitmap = R"({"type":"integer","maximum":18446744073709551614})";
  EXPECT_TRUE(accepts(bitmap, "18446744073709551614"));
  EXPECT_EQ(fault(bitmap, "18446744073709551615"), " /maximum 18446744073709551615 is above the maximum 18446744073709551614");
  EXPECT_FALSE(accepts(R"({"const":18446744073709551614})", "18446744073709551615"));
  EXPECT_FALSE(accepts(R"({"enum":[9007199254740993]})", "9007199254740992.0"));
  EXPECT_TRUE(accepts(R"({"uniqueItems":true})", "[18446744073709551615,18446744073709551614,18446744073709551616]"));
}

TEST(SchemaNumber, HasIntegersWithAPointToo) {
  EXPECT_TRUE(accepts(R"({"type":"integer"})", "1.0"));
  EXPECT_TRUE(accepts(R"({"type":"integer"})", "1e300"));
  EXPECT_FALSE(accepts(R"({"type":"integer"})", "1.5"));
}

TEST(SchemaNumber, KnowsMultiplesOfDecimals) {
  for (const std::string_view cents : {"0", "0.01", "0.07", "1.1", "4.35", "19.99", "1234567.89", "1e10", "-0.03", "1e300"})
    EXPECT_TRUE(is_multiple(cents, "0.01")) << cents;
  for (const std::string_view others : {"0.001", "0.015", "4.355", "1e-300", "-0.005"})
    EXPECT_FALSE(is_multiple(others, "0.01")) << others;
  EXPECT_TRUE(is_multiple("18446744073709551615", "5"));
  EXPECT_FALSE(is_multiple("18446744073709551614", "5"));
  EXPECT_TRUE(is_multiple("1e308", "5e-324") && is_multiple("7.5", "2.5") && is_multiple("1e308", "1e300"));
  EXPECT_FALSE(is_multiple("5e-324", "1e308"));
  EXPECT_FALSE(is_multiple("1e308", "0.123456789"));
}

}  // namespace
}  // namespace muster::schema
