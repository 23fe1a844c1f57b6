#include "engine/history_book.h"

#include <gtest/gtest.h>

#include <cmath>

#include "base/sha256.h"

namespace muster::engine {
namespace {

using namespace std::chrono_literals;

constexpr Instant kNoon = Instant(std::chrono::hours(480'000));  // a whole hour

HistoryRow waiting(float ready) {
  HistoryRow row;
  row[Figure::ready] = ready;
  return row;
}

std::vector<double> ready_of(const HistoryPoints& points) { return points.series.at("ready"); }

// NaN as -1, so that lists compare.
std::vector<double> known(std::vector<double> values) {
  for (double& value : values)
    if (std::isnan(value)) value = -1;
  return values;
}

class HistoryBookTest : public testing::Test {
 protected:
  // One row for each step.
  void run(Instant from, int steps) {
    for (int i = 0; i < steps; ++i) book_.put(from + i * kHistoryStep, waiting(static_cast<float>(i)));
  }
  HistoryPoints hour(std::optional<Instant> since = {}) const { return book_.read(HistorySpan::hour, since); }
  HistoryPoints day(std::optional<Instant> since = {}) const { return book_.read(HistorySpan::day, since); }

  HistoryBook book_;
};

TEST_F(HistoryBookTest, AnEmptyOneHasNoPointsAndNamesEveryFigure) {
  const HistoryPoints points = hour();
  EXPECT_EQ(points.points, 0u);
  EXPECT_EQ(points.series.size(), kFigures);
}

TEST_F(HistoryBookTest, RowsAreReadInTheirOrderFromTheFirst) {
  run(kNoon, 3);
  const HistoryPoints points = hour();
  EXPECT_EQ(points.from, kNoon);
  EXPECT_EQ(points.step, 5s);
  EXPECT_EQ(points.points, 3u);
  EXPECT_EQ(ready_of(points), (std::vector<double>{0, 1, 2}));
  EXPECT_TRUE(std::isnan(points.series.at("cpu_cores").front()));
}

TEST_F(HistoryBookTest, SinceLeavesOutWhatTheReaderHas) {
  run(kNoon, 5);
  EXPECT_EQ(ready_of(hour(kNoon + 10s)), (std::vector<double>{3, 4}));
  EXPECT_EQ(hour(kNoon + 10s).from, kNoon + 15s);
  EXPECT_EQ(ready_of(hour(kNoon - 1h)).size(), 5u);
  EXPECT_EQ(hour(kNoon + 20s).points, 0u);
  EXPECT_EQ(hour(kNoon + 24h * 365).points, 0u);
}

TEST_F(HistoryBookTest, TheMinuteBeforeALongGapIsKeptInTheDay) {
  run(kNoon, 12);
  book_.put(kNoon + 2h, waiting(1));
  const HistoryPoints points = day();
  ASSERT_EQ(points.from, kNoon);
  EXPECT_EQ(ready_of(points).front(), 5.5);
}

TEST_F(HistoryBookTest, OnlyTheLastHourIsKeptInSteps) {
  run(kNoon, static_cast<int>(kHistoryRowsMax) + 10);
  const HistoryPoints points = hour();
  EXPECT_EQ(points.points, kHistoryRowsMax);
  EXPECT_EQ(points.from, kNoon + 10 * kHistoryStep);
  EXPECT_EQ(ready_of(points).front(), 10);
}

TEST_F(HistoryBookTest, StepsNobodyRecordedAreUnknown) {
  run(kNoon, 1);
  book_.put(kNoon + 15s, waiting(7));
  EXPECT_EQ(known(ready_of(hour())), (std::vector<double>{0, -1, -1, 7}));
}

TEST_F(HistoryBookTest, AGapLongerThanTheHourLeavesNothingOfBefore) {
  run(kNoon, 3);
  book_.put(kNoon + 2h, waiting(7));
  EXPECT_EQ(ready_of(hour()), (std::vector<double>{7}));
  EXPECT_EQ(day().points, 1u);  // the minute of before
}

TEST_F(HistoryBookTest, AClockThatWasPutBackTakesAwayWhatLiesAhead) {
  run(kNoon, 10);
  book_.put(kNoon + 20s, waiting(100));
  EXPECT_EQ(ready_of(hour()), (std::vector<double>{0, 1, 2, 3, 100}));
  book_.put(kNoon - 1h, waiting(8));
  EXPECT_EQ(ready_of(hour()), (std::vector<double>{8}));
}

TEST_F(HistoryBookTest, AMinuteIsTheMeanOfItsStepsOnceItIsOver) {
  run(kNoon, 12);
  EXPECT_EQ(day().points, 0u);
  book_.put(kNoon + 1min, waiting(50));
  EXPECT_EQ(ready_of(day()), (std::vector<double>{5.5}));
  EXPECT_EQ(day().from, kNoon);
  EXPECT_EQ(day().step, 1min);
}

TEST_F(HistoryBookTest, OfAgesTheGreatestStandsForTheMinute) {
  for (const float age : {100.F, 9'000.F, 0.F}) {
    HistoryRow row;
    row[Figure::oldest_ready] = age;
    book_.put(kNoon + Duration(static_cast<int>(age)), row);
  }
  HistoryRow row;
  row[Figure::oldest_ready] = 20'000;
  book_.put(kNoon + 5s, row);
  book_.put(kNoon + 1min, HistoryRow());
  EXPECT_EQ(day().series.at("oldest_ready_ms"), (std::vector<double>{20'000}));
}

TEST_F(HistoryBookTest, ADayHasItsMinutesAndNoMore) {
  run(kNoon, 12 * static_cast<int>(kHistoryDayRowsMax + 5));
  EXPECT_EQ(day().points, kHistoryDayRowsMax);
}

TEST_F(HistoryBookTest, ComesBackFromItsImage) {
  run(kNoon, 100);
  const std::string image = book_.image();
  EXPECT_LE(image.size(), kHistoryImageBytesMax);
  const auto read = HistoryBook::from_image(image, kNoon + 1h);
  ASSERT_TRUE(read.ok()) << read.status().text();
  EXPECT_EQ(read->image(), image);
  EXPECT_EQ(ready_of(read->read(HistorySpan::day, {})), ready_of(day()));
}

TEST_F(HistoryBookTest, AFullOneFitsItsFile) {
  run(kNoon, 12 * static_cast<int>(kHistoryDayRowsMax + 1));
  EXPECT_LE(book_.image().size(), kHistoryImageBytesMax);
}

TEST_F(HistoryBookTest, WhatIsCutOrChangedIsRefused) {
  run(kNoon, 20);
  const std::string image = book_.image();
  EXPECT_EQ(HistoryBook::from_image("", kNoon).code(), Code::corrupt);
  EXPECT_EQ(HistoryBook::from_image("a text of somebody else's", kNoon).code(), Code::corrupt);
  for (std::size_t cut = 0; cut < image.size(); cut += 37)
    EXPECT_EQ(HistoryBook::from_image(image.substr(0, cut), kNoon).code(), Code::corrupt) << cut;
  for (std::size_t at = 0; at < image.size(); at += 41) {
    std::string changed = image;
    changed[at] = static_cast<char>(changed[at] ^ 0x20);
    EXPECT_EQ(HistoryBook::from_image(changed, kNoon).code(), Code::corrupt) << at;
  }
}

// As a program with a mistake could have written it: the digest is right.
TEST_F(HistoryBookTest, AnImageThatPromisesMoreThanItHoldsIsRefused) {
  run(kNoon, 20);
  std::string body = book_.image();
  body.resize(body.size() - 64);
  for (const std::string& wrong : {body.substr(0, body.size() - 1), body + "x", body.substr(0, 30), body.substr(0, 260)})
    EXPECT_EQ(HistoryBook::from_image(wrong + sha256_hex(wrong), kNoon).code(), Code::corrupt);
}

TEST_F(HistoryBookTest, AnotherVersionsFiguresAreTakenByName) {
  run(kNoon, 3);
  std::string body = book_.image();
  body.resize(body.size() - 64);
  body.replace(body.find("oldest_ready_ms"), 15, "somebody_else_s");
  const auto read = HistoryBook::from_image(body + sha256_hex(body), kNoon + 1h);
  ASSERT_TRUE(read.ok()) << read.status().text();
  EXPECT_EQ(ready_of(read->read(HistorySpan::hour, {})), (std::vector<double>{0, 1, 2}));
}

TEST_F(HistoryBookTest, WhatLiesAheadOfTheClockIsLeftOut) {
  run(kNoon, 10);
  const auto read = HistoryBook::from_image(book_.image(), kNoon + 12s);
  ASSERT_TRUE(read.ok());
  EXPECT_EQ(ready_of(read->read(HistorySpan::hour, {})), (std::vector<double>{0, 1, 2}));
  const auto none = HistoryBook::from_image(book_.image(), kNoon - 24h);
  ASSERT_TRUE(none.ok());
  EXPECT_EQ(none->read(HistorySpan::hour, {}).points, 0u);
}

}  // namespace
}  // namespace muster::engine
