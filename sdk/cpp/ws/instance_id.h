// The identity of a worker across restarts: a UUID in a file, made once. Two processes with one identity would take the session
// away from each other, so the file is locked for as long as the object lives.
#pragma once

#include <string>

#include "sdk/cpp/result.h"

namespace muster::sdk::ws {

class InstanceId {
 public:
  // Reads the file, or makes it (0600, whole or not at all, folders above it included). conflict: another process has it.
  // corrupt: it holds no id. unavailable: it can be neither read nor written.
  static Result<InstanceId> open(const std::string& path);
  ~InstanceId();
  InstanceId(InstanceId&& other) noexcept;
  InstanceId& operator=(InstanceId&&) = delete;

  const std::string& text() const { return text_; }

 private:
  InstanceId(std::string text, int fd) : text_(std::move(text)), fd_(fd) {}
  std::string text_;
  int fd_;  // holds the lock
};

// A random UUID (version 4).
std::string random_uuid();

}  // namespace muster::sdk::ws
