// Bytes to events: the frames that one side of a WebSocket receives, in pieces of any size (RFC 6455 and RFC 7692).
//
// Used by peer.h, and by itself where somebody else minds the connection. Everything the peer may not do ends in a fault with the
// close code that the RFC has for it. How a stream is cut never changes what is read from it. No length that a peer announces is
// believed further than its bytes have come: it only decides, at once, whether the message is too large. What is kept is the
// message that is under way, at most message_bytes_max of it after unpacking, a control frame, and what Inflater says.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "websocket/deflate_terms.h"
#include "websocket/frame.h"
#include "websocket/inflater.h"
#include "websocket/utf8_check.h"

namespace muster::websocket {

inline constexpr std::size_t kMessageBytesDefault = 16 * 1024 * 1024;  // of one message, unpacked
inline constexpr std::size_t kFragmentsMax = 16 * 1024;                // frames of one message
inline constexpr std::size_t kEmptyFragmentsMax = 16;                  // of them without a byte

struct Text {
  std::string data;  // UTF-8
};
struct Binary {
  std::string data;
};
struct Ping {
  std::string data;
};
struct Pong {
  std::string data;
};
struct Close {
  CloseCode code = CloseCode::no_status;
  std::string reason;  // UTF-8
};
// The peer broke a rule: the connection is closed with this.
struct Fault {
  CloseCode code = CloseCode::protocol_error;
  std::string reason;  // UTF-8, fits a close frame
};
using Event = std::variant<Text, Binary, Ping, Pong, Close, Fault>;

struct DecoderOptions {
  Role role = Role::server;                              // of this side
  std::optional<DeflateTerms> deflate;                   // as agreed; nullopt: nothing is compressed
  std::size_t message_bytes_max = kMessageBytesDefault;  // REQUIRES: below half of what its type can count
};

class Decoder {
 public:
  explicit Decoder(const DecoderOptions& options);

  // Takes bytes off the front of `bytes` up to the end of the next event and returns it; nullopt: all were taken and there is
  // none. One event at a time, because many small frames can unpack to a lot: who is given one may leave the others for later.
  // Nothing follows a close or a fault; further bytes are dropped.
  std::optional<Event> feed(std::string_view& bytes);

  // For messages that begin later; one that is under way keeps the bound it began with.
  void set_message_bytes_max(std::size_t bytes_max) { options_.message_bytes_max = bytes_max; }
  // Bytes of memory taken by what has come and was not returned, and by the inflater.
  std::size_t buffered() const;

 private:
  // The message that is under way, between its first frame and its last.
  struct Message {
    bool open = false;
    bool text = false;
    bool compressed = false;
    std::size_t bytes_max = 0;
    std::size_t packed_bytes = 0;  // announced by its frames so far, before unpacking
    std::size_t fragments = 0;
    std::size_t empty_fragments = 0;
    std::string data;
  };

  bool read_header(std::string_view& bytes);
  std::optional<Fault> judge_header() const;
  std::optional<Fault> begin_frame();
  std::optional<Fault> begin_data_frame();
  std::optional<Fault> take_payload(std::string_view part);
  std::optional<Fault> take_plain(std::string_view part);
  std::optional<Fault> take_compressed(std::string_view part);
  std::optional<Fault> unpack(std::string_view piece);
  std::optional<Fault> judge_unpacking(Inflater::Outcome outcome, std::size_t from);
  std::optional<Event> end_frame();
  Event end_message();
  Event end_control();
  Event fail(Fault fault);
  void end();

  DecoderOptions options_;
  std::array<char, kLongestFrameHeader> head_{};  // of a header that came in pieces
  std::uint8_t head_size_ = 0;
  bool in_frame_ = false;
  bool ended_ = false;
  std::optional<FrameHeader> header_;  // of the frame that is being read; nullopt: it is not well formed
  std::uint64_t payload_taken_ = 0;    // of this frame
  std::string control_;                // payload of the control frame that is being read
  Message message_;
  Utf8Check utf8_;
  std::unique_ptr<Inflater> inflater_;  // while a compressed message is under way; with takeover, from the first one on
};

}  // namespace muster::websocket
