// The sending window: conformance cases 26, 28, 29 and 60.
#include "session/send_window.h"

#include <gtest/gtest.h>

#include <limits>

#include "session/frames_testing.h"

namespace muster::session {
namespace {

using std::chrono::seconds;
using Texts = std::vector<std::string>;

// A window, and what each call put on the wire.
struct SendingEnd {
  SendWindow window;
  Instant now = kTestStart;
  std::vector<std::uint64_t> stalled = {};

  Result<std::uint64_t> push(std::uint64_t number) {
    Transmissions out;
    return window.push(plain_text(number), now, out);
  }
  Texts acknowledge(const WindowAck& ack) {
    Transmissions out;
    EXPECT_TRUE(window.acknowledge(ack, now, out));
    return texts_of(out);
  }
  Texts tick() {
    Transmissions out;
    window.tick(now, out, stalled);
    return texts_of(out);
  }
  Texts resume(std::optional<std::uint64_t> last_seen) {
    Transmissions out;
    EXPECT_TRUE(window.resumed(last_seen, now, out));
    return texts_of(out);
  }
  // Lets the time pass and answers when, after the start, something was sent again.
  std::vector<Duration> resends_within(Duration span) {
    std::vector<Duration> at;
    for (const Instant end = now + span; window.next_due() && *window.next_due() <= end;) {
      now = *window.next_due();
      for (std::size_t i = tick().size(); i > 0; --i) at.push_back(now - kTestStart);
    }
    return at;
  }
};

SendingEnd sending_end(std::uint32_t window, std::size_t queued = 1'024, std::size_t bytes = 1'000'000) {
  return SendingEnd{SendWindow({.window = window, .queued_frames = queued, .bytes = bytes}, 7)};
}

TEST(SendWindow, NumbersFromOneAndSendsAtOnce) {
  SendingEnd from = sending_end(64);
  Transmissions out;
  EXPECT_EQ(*from.window.push(R"({"a":1})", from.now, out), 1u);
  EXPECT_EQ(*from.window.push(R"({"a":1})", from.now, out), 2u);
  EXPECT_EQ(texts_of(out), (Texts{R"({"a":1,"session_seq":1})", R"({"a":1,"session_seq":2})"}));
}

TEST(SendWindow, SendsNoMoreThanTheWindowAndTheRestByAcks) {
  SendingEnd from = sending_end(2);
  for (std::uint64_t number = 1; number <= 5; ++number) ASSERT_TRUE(from.push(number).ok());
  EXPECT_EQ(from.acknowledge({.ack_seq = 1}), (Texts{numbered_text(3)}));
  EXPECT_EQ(from.acknowledge({.ack_seq = 3}), (Texts{numbered_text(4), numbered_text(5)}));
  EXPECT_EQ(from.acknowledge({.ack_seq = 5}), Texts{});
  EXPECT_EQ(from.window.frames(), 0u);
  EXPECT_EQ(from.window.bytes(), 0u);
  EXPECT_EQ(from.window.next_due(), std::nullopt);
}

TEST(SendWindow, WhatIsAcknowledgedAboveAHoleGivesNoCreditBeyondTheWindow) {
  SendingEnd from = sending_end(2);
  for (std::uint64_t number = 1; number <= 4; ++number) ASSERT_TRUE(from.push(number).ok());
  EXPECT_EQ(from.acknowledge({.ack_seq = 0, .ack_bitmap = 2}), Texts{});  // the peer would drop 3: its base is 0
  EXPECT_EQ(from.acknowledge({.ack_seq = 2}), (Texts{numbered_text(3), numbered_text(4)}));
}

TEST(SendWindow, Case26SendsTheSameBytesAgainOnTheSchedule) {
  constexpr Duration kNominal[] = {Duration(200),   Duration(600),   Duration(1'400),
                                   Duration(3'000), Duration(6'200), Duration(11'200)};
  bool differs = false;
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    SendingEnd from{SendWindow({}, seed)};
    ASSERT_TRUE(from.push(1).ok());
    for (const Duration nominal : kNominal) {
      ASSERT_TRUE(from.window.next_due());
      from.now = *from.window.next_due() - Duration(1);
      EXPECT_EQ(from.tick(), Texts{});
      from.now += Duration(1);
      EXPECT_EQ(from.tick(), (Texts{numbered_text(1)}));
      const Duration at = from.now - kTestStart;
      EXPECT_GE(at, nominal * 8 / 10 - Duration(6));  // each gap is rounded down to a millisecond
      EXPECT_LE(at, nominal * 12 / 10);
      differs = differs || at != nominal;
    }
  }
  EXPECT_TRUE(differs);
}

TEST(SendWindow, TheSameSeedRepeatsTheSameSchedule) {
  const auto schedule = [](std::uint64_t seed) {
    SendingEnd from{SendWindow({}, seed)};
    EXPECT_TRUE(from.push(1).ok());
    return from.resends_within(seconds(60));
  };
  EXPECT_EQ(schedule(1), schedule(1));
  EXPECT_NE(schedule(1), schedule(2));
}

TEST(SendWindow, SaysOnceThatAFrameIsStalledAndKeepsSendingIt) {
  SendingEnd from = sending_end(64);
  ASSERT_TRUE(from.push(1).ok());
  const auto at = from.resends_within(seconds(120));
  EXPECT_EQ(from.stalled, (std::vector<std::uint64_t>{1}));
  EXPECT_GE(at.size(), 6u + 15u);
  EXPECT_LE(at.back() - at[at.size() - 2], Duration(6'000));  // the longest gap and its spread
}

TEST(SendWindow, Case28ASelectiveAckReleasesAndTheHoleIsSentAgain) {
  SendingEnd from = sending_end(64);
  for (std::uint64_t number = 1; number <= 7; ++number) ASSERT_TRUE(from.push(number).ok());
  from.acknowledge({.ack_seq = 5, .ack_bitmap = 2});
  ASSERT_EQ(from.window.unacked().size(), 1u);
  EXPECT_EQ(from.window.unacked()[0].number, 6u);
  from.now += seconds(1);
  EXPECT_EQ(from.tick(), (Texts{numbered_text(6)}));
  from.acknowledge({.ack_seq = 7});
  EXPECT_EQ(from.window.frames(), 0u);
}

TEST(SendWindow, BitsBeyondThePeersWindowDoNotCount) {
  SendingEnd from = sending_end(64);
  for (std::uint64_t number = 1; number <= 4; ++number) ASSERT_TRUE(from.push(number).ok());
  from.acknowledge({.ack_seq = 0, .ack_bitmap = 0b1010, .recv_window = 2});
  EXPECT_EQ(from.window.unacked().size(), 3u);
}

TEST(SendWindow, Case29AnAckBeyondWhatWasSentChangesNothing) {
  SendingEnd from = sending_end(2);
  for (std::uint64_t number = 1; number <= 3; ++number) ASSERT_TRUE(from.push(number).ok());
  Transmissions out;
  for (const WindowAck ack :
       {WindowAck{.ack_seq = 3}, WindowAck{.ack_seq = std::numeric_limits<std::uint64_t>::max()},
        WindowAck{.ack_seq = 1, .ack_bitmap = 2}, WindowAck{.ack_seq = 0, .ack_bitmap = std::uint64_t{1} << 63}})
    EXPECT_FALSE(from.window.acknowledge(ack, from.now, out));
  EXPECT_TRUE(out.empty());
  EXPECT_EQ(from.window.unacked().size(), 3u);
}

TEST(SendWindow, LateAndRepeatedAcksAreHarmless) {
  SendingEnd from = sending_end(64);
  for (std::uint64_t number = 1; number <= 3; ++number) ASSERT_TRUE(from.push(number).ok());
  from.acknowledge({.ack_seq = 2});
  from.acknowledge({.ack_seq = 1, .ack_bitmap = 1});
  from.acknowledge({.ack_seq = 0, .ack_bitmap = 0b110});
  EXPECT_EQ(from.window.frames(), 0u);
  EXPECT_EQ(from.window.bytes(), 0u);
  from.acknowledge({.ack_seq = 3});
  EXPECT_EQ(*from.push(4), 4u);
}

TEST(SendWindow, RefusesWhatHasNoRoomAndUsesNoNumberUp) {
  SendingEnd by_count = sending_end(2, 1);
  for (std::uint64_t number = 1; number <= 3; ++number) ASSERT_TRUE(by_count.push(number).ok());
  EXPECT_EQ(by_count.push(4).code(), Code::exhausted);
  by_count.acknowledge({.ack_seq = 1});
  EXPECT_EQ(*by_count.push(4), 4u);

  SendingEnd by_bytes = sending_end(64, 64, 2 * numbered_text(1).size());
  ASSERT_TRUE(by_bytes.push(1).ok());
  ASSERT_TRUE(by_bytes.push(2).ok());
  EXPECT_EQ(by_bytes.push(3).code(), Code::exhausted);
  by_bytes.acknowledge({.ack_seq = 0, .ack_bitmap = 2});  // what is acknowledged above a hole holds no bytes either
  EXPECT_EQ(*by_bytes.push(3), 3u);
}

TEST(SendWindow, Case60NothingIsLostOrCountedWhileDisconnected) {
  SendingEnd from = sending_end(2);
  ASSERT_TRUE(from.push(1).ok());
  from.window.disconnected();
  Transmissions out;
  EXPECT_EQ(*from.window.push(plain_text(2), from.now, out), 2u);
  EXPECT_EQ(*from.window.push(plain_text(3), from.now, out), 3u);
  EXPECT_TRUE(out.empty());
  EXPECT_EQ(from.window.next_due(), std::nullopt);
  from.now += seconds(3'600);
  EXPECT_EQ(from.tick(), Texts{});
  EXPECT_EQ(from.resume(0), (Texts{numbered_text(1), numbered_text(2)}));
  EXPECT_TRUE(from.stalled.empty());
  EXPECT_EQ(from.acknowledge({.ack_seq = 2}), (Texts{numbered_text(3)}));
}

TEST(SendWindow, AResumeDropsWhatThePeerHasAndSendsTheRestAtOnce) {
  SendingEnd from = sending_end(64);
  for (std::uint64_t number = 1; number <= 5; ++number) ASSERT_TRUE(from.push(number).ok());
  from.acknowledge({.ack_seq = 1, .ack_bitmap = 0b100});  // 1 and 4
  from.window.disconnected();
  EXPECT_EQ(from.resume(2), (Texts{numbered_text(3), numbered_text(5)}));
  from.window.disconnected();
  EXPECT_EQ(from.resume(std::nullopt), (Texts{numbered_text(3), numbered_text(5)}));
  // The schedule begins anew.
  EXPECT_LE(*from.window.next_due(), from.now + Duration(240));
}

TEST(SendWindow, APeerOfAnotherStreamIsNoticedAndDropsNothing) {
  SendingEnd from = sending_end(64);
  for (std::uint64_t number = 1; number <= 3; ++number) ASSERT_TRUE(from.push(number).ok());
  from.acknowledge({.ack_seq = 2});
  for (const std::uint64_t last_seen : {std::uint64_t{1}, std::uint64_t{4}}) {
    Transmissions out;
    EXPECT_FALSE(from.window.resumed(last_seen, from.now, out)) << last_seen;
    EXPECT_EQ(texts_of(out), (Texts{numbered_text(3)}));
  }
}

TEST(SendWindow, RefusesAStateThatNoWindowWasIn) {
  SendingEnd from = sending_end(2, 2, 100);
  EXPECT_TRUE(from.window.restore(9, {{6, "{a}"}, {8, "{b}"}}));
  EXPECT_EQ(from.window.next_number(), 9u);
  EXPECT_EQ(from.resume(5), (Texts{"{a}"}));
  EXPECT_TRUE(from.window.restore(1, {}));
  EXPECT_FALSE(from.window.restore(0, {}));
  EXPECT_FALSE(from.window.restore(3, {{3, "{}"}}));
  EXPECT_FALSE(from.window.restore(3, {{0, "{}"}}));
  EXPECT_FALSE(from.window.restore(3, {{2, "{}"}, {2, "{}"}}));
  EXPECT_FALSE(from.window.restore(3, {{2, "{}"}, {1, "{}"}}));
  EXPECT_FALSE(from.window.restore(7, {{2, "{}"}}));
  EXPECT_FALSE(from.window.restore(3, {{2, std::string(101, 'x')}}));
  EXPECT_FALSE(from.window.restore(std::numeric_limits<std::uint64_t>::max(), {}));
}

}  // namespace
}  // namespace muster::session
