#include "sdk/cpp/ws/machine.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "session/codes.h"

namespace muster::sdk::ws {
namespace {

using session::Envelope;
using session::FrameKind;
using session::Hello;
using session::Protocol;
using session::WorkerState;
using websocket::CloseCode;

std::string text_or(const json::Tree& payload, const char* name, std::string otherwise = {}) {
  const std::string* found = json::text(payload, name);
  return found == nullptr ? std::move(otherwise) : *found;
}

// Of a frame that the peer made up, as much as a line for people shows.
std::string shown(std::string_view text) {
  constexpr std::size_t kShownBytes = 200;
  return json::dump(json::Tree(text.substr(0, kShownBytes)));
}

std::int64_t ms_since(Ticks then, Ticks now) { return std::chrono::duration_cast<muster::Duration>(now - then).count(); }

}  // namespace

Machine::Machine(MachineOptions options)
    : options_(std::move(options)),
      writer_(options_.protocol, options_.tenant, options_.sender_id),
      channel_(writer_, options_.window, mix64(options_.seed + 1)),
      waits_(mix64(options_.seed + 2)),
      backoff_(mix64(options_.seed + 3)),
      connect_at_(Ticks::min()) {
  static_cast<void>(backoff_.next());  // the first connection is made at once
}

void Machine::move(WorkerState to) {
  if (session::may_move(state_, to)) state_ = to;
}

// --- the socket ---

bool Machine::wants_connection(Moment now) const { return !connection_ && connect_at_ && *connect_at_ <= now.ticks; }

void Machine::connected(Moment now) {
  connect_at_.reset();
  if (state_ != WorkerState::fresh) move(WorkerState::fresh);
  greeted_ = false;
  connection_ = std::make_unique<Connection>(options_.endpoint, options_.user_agent, options_.random, now);
  heard_at_ = said_at_ = acked_at_ = now.ticks;
}

void Machine::connect_failed(std::string_view why, Moment now) {
  error_ = "network";
  note(fmt::format("no connection to {}: {}", options_.endpoint.url, why));
  retry_later(now);
}

void Machine::retry_later(Moment now) {
  if (over_ || refused_) {
    connect_at_.reset();
    return;
  }
  connect_at_ = now.ticks + backoff_.next();
}

void Machine::received(std::string_view bytes, Moment now) {
  if (!connection_) return;
  heard_at_ = now.ticks;
  std::vector<std::string> messages;
  connection_->received(bytes, now, messages);
  if (connection_->is_open() && !greeted_) greet(now);
  // What was said before a goodbye counts, also when both came together.
  for (const std::string& message : messages) take_message(message, now);
}

void Machine::disconnected(std::string_view why, Moment now) {
  if (!connection_) return;
  connection_->broke(std::string(why));
  end_connection(now);
}

void Machine::end_connection(Moment now) {
  const ConnectionEnd end = *connection_->end();
  connection_.reset();
  channel_.lost();
  waits_.clear();
  hello_id_.clear();
  accept_by_.reset();
  if (is_ready()) events_.lost = true;
  if (!end.status.ok()) {
    const bool by_auth =
        end.status.code() == muster::Code::unauthenticated || end.status.code() == muster::Code::permission_denied;
    error_ = by_auth ? "auth" : "protocol";
    note(fmt::format("the connection to {} ended: {}", options_.endpoint.url, end.status.message()));
    if (by_auth) {
      refused_ = true;
      events_.refused = end.status;
    }
  } else if (!over_) {
    error_ = "network";
    note(fmt::format("the connection to {} ended: {} {}", options_.endpoint.url, end.close_code, end.reason));
  }
  hello_ = session::hello_after_close(end.close_code, end.reason, has_session());
  if (hello_ == Hello::handshake) forget_session();
  if (options_.protocol == Protocol::v1) hello_ = Hello::handshake;
  if (ready_since_) {
    const bool settled = now.ticks - *ready_since_ >= kSessionSettled;
    short_sessions_ = settled ? 0 : short_sessions_ + 1;
    if (short_sessions_ <= 1) backoff_.succeeded();
    ready_since_.reset();
  }
  move(over_ ? WorkerState::closed : WorkerState::backoff);
  retry_later(now);
}

std::string Machine::take_output() { return connection_ ? connection_->take_output() : std::string(); }

void Machine::forget_session() {
  session_id_.clear();
  session_token_.clear();
}

// --- saying who we are ---

std::string Machine::say(FrameKind kind, std::string_view payload, bool asks, Moment now) {
  Written frame = writer_.frame(kind, payload, {.corr = {}, .seq = {}, .ack_request = asks}, now);
  connection_->send(frame.bytes);
  said_at_ = now.ticks;
  if (asks) static_cast<void>(waits_.add(frame.id, std::move(frame.bytes), now.steady()));  // a handful at most
  return std::move(frame.id);
}

void Machine::greet(Moment now) {
  greeted_ = true;
  if (hello_ == Hello::handshake || !has_session()) return handshake(now);
  move(WorkerState::handshaking);
  const json::Tree payload{
      {"session_id", session_id_}, {"session_token", session_token_}, {"last_seen_seq", channel_.last_seen()}};
  hello_kind_ = FrameKind::resume;
  hello_id_ = say(FrameKind::resume, json::dump(payload), true, now);
}

void Machine::handshake(Moment now) {
  move(WorkerState::handshaking);
  accept_by_.reset();
  hello_kind_ = FrameKind::handshake;
  hello_id_ = say(FrameKind::handshake, options_.handshake, true, now);
}

void Machine::register_worker(Moment now) {
  hello_kind_ = FrameKind::registration;
  hello_id_ = say(FrameKind::registration, retired_ ? options_.retirement : options_.registration, true, now);
}

void Machine::hello_acked(Moment now) {
  hello_id_.clear();
  switch (hello_kind_) {
    case FrameKind::handshake: return register_worker(now);
    case FrameKind::registration:
      move(WorkerState::registered);
      if (options_.protocol == Protocol::v1) return become_ready(false, now);
      accept_by_ = now.ticks + kAcceptWithin;
      return;
    default: accept_by_ = now.ticks + kAcceptWithin; return;  // of a resume
  }
}

void Machine::become_ready(bool resumed, Moment now) {
  accept_by_.reset();
  hello_id_.clear();
  waits_.clear();
  if (state_ == WorkerState::handshaking) move(WorkerState::registered);
  move(WorkerState::ready);
  ready_since_ = now.ticks;
  hello_ = Hello::resume;
  ChannelOutput out;
  if (resumed) {
    if (retired_) say_retired(now);
    channel_.resumed(now, out);
  } else {
    retirement_acked_ = retired_;  // it was what we registered with
    if (retired_) move(WorkerState::draining);
    events_.started = true;
    channel_.started(now, out);
  }
  carry_out(out, now);
  // Workers of protocol 1 beat at once. A beat that fell into an outage is made up for.
  const bool overdue = beat_at_ && *beat_at_ <= now.ticks;
  if (options_.protocol == Protocol::v1 || overdue) return beat(now);
  if (!beat_at_) beat_at_ = next_beat(now);
}

// The session could not be taken up again; the scheduler may still want a fresh one on the same connection.
void Machine::give_up_hello(std::string_view why, Moment now) {
  waits_.clear();
  hello_id_.clear();
  accept_by_.reset();
  note(fmt::format("{}: {}", session::name_of(options_.protocol, hello_kind_), why));
  if (hello_kind_ == FrameKind::resume) {
    forget_session();
    return handshake(now);
  }
  connection_->close(CloseCode::internal_error, "no answer in time", now);
}

void Machine::refuse(std::string_view code, std::string_view reason) {
  error_ = "auth";
  note(fmt::format("the scheduler refuses this worker: {} {}", code, shown(reason)));
  if (!code.starts_with("E.AUTH.") || code == session::kAuthHandshakeRequired.code || code == session::kAuthUnauthenticated.code)
    return;
  refused_ = true;
  events_.refused = muster::Status::unauthenticated(fmt::format("{}: {}", code, reason));
}

// --- what the scheduler says ---

void Machine::take_message(std::string_view message, Moment now) {
  auto frame = session::read_envelope(message, {.bytes = kInboundBytesMax, .protocol = options_.protocol});
  if (!frame.ok()) return note(fmt::format("a frame of the scheduler was dropped: {}", frame.status().message()));
  const FrameKind kind = session::kind_of(options_.protocol, frame->type);
  switch (kind) {
    case FrameKind::ack: return take_ack(*frame, now);
    case FrameKind::session_accept: return take_accept(*frame, now);
    case FrameKind::reset: return take_reset(*frame, now);
    case FrameKind::drain:
      if (frame->ack_request) acknowledge(*frame, now);
      return take_drain(*frame);
    case FrameKind::error:
      if (!is_ready())
        return refuse(text_or(frame->payload.tree(), "code", "no code"), text_or(frame->payload.tree(), "message"));
      break;
    default: break;
  }
  const bool is_control = options_.protocol == Protocol::v2 && !session::is_numbered(frame->type);
  if (is_control) {
    if (frame->ack_request) acknowledge(*frame, now);
    return;
  }
  if (!is_ready()) return;  // it is sent again once there is a session
  ChannelOutput out;
  channel_.received(*std::move(frame), now, out);
  carry_out(out, now);
}

void Machine::acknowledge(const Envelope& frame, Moment now) {
  connection_->send(
      writer_.ack({.acked_id = frame.id, .corr = frame.corr, .seq = frame.seq, .window = channel_.window_ack()}, now));
}

void Machine::take_ack(const Envelope& frame, Moment now) {
  const auto ack = session::read_ack(frame.payload.tree());
  if (!ack.ok()) return note(fmt::format("an ack was dropped: {}", ack.status().message()));
  acked_at_ = now.ticks;
  const std::string* id = session::acked_id(frame, *ack);
  ChannelOutput out;
  // Before a fresh session is accepted, the window of an ack is about numbers that are not ours yet.
  if (options_.protocol == Protocol::v1 || is_ready() || hello_kind_ == FrameKind::resume)
    channel_.acknowledged(*ack, id, now, out);
  carry_out(out, now);
  if (id == nullptr || !waits_.acked(*id)) return;
  if (*id == retirement_id_) retirement_acked_ = true;
  if (*id == hello_id_) hello_acked(now);
}

void Machine::take_accept(const Envelope& frame, Moment now) {
  const std::string* id = json::text(frame.payload.tree(), "session_id");
  const std::string* token = json::text(frame.payload.tree(), "session_token");
  if (id == nullptr || token == nullptr || id->empty() || token->empty())
    return note("an accept without session_id or session_token was dropped");
  if (options_.protocol == Protocol::v1 || is_ready() || state_ == WorkerState::fresh) return;
  const bool resumed = json::flag(frame.payload.tree(), "resumed").value_or(false);
  session_id_ = *id;
  session_token_ = *token;
  become_ready(resumed, now);
}

void Machine::take_reset(const Envelope& frame, Moment now) {
  const std::string code = text_or(frame.payload.tree(), "code", "no code");
  refuse(code, text_or(frame.payload.tree(), "reason"));
  // The scheduler forgot the session, which is no reason to keep it waiting for a new one.
  if (!is_ready() && hello_kind_ == FrameKind::resume) backoff_.succeeded();
  forget_session();
  hello_ = Hello::handshake;
  connection_->close(CloseCode::normal, "reset", now);
}

void Machine::take_drain(const Envelope& frame) {
  move(WorkerState::draining);
  DrainAsked asked{.reason = text_or(frame.payload.tree(), "reason"), .deadline = {}};
  constexpr std::uint64_t kLongestMs = 86'400'000;
  if (const auto deadline = json::natural(frame.payload.tree(), "deadline_ms"))
    asked.deadline = Duration(static_cast<std::int64_t>(std::min(*deadline, kLongestMs)));
  events_.drain = std::move(asked);
}

// --- what the worker says ---

bool Machine::send(FrameKind kind, std::string_view payload, const Around& around, Care care, Receipt receipt, Moment now) {
  ChannelOutput out;
  const bool taken = channel_.send(writer_.frame(kind, payload, around, now), around.ack_request, care, receipt, now, out);
  carry_out(out, now);
  return taken;
}

void Machine::carry_out(ChannelOutput& out, Moment now) {
  if (connection_ && !out.frames.empty()) {
    for (const std::string& frame : out.frames) connection_->send(frame);
    said_at_ = now.ticks;
  }
  for (Envelope& frame : out.deliver) events_.deliver.push_back(std::move(frame));
  events_.acked.insert(events_.acked.end(), out.acked.begin(), out.acked.end());
  if (out.skipped > 0) note(fmt::format("{} frames of the scheduler never came and are given up", out.skipped));
  if (out.stalled && connection_) connection_->close(CloseCode::internal_error, "no acknowledgement in time", now);
}

void Machine::retire(Moment now) {
  if (std::exchange(retired_, true)) return;
  if (!is_ready() || !connection_) return;
  say_retired(now);
}

void Machine::say_retired(Moment now) {
  move(WorkerState::draining);
  retirement_id_ = say(FrameKind::registration, options_.retirement, true, now);
}

void Machine::say_goodbye(Moment now) {
  if (std::exchange(over_, true)) return;
  connect_at_.reset();
  if (connection_) connection_->close(CloseCode::normal, "the worker stops", now);
}

// --- time ---

void Machine::tick(Moment now) {
  if (!connection_) return;
  connection_->tick(now);
  if (connection_->end()) return;
  session::Transmissions again;
  std::vector<std::string> given_up;
  waits_.tick(now.steady(), again, given_up);
  for (const std::string_view frame : again) connection_->send(frame);
  for (const std::string& id : given_up)
    if (id == hello_id_) return give_up_hello("not acknowledged", now);
  if (accept_by_ && *accept_by_ <= now.ticks) return give_up_hello("acknowledged, but not accepted", now);
  ChannelOutput out;
  channel_.tick(now, out);
  carry_out(out, now);
  if (is_ready() && beat_at_ && *beat_at_ <= now.ticks) beat(now);
}

std::optional<Ticks> Machine::next_due() const {
  if (!connection_) return connect_at_;
  std::optional<Ticks> due = connection_->next_due();
  const auto also = [&due](std::optional<Ticks> at) {
    if (at && (!due || *at < *due)) due = at;
  };
  const auto in_ticks = [](std::optional<muster::Instant> at) {
    return at ? std::optional<Ticks>(at->time_since_epoch()) : std::nullopt;
  };
  also(in_ticks(waits_.next_due()));
  also(accept_by_);
  also(in_ticks(channel_.next_due()));
  if (is_ready()) also(beat_at_);
  return due;
}

Ticks Machine::next_beat(Moment now) const {
  const auto longest = static_cast<std::uint64_t>(std::max<std::int64_t>(options_.heartbeat_jitter.count(), 0));
  const auto jitter = static_cast<std::int64_t>(options_.random() % (longest + 1));
  return now.ticks + options_.heartbeat + muster::Duration(jitter);
}

void Machine::beat(Moment now) {
  beat_at_ = next_beat(now);
  json::Tree payload = options_.health(now);
  if (options_.protocol == Protocol::v2) payload["metrics"].update(connection_metrics(now));
  say(FrameKind::heartbeat, json::dump(payload), false, now);
  ++events_.beats;
}

json::Tree Machine::connection_metrics(Moment now) const {
  const session::Link& link = channel_.link();
  json::Tree out{{"pending_acks", channel_.waiting()},
                 {"conn_state", "connected"},
                 {"send_inflight", std::min<std::size_t>(link.sending().frames(), options_.window)},
                 {"send_waiters", channel_.waiting() - std::min<std::size_t>(link.sending().frames(), options_.window)},
                 {"last_recv_ms", ms_since(heard_at_, now.ticks)},
                 {"last_send_ms", ms_since(said_at_, now.ticks)},
                 {"last_ack_ms", ms_since(acked_at_, now.ticks)},
                 {"recv_base_seq", link.receiving().base()},
                 {"recv_buffer", link.receiving().held().size()}};
  if (!error_.empty()) out["conn_error"] = error_;
  return out;
}

}  // namespace muster::sdk::ws
