#include "sdk/cpp/ws/task_table.h"

#include <algorithm>

namespace muster::sdk::ws {
namespace {

bool is_same(const TaskInfo& a, const TaskInfo& b) { return a.run_id == b.run_id && a.task_id == b.task_id; }

bool shares_key(const TaskInfo& a, const TaskInfo& b) {
  return !a.concurrency_key.empty() && a.concurrency_key == b.concurrency_key;
}

}  // namespace

Admitted TaskTable::admit(const TaskInfo& task) {
  for (const auto& [execution, entry] : entries_)
    if (entry.phase != Phase::overdue && (is_same(entry.task, task) || shares_key(entry.task, task)))
      return {.admission = Admission::running};
  for (const Success& success : successes_)
    if (success.run_id == task.run_id && success.task_id == task.task_id && success.seq == task.seq)
      return {.admission = Admission::finished, .remembered = &success.outcome};
  if (entries_.size() >= kTasksHeldMax) return {.admission = Admission::full};
  entries_.emplace(++last_, Entry{.task = task, .phase = Phase::waiting, .began = {}, .due = {}});
  return {};
}

// A handler that ignores its end still has its slot and its key, so that what comes after it waits.
bool TaskTable::has_room_for(const Entry& entry) const {
  std::uint32_t of_node = 0;
  for (const auto& [execution, other] : entries_) {
    if (other.phase == Phase::waiting) continue;
    if (other.task.node_type == entry.task.node_type) ++of_node;
    if (is_same(other.task, entry.task) || shares_key(other.task, entry.task)) return false;
  }
  const auto limit = limits_.per_node.find(entry.task.node_type);
  return limit == limits_.per_node.end() || of_node < limit->second;
}

std::optional<Execution> TaskTable::to_start(Moment now) {
  const auto busy =
      std::count_if(entries_.begin(), entries_.end(), [](const auto& entry) { return entry.second.phase != Phase::waiting; });
  if (busy >= static_cast<std::ptrdiff_t>(limits_.max_parallel)) return std::nullopt;
  for (auto& [execution, entry] : entries_) {
    if (entry.phase != Phase::waiting || !has_room_for(entry)) continue;
    entry.phase = Phase::running;
    entry.began = now;
    if (entry.task.timeout) entry.due = now.ticks + *entry.task.timeout;
    return execution;
  }
  return std::nullopt;
}

bool TaskTable::is_running(Execution execution) const {
  const auto at = entries_.find(execution);
  return at != entries_.end() && at->second.phase == Phase::running;
}

std::vector<Execution> TaskTable::overdue(Moment now) {
  std::vector<Execution> out;
  for (auto& [execution, entry] : entries_) {
    if (entry.phase != Phase::running || !entry.due || *entry.due > now.ticks) continue;
    entry.phase = Phase::overdue;
    out.push_back(execution);
  }
  return out;
}

std::optional<Ticks> TaskTable::next_due() const {
  std::optional<Ticks> due;
  for (const auto& [execution, entry] : entries_)
    if (entry.phase == Phase::running && entry.due && (!due || *entry.due < *due)) due = entry.due;
  return due;
}

void TaskTable::returned(Execution execution) { entries_.erase(execution); }

void TaskTable::remember(const TaskInfo& task, OutcomeFrame outcome, Receipt receipt) {
  success_bytes_ += outcome.payload.size();
  successes_.push_back(
      {.run_id = task.run_id, .task_id = task.task_id, .seq = task.seq, .outcome = std::move(outcome), .receipt = receipt});
  while (successes_.size() > kSuccessesRememberedMax || (success_bytes_ > kSuccessBytesRememberedMax && successes_.size() > 1))
    forget_oldest();
}

void TaskTable::forget_oldest() {
  success_bytes_ -= successes_.front().outcome.payload.size();
  successes_.pop_front();
}

void TaskTable::acked(Receipt receipt) {
  for (Success& success : successes_)
    if (success.receipt == receipt) success.acked = true;
}

void TaskTable::connection_lost() {
  std::deque<Success> kept;
  success_bytes_ = 0;
  for (Success& success : successes_) {
    if (success.acked) continue;
    success_bytes_ += success.outcome.payload.size();
    kept.push_back(std::move(success));
  }
  successes_ = std::move(kept);
}

std::vector<TaskInfo> TaskTable::drop_waiting() {
  std::vector<TaskInfo> out;
  for (auto at = entries_.begin(); at != entries_.end();) {
    if (at->second.phase != Phase::waiting) {
      ++at;
      continue;
    }
    out.push_back(std::move(at->second.task));
    at = entries_.erase(at);
  }
  return out;
}

std::vector<Execution> TaskTable::abandon() {
  std::vector<Execution> out;
  for (auto& [execution, entry] : entries_) {
    if (entry.phase != Phase::running) continue;
    entry.phase = Phase::overdue;
    out.push_back(execution);
  }
  return out;
}

std::size_t TaskTable::inflight() const {
  return static_cast<std::size_t>(
      std::count_if(entries_.begin(), entries_.end(), [](const auto& entry) { return entry.second.phase != Phase::overdue; }));
}

}  // namespace muster::sdk::ws
