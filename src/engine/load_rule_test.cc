#include "engine/load_rule.h"

#include <gtest/gtest.h>

namespace muster::engine {
namespace {

constexpr LoadFacts kWorks{WorkerState::online, DrainOrigin::none, 0};

LoadFacts drained(std::uint32_t calm_beats = 0) { return {WorkerState::draining, DrainOrigin::load, calm_beats}; }
LoadTold memory(double value) { return {.mem_pct = value, .disk_pct = std::nullopt}; }
LoadTold disk(double value) { return {.mem_pct = std::nullopt, .disk_pct = value}; }

TEST(LoadTold, IsReadFromStatsAndFromTheirMetrics) {
  EXPECT_EQ(load_told(R"({"mem_pct":93.5,"disk_pct":7})").mem_pct, 93.5);
  EXPECT_EQ(load_told(R"({"mem_pct":93.5,"disk_pct":7})").disk_pct, 7);
  const LoadTold inner = load_told(R"({"healthy":true,"metrics":{"inflight":0,"mem_pct":91}})");
  EXPECT_EQ(inner.mem_pct, 91);
  EXPECT_FALSE(inner.disk_pct);
}

TEST(LoadTold, WhatIsNoPercentageIsNotTold) {
  for (const char* stats : {"", "{}", "mem_pct", R"({"mem_pct":"93"})", R"({"mem_pct":-1})", R"({"mem_pct":null})",
                            R"({"metrics":[{"mem_pct":93}]})", R"({"metrics":"mem_pct"})", R"({"disk_pct":{"a":1}})"}) {
    const LoadTold told = load_told(stats);
    EXPECT_FALSE(told.mem_pct || told.disk_pct) << stats;
  }
}

TEST(LoadRule, DrainsAtTheThresholdAndNotBelow) {
  EXPECT_EQ(judge_load(kWorks, memory(90), {}).step, LoadStep::drain);
  EXPECT_EQ(judge_load(kWorks, memory(89.9), {}).step, LoadStep::stay);
  EXPECT_EQ(judge_load(kWorks, disk(95), {}).step, LoadStep::drain);
  EXPECT_EQ(judge_load(kWorks, disk(94.9), {}).step, LoadStep::stay);
}

TEST(LoadRule, TheReasonSaysWhatIsHighAndHowHigh) {
  EXPECT_EQ(judge_load(kWorks, memory(93), {}).reason, "memory 93 %");
  EXPECT_EQ(judge_load(kWorks, {93.25, 99}, {}).reason, "memory 93.25 %, disk 99 %");
  EXPECT_EQ(judge_load(kWorks, {10, 99}, {}).reason, "disk 99 %");
}

TEST(LoadRule, AThresholdOfZeroDrainsNobody) {
  EXPECT_EQ(judge_load(kWorks, memory(100), {.mem_pct = 0}).step, LoadStep::stay);
  EXPECT_EQ(judge_load(drained(2), memory(100), {.mem_pct = 0}).step, LoadStep::resume);
}

TEST(LoadRule, WorksAgainAfterEnoughCalmBeatsInARow) {
  LoadVerdict verdict = judge_load(drained(), memory(84.9), {});
  EXPECT_EQ(verdict.step, LoadStep::stay);
  EXPECT_EQ(verdict.calm_beats, 1u);
  verdict = judge_load(drained(1), memory(84.9), {});
  EXPECT_EQ(verdict.step, LoadStep::stay);
  EXPECT_EQ(judge_load(drained(2), memory(84.9), {}).step, LoadStep::resume);
}

TEST(LoadRule, WithinTheMarginOrHighTheCountBeginsAnew) {
  for (const double value : {85.0, 89.9, 90.0, 99.0}) {
    const LoadVerdict verdict = judge_load(drained(2), memory(value), {});
    EXPECT_EQ(verdict.step, LoadStep::stay) << value;
    EXPECT_EQ(verdict.calm_beats, 0u) << value;
  }
  EXPECT_EQ(judge_load(drained(2), {10, 90}, {}).calm_beats, 0u) << "both must have fallen";
}

TEST(LoadRule, ABeatWithoutNumbersSaysNothing) {
  const LoadVerdict verdict = judge_load(drained(2), {}, {});
  EXPECT_EQ(verdict.step, LoadStep::stay);
  EXPECT_EQ(verdict.calm_beats, 2u);
}

TEST(LoadRule, LeavesOthersDrainsAlone) {
  for (const DrainOrigin origin : {DrainOrigin::asked, DrainOrigin::itself}) {
    const LoadFacts facts{WorkerState::draining, origin, 5};
    EXPECT_EQ(judge_load(facts, memory(99), {}).step, LoadStep::stay);
    EXPECT_EQ(judge_load(facts, memory(1), {}).step, LoadStep::stay);
  }
}

TEST(LoadRule, AnOperatorsWordHoldsUntilTheLoadHasFallen) {
  const auto overruled = [](std::uint32_t calm_beats) {
    return LoadFacts{WorkerState::online, DrainOrigin::overruled, calm_beats};
  };
  EXPECT_EQ(judge_load(overruled(0), memory(99), {}).step, LoadStep::stay);
  EXPECT_EQ(judge_load(overruled(2), memory(50), {}).step, LoadStep::resume);
}

}  // namespace
}  // namespace muster::engine
