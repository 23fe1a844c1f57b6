#include "server/notify.h"

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <charconv>
#include <cstddef>
#include <cstdlib>
#include <cstring>

namespace muster::server {

void notify_manager(std::string_view state) {
  const char* path = std::getenv("NOTIFY_SOCKET");
  if (path == nullptr || (path[0] != '/' && path[0] != '@')) return;
  sockaddr_un address{};
  const std::size_t length = std::strlen(path);
  if (length >= sizeof(address.sun_path)) return;
  address.sun_family = AF_UNIX;
  std::memcpy(address.sun_path, path, length);
  // A name that starts with @ lives in the abstract namespace, whose first byte is zero.
  if (address.sun_path[0] == '@') address.sun_path[0] = '\0';
  const int fd = ::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (fd < 0) return;
  const auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + length);
  // A manager that went away loses the message, and nothing here depends on it.
  [[maybe_unused]] const ssize_t sent =
      ::sendto(fd, state.data(), state.size(), MSG_NOSIGNAL, reinterpret_cast<const sockaddr*>(&address), size);
  ::close(fd);
}

std::optional<Duration> watchdog_interval() {
  const char* text = std::getenv("WATCHDOG_USEC");
  if (text == nullptr) return std::nullopt;
  std::int64_t microseconds = 0;
  const auto [end, error] = std::from_chars(text, text + std::strlen(text), microseconds);
  if (error != std::errc() || *end != '\0' || microseconds <= 0) return std::nullopt;
  const auto half = std::chrono::duration_cast<Duration>(std::chrono::microseconds(microseconds / 2));
  return std::max(half, Duration(1));
}

}  // namespace muster::server
