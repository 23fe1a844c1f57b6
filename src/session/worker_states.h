// The life of a worker's connection as the worker sees it: states and legal moves as data, when to connect again, and whether the
// next connection resumes the session or begins a new one.
//
//   fresh ─► handshaking ─► registered ─► ready ─► draining ─► closed        errors: ─► backoff ─► fresh
//
// A resume walks the same states as a handshake and a register; its accept makes the session ready.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "base/clock.h"
#include "session/retry.h"

namespace muster::session {

enum class WorkerState : std::uint8_t { fresh, handshaking, registered, ready, draining, closed, backoff };

struct WorkerMove {
  WorkerState from;
  WorkerState to;
};

inline constexpr std::array kWorkerMoves{
    WorkerMove{WorkerState::fresh, WorkerState::handshaking},   WorkerMove{WorkerState::handshaking, WorkerState::registered},
    WorkerMove{WorkerState::handshaking, WorkerState::backoff}, WorkerMove{WorkerState::registered, WorkerState::ready},
    WorkerMove{WorkerState::registered, WorkerState::backoff},  WorkerMove{WorkerState::registered, WorkerState::closed},
    WorkerMove{WorkerState::ready, WorkerState::draining},      WorkerMove{WorkerState::ready, WorkerState::closed},
    WorkerMove{WorkerState::ready, WorkerState::backoff},       WorkerMove{WorkerState::draining, WorkerState::closed},
    WorkerMove{WorkerState::draining, WorkerState::backoff},    WorkerMove{WorkerState::closed, WorkerState::fresh},
    WorkerMove{WorkerState::closed, WorkerState::backoff},      WorkerMove{WorkerState::backoff, WorkerState::fresh},
};

// A move that is not in the table is not made.
constexpr bool may_move(WorkerState from, WorkerState to) {
  for (const WorkerMove& move : kWorkerMoves)
    if (move.from == from && move.to == to) return true;
  return false;
}

static_assert(!may_move(WorkerState::fresh, WorkerState::ready));

// The name in the protocol's text: NEW, HANDSHAKING, …
std::string_view to_string(WorkerState state);

enum class Hello : std::uint8_t { handshake, resume };

// How the connection after this one begins. 1012 and two reasons say that the server has forgotten the session; a worker without
// a session has nothing to resume either.
Hello hello_after_close(std::uint16_t code, std::string_view reason, bool has_session);

inline constexpr Duration kReconnectGapFirst{1'000};
inline constexpr Duration kReconnectGapLongest{30'000};
inline constexpr Duration kReconnectGapShortest{100};

// How long a worker waits before it connects: not at all at first, then 1 s, doubled after each failure, at most 30 s, give or
// take 20 %.
class ReconnectBackoff {
 public:
  explicit ReconnectBackoff(std::uint64_t seed) : jitter_(seed) {}

  // The wait before the next attempt; each call is one attempt.
  Duration next();
  // The server took the session: the next loss of it begins anew.
  void succeeded() { attempts_ = 0; }

 private:
  Jitter jitter_;
  std::uint32_t attempts_ = 0;
};

}  // namespace muster::session
