// The memory of handled frames.
#include "session/duplicates.h"

#include <gtest/gtest.h>

#include <string>

#include "session/frames_testing.h"

namespace muster::session {
namespace {

TEST(Duplicates, EpochIdAndCorrTogetherNameAFrame) {
  Duplicates seen;
  EXPECT_TRUE(seen.remember({1, "result-5", "n1"}, kTestStart));
  EXPECT_FALSE(seen.remember({1, "result-5", "n1"}, kTestStart));
  EXPECT_TRUE(seen.remember({2, "result-5", "n1"}, kTestStart));  // the worker restarted and counts from 0 again
  EXPECT_TRUE(seen.remember({1, "result-5", "n2"}, kTestStart));
  EXPECT_TRUE(seen.remember({1, "result-5", std::nullopt}, kTestStart));
  EXPECT_TRUE(seen.remember({1, "result-5", ""}, kTestStart));
  EXPECT_TRUE(seen.remember({1, "result-5n", "1"}, kTestStart));
  EXPECT_EQ(seen.size(), 6u);
}

TEST(Duplicates, ForgetsAfterTenMinutes) {
  Duplicates seen;
  EXPECT_TRUE(seen.remember({1, "a", {}}, kTestStart));
  EXPECT_FALSE(seen.remember({1, "a", {}}, kTestStart + kDuplicatesRememberedFor - Duration(1)));
  EXPECT_TRUE(seen.remember({1, "a", {}}, kTestStart + kDuplicatesRememberedFor));
  EXPECT_EQ(seen.size(), 1u);
}

TEST(Duplicates, ForgetsTheOldestWhenItIsFull) {
  Duplicates seen;
  for (std::size_t i = 0; i <= kDuplicatesRememberedMax; ++i) EXPECT_TRUE(seen.remember({1, std::to_string(i), {}}, kTestStart));
  EXPECT_EQ(seen.size(), kDuplicatesRememberedMax);
  EXPECT_FALSE(seen.remember({1, "1", {}}, kTestStart));
  EXPECT_TRUE(seen.remember({1, "0", {}}, kTestStart));
}

}  // namespace
}  // namespace muster::session
