#include "fronts/ws/deadlines.h"

#include <algorithm>

namespace muster::ws {
namespace {

constexpr Duration kLookEvery{25};

}  // namespace

void Deadlines::Entry::set(std::optional<Instant> at) {
  if (place_ && at && (*place_)->first == *at) return;
  if (place_) deadlines_.waiting_.erase(*place_);
  place_.reset();
  if (!at) return;
  place_ = deadlines_.waiting_.emplace(*at, this);
  deadlines_.arm();
}

void Deadlines::arm() {
  if (armed_ || waiting_.empty()) return;
  armed_ = true;
  const Duration left = waiting_.begin()->first - steady();
  timer_.start(std::clamp(left, Duration(1), kLookEvery), [this] { look(); });
}

// What a call adds for now is left to the next look, so that nobody keeps the loop.
void Deadlines::look() {
  armed_ = false;
  const Instant now = steady();
  for (std::size_t left = waiting_.size(); left > 0 && !waiting_.empty() && waiting_.begin()->first <= now; --left) {
    Entry& entry = *waiting_.begin()->second;
    entry.set(std::nullopt);
    const std::function<void()> due = entry.due_;  // the call may end the entry
    due();
  }
  arm();
}

}  // namespace muster::ws
