#include "worker/slots.h"

#include "base/incident.h"

namespace muster::worker {

Slots::Slots(std::size_t count, Work work) : count_(count), work_(std::move(work)) {
  for (std::size_t i = 0; i < count; ++i) threads_.emplace_back([this] { serve(); });
}

bool Slots::wait_free(Duration wait) {
  std::unique_lock lock(mutex_);
  return changed_.wait_for(lock, wait, [this] { return held_.size() < count_; });
}

bool Slots::start(Job job) {
  {
    const std::lock_guard lock(mutex_);
    if (stopping_ || held_.size() >= count_ || held_.contains(job.id)) return false;
    held_.emplace(job.id, std::make_shared<Cancel>());
    waiting_.push_back(std::move(job));
  }
  changed_.notify_all();
  return true;
}

void Slots::serve() {
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [this] { return stopping_ || !waiting_.empty(); });
    if (waiting_.empty()) return;
    const Job job = std::move(waiting_.front());
    waiting_.pop_front();
    const std::shared_ptr<Cancel> cancel = held_.at(job.id);
    lock.unlock();
    try {
      work_(job, *cancel);
    } catch (...) {
      // The worker stays; the job is no longer named in its heartbeats, and the server gives it to somebody else.
      const Incident incident(Incidents("worker"), "job", job.id);
    }
    lock.lock();
    held_.erase(job.id);
    changed_.notify_all();
  }
}

bool Slots::idle() const {
  const std::lock_guard lock(mutex_);
  return held_.empty();
}

bool Slots::holds(const std::string& id) const {
  const std::lock_guard lock(mutex_);
  return held_.contains(id);
}

std::vector<std::string> Slots::active() const {
  const std::lock_guard lock(mutex_);
  std::vector<std::string> ids;
  for (const auto& [id, cancel] : held_) ids.push_back(id);
  return ids;
}

void Slots::cancel(const std::string& id) {
  const std::lock_guard lock(mutex_);
  if (const auto found = held_.find(id); found != held_.end()) found->second->cancel();
}

void Slots::cancel_all() {
  const std::lock_guard lock(mutex_);
  for (const auto& [id, cancel] : held_) cancel->cancel();
}

void Slots::stop() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  changed_.notify_all();
  for (std::thread& thread : threads_)
    if (thread.joinable()) thread.join();
}

}  // namespace muster::worker
