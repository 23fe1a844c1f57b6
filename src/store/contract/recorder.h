// A listener that keeps everything it was told, for cases and for the random walk.
#pragma once

#include <condition_variable>
#include <mutex>
#include <vector>

#include "base/patience_testing.h"
#include "store/contract/client.h"

namespace muster::store::contract {

class Recorder final : public Listener {
 public:
  void committed(const Committed& commit) override {
    const std::lock_guard lock(mutex_);
    jobs_.insert(jobs_.end(), commit.jobs.begin(), commit.jobs.end());
    workers_.insert(workers_.end(), commit.workers.begin(), commit.workers.end());
    queues_.insert(queues_.end(), commit.queues.begin(), commit.queues.end());
    wakes_.insert(wakes_.end(), commit.wakes.begin(), commit.wakes.end());
    keys_.insert(keys_.end(), commit.keys.begin(), commit.keys.end());
    changed_.notify_all();
  }

  // Waits until everything committed so far has been told: commits are told in order, so a change of a queue nobody uses,
  // made now, comes after all of it.
  void catch_up(Client& client) {
    QueueChange marker;
    marker.queue = QueueName(kMarkerQueue);
    marker.paused = !marker_paused_;
    if (!client.change_queue(marker).ok()) return;
    marker_paused_ = !marker_paused_;
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, patience(), [&] {
      for (auto seen = queues_.rbegin(); seen != queues_.rend(); ++seen)
        if (seen->queue.text() == kMarkerQueue) return seen->paused == marker_paused_;
      return false;
    });
  }

  std::vector<JobChange> jobs() const {
    const std::lock_guard lock(mutex_);
    return jobs_;
  }
  std::vector<JobChange> of(JobId id) const {
    std::vector<JobChange> changes;
    for (const JobChange& change : jobs())
      if (change.id == id) changes.push_back(change);
    return changes;
  }
  std::vector<WorkerChange> workers() const {
    const std::lock_guard lock(mutex_);
    return workers_;
  }
  std::vector<QueueChanged> queues() const {
    const std::lock_guard lock(mutex_);
    std::vector<QueueChanged> changes;
    for (const QueueChanged& change : queues_)
      if (change.queue.text() != kMarkerQueue) changes.push_back(change);
    return changes;
  }
  std::vector<LaneRef> wakes() const {
    const std::lock_guard lock(mutex_);
    return wakes_;
  }
  std::vector<KeyPushed> keys() const {
    const std::lock_guard lock(mutex_);
    return keys_;
  }
  void forget() {
    const std::lock_guard lock(mutex_);
    jobs_.clear();
    workers_.clear();
    wakes_.clear();
    keys_.clear();
  }

 private:
  static constexpr const char* kMarkerQueue = "recorder-marker";
  mutable std::mutex mutex_;  // leaf; guards everything below but marker_paused_, which the case's thread owns
  std::condition_variable changed_;
  std::vector<JobChange> jobs_;
  std::vector<WorkerChange> workers_;
  std::vector<QueueChanged> queues_;
  std::vector<LaneRef> wakes_;
  std::vector<KeyPushed> keys_;
  bool marker_paused_ = false;
};

}  // namespace muster::store::contract
