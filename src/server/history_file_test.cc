#include "server/history_file.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include "base/temp_folder_testing.h"
#include "store/scripted_testing.h"

namespace muster::server {
namespace {

using namespace std::chrono_literals;

class HistoryFileTest : public testing::Test {
 protected:
  HistoryFileTest() { options_.history = true; }

  // As a server that begins.
  std::unique_ptr<engine::History> history() { return std::make_unique<engine::History>(store_, clock_, metrics_, options_); }
  void record(engine::History& history, int steps) {
    history.tick();
    for (int i = 0; i < steps; ++i) {
      clock_.advance(history.tick());
      history.tick();
    }
  }
  static std::size_t points(const engine::History& history) { return history.read(engine::HistorySpan::hour, {}).points; }

  TempFolder folder_;
  ManualClock clock_{Instant(std::chrono::hours(480'000))};
  Metrics metrics_;
  store::ScriptedStore store_;
  engine::Options options_;
};

TEST_F(HistoryFileTest, WhatWasKeptIsThereAtTheNextStart) {
  auto before = history();
  HistoryFile file(folder_.path("history"), *before, clock_);
  file.load();
  record(*before, 4);
  file.keep();
  auto after = history();
  HistoryFile(folder_.path("history"), *after, clock_).load();
  EXPECT_EQ(points(*after), 4u);
}

TEST_F(HistoryFileTest, IsWrittenNowAndThen) {
  auto own = history();
  HistoryFile file(folder_.path("history"), *own, clock_);
  file.keep_when_due();
  EXPECT_EQ(folder_.entries(), 0u);
  clock_.advance(kHistoryKeptEvery);
  file.keep_when_due();
  EXPECT_EQ(folder_.entries(), 1u);
}

TEST_F(HistoryFileTest, OnlyItsOwnerMayReadIt) {
  auto own = history();
  HistoryFile(folder_.path("history"), *own, clock_).keep();
  struct stat about {};
  ASSERT_EQ(::stat(folder_.path("history").c_str(), &about), 0);
  EXPECT_EQ(about.st_mode & 0777, 0600u);
}

TEST_F(HistoryFileTest, ADamagedOneIsAnEmptyBeginningAndIsReplaced) {
  folder_.write("history", "not a history");
  auto own = history();
  HistoryFile file(folder_.path("history"), *own, clock_);
  file.load();
  EXPECT_EQ(points(*own), 0u);
  record(*own, 2);
  file.keep();
  auto after = history();
  HistoryFile(folder_.path("history"), *after, clock_).load();
  EXPECT_EQ(points(*after), 2u);
}

TEST_F(HistoryFileTest, ALargeFileOfSomebodyElseIsNotReadToItsEnd) {
  folder_.write("history", std::string(4 * engine::kHistoryImageBytesMax, 'x'));
  auto own = history();
  HistoryFile(folder_.path("history"), *own, clock_).load();
  EXPECT_EQ(points(*own), 0u);
}

TEST_F(HistoryFileTest, AFolderThatCannotBeWrittenCostsNothingElse) {
  auto own = history();
  HistoryFile file(folder_.path("nowhere/history"), *own, clock_);
  file.keep();
  record(*own, 1);
  EXPECT_EQ(points(*own), 1u);
}

}  // namespace
}  // namespace muster::server
