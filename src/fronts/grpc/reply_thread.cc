#include "fronts/grpc/reply_thread.h"

#include <utility>

namespace muster::rpc {

ReplyThread::ReplyThread(Incidents incidents) : incidents_(std::move(incidents)), thread_([this] { run(); }) {}

ReplyThread::~ReplyThread() {
  {
    const std::lock_guard lock(mutex_);
    ended_ = true;
  }
  some_.notify_one();
  thread_.join();
}

void ReplyThread::hand_over(UniqueFunction<void()> send) {
  bool sleeps = false;
  {
    const std::lock_guard lock(mutex_);
    sleeps = waiting_.empty();
    waiting_.push_back(std::move(send));
  }
  if (sleeps) some_.notify_one();
}

void ReplyThread::run() {
  std::vector<UniqueFunction<void()>> batch;
  std::unique_lock lock(mutex_);
  for (;;) {
    some_.wait(lock, [this] { return ended_ || !waiting_.empty(); });
    if (waiting_.empty()) return;
    batch.swap(waiting_);
    lock.unlock();
    for (auto& send : batch) {
      try {
        send();
      } catch (...) {
        const Incident incident(incidents_, "answer");
      }
    }
    batch.clear();
    lock.lock();
  }
}

}  // namespace muster::rpc
