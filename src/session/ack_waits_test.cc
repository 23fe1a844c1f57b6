// v1: frames that wait for acks, and the numbers of a run's results. Conformance case 8 as far as it is pure.
#include "session/ack_waits.h"

#include <gtest/gtest.h>

#include <limits>

#include "session/frames_testing.h"

namespace muster::session {
namespace {

using std::chrono::seconds;

// Lets the time pass until `end`; answers how many frames were sent again.
std::size_t run_until(AckWaits& waits, Instant end, std::vector<std::string>& given_up) {
  std::size_t sent = 0;
  while (waits.next_due() && *waits.next_due() <= end) {
    Transmissions out;
    waits.tick(*waits.next_due(), out, given_up);
    for (const std::string_view frame : out) EXPECT_EQ(frame, "{frame}");
    sent += out.size();
  }
  return sent;
}

TEST(AckWaits, SendsAgainUntilTheAckNamesTheFrame) {
  AckWaits waits(1);
  std::vector<std::string> given_up;
  ASSERT_TRUE(waits.add("a", "{frame}", kTestStart).ok());
  EXPECT_EQ(run_until(waits, kTestStart + seconds(1), given_up), 2u);  // at about 0.2 and 0.6 s
  EXPECT_FALSE(waits.acked("b"));
  EXPECT_TRUE(waits.acked("a"));
  EXPECT_FALSE(waits.acked("a"));
  EXPECT_EQ(waits.next_due(), std::nullopt);
  EXPECT_TRUE(given_up.empty());
}

TEST(AckWaits, GivesUpAfterSixResends) {
  AckWaits waits(1);
  std::vector<std::string> given_up;
  ASSERT_TRUE(waits.add("a", "{frame}", kTestStart).ok());
  EXPECT_EQ(run_until(waits, kTestStart + seconds(60), given_up), 6u);
  EXPECT_EQ(given_up, (std::vector<std::string>{"a"}));
  EXPECT_EQ(waits.size(), 0u);
}

TEST(AckWaits, Case8ADispatchIsGivenUpAtItsDeadline) {
  AckWaits waits(1);
  std::vector<std::string> given_up;
  ASSERT_TRUE(waits.add("d", "{frame}", kTestStart, kDispatchAckDeadline).ok());
  run_until(waits, kTestStart + Duration(4'999), given_up);
  EXPECT_TRUE(given_up.empty());
  EXPECT_EQ(waits.next_due(), kTestStart + seconds(5));
  run_until(waits, kTestStart + seconds(5), given_up);
  EXPECT_EQ(given_up, (std::vector<std::string>{"d"}));
}

TEST(AckWaits, AreBoundedInCountAndBytes) {
  AckWaits waits(1);
  EXPECT_TRUE(waits.add("0", std::string(kAckWaitBytesMax, 'x'), kTestStart).ok());
  EXPECT_EQ(waits.add("1", "x", kTestStart).code(), Code::exhausted);
  EXPECT_EQ(waits.add("0", "", kTestStart).code(), Code::already_exists);
  EXPECT_TRUE(waits.acked("0"));
  for (std::size_t i = 0; i < kAckWaitsMax; ++i) ASSERT_TRUE(waits.add(std::to_string(i), "x", kTestStart).ok());
  EXPECT_EQ(waits.add("one more", "x", kTestStart).code(), Code::exhausted);
  waits.clear();
  EXPECT_TRUE(waits.add("0", std::string(kAckWaitBytesMax, 'x'), kTestStart).ok());
}

TEST(RunSequence, TellsNextLateGapAndDuplicate) {
  using enum RunSequence::Verdict;
  RunSequence run;
  EXPECT_EQ(run.record(1), in_order);
  EXPECT_EQ(run.record(1), duplicate);
  EXPECT_EQ(run.record(3), gap);
  EXPECT_EQ(run.missing(), 2u);
  EXPECT_EQ(run.record(3), duplicate);
  EXPECT_EQ(run.record(4), gap);
  EXPECT_EQ(run.record(2), late);
  EXPECT_EQ(run.missing(), 5u);
  EXPECT_EQ(run.record(5), in_order);
  EXPECT_EQ(run.record(0), duplicate);
}

TEST(RunSequence, GivesUpWhatIsTooFarBehind) {
  using enum RunSequence::Verdict;
  RunSequence run;
  EXPECT_EQ(run.record(2), gap);
  EXPECT_EQ(run.record(65), gap);
  EXPECT_EQ(run.missing(), 3u);
  EXPECT_EQ(run.record(1), duplicate);
  EXPECT_EQ(run.record(1'000), gap);
  EXPECT_EQ(run.missing(), 937u);
  EXPECT_EQ(run.record(937), late);
  EXPECT_EQ(run.record(std::numeric_limits<std::uint64_t>::max()), gap);
  EXPECT_EQ(run.record(std::numeric_limits<std::uint64_t>::max()), duplicate);
}

}  // namespace
}  // namespace muster::session
