// A connection without a socket: it keeps what is sent until a test says what became of it.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "net/connection.h"
#include "net/peer_certificate.h"

namespace muster::net {

class HeldConnection final : public Connection {
 public:
  void send(std::string bytes, UniqueFunction<void(bool)> done) override {
    if (closed) return;
    sent += bytes;
    if (done) waiting.push_back(std::move(done));
  }
  std::size_t unsent() const override { return stuck ? sent.size() : room ? 0 : 1; }
  void hold(std::size_t) override {}
  bool has_room() override { return room; }
  bool node_has_room() override { return true; }
  void pause_reading() override { paused = true; }
  void resume_reading() override { paused = false; }
  void expire_reading_in(Duration within) override { expires_in = within; }
  void never_expire_reading() override {}
  void close_when_sent() override { closed = true; }
  void close_now() override { closed = true; }
  bool closing() const override { return closed; }
  const std::string& peer_address() const override { return address; }
  const PeerCertificate* peer_certificate() const override { return certificate ? &*certificate : nullptr; }

  std::string sent;
  std::vector<UniqueFunction<void(bool)>> waiting;  // to be told whether it was sent
  bool closed = false;
  bool room = true;    // false: something is still to be sent, and no more is to be made
  bool stuck = false;  // the system takes nothing of what is sent
  bool paused = false;
  Duration expires_in{};  // as it was last asked for
  std::string address = "127.0.0.1";
  std::optional<PeerCertificate> certificate;
};

}  // namespace muster::net
