#include "fronts/resp/wire/writer.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace muster::resp::wire {
namespace {

template <class Write>
std::string made(Write write) {
  std::string out;
  write(out);
  return out;
}

TEST(Writer, WritesEachTypeInBothProtocols) {
  EXPECT_EQ(made([](auto& out) { simple(out, "OK"); }), "+OK\r\n");
  EXPECT_EQ(made([](auto& out) { integer(out, -7); }), ":-7\r\n");
  EXPECT_EQ(made([](auto& out) { bulk(out, ""); }), "$0\r\n\r\n");
  EXPECT_EQ(made([](auto& out) { bulk(out, std::string_view("a\0\r\n", 4)); }), std::string("$4\r\na\0\r\n\r\n", 10));
  EXPECT_EQ(null_reply(Protocol::resp2), "$-1\r\n");
  EXPECT_EQ(null_reply(Protocol::resp3), "_\r\n");
  EXPECT_EQ(made([](auto& out) { null_array(out, Protocol::resp2); }), "*-1\r\n");
  EXPECT_EQ(made([](auto& out) { map(out, 2, Protocol::resp2); }), "*4\r\n");
  EXPECT_EQ(made([](auto& out) { map(out, 2, Protocol::resp3); }), "%2\r\n");
  EXPECT_EQ(made([](auto& out) { set(out, 2, Protocol::resp3); }), "~2\r\n");
  EXPECT_EQ(made([](auto& out) { push(out, 3, Protocol::resp3); }), ">3\r\n");
  EXPECT_EQ(made([](auto& out) { push(out, 3, Protocol::resp2); }), "*3\r\n");
  EXPECT_EQ(made([](auto& out) { real(out, 1.5, Protocol::resp2); }), "$3\r\n1.5\r\n");
  EXPECT_EQ(made([](auto& out) { real(out, 1.5, Protocol::resp3); }), ",1.5\r\n");
  EXPECT_EQ(made([](auto& out) { boolean(out, true, Protocol::resp2); }), ":1\r\n");
  EXPECT_EQ(made([](auto& out) { boolean(out, false, Protocol::resp3); }), "#f\r\n");
}

TEST(Writer, AnErrorStaysOneLine) {
  EXPECT_EQ(error_reply("two\r\nlines"), "-ERR two  lines\r\n");
  EXPECT_EQ(made([](auto& out) { error_as_is(out, "WRONGTYPE no"); }), "-WRONGTYPE no\r\n");
}

TEST(Writer, WritesNumbersAsPeopleDo) {
  EXPECT_EQ(format_real(1'700'000'000), "1700000000");
  EXPECT_EQ(format_real(1.5), "1.5");
  EXPECT_EQ(format_real(-0.25), "-0.25");
  EXPECT_EQ(format_real(0), "0");
  EXPECT_EQ(format_real(0.1), "0.1");
  EXPECT_EQ(format_real(1e20), "100000000000000000000");
  EXPECT_EQ(format_real(std::numeric_limits<double>::infinity()), "inf");
  EXPECT_EQ(format_real(-std::numeric_limits<double>::infinity()), "-inf");
  for (const double value : {1e300, 1e-300, 3.141592653589793, 1e21, 9.5e-7, 0.000001, 123456789.123456789})
    EXPECT_EQ(std::stod(format_real(value)), value) << format_real(value);
}

}  // namespace
}  // namespace muster::resp::wire
