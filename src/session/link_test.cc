// Both windows as one link: which acks are due, one timer, resume, reset and restart. Cases 20, 22, 23, 29, 35, 57 and 60.
#include "session/link.h"

#include <gtest/gtest.h>

#include "session/frames_testing.h"

namespace muster::session {
namespace {

using std::chrono::seconds;
using Numbers = std::vector<std::uint64_t>;
using Texts = std::vector<std::string>;

// A link whose calls answer their output.
struct Side {
  Link link{LinkOptions{.seed = 3}};
  Instant now = kTestStart;
  LinkOutput out = {};

  LinkOutput& send(std::uint64_t number) {
    out.clear();
    EXPECT_TRUE(link.send(plain_text(number), now, out).ok());
    return out;
  }
  LinkOutput& receive(Envelope frame) {
    out.clear();
    link.received(std::move(frame), now, out);
    return out;
  }
  LinkOutput& acknowledge(const WindowAck& ack) {
    out.clear();
    link.acknowledged(ack, now, out);
    return out;
  }
  LinkOutput& tick() {
    out.clear();
    link.tick(now, out);
    return out;
  }
  LinkOutput& resume(std::optional<std::uint64_t> last_seen) {
    out.clear();
    EXPECT_TRUE(link.resumed(last_seen, now, out).ok());
    return out;
  }
};

TEST(Link, Case20AFrameThatDoesNotAskIsAcknowledgedWithoutFor) {
  Side side;
  const LinkOutput& out = side.receive(frame_with(1));
  EXPECT_EQ(numbers_of(out.deliver), (Numbers{1}));
  ASSERT_TRUE(out.ack);
  EXPECT_FALSE(out.ack->acked_id);
  EXPECT_EQ(out.ack->corr, "task-1");
  EXPECT_EQ(out.ack->window, (WindowAck{1, 0, 64}));
}

TEST(Link, AFrameThatAsksAndIsAcceptedIsNamed) {
  Side side;
  EXPECT_EQ(side.receive(frame_with(1, true)).ack->acked_id, "frame-1");
  EXPECT_EQ(side.receive(frame_with(1, true)).ack->acked_id, "frame-1");  // our ack was lost
  EXPECT_EQ(side.receive(frame_with(3, true)).ack->acked_id, "frame-3");
  EXPECT_EQ(side.receive(frame_with(3, true)).ack->acked_id, "frame-3");
  EXPECT_TRUE(side.out.deliver.empty());
  EXPECT_EQ(side.link.counters().dropped, 2u);
}

TEST(Link, Case22And23WhatIsNotAcceptedIsAcknowledgedButNotNamed) {
  Side side;
  for (const std::uint64_t number : {std::uint64_t{0}, std::uint64_t{65}}) {
    const LinkOutput& out = side.receive(frame_with(number, true));
    EXPECT_TRUE(out.deliver.empty());
    ASSERT_TRUE(out.ack);
    EXPECT_FALSE(out.ack->acked_id) << number;
    EXPECT_EQ(out.ack->window, (WindowAck{0, 0, 64}));
  }
}

TEST(Link, AFrameWithoutANumberIsDeliveredAtOnceAndAcknowledgedIfItAsks) {
  Side side;
  Envelope frame = frame_with(9);
  frame.session_seq.reset();
  EXPECT_EQ(side.receive(frame).deliver.size(), 1u);
  EXPECT_FALSE(side.out.ack);
  frame.ack_request = true;
  EXPECT_EQ(side.receive(frame).ack->acked_id, "frame-9");
  EXPECT_EQ(side.out.ack->window, (WindowAck{0, 0, 64}));
}

TEST(Link, Case29AnAckOfWhatWasNeverSentIsCounted) {
  Side side;
  side.send(1);
  EXPECT_TRUE(side.acknowledge({.ack_seq = 2}).fault);
  EXPECT_EQ(side.link.counters().faults, 1u);
  EXPECT_EQ(side.link.sending().frames(), 1u);
  EXPECT_FALSE(side.acknowledge({.ack_seq = 1}).fault);
  EXPECT_EQ(side.link.sending().frames(), 0u);
}

TEST(Link, OneTimerServesResendsAndHoles) {
  Side side;
  EXPECT_EQ(side.link.next_due(), std::nullopt);
  side.receive(frame_with(2));
  EXPECT_EQ(side.link.next_due(), kTestStart + kHoleWaitConnected);
  side.send(1);
  EXPECT_LE(*side.link.next_due(), kTestStart + Duration(240));
  side.now = *side.link.next_due();
  EXPECT_EQ(texts_of(side.tick().transmit), (Texts{numbered_text(1)}));
  side.acknowledge({.ack_seq = 1});
  EXPECT_EQ(side.link.next_due(), kTestStart + kHoleWaitConnected);
}

TEST(Link, Case35ASkippedHoleIsToldAndAcknowledged) {
  Side side;
  side.link.disconnected();
  side.resume(0);
  side.receive(frame_with(3, true));
  EXPECT_EQ(side.out.ack->window, (WindowAck{0, 4, 64}));
  side.now += kHoleWaitAfterResume;
  const LinkOutput& out = side.tick();
  EXPECT_EQ(out.skipped, 2u);
  EXPECT_EQ(numbers_of(out.deliver), (Numbers{3}));
  ASSERT_TRUE(out.ack);
  EXPECT_FALSE(out.ack->acked_id);
  EXPECT_EQ(out.ack->window, (WindowAck{3, 0, 64}));
  EXPECT_EQ(side.link.counters().holes, 1u);
}

TEST(Link, HolesWaitWhileThereIsNoConnection) {
  Side side;
  side.receive(frame_with(2));
  side.link.disconnected();
  side.now += seconds(3'600);
  EXPECT_EQ(side.link.next_due(), std::nullopt);
  EXPECT_EQ(side.tick().skipped, 0u);
  side.resume(0);
  EXPECT_EQ(side.link.next_due(), side.now + kHoleWaitAfterResume);
}

TEST(Link, Case57AFreshSessionBeginsAtOneInBothDirections) {
  Side side;
  side.send(1);
  side.receive(frame_with(1));
  side.receive(frame_with(3));
  side.link.reset();
  EXPECT_EQ(side.link.window_ack(), (WindowAck{0, 0, 64}));
  EXPECT_EQ(texts_of(side.send(1).transmit), (Texts{numbered_text(1)}));
  EXPECT_EQ(numbers_of(side.receive(frame_with(1)).deliver), (Numbers{1}));
}

TEST(Link, Case60AFrameMadeOfflineKeepsItsNumberAndIsSentAfterTheResume) {
  Side side;
  side.send(1);
  side.link.disconnected();
  EXPECT_TRUE(side.send(2).transmit.empty());
  EXPECT_EQ(texts_of(side.resume(1).transmit), (Texts{numbered_text(2)}));
}

TEST(Link, AResumeOfAnotherStreamIsAConflict) {
  Side side;
  side.send(1);
  side.link.disconnected();
  side.out.clear();
  const Status status = side.link.resumed(5, side.now, side.out);
  EXPECT_EQ(status.code(), Code::conflict);
  EXPECT_NE(status.message().find("last_seen_seq 5"), std::string::npos) << status.message();
  EXPECT_TRUE(side.out.fault);
  EXPECT_EQ(texts_of(side.out.transmit), (Texts{numbered_text(1)}));
}

TEST(Link, ARestartContinuesBothStreams) {
  Side before;
  for (std::uint64_t number = 1; number <= 3; ++number) before.send(number);
  before.acknowledge({.ack_seq = 1, .ack_bitmap = 2});  // 1 and 3
  before.receive(frame_with(1));
  before.receive(frame_with(3));

  Side after;
  ASSERT_TRUE(after.link.restore(before.link.state()).ok());
  EXPECT_EQ(after.link.next_due(), std::nullopt);
  EXPECT_EQ(after.link.window_ack(), (WindowAck{1, 0b10, 64}));
  EXPECT_EQ(texts_of(after.resume(1).transmit), (Texts{numbered_text(2)}));
  EXPECT_EQ(texts_of(after.send(4).transmit), (Texts{numbered_text(4)}));
  EXPECT_EQ(numbers_of(after.receive(frame_with(2)).deliver), (Numbers{2, 3}));
}

TEST(Link, ADamagedStateIsRefusedAndTheLinkBeginsAnew) {
  Side side;
  side.send(1);
  EXPECT_EQ(side.link.restore({.next_number = 2, .unacked = {{2, "{}"}}}).code(), Code::corrupt);
  EXPECT_EQ(side.link.restore({.held = {{frame_with(1), kTestStart}}}).code(), Code::corrupt);
  EXPECT_EQ(texts_of(side.send(1).transmit), (Texts{numbered_text(1)}));
}

}  // namespace
}  // namespace muster::session
