#include "session/worker_states.h"

#include <algorithm>

#include "base/check.h"
#include "session/codes.h"

namespace muster::session {
namespace {

constexpr std::uint16_t kCloseServiceRestartCode = 1012;

bool contains(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

}  // namespace

std::string_view to_string(WorkerState state) {
  switch (state) {
    case WorkerState::fresh: return "NEW";
    case WorkerState::handshaking: return "HANDSHAKING";
    case WorkerState::registered: return "REGISTERED";
    case WorkerState::ready: return "READY";
    case WorkerState::draining: return "DRAINING";
    case WorkerState::closed: return "CLOSED";
    case WorkerState::backoff: return "BACKOFF";
  }
  unreachable();
}

Hello hello_after_close(std::uint16_t code, std::string_view reason, bool has_session) {
  const bool forgotten =
      code == kCloseServiceRestartCode || contains(reason, kCloseServiceRestart) || contains(reason, kSessionUnknown.reason);
  return has_session && !forgotten ? Hello::resume : Hello::handshake;
}

Duration ReconnectBackoff::next() {
  if (attempts_++ == 0) return Duration(0);
  constexpr std::uint32_t kDoublings = 5;  // 1 s * 2^5 is beyond the longest gap
  attempts_ = std::min(attempts_, kDoublings + 2);
  const Duration gap = std::min(kReconnectGapFirst * (1 << (attempts_ - 2)), kReconnectGapLongest);
  return std::max(jitter_.spread(gap), kReconnectGapShortest);
}

}  // namespace muster::session
