#include "fronts/ws/result_numbers.h"

#include <algorithm>

namespace muster::ws {

ResultNumbers::Run& ResultNumbers::run(const std::string& name) {
  const auto [found, fresh] = runs_.try_emplace(name);
  if (fresh) {
    by_age_.push_back(name);
    if (by_age_.size() > kResultRunsMax) {
      runs_.erase(by_age_.front());
      by_age_.pop_front();
    }
  }
  return found->second;
}

ResultNumbers::Verdict ResultNumbers::record(const Numbered& result, Instant now, bool strict) {
  Run& known = run(result.run);
  // A hole is told once, by the result that leaves it.
  const bool gap = result.seq > known.newest + 1;
  if (gap && strict && (known.refusals.contains(result.task) || known.refusals.size() < kGapTasksMax) &&
      known.refusals[result.task]++ < kGapRefusalsMax)
    return Verdict::refused;
  if (repeats(result, now)) return Verdict::duplicate;
  known.refusals.erase(result.task);
  over(result.run, result.seq);
  return gap ? Verdict::taken_after_gap : Verdict::taken;
}

// A task that is tried again answers another dispatch under the same number: only the dispatch tells a repetition.
bool ResultNumbers::repeats(const Numbered& result, Instant now) {
  const std::string name = result.run + '\n' + result.task;
  return result.dispatch && !answered_.remember({result.seq, name, *result.dispatch}, now);
}

void ResultNumbers::over(const std::string& name, std::uint64_t seq) {
  Run& known = run(name);
  static_cast<void>(known.numbers.record(seq));
  known.newest = std::max(known.newest, seq);
}

std::uint64_t ResultNumbers::missing(const std::string& run) const {
  const auto found = runs_.find(run);
  return found != runs_.end() ? found->second.numbers.missing() : 1;
}

}  // namespace muster::ws
