#include "store/postgres/verbs/lease_pairs.h"

#include <gtest/gtest.h>

namespace muster::store::postgres {
namespace {

using Pairs = std::vector<std::pair<std::int64_t, std::int64_t>>;

TEST(LeasePairs, AnEmptyTextHasNone) { EXPECT_EQ(lease_pairs(""), Pairs{}); }

TEST(LeasePairs, ReadsEveryPairInOrder) {
  EXPECT_EQ(lease_pairs("12:90 13:91 9223372036854775807:1"), (Pairs{{12, 90}, {13, 91}, {INT64_MAX, 1}}));
}

TEST(LeasePairs, StopsAtWhatIsNoPair) {
  EXPECT_EQ(lease_pairs("12:90 13"), (Pairs{{12, 90}}));
  EXPECT_EQ(lease_pairs("x:1"), Pairs{});
}

}  // namespace
}  // namespace muster::store::postgres
