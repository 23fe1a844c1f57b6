// The client's end of one WebSocket, from the first byte of its upgrade to the last of its goodbye: bytes in, messages and bytes
// out. The machine (machine.h) makes one for each connection that the socket part has opened. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "base/unique_function.h"
#include "sdk/cpp/ws/endpoint.h"
#include "sdk/cpp/ws/moment.h"
#include "websocket/peer.h"
#include "websocket/upgrade.h"

namespace muster::sdk::ws {

inline constexpr std::size_t kUpgradeAnswerBytesMax = 16 * 1024;
inline constexpr std::size_t kInboundBytesMax = 16 * 1024 * 1024;  // of one message
inline constexpr muster::Duration kUpgradeWithin{10'000};
inline constexpr muster::Duration kGoodbyeWithin{5'000};

// Bytes nobody can guess, for masks and nonces.
using RandomWord = UniqueFunction<std::uint64_t()>;

// How a connection ended.
struct ConnectionEnd {
  muster::Status status;            // not ok: the upgrade was refused, or the peer broke a rule
  std::uint16_t close_code = 1006;  // of the peer's goodbye; 1006: there was none
  std::string reason;
};

class Connection {
 public:
  // The request of the upgrade is the first output.
  Connection(const Endpoint& endpoint, std::string_view user_agent, RandomWord random, Moment now);
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  // Appends the messages that are whole. Binary ones count like text: some schedulers send both.
  void received(std::string_view bytes, Moment now, std::vector<std::string>& messages);
  // REQUIRES: UTF-8. Nothing is sent before the upgrade was answered, or after the goodbye.
  void send(std::string_view message);
  void close(websocket::CloseCode code, std::string_view reason, Moment now);
  // The socket broke: there is no goodbye.
  void broke(std::string why);

  void tick(Moment now);
  std::optional<Ticks> next_due() const;
  std::string take_output();

  bool is_open() const { return peer_.has_value() && !peer_->closing() && !end_; }
  // Set once; send what take_output() still has, then end the socket.
  const std::optional<ConnectionEnd>& end() const { return end_; }

 private:
  void read_answer(std::string_view& bytes, Moment now);
  void judge_answer(std::string_view head, Moment now);
  void finish(websocket::PeerEvent event, std::vector<std::string>* messages);

  RandomWord random_;
  websocket::UpgradeNonce nonce_{};
  std::string output_;
  std::string answer_;  // of the upgrade, as far as it has come
  Ticks open_by_;
  std::optional<websocket::Peer> peer_;
  std::optional<ConnectionEnd> end_;
};

}  // namespace muster::sdk::ws
