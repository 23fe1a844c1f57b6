// How fast the lives of jobs went: what `muster bench` measures with.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>

namespace muster::cli {

// Latencies in buckets that grow by a fixed ratio: constant memory, quantiles right to about two percent. Not thread-safe; each
// thread of a benchmark has its own and they are merged at the end.
class LatencyHistogram {
 public:
  void add(std::chrono::nanoseconds latency);
  void merge(const LatencyHistogram& other);

  std::uint64_t count() const { return count_; }
  // The latency that the given share of samples does not exceed; 0 without samples.
  std::chrono::nanoseconds quantile(double share) const;
  std::chrono::nanoseconds mean() const;
  std::chrono::nanoseconds max() const { return max_; }

 private:
  static constexpr std::size_t kBuckets = 1'400;  // from 1 µs, 2 % each, beyond an hour
  std::array<std::uint64_t, kBuckets> buckets_{};
  std::uint64_t count_ = 0;
  std::chrono::nanoseconds sum_{0};
  std::chrono::nanoseconds max_{0};
};

}  // namespace muster::cli
