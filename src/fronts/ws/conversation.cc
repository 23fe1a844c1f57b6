#include "fronts/ws/conversation.h"

#include <utility>

#include "base/log.h"
#include "command/workers.h"
#include "fronts/ws/core.h"
#include "fronts/ws/frame_log.h"
#include "fronts/ws/member_text.h"
#include "fronts/ws/sessions.h"
#include "fronts/ws/socket.h"
#include "fronts/ws/worker_session.h"
#include "net/peer_certificate.h"
#include "session/ack.h"
#include "session/quick_ack.h"
#include "session/token.h"
#include "session/wire_text.h"

namespace muster::ws {
namespace {

using session::ErrorCode;
using session::FrameAction;
using session::FrameKind;
using session::Protocol;
using session::ServerEvent;
using session::ServerState;
using websocket::CloseCode;

// A worker whose envelopes are wrong again and again is sent away; one of them may be chance.
constexpr std::size_t kSpoiledMax = 3;
constexpr Duration kSpoiledWithin{10'000};

}  // namespace

Conversation::Conversation(Core& core, Socket& socket) : core_(core), socket_(socket) { expect_more(); }

Conversation::~Conversation() { *alive_ = false; }

void Conversation::expect_more() {
  const bool waits = state_ == ServerState::open || state_ == ServerState::authed;
  socket_.wake_at(waits ? std::optional(core_.steady() + core_.options.limits.hello) : std::nullopt);
}

void Conversation::due() {
  if (state_ == ServerState::ready || !registering_id_.empty()) return;
  socket_.close(CloseCode::policy_violation, "no handshake and register in time");
}

void Conversation::move(ServerEvent event) {
  if (const auto next = session::next(state_, event)) state_ = *next;
  expect_more();
}

// --- judging frames ---

// Acks of windows are most of what a busy worker says, and all they do is move a window.
bool Conversation::moves_window(std::string_view text) {
  if (state_ != ServerState::ready || *protocol_ != Protocol::v2) return false;
  const auto ack = session::read_quick_ack(text);
  if (!ack || ack->tenant != identity_->tenant) return false;
  core_.meter.frame(tenant_, Meter::Direction::in, text.size());
  worker_->window_acked(*ack);
  return true;
}

void Conversation::message(std::string_view text) {
  if (moves_window(text)) return;
  auto frame = session::read_envelope(text, {.bytes = core_.options.limits.message_bytes_max, .protocol = protocol_});
  if (!frame.ok()) return spoiled(frame.status());
  if (!protocol_) protocol_ = session::protocol_of(frame->type);
  if (!identity_) tenant_ = frame->tenant;
  // Names that nobody vouches for are no labels.
  if (identity_) core_.meter.frame(tenant_, Meter::Direction::in, text.size());
  session::FrameFacts facts = session::facts_of(*protocol_, frame->type);
  facts.repeats_hello = frame->id == hello_id_;
  facts.same_tenant = !identity_ || identity_->tenant == frame->tenant;
  const session::FrameVerdict verdict = session::judge_frame(state_, facts);
  switch (verdict.action) {
    case FrameAction::process:
    case FrameAction::update: return process(facts.kind, *std::move(frame));
    case FrameAction::ack_again: return acknowledge(*frame);
    case FrameAction::tolerate:
      if (frame->ack_request) acknowledge(*frame);
      return;
    case FrameAction::ignore: return core_.meter.refused("state");
    case FrameAction::refuse: acknowledge(*frame); return refuse(verdict.code);
    case FrameAction::reset: return reset(verdict.code);
  }
}

void Conversation::spoiled(const Status& why) {
  core_.meter.refused("envelope");
  if (may_complain())
    log::warn("a frame was refused", {{"tenant", identity_ ? identity_->tenant : std::string()},
                                      {"sender.id", identity_ ? identity_->instance : std::string()},
                                      {"code", std::string(session::kInternal.code)},
                                      {"session_id", worker_ ? worker_->session_id() : std::string()},
                                      {"address", socket_.peer_address()},
                                      {"reason", why.message()}});
  const Instant now = core_.steady();
  spoiled_at_.push_back(now);
  while (spoiled_at_.front() + kSpoiledWithin < now) spoiled_at_.pop_front();
  if (state_ != ServerState::ready || spoiled_at_.size() >= kSpoiledMax)
    socket_.close(CloseCode::internal_error, session::kCloseInternal);
}

bool Conversation::may_complain() { return (worker_ ? worker_->complaints() : core_.strangers).admits(); }

bool Conversation::fits(const Envelope& frame, FrameKind kind) {
  const schema::Schema* schema = core_.schemas.payload(*protocol_, kind);
  if (schema == nullptr || schema->surely_accepts(frame.payload.text()) || schema->accepts(frame.payload.tree())) return true;
  core_.meter.refused("payload");
  // Saying what is wrong is work: it is not done for a line that is left out.
  if (may_complain())
    warn_about("the payload of a frame was refused", frame,
               {.session_id = worker_ ? worker_->session_id() : std::string_view(),
                .address = socket_.peer_address(),
                .code = session::kInternal.code,
                .reason = schema->check(frame.payload.tree()).message()});
  return false;
}

void Conversation::process(FrameKind kind, Envelope frame) {
  // A numbered frame whose payload is wrong has still arrived: the worker's stream goes on without it.
  const bool fit = fits(frame, kind);
  switch (kind) {
    case FrameKind::handshake: return fit ? handshake(frame) : spoiled(Status::invalid_argument("the payload of the handshake"));
    case FrameKind::registration:
      return fit ? registration(std::move(frame)) : spoiled(Status::invalid_argument("the payload of register"));
    case FrameKind::resume: return fit ? resume(std::move(frame)) : spoiled(Status::invalid_argument("the payload of resume"));
    default: break;
  }
  if (!fit) frame.payload = json::Tree();
  if (state_ == ServerState::ready) worker_->received(kind, std::move(frame));
}

// --- who it is ---

std::variant<auth::Credential, ErrorCode> Conversation::authenticate(const json::Tree& payload) const {
  const json::Tree& auth = payload["auth"];
  const auth::Authenticator& authenticator = core_.authenticator;
  if (text_of(auth, "mode") == "mtls") return authenticate_certificate(text_of(auth, "fingerprint"));
  const std::string token = text_of(auth, "token");
  if (token.empty() && authenticator.required()) return session::kAuthMissingToken;
  // Where nobody is asked for a token, any one will do, as it does with the scheduler these workers were written for.
  for (const std::string& shown : {token.empty() ? std::string() : "Bearer " + token, std::string()})
    if (auto known = authenticator.authenticate(shown, socket_.peer_address(), core_.ticks()); known.ok())
      return *std::move(known);
  return session::kAuthInvalidToken;
}

// The connection proves who is there; what the worker says about it may only agree.
std::variant<auth::Credential, ErrorCode> Conversation::authenticate_certificate(std::string_view fingerprint) const {
  const net::PeerCertificate* shown = socket_.peer_certificate();
  if (shown == nullptr) return session::kAuthMtlsRequired;
  if (!fingerprint.empty() && auth::parse_fingerprint(fingerprint) != shown->sha256) return session::kAuthMtlsRequired;
  auto known = core_.authenticator.authenticate_certificate(shown->sha256, socket_.peer_address());
  if (known.ok()) return *std::move(known);
  log::warn("a certificate is not known", {{"address", socket_.peer_address()}, {"subject", shown->common_name}});
  return session::kSessionDenied;
}

bool Conversation::shows_certificate_of(const auth::Credential& credential) const {
  if (!credential.certificate) return true;
  const net::PeerCertificate* shown = socket_.peer_certificate();
  return shown != nullptr && shown->sha256 == credential.digest;
}

void Conversation::handshake(const Envelope& frame) {
  auto judged = authenticate(frame.payload.tree());
  if (const auto* code = std::get_if<ErrorCode>(&judged)) {
    warn_about("authentication failed", frame,
               {.session_id = {}, .address = socket_.peer_address(), .code = code->code, .reason = code->reason});
    return *protocol_ == Protocol::v1 ? refuse(*code) : reset(*code);
  }
  const json::Tree& worker = frame.payload.tree()["worker"];
  Identity identity;
  identity.protocol = *protocol_;
  identity.tenant = frame.tenant;
  identity.name = text_of(worker, *protocol_ == Protocol::v1 ? "id" : "worker_name");
  identity.instance = *protocol_ == Protocol::v1 ? identity.name : text_of(worker, "worker_instance_id");
  if (identity.instance.empty()) identity.instance = core_.next_id();
  identity.version = text_of(worker, "version");
  identity.hostname = text_of(worker, "hostname");
  identity.credential = std::get<auth::Credential>(std::move(judged));
  const command::Caller& caller = identity.credential.caller;
  if (!command::authorize_namespace(caller, NamespaceName(identity.tenant)).ok() ||
      !command::authorize_worker(caller, WorkerId(identity.instance)).ok())
    return *protocol_ == Protocol::v1 ? refuse(session::kSessionDenied) : reset(session::kSessionDenied);

  // The newest connection of an instance is the instance.
  if (worker_) worker_->detach(socket_);
  if (const auto before = core_.sessions->find(identity.tenant, identity.instance)) before->supersede();
  worker_ = nullptr;
  identity_ = std::move(identity);
  hello_id_ = frame.id;
  socket_.trust();
  move(ServerEvent::authenticated);
  acknowledge(frame);
}

void Conversation::registration(Envelope frame) {
  if (frame.id == registering_id_) return;  // it is on its way
  Registration registration = read_registration(frame.payload.tree(), &core_.schemas.manifest());
  if (worker_) {
    acknowledge(frame);
    return worker_->registered_again(std::move(registration));
  }
  registering_id_ = frame.id;
  WorkerSession::join(core_, *identity_, std::move(registration),
                      [this, alive = alive_, frame = std::move(frame)](Result<std::shared_ptr<WorkerSession>> joined) {
                        if (!*alive) return;
                        registering_id_.clear();
                        if (!joined.ok()) {
                          warn_about("a worker was not registered", frame,
                                     {.session_id = {},
                                      .address = socket_.peer_address(),
                                      .code = to_string(joined.code()),
                                      .reason = joined.status().message()});
                          return *protocol_ == Protocol::v1 ? refuse(session::kSessionDenied)
                                                            : reset(session::kSessionDenied, joined.status().message());
                        }
                        acknowledge(frame);
                        if (*protocol_ == Protocol::v2) accept(**joined, false);
                        move(ServerEvent::accepted);
                        ready(*std::move(joined));
                      });
}

// --- coming back ---

void Conversation::resume(Envelope frame) {
  if (resuming_) return;
  if (const auto known = core_.sessions->find(frame.tenant, frame.sender.id)) return resume_known(frame, known.get());
  // It may have been another process, or another node, that accepted the session.
  resuming_ = true;
  WorkerSession::ResumeClaim claim{frame.sender.id, frame.tenant, text_of(frame.payload.tree(), "session_token")};
  WorkerSession::restore(core_, std::move(claim),
                         [this, alive = alive_, frame = std::move(frame)](const std::shared_ptr<WorkerSession>& restored) {
                           if (!*alive) return;
                           resuming_ = false;
                           auto known = core_.sessions->find(frame.tenant, frame.sender.id);
                           if (!known && restored) {
                             core_.sessions->put(known = restored);
                             core_.sessions_changed();
                           }
                           // Another tenant's says what is wrong: the tenant.
                           if (!known) known = core_.sessions->find_anywhere(frame.sender.id);
                           resume_known(frame, known.get());
                         });
}

void Conversation::resume_known(const Envelope& frame, WorkerSession* known) {
  const session::ResumeClaim claim{.tenant = frame.tenant,
                                   .session_id = *json::text(frame.payload.tree(), "session_id"),
                                   .token = *json::text(frame.payload.tree(), "session_token")};
  std::optional<session::KnownSession> session;
  if (known != nullptr)
    session = session::KnownSession{.instance_id = known->identity().instance,
                                    .tenant = known->identity().tenant,
                                    .session_id = known->session_id(),
                                    .registered = true};
  if (const auto fault = session::judge_resume(session ? &*session : nullptr, claim, core_.options.session_secret, core_.now()))
    return reset(session::code_of(*fault));
  if (!core_.authenticator.still_valid(known->identity().credential)) return reset(session::kAuthInvalidToken);
  if (!shows_certificate_of(known->identity().credential)) return reset(session::kAuthMtlsRequired);
  const auto worker = known->shared_from_this();
  // A worker that noticed the end of its connection twice resumes twice on the next one: that socket is not its own rival.
  if (worker_) worker_->detach(socket_);
  worker->supersede();
  identity_ = worker->identity();
  hello_id_ = frame.id;
  socket_.trust();
  worker_ = worker;
  acknowledge(frame);
  worker_ = nullptr;
  accept(*worker, true);
  move(ServerEvent::resumed);
  worker->resuming_from(json::natural(frame.payload.tree(), "last_seen_seq"));
  ready(worker);
}

void Conversation::ready(std::shared_ptr<WorkerSession> worker) {
  worker_ = std::move(worker);
  expect_more();
  worker_->attach(socket_);
}

// --- what we say ---

void Conversation::acknowledge(const Envelope& frame) {
  std::optional<session::WindowAck> window;
  if (*protocol_ == Protocol::v2)
    window = worker_ ? worker_->acknowledged_window() : session::WindowAck{.recv_window = core_.options.window};
  std::string out;
  const std::string id = core_.next_id();
  session::append_ack(out, *protocol_,
                      {.id = id,
                       .ts = core_.now(),
                       .corr = frame.corr ? std::optional<std::string_view>(*frame.corr) : std::nullopt,
                       .seq = std::nullopt,
                       .tenant = frame.tenant,
                       .role = session::Role::scheduler,
                       .sender_id = kSchedulerId,
                       .acked_id = frame.id,
                       .window = window});
  socket_.send(out);
}

namespace {

std::string control_frame(Core& core, std::string_view type, std::string_view tenant, std::string_view payload) {
  std::string out;
  const std::string id = core.next_id();
  session::append_frame(out, {.type = type, .id = id, .ts = core.now(), .tenant = tenant, .sender_id = kSchedulerId}, payload);
  return out;
}

}  // namespace

void Conversation::accept(const WorkerSession& worker, bool resumed) {
  const auto issued = std::chrono::floor<std::chrono::seconds>(core_.now());
  const auto expires = issued + core_.options.token_life;
  const session::TokenClaims claims{.exp = expires.time_since_epoch().count(),
                                    .iat = issued.time_since_epoch().count(),
                                    .sid = worker.session_id(),
                                    .tenant = worker.identity().tenant,
                                    .wid = worker.identity().instance};
  std::string payload = R"({"session_id":)";
  session::append_quoted(payload, worker.session_id());
  payload += R"(,"session_token":)";
  session::append_quoted(payload, session::make_token(core_.options.session_secret, claims));
  payload += R"(,"expires_at":)";
  session::append_timestamp_seconds(payload, expires);
  payload += resumed ? R"(,"resumed":true,"worker_instance_id":)" : R"(,"resumed":false,"worker_instance_id":)";
  session::append_quoted(payload, worker.identity().instance);
  payload += "}";
  socket_.send(
      control_frame(core_, session::name_of(Protocol::v2, FrameKind::session_accept), worker.identity().tenant, payload));
}

void Conversation::reset(const ErrorCode& code, std::string_view reason) {
  const std::string_view told = reason.empty() ? code.reason : reason;
  std::string payload = R"({"code":)";
  session::append_quoted(payload, code.code);
  payload += R"(,"reason":)";
  session::append_quoted(payload, told);
  payload += "}";
  socket_.send(control_frame(core_, session::name_of(Protocol::v2, FrameKind::reset), tenant_, payload));
  socket_.close(CloseCode::internal_error, code.reason);
  if (worker_) worker_->detach(socket_);
  move(ServerEvent::refused);
}

void Conversation::refuse(const ErrorCode& code) {
  std::string payload = R"({"code":)";
  session::append_quoted(payload, code.code);
  payload += R"(,"message":)";
  session::append_quoted(payload, code.reason);
  payload += "}";
  socket_.send(control_frame(core_, session::name_of(Protocol::v1, FrameKind::error), tenant_, payload));
  socket_.close(CloseCode::internal_error, code.reason);
  if (worker_) worker_->detach(socket_);
  move(ServerEvent::refused);
}

void Conversation::closed() {
  if (worker_) worker_->detach(socket_);
  worker_ = nullptr;
}

}  // namespace muster::ws
