// A job's states and legal moves, as data. The SQL CHECKs, docs/protocol-http.md and this table are tested against
// each other; a move that is not here is answered with `conflict`.
//
//   scheduled ──due──► ready ──claimed──► running ──completed──► completed
//       ▲  ▲             ▲                │  │ │ └──cancelled──► cancelled
//       │  └──failed─────│────────────────┘  │ └──exhausted────► dead ──redriven──► ready
//       └──snoozed───────└──lost, released───┘
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace muster {

enum class JobState : std::uint8_t { scheduled, ready, running, completed, dead, cancelled };

enum class JobEvent : std::uint8_t {
  enqueued,   // accepted
  due,        // its time came, or what it waited for finished
  claimed,    // granted to a worker
  completed,  // the worker finished it
  failed,     // the attempt failed and will be retried
  exhausted,  // no attempts or rescues are left, or the error may not be retried
  lost,       // the worker vanished: rescue
  released,   // the worker handed it back; costs nothing
  snoozed,    // the worker asked for it later; costs nothing
  cancelled,  // cancelled by a user, or with a job it waited for
  expired,    // still waiting at its expiry
  redriven,   // taken out of the finished set by an operator
  pruned,     // removed by retention
};

inline constexpr std::array kJobStates{JobState::scheduled, JobState::ready, JobState::running,
                                       JobState::completed, JobState::dead,  JobState::cancelled};

struct Move {
  JobState from;
  JobEvent on;
  JobState to;
};

inline constexpr std::array kMoves{
    Move{JobState::scheduled, JobEvent::due, JobState::ready},
    Move{JobState::scheduled, JobEvent::cancelled, JobState::cancelled},
    Move{JobState::scheduled, JobEvent::expired, JobState::dead},
    Move{JobState::ready, JobEvent::claimed, JobState::running},
    Move{JobState::ready, JobEvent::cancelled, JobState::cancelled},
    Move{JobState::ready, JobEvent::expired, JobState::dead},
    Move{JobState::running, JobEvent::completed, JobState::completed},
    Move{JobState::running, JobEvent::failed, JobState::scheduled},
    Move{JobState::running, JobEvent::exhausted, JobState::dead},
    Move{JobState::running, JobEvent::lost, JobState::ready},
    Move{JobState::running, JobEvent::released, JobState::ready},
    Move{JobState::running, JobEvent::snoozed, JobState::scheduled},
    Move{JobState::running, JobEvent::cancelled, JobState::cancelled},
    Move{JobState::dead, JobEvent::redriven, JobState::ready},
    Move{JobState::cancelled, JobEvent::redriven, JobState::ready},
};

constexpr std::optional<JobState> next(JobState from, JobEvent on) {
  for (const Move& move : kMoves)
    if (move.from == from && move.on == on) return move.to;
  return std::nullopt;  // the caller answers `conflict`; nobody guesses
}

constexpr bool is_finished(JobState state) {
  return state == JobState::completed || state == JobState::dead || state == JobState::cancelled;
}

static_assert(!next(JobState::completed, JobEvent::claimed));

std::string_view to_string(JobState state);
std::string_view to_string(JobEvent event);
std::optional<JobState> parse_job_state(std::string_view name);

}  // namespace muster
