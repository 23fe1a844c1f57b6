// v1 reliability: frames that wait for an ack by their id, and the per-run numbers of results.
//
// v1 has no window. A frame that asks for an ack is sent again, byte for byte, until the ack names its id, six times at most. A
// dispatch besides has a deadline of 5 s, after which it is somebody else's turn with a new id. Pure; one owner, no locks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/status.h"
#include "session/retry.h"
#include "session/send_window.h"

namespace muster::session {

inline constexpr Duration kDispatchAckDeadline{5'000};
inline constexpr std::size_t kAckWaitsMax = 1'024;
inline constexpr std::size_t kAckWaitBytesMax = 16 * 1024 * 1024;

class AckWaits {
 public:
  explicit AckWaits(std::uint64_t seed) : jitter_(seed) {}

  // Remembers a frame that was just sent. already_exists: its id waits already. exhausted: too many wait, or too many bytes.
  Status add(std::string id, std::string frame, Instant now, std::optional<Duration> deadline = std::nullopt);
  // An ack names the id, or its answer came without one. False: nobody waits for it.
  bool acked(std::string_view id);

  // Sends again what is due; `given_up` gets the ids whose deadline passed or whose six resends went unanswered, and they no
  // longer wait.
  void tick(Instant now, Transmissions& out, std::vector<std::string>& given_up);
  std::optional<Instant> next_due() const;

  std::size_t size() const { return waits_.size(); }
  void clear();

 private:
  struct Wait {
    std::string frame;
    Instant due;
    Instant deadline;
    std::uint32_t resends = 0;
  };

  Jitter jitter_;
  std::map<std::string, Wait, std::less<>> waits_;
  std::size_t bytes_ = 0;
};

// The per-run `seq` of the results of one run, which v1 says rises without gaps.
class RunSequence {
 public:
  enum class Verdict : std::uint8_t { in_order, late, gap, duplicate };

  // in_order: the next one. late: one that was missing. gap: an earlier one is missing; this one counts all the same. duplicate:
  // it came before, or is more than 64 behind the newest.
  Verdict record(std::uint64_t seq);
  std::uint64_t missing() const { return base_ + 1; }  // the lowest that has not come

 private:
  std::uint64_t base_ = 0;    // all up to here came, or are given up
  std::uint64_t bitmap_ = 0;  // bit i: base_ + 1 + i came; bit 0 is never set
};

}  // namespace muster::session
