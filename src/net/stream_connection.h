// The connection behind net/connection.h: a TCP, Unix or TLS stream, its reading and writing coroutines, its queue of bytes and
// its deadlines. Made by the listener, private to net/.
#pragma once

#include <boost/asio/generic/stream_protocol.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <memory>

#include "net/budget.h"
#include "net/connection.h"
#include "net/io_loop.h"
#include "net/tls_context.h"

namespace muster::net {

struct StreamOptions {
  std::string peer_address;
  std::shared_ptr<ByteBudget> budget;  // shared by all connections
  Duration write_timeout{};
  Duration handshake_timeout{};
  TlsContext tls;  // null: plain
};

// Kept alive by its listener until `gone` and by its own coroutines.
class StreamConnection : public Connection {
 public:
  // Begins the handshake, if any, and reading. `gone` is called once, after Session::closed(), and is the listener's cue to
  // forget it.
  virtual void start(std::shared_ptr<Session> session, UniqueFunction<void()> gone) = 0;
  // The listener asks every kDeadlineTick.
  virtual void enforce_deadlines(Ticks now) = 0;
  virtual void drain() = 0;
};

// What TCP and Unix sockets have in common.
using PlainSocket = boost::asio::generic::stream_protocol::socket;

std::shared_ptr<StreamConnection> make_plain_connection(IoLoop& loop, PlainSocket socket, StreamOptions options);
// REQUIRES: options.tls.
std::shared_ptr<StreamConnection> make_tls_connection(IoLoop& loop, boost::asio::ip::tcp::socket socket, StreamOptions options);

}  // namespace muster::net
