#include "net/socket_file.h"

#include <fmt/format.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

namespace muster::net {
namespace {

constexpr mode_t kOwnerOnly = S_IRUSR | S_IWUSR;

Status cannot(const std::string& path, int error) {
  return Status::unavailable(fmt::format("cannot listen on unix:{}: {}", path, std::strerror(error)));
}

sockaddr_un address_of(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::memcpy(address.sun_path, path.c_str(), path.size() + 1);
  return address;
}

int bind_to(int descriptor, const sockaddr_un& address) {
  return ::bind(descriptor, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0 ? 0 : errno;
}

bool somebody_listens(const sockaddr_un& address) {
  const int probe = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (probe < 0) return true;  // not known: leave the file alone
  const bool refused =
      ::connect(probe, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0 && errno == ECONNREFUSED;
  ::close(probe);
  return !refused;
}

}  // namespace

SocketFile::~SocketFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
  remove();
}

SocketFile::SocketFile(SocketFile&& other) noexcept { *this = std::move(other); }

SocketFile& SocketFile::operator=(SocketFile&& other) noexcept {
  std::swap(path_, other.path_);
  std::swap(descriptor_, other.descriptor_);
  std::swap(device_, other.device_);
  std::swap(inode_, other.inode_);
  return *this;
}

Result<SocketFile> SocketFile::open(const std::string& path, int backlog) {
  if (path.empty() || path.size() >= sizeof(sockaddr_un::sun_path))
    return Status::invalid_argument(
        fmt::format("the path of a Unix socket has 1 to {} bytes, not {}", sizeof(sockaddr_un::sun_path) - 1, path.size()));
  struct stat there {};
  if (::lstat(path.c_str(), &there) == 0 && !S_ISSOCK(there.st_mode))
    return Status::invalid_argument(fmt::format("cannot listen on unix:{}: there is a file that is no socket", path));
  SocketFile file;
  file.descriptor_ = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (file.descriptor_ < 0) return cannot(path, errno);
  // Before bind(), which makes the file with the mode of the socket: there is no moment in which others could connect.
  if (::fchmod(file.descriptor_, kOwnerOnly) != 0) return cannot(path, errno);
  const sockaddr_un address = address_of(path);
  int error = bind_to(file.descriptor_, address);
  if (error == EADDRINUSE && !somebody_listens(address) && ::unlink(path.c_str()) == 0)
    error = bind_to(file.descriptor_, address);
  if (error == EADDRINUSE)
    return Status::unavailable(fmt::format("cannot listen on unix:{}: another process listens there", path));
  if (error != 0) return cannot(path, error);
  file.path_ = path;
  if (::lstat(path.c_str(), &there) != 0) return cannot(path, errno);
  file.device_ = there.st_dev;
  file.inode_ = there.st_ino;
  if (::chmod(path.c_str(), kOwnerOnly) != 0 || ::listen(file.descriptor_, backlog) != 0) return cannot(path, errno);
  return file;
}

int SocketFile::release() { return std::exchange(descriptor_, -1); }

void SocketFile::remove() {
  const std::string path = std::exchange(path_, {});
  struct stat there {};
  if (path.empty() || ::lstat(path.c_str(), &there) != 0) return;
  if (there.st_dev == device_ && there.st_ino == inode_) ::unlink(path.c_str());
}

}  // namespace muster::net
