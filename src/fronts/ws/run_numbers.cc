#include "fronts/ws/run_numbers.h"

namespace muster::ws {

std::uint64_t RunNumbers::number(const std::string& run, const std::string& task) {
  const auto [found, fresh] = runs_.try_emplace(run);
  Run& numbers = found->second;
  if (fresh) {
    by_age_.push_back(run);
    if (by_age_.size() > kRunsNumberedMax) {
      runs_.erase(by_age_.front());
      by_age_.pop_front();
    }
  }
  if (const auto known = numbers.tasks.find(task); known != numbers.tasks.end()) return known->second;
  const std::uint64_t number = ++numbers.last;
  if (numbers.tasks.size() < kTasksNumberedMax) numbers.tasks.emplace(task, number);
  return number;
}

}  // namespace muster::ws
