#include "fronts/ws/log_brake.h"

#include <utility>

namespace muster::ws {

LogBrake::LogBrake(Deadlines& deadlines, std::size_t lines_max, std::function<void(std::uint64_t)> tell)
    : deadlines_(deadlines), lines_max_(lines_max), tell_(std::move(tell)), end_(deadlines, [this] { over(); }) {}

bool LogBrake::admits() {
  const Instant now = deadlines_.steady();
  if (lines_ == 0 || now >= began_ + kComplaintsPeriod) {
    began_ = now;
    lines_ = 0;
  }
  if (lines_ < lines_max_) {
    ++lines_;
    return true;
  }
  if (left_out_++ == 0) end_.set(began_ + kComplaintsPeriod);
  return false;
}

void LogBrake::over() {
  if (const std::uint64_t count = std::exchange(left_out_, 0); count > 0) tell_(count);
}

}  // namespace muster::ws
