#include "store/sqlite/owner_lock.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

#include <fmt/format.h>

namespace muster::store::sqlite {
namespace {

constexpr int kOwnerOnly = 0600;

Status cannot(const char* what, const std::string& path) {
  return Status::unavailable(
      fmt::format("cannot {} {}: {}; check that the folder exists and is writable", what, path, std::strerror(errno)));
}

std::string holder_of(int fd) {
  std::array<char, 32> text{};
  const ssize_t got = ::pread(fd, text.data(), text.size() - 1, 0);
  return got > 0 ? std::string(text.data(), static_cast<std::size_t>(got)) : std::string("unknown");
}

}  // namespace

Result<std::unique_ptr<OwnerLock>> OwnerLock::take(const std::string& database_path) {
  const std::string path = database_path + ".lock";
  const int fd = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, kOwnerOnly);
  if (fd < 0) return cannot("open", path);
  auto lock = std::unique_ptr<OwnerLock>(new OwnerLock(fd));
  if (::flock(fd, LOCK_EX | LOCK_NB) != 0) {
    if (errno != EWOULDBLOCK) return cannot("lock", path);
    return Status::conflict(fmt::format("{} is owned by another process (pid {}); stop it or name another file with --store",
                                        database_path, holder_of(fd)));
  }
  // The pid is for people; the lock itself is what counts, so a full disk here is no reason to refuse.
  const std::string pid = std::to_string(::getpid());
  if (::ftruncate(fd, 0) == 0 && ::pwrite(fd, pid.data(), pid.size(), 0) < 0) errno = 0;
  return lock;
}

OwnerLock::~OwnerLock() { ::close(fd_); }

Status create_private_file(const std::string& path) {
  const int fd = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, kOwnerOnly);
  if (fd < 0) return cannot("open", path);
  ::close(fd);
  return {};
}

}  // namespace muster::store::sqlite
