// Log lines about frames, with the fields that AstraFlow's documents name.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "session/envelope.h"

namespace muster::ws {

// What a line says besides the frame.
struct Complaint {
  std::string_view session_id;  // empty: it has none
  std::string_view address;     // of the peer
  std::string_view code;        // of session/codes.h
  std::string_view reason;
};
void warn_about(std::string_view message, const session::Envelope& frame, const Complaint& complaint);

// Lines of one worker that were left out by a LogBrake; an empty sender: of all whose worker is not known.
struct LeftOut {
  std::string_view tenant;
  std::string_view sender_id;
  std::string_view session_id;
};
void tell_left_out(const LeftOut& whose, std::uint64_t count);

}  // namespace muster::ws
