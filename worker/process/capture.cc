#include "worker/process/capture.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>

namespace muster::worker {
namespace {

constexpr mode_t kOwnerOnly = S_IRUSR | S_IWUSR;

Status cannot_keep(int error) { return Status::unavailable(fmt::format("the output cannot be kept: {}", std::strerror(error))); }

Fd open_nameless(const std::string& folder) {
  Fd file(::open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, kOwnerOnly));
  if (file.valid() || (errno != EOPNOTSUPP && errno != EISDIR)) return file;
  // A file system that cannot: a name, for as short as possible.
  std::string pattern = folder + "/spill-XXXXXX";
  Fd named(::mkostemp(pattern.data(), O_CLOEXEC));
  if (named.valid()) ::unlink(pattern.c_str());
  return named;
}

Status write_all(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(fd, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return cannot_keep(errno);
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return {};
}

}  // namespace

Status Capture::append(std::string_view bytes) {
  if (bounds_.total_max != 0 && size_ + bytes.size() > bounds_.total_max)
    return Status::exhausted(fmt::format("the output is larger than {} bytes", bounds_.total_max));
  if (!spilled() && size_ + bytes.size() > bounds_.memory_max)
    if (Status status = spill(); !status.ok()) return status;
  if (spilled())
    if (Status status = write_all(file_.get(), bytes); !status.ok()) return status;
  if (head_.size() < bounds_.memory_max) head_.append(bytes.substr(0, bounds_.memory_max - head_.size()));
  size_ += bytes.size();
  return {};
}

Status Capture::spill() {
  file_ = open_nameless(bounds_.folder);
  if (!file_.valid()) return cannot_keep(errno);
  return write_all(file_.get(), head_);
}

std::string Capture::read(std::size_t max) const {
  if (!spilled() || max <= head_.size()) return head_.substr(0, max);
  std::string out(std::min<std::uint64_t>(max, size_), '\0');
  std::size_t have = 0;
  while (have < out.size()) {
    const ssize_t got = ::pread(file_.get(), out.data() + have, out.size() - have, static_cast<off_t>(have));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    have += static_cast<std::size_t>(got);
  }
  out.resize(have);
  return out;
}

Result<Fd> Capture::reopen() const {
  // A new description with a position of its own: two tasks may read the same output.
  Fd again(::open(fmt::format("/proc/self/fd/{}", file_.get()).c_str(), O_RDONLY | O_CLOEXEC));
  if (!again.valid()) return cannot_keep(errno);
  return again;
}

}  // namespace muster::worker
