// The connection behind net/connection.h: a TCP, Unix or TLS stream, its queue of bytes and its deadlines. Made by the listener,
// private to net/.
//
// It is read once a round of the loop while something is there, and writes once at the round's end. Readiness is told at the
// edge, so it is remembered: `readable_` until a read falls short, `blocked_` from a write that fell short until the socket takes
// more.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/fd.h"
#include "net/budget.h"
#include "net/connection.h"
#include "net/io_loop.h"
#include "net/io_loop_state.h"
#include "net/peer_certificate.h"
#include "net/tls_context.h"
#include "net/tls_stream.h"

namespace muster::net {

// Encrypted bytes that the peer has not taken.
inline constexpr std::size_t kTlsUnsentMax = 256 * 1024;

struct StreamOptions {
  std::string peer_address;
  std::shared_ptr<ByteBudget> budget;  // shared by all connections
  Duration write_timeout{};
  Duration handshake_timeout{};
  TlsContext tls;  // null: plain
};

// Kept alive by its listener until `gone`.
class StreamConnection final : public Connection, private Watched, public std::enable_shared_from_this<StreamConnection> {
 public:
  // `socket` does not block.
  StreamConnection(IoLoop& loop, Fd socket, StreamOptions options);
  ~StreamConnection() override;

  // Begins the handshake, if any, and reading. `gone` is called once, after Session::closed(), and is the listener's cue to
  // forget it.
  void start(std::shared_ptr<Session> session, UniqueFunction<void()> gone);
  // The listener asks every kDeadlineTick.
  void enforce_deadlines(Ticks now);
  void drain();

  void send(std::string bytes, UniqueFunction<void(bool)> done) override;
  std::size_t unsent() const override { return unsent_; }
  void hold(std::size_t bytes) override;
  bool has_room() override { return share_.within_own() && share_.within_node(); }
  bool node_has_room() override { return share_.within_node(); }
  void pause_reading() override { paused_ = true; }
  void resume_reading() override;
  void expire_reading_in(Duration within) override { read_deadline_ = in(within); }
  void never_expire_reading() override { read_deadline_ = Ticks::max(); }
  void close_when_sent() override;
  void close_now() override;
  bool closing() const override { return closed_ || finishing_; }
  const std::string& peer_address() const override { return options_.peer_address; }
  const PeerCertificate* peer_certificate() const override { return certificate_ ? &*certificate_ : nullptr; }

 private:
  struct Outgoing {
    std::string bytes;
    UniqueFunction<void(bool)> done;
  };

  void ready(std::uint32_t events) override;
  void go_on() override { read(); }
  void round_ends() override { write(); }

  void read();
  void received(std::string_view bytes);
  void received_tls(std::string_view bytes);
  bool shake_hands();
  void peer_ended();
  void write();
  bool write_plain();
  bool write_tls();
  std::optional<std::size_t> offer_plain();
  std::optional<std::size_t> give_to_system(std::string_view bytes);
  std::optional<std::size_t> taken_or_closed(ssize_t taken, std::size_t offered);
  void taken_by_system(std::size_t bytes);
  void say_goodbye();
  void tell_room();
  void bury();
  Ticks in(Duration after) const { return loop_.clock().elapsed() + after; }
  template <class Call>
  void guarded(std::string_view what, Call call);

  IoLoop& loop_;
  const StreamOptions options_;
  Fd socket_;
  std::optional<TlsStream> tls_;
  std::optional<PeerCertificate> certificate_;
  std::shared_ptr<Session> session_;  // shared with replies that are on their way to it
  UniqueFunction<void()> gone_;
  ByteBudget::Share share_;
  std::vector<Outgoing> outgoing_;
  std::size_t first_ = 0;  // of outgoing_ that is not sent
  std::size_t sent_of_first_ = 0;
  std::size_t encrypted_ = 0;  // bytes of outgoing_ that are in what TLS still has to send
  std::size_t unsent_ = 0;
  std::size_t held_ = 0;  // by the session
  Ticks read_deadline_ = Ticks::max();
  Ticks write_deadline_ = Ticks::max();
  Ticks end_deadline_ = Ticks::max();  // handshake, goodbye
  bool session_ready_ = false;         // the handshake is done
  bool readable_ = false;
  bool end_seen_ = false;  // there is an end behind what can be read
  bool paused_ = false;
  bool peer_finished_ = false;
  bool blocked_ = false;
  bool finishing_ = false;
  bool goodbye_made_ = false;  // of TLS; on its way
  bool said_goodbye_ = false;
  bool closed_ = false;
};

}  // namespace muster::net
