// What happened in a run: a hash over every line, which must not differ between two runs of one seed, and the last few lines for
// whoever has to understand a failure.
#pragma once

#include <cstdint>
#include <cstdio>
#include <deque>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "tests/sim/timeline.h"

namespace muster::sim {

class Trace {
 public:
  Trace(const SimClock& clock, bool print) : clock_(clock), print_(print) {}

  template <class... Args>
  void line(fmt::format_string<Args...> format, Args&&... args) {
    const auto ms = clock_.since_start().count();
    add(fmt::format("{:>7}.{:03} ", ms / 1000, ms % 1000) + fmt::format(format, std::forward<Args>(args)...));
  }
  std::uint64_t hash() const { return hash_; }
  const std::deque<std::string>& last() const { return last_; }

 private:
  static constexpr std::size_t kKept = 30;
  void add(std::string text) {
    for (const char c : text) hash_ = (hash_ ^ static_cast<unsigned char>(c)) * 0x100000001B3ULL;
    if (print_) std::printf("%s\n", text.c_str());
    last_.push_back(std::move(text));
    if (last_.size() > kKept) last_.pop_front();
  }

  const SimClock& clock_;
  bool print_;
  std::uint64_t hash_ = 0xCBF29CE484222325ULL;
  std::deque<std::string> last_;
};

}  // namespace muster::sim
