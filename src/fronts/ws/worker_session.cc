#include "fronts/ws/worker_session.h"

#include <fmt/format.h>

#include <utility>

#include "base/log.h"
#include "command/workers.h"
#include "fronts/ws/core.h"
#include "fronts/ws/extensions.h"
#include "fronts/ws/frame_log.h"
#include "fronts/ws/member_text.h"
#include "fronts/ws/sessions.h"
#include "fronts/ws/socket.h"
#include "fronts/ws/task_feedback.h"
#include "session/token.h"

namespace muster::ws {
namespace {

using session::Envelope;
using session::FrameKind;

// Beats come up to so much later than they should; three missed ones are the death of a worker.
constexpr Duration kBeatOnItsWay{5'000};
constexpr int kMissesCounted = 3;
// A worker whose windows are not known here sends what it still holds within this time; what it does not speak about by then it
// has forgotten, or never got.
constexpr Duration kSpeaksWithin = session::kHoleWaitAfterResume + Duration(1'000);

// Of a worker that tells much: what its wire has names for.
std::string brief_stats(const json::Tree& payload) {
  json::Tree metrics = json::Tree::object();
  if (const json::Tree* told = json::member(payload, "metrics"))
    for (const char* name : {"inflight", "cpu_pct", "mem_pct", "disk_pct", "latency_ms"})
      if (const auto value = json::get<double>(*told, name)) metrics[name] = *value;
  return json::dump({{"metrics", std::move(metrics)}});
}

}  // namespace

WorkerSession::WorkerSession(Core& core, Identity identity, Registration registration, std::string session_id, SessionId session)
    : kept_(core.shared_from_this()),
      core_(core),
      identity_(std::move(identity)),
      registration_(std::move(registration)),
      session_id_(std::move(session_id)),
      session_(session),
      spec_(worker_spec(identity_, registration_, session_id_)),
      channel_(core, identity_.protocol, identity_.tenant, *this),
      nexts_(*this),
      packages_(*this),
      tasks_(*this),
      gone_(core.deadlines, [this] { expire(); }),
      miss_(core.deadlines, [this] { beat_missed(); }),
      complaints_(core.deadlines, kComplaintsMax, [this](std::uint64_t count) {
        tell_left_out({identity_.tenant, identity_.instance, session_id_}, count);
      }) {}

WorkerSession::~WorkerSession() = default;

bool WorkerSession::accepting() const { return channel_.socket() != nullptr && !draining_ && !sent_away_ && !core_.stopping; }

// --- how it comes to be ---

void WorkerSession::join(Core& core, Identity identity, Registration registration, Joined then) {
  const auto known = core.sessions->find(identity.tenant, identity.instance);
  // A worker that changed its protocol is another program under the same name: nothing of its channel can be kept.
  if (known && known->identity().protocol != identity.protocol) core.sessions->remove(*known);
  if (known && known->identity().protocol == identity.protocol) {
    known->start_over(std::move(identity), std::move(registration));
    return known->enroll(known->session_, std::move(then));
  }
  const command::WorkerGetRequest who{NamespaceName(identity.tenant), WorkerId(identity.instance)};
  const command::Caller caller = identity.credential.caller;
  core.ask(caller, who,
           [&core, identity = std::move(identity), registration = std::move(registration),
            then = std::move(then)](const Result<muster::Worker>& row) mutable {
             const bool lives = row.ok() && row->state != WorkerState::offline && row->spec.dialect == Dialect::ws;
             const auto worker = std::make_shared<WorkerSession>(core, std::move(identity), std::move(registration),
                                                                 core.next_id(), lives ? row->session : SessionId{});
             worker->start_ = Start::afresh;
             worker->enroll(lives ? std::optional(row->session) : std::nullopt, std::move(then));
           });
}

void WorkerSession::start_over(Identity identity, Registration registration) {
  identity_ = std::move(identity);
  registration_ = std::move(registration);
  session_id_ = core_.next_id();
  spec_ = worker_spec(identity_, registration_, session_id_);
  draining_ = false;
  channel_.reset();
  start_ = Start::afresh;
}

void WorkerSession::enroll(std::optional<SessionId> resume, Joined then) {
  WorkerSpec spec = spec_;
  spec.resume = resume;
  core_.ask(caller(), std::move(spec),
            [self = shared_from_this(), then = std::move(then)](const Result<store::Registered>& registered) {
              if (!registered.ok()) return then(registered.status());
              self->enrolled(*registered);
              then(self);
            });
}

void WorkerSession::enrolled(const store::Registered& registered) {
  // With a session that ended its leases did.
  if (registered.session != session_) tasks_.lost(tasks_.held());
  session_ = registered.session;
  beats_ = registered.policy;
  core_.sessions->put(shared_from_this());
  tell_registered(std::exchange(packages_told_, registration_.packages));
  core_.sessions_changed();
  if (channel_.socket() == nullptr) expire_later();
}

void WorkerSession::restore(Core& core, ResumeClaim claim, std::function<void(std::shared_ptr<WorkerSession>)> then) {
  const auto claims = session::open_token(core.options.session_secret, claim.token);
  if (!claims || claims->wid != claim.instance || claims->tenant != claim.tenant) return then(nullptr);
  const command::WorkerGetRequest who{NamespaceName(claim.tenant), WorkerId(claim.instance)};
  core.ask(command::itself(), who, [&core, claims = *claims, then = std::move(then)](const Result<muster::Worker>& row) {
    if (!row.ok() || row->state == WorkerState::offline) return then(nullptr);
    auto kept = kept_registration(*row);
    if (!kept || kept->session_id != claims.sid) return then(nullptr);
    auto credential = core.authenticator.by_name(kept->token_name);
    if (!credential) return then(nullptr);
    kept->identity.credential = *std::move(credential);
    auto worker =
        std::make_shared<WorkerSession>(core, std::move(kept->identity), std::move(kept->registration), claims.sid, row->session);
    worker->spec_ = row->spec;
    worker->start_ = Start::restored;
    then(std::move(worker));
  });
}

// --- its sockets ---

void WorkerSession::resuming_from(std::optional<std::uint64_t> last_seen) { last_seen_ = last_seen; }

void WorkerSession::attach(Socket& socket) {
  gone_.set(std::nullopt);
  expect_beat();
  channel_.attach(socket);
  core_.meter.connected(identity_.tenant, 1);
  sent_away_ = false;
  resumed_ = start_ != Start::afresh;
  switch (std::exchange(start_, Start::resumed)) {
    case Start::afresh:
      tasks_.adopt(Duration::zero());
      packages_.registered(SessionPackages::Registered::anew);
      break;
    case Start::restored:
      channel_.continued(last_seen_.value_or(0));
      tasks_.adopt(kSpeaksWithin);
      packages_.look();
      break;
    case Start::resumed:
      if (const Status known = channel_.resumed(last_seen_); !known.ok())
        log::warn("a worker resumed from a number that is not ours", {{"tenant", identity_.tenant},
                                                                      {"sender.id", identity_.instance},
                                                                      {"session_id", session_id_},
                                                                      {"code", std::string(to_string(known.code()))},
                                                                      {"reason", known.message()}});
      // Results that it gave up while it was cut off leave no hole unless it has more to say: whoever is silent is asked again.
      tasks_.adopt(kSpeaksWithin);
      packages_.look();
      break;
  }
  last_seen_.reset();
  collect_mail();  // perhaps somebody wrote while it was away
}

void WorkerSession::detach(const Socket& socket) {
  if (channel_.socket() != &socket) return;
  channel_.detach();
  tasks_.stop_wanting();
  core_.meter.connected(identity_.tenant, -1);
  expire_later();
}

void WorkerSession::expire_later() { gone_.set(core_.steady() + std::chrono::duration_cast<Duration>(core_.options.token_life)); }

void WorkerSession::supersede() {
  Socket* const socket = channel_.socket();
  if (socket == nullptr) return;
  socket->close(websocket::CloseCode::internal_error, session::kCloseSuperseded);
  detach(*socket);
}

void WorkerSession::revoke() {
  json::Tree payload{{"code", session::kAuthInvalidToken.code}, {"reason", session::kAuthInvalidToken.reason}};
  if (identity_.protocol == session::Protocol::v2) channel_.send_control(FrameKind::reset, json::dump(payload));
  Socket* const socket = channel_.socket();
  if (socket != nullptr) {
    socket->close(websocket::CloseCode::internal_error, session::kAuthInvalidToken.reason);
    detach(*socket);
  }
  expire();
}

void WorkerSession::expire() {
  const auto self = shared_from_this();
  core_.sessions->remove(*this);
  core_.sessions_changed();
}

void WorkerSession::registered_again(Registration registration) {
  registration_ = std::move(registration);
  spec_ = worker_spec(identity_, registration_, session_id_);
  register_anew();
  packages_.registered(SessionPackages::Registered::again);
}

void WorkerSession::register_anew() {
  tasks_.stop_wanting();
  enroll(session_, [self = shared_from_this()](const Result<std::shared_ptr<WorkerSession>>& joined) {
    if (!joined.ok()) {
      log::warn("a worker was not registered", {{"tenant", self->identity_.tenant},
                                                {"sender.id", self->identity_.instance},
                                                {"session_id", self->session_id_},
                                                {"code", std::string(to_string(joined.code()))},
                                                {"reason", joined.status().message()}});
      if (Socket* const socket = self->channel_.socket())
        socket->close(websocket::CloseCode::try_again_later, "registration failed");
      return;
    }
    self->tasks_.want();
  });
}

void WorkerSession::make_it_register() {
  if (identity_.protocol != session::Protocol::v2 || !resumed_ || channel_.socket() == nullptr) return;
  sent_away_ = true;
  tasks_.stop_wanting();
  if (tasks_.size() == 0) idle();
}

void WorkerSession::idle() {
  Socket* const socket = channel_.socket();
  if (sent_away_ && socket != nullptr) socket->close(websocket::CloseCode::service_restart, session::kCloseServiceRestart);
}

// --- what it says ---

void WorkerSession::received(FrameKind kind, Envelope frame) {
  if (kind == FrameKind::ack) {
    channel_.acked(frame);
    return tasks_.acknowledged(frame.ack_for ? *frame.ack_for : text_of(frame.payload.tree(), "for"));
  }
  if (kind == FrameKind::heartbeat) return beat(frame);
  channel_.received(std::move(frame));
}

void WorkerSession::window_acked(const session::QuickAck& ack) {
  channel_.acked(ack.window);
  tasks_.acknowledged(std::string(ack.acked_id));
}

void WorkerSession::deliver(Envelope frame, Arrived arrived) {
  if (!frame.payload.is_object()) return channel_.done(arrived);
  switch (session::kind_of(identity_.protocol, frame.type)) {
    case FrameKind::result: return tasks_.result(frame, arrived);
    case FrameKind::error: return tasks_.error(frame, arrived);
    case FrameKind::feedback: return tasks_.feedback(frame, arrived);
    case FrameKind::next_request: return tasks_.next_request(frame, arrived);
    case FrameKind::extension: offer_extension(core_, {identity_, frame.type, frame.payload}); return channel_.done(arrived);
    case FrameKind::package_event: return packages_.event(frame, arrived);
    default: return channel_.done(arrived);
  }
}

void WorkerSession::unacknowledged(const std::string& frame_id) { tasks_.unacknowledged(frame_id); }

void WorkerSession::stalled() {
  if (Socket* const socket = channel_.socket()) socket->close(websocket::CloseCode::internal_error, "no acknowledgement in time");
}

// Among what is missing may be results: what the worker still has it tells us when it is asked again.
void WorkerSession::holes_skipped() { tasks_.send_again(); }

void WorkerSession::expect_beat() {
  misses_ = 0;
  miss_.set(core_.steady() + beats_.interval + kBeatOnItsWay);
}

void WorkerSession::tell_registered(const std::vector<Package>& before) {
  core_.feed.beat(identity_.tenant, {identity_.name, identity_.instance, identity_.hostname, identity_.version}, nullptr);
  for (const Package& package : package_changes(before, registration_.packages))
    core_.feed.package(identity_.tenant, identity_.name, {package.name, package.version, package.status});
}

void WorkerSession::beat_missed() {
  core_.meter.heartbeat_missed(identity_.tenant, identity_.instance);
  if (++misses_ < kMissesCounted) miss_.set(core_.steady() + beats_.interval);
}

void WorkerSession::beat(const Envelope& frame) {
  if (!frame.payload.is_object()) return;
  expect_beat();
  core_.feed.beat(identity_.tenant, {identity_.name, identity_.instance, identity_.hostname, identity_.version},
                  &frame.payload.tree());
  json::Tree told = frame.payload.tree();
  told["packages"] = {{"drift", packages_.drift()}};  // by what the server knows is wanted; workers cannot know
  std::string stats = json::dump(told);
  if (stats.size() > limits::kMetadataBytesMax) stats = brief_stats(told);
  store::Beat beat{.ns = NamespaceName(identity_.tenant),
                   .worker = WorkerId(identity_.instance),
                   .session = session_,
                   .stats = std::move(stats),
                   .held = tasks_.held(),
                   .names_all = tasks_.settled_in()};
  core_.ask(caller(), std::move(beat), [self = shared_from_this()](const Result<store::BeatReply>& reply) {
    if (reply.ok()) return self->beaten(*reply);
    if (reply.code() == Code::not_found || reply.code() == Code::lease_lost) self->register_anew();
  });
}

void WorkerSession::beaten(const store::BeatReply& reply) {
  tasks_.cancelled(reply.cancel);
  tasks_.lost(reply.lost);
  drains({reply.state, reply.drain_reason, reply.drain_deadline});
  // What another node was asked to send is not told here.
  if (more_mail_ || core_.door.facts().cluster) collect_mail();
}

// --- its mail ---

void WorkerSession::collect_mail() {
  if (identity_.protocol == session::Protocol::v1 || channel_.socket() == nullptr) return;
  more_mail_ = true;
  if (std::exchange(collecting_, true)) return;
  more_mail_ = false;
  core_.ask(caller(), command::collect_worker_mail(NamespaceName(identity_.tenant), WorkerId(identity_.instance)),
            [self = shared_from_this()](const Result<command::KeysReply>& answers) {
              self->collecting_ = false;
              if (!answers.ok()) {
                self->more_mail_ = true;  // the next beat tries again
                return;
              }
              self->hand_over(command::read_worker_mail(*answers));
            });
}

void WorkerSession::hand_over(const std::vector<command::WorkerMailFrame>& mail) {
  for (std::size_t i = 0; i < mail.size(); ++i) {
    const std::string id = core_.next_id();
    const Status sent = channel_.send(
        {.kind = FrameKind::extension, .type = mail[i].type, .id = id, .ack_request = true, .payload = mail[i].payload});
    if (sent.ok() || sent.code() == Code::invalid_argument) continue;
    // Too much is under way: the rest waits for the next beat.
    more_mail_ = true;
    const std::vector<command::WorkerMailFrame> rest(mail.begin() + static_cast<std::ptrdiff_t>(i), mail.end());
    core_.ask(caller(), command::put_back_worker_mail(NamespaceName(identity_.tenant), WorkerId(identity_.instance), rest),
              [](const Result<command::KeysReply>&) {});
    return;
  }
  if (more_mail_ || mail.size() == command::kMailCollectedMax) collect_mail();
}

void WorkerSession::drain_changed() {
  const command::WorkerGetRequest who{NamespaceName(identity_.tenant), WorkerId(identity_.instance)};
  core_.ask(command::itself(), who, [self = shared_from_this()](const Result<muster::Worker>& row) {
    if (row.ok()) self->drains({row->state, row->drain_reason, row->drain_deadline});
  });
}

void WorkerSession::drains(const Drain& drain) {
  const bool draining = drain.state == WorkerState::draining;
  if (draining && !draining_) {
    tasks_.stop_wanting();
    json::Tree payload = json::Tree::object();
    if (!drain.reason.empty()) payload["reason"] = drain.reason;
    if (drain.deadline) payload["deadline_ms"] = std::max<std::int64_t>(0, (*drain.deadline - core_.now()).count());
    channel_.send_control(FrameKind::drain, json::dump(payload));
  }
  draining_ = draining;
  tasks_.want();
}

}  // namespace muster::ws
