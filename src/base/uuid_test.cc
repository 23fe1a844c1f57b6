#include "base/uuid.h"

#include <gtest/gtest.h>

#include <set>
#include <thread>
#include <vector>

namespace muster {
namespace {

using namespace std::chrono_literals;

TEST(Uuid, HasTwoTextFormsAndReadsBothInEitherCase) {
  const Uuid id{0x0123456789abcdefULL, 0xfedcba9876543210ULL};
  EXPECT_EQ(id.text(), "01234567-89ab-cdef-fedc-ba9876543210");
  EXPECT_EQ(id.hex(), "0123456789abcdeffedcba9876543210");
  EXPECT_EQ(Uuid::parse(id.text()), id);
  EXPECT_EQ(Uuid::parse(id.hex()), id);
  EXPECT_EQ(Uuid::parse("01234567-89AB-CDEF-FEDC-BA9876543210"), id);
}

TEST(Uuid, RefusesEverythingElse) {
  for (const char* text :
       {"", "0123", "0123456789abcdeffedcba987654321", "0123456789abcdeffedcba98765432100", "0123456789abcdeffedcba987654321g",
        "01234567-89ab-cdef-fedcb-a9876543210", "0123456789ab-cdef-fedc-ba9876543210aa", "{1234567-89ab-cdef-fedc-ba987654321}"})
    EXPECT_EQ(Uuid::parse(text), std::nullopt) << text;
  for (const std::string& right : {Uuid{1, 2}.text(), Uuid{1, 2}.hex()})
    for (std::size_t at = 0; at < right.size(); ++at) {
      std::string text = right;
      text[at] = right[at] == '-' ? '0' : '-';
      EXPECT_EQ(Uuid::parse(text), std::nullopt) << text;
    }
}

TEST(UuidSource, MakesVersionSevenWithTheTimeInFront) {
  ManualClock clock(from_ms(0x0123456789ab));
  UuidSource source(clock, 1);
  const Uuid id = source.next();
  EXPECT_EQ(id.high >> 16, 0x0123456789abULL);
  EXPECT_EQ((id.high >> 12) & 15, 7u);
  EXPECT_EQ(id.low >> 62, 2u);
}

TEST(UuidSource, StrictlyIncreasesWhileTheClockStandsStill) {
  ManualClock clock;
  UuidSource source(clock, 2);
  Uuid last = source.next();
  for (int i = 0; i < 300'000; ++i) {  // more than one millisecond's counter holds
    const Uuid next = source.next();
    ASSERT_LT(last, next) << i;
    last = next;
  }
}

TEST(UuidSource, StrictlyIncreasesWhenTheClockStepsBack) {
  ManualClock clock;
  UuidSource source(clock, 3);
  Uuid last = source.next();
  for (const Duration step :
       {Duration(5'000), Duration(-3'600'000), Duration(1), Duration(0), Duration(-1), Duration(7'200'000)}) {
    clock.advance(step);
    const Uuid next = source.next();
    EXPECT_LT(last, next) << step.count();
    last = next;
  }
}

TEST(UuidSource, NeverRepeatsAmongThreads) {
  ManualClock clock;
  UuidSource source(clock, 4);
  std::vector<std::vector<Uuid>> made(4);
  std::vector<std::thread> threads;
  for (auto& mine : made)
    threads.emplace_back([&source, &mine] {
      for (int i = 0; i < 5'000; ++i) mine.push_back(source.next());
    });
  for (auto& thread : threads) thread.join();
  std::set<Uuid> all;
  for (const auto& mine : made) all.insert(mine.begin(), mine.end());
  EXPECT_EQ(all.size(), 20'000u);
}

}  // namespace
}  // namespace muster
