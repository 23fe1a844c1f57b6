// The sending half of a session's reliable stream: frames get numbers from 1, at most `window` of them are under way, the rest
// queue behind them, and each is sent again, byte for byte, until the peer's window says that it has it.
//
// Numbers are given when a frame is taken in, so a frame that waits for credit, or for a connection, leaves no hole. A frame is
// under way only within `window` of the oldest unacknowledged one: further ones the peer would drop. Frames are bounded in count
// and bytes, and one that finds no room is refused and gets no number. Pure; one owner, no locks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/status.h"
#include "session/ack.h"
#include "session/retry.h"

namespace muster::session {

inline constexpr std::size_t kSendQueuedFramesDefault = 1'024;
inline constexpr std::size_t kSendBytesDefault = 16 * 1024 * 1024;

struct SendBounds {
  std::uint32_t window = kSessionWindowMax;              // 1 to 64
  std::size_t queued_frames = kSendQueuedFramesDefault;  // behind the window
  std::size_t bytes = kSendBytesDefault;                 // of all frames that are not acknowledged
};

struct UnackedFrame {
  std::uint64_t number = 0;
  std::string bytes;
};

// Frames to put on the wire, in order. The views live until the next call on the window they came from.
using Transmissions = std::vector<std::string_view>;

class SendWindow {
 public:
  SendWindow(const SendBounds& bounds, std::uint64_t seed);

  // Takes a frame in, without its number, and sends it if there is credit. exhausted: no room; nothing changes.
  Result<std::uint64_t> push(std::string frame, Instant now, Transmissions& out);

  // Releases what the peer has, and sends what gets credit by it. False: the ack names what was never sent; nothing changes.
  [[nodiscard]] bool acknowledge(const WindowAck& ack, Instant now, Transmissions& out);

  // Sends again what is due. `stalled` gets the number of each frame whose six resends all went unanswered, once per connection;
  // such a frame is sent on, at the longest gap, until somebody decides otherwise.
  void tick(Instant now, Transmissions& out, std::vector<std::uint64_t>& stalled);
  // When tick() has something to do; may be early, never late. nullopt: nothing is under way.
  std::optional<Instant> next_due() const;

  // Without a connection nothing is sent, and nothing counts as an attempt.
  void disconnected() { connected_ = false; }
  // Drops what the peer has seen, then sends everything else that has credit at once. False: the peer is ahead of what was sent,
  // or behind what it acknowledged, so it is not the peer of this stream; nothing is dropped.
  [[nodiscard]] bool resumed(std::optional<std::uint64_t> last_seen, Instant now, Transmissions& out);

  std::uint64_t next_number() const { return first_ + entries_.size(); }
  std::uint64_t acked_through() const { return acked_through_; }  // highest ack_seq so far
  std::size_t frames() const { return entries_.size(); }
  std::size_t bytes() const { return bytes_; }
  std::vector<UnackedFrame> unacked() const;

  // Back to the first number, empty, connected.
  void reset();
  // Continues where another window stood, disconnected. False: the numbers do not rise below next_number, or the frames pass the
  // bounds; the window is then as after reset().
  bool restore(std::uint64_t next_number, std::vector<UnackedFrame> unacked);

 private:
  struct Entry {
    std::string bytes;  // empty once acknowledged
    Instant due;
    std::uint32_t resends = 0;
    bool acked = false;
  };

  Entry& entry(std::uint64_t number) { return entries_[number - first_]; }
  void send_with_credit(Instant now, Transmissions& out);
  void transmit(Entry& entry, Instant now, Transmissions& out);
  void mark_acked(std::uint64_t number);
  void drop_acked_front();

  SendBounds bounds_;
  Jitter jitter_;
  std::deque<Entry> entries_;  // first_, first_ + 1, …; references survive growth and release of others
  std::uint64_t first_ = 1;    // oldest that is not acknowledged, or the next to be given
  std::uint64_t sent_ = 0;     // highest that was put on the wire
  std::uint64_t acked_through_ = 0;
  std::size_t bytes_ = 0;
  Instant due_ = Instant::max();  // no entry under way is due before
  bool connected_ = true;
};

}  // namespace muster::session
