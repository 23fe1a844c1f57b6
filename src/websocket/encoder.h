// Messages to bytes: the frames that one side of a WebSocket sends, appended to a string that goes out. A message is one frame.
//
// Used by peer.h, and by itself where somebody else minds the connection. Without takeover (the default, see deflate_terms.h) an
// encoder holds no compressor: those of a thread share one.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "base/unique_function.h"
#include "websocket/deflate_terms.h"
#include "websocket/deflater.h"
#include "websocket/frame.h"

namespace muster::websocket {

inline constexpr std::size_t kDeflateBytesMin = 1'024;        // shorter messages fit a packet as they are
inline constexpr std::size_t kDeflateBytesMax = 1024 * 1024;  // longer ones would keep the loop's thread from everybody else

struct EncoderOptions {
  Role role = Role::server;             // of this side
  std::optional<DeflateTerms> deflate;  // as agreed; nullopt: nothing is compressed
  std::size_t deflate_bytes_min = kDeflateBytesMin;
  std::size_t deflate_bytes_max = kDeflateBytesMax;
  UniqueFunction<MaskKey()> mask_keys;  // a client's: bytes nobody can guess, for every frame. A server needs none.
};

// A text that goes to many. Its frame is made once, and its compressed frame once, when the first connection wants it; one thread
// uses it at a time.
class PreparedText {
 public:
  // REQUIRES: UTF-8.
  explicit PreparedText(std::string_view text);

 private:
  friend class Encoder;
  std::string plain_;                    // header and payload, not masked
  std::size_t header_bytes_ = 0;         // of plain_
  std::optional<std::string> deflated_;  // the same compressed; empty: it gains nothing
};

class Encoder {
 public:
  // REQUIRES: mask_keys when the role is the client's.
  explicit Encoder(EncoderOptions options);

  // REQUIRES: UTF-8. The peer would end the connection otherwise.
  void text(std::string_view message, std::string& out) { add_message(Opcode::text, message, out); }
  void binary(std::string_view message, std::string& out) { add_message(Opcode::binary, message, out); }
  // The same bytes for every server's connection that agreed on the same; a client masks its own.
  void prepared(PreparedText& text, std::string& out);

  // REQUIRES: at most kControlBytesMax bytes.
  void ping(std::string_view data, std::string& out) { add_control(Opcode::ping, data, out); }
  void pong(std::string_view data, std::string& out) { add_control(Opcode::pong, data, out); }
  // Code and reason as close_payload() wants them.
  void close(CloseCode code, std::string_view reason, std::string& out);

 private:
  void add_message(Opcode opcode, std::string_view message, std::string& out);
  void add_control(Opcode opcode, std::string_view data, std::string& out);
  void add_frame(FrameHeader header, std::string_view payload, std::string& out);
  bool wants_deflate(std::size_t bytes) const;
  const DeflateDirection& own_direction() const { return options_.deflate->sent_by(options_.role); }

  EncoderOptions options_;
  std::optional<Deflater> deflater_;  // with takeover, from the first compressed message on
};

}  // namespace muster::websocket
