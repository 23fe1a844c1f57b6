#include "fronts/ws/socket.h"

#include <algorithm>
#include <utility>

#include "base/log.h"
#include "fronts/ws/conversation.h"
#include "fronts/ws/core.h"
#include "session/codes.h"

namespace muster::ws {

using websocket::CloseCode;

// Not session::kCloseServiceRestart: at that a worker forgets its session.
constexpr std::string_view kCloseStopping = "the server stops";
constexpr std::string_view kCloseUnread = "messages are not read";

Socket::Socket(std::shared_ptr<Core> core, net::Connection& connection, std::optional<websocket::DeflateTerms> deflate)
    : core_(std::move(core)),
      connection_(connection),
      peer_({.role = websocket::Role::server,
             .deflate = deflate,
             .message_bytes_max = core_->options.limits.hello_bytes_max,
             .mask_keys = {}},
            core_->ticks()),
      deadline_(core_->deadlines, [this] { due(); }) {
  ++core_->sockets;
}

Socket::~Socket() { --core_->sockets; }

void Socket::begin() {
  connection_.never_expire_reading();
  conversation_ = std::make_unique<Conversation>(*core_, *this);
  arm();
}

void Socket::received(std::string_view bytes) {
  const auto self = shared_from_this();
  while (!closed_) {
    auto event = peer_.received(bytes, core_->ticks());
    if (!event) break;
    handle(*std::move(event));
  }
  if (closed_) return;
  connection_.hold(peer_.buffered());
  flush();
  arm();
}

void Socket::handle(websocket::PeerEvent event) {
  if (auto* text = std::get_if<websocket::Text>(&event)) return conversation_->message(text->data);
  if (std::holds_alternative<websocket::Binary>(event))
    return close(CloseCode::unsupported_data, "binary messages are not accepted; send JSON as text");
  if (const auto* fault = std::get_if<websocket::Fault>(&event))
    log::warn("a WebSocket broke the protocol", {{"address", peer_address()}, {"reason", fault->reason}});
}

void Socket::send(std::string_view frame) {
  if (closed_ || !peer_.send_text(frame)) return;
  flush_later();
}

// Frames of one turn of the loop share a system call.
void Socket::flush_later() {
  if (std::exchange(flush_posted_, true)) return;
  core_->loop.post([self = weak_from_this()] {
    if (const auto socket = self.lock()) socket->flush();
  });
}

void Socket::flush() {
  flush_posted_ = false;
  if (closed_) return;
  // Behind the bound nothing is added but a goodbye: the worker that reads again finds it and resumes, the one that never does is
  // cut off when the time for its answer is over.
  const bool unread = connection_.unsent() > core_->options.limits.unsent_bytes_max;
  if (unread && !peer_.closing()) {
    log::warn("a WebSocket does not read", {{"address", peer_address()}});
    peer_.drop_output();
    peer_.close(CloseCode::policy_violation, kCloseUnread, core_->ticks() + core_->options.limits.close);
    arm();
  }
  if (peer_.has_output()) connection_.send(peer_.take_output());
  if (peer_.finished()) unread ? connection_.close_now() : connection_.close_when_sent();
}

void Socket::close(CloseCode code, std::string_view reason) {
  if (closed_) return;
  peer_.close(code, reason, core_->ticks() + core_->options.limits.close);
  flush_later();
  arm();
}

void Socket::trust() { peer_.set_message_bytes_max(core_->options.limits.message_bytes_max); }

void Socket::wake_at(std::optional<Instant> at) {
  wake_at_ = at;
  arm();
}

void Socket::arm() {
  if (closed_) return;
  std::optional<Instant> at = wake_at_;
  if (const auto peer_due = peer_.next_due()) {
    const Instant then(std::chrono::ceil<Duration>(*peer_due));
    at = at ? std::min(*at, then) : then;
  }
  deadline_.wake_by(at);
}

void Socket::due() {
  const auto self = shared_from_this();
  if (auto event = peer_.tick(core_->ticks())) handle(*std::move(event));
  if (!closed_ && wake_at_ && *wake_at_ <= core_->steady()) {
    wake_at_.reset();
    conversation_->due();
  }
  if (closed_) return;
  flush();
  arm();
}

void Socket::peer_finished() { connection_.close_now(); }

// The worker comes back as soon as somebody listens again, and resumes.
void Socket::drain() { close(CloseCode::going_away, kCloseStopping); }

void Socket::closed() {
  closed_ = true;
  deadline_.set(std::nullopt);
  if (conversation_) conversation_->closed();
}

}  // namespace muster::ws
