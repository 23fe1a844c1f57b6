// Random plans against a matcher that looks at every second by itself, with the zone's rules told in other words than zone.cc's.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <random>
#include <set>
#include <string>

#include <fmt/format.h>

#include "cron/cron_testing.h"
#include "cron/zone.h"

namespace muster::cron {
namespace {

using namespace std::chrono_literals;
using std::chrono::local_days;
using std::chrono::local_seconds;
using std::chrono::seconds;
using std::chrono::sys_seconds;

struct Sets {
  std::array<std::set<int>, 6> numbers;  // of six fields; days of the week from 1 = Sunday
};

class Dice {
 public:
  explicit Dice(unsigned seed) : random_(seed) {}
  int roll(int least, int most) { return std::uniform_int_distribution(least, most)(random_); }

 private:
  std::mt19937 random_;
};

// One field: everything, a step, a range, or a list; as text and as the numbers it stands for.
std::pair<std::string, std::set<int>> field(Dice& dice, int least, int most) {
  std::set<int> numbers;
  const auto fill = [&](int from, int to, int step) {
    for (int n = from; n <= to; n += step) numbers.insert(n);
  };
  switch (dice.roll(0, 4)) {
    case 0: {
      fill(least, most, 1);
      return {"*", numbers};
    }
    case 1: {
      const int step = dice.roll(1, most);
      fill(least, most, step);
      return {fmt::format("*/{}", step), numbers};
    }
    case 2: {
      const int from = dice.roll(least, most);
      const int to = dice.roll(from, most);
      const int step = dice.roll(1, most);
      fill(from, to, step);
      return {fmt::format("{}-{}/{}", from, to, step), numbers};
    }
    case 3: {
      const int from = dice.roll(least, most);
      const int step = dice.roll(1, most);
      fill(from, most, step);
      return {fmt::format("{}/{}", from, step), numbers};
    }
    default: {
      std::string text;
      for (int i = dice.roll(1, 6); i > 0; --i) {
        const int n = dice.roll(least, most);
        numbers.insert(n);
        text += fmt::format("{}{}", text.empty() ? "" : ",", n);
      }
      return {text, numbers};
    }
  }
}

bool matches(const Sets& sets, local_seconds at) {
  const local_days day = std::chrono::floor<std::chrono::days>(at);
  const std::chrono::year_month_day date(day);
  const std::chrono::hh_mm_ss time(at - day);
  const auto has = [&](std::size_t i, auto n) { return sets.numbers[i].contains(static_cast<int>(n)); };
  return has(0, time.seconds().count()) && has(1, time.minutes().count()) && has(2, time.hours().count()) &&
         has(3, static_cast<unsigned>(date.day())) && has(4, static_cast<unsigned>(date.month())) &&
         has(5, std::chrono::weekday(day).c_encoding() + 1);
}

std::pair<std::string, Sets> random_fields(Dice& dice) {
  constexpr std::array<std::pair<int, int>, 6> kRanges{{{0, 59}, {0, 59}, {0, 23}, {1, 31}, {1, 12}, {1, 7}}};
  std::string text;
  Sets sets;
  for (std::size_t i = 0; i < kRanges.size(); ++i) {
    // Mostly open in the larger units, so that the days looked at hold fires.
    auto [part, numbers] = i >= 3 && dice.roll(0, 2) != 0 ? field(dice, kRanges[i].first, kRanges[i].first)
                                                          : field(dice, kRanges[i].first, kRanges[i].second);
    if (i >= 3 && numbers.size() == 1 && *numbers.begin() == kRanges[i].first) {
      part = "*";
      for (int n = kRanges[i].first; n <= kRanges[i].second; ++n) numbers.insert(n);
    }
    text += (i == 0 ? "" : " ") + part;
    sets.numbers[i] = std::move(numbers);
  }
  return {text, sets};
}

// Second by second: local times left out since the second before count here, those seen before count once or again.
std::vector<Instant> brute(const Sets& sets, const Timing& timing, Instant from, Instant to) {
  const Result<Zone> zone = Zone::find(timing.zone);
  EXPECT_TRUE(zone.ok());
  const auto local_of = [&](sys_seconds at) {
    const seconds offset = zone->is_utc() ? 0s : zone->at(at).offset;
    return local_seconds(at.time_since_epoch() + offset);
  };
  std::vector<Instant> out;
  const auto begin = std::chrono::floor<seconds>(from);
  local_seconds newest = local_of(begin);
  for (sys_seconds at = begin + 1s; at <= to; at += 1s) {
    const local_seconds now = local_of(at);
    bool fire = matches(sets, now) && (now > newest || timing.fold == FoldRule::twice);
    if (timing.gap == GapRule::next)
      for (local_seconds missed = newest + 1s; missed < now; missed += 1s) fire = fire || matches(sets, missed);
    newest = std::max(newest, now);
    if (fire) out.push_back(at);
  }
  return out;
}

std::vector<Instant> by_next(const Plan& plan, Instant from, Instant to) {
  std::vector<Instant> out;
  for (auto fire = plan.next(from); fire && *fire <= to; fire = plan.next(*fire)) out.push_back(*fire);
  return out;
}

TEST(CronProperties, NextFindsWhatLookingAtEverySecondFinds) {
  struct Window {
    const char* zone;
    const char* begin;  // of two days around a change of offset, where there is one; away from the change itself
  };
  constexpr std::array<Window, 7> kWindows{{{"UTC", "2027-12-31T00:00:00Z"},
                                            {"Europe/Berlin", "2026-03-28T12:00:00Z"},
                                            {"Europe/Berlin", "2026-10-24T12:00:00Z"},
                                            {"America/New_York", "2026-10-31T12:00:00Z"},
                                            {"Australia/Lord_Howe", "2026-04-04T00:00:00Z"},
                                            {"Australia/Lord_Howe", "2026-10-03T00:00:00Z"},
                                            {"Asia/Kathmandu", "2028-02-28T12:00:00Z"}}};
  Dice dice(20260301);
  std::size_t found = 0;
  for (int round = 0; round < 140; ++round) {
    const Window& window = kWindows[static_cast<std::size_t>(round) % kWindows.size()];
    const auto [text, sets] = random_fields(dice);
    const Timing timing{.text = text,
                        .form = CronForm::kagzi,
                        .zone = window.zone,
                        .gap = dice.roll(0, 1) == 0 ? GapRule::next : GapRule::skip,
                        .fold = dice.roll(0, 1) == 0 ? FoldRule::once : FoldRule::twice};
    const Instant from = at(window.begin);
    const Instant to = from + 48h;
    const std::vector<Instant> expected = brute(sets, timing, from, to);
    const Plan plan = plan_of(timing);
    found += expected.size();
    ASSERT_EQ(by_next(plan, from, to), expected) << text << " in " << window.zone;
    ASSERT_EQ(plan.between(from, to, 1'000'000), expected) << text << " in " << window.zone;
  }
  EXPECT_GT(found, 10'000u);
}

TEST(CronProperties, BetweenIsRepeatedNextAndEveryFireIsLaterThanWhatWasAsked) {
  Dice dice(7);
  const std::array<const char*, 4> zones{"UTC", "Europe/Berlin", "America/New_York", "Australia/Lord_Howe"};
  std::size_t found = 0;
  for (int round = 0; round < 300; ++round) {
    auto [text, sets] = random_fields(dice);
    text.replace(0, text.find(' '), "0");  // few enough to look at years
    const Timing timing{.text = text, .form = CronForm::kagzi, .zone = zones[static_cast<std::size_t>(round) % zones.size()]};
    const Plan plan = plan_of(timing);
    const Instant from = at("2020-01-01T00:00:00Z") + Duration(dice.roll(0, 2'000'000'000));
    std::vector<Instant> expected;
    Instant to = from;
    while (expected.size() < 200) {
      const auto fire = plan.next(to);
      if (!fire) break;
      ASSERT_GT(*fire, to) << text;
      expected.push_back(*fire);
      to = *fire;
    }
    found += expected.size();
    const auto keep = static_cast<std::size_t>(dice.roll(0, 250));
    std::uint64_t left_out = 0;
    const std::vector<Instant> kept = plan.between(from, to, keep, &left_out);
    ASSERT_EQ(kept.size() + left_out, expected.size()) << text;
    ASSERT_TRUE(std::equal(kept.rbegin(), kept.rend(), expected.rbegin())) << text;
    ASSERT_EQ(kept.size(), std::min(keep, expected.size()));
  }
  EXPECT_GT(found, 30'000u);
}

TEST(CronProperties, IntervalsFireAtTheirMultiples) {
  Dice dice(11);
  for (int round = 0; round < 200; ++round) {
    const int length = dice.roll(10, 10'000'000);
    const Plan plan = plan_of(native(fmt::format("every {}ms", length)));
    const Instant from = at("2026-01-01T00:00:00Z") + Duration(dice.roll(0, 2'000'000'000));
    const std::vector<Instant> fires = plan.between(from, from + 5 * Duration(length), 10);
    ASSERT_EQ(fires, by_next(plan, from, from + 5 * Duration(length)));
    ASSERT_EQ(fires.size(), 5u);
    for (const Instant fire : fires) ASSERT_EQ(to_ms(fire) % length, 0);
  }
}

}  // namespace
}  // namespace muster::cron
