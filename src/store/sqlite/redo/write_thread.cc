#include "store/sqlite/redo/write_thread.h"

#include <utility>

namespace muster::store::sqlite {

WriteThread::WriteThread(UniqueFunction<Status()> write, UniqueFunction<void()> ended)
    : write_(std::move(write)), ended_(std::move(ended)), thread_([this] { run(); }) {}

WriteThread::~WriteThread() {
  {
    const std::lock_guard lock(mutex_);
    closing_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void WriteThread::start() {
  {
    const std::lock_guard lock(mutex_);
    wanted_ = true;
  }
  changed_.notify_all();
}

std::optional<Status> WriteThread::take() {
  const std::lock_guard lock(mutex_);
  return std::exchange(result_, std::nullopt);
}

Status WriteThread::wait() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return result_.has_value(); });
  return *std::exchange(result_, std::nullopt);
}

void WriteThread::run() {
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [this] { return wanted_ || closing_; });
    if (!std::exchange(wanted_, false)) return;
    lock.unlock();
    Status result = write_();
    lock.lock();
    result_ = std::move(result);
    changed_.notify_all();
    lock.unlock();
    ended_();
    lock.lock();
  }
}

}  // namespace muster::store::sqlite
