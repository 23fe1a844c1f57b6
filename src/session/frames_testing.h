// Frames for the tests of this folder.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "session/envelope.h"
#include "session/link.h"

namespace muster::session {

inline constexpr Instant kTestStart{std::chrono::seconds(1'794'729'445)};

// A numbered business frame as the window gets it.
inline Envelope frame_with(std::uint64_t number, bool asks = false) {
  Envelope frame;
  frame.type = "biz.exec.feedback";
  frame.id = "frame-" + std::to_string(number);
  frame.corr = "task-" + std::to_string(number);
  frame.session_seq = number;
  frame.ack_request = asks;
  frame.bytes = 100;
  return frame;
}

inline std::vector<std::uint64_t> numbers_of(const std::vector<Envelope>& frames) {
  std::vector<std::uint64_t> numbers;
  for (const Envelope& frame : frames) numbers.push_back(frame.session_seq.value_or(0));
  return numbers;
}

inline std::vector<std::string> texts_of(const Transmissions& sent) { return {sent.begin(), sent.end()}; }

// The text that a window makes of `{"p":<number>}`.
inline std::string numbered_text(std::uint64_t number) {
  return "{\"p\":" + std::to_string(number) + ",\"session_seq\":" + std::to_string(number) + "}";
}
inline std::string plain_text(std::uint64_t number) { return "{\"p\":" + std::to_string(number) + "}"; }

}  // namespace muster::session
