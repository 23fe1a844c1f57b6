// Everything a worker and its scheduler say to each other beside the session itself, both ways and reliably: numbered frames of
// protocol 2 over a window (session/link.h), frames of protocol 1 acknowledged by id (session/ack_waits.h).
//
// Nothing that was taken in is lost with a connection: what the scheduler has not acknowledged is sent again after a resume under
// its number, and after a fresh start, which begins the numbers anew, under a new one. The machine owns it. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "sdk/cpp/ws/frame_writer.h"
#include "sdk/cpp/ws/moment.h"
#include "session/ack_waits.h"
#include "session/duplicates.h"
#include "session/link.h"

namespace muster::sdk::ws {

// Of all frames that wait for the scheduler. Feedback leaves the larger part to outcomes.
inline constexpr std::size_t kUnackedBytesMax = 32 * 1024 * 1024;
inline constexpr std::size_t kFeedbackWaitingBytesMax = 8 * 1024 * 1024;
inline constexpr std::size_t kFeedbackWaitingFramesMax = 512;

// Names a frame to whoever sent it, from 1; 0: nobody asks what became of it.
using Receipt = std::uint64_t;

enum class Care : std::uint8_t {
  must_arrive,  // outcomes and next requests: always taken in
  may_be_left,  // feedback: refused when much waits already
};

struct ChannelOutput {
  std::vector<std::string> frames;         // to write, in order
  std::vector<session::Envelope> deliver;  // from the scheduler, in order, once
  std::vector<Receipt> acked;              // what it has got
  bool stalled = false;                    // six resends went unanswered: this connection is of no use
  std::uint64_t skipped = 0;               // numbers that the scheduler never sent
};

class Channel {
 public:
  Channel(FrameWriter& writer, std::uint32_t window, std::uint64_t seed);

  // False: it was left out. REQUIRES: a frame written by the writer, without a number.
  bool send(Written frame, bool asks_for_ack, Care care, Receipt receipt, Moment now, ChannelOutput& out);
  void received(session::Envelope frame, Moment now, ChannelOutput& out);
  // An ack of the scheduler, whatever it names.
  void acknowledged(const session::AckPayload& ack, const std::string* acked_id, Moment now, ChannelOutput& out);

  // The session goes on where it was / begins anew / has no connection.
  void resumed(Moment now, ChannelOutput& out);
  void started(Moment now, ChannelOutput& out);
  void lost();

  void tick(Moment now, ChannelOutput& out);
  std::optional<muster::Instant> next_due() const;

  std::uint64_t last_seen() const { return link_.receiving().base(); }
  session::WindowAck window_ack() const { return link_.window_ack(); }
  const session::Link& link() const { return link_; }
  // Frames that the scheduler has not acknowledged.
  std::size_t waiting() const;

 private:
  struct Kept {  // protocol 1
    std::string id;
    std::string bytes;
    Receipt receipt = 0;
    bool sent = false;  // on this connection
  };
  struct Later {  // protocol 2: found no room in the window's queue
    std::string bytes;
    Receipt receipt = 0;
  };

  bool send_numbered(Written frame, Care care, Receipt receipt, Moment now, ChannelOutput& out);
  bool send_by_id(Written frame, bool asks_for_ack, Receipt receipt, Moment now, ChannelOutput& out);
  bool push(std::string bytes, Receipt receipt, Moment now, ChannelOutput& out);
  void push_waiting(Moment now, ChannelOutput& out);
  void send_kept(Moment now, ChannelOutput& out);
  void carry_out(session::LinkOutput& link_out, Moment now, ChannelOutput& out);
  void tell_acked(ChannelOutput& out);

  FrameWriter& writer_;
  session::Link link_;
  std::map<std::uint64_t, Receipt> numbered_;  // of frames under way
  std::deque<Later> later_;
  session::AckWaits waits_;
  session::Duplicates handled_;
  std::deque<Kept> kept_;
  bool connected_ = false;
};

}  // namespace muster::sdk::ws
