// Where a socket is: what an operator wrote becomes an address, an address becomes text. Private to net/.
#pragma once

#include <sys/socket.h>

#include <cstdint>
#include <string>

#include "base/fd.h"
#include "base/status.h"

namespace muster::net {

struct SocketAddress {
  sockaddr_storage storage{};
  socklen_t length = sizeof(sockaddr_storage);

  sockaddr* raw() { return reinterpret_cast<sockaddr*>(&storage); }
  const sockaddr* raw() const { return reinterpret_cast<const sockaddr*>(&storage); }
  std::string host() const;      // "127.0.0.1", "::1"
  std::uint16_t port() const;    // 0: it has none
  std::string endpoint() const;  // "127.0.0.1:80", "[::1]:80"
  bool is_loopback() const;
};

// invalid_argument: neither an address nor a name that resolves to one.
Result<SocketAddress> resolve(const std::string& host, std::uint16_t port);

struct TcpSocket {
  Fd descriptor;
  SocketAddress bound;
};
// Binds and listens, without blocking later. unavailable: the address is in use or not ours.
Result<TcpSocket> listen_tcp(const std::string& host, std::uint16_t port, int backlog);

}  // namespace muster::net
