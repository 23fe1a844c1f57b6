#include "fronts/auth/brake.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace muster::auth {
namespace {

using namespace std::chrono_literals;

// A time at which nothing that never happened counts as recent.
constexpr Ticks kStart = 1h;

void fail(Brake& brake, std::string_view address, int times, Ticks now = kStart) {
  for (int i = 0; i < times; ++i) brake.note_failure(address, now);
}

TEST(Brake, CountsAnAddressByWhatOneSubscriberHas) {
  EXPECT_EQ(address_prefix("192.0.2.1"), "192.0.2.1");
  EXPECT_EQ(address_prefix("::ffff:192.0.2.1"), "192.0.2.1");
  EXPECT_EQ(address_prefix("2001:db8:0:1:aaaa:bbbb:cccc:dddd"), "2001:db8:0:1::/64");
  EXPECT_EQ(address_prefix("2001:db8:0:1::7"), "2001:db8:0:1::/64");
  EXPECT_EQ(address_prefix("fe80::1%eth0"), "fe80::/64");
  EXPECT_EQ(address_prefix("::1"), "::/64");
  EXPECT_EQ(address_prefix("unix"), "unix");
}

TEST(Brake, AnswersTheFirstOnesAtOnceAndDoublesTheWaitUpToItsBound) {
  Brake brake;
  Ticks now = kStart;
  for (int i = 0; i < 5; ++i) EXPECT_EQ(brake.note_failure("a", now), now) << i;
  EXPECT_EQ(brake.blocked_until("a", now), now);
  for (const Duration wait : {1s, 2s, 4s, 8s, 16s, 32s, 60s, 60s}) {
    EXPECT_EQ(brake.note_failure("a", now), now + wait);
    EXPECT_EQ(brake.blocked_until("a", now), now + wait);
    now += wait;
  }
}

TEST(Brake, NeighboursShareAWaitAndOthersDoNot) {
  Brake brake;
  fail(brake, "2001:db8:0:1::1", 6);
  EXPECT_EQ(brake.blocked_until("2001:db8:0:1::2", kStart), kStart + 1s);
  EXPECT_EQ(brake.blocked_until("2001:db8:0:2::1", kStart), kStart);
  fail(brake, "192.0.2.1", 6);
  EXPECT_EQ(brake.blocked_until("::ffff:192.0.2.1", kStart), kStart + 1s);
  EXPECT_EQ(brake.blocked_until("192.0.2.2", kStart), kStart);
}

TEST(Brake, TriesSideBySideDoNotAddUpBeyondTheLongestDelay) {
  Brake brake;
  fail(brake, "a", 1'000);
  EXPECT_EQ(brake.blocked_until("a", kStart), kStart + 60s);
}

TEST(Brake, AQuietMinuteAfterTheLastWaitForgets) {
  Brake brake;
  fail(brake, "a", 6);
  const Ticks quiet = kStart + 1s + kGuessesForgotten;
  EXPECT_EQ(brake.note_failure("a", quiet - 1ms), quiet - 1ms + 2s);
  Brake other;
  fail(other, "a", 6);
  EXPECT_EQ(other.note_failure("a", quiet), quiet);
}

TEST(Brake, ForgetsTheQuietestPrefixWhenItsTableIsFull) {
  Brake brake;
  fail(brake, "first", 6);
  for (std::size_t i = 0; i < kFailingPrefixesMax; ++i) brake.note_failure(fmt::format("address-{}", i), kStart + Ticks(i + 1));
  EXPECT_EQ(brake.blocked_until("first", kStart), kStart) << "it made room for another";
}

TEST(Brake, ItsNumbersAreTheOperators) {
  Brake brake({.failures_max = 1, .delay_max = 1500ms});
  fail(brake, "a", 2);
  EXPECT_EQ(brake.blocked_until("a", kStart), kStart + 1s);
  fail(brake, "a", 1, kStart + 1s);
  EXPECT_EQ(brake.blocked_until("a", kStart + 1s), kStart + 1s + 1500ms);
}

}  // namespace
}  // namespace muster::auth
