// A worker's protocol as one pure object: bytes in, bytes out, and time with each call. It connects, says who it is, registers,
// resumes, beats, drains and says goodbye; what tasks are and what becomes of them is the worker's (worker_state.h), which owns
// the machine and the socket and is called by nobody else.
//
//   backoff ─► fresh ─► handshaking ─► registered ─► ready ─► draining ─► closed      (session/worker_states.h)
//      ▲                    └──────────────┴────────────┴─────────┴── connection lost, refused, silent ─┐
//      └────────────────────────────────────────────────────────────────────────────────────────────────┘
//
//   for (;;) {
//     machine.tick(now);  act_on(machine.take_events());
//     if (machine.wants_connection(now)) { open a socket; machine.connected(now) or machine.connect_failed(why, now); }
//     write(machine.take_output());  if (machine.wants_disconnect()) end the socket;
//     wait until machine.next_due(), or bytes: machine.received(bytes, now), or the end of the socket: machine.disconnected(…)
//   }
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/json_reader.h"
#include "sdk/cpp/ws/channel.h"
#include "sdk/cpp/ws/connection.h"
#include "sdk/cpp/ws/endpoint.h"
#include "sdk/cpp/ws/frame_writer.h"
#include "sdk/cpp/ws/moment.h"
#include "session/ack_waits.h"
#include "session/worker_states.h"

namespace muster::sdk::ws {

inline constexpr muster::Duration kAcceptWithin{10'000};  // after the ack of register or resume
// A session that ends sooner than this does not count as a success a second time in a row: somebody takes it away again and
// again.
inline constexpr muster::Duration kSessionSettled{5'000};

struct MachineOptions {
  session::Protocol protocol = session::Protocol::v2;
  Endpoint endpoint;
  std::string tenant = "default";
  std::string sender_id;  // the instance's id; protocol 1: the worker's
  std::string user_agent;
  std::string handshake;     // payload
  std::string registration;  // payload
  std::string retirement;    // payload of the register that offers nothing, for a worker that takes no more work
  Duration heartbeat{30'000};
  Duration heartbeat_jitter{5'000};
  std::uint32_t window = session::kSessionWindowMax;
  std::uint64_t seed = 0;
  std::function<std::uint64_t()> random;     // bytes nobody can guess
  std::function<json::Tree(Moment)> health;  // {"healthy":…,"metrics":{…}} for a beat that is due
};

struct DrainAsked {
  std::string reason;
  std::optional<Duration> deadline;
};

struct MachineEvents {
  std::vector<session::Envelope> deliver;  // business frames, in order, once
  std::vector<Receipt> acked;
  std::optional<DrainAsked> drain;
  bool started = false;                   // a fresh session: what the scheduler remembered of this connection is gone
  bool lost = false;                      // the connection is
  std::size_t beats = 0;                  // sent
  std::optional<muster::Status> refused;  // the scheduler will not have this worker; there is no use in trying again
  std::vector<std::string> notes;         // for people
};

class Machine {
 public:
  explicit Machine(MachineOptions options);

  // --- the socket ---
  bool wants_connection(Moment now) const;
  void connected(Moment now);
  void connect_failed(std::string_view why, Moment now);
  void received(std::string_view bytes, Moment now);
  void disconnected(std::string_view why, Moment now);
  std::string take_output();
  // Nothing will be said or heard any more on this connection: end it when the output is written, and call disconnected().
  bool wants_disconnect() const { return connection_ && connection_->end().has_value(); }

  // --- what the worker says ---
  // False: it was left out. The frame reaches the scheduler now, or when there is a session.
  bool send(session::FrameKind kind, std::string_view payload, const Around& around, Care care, Receipt receipt, Moment now);
  // No more work: registers anew without packages, here and after a reconnect.
  void retire(Moment now);
  // Whether the scheduler knows that; nothing is dispatched any more.
  bool is_retired() const { return retirement_acked_; }
  // Ends the connection in order, and makes no other.
  void say_goodbye(Moment now);

  // --- time ---
  void tick(Moment now);
  std::optional<Ticks> next_due() const;
  MachineEvents take_events() { return std::exchange(events_, {}); }

  session::WorkerState state() const { return state_; }
  bool is_ready() const { return state_ == session::WorkerState::ready || state_ == session::WorkerState::draining; }
  bool is_leaving() const { return over_; }  // the goodbye was said
  bool is_over() const { return over_ && !connection_; }
  bool is_connected() const { return connection_ != nullptr; }
  std::size_t unacknowledged() const { return channel_.waiting(); }
  bool has_session() const { return !session_id_.empty(); }
  const Channel& channel() const { return channel_; }

 private:
  void move(session::WorkerState to);
  void note(std::string text) { events_.notes.push_back(std::move(text)); }

  void greet(Moment now);
  void handshake(Moment now);
  void register_worker(Moment now);
  void say_retired(Moment now);
  std::string say(session::FrameKind kind, std::string_view payload, bool asks, Moment now);
  void acknowledge(const session::Envelope& frame, Moment now);

  void take_message(std::string_view message, Moment now);
  void take_ack(const session::Envelope& frame, Moment now);
  void take_accept(const session::Envelope& frame, Moment now);
  void take_reset(const session::Envelope& frame, Moment now);
  void take_drain(const session::Envelope& frame);
  void hello_acked(Moment now);
  void become_ready(bool resumed, Moment now);
  void refuse(std::string_view code, std::string_view reason);
  void give_up_hello(std::string_view why, Moment now);
  void forget_session();

  void carry_out(ChannelOutput& out, Moment now);
  void beat(Moment now);
  Ticks next_beat(Moment now) const;
  json::Tree connection_metrics(Moment now) const;
  void end_connection(Moment now);
  void retry_later(Moment now);

  MachineOptions options_;
  FrameWriter writer_;
  Channel channel_;
  session::AckWaits waits_;  // of handshake, register and resume
  session::ReconnectBackoff backoff_;
  std::unique_ptr<Connection> connection_;
  session::WorkerState state_ = session::WorkerState::fresh;
  MachineEvents events_;

  std::string session_id_;
  std::string session_token_;
  session::Hello hello_ = session::Hello::handshake;  // how the next connection begins
  bool greeted_ = false;                              // on this connection
  std::string hello_id_;                              // the frame whose ack is awaited
  session::FrameKind hello_kind_ = session::FrameKind::handshake;
  std::optional<Ticks> accept_by_;
  std::optional<Ticks> ready_since_;
  std::uint32_t short_sessions_ = 0;  // in a row
  std::optional<Ticks> connect_at_;   // nullopt: connected, or over
  std::optional<Ticks> beat_at_;
  bool retired_ = false;
  std::string retirement_id_;  // the register whose ack is awaited
  bool retirement_acked_ = false;
  bool over_ = false;
  bool refused_ = false;
  std::string error_;  // kind of the last trouble: auth, protocol, network
  Ticks heard_at_{};
  Ticks said_at_{};
  Ticks acked_at_{};
};

}  // namespace muster::sdk::ws
