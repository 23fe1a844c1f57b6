// The file of a Unix socket: made for its owner alone, taken over from a process that is gone, removed when it is no longer
// listened on. Private to net/.
#pragma once

#include <sys/types.h>

#include <string>

#include "base/status.h"

namespace muster::net {

class SocketFile {
 public:
  SocketFile() = default;  // none
  ~SocketFile();           // closes what was not released, and removes the file
  SocketFile(SocketFile&& other) noexcept;
  SocketFile& operator=(SocketFile&& other) noexcept;

  // Binds and listens. unavailable: somebody listens there, or the folder does not allow it. invalid_argument: the path is too
  // long, or something that is no socket is in its place.
  static Result<SocketFile> open(const std::string& path, int backlog);

  int release();  // the listening descriptor, which is the caller's from now on
  void remove();  // unless another process has replaced it meanwhile. Idempotent.

 private:
  std::string path_;
  int descriptor_ = -1;
  dev_t device_ = 0;
  ino_t inode_ = 0;
};

}  // namespace muster::net
