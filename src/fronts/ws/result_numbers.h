// The numbers of results of protocol 1: each run counts its dispatches, their results repeat the number, and the protocol says
// that they come without gaps and once. Tasks of a run that run side by side end in any order, so a gap is told and taken unless
// the server is strict. On the loop's thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "base/clock.h"
#include "session/ack_waits.h"
#include "session/duplicates.h"

namespace muster::ws {

inline constexpr std::size_t kResultRunsMax = 10'000;  // whose numbers are remembered, the latest
inline constexpr std::uint32_t kGapRefusalsMax = 5;  // of one task: the sixth time its result is taken, the worker has no seventh
inline constexpr std::size_t kGapTasksMax = 1'000;   // of one run whose refusals are counted; the others' results are taken

class ResultNumbers {
 public:
  enum class Verdict : std::uint8_t {
    taken,
    taken_after_gap,  // numbers before it have not come yet
    duplicate,        // this dispatch has its result
    refused,          // strict: it is to come again after those that are missing
  };
  struct Numbered {
    const std::string& run;
    const std::string& task;
    std::uint64_t seq = 0;
    std::optional<std::string_view> dispatch;  // that it answers; nothing: it does not say
  };

  Verdict record(const Numbered& result, Instant now, bool strict);
  // Whether the dispatch had a result before; it has one from now on. Never, if the result does not say what it answers.
  bool repeats(const Numbered& result, Instant now);
  // A task is over, with a result or without: nobody waits for its number.
  void over(const std::string& run, std::uint64_t seq);
  // The lowest number of the run that has not come.
  std::uint64_t missing(const std::string& run) const;

 private:
  struct Run {
    session::RunSequence numbers;
    std::uint64_t newest = 0;
    std::map<std::string, std::uint32_t> refusals;  // by task
  };
  Run& run(const std::string& name);

  std::unordered_map<std::string, Run> runs_;
  std::deque<std::string> by_age_;
  session::Duplicates answered_;  // dispatches
};

}  // namespace muster::ws
