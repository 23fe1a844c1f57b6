#include "websocket/peer.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace muster::websocket {

Peer::Peer(PeerOptions options, Ticks now)
    : ping_after_(options.ping_after),
      pong_within_(options.pong_within),
      heard_at_(now),
      decoder_({.role = options.role, .deflate = options.deflate, .message_bytes_max = options.message_bytes_max}),
      encoder_({.role = options.role,
                .deflate = options.deflate,
                .deflate_bytes_min = options.deflate_bytes_min,
                .deflate_bytes_max = options.deflate_bytes_max,
                .mask_keys = std::move(options.mask_keys)}) {}

std::optional<PeerEvent> Peer::received(std::string_view& bytes, Ticks now) {
  if (!bytes.empty()) {
    // Any byte is a sign of life: an answer to our ping cannot overtake a long message that is on its way.
    heard_at_ = now;
    asked_ = false;
  }
  while (!finished()) {
    auto event = decoder_.feed(bytes);
    if (!event) return std::nullopt;
    if (auto told = judge(*std::move(event))) return told;
  }
  bytes = {};
  return std::nullopt;
}

std::optional<PeerEvent> Peer::judge(Event event) {
  if (auto* ping = std::get_if<Ping>(&event)) {
    if (state_ == State::open) pong_ = std::move(ping->data);  // nothing may follow our close frame
    return std::nullopt;
  }
  if (std::holds_alternative<Pong>(event)) return std::nullopt;
  if (auto* fault = std::get_if<Fault>(&event)) return fail(std::move(*fault));
  if (auto* close = std::get_if<Close>(&event)) {
    say_goodbye(close->code, "");
    state_ = State::finished;
    return std::move(*close);
  }
  if (state_ != State::open) return std::nullopt;
  if (auto* text = std::get_if<Text>(&event)) return std::move(*text);
  return std::move(std::get<Binary>(event));
}

Fault Peer::fail(Fault fault) {
  say_goodbye(fault.code, fault.reason);
  state_ = State::finished;
  return fault;
}

// Our close frame goes out once, and nothing behind it.
void Peer::say_goodbye(CloseCode code, std::string_view reason) {
  if (state_ != State::open) return;
  answer_ping();
  encoder_.close(code, reason, output_);
}

void Peer::answer_ping() {
  if (pong_) encoder_.pong(*std::exchange(pong_, std::nullopt), output_);
}

bool Peer::send_text(std::string_view text) {
  if (state_ != State::open) return false;
  encoder_.text(text, output_);
  return true;
}

bool Peer::send_binary(std::string_view data) {
  if (state_ != State::open) return false;
  encoder_.binary(data, output_);
  return true;
}

bool Peer::send_text_prepared(PreparedText& text) {
  if (state_ != State::open) return false;
  encoder_.prepared(text, output_);
  return true;
}

void Peer::close(CloseCode code, std::string_view reason, Ticks deadline) {
  if (state_ != State::open) return;
  say_goodbye(code, reason);
  state_ = State::closing;
  close_by_ = deadline;
}

std::string Peer::take_output() {
  answer_ping();
  return std::exchange(output_, {});
}

std::optional<Ticks> Peer::next_due() const {
  if (state_ == State::finished) return std::nullopt;
  if (state_ == State::closing) return close_by_;
  if (ping_after_ <= Duration::zero()) return std::nullopt;
  return heard_at_ + (asked_ ? pong_within_ : ping_after_);
}

std::optional<PeerEvent> Peer::tick(Ticks now) {
  const auto due = next_due();
  if (!due || now < *due) return std::nullopt;
  if (state_ == State::closing) {
    state_ = State::finished;
    return Close{.code = CloseCode::abnormal, .reason = "the peer did not answer our close frame in time"};
  }
  if (asked_)
    return fail({.code = CloseCode::internal_error,
                 .reason = fmt::format("nothing was heard for {} ms after a ping", pong_within_.count())});
  asked_ = true;
  heard_at_ = now;
  encoder_.ping("", output_);
  return std::nullopt;
}

}  // namespace muster::websocket
