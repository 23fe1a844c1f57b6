// One side of a WebSocket after the upgrade: decoder and encoder with what the RFC wants of a connection around them. Pings are
// answered, silence is noticed, and both sides say goodbye.
//
//   open ── close() ──► closing ── the peer's close, a fault, the deadline ──► finished
//     └───────────── the peer's close (echoed), a fault (told) ──────────────────┘
//
// Used by whoever owns the socket, on its thread: bytes come in through received(), go out through take_output(), and time comes
// with each call. An idle server's peer takes less than 1 kB.
//
//   while (auto event = peer.received(bytes, now)) handle(*event);
//   connection.send(peer.take_output());
//   if (peer.finished()) connection.close_when_sent();
//
// Time is monotonic; a server that may be stopped or suspended gives listened time (base/listening.h), so that its own absence is
// nobody's silence. Two bounds are the caller's, who knows the socket: of what is sent and not taken by take_output(), and of the
// time that one message may take to arrive, since a peer that sends it byte by byte is alive.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "base/clock.h"
#include "base/unique_function.h"
#include "websocket/decoder.h"
#include "websocket/encoder.h"

namespace muster::websocket {

inline constexpr Duration kPingAfterDefault{20'000};   // silence before the peer is asked whether it is there
inline constexpr Duration kPongWithinDefault{20'000};  // further silence before it is taken for gone

struct PeerOptions {
  Role role = Role::server;  // of this side
  std::optional<DeflateTerms> deflate;
  std::size_t message_bytes_max = kMessageBytesDefault;
  std::size_t deflate_bytes_min = kDeflateBytesMin;
  std::size_t deflate_bytes_max = kDeflateBytesMax;
  Duration ping_after = kPingAfterDefault;  // zero: silence is never noticed
  Duration pong_within = kPongWithinDefault;
  UniqueFunction<MaskKey()> mask_keys;  // see EncoderOptions
};

// What a peer leaves to its owner. A close or a fault is the last one, and comes at most once.
using PeerEvent = std::variant<Text, Binary, Close, Fault>;

class Peer {
 public:
  Peer(PeerOptions options, Ticks now);

  // Takes bytes off the front of `bytes` up to the next event; nullopt: all were taken and there is none. Messages that arrive
  // after close() was called, and everything behind the peer's close or a fault, are dropped.
  std::optional<PeerEvent> received(std::string_view& bytes, Ticks now);

  // False: the connection is closing, and nothing was queued. REQUIRES: text is UTF-8.
  bool send_text(std::string_view text);
  bool send_binary(std::string_view data);
  bool send_text_prepared(PreparedText& text);

  // Says goodbye and waits for the peer's, at most until `deadline`. Does nothing when the connection is closing already.
  // REQUIRES: may_travel(code).
  void close(CloseCode code, std::string_view reason, Ticks deadline);

  // What is to be sent, in order. Of several pings since the last call only the newest is answered (RFC 6455, section 5.5.3).
  std::string take_output();
  // For a peer that does not read: what was not taken is not sent.
  void drop_output() { output_.clear(); }
  bool has_output() const { return !output_.empty() || pong_.has_value(); }

  // When tick() has something to do; nullopt: never, unless something else happens first.
  std::optional<Ticks> next_due() const;
  // Asks a silent peer whether it is there, gives up on one that does not answer, and ends a close that nobody echoed.
  std::optional<PeerEvent> tick(Ticks now);

  // No frame will come or go any more: send what take_output() has, then end the connection.
  bool finished() const { return state_ == State::finished; }
  bool closing() const { return state_ != State::open; }
  void set_message_bytes_max(std::size_t bytes_max) { decoder_.set_message_bytes_max(bytes_max); }
  // Bytes of memory that this connection's messages take, in and out.
  std::size_t buffered() const { return decoder_.buffered() + output_.capacity(); }

 private:
  enum class State : std::uint8_t { open, closing, finished };

  std::optional<PeerEvent> judge(Event event);
  Fault fail(Fault fault);
  void say_goodbye(CloseCode code, std::string_view reason);
  void answer_ping();

  State state_ = State::open;
  bool asked_ = false;  // a ping went out since the peer was last heard
  Duration ping_after_;
  Duration pong_within_;
  Ticks heard_at_;  // or, after a ping, when it went out
  Ticks close_by_{};
  Decoder decoder_;
  Encoder encoder_;
  std::string output_;
  std::optional<std::string> pong_;  // the answer to the newest ping
};

}  // namespace muster::websocket
