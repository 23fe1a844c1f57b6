// How much time counts when somebody's silence is judged: time in which this process could not listen does not.
//
// A process that is stopped, suspended with its machine or blocked hears nobody, and what others said meanwhile lies in its
// sockets. Whoever reads the sockets notes so, several times within kListeningGapMax; more time between two notes does not count.
// After such a gap the time stands still once more, for as long as the gap was but at most kCatchUpMax, so that what lies in the
// sockets, and the next beat of those who gave up sending, is heard before anybody is judged.
#pragma once

#include <algorithm>
#include <mutex>
#include <optional>

#include "base/clock.h"

namespace muster {

inline constexpr Duration kListeningGapMax{500};  // more time between two notes does not count
inline constexpr Duration kCatchUpMax{10'000};    // the beat interval of most dialects

// The rule. Plain values: whoever holds one tells it what time passed how.
class ListenedTime {
 public:
  explicit ListenedTime(Ticks start) : counted_(start) {}

  // Somebody listened: all of it counts, but for what is left of catching up.
  void listen(Ticks length);
  // Nobody did. What is tolerated counts even so, or stalls that follow each other would keep the dead alive for ever.
  void pause(Ticks length);
  // Which of the two it was is told by its length alone.
  void pass(Ticks length) { length <= kListeningGapMax ? listen(length) : pause(length); }
  Ticks counted() const { return counted_; }

 private:
  Ticks counted_;
  Ticks catching_up_{};  // time that is still to stand still
};

// Listened time by a clock and the notes of whoever listens. Thread-safe. While nobody ever notes, all time counts.
class ListeningClock {
 public:
  explicit ListeningClock(const Clock& clock) : clock_(clock) {}

  void note();
  // Monotonic, and indifferent to steps of the wall clock.
  Ticks now() const;
  bool noted() const;  // ever

 private:
  const Clock& clock_;
  mutable std::mutex mutex_;          // leaf; guards everything below
  std::optional<ListenedTime> time_;  // until noted_at_
  Ticks noted_at_{};
  Instant noted_wall_{};
};

}  // namespace muster
