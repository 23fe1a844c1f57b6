// The short way through a window ack, the frame that a busy worker sends most: no tree, no copy, no allocation. Called by the
// front before session/envelope.h.
//
// It takes acks as workers write them and says nothing about any other text, right or wrong: that is left to the long way, which
// would have read the same from every ack that is taken here (tests/fuzz/envelope_fuzz.cc holds both to it).
#pragma once

#include <optional>
#include <string_view>

#include "session/ack.h"

namespace muster::session {

struct QuickAck {
  std::string_view tenant;
  std::string_view acked_id;  // as the payload names it; empty: it names none
  WindowAck window;
};

// nullopt: not an ack of protocol 2 with a window, or not in its usual form.
std::optional<QuickAck> read_quick_ack(std::string_view message);

}  // namespace muster::session
