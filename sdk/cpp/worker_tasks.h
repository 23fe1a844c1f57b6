// The jobs a Worker holds: granted and waiting for a slot thread, or running. Private to Worker.
//
// One leaf mutex guards it all; nothing is called while holding it.
#pragma once

#include <atomic>
#include <condition_variable>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "sdk/cpp/worker.h"

namespace muster::sdk {

class HeldTask final : public Task {
 public:
  HeldTask(Client& client, Grant grant) : client_(client), grant_(std::move(grant)) {}

  const Grant& grant() const override { return grant_; }
  bool cancelled() const override { return cancelled_ || lost_; }
  bool lost() const { return lost_; }
  void cancel() { cancelled_ = true; }
  void lose() { lost_ = true; }
  Result<Nothing> report(const Progress& progress) override;

 private:
  Client& client_;
  const Grant grant_;
  std::atomic<bool> cancelled_ = false;
  std::atomic<bool> lost_ = false;
};

class HeldTasks {
 public:
  explicit HeldTasks(std::uint32_t slots) : slots_(slots) {}

  // Waits until a slot is free or the tasks are closed; returns how many are free (0: closed).
  std::uint32_t wait_for_slots();
  void add(std::shared_ptr<HeldTask> task);
  // For slot threads: the next task, or nullptr when closed and nothing is left to start.
  std::shared_ptr<HeldTask> take();
  void settled(const HeldTask& task);

  // No more tasks will be added.
  void close();
  // True when every held task was settled before the deadline.
  bool wait_until_empty(std::chrono::steady_clock::time_point deadline);

  std::vector<LeaseRef> leases() const;
  std::size_t size() const;
  void lose(const std::vector<LeaseRef>& leases);
  void cancel(const std::vector<LeaseRef>& leases);
  void lose_all();

 private:
  const std::uint32_t slots_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  bool closed_ = false;
  std::deque<std::shared_ptr<HeldTask>> waiting_;
  std::map<LeaseRef, std::shared_ptr<HeldTask>> held_;  // shared with the slot thread that runs it
};

}  // namespace muster::sdk
