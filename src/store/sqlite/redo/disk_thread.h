// A thread that waits for the disk while the writer goes on: one piece of work at a time, always the same.
#pragma once

#include <condition_variable>
#include <mutex>
#include <optional>
#include <thread>

#include "base/status.h"
#include "base/unique_function.h"

namespace muster::store::sqlite {

class DiskThread {
 public:
  // Both are called on the thread: what to do, and then that it was done.
  DiskThread(UniqueFunction<Status()> work, UniqueFunction<void()> ended);
  // What is under way ends first.
  ~DiskThread();

  // REQUIRES: none is under way, and the result of the last one was taken.
  void start();
  // The result of the one that has ended; nullopt: it has not.
  std::optional<Status> take();
  // The same, as soon as it has ended. REQUIRES: one is under way, or its result was not taken.
  Status wait();

 private:
  void run();

  UniqueFunction<Status()> work_;
  UniqueFunction<void()> ended_;
  std::mutex mutex_;  // leaf; guards the three below
  std::condition_variable changed_;
  bool wanted_ = false;
  bool closing_ = false;
  std::optional<Status> result_;
  std::thread thread_;
};

}  // namespace muster::store::sqlite
