// Business frames to and from one worker, in order and once, whatever its protocol: v2 by windows (session/link.h), v1 by acks
// and a memory of what came (session/ack_waits.h, duplicates.h).
//
// A frame of the worker is acknowledged when its owner says that what it brought is safe; acks are cumulative, so later ones wait
// for it. Outlives sockets. On the loop's thread.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "base/status.h"
#include "fronts/ws/deadlines.h"
#include "session/ack_waits.h"
#include "session/duplicates.h"
#include "session/frame_types.h"
#include "session/link.h"

namespace muster::ws {

struct Core;
class Socket;

// Frames of a worker whose numbers are not known yet: a window above the first that came, and one below.
inline constexpr std::size_t kUnplacedMax = 2 * session::kSessionWindowMax;
inline constexpr std::size_t kAcksHeldMax = 1'024;  // of one worker, until what their frames brought is safe

// A frame of the worker that is being taken care of. Given back by Channel::done().
enum class Arrived : std::uint64_t {};

class ChannelOwner {
 public:
  virtual void deliver(session::Envelope frame, Arrived arrived) = 0;
  virtual void unacknowledged(const std::string& frame_id) = 0;  // v1: the worker says nothing about it
  virtual void stalled() = 0;                                    // v2: the worker's window does not move
  virtual void holes_skipped() = 0;                              // v2: frames of the worker are missing for good

 protected:
  ~ChannelOwner() = default;
};

struct BusinessFrame {
  session::FrameKind kind = session::FrameKind::dispatch;
  std::string_view type{};  // empty: the name of the kind; extensions have no other
  std::string_view id;
  std::optional<std::string_view> corr;
  std::optional<std::uint64_t> seq;
  bool ack_request = false;
  std::optional<Duration> ack_within;  // v1: unacknowledged() after that
  std::string_view payload;
};

class Channel {
 public:
  Channel(Core& core, session::Protocol protocol, std::string tenant, ChannelOwner& owner);

  void attach(Socket& socket);  // a fresh session, or one that resumes by resumed()
  void detach();
  Socket* socket() const { return socket_; }

  // Both streams begin anew.
  void reset();
  // v2: the worker is back with its windows. `last_seen`: the last of our numbers it has in order.
  // conflict: that is none of ours, and counts as not said.
  Status resumed(std::optional<std::uint64_t> last_seen);
  // v2: it is back, and what its windows were is not known here (session/link.h, restore). Numbers of ours go on behind
  // `last_seen`; where the worker's begin is known when everything that it still holds has come.
  void continued(std::uint64_t last_seen);

  // exhausted: too much is under way. The frame is sent now, or when there is a socket and credit.
  Status send(const BusinessFrame& frame);
  // A control frame: now, or never.
  void send_control(session::FrameKind kind, std::string_view payload);

  void received(session::Envelope frame);
  void acked(const session::Envelope& ack);
  void acked(const session::WindowAck& window);
  // What the frame brought is safe, or is of no use.
  void done(Arrived arrived);
  // Protocol 1: it is not acknowledged, and is new when it comes again.
  void refuse(const session::Envelope& frame, Arrived arrived);
  // It brought one thing more: done() is called once more, too.
  void hold(Arrived arrived);

  // What acks of control frames say: no more than what is safe.
  session::WindowAck acknowledged_window() const { return safe_; }

 private:
  struct PendingAck {
    std::optional<session::AckDue> due;
    std::size_t waiting = 0;  // deliveries that are not done
  };

  void received_numbered(session::Envelope frame);
  void keep_unplaced(session::Envelope frame);
  void place();
  void received_by_id(session::Envelope frame);
  void carry_out(session::LinkOutput& out);
  void write_ack(const session::AckDue& due);
  void flush_acks();
  void arm();
  void tick();

  Core& core_;
  const session::Protocol protocol_;
  const std::string tenant_;
  ChannelOwner& owner_;
  Socket* socket_ = nullptr;
  session::Link link_;                                   // v2
  session::AckWaits waits_;                              // v1
  session::Duplicates handled_;                          // v1, and v2 frames without a number
  std::uint64_t epoch_ = 0;                              // of the session
  std::optional<Instant> continued_at_;                  // set: the worker came back then, and its numbers are not known yet
  std::map<std::uint64_t, session::Envelope> unplaced_;  // what came since
  std::size_t unplaced_bytes_ = 0;
  session::WindowAck safe_;
  std::deque<PendingAck> acks_;
  std::uint64_t first_ack_ = 0;  // number of acks_.front()
  Deadlines::Entry deadline_;
};

}  // namespace muster::ws
