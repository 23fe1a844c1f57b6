// One process owns the file: an advisory lock on <path>.lock, held for the life of the store and let go by the kernel when
// the process ends, however it ends.
#pragma once

#include <memory>
#include <string>

#include "base/status.h"

namespace muster::store::sqlite {

class OwnerLock {
 public:
  // conflict: another process holds it; the message names its process id. unavailable: the folder cannot be written.
  static Result<std::unique_ptr<OwnerLock>> take(const std::string& database_path);
  ~OwnerLock();
  OwnerLock(const OwnerLock&) = delete;
  OwnerLock& operator=(const OwnerLock&) = delete;

 private:
  explicit OwnerLock(int fd) : fd_(fd) {}
  int fd_;
};

// Creates an empty file only its owner can read, unless there is one already.
Status create_private_file(const std::string& path);

}  // namespace muster::store::sqlite
