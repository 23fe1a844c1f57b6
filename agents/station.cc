#include "agents/station.h"

#include <algorithm>

#include "agents/jobs.h"
#include "base/log.h"
#include "command/jobs.h"
#include "command/workers.h"

namespace muster::agents {

void Station::again(Duration delay, void (Station::*what)()) {
  base_->agenda->after(delay, [weak = weak_from_this(), what] {
    if (const auto self = weak.lock(); self && !self->stopped_) ((*self).*what)();
  });
}

void Station::sign_up() {
  if (std::exchange(signing_up_, true)) return;
  WorkerSpec spec;
  spec.ns = ns_;
  spec.id = base_->worker();
  spec.dialect = Dialect::agent;
  spec.capabilities = CapabilitySet({kRuntimeCapability});
  spec.queues = {QueueName(kAgentQueue)};
  spec.slots = static_cast<std::uint32_t>(base_->settings.in_hand_max());
  spec.policy = HeartbeatPolicy{.interval = kRuntimeBeat, .dead_after = kRuntimeDeadAfter};
  spec.version = base_->door.facts().version;
  spec.resume = session_;  // a session of this process keeps its leases
  base_->door.run(
      command::itself(), std::move(spec),
      onto<store::Registered>(base_, weak_from_this(), [](Station& self, Result<store::Registered> registered) {
        self.signing_up_ = false;
        if (!registered.ok()) {
          // A session that is over cannot be resumed; the next registration begins another.
          self.session_.reset();
          log::warn("agents could not register", {{"namespace", self.ns_.text()}, {"reason", registered.status().text()}});
          return self.again(kRegisterAgainAfter, &Station::sign_up);
        }
        self.session_ = registered->session;
        if (!std::exchange(self.beating_, true)) self.again(kRuntimeBeat, &Station::beat);
        self.claim();
      }));
}

void Station::beat() {
  base_->door.run(
      command::itself(),
      store::Beat{
          .ns = ns_, .worker = base_->worker(), .session = session_, .stats = {}, .held = ears_.held(ns_), .names_all = true},
      onto<store::BeatReply>(base_, weak_from_this(), [](Station& self, Result<store::BeatReply> reply) { self.beaten(reply); }));
}

void Station::beaten(const Result<store::BeatReply>& reply) {
  if (stopped_) return;
  again(kRuntimeBeat, &Station::beat);
  if (reply.ok()) {
    for (const LeaseRef& lease : reply->cancel) ears_.ended(lease.job);
    for (const LeaseRef& lease : reply->lost) ears_.ended(lease.job);
    return claim();
  }
  if (reply.code() == Code::not_found || reply.code() == Code::lease_lost) sign_up();
}

void Station::claim() {
  if (stopped_ || claiming_ || signing_up_ || !session_) return;
  const std::size_t room = std::min(ears_.room(), limits::kClaimBatchMax);
  if (room == 0) return;
  claiming_ = true;
  asked_at_ = base_->clock.elapsed();
  command::JobClaimRequest request;
  request.claim.ns = ns_;
  request.claim.worker = base_->worker();
  request.claim.session = session_;
  request.claim.queues = {QueueName(kAgentQueue)};
  request.claim.limit = room;
  request.wait = kClaimWait;
  ticket_ = base_->door.run(command::itself(), std::move(request),
                            Reply<store::ClaimReply>([base = base_, weak = weak_from_this()](Result<store::ClaimReply> reply) {
                              base->agenda->post([base, weak, reply = std::move(reply)]() mutable {
                                const auto self = weak.lock();
                                if (!self || self->stopped_) {
                                  if (reply.ok()) base->door.delivery().hand_back(reply->grants);
                                  return;
                                }
                                self->claiming_ = false;
                                self->ticket_.reset();
                                if (!reply.ok()) {
                                  if (reply.code() == Code::not_found || reply.code() == Code::lease_lost) return self->sign_up();
                                  return self->again(kRegisterAgainAfter, &Station::claim);
                                }
                                const bool refused =
                                    reply->grants.empty() && base->clock.elapsed() - self->asked_at_ < kRegisterAgainAfter;
                                for (Grant& grant : reply->grants) self->ears_.granted(std::move(grant));
                                // An empty answer before its time means that there is no point in asking at once.
                                if (refused) return self->again(kRegisterAgainAfter, &Station::claim);
                                self->claim();
                              });
                            }));
}

void Station::stop() {
  stopped_ = true;
  if (ticket_) base_->door.delivery().cancel(*ticket_);
}

void Station::leave(UniqueFunction<void()> done) {
  stop();
  if (!session_) return done();
  base_->door.run(command::itself(), store::Unregister{.ns = ns_, .worker = base_->worker(), .session = session_},
                  Reply<Worker>([done = std::move(done)](Result<Worker>) mutable { done(); }));
}

}  // namespace muster::agents
