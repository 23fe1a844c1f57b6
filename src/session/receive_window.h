// The receiving half of a session's reliable stream: frames come in any order, any number of times, and leave in order, once.
//
// `base` is the highest number up to which everything has arrived; bit i of the bitmap says that base + 1 + i is held, and at
// most `window` numbers above base are looked at. Frames held above a hole are bounded in count and bytes. Numbers that a peer
// used up and never sends (the real worker does this while it is offline) would stall the stream for ever, so a hole that is old
// enough is skipped. Pure; one owner, no locks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "base/clock.h"
#include "session/ack.h"
#include "session/envelope.h"
#include "session/retry.h"

namespace muster::session {

// A worker resends what it still holds within 5 s of a resume.
inline constexpr Duration kHoleWaitAfterResume{6'000};
// Past the 16.2 s after which a worker gives a frame up.
inline constexpr Duration kHoleWaitConnected{17'000};
// The longest gap between two resends with its spread, and a second for the way: a frame that we dropped for being beyond the
// window comes again within this, or its sender gave it up.
inline constexpr Duration kHoleWaitRefused{7'000};
// A hole this young may be a frame on its way, however long ago the resume was.
inline constexpr Duration kHoleAgeMin{2'000};
// Numbers that one hole may have. A peer uses up two for each task that ends while it is offline; a frame further ahead is
// nonsense.
inline constexpr std::uint64_t kHoleNumbersMax = 65'536;
static_assert(kHoleWaitRefused > kRetryGapLongest * 12 / 10);
static_assert(kHoleAgeMin < kHoleWaitAfterResume && kHoleWaitAfterResume < kHoleWaitConnected);

inline constexpr std::size_t kReceiveHeldBytesDefault = 16 * 1024 * 1024;

struct ReceiveBounds {
  std::uint32_t window = kSessionWindowMax;           // 1 to 64
  std::size_t held_bytes = kReceiveHeldBytesDefault;  // of messages above a hole, as they were on the wire
};

enum class Arrival : std::uint8_t {
  delivered,      // it and what it released were handed out
  held,           // kept until what is missing before it comes
  stale,          // it came before, or its number was skipped; 0 is nobody's number
  duplicate,      // it is held already
  out_of_window,  // too far ahead: dropped, the peer sends it again
  no_room,        // the held bytes are used up: dropped, the peer sends it again
};

// Whether we have, or had, what the peer sent: then an ack may name it.
constexpr bool is_accepted(Arrival arrival, std::uint64_t number) {
  return number > 0 && arrival != Arrival::out_of_window && arrival != Arrival::no_room;
}

struct HeldFrame {
  Envelope frame;  // its session_seq is its number
  Instant arrived_at;
};

class ReceiveWindow {
 public:
  explicit ReceiveWindow(const ReceiveBounds& bounds);

  // Takes one numbered frame; `deliver` gets what is now in order. REQUIRES: frame.session_seq.
  Arrival record(Envelope frame, Instant now, std::vector<Envelope>& deliver);

  // The peer came back at `now`: what it still holds is on its way.
  void resumed(Instant now);

  // When the hole below the held frames, or below frames that are all beyond the window, may be skipped; nullopt: there is none.
  std::optional<Instant> hole_due() const;
  // Skips holes that are due and delivers what is behind them. Returns how many numbers were skipped.
  std::uint64_t skip_due_holes(Instant now, std::vector<Envelope>& deliver);

  WindowAck ack() const { return {.ack_seq = base_, .ack_bitmap = bitmap_, .recv_window = bounds_.window}; }
  std::uint64_t base() const { return base_; }
  std::size_t held_bytes() const { return held_bytes_; }
  const std::map<std::uint64_t, HeldFrame>& held() const { return held_; }

  // Back to the first number, empty.
  void reset();
  // Continues where another window of the same bounds stood. False: what is held does not lie above a hole, within the bounds,
  // each number once; the window is then as after reset().
  bool restore(std::uint64_t base, std::vector<HeldFrame> held);

 private:
  struct Refused {
    Instant since;
    Instant until;  // when it has come again, or never will
  };

  void deliver_contiguous(std::vector<Envelope>& deliver);
  Arrival refuse(Arrival arrival, std::uint64_t number, Instant now);
  void forget_refused();
  Instant hole_due(Instant known_since) const;

  ReceiveBounds bounds_;
  std::uint64_t base_ = 0;
  std::uint64_t bitmap_ = 0;                 // bit 0 is never set between calls
  std::map<std::uint64_t, HeldFrame> held_;  // a node per bit of bitmap_; empty on a connection without loss
  std::size_t held_bytes_ = 0;
  std::optional<Instant> resumed_at_;
  bool delivered_since_resume_ = false;
  // Numbers dropped since then that are still to come. At most twice the window: those within it, and as many beyond.
  std::map<std::uint64_t, Refused> refused_;
};

}  // namespace muster::session
