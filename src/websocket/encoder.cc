#include "websocket/encoder.h"

#include <utility>

#include "base/check.h"

namespace muster::websocket {

PreparedText::PreparedText(std::string_view text) {
  append_header(plain_, {.opcode = Opcode::text, .length = text.size()});
  header_bytes_ = plain_.size();
  plain_.append(text);
}

Encoder::Encoder(EncoderOptions options) : options_(std::move(options)) {
  check(options_.role == Role::server || options_.mask_keys, "a client has keys to mask with");
}

bool Encoder::wants_deflate(std::size_t bytes) const {
  return options_.deflate && bytes >= options_.deflate_bytes_min && bytes <= options_.deflate_bytes_max;
}

void Encoder::add_message(Opcode opcode, std::string_view message, std::string& out) {
  if (!wants_deflate(message.size())) return add_frame({.opcode = opcode}, message, out);
  const DeflateDirection& direction = own_direction();
  if (direction.takeover && !deflater_) deflater_.emplace(direction);
  Deflater& deflater = direction.takeover ? *deflater_ : shared_deflater(direction.window_bits);
  const auto packed = deflater.compress(message);
  // With takeover the compressor's window has the message now, so the peer's must get it too, even where nothing is gained.
  const bool gains = packed && (direction.takeover || packed->size() < message.size());
  if (!gains) return add_frame({.opcode = opcode}, message, out);
  add_frame({.opcode = opcode, .compressed = true}, *packed, out);
}

void Encoder::prepared(PreparedText& text, std::string& out) {
  const std::string_view payload = std::string_view(text.plain_).substr(text.header_bytes_);
  if (options_.role == Role::client) return add_message(Opcode::text, payload, out);
  const bool shares =
      wants_deflate(payload.size()) && !own_direction().takeover && own_direction().window_bits == kWindowBitsMost;
  // A compressor with a window of its own must not miss a message that is compressed; one that is not is no part of the window.
  if (!shares) {
    out.append(text.plain_);
    return;
  }
  if (!text.deflated_) {
    text.deflated_.emplace();
    const auto packed = shared_deflater(kWindowBitsMost).compress(payload);
    if (packed && packed->size() < payload.size())
      add_frame({.opcode = Opcode::text, .compressed = true}, *packed, *text.deflated_);
  }
  out.append(text.deflated_->empty() ? text.plain_ : *text.deflated_);
}

void Encoder::add_control(Opcode opcode, std::string_view data, std::string& out) {
  check(data.size() <= kControlBytesMax, "the payload of a control frame is short");
  add_frame({.opcode = opcode}, data, out);
}

void Encoder::close(CloseCode code, std::string_view reason, std::string& out) {
  add_control(Opcode::close, close_payload(code, reason), out);
}

void Encoder::add_frame(FrameHeader header, std::string_view payload, std::string& out) {
  header.length = payload.size();
  if (options_.role == Role::client) header.mask = options_.mask_keys();
  append_header(out, header);
  const std::size_t from = out.size();
  out.append(payload);
  if (header.mask) apply_mask(out.data() + from, payload.size(), *header.mask, 0);
}

}  // namespace muster::websocket
