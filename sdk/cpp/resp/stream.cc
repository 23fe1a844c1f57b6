#include "sdk/cpp/resp/stream.h"

#include <fmt/format.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include "sdk/cpp/resp/socket.h"
#include "sdk/cpp/resp/tls_stream.h"

namespace muster::sdk::resp {
namespace {

constexpr std::size_t kReadChunk = 64 * 1024;

Error unreachable(const Address& address, std::string_view why) {
  return {.code = Code::unreachable, .detail = fmt::format("cannot connect to {}: {}", address.text(), why)};
}

void keep_alive(int fd) {
  const int on = 1;
  const int idle_seconds = 30;
  ::setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  // A machine that vanished without a word is noticed although nothing is sent.
  ::setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof on);
  ::setsockopt(fd, IPPROTO_TCP, TCP_KEEPIDLE, &idle_seconds, sizeof idle_seconds);
}

// 0, or the error number.
int connect_within(int fd, const sockaddr* to, socklen_t length, Deadline deadline) {
  if (::connect(fd, to, length) == 0) return 0;
  if (errno != EINPROGRESS && errno != EAGAIN) return errno;
  if (wait_for(fd, POLLOUT, deadline, -1) != Ready::yes) return ETIMEDOUT;
  int error = 0;
  socklen_t size = sizeof error;
  if (::getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &size) != 0) return errno;
  return error;
}

Result<Socket> open_unix(const Address& address, Deadline deadline) {
  sockaddr_un to{};
  to.sun_family = AF_UNIX;
  std::copy(address.host.begin(), address.host.end(), to.sun_path);
  Socket socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!socket.valid()) return unreachable(address, std::strerror(errno));
  if (const int error = connect_within(socket.fd(), reinterpret_cast<const sockaddr*>(&to), sizeof to, deadline); error != 0)
    return unreachable(address, std::strerror(error));
  return socket;
}

Result<Socket> open_tcp(const Address& address, Deadline deadline) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_NUMERICSERV;
  addrinfo* found = nullptr;
  if (const int error = ::getaddrinfo(address.host.c_str(), std::to_string(address.port).c_str(), &hints, &found); error != 0)
    return unreachable(address, ::gai_strerror(error));
  const std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)> owned(found, &::freeaddrinfo);
  std::string why = "no address";
  for (const addrinfo* each = found; each != nullptr; each = each->ai_next) {
    Socket socket(::socket(each->ai_family, each->ai_socktype | SOCK_CLOEXEC | SOCK_NONBLOCK, each->ai_protocol));
    const int error = socket.valid() ? connect_within(socket.fd(), each->ai_addr, each->ai_addrlen, deadline) : errno;
    if (error == 0) {
      keep_alive(socket.fd());
      return socket;
    }
    why = std::strerror(error);
  }
  return unreachable(address, why);
}

class PlainStream final : public Stream {
 public:
  explicit PlainStream(Socket socket) : socket_(std::move(socket)) {}

  Result<Nothing> write(std::string_view bytes, Deadline deadline) override {
    while (!bytes.empty()) {
      const ssize_t sent = ::send(socket_.fd(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (sent >= 0) {
        bytes.remove_prefix(static_cast<std::size_t>(sent));
      } else if (errno == EAGAIN) {
        if (wait_for(socket_.fd(), POLLOUT, deadline, -1) != Ready::yes) return broken("the server does not read");
      } else if (errno != EINTR) {
        return broken(std::strerror(errno));
      }
    }
    return Nothing{};
  }

  Result<Nothing> read(std::string& out, Deadline deadline, int wake_fd) override {
    std::array<char, kReadChunk> chunk;  // NOLINT: filled by recv
    while (true) {
      const ssize_t got = ::recv(socket_.fd(), chunk.data(), chunk.size(), 0);
      if (got > 0) {
        out.append(chunk.data(), static_cast<std::size_t>(got));
        return Nothing{};
      }
      if (got == 0) return broken("the server closed the connection");
      if (errno == EINTR) continue;
      if (errno != EAGAIN) return broken(std::strerror(errno));
      if (const auto stopped = not_ready(wait_for(socket_.fd(), POLLIN, deadline, wake_fd))) return *stopped;
    }
  }

 private:
  Socket socket_;
};

}  // namespace

Ready wait_for(int fd, short events, Deadline deadline, int wake_fd) {
  while (true) {
    std::array<pollfd, 2> polled{pollfd{fd, events, 0}, pollfd{wake_fd, POLLIN, 0}};
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now()).count();
    constexpr std::int64_t kPollMax = 3'600'000;
    const int result = ::poll(polled.data(), polled.size(), static_cast<int>(std::clamp<std::int64_t>(left, 0, kPollMax)));
    if (result < 0 && errno == EINTR) continue;
    if (result < 0) return Ready::no;
    // Data that came is taken before the wake-up is obeyed: it is never left unread on the way out.
    if (polled[0].revents != 0) return Ready::yes;
    if (polled[1].revents != 0) return Ready::woken;
    if (left <= 0) return Ready::no;
  }
}

std::optional<Error> not_ready(Ready ready) {
  switch (ready) {
    case Ready::yes: return std::nullopt;
    case Ready::woken: return Error{.code = Code::interrupted, .detail = "woken"};
    case Ready::no: break;
  }
  return Error{.code = Code::unavailable, .detail = "no answer in time"};
}

Error broken(std::string_view why) {
  return {.code = Code::outcome_unknown, .detail = fmt::format("the connection broke: {}", why)};
}

Socket::~Socket() {
  if (fd_ >= 0) ::close(fd_);
}

Result<std::unique_ptr<Stream>> Stream::open(const Address& address, const TlsOptions& tls, Deadline deadline) {
  Result<Socket> socket = address.is_unix ? open_unix(address, deadline) : open_tcp(address, deadline);
  if (!socket.ok()) return socket.error();
  if (address.tls) return open_tls(std::move(*socket), address, tls, deadline);
  return std::unique_ptr<Stream>(std::make_unique<PlainStream>(std::move(*socket)));
}

}  // namespace muster::sdk::resp
