#include "base/metrics.h"

#include <gtest/gtest.h>

#include <thread>

namespace muster {
namespace {

TEST(Metrics, TheSameNameAndLabelsGiveTheSameObject) {
  Metrics metrics;
  Counter& a = metrics.counter("jobs_total", "jobs", {{"queue", "a"}});
  EXPECT_EQ(&a, &metrics.counter("jobs_total", "ignored", {{"queue", "a"}}));
  EXPECT_NE(&a, &metrics.counter("jobs_total", "jobs", {{"queue", "b"}}));
}

TEST(Metrics, WritesFamiliesSortedByNameWithHelpAndType) {
  Metrics metrics;
  metrics.gauge("z_depth", "how deep").set(2.5);
  metrics.counter("a_total", "how many", {{"queue", "x"}}).add(3);
  metrics.counter("a_total", "how many", {{"queue", "b"}}).add();
  EXPECT_EQ(metrics.text(),
            "# HELP a_total how many\n# TYPE a_total counter\na_total{queue=\"b\"} 1\na_total{queue=\"x\"} 3\n"
            "# HELP z_depth how deep\n# TYPE z_depth gauge\nz_depth 2.5\n");
}

TEST(Metrics, EscapesLabelValuesAndHelp) {
  Metrics metrics;
  metrics.counter("a_total", "line\nback\\slash", {{"q", "a\"b\\c\nd"}}).add();
  EXPECT_EQ(metrics.text(), "# HELP a_total line\\nback\\\\slash\n# TYPE a_total counter\na_total{q=\"a\\\"b\\\\c\\nd\"} 1\n");
}

TEST(Metrics, HistogramBucketsAreCumulativeAndIncludeTheirBound) {
  Metrics metrics;
  Histogram& h = metrics.histogram("t_seconds", "time", {0.1, 1}, {{"op", "x"}});
  h.observe(0.1);
  h.observe(0.5);
  h.observe(7);
  EXPECT_EQ(h.count(), 3u);
  EXPECT_EQ(metrics.text(),
            "# HELP t_seconds time\n# TYPE t_seconds histogram\n"
            "t_seconds_bucket{op=\"x\",le=\"0.1\"} 1\nt_seconds_bucket{op=\"x\",le=\"1\"} 2\n"
            "t_seconds_bucket{op=\"x\",le=\"+Inf\"} 3\nt_seconds_sum{op=\"x\"} 7.6\nt_seconds_count{op=\"x\"} 3\n");
}

TEST(Metrics, LosesNoCountAmongThreads) {
  Metrics metrics;
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&metrics] {
      Counter& counter = metrics.counter("n_total", "n");
      Gauge& gauge = metrics.gauge("g", "g");
      Histogram& histogram = metrics.histogram("h_seconds", "h", latency_bounds());
      for (int i = 0; i < 5'000; ++i) {
        counter.add();
        gauge.add(1);
        histogram.observe(1);
      }
    });
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(metrics.counter("n_total", "n").value(), 20'000u);
  EXPECT_EQ(metrics.gauge("g", "g").value(), 20'000);
  EXPECT_EQ(metrics.histogram("h_seconds", "h", {}).count(), 20'000u);
  EXPECT_EQ(metrics.histogram("h_seconds", "h", {}).sum(), 20'000);
}

TEST(MetricsDeathTest, ANameDoesNotChangeItsKind) {
  Metrics metrics;
  metrics.counter("a", "a");
  EXPECT_DEATH(metrics.gauge("a", "a"), "keeps its kind");
}

TEST(MetricsDeathTest, HistogramBoundsAscend) { EXPECT_DEATH(Histogram({1, 1}), "ascend"); }

}  // namespace
}  // namespace muster
