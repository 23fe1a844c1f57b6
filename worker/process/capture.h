// What a task wrote to one of its outputs, byte for byte: in memory up to a cap, then in a file without a name.
//
// The file vanishes with the capture, even when the worker is killed, and no task can find it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/fd.h"
#include "base/status.h"

namespace muster::worker {

class Capture {
 public:
  struct Bounds {
    std::size_t memory_max = 1024 * 1024;
    std::uint64_t total_max = 0;  // 0: as much as the disk holds
    std::string folder;           // where the file lives
  };

  Capture() = default;
  explicit Capture(Bounds bounds) : bounds_(std::move(bounds)) {}

  // exhausted: more than total_max. unavailable: the file cannot be written.
  Status append(std::string_view bytes);

  std::uint64_t size() const { return size_; }
  bool spilled() const { return file_.valid(); }
  std::string_view head() const { return head_; }  // all of it unless spilled
  // The first `max` bytes.
  std::string read(std::size_t max) const;
  // The whole, from its start, as a descriptor to read from. REQUIRES: spilled().
  Result<Fd> reopen() const;

 private:
  Status spill();

  Bounds bounds_;
  std::string head_;
  std::uint64_t size_ = 0;
  Fd file_;
};

}  // namespace muster::worker
