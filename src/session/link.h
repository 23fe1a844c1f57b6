// One side of a v2 session's reliable stream: both windows as one object, without socket, clock or payloads. The server front has
// one per session, the worker one for its only session.
//
// Every call gets `now` and fills a LinkOutput; the owner writes what it is told to write and delivers what it is told to
// deliver. One timer per link suffices: set it to next_due() after each call and call tick() when it fires. `now` should come
// from a clock that does not go back, or resends wait until it has caught up.
//
//   fresh session:  reset() ─► send, received, tick ─► disconnected() ─► resumed() ─► …
//   after restart:  restore() ─► resumed() ─► …
//
// An ack is due for each numbered frame, dropped ones too, and acks are cumulative: an owner that must store a delivery before it
// is acknowledged holds back that ack and all later ones, and writes them in order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/status.h"
#include "session/ack.h"
#include "session/envelope.h"
#include "session/receive_window.h"
#include "session/send_window.h"

namespace muster::session {

struct LinkOptions {
  SendBounds send;
  ReceiveBounds receive;
  std::uint64_t seed = 0;  // of the spread of retransmissions
};

// An ack that is to be written, in the owner's words: id, time and sender are its own.
struct AckDue {
  std::optional<std::string> acked_id;  // `for`: the frame asked for an ack and was accepted
  std::optional<std::string> corr;
  std::optional<std::uint64_t> seq;  // copied by workers only
  WindowAck window;
};

struct LinkOutput {
  Transmissions transmit;              // the views live until the next call on the link
  std::vector<Envelope> deliver;       // in order
  std::optional<AckDue> ack;           // written after `deliver` is taken care of
  std::vector<std::uint64_t> stalled;  // numbers whose six resends went unanswered
  std::uint64_t skipped = 0;           // numbers of the peer that were given up: work of it may be missing
  bool fault = false;                  // the peer named what was never sent

  void clear();  // keeps the memory, for the next call
};

struct LinkState {
  std::uint64_t receive_base = 0;
  std::vector<HeldFrame> held;  // told to the peer by bitmap, so it will not send them again
  std::uint64_t next_number = 1;
  std::vector<UnackedFrame> unacked;
};

struct LinkCounters {
  std::uint64_t faults = 0;   // acks and resumes that name what was never sent
  std::uint64_t holes = 0;    // holes skipped; `ws_seq_hole_total`
  std::uint64_t dropped = 0;  // frames stale, repeated, out of the window or without room
};

class Link {
 public:
  explicit Link(const LinkOptions& options);

  // Numbers a business frame and sends it, now or when there is credit. Returns the number. exhausted: no room, nothing changes.
  // REQUIRES: the text of a frame without session_seq.
  Result<std::uint64_t> send(std::string frame, Instant now, LinkOutput& out);

  // A frame of the peer outside the control family. Without a number it is delivered at once and acknowledged if it asks.
  Arrival received(Envelope frame, Instant now, LinkOutput& out);
  // The window triple of an ack of the peer, whatever frame it acknowledged.
  void acknowledged(const WindowAck& ack, Instant now, LinkOutput& out);

  // Resends what is due and skips holes that are due.
  void tick(Instant now, LinkOutput& out);
  // When tick() has something to do; may be early, never late.
  std::optional<Instant> next_due() const;

  // The connection is gone: nothing is sent, frames are still taken in, holes wait.
  void disconnected();
  // The peer is back. `last_seen`: the highest number it has in order, if it said so. conflict: that number is not one of this
  // stream; the link goes on as if it had not been said, and the owner may reset the session instead.
  Status resumed(std::optional<std::uint64_t> last_seen, Instant now, LinkOutput& out);
  // A fresh session: both streams begin at 1, and everything held is dropped.
  void reset();

  LinkState state() const;
  // Continues a state, disconnected. corrupt: no link of these options was ever in it; the link is then as after reset().
  Status restore(LinkState state);

  // What an ack of a control frame says about the window.
  WindowAck window_ack() const { return receive_.ack(); }
  const SendWindow& sending() const { return send_; }
  const ReceiveWindow& receiving() const { return receive_; }
  const LinkCounters& counters() const { return counters_; }

 private:
  SendWindow send_;
  ReceiveWindow receive_;
  LinkCounters counters_;
  bool connected_ = true;
};

}  // namespace muster::session
