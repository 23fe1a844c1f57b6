#include "store/sqlite/redo/disk_thread.h"

#include <utility>

namespace muster::store::sqlite {

DiskThread::DiskThread(UniqueFunction<Status()> work, UniqueFunction<void()> ended)
    : work_(std::move(work)), ended_(std::move(ended)), thread_([this] { run(); }) {}

DiskThread::~DiskThread() {
  {
    const std::lock_guard lock(mutex_);
    closing_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void DiskThread::start() {
  {
    const std::lock_guard lock(mutex_);
    wanted_ = true;
  }
  changed_.notify_all();
}

std::optional<Status> DiskThread::take() {
  const std::lock_guard lock(mutex_);
  return std::exchange(result_, std::nullopt);
}

Status DiskThread::wait() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return result_.has_value(); });
  return *std::exchange(result_, std::nullopt);
}

void DiskThread::run() {
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [this] { return wanted_ || closing_; });
    if (!std::exchange(wanted_, false)) return;
    lock.unlock();
    Status result = work_();
    lock.lock();
    result_ = std::move(result);
    changed_.notify_all();
    lock.unlock();
    ended_();
    lock.lock();
  }
}

}  // namespace muster::store::sqlite
