// Counters, gauges and histograms with labels, and their Prometheus text form. Thread-safe; recording costs one atomic
// operation, looking a series up costs a lock, so keep the reference.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/unique_function.h"

namespace muster {

using MetricLabels = std::map<std::string, std::string>;

class Counter {
 public:
  void add(std::uint64_t by = 1) { value_.fetch_add(by, std::memory_order_relaxed); }
  std::uint64_t value() const { return value_.load(std::memory_order_relaxed); }

 private:
  std::atomic<std::uint64_t> value_{0};
};

class Gauge {
 public:
  void set(double to) { value_.store(to, std::memory_order_relaxed); }
  void add(double by);
  double value() const { return value_.load(std::memory_order_relaxed); }

 private:
  std::atomic<double> value_{0};
};

class Histogram {
 public:
  explicit Histogram(std::vector<double> bounds);  // ascending upper bounds, without +Inf
  void observe(double value);
  const std::vector<double>& bounds() const { return bounds_; }
  std::uint64_t bucket(std::size_t index) const;  // not cumulative; index bounds().size() is +Inf
  std::uint64_t count() const;
  double sum() const { return sum_.load(std::memory_order_relaxed); }

 private:
  std::vector<double> bounds_;
  std::vector<std::atomic<std::uint64_t>> buckets_;
  std::atomic<double> sum_{0};
};

// Seconds, from 50 µs to 10 s.
std::vector<double> latency_bounds();

class Metrics {
 public:
  Metrics();
  ~Metrics();
  // The same name and labels give the same object. A name keeps the kind and help of its first use.
  Counter& counter(std::string_view name, std::string_view help, const MetricLabels& labels = {});
  Gauge& gauge(std::string_view name, std::string_view help, const MetricLabels& labels = {});
  Histogram& histogram(std::string_view name, std::string_view help, std::vector<double> bounds, const MetricLabels& labels = {});
  // Prometheus text exposition format 0.0.4, families sorted by name.
  std::string text() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace muster
