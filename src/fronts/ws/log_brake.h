// Keeps a peer from filling the log: a few lines a period, and at its end one that says how many were left out. On the loop's
// thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

#include "base/clock.h"
#include "fronts/ws/deadlines.h"

namespace muster::ws {

inline constexpr std::size_t kComplaintsMax = 5;           // lines about refused frames of one worker in a period
inline constexpr std::size_t kStrangerComplaintsMax = 20;  // the same of all sockets whose worker is not known
inline constexpr Duration kComplaintsPeriod{60'000};

class LogBrake {
 public:
  // `tell` is called with the number of lines that were left out, once in a period at most.
  LogBrake(Deadlines& deadlines, std::size_t lines_max, std::function<void(std::uint64_t)> tell);

  // May a line be written now? One that may not is counted.
  bool admits();

 private:
  void over();

  Deadlines& deadlines_;
  const std::size_t lines_max_;
  const std::function<void(std::uint64_t)> tell_;
  Instant began_{};  // the period
  std::size_t lines_ = 0;
  std::uint64_t left_out_ = 0;
  Deadlines::Entry end_;
};

}  // namespace muster::ws
