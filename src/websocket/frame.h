// What one WebSocket frame is (RFC 6455, section 5): its header as a value and as bytes, its mask, and the codes of a close
// frame. The decoder and the encoder are built on it; nothing here keeps state.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace muster::websocket {

// Which side of the connection this is. Clients mask what they send, servers do not.
enum class Role : std::uint8_t { server, client };
constexpr Role other(Role role) { return role == Role::server ? Role::client : Role::server; }

enum class Opcode : std::uint8_t { continuation = 0x0, text = 0x1, binary = 0x2, close = 0x8, ping = 0x9, pong = 0xA };
constexpr bool is_control(Opcode opcode) { return opcode >= Opcode::close; }
constexpr bool is_known(Opcode opcode) { return opcode <= Opcode::binary || (is_control(opcode) && opcode <= Opcode::pong); }

// Any value of 16 bits may arrive; those that have a name here are the ones this room gives or judges by itself.
enum class CloseCode : std::uint16_t {
  normal = 1000,
  going_away = 1001,
  protocol_error = 1002,
  unsupported_data = 1003,
  no_status = 1005,  // never on the wire: the close frame had no code
  abnormal = 1006,   // never on the wire: there was no close frame
  invalid_data = 1007,
  policy_violation = 1008,
  too_big = 1009,
  mandatory_extension = 1010,
  internal_error = 1011,
  service_restart = 1012,
  try_again_later = 1013,
  bad_gateway = 1014,
  registered_first = 3000,  // 3000 to 3999: libraries and frameworks
  private_last = 4999,      // 4000 to 4999: between the two sides
};
// Whether a close frame may carry it.
bool may_travel(CloseCode code);

inline constexpr std::size_t kControlBytesMax = 125;                  // of a control frame's payload (RFC 6455, section 5.5)
inline constexpr std::size_t kReasonBytesMax = kControlBytesMax - 2;  // of a close frame's reason
inline constexpr std::size_t kLongestFrameHeader = 2 + 8 + 4;         // two bytes, the long length, the mask

using MaskKey = std::array<unsigned char, 4>;

struct FrameHeader {
  Opcode opcode = Opcode::text;
  bool final = true;        // the last frame of its message
  bool compressed = false;  // RSV1, which permessage-deflate gives its meaning
  bool reserved = false;    // RSV2 or RSV3, which nobody gave one; never written
  std::optional<MaskKey> mask;
  std::uint64_t length = 0;  // of the payload
};

// Bytes of the header that starts so. What fewer than two bytes cannot tell is counted as absent.
std::size_t header_bytes(std::string_view start);
// REQUIRES: all of the header, header_bytes(bytes) of it. nullopt: the length has more bytes than it needs, or its highest bit is
// set. An unknown opcode is read as it stands.
std::optional<FrameHeader> read_header(std::string_view bytes);
void append_header(std::string& out, const FrameHeader& header);

// Masks or unmasks in place, many bytes at a time. `offset`: how many bytes of the payload came before these.
void apply_mask(char* data, std::size_t size, const MaskKey& key, std::uint64_t offset);

// The payload of a close frame. A reason that is too long is cut between two characters, and one that is not UTF-8 ends where it
// stops being it: it is for people, and saying goodbye must not fail. REQUIRES: may_travel(code), or no_status with no reason.
std::string close_payload(CloseCode code, std::string_view reason);

}  // namespace muster::websocket
