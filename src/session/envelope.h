// The envelope that every AstraFlow frame travels in, as a value, with its reader and its writer. Used by both ends of a session.
//
// The reader is strict: the top level, `sender` and `ack` are closed, every field is of its type, and a refusal names the field.
// `null` for an optional field counts as absent. What stands in `payload` is judged elsewhere, by its schema. The writer is
// compact, keeps one order of keys and leaves absent fields out. It puts `session_seq` last, so that a frame can be written
// before its number is known and numbered by `number_frame`.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/status.h"
#include "session/frame_types.h"
#include "session/payload.h"

namespace muster::session {

// Of each text of the envelope. An ack repeats `id` and `corr`, so without a bound a peer decides how long our frames are.
inline constexpr std::size_t kEnvelopeTextBytesMax = 4 * 1024;
inline constexpr std::size_t kEnvelopeFlagsMax = 64;
// What a worker takes in; a longer message closes its connection.
inline constexpr std::size_t kWorkerMessageBytesMax = 1024 * 1024;
// What a server takes in.
inline constexpr std::size_t kServerMessageBytesMax = 16 * 1024 * 1024;

enum class Role : std::uint8_t { scheduler, worker };
std::string_view to_string(Role role);

struct Sender {
  Role role = Role::scheduler;
  std::string id;
};

struct Envelope {
  std::string type;
  std::string id;
  Instant ts;
  std::optional<std::string> corr;
  std::optional<std::uint64_t> seq;          // per-run number of a dispatch, from 1
  std::optional<std::uint64_t> session_seq;  // transport number, from 1; v2 only, never on control frames
  std::string tenant;
  Sender sender;
  std::optional<std::string> ack_for;  // `ack.for`: the id that this frame acknowledges
  bool ack_request = false;            // `ack.request`
  std::vector<std::string> flags;
  Payload payload;
  std::size_t bytes = 0;  // of the message it was read from; not on the wire
};

struct ReadBounds {
  std::size_t bytes = kServerMessageBytesMax;
  std::optional<Protocol> protocol;  // absent: the version that the frame's own type belongs to
};

// exhausted: the message is too long. invalid_argument: not JSON, no object, or a field is wrong; the message names it.
Result<Envelope> read_envelope(std::string_view message, const ReadBounds& bounds);

// What stands around a payload, by reference: writing a frame copies each text once, into the frame.
struct FrameHead {
  std::string_view type;
  std::string_view id;
  Instant ts;
  std::optional<std::string_view> corr;
  std::optional<std::uint64_t> seq;
  std::optional<std::uint64_t> session_seq;
  std::string_view tenant;
  Role role = Role::scheduler;
  std::string_view sender_id;
  std::optional<std::string_view> ack_for;
  bool ack_request = false;
  const std::vector<std::string>* flags = nullptr;
};

// Appends one frame. REQUIRES: payload is the text of a JSON object.
void append_frame(std::string& out, const FrameHead& head, std::string_view payload);
// For writers that append the payload themselves: what stands before it, and the end.
void append_head(std::string& out, const FrameHead& head);
void append_tail(std::string& out, const FrameHead& head);

// Gives a written frame its transport number. REQUIRES: it was written without one.
void number_frame(std::string& frame, std::uint64_t session_seq);

FrameHead head_of(const Envelope& envelope);
std::string write_envelope(const Envelope& envelope);

}  // namespace muster::session
