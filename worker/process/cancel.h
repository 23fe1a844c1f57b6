// A request to stop that a wait on descriptors notices: set once, never taken back. Any thread.
#pragma once

#include <sys/eventfd.h>

#include <atomic>
#include <cstdint>

#include "base/fd.h"

namespace muster::worker {

class Cancel {
 public:
  Cancel() : fd_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {}

  void cancel() {
    if (set_.exchange(true)) return;
    const std::uint64_t one = 1;
    [[maybe_unused]] const ssize_t written = ::write(fd_.get(), &one, sizeof one);  // an empty counter takes it
  }
  bool cancelled() const { return set_.load(); }
  int fd() const { return fd_.get(); }  // readable from then on

 private:
  std::atomic<bool> set_{false};
  Fd fd_;
};

}  // namespace muster::worker
