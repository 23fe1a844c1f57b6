// Many transfers of libcurl on one thread: its multi interface over epoll, so that a wake-up costs what is ready and not what is
// open.
//
// Everything but wake() belongs to the thread that runs it. Timers of curl are its own (a timerfd); no clock is read.
#pragma once

#include <curl/curl.h>

#include <cstddef>
#include <functional>

#include "base/status.h"

namespace muster::claude {

class CurlLoop {
 public:
  // `connections_max`: of those that stay open between transfers.
  explicit CurlLoop(std::size_t connections_max);
  ~CurlLoop();  // REQUIRES: no transfer left
  CurlLoop(const CurlLoop&) = delete;
  CurlLoop& operator=(const CurlLoop&) = delete;

  // Not ok: the system has no room for it; nothing else may be called.
  const Status& status() const { return status_; }

  bool add(CURL* easy);
  void remove(CURL* easy);
  // Waits at most `timeout_ms` (-1: until something happens), moves bytes, and calls `done` for each transfer that has ended;
  // that one is removed already.
  void run(int timeout_ms, const std::function<void(CURL*, CURLcode)>& done);
  // run() returns soon. From any thread.
  void wake();

 private:
  static int on_socket(CURL* easy, curl_socket_t socket, int what, void* self, void* known);
  static int on_timer(CURLM* multi, long timeout_ms, void* self);
  Status open(std::size_t connections_max);

  CURLM* multi_ = nullptr;
  int epoll_ = -1;
  int timer_ = -1;
  int wake_ = -1;
  Status status_;  // the last, since opening fills the others
};

}  // namespace muster::claude
