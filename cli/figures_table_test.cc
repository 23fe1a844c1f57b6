#include <gtest/gtest.h>

#include "cli/figures.h"

namespace muster::cli {
namespace {

sdk::HistoryFigures figures(std::map<std::string, std::vector<std::optional<double>>> series) {
  sdk::HistoryFigures out;
  out.step = sdk::Duration(5'000);
  out.points = series.empty() ? 0 : series.begin()->second.size();
  out.series = std::move(series);
  return out;
}

std::string row(const sdk::HistoryFigures& of, std::size_t width = 4) {
  const std::vector<std::string> lines =
      figures_table(of, {.width = width, .unicode = false}).lines({.color = false, .width_max = 200});
  return lines.size() > 1 ? lines[1] : "";
}

TEST(FiguresTable, ShowsNewestLeastMeanAndMost) {
  const std::string line = row(figures({{"ready", {4.0, 1.0, 7.0, 8.0}}}));
  EXPECT_NE(line.find("ready     8      1     5     8"), std::string::npos) << line;
}

TEST(FiguresTable, WhatNobodyKnewDoesNotCount) {
  const std::string line = row(figures({{"ready", {std::nullopt, 2.0, std::nullopt, 4.0, std::nullopt}}}));
  EXPECT_NE(line.find("4      2     3     4"), std::string::npos) << line;
  EXPECT_EQ(figures_table(figures({{"ready", {std::nullopt}}}), {}).rows(), 0u);
  EXPECT_EQ(figures_table(figures({}), {}).rows(), 0u);
}

TEST(FiguresTable, ManyPointsAreSqueezedIntoTheLine) {
  std::vector<std::optional<double>> values(1'000, 1.0);
  values.back() = 1'000;
  const std::string line = row(figures({{"ready", values}}), 10);
  EXPECT_LT(line.size(), 80u);
}

TEST(FiguresTable, FiguresAreWrittenByTheirUnit) {
  EXPECT_EQ(format_figure("store_commit_ms", 1.25), "1.2ms");
  EXPECT_EQ(format_figure("oldest_ready_ms", 0), "0.0ms");
  EXPECT_EQ(format_figure("cpu_cores", 0.128), "0.13");
  EXPECT_EQ(format_figure("workers_live", 12), "12");
}

}  // namespace
}  // namespace muster::cli
