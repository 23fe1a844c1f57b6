// The life of a session as the server sees it: its states and moves as data, and what each state does with each kind of frame.
//
//   open ──authenticated──► authed ──accepted──► ready ──disconnected──► detached ──expired──► closed
//     └──────────── resumed ───────────────────────▲                         │
//                                                   └────── resumed ──────────┘
//
// Pure: the front asks judge_frame() what to do, does it, and moves by next() to what came of it. Draining is no state: a
// draining session does everything but get new work.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "base/clock.h"
#include "session/codes.h"
#include "session/frame_types.h"

namespace muster::session {

enum class ServerState : std::uint8_t {
  open,      // a connection that has not said who it is
  authed,    // the handshake was acknowledged; windows, session and registration are fresh
  ready,     // registered, or resumed: work flows
  detached,  // no connection; everything is kept for a resume
  closed,    // over
};

enum class ServerEvent : std::uint8_t {
  authenticated,  // a handshake was accepted, on this connection or for a detached session
  accepted,       // a register was acknowledged and the session accepted (v1: acknowledged)
  resumed,
  refused,       // reset, or a v1 refusal
  disconnected,  // the socket that is bound to the session is gone
  superseded,    // the instance came back on another connection
  expired,       // detached for too long
  drained,       // a drain is over, and the connection was closed for it
};

struct ServerMove {
  ServerState from;
  ServerEvent on;
  ServerState to;
};

inline constexpr std::array kServerMoves{
    ServerMove{ServerState::open, ServerEvent::authenticated, ServerState::authed},
    ServerMove{ServerState::open, ServerEvent::resumed, ServerState::ready},
    ServerMove{ServerState::open, ServerEvent::refused, ServerState::closed},
    ServerMove{ServerState::open, ServerEvent::disconnected, ServerState::closed},
    ServerMove{ServerState::authed, ServerEvent::authenticated, ServerState::authed},
    ServerMove{ServerState::authed, ServerEvent::accepted, ServerState::ready},
    ServerMove{ServerState::authed, ServerEvent::refused, ServerState::closed},
    ServerMove{ServerState::authed, ServerEvent::disconnected, ServerState::closed},  // nothing was accepted yet
    ServerMove{ServerState::authed, ServerEvent::superseded, ServerState::closed},
    ServerMove{ServerState::ready, ServerEvent::authenticated, ServerState::authed},  // a worker that starts over
    ServerMove{ServerState::ready, ServerEvent::accepted, ServerState::ready},        // it registers again
    ServerMove{ServerState::ready, ServerEvent::resumed, ServerState::ready},
    ServerMove{ServerState::ready, ServerEvent::refused, ServerState::closed},
    ServerMove{ServerState::ready, ServerEvent::disconnected, ServerState::detached},
    ServerMove{ServerState::ready, ServerEvent::superseded, ServerState::detached},
    ServerMove{ServerState::ready, ServerEvent::drained, ServerState::closed},
    ServerMove{ServerState::detached, ServerEvent::resumed, ServerState::ready},
    ServerMove{ServerState::detached, ServerEvent::authenticated, ServerState::authed},
    ServerMove{ServerState::detached, ServerEvent::expired, ServerState::closed},
};

// nullopt: the event means nothing in this state, and nothing changes.
constexpr std::optional<ServerState> next(ServerState from, ServerEvent on) {
  for (const ServerMove& move : kServerMoves)
    if (move.from == from && move.on == on) return move.to;
  return std::nullopt;
}

static_assert(!next(ServerState::closed, ServerEvent::resumed));

// An operator's wish that an instance finishes what it has and gets nothing new. It outlives connections.
struct Drain {
  std::optional<Instant> deadline;

  // Whether the connection is closed for it.
  bool is_over(std::size_t in_flight, Instant now) const { return in_flight == 0 || (deadline && *deadline <= now); }
};

// Whether a session may get new work.
constexpr bool may_dispatch(ServerState state, const std::optional<Drain>& drain) {
  return state == ServerState::ready && !drain;
}

enum class FrameAction : std::uint8_t {
  process,    // handle it; its handler answers
  ack_again,  // a repeated hello: acknowledge it, change nothing
  update,     // a register of a registered session: take its contents, acknowledge, no second accept
  tolerate,   // acknowledge it if it asks, without effect
  ignore,     // neither handle nor acknowledge it; the connection stays
  refuse,     // v1 before its handshake: acknowledge, then close 1011 with `code.reason`
  reset,      // send control.reset with `code`, then close 1011
};

struct FrameFacts {
  Protocol protocol = Protocol::v2;
  FrameKind kind = FrameKind::unknown;
  Family family = Family::none;
  bool repeats_hello = false;  // a handshake or resume with the id of the one that was accepted on this connection
  bool same_tenant = true;     // as the one the connection is bound to
};

FrameFacts facts_of(Protocol protocol, std::string_view type);

struct FrameVerdict {
  FrameAction action = FrameAction::ignore;
  ErrorCode code;  // of refuse and reset
};

FrameVerdict judge_frame(ServerState state, const FrameFacts& frame);

std::string_view to_string(ServerState state);

}  // namespace muster::session
