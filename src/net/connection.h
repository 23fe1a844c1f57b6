// One accepted connection and the session that speaks on it. A front implements Session and is given a Connection; bytes in,
// bytes out, time-outs and the end of it all. Nothing here knows a protocol.
//
// Everything happens on the loop's thread. Connection is an interface so that a session can be tested without a socket.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/unique_function.h"

namespace muster::net {

struct PeerCertificate;

class Connection {
 public:
  virtual ~Connection() = default;

  // Queues bytes. `done(true)`: the operating system has taken all of them; `done(false)`: the connection ended before.
  // `done` is called exactly once, never from inside send().
  virtual void send(std::string bytes, UniqueFunction<void(bool)> done) = 0;
  void send(std::string bytes) { send(std::move(bytes), {}); }
  // Bytes queued and not yet taken by the operating system.
  virtual std::size_t unsent() const = 0;

  // Bytes the session holds: read and not answered, or answered and not given to send(). With unsent() they are what is under
  // way, which net/budget.h bounds.
  virtual void hold(std::size_t bytes) = 0;
  // Whether more may be read and begun. False: ask again when less is held, or at output_drained().
  virtual bool has_room() = 0;       // for another request beside those under way
  virtual bool node_has_room() = 0;  // for the only one of this connection

  // Back-pressure: while paused nothing is received, and the end of the peer is not noticed either.
  virtual void pause_reading() = 0;
  virtual void resume_reading() = 0;

  // Calls Session::read_expired once when `within` passes. A later call replaces an earlier one.
  virtual void expire_reading_in(Duration within) = 0;
  virtual void never_expire_reading() = 0;

  // Sends what is queued, says goodbye, and closes. Bytes that still arrive are dropped.
  virtual void close_when_sent() = 0;
  virtual void close_now() = 0;
  virtual bool closing() const = 0;

  virtual const std::string& peer_address() const = 0;  // without port
  // Null: plain, or the listener asks nobody for one.
  virtual const PeerCertificate* peer_certificate() const { return nullptr; }
};

// Owned by its connection, destroyed after closed().
class Session {
 public:
  virtual ~Session() = default;
  virtual void received(std::string_view bytes) = 0;  // valid during the call only
  virtual void peer_finished() = 0;                   // the peer will send no more; it may still read
  virtual void read_expired() = 0;
  virtual void output_drained() {}  // everything queued has been taken by the operating system, or the node has room again
  virtual void drain() = 0;         // the server stops: finish what is under way, then close
  virtual void closed() = 0;        // the last call
};

}  // namespace muster::net
