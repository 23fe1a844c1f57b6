// The receiving window: conformance cases 20, 22, 23, 25 and 35.
#include "session/receive_window.h"

#include <gtest/gtest.h>

#include <limits>

#include "session/frames_testing.h"

namespace muster::session {
namespace {

using std::chrono::seconds;
using Numbers = std::vector<std::uint64_t>;

// A window, and everything it ever delivered.
struct Receiver {
  ReceiveWindow window;
  std::vector<Envelope> delivered = {};
  Instant now = kTestStart;

  Arrival take(std::uint64_t number) { return window.record(frame_with(number), now, delivered); }
  std::uint64_t skip() { return window.skip_due_holes(now, delivered); }
};

TEST(ReceiveWindow, DeliversInOrderAndAcknowledgesEach) {
  Receiver to{ReceiveWindow({})};
  EXPECT_EQ(to.take(1), Arrival::delivered);
  EXPECT_EQ(to.window.ack(), (WindowAck{1, 0, 64}));  // case 20
  EXPECT_EQ(to.take(2), Arrival::delivered);
  EXPECT_EQ(numbers_of(to.delivered), (Numbers{1, 2}));
}

TEST(ReceiveWindow, AnswersTheReferenceExample) {
  Receiver to{ReceiveWindow({})};
  EXPECT_EQ(to.take(3), Arrival::held);
  EXPECT_EQ(to.window.ack(), (WindowAck{0, 4, 64}));
  EXPECT_EQ(to.take(2), Arrival::held);
  EXPECT_EQ(to.window.ack(), (WindowAck{0, 6, 64}));
  EXPECT_EQ(to.take(2), Arrival::duplicate);
  EXPECT_EQ(to.window.ack(), (WindowAck{0, 6, 64}));
  EXPECT_EQ(to.take(1), Arrival::delivered);
  EXPECT_EQ(to.window.ack(), (WindowAck{3, 0, 64}));
  EXPECT_EQ(numbers_of(to.delivered), (Numbers{1, 2, 3}));
  EXPECT_EQ(to.window.held_bytes(), 0u);
}

TEST(ReceiveWindow, Case22NumberZeroIsStale) {
  Receiver to{ReceiveWindow({})};
  EXPECT_EQ(to.take(0), Arrival::stale);
  EXPECT_FALSE(is_accepted(Arrival::stale, 0));
  EXPECT_EQ(to.window.ack(), (WindowAck{0, 0, 64}));
  to.take(1);
  EXPECT_EQ(to.take(1), Arrival::stale);
  EXPECT_TRUE(is_accepted(Arrival::stale, 1));
  EXPECT_EQ(numbers_of(to.delivered), (Numbers{1}));
}

TEST(ReceiveWindow, Case23DropsWhatIsBeyondTheWindow) {
  for (const std::uint32_t window : {1u, 2u, 63u, 64u}) {
    Receiver to{ReceiveWindow({.window = window})};
    to.take(1);
    EXPECT_EQ(to.take(1 + 1 + window), Arrival::out_of_window) << window;
    EXPECT_EQ(to.window.ack(), (WindowAck{1, 0, window}));
    EXPECT_EQ(to.take(1 + window), window > 1 ? Arrival::held : Arrival::delivered) << window;
    EXPECT_EQ(to.take(std::numeric_limits<std::uint64_t>::max()), Arrival::out_of_window);
  }
}

TEST(ReceiveWindow, Case25AFullWindowAboveOneHoleIsExact) {
  Receiver to{ReceiveWindow({})};
  for (std::uint64_t number = 2; number <= 64; ++number) EXPECT_EQ(to.take(number), Arrival::held);
  EXPECT_EQ(to.window.ack(), (WindowAck{0, 18446744073709551614u, 64}));
  EXPECT_EQ(to.take(1), Arrival::delivered);
  EXPECT_EQ(to.window.ack(), (WindowAck{64, 0, 64}));
  ASSERT_EQ(to.delivered.size(), 64u);
  for (std::uint64_t i = 0; i < 64; ++i) EXPECT_EQ(to.delivered[i].session_seq, i + 1);
}

TEST(ReceiveWindow, HoldsNoMoreBytesThanItMayAndNeverShutsOutTheNextFrame) {
  Receiver to{ReceiveWindow({.held_bytes = 250})};
  EXPECT_EQ(to.take(2), Arrival::held);
  EXPECT_EQ(to.take(3), Arrival::held);
  EXPECT_EQ(to.take(4), Arrival::no_room);
  EXPECT_FALSE(is_accepted(Arrival::no_room, 4));
  EXPECT_EQ(to.window.ack(), (WindowAck{0, 6, 64}));
  EXPECT_EQ(to.take(1), Arrival::delivered);
  EXPECT_EQ(to.take(4), Arrival::delivered);
  EXPECT_EQ(numbers_of(to.delivered), (Numbers{1, 2, 3, 4}));
}

TEST(ReceiveWindow, Case35AHoleAfterAResumeIsSkippedSixSecondsAfterIt) {
  Receiver to{ReceiveWindow({})};
  to.window.resumed(to.now);
  to.now += seconds(1);
  to.take(3);
  EXPECT_EQ(to.window.hole_due(), kTestStart + seconds(6));
  to.now = kTestStart + Duration(5'999);
  EXPECT_EQ(to.skip(), 0u);
  EXPECT_EQ(to.window.ack(), (WindowAck{0, 4, 64}));
  to.now = kTestStart + seconds(6);
  EXPECT_EQ(to.skip(), 2u);
  EXPECT_EQ(to.window.ack(), (WindowAck{3, 0, 64}));
  EXPECT_EQ(numbers_of(to.delivered), (Numbers{3}));
  EXPECT_EQ(to.window.hole_due(), std::nullopt);
  EXPECT_EQ(to.take(1), Arrival::stale);
}

TEST(ReceiveWindow, EveryHoleOfAnOutageIsSkippedTogether) {
  Receiver to{ReceiveWindow({})};
  to.take(2);  // before the connection was lost
  to.now += seconds(3);
  to.window.resumed(to.now);
  to.take(4);
  to.take(5);
  to.take(9);
  to.now += seconds(6);
  EXPECT_EQ(to.skip(), 5u);
  EXPECT_EQ(numbers_of(to.delivered), (Numbers{2, 4, 5, 9}));
  EXPECT_EQ(to.window.ack(), (WindowAck{9, 0, 64}));
}

TEST(ReceiveWindow, AHoleOfAConnectionThatHeldWaitsSeventeenSeconds) {
  Receiver to{ReceiveWindow({})};
  to.take(1);
  to.take(3);
  EXPECT_EQ(to.window.hole_due(), kTestStart + seconds(17));
  to.now += Duration(16'999);
  EXPECT_EQ(to.skip(), 0u);
  to.now += Duration(1);
  EXPECT_EQ(to.skip(), 1u);
  EXPECT_EQ(numbers_of(to.delivered), (Numbers{1, 3}));
}

TEST(ReceiveWindow, AHoleInAStreamThatFlowsAgainWaitsLong) {
  Receiver to{ReceiveWindow({})};
  to.window.resumed(to.now);
  to.take(1);
  to.now += seconds(60);
  to.take(3);
  EXPECT_EQ(to.window.hole_due(), to.now + seconds(17));
}

TEST(ReceiveWindow, AHoleThatShowsLongAfterTheResumeWaitsForFramesOnTheirWay) {
  Receiver to{ReceiveWindow({})};
  to.window.resumed(to.now);
  to.now += seconds(60);
  to.take(3);
  EXPECT_EQ(to.window.hole_due(), to.now + seconds(2));
}

TEST(ReceiveWindow, AHoleThatWeMadeForWantOfRoomIsNotTakenForOneOfAnOutage) {
  Receiver to{ReceiveWindow({.held_bytes = 100})};
  to.window.resumed(to.now);
  to.take(2);
  EXPECT_EQ(to.take(3), Arrival::no_room);
  to.take(1);
  to.take(4);
  EXPECT_EQ(to.window.hole_due(), to.now + seconds(17));
  to.take(3);
  EXPECT_EQ(numbers_of(to.delivered), (Numbers{1, 2, 3, 4}));
}

TEST(ReceiveWindow, AHoleIsNotGivenUpForTheTimeOfAnOutage) {
  Receiver to{ReceiveWindow({.held_bytes = 100})};
  to.take(3);
  to.now += seconds(60);
  to.window.resumed(to.now);
  EXPECT_EQ(to.take(2), Arrival::no_room);  // so the hole counts as ours
  EXPECT_EQ(to.window.hole_due(), to.now + seconds(17));
}

// The worker used up more numbers than the window has: nothing that it sends could ever be held.
TEST(ReceiveWindow, AHoleWiderThanTheWindowIsSkippedToo) {
  Receiver to{ReceiveWindow({})};
  to.window.resumed(to.now);
  EXPECT_EQ(to.take(101), Arrival::out_of_window);
  EXPECT_EQ(to.take(100), Arrival::out_of_window);
  EXPECT_EQ(to.window.hole_due(), kTestStart + seconds(6));
  to.now += seconds(6);
  EXPECT_EQ(to.skip(), 99u);
  EXPECT_EQ(to.window.ack(), (WindowAck{99, 0, 64}));
  EXPECT_EQ(to.window.hole_due(), std::nullopt);  // the peer sends 100 and 101 again
  EXPECT_EQ(to.take(101), Arrival::held);
  EXPECT_EQ(to.window.hole_due(), to.now + kHoleAgeMin);
  EXPECT_EQ(to.take(100), Arrival::delivered);
  EXPECT_EQ(numbers_of(to.delivered), (Numbers{100, 101}));
}

TEST(ReceiveWindow, AFrameBeyondTheWindowIsNotGivenUpWithTheHoleBelowIt) {
  Receiver to{ReceiveWindow({})};
  to.window.resumed(to.now);
  to.take(3);
  to.now += seconds(5);
  to.take(66);  // out of the window
  to.now += seconds(1);
  EXPECT_EQ(to.skip(), 2u);  // the hole below 3 is not of our making
  to.take(67);
  EXPECT_EQ(to.window.hole_due(), kTestStart + seconds(5) + kHoleWaitRefused);  // 66 is
}

TEST(ReceiveWindow, AFrameThatWasDroppedAndGivenUpStopsNothing) {
  Receiver to{ReceiveWindow({})};
  to.window.resumed(to.now);
  to.take(70);
  to.now += seconds(6);
  EXPECT_EQ(to.skip(), 69u);
  to.take(200);  // and 70 never comes again
  EXPECT_EQ(to.window.hole_due(), kTestStart + kHoleWaitRefused);
  to.now = kTestStart + kHoleWaitRefused;
  to.skip();
  EXPECT_EQ(to.window.ack().ack_seq, 69u);
  to.now = *to.window.hole_due();
  EXPECT_EQ(to.now, kTestStart + seconds(8));
  EXPECT_EQ(to.skip(), 130u);
  EXPECT_EQ(to.take(200), Arrival::delivered);
}

TEST(ReceiveWindow, NonsenseFarAheadMovesNothing) {
  Receiver to{ReceiveWindow({})};
  to.window.resumed(to.now);
  EXPECT_EQ(to.take(kHoleNumbersMax + 1), Arrival::out_of_window);
  EXPECT_EQ(to.window.hole_due(), std::nullopt);
  for (std::uint64_t number = 1'000; number > 200; --number) to.take(number);
  EXPECT_EQ(to.window.hole_due(), kTestStart + seconds(6));
}

TEST(ReceiveWindow, AFilledHoleIsForgottenAndTheNextOneCountsFromItsOwnFrames) {
  Receiver to{ReceiveWindow({})};
  to.take(2);
  to.now += seconds(10);
  to.take(4);
  to.take(1);
  EXPECT_EQ(to.window.hole_due(), kTestStart + seconds(27));
  to.take(3);
  EXPECT_EQ(to.window.hole_due(), std::nullopt);
}

TEST(ReceiveWindow, ResetBeginsAgainAtOne) {
  Receiver to{ReceiveWindow({.window = 8})};
  to.take(1);
  to.take(3);
  to.window.reset();
  EXPECT_EQ(to.window.ack(), (WindowAck{0, 0, 8}));
  EXPECT_EQ(to.window.held_bytes(), 0u);
  EXPECT_EQ(to.take(1), Arrival::delivered);
}

TEST(ReceiveWindow, RefusesAStateThatNoWindowWasIn) {
  const auto held = [](std::uint64_t number) { return HeldFrame{frame_with(number), kTestStart}; };
  ReceiveWindow window({.window = 4, .held_bytes = 200});
  EXPECT_TRUE(window.restore(10, {held(12), held(14)}));
  EXPECT_EQ(window.ack(), (WindowAck{10, 0b1010, 4}));
  EXPECT_FALSE(window.restore(10, {held(11)}));
  EXPECT_FALSE(window.restore(10, {held(10)}));
  EXPECT_FALSE(window.restore(10, {held(15)}));
  EXPECT_FALSE(window.restore(10, {held(12), held(12)}));
  EXPECT_FALSE(window.restore(10, {held(12), held(13), held(14)}));
  EXPECT_FALSE(window.restore(std::numeric_limits<std::uint64_t>::max(), {held(1)}));
  EXPECT_EQ(window.ack(), (WindowAck{0, 0, 4}));
}

}  // namespace
}  // namespace muster::session
