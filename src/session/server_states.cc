#include "session/server_states.h"

#include "base/check.h"

namespace muster::session {
namespace {

constexpr ErrorCode kHandshakeRequiredV1{kAuthHandshakeRequired.code, kCloseHandshakeRequired};

bool is_hello(FrameKind kind) { return kind == FrameKind::handshake || kind == FrameKind::resume; }

// A worker may send business frames again before its resume arrives: they come once more after it.
FrameVerdict judge_when_open(const FrameFacts& frame) {
  if (is_hello(frame.kind)) return {FrameAction::process, {}};
  if (frame.kind != FrameKind::registration) return {FrameAction::ignore, {}};
  if (frame.protocol == Protocol::v1) return {FrameAction::refuse, kHandshakeRequiredV1};
  return {FrameAction::reset, kAuthHandshakeRequired};
}

FrameVerdict judge_when_authed(const FrameFacts& frame) {
  if (is_hello(frame.kind) || frame.kind == FrameKind::registration) return {FrameAction::process, {}};
  if (frame.kind == FrameKind::heartbeat) return {FrameAction::tolerate, {}};
  return {FrameAction::ignore, {}};
}

FrameVerdict judge_when_ready(const FrameFacts& frame) {
  switch (frame.kind) {
    case FrameKind::registration: return {FrameAction::update, {}};
    case FrameKind::session_accept:
    case FrameKind::reset:
    case FrameKind::drain: return {FrameAction::tolerate, {}};  // ours to send, not a worker's
    case FrameKind::unknown:
      if (frame.protocol == Protocol::v1) return {FrameAction::ignore, {}};
      // Business frames that nobody knows are still part of the numbered stream.
      return {frame.family == Family::control ? FrameAction::tolerate : FrameAction::process, {}};
    default: return {FrameAction::process, {}};
  }
}

}  // namespace

FrameFacts facts_of(Protocol protocol, std::string_view type) {
  return {.protocol = protocol, .kind = kind_of(protocol, type), .family = family_of(type)};
}

FrameVerdict judge_frame(ServerState state, const FrameFacts& frame) {
  switch (state) {
    case ServerState::open: return judge_when_open(frame);
    case ServerState::authed:
    case ServerState::ready:
      if (!frame.same_tenant) return {FrameAction::reset, kSessionTenantMismatch};
      if (is_hello(frame.kind) && frame.repeats_hello) return {FrameAction::ack_again, {}};
      return state == ServerState::authed ? judge_when_authed(frame) : judge_when_ready(frame);
    case ServerState::detached:
    case ServerState::closed: return {FrameAction::ignore, {}};  // what a socket still had in its buffers
  }
  unreachable();
}

std::string_view to_string(ServerState state) {
  switch (state) {
    case ServerState::open: return "open";
    case ServerState::authed: return "authed";
    case ServerState::ready: return "ready";
    case ServerState::detached: return "detached";
    case ServerState::closed: return "closed";
  }
  unreachable();
}

}  // namespace muster::session
