#include "sdk/cpp/worker_tasks.h"

namespace muster::sdk {

Result<Nothing> HeldTask::report(const Progress& progress) {
  const Result<Renewed> renewed = client_.progress(grant_.lease, progress);
  if (!renewed.ok()) {
    if (renewed.error().code == Code::lease_lost) lose();
    return renewed.error();
  }
  if (renewed->cancel_requested) cancel();
  return Nothing{};
}

std::uint32_t HeldTasks::wait_for_slots() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return closed_ || held_.size() < slots_; });
  return closed_ ? 0 : slots_ - static_cast<std::uint32_t>(held_.size());
}

void HeldTasks::add(std::shared_ptr<HeldTask> task) {
  {
    const std::lock_guard lock(mutex_);
    held_.emplace(task->grant().lease, task);
    waiting_.push_back(std::move(task));
  }
  changed_.notify_all();
}

std::shared_ptr<HeldTask> HeldTasks::take() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return closed_ || !waiting_.empty(); });
  if (waiting_.empty()) return nullptr;
  std::shared_ptr<HeldTask> task = std::move(waiting_.front());
  waiting_.pop_front();
  return task;
}

void HeldTasks::settled(const HeldTask& task) {
  {
    const std::lock_guard lock(mutex_);
    held_.erase(task.grant().lease);
  }
  changed_.notify_all();
}

void HeldTasks::close() {
  {
    const std::lock_guard lock(mutex_);
    closed_ = true;
  }
  changed_.notify_all();
}

bool HeldTasks::wait_until_empty(std::chrono::steady_clock::time_point deadline) {
  std::unique_lock lock(mutex_);
  return changed_.wait_until(lock, deadline, [this] { return held_.empty(); });
}

std::vector<LeaseRef> HeldTasks::leases() const {
  const std::lock_guard lock(mutex_);
  std::vector<LeaseRef> out;
  out.reserve(held_.size());
  for (const auto& [lease, task] : held_) out.push_back(lease);
  return out;
}

std::size_t HeldTasks::size() const {
  const std::lock_guard lock(mutex_);
  return held_.size();
}

void HeldTasks::lose(const std::vector<LeaseRef>& leases) {
  const std::lock_guard lock(mutex_);
  for (const LeaseRef& lease : leases)
    if (const auto at = held_.find(lease); at != held_.end()) at->second->lose();
}

void HeldTasks::cancel(const std::vector<LeaseRef>& leases) {
  const std::lock_guard lock(mutex_);
  for (const LeaseRef& lease : leases)
    if (const auto at = held_.find(lease); at != held_.end()) at->second->cancel();
}

void HeldTasks::lose_all() {
  const std::lock_guard lock(mutex_);
  for (const auto& [lease, task] : held_) task->lose();
}

}  // namespace muster::sdk
