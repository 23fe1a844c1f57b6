// What plain and TLS streams share: an owned descriptor and a wait with a deadline. Private to this folder.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>

#include "sdk/cpp/resp/stream.h"

namespace muster::sdk::resp {

class Socket {
 public:
  explicit Socket(int fd) : fd_(fd) {}
  ~Socket();
  Socket(Socket&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Socket& operator=(Socket&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  int fd() const { return fd_; }
  bool valid() const { return fd_ >= 0; }

 private:
  int fd_;
};

enum class Ready : std::uint8_t { yes, no, woken };

Ready wait_for(int fd, short events, Deadline deadline, int wake_fd);
// The error for a wait that did not end in readiness.
std::optional<Error> not_ready(Ready ready);
Error broken(std::string_view why);

}  // namespace muster::sdk::resp
