#include "fronts/grpc/call_head.h"

#include <gtest/gtest.h>

namespace muster::rpc {
namespace {

using namespace std::chrono_literals;

TEST(CallHead, ReadsTimeouts) {
  EXPECT_EQ(parse_timeout("10S"), Duration(10s));
  EXPECT_EQ(parse_timeout("1500m"), Duration(1'500));
  EXPECT_EQ(parse_timeout("2H"), Duration(2h));
  EXPECT_EQ(parse_timeout("3M"), Duration(3min));
  EXPECT_EQ(parse_timeout("5000u"), Duration(5));
  EXPECT_EQ(parse_timeout("99999999n"), Duration(99));
  EXPECT_EQ(parse_timeout("99999999H"), Duration(365 * 24h)) << "more does not fit the clock";
  EXPECT_EQ(parse_timeout("99999999M"), Duration(365 * 24h));
  for (const char* bad : {"", "S", "10", "-1S", "10s", "123456789S", "1 S"}) EXPECT_FALSE(parse_timeout(bad)) << bad;
}

}  // namespace
}  // namespace muster::rpc
