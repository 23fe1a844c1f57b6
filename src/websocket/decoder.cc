#include "websocket/decoder.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/check.h"
#include "base/utf8.h"
#include "websocket/message_growth.h"

namespace muster::websocket {
namespace {

constexpr std::size_t kUnmaskedAtOnce = 4 * 1024;

Fault protocol_fault(std::string reason) { return {.code = CloseCode::protocol_error, .reason = std::move(reason)}; }

Fault too_big_fault(std::size_t bytes_max) {
  return {.code = CloseCode::too_big, .reason = fmt::format("the message is larger than {} bytes", bytes_max)};
}

Fault utf8_fault(std::string_view what) {
  return {.code = CloseCode::invalid_data, .reason = fmt::format("{} is not UTF-8", what)};
}

// Bytes that a message may have before it is unpacked. DEFLATE makes what it cannot compress longer by far less than this; more
// would be blocks without content, which cost time and never end.
std::size_t packed_bytes_max(std::size_t bytes_max) { return bytes_max + bytes_max / 4 + 64; }

}  // namespace

Decoder::Decoder(const DecoderOptions& options) : options_(options) {}

std::size_t Decoder::buffered() const {
  return message_.data.capacity() + control_.capacity() + (inflater_ != nullptr ? inflater_->memory_bytes() : 0);
}

std::optional<Event> Decoder::feed(std::string_view& bytes) {
  while (!ended_) {
    if (!in_frame_) {
      if (!read_header(bytes)) return std::nullopt;
      if (auto fault = begin_frame()) return fail(*std::move(fault));
    }
    const std::uint64_t left = header_->length - payload_taken_;
    const std::string_view part = bytes.substr(0, static_cast<std::size_t>(std::min<std::uint64_t>(left, bytes.size())));
    bytes.remove_prefix(part.size());
    if (auto fault = take_payload(part)) return fail(*std::move(fault));
    payload_taken_ += part.size();
    if (payload_taken_ < header_->length) return std::nullopt;
    in_frame_ = false;
    if (auto event = end_frame()) return event;
  }
  bytes = {};
  return std::nullopt;
}

// False: more bytes are needed.
bool Decoder::read_header(std::string_view& bytes) {
  if (head_size_ == 0 && bytes.size() >= 2 && bytes.size() >= header_bytes(bytes)) {
    // The usual case: the header is read where it lies.
    const std::size_t size = header_bytes(bytes);
    header_ = websocket::read_header(bytes.substr(0, size));
    bytes.remove_prefix(size);
    return true;
  }
  const auto head = [this] { return std::string_view(head_.data(), head_size_); };
  while (head_size_ < header_bytes(head())) {
    if (bytes.empty()) return false;
    head_[head_size_++] = bytes.front();
    bytes.remove_prefix(1);
  }
  header_ = websocket::read_header(head());
  head_size_ = 0;
  return true;
}

// What can be said of a frame whatever came before it.
std::optional<Fault> Decoder::judge_header() const {
  if (!header_) return protocol_fault("the length of a frame is not in its shortest form or above 2^63");
  if (header_->reserved) return protocol_fault("a reserved bit is set");
  if (!is_known(header_->opcode))
    return protocol_fault(fmt::format("opcode {} is unknown", static_cast<unsigned>(header_->opcode)));
  const bool masked = header_->mask.has_value();
  if (masked != (options_.role == Role::server))
    return protocol_fault(masked ? "a frame of the server is masked" : "a frame of the client is not masked");
  if (!is_control(header_->opcode)) return std::nullopt;
  if (header_->compressed) return protocol_fault("a control frame is compressed");
  if (!header_->final) return protocol_fault("a control frame is fragmented");
  if (header_->length > kControlBytesMax)
    return protocol_fault(fmt::format("a control frame has {} bytes; {} are accepted", header_->length, kControlBytesMax));
  if (header_->opcode == Opcode::close && header_->length == 1) return protocol_fault("a close frame has half a code");
  return std::nullopt;
}

std::optional<Fault> Decoder::begin_frame() {
  if (auto fault = judge_header()) return fault;
  in_frame_ = true;
  payload_taken_ = 0;
  return is_control(header_->opcode) ? std::nullopt : begin_data_frame();
}

std::optional<Fault> Decoder::begin_data_frame() {
  if (header_->opcode == Opcode::continuation) {
    if (!message_.open) return protocol_fault("a continuation has nothing to continue");
    if (header_->compressed) return protocol_fault("a continuation is marked as compressed");
  } else {
    if (message_.open) return protocol_fault("a message begins inside another one");
    if (header_->compressed && !options_.deflate)
      return protocol_fault("a message is compressed, and compression was not agreed");
    message_ = Message{.open = true,
                       .text = header_->opcode == Opcode::text,
                       .compressed = header_->compressed,
                       .bytes_max = options_.message_bytes_max};
    utf8_.reset();
    if (message_.compressed && inflater_ == nullptr)
      inflater_ = std::make_unique<Inflater>(options_.deflate->sent_by(other(options_.role)).window_bits);
  }
  if (++message_.fragments > kFragmentsMax)
    return Fault{CloseCode::policy_violation, fmt::format("a message has more than {} fragments", kFragmentsMax)};
  if (header_->length == 0 && ++message_.empty_fragments > kEmptyFragmentsMax)
    return Fault{CloseCode::policy_violation, fmt::format("a message has more than {} empty fragments", kEmptyFragmentsMax)};
  const std::size_t bytes_max = message_.compressed ? packed_bytes_max(message_.bytes_max) : message_.bytes_max;
  if (header_->length > bytes_max - message_.packed_bytes) return too_big_fault(message_.bytes_max);
  message_.packed_bytes += static_cast<std::size_t>(header_->length);
  return std::nullopt;
}

std::optional<Fault> Decoder::take_payload(std::string_view part) {
  if (part.empty()) return std::nullopt;
  if (is_control(header_->opcode)) {
    control_.append(part);
    if (header_->mask) apply_mask(control_.data() + payload_taken_, part.size(), *header_->mask, payload_taken_);
    return std::nullopt;
  }
  return message_.compressed ? take_compressed(part) : take_plain(part);
}

std::optional<Fault> Decoder::take_plain(std::string_view part) {
  std::string& data = message_.data;
  const std::size_t from = data.size();
  append_within(data, part, header_->final ? message_.packed_bytes : message_.bytes_max);
  if (header_->mask) apply_mask(data.data() + from, part.size(), *header_->mask, payload_taken_);
  if (message_.text && !utf8_.feed(std::string_view(data).substr(from))) return utf8_fault("a text message");
  return std::nullopt;
}

std::optional<Fault> Decoder::take_compressed(std::string_view part) {
  if (!header_->mask) return unpack(part);
  std::array<char, kUnmaskedAtOnce> piece;
  for (std::size_t at = 0; at < part.size(); at += piece.size()) {
    const std::size_t size = std::min(piece.size(), part.size() - at);
    std::memcpy(piece.data(), part.data() + at, size);
    apply_mask(piece.data(), size, *header_->mask, payload_taken_ + at);
    if (auto fault = unpack({piece.data(), size})) return fault;
  }
  return std::nullopt;
}

std::optional<Fault> Decoder::unpack(std::string_view piece) {
  const std::size_t from = message_.data.size();
  return judge_unpacking(inflater_->feed(piece, message_.data, message_.bytes_max), from);
}

// `from`: where what was unpacked begins.
std::optional<Fault> Decoder::judge_unpacking(Inflater::Outcome outcome, std::size_t from) {
  // Text is looked at even when unpacking failed behind it, so that the first thing wrong is the one that is told.
  if (message_.text && !utf8_.feed(std::string_view(message_.data).substr(from))) return utf8_fault("a text message");
  switch (outcome) {
    case Inflater::Outcome::ok: return std::nullopt;
    case Inflater::Outcome::too_big: return too_big_fault(message_.bytes_max);
    case Inflater::Outcome::invalid: return Fault{CloseCode::invalid_data, "a compressed message cannot be unpacked"};
    case Inflater::Outcome::no_memory: return Fault{CloseCode::internal_error, "no memory to unpack a message"};
  }
  unreachable();
}

std::optional<Event> Decoder::end_frame() {
  if (is_control(header_->opcode)) return end_control();
  if (!header_->final) return std::nullopt;
  return end_message();
}

Event Decoder::end_message() {
  if (message_.compressed) {
    const std::size_t from = message_.data.size();
    const auto outcome = inflater_->finish(message_.data, message_.bytes_max);
    if (auto fault = judge_unpacking(outcome, from)) return fail(*std::move(fault));
    if (!options_.deflate->sent_by(other(options_.role)).takeover) inflater_.reset();
  }
  if (message_.text && !utf8_.complete()) return fail(utf8_fault("the end of a text message"));
  Message done = std::exchange(message_, {});
  if (done.text) return Text{std::move(done.data)};
  return Binary{std::move(done.data)};
}

Event Decoder::end_control() {
  std::string data = std::exchange(control_, {});
  if (header_->opcode == Opcode::ping) return Ping{std::move(data)};
  if (header_->opcode == Opcode::pong) return Pong{std::move(data)};
  Close close;
  if (!data.empty()) {
    close.code = static_cast<CloseCode>(static_cast<unsigned char>(data[0]) << 8 | static_cast<unsigned char>(data[1]));
    close.reason = data.substr(2);
    if (!may_travel(close.code))
      return fail(protocol_fault(fmt::format("close code {} may not be sent", static_cast<unsigned>(close.code))));
    if (!is_utf8(close.reason)) return fail(utf8_fault("the reason of a close frame"));
  }
  end();
  return close;
}

Event Decoder::fail(Fault fault) {
  end();
  return fault;
}

// Gives the memory back as well; assigning an empty string would keep it.
void Decoder::end() {
  ended_ = true;
  std::string().swap(message_.data);
  std::string().swap(control_);
  inflater_.reset();
}

}  // namespace muster::websocket
