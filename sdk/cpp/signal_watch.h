// SIGINT and SIGTERM for the workers of this process, while one of them runs. The handlers that were there before come back
// afterwards.
#pragma once

#include <functional>
#include <thread>

namespace muster::sdk {

class SignalWatch {
 public:
  // Calls `then` with how many signals there were since, on a thread of its own, once for each.
  explicit SignalWatch(std::function<void(int)> then);
  ~SignalWatch();
  SignalWatch(const SignalWatch&) = delete;
  SignalWatch& operator=(const SignalWatch&) = delete;

 private:
  int event_ = -1;
  int stop_ = -1;
  std::thread thread_;
};

}  // namespace muster::sdk
