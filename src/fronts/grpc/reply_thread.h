// One thread that hands answers to gRPC. The engine's answers come on the store's thread, many after one commit; sending them
// there would keep the next commit waiting for sockets.
#pragma once

#include <condition_variable>
#include <mutex>
#include <thread>
#include <vector>

#include "base/incident.h"
#include "base/unique_function.h"

namespace muster::rpc {

class ReplyThread {
 public:
  explicit ReplyThread(Incidents incidents);  // what throws is counted there
  ~ReplyThread();                             // after everything that was handed over has been sent
  ReplyThread(const ReplyThread&) = delete;
  ReplyThread& operator=(const ReplyThread&) = delete;

  void hand_over(UniqueFunction<void()> send);

 private:
  void run();

  const Incidents incidents_;
  std::mutex mutex_;  // leaf; guards what follows
  std::condition_variable some_;
  std::vector<UniqueFunction<void()>> waiting_;
  bool ended_ = false;
  std::thread thread_;
};

}  // namespace muster::rpc
