// Acknowledgements: what stands in the payload of `ack` and `control.ack`, read and written.
//
// v2 acks carry the window triple (`ack_seq`, `ack_bitmap`, `recv_window`). `for` names one frame, and is no proof of delivery:
// peers set it for frames that their window dropped. For numbered frames only the triple counts.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/status.h"
#include "session/envelope.h"

namespace muster::session {

// Bits of a bitmap; wider windows do not fit an integer of JSON readers.
inline constexpr std::uint32_t kSessionWindowMax = 64;

// What a receiver holds. Bit i of the bitmap: number ack_seq + 1 + i has arrived.
struct WindowAck {
  std::uint64_t ack_seq = 0;  // everything up to here has arrived
  std::uint64_t ack_bitmap = 0;
  std::uint32_t recv_window = kSessionWindowMax;  // bits that count
  friend bool operator==(const WindowAck&, const WindowAck&) = default;
};

struct AckPayload {
  std::optional<bool> ok;
  std::optional<std::string> acked_id;  // `for`
  std::optional<std::string> info;
  std::optional<WindowAck> window;  // absent without ack_seq: the ack says nothing about the window
};

// invalid_argument: a field is of another type; the message names it. Unknown fields are the schema's business. A missing bitmap
// is an empty one.
Result<AckPayload> read_ack(const json::Tree& payload);

// The frame that an ack names: `ack.for` of its envelope, else `for` of its payload. nullptr: none.
const std::string* acked_id(const Envelope& envelope, const AckPayload& payload);

// What an ack says, by reference. `ok` is always true: what is refused gets no ack.
struct AckHead {
  std::string_view id;  // of the ack itself
  Instant ts;
  std::optional<std::string_view> corr;  // copied from the frame
  std::optional<std::uint64_t> seq;      // copied by workers, left out by schedulers
  std::string_view tenant;
  Role role = Role::scheduler;
  std::string_view sender_id;
  std::optional<std::string_view> acked_id;  // `for`, and `ack.for` of the envelope
  std::optional<WindowAck> window;           // v2
};

// Appends one ack frame without building a tree.
void append_ack(std::string& out, Protocol protocol, const AckHead& ack);

}  // namespace muster::session
