// One WebSocket of a worker: bytes to messages and back, its time-outs and its bounds. What messages mean is the conversation's.
//
// Owned by the connection it took over from HTTP (fronts/http/upgrade.h). On the loop's thread.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "fronts/ws/deadlines.h"
#include "net/connection.h"
#include "websocket/peer.h"

namespace muster::ws {

struct Core;
class Conversation;

class Socket final : public net::Session, public std::enable_shared_from_this<Socket> {
 public:
  Socket(std::shared_ptr<Core> core, net::Connection& connection, std::optional<websocket::DeflateTerms> deflate);
  ~Socket() override;

  void begin();  // called once, after construction

  void received(std::string_view bytes) override;
  void peer_finished() override;
  void read_expired() override {}
  void output_drained() override {}
  void drain() override;
  void closed() override;

  // One message. It leaves at the end of this turn of the loop, with all others of it.
  void send(std::string_view frame);
  void close(websocket::CloseCode code, std::string_view reason);
  void trust();  // whoever is there was let in: its messages may be long
  bool open() const { return !closed_ && !peer_.closing(); }
  const std::string& peer_address() const { return connection_.peer_address(); }
  const net::PeerCertificate* peer_certificate() const { return connection_.peer_certificate(); }

  // The conversation's own wait.
  void wake_at(std::optional<Instant> at);

 private:
  void handle(websocket::PeerEvent event);
  void flush_later();
  void flush();
  void arm();
  void due();

  std::shared_ptr<Core> core_;  // shared by all sockets
  net::Connection& connection_;
  websocket::Peer peer_;
  std::unique_ptr<Conversation> conversation_;
  Deadlines::Entry deadline_;
  std::optional<Instant> wake_at_;
  bool flush_posted_ = false;
  bool closed_ = false;
};

}  // namespace muster::ws
