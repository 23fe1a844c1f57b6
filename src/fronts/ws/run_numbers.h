// The `seq` of dispatches: each run counts its tasks from 1, and a task that is sent again keeps its number. Those of the latest
// kRunsNumberedMax runs are remembered; the run that was begun longest ago is forgotten first. On the loop's thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <unordered_map>

namespace muster::ws {

inline constexpr std::size_t kRunsNumberedMax = 10'000;
inline constexpr std::size_t kTasksNumberedMax = 10'000;  // of one run; later ones are numbered anew each time

class RunNumbers {
 public:
  std::uint64_t number(const std::string& run, const std::string& task);

 private:
  struct Run {
    std::uint64_t last = 0;
    std::unordered_map<std::string, std::uint64_t> tasks;
  };
  std::unordered_map<std::string, Run> runs_;
  std::deque<std::string> by_age_;
};

}  // namespace muster::ws
