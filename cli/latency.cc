#include "cli/latency.h"

#include <algorithm>
#include <cmath>

namespace muster::cli {
namespace {
constexpr double kRatio = 1.02;
constexpr double kFirstNanos = 1'000;
}  // namespace

void LatencyHistogram::add(std::chrono::nanoseconds latency) {
  const double steps = std::log(std::max(static_cast<double>(latency.count()), kFirstNanos) / kFirstNanos) / std::log(kRatio);
  ++buckets_[std::min(kBuckets - 1, static_cast<std::size_t>(steps))];
  ++count_;
  sum_ += latency;
  max_ = std::max(max_, latency);
}

void LatencyHistogram::merge(const LatencyHistogram& other) {
  for (std::size_t i = 0; i < kBuckets; ++i) buckets_[i] += other.buckets_[i];
  count_ += other.count_;
  sum_ += other.sum_;
  max_ = std::max(max_, other.max_);
}

std::chrono::nanoseconds LatencyHistogram::quantile(double share) const {
  if (count_ == 0) return std::chrono::nanoseconds(0);
  const auto wanted = std::max<std::uint64_t>(1, static_cast<std::uint64_t>(std::ceil(share * static_cast<double>(count_))));
  std::uint64_t seen = 0;
  for (std::size_t i = 0; i < kBuckets; ++i) {
    seen += buckets_[i];
    if (seen < wanted) continue;
    const double upper = kFirstNanos * std::pow(kRatio, static_cast<double>(i + 1));
    return std::min(max_, std::chrono::nanoseconds(static_cast<std::int64_t>(upper)));
  }
  return max_;
}

std::chrono::nanoseconds LatencyHistogram::mean() const {
  return count_ == 0 ? std::chrono::nanoseconds(0) : sum_ / static_cast<std::int64_t>(count_);
}

}  // namespace muster::cli
