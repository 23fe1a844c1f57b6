#include "net/address.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netdb.h>
#include <netinet/in.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <memory>

namespace muster::net {
namespace {

Status bind_failure(const std::string& host, std::uint16_t port, int error) {
  const std::string where = fmt::format("cannot listen on {} port {}", host, port);
  switch (error) {
    case EADDRINUSE:
      return Status::unavailable(fmt::format(
          "{}: the port is in use; stop the process that holds it, or choose another port (0 picks a free one)", where));
    case EACCES: return Status::unavailable(fmt::format("{}: permission denied; ports below 1024 need privileges", where));
    case EADDRNOTAVAIL: return Status::unavailable(fmt::format("{}: this machine has no such address", where));
    default: return Status::unavailable(fmt::format("{}: {}", where, std::strerror(error)));
  }
}

template <class Address>
const Address& as(const SocketAddress& address) {
  return *reinterpret_cast<const Address*>(&address.storage);
}

}  // namespace

std::string SocketAddress::host() const {
  std::array<char, NI_MAXHOST> text{};
  if (::getnameinfo(raw(), length, text.data(), text.size(), nullptr, 0, NI_NUMERICHOST) != 0) return {};
  return text.data();
}

std::uint16_t SocketAddress::port() const {
  if (storage.ss_family == AF_INET) return ntohs(as<sockaddr_in>(*this).sin_port);
  return storage.ss_family == AF_INET6 ? ntohs(as<sockaddr_in6>(*this).sin6_port) : 0;
}

std::string SocketAddress::endpoint() const {
  return storage.ss_family == AF_INET6 ? fmt::format("[{}]:{}", host(), port()) : fmt::format("{}:{}", host(), port());
}

bool SocketAddress::is_loopback() const {
  if (storage.ss_family == AF_INET) return ntohl(as<sockaddr_in>(*this).sin_addr.s_addr) >> 24 == IN_LOOPBACKNET;
  return storage.ss_family == AF_INET6 && IN6_IS_ADDR_LOOPBACK(&as<sockaddr_in6>(*this).sin6_addr);
}

Result<SocketAddress> resolve(const std::string& host, std::uint16_t port) {
  addrinfo wanted{};
  wanted.ai_flags = AI_PASSIVE | AI_NUMERICSERV;
  wanted.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  const int error = ::getaddrinfo(host.empty() ? nullptr : host.c_str(), std::to_string(port).c_str(), &wanted, &found);
  const std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)> all(found, &::freeaddrinfo);
  if (error != 0 || found == nullptr)
    return Status::invalid_argument(fmt::format(
        "listen address \"{}\" is neither an IP address nor a name that resolves to one: {}", host, ::gai_strerror(error)));
  SocketAddress address;
  std::memcpy(&address.storage, found->ai_addr, found->ai_addrlen);
  address.length = found->ai_addrlen;
  return address;
}

Result<TcpSocket> listen_tcp(const std::string& host, std::uint16_t port, int backlog) {
  const auto wanted = resolve(host, port);
  if (!wanted.ok()) return wanted.status();
  TcpSocket socket;
  socket.descriptor = Fd(::socket(wanted->storage.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  const int descriptor = socket.descriptor.get();
  const int yes = 1;
  if (descriptor < 0 || ::setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes) != 0 ||
      ::bind(descriptor, wanted->raw(), wanted->length) != 0 || ::listen(descriptor, backlog) != 0 ||
      ::getsockname(descriptor, socket.bound.raw(), &socket.bound.length) != 0)
    return bind_failure(host, port, errno);
  return socket;
}

}  // namespace muster::net
