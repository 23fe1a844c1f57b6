#include "sdk/cpp/backoff.h"

#include <algorithm>

namespace muster::sdk {
namespace {
constexpr std::uint32_t kDoublingsMax = 30;  // keeps the shift inside 64 bits long after the cap is reached
}

std::chrono::milliseconds Backoff::next(std::optional<std::chrono::milliseconds> at_least) {
  const auto step = std::min(limits_.max, limits_.min * (std::int64_t{1} << failures_));
  if (failures_ < kDoublingsMax) ++failures_;
  std::uniform_int_distribution<std::int64_t> spread(step.count() / 2, step.count());
  const std::chrono::milliseconds wait(spread(random_));
  return at_least ? std::max(wait, *at_least) : wait;
}

}  // namespace muster::sdk
