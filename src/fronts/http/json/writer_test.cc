#include "fronts/http/json/writer.h"

#include <gtest/gtest.h>

#include <limits>

namespace muster::http {
namespace {

TEST(JsonWriter, PutsCommasWhereTheyBelong) {
  std::string text;
  JsonWriter out(text);
  out.begin_object();
  out.member("a", 1);
  out.member("b", "x");
  out.key("c");
  out.begin_array();
  out.number(std::int64_t{-1});
  out.begin_object();
  out.end_object();
  out.boolean(true);
  out.end_array();
  out.member("d", 0.5);
  out.end_object();
  EXPECT_EQ(text, R"({"a":1,"b":"x","c":[-1,{},true],"d":0.5})");
}

TEST(JsonWriter, LeavesAbsentValuesOut) {
  std::string text;
  JsonWriter out(text);
  out.begin_object();
  out.member("none", std::optional<Instant>());
  out.member_unless_empty("empty", "");
  out.member("some", std::optional<std::uint32_t>(7));
  out.end_object();
  EXPECT_EQ(text, R"({"some":7})");
}

TEST(JsonWriter, WritesExtremesExactly) {
  std::string text;
  JsonWriter out(text);
  out.begin_array();
  out.number(std::numeric_limits<std::uint64_t>::max());
  out.number(std::numeric_limits<std::int64_t>::min());
  out.real(std::numeric_limits<double>::infinity());
  out.instant(from_ms(0));
  out.end_array();
  EXPECT_EQ(text, R"([18446744073709551615,-9223372036854775808,null,"1970-01-01T00:00:00.000Z"])");
}

}  // namespace
}  // namespace muster::http
