// What is said on one socket until its worker is known, and who is told what comes after.
//
//   first frame ─► its protocol      handshake ─► who it is      register, or resume ─► its worker (worker_session.h)
//
// The states and what each does with a frame are session/server_states.h. Every frame is judged in the same order: its envelope,
// whether its time has come, its payload by its schema. Owned by its socket. On the loop's thread.
#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "base/clock.h"
#include "base/status.h"
#include "fronts/ws/registration.h"
#include "session/codes.h"
#include "session/envelope.h"
#include "session/server_states.h"

namespace muster::ws {

struct Core;
class Socket;
class WorkerSession;

class Conversation {
 public:
  Conversation(Core& core, Socket& socket);
  ~Conversation();

  void message(std::string_view text);
  void due();     // a time-out of hello
  void closed();  // the socket is gone

 private:
  using Envelope = session::Envelope;

  bool moves_window(std::string_view text);
  void spoiled(const Status& why);
  bool may_complain();
  bool fits(const Envelope& frame, session::FrameKind kind);
  void process(session::FrameKind kind, Envelope frame);

  void handshake(const Envelope& frame);
  std::variant<auth::Credential, session::ErrorCode> authenticate(const json::Tree& payload) const;
  std::variant<auth::Credential, session::ErrorCode> authenticate_certificate(std::string_view fingerprint) const;
  // A session that a certificate began goes on with the same certificate.
  bool shows_certificate_of(const auth::Credential& credential) const;
  void registration(Envelope frame);
  void registered(const std::string& frame_id, std::shared_ptr<WorkerSession> worker);
  void resume(Envelope frame);
  void resume_known(const Envelope& frame, WorkerSession* known);
  void ready(std::shared_ptr<WorkerSession> worker);

  void acknowledge(const Envelope& frame);
  void accept(const WorkerSession& worker, bool resumed);
  void reset(const session::ErrorCode& code, std::string_view reason = {});
  void refuse(const session::ErrorCode& code);
  void move(session::ServerEvent event);
  void expect_more();

  Core& core_;
  Socket& socket_;
  session::ServerState state_ = session::ServerState::open;
  std::optional<session::Protocol> protocol_;
  std::string tenant_ = kDefaultNamespace;  // of the first frame, then of the handshake
  std::string hello_id_;                    // of the handshake or resume that was accepted
  std::string registering_id_;              // of a register that is being carried out
  bool resuming_ = false;
  std::optional<Identity> identity_;
  std::shared_ptr<WorkerSession> worker_;  // shared with the registry of workers, which outlives sockets
  std::deque<Instant> spoiled_at_;
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);  // shared with answers that are on their way
};

}  // namespace muster::ws
