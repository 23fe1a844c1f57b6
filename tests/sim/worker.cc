// What a worker does, driven by its timers and the answers it gets.
#include "tests/sim/worker.h"

#include <algorithm>

namespace muster::sim {
namespace {

constexpr int kStrangersMax = 3;

// Which outcome a roll of the dice means; the same roll is repeated after an unknown outcome.
enum class Roll : std::uint8_t { complete, fail, fail_fatal, snooze, release };
Roll roll(std::uint64_t dice) {
  if (dice < 70) return Roll::complete;
  if (dice < 88) return Roll::fail;
  if (dice < 91) return Roll::fail_fatal;
  if (dice < 95) return Roll::snooze;
  return Roll::release;
}

}  // namespace

void SimWorker::after(Duration delay, std::function<void()> what) {
  world_.timeline().after(delay, [this, incarnation = incarnation_, what = std::move(what)]() mutable {
    if (gone_ || incarnation != incarnation_) return;
    const Duration now = world_.clock().since_start();
    if (now < stalled_until_) return after(stalled_until_ - now, std::move(what));
    what();
  });
}

void SimWorker::start() {
  after(Duration(random_.between(0, 200)), [this] { enroll(); });
  if (!reliable_) after(Duration(random_.between(1'000, 20'000)), [this] { misbehave(); });
}

void SimWorker::retire() {
  if (session_) leave();
  gone_ = true;
}

void SimWorker::forget() {
  ++incarnation_;
  session_.reset();
  running_.clear();
  claiming_ = draining_ = leaving_ = false;
  strangers_ = 0;
}

void SimWorker::enroll() {
  WorkerSpec spec = spec_;
  if (session_ && random_.chance(0.5)) spec.resume = session_;
  world_.trace().line("{} registers{}", spec_.id.text(), spec.resume ? " again, with its session" : "");
  World::Request<store::Each<store::Registered>> request;
  request.call = [spec](engine::Engine& engine, auto reply) { engine.workers().register_workers({spec}, std::move(reply)); };
  request.hear = [this, incarnation = incarnation_](Result<store::Each<store::Registered>> result) {
    if (gone_ || incarnation != incarnation_) return;
    if (!result.ok() || !(*result)[0].ok()) return after(Duration(random_.between(100, 2'000)), [this] { enroll(); });
    const store::Registered& entry = *(*result)[0];
    if (session_ != entry.session) running_.clear();
    session_ = entry.session;
    interval_ = entry.policy.interval;
    draining_ = leaving_ = false;
    after(interval_, [this] { beat(); });
    after(Duration(0), [this] { claim(); });
  };
  world_.rpc(std::move(request));
}

void SimWorker::beat() {
  if (!session_) return;
  store::Beat sign;
  sign.ns = spec_.ns;
  sign.worker = spec_.id;
  sign.session = session_;
  for (const auto& [id, run] : running_) sign.held.push_back({id, run.grant.fence});
  sign.accepting = !leaving_;
  World::Request<store::Each<store::BeatReply>> request;
  request.call = [sign](engine::Engine& engine, auto reply) { engine.workers().heartbeat({sign}, std::move(reply)); };
  request.hear = [this, incarnation = incarnation_](Result<store::Each<store::BeatReply>> result) {
    if (gone_ || incarnation != incarnation_ || !session_) return;
    beaten(result);
  };
  request.timeout = std::min(interval_, Duration(5'000));
  world_.rpc(std::move(request));
  after(interval_, [this, session = session_] {
    if (session == session_) beat();
  });
}

void SimWorker::beaten(const Result<store::Each<store::BeatReply>>& result) {
  if (!result.ok()) return;
  const auto& entry = (*result)[0];
  if (!entry.ok()) {
    if (entry.code() != Code::not_found && entry.code() != Code::lease_lost) return;
    world_.trace().line("{} is told {}", spec_.id.text(), to_string(entry.code()));
    // Its server has given it up. What it still runs goes on, and will be refused.
    session_.reset();
    return enroll();
  }
  for (const LeaseRef& lost : entry->lost)
    if (const auto at = running_.find(lost.job); at != running_.end() && at->second.grant.fence == lost.fence) running_.erase(at);
  for (const LeaseRef& lease : entry->cancel)
    if (running_.contains(lease.job) && random_.chance(0.7)) send_outcome(lease, random_.between(71, 99), 0);
  // An answer to a claim that never came leaves leases nobody works on: start over, and they are rescued.
  strangers_ = entry->running > running_.size() && !claiming_ ? strangers_ + 1 : 0;
  if (strangers_ > kStrangersMax) {
    world_.trace().line("{} starts over", spec_.id.text());
    forget();
    return enroll();
  }
  draining_ = entry->state == WorkerState::draining;
  if ((draining_ || leaving_) && running_.empty()) leave();
}

void SimWorker::claim() {
  if (!session_ || claiming_ || draining_ || leaving_ || running_.size() >= spec_.slots) return;
  claiming_ = true;
  store::ClaimRequest ask;
  ask.ns = spec_.ns;
  ask.worker = spec_.id;
  ask.session = session_;
  ask.limit = static_cast<std::size_t>(random_.between(1, static_cast<std::int64_t>(spec_.slots - running_.size())));
  if (!reliable_ && random_.chance(0.1) && spec_.queues.empty()) ask.queues = {queue_name(random_.below(kQueues))};
  if (!reliable_ && random_.chance(0.1) && !spec_.capabilities.empty())
    ask.narrow = CapabilitySet({spec_.capabilities.names().front()});
  if (random_.chance(0.1)) ask.lease_ttl = Duration(random_.between(1'000, 40'000));
  const Duration wait(random_.chance(0.3) ? 0 : random_.between(100, 15'000));
  auto ticket = std::make_shared<std::pair<std::uint64_t, engine::ClaimTicket>>();  // of which life of the process
  World::Request<store::ClaimReply> request;
  request.call = [ask, wait, ticket, this](engine::Engine& engine, auto reply) {
    const std::uint64_t life = world_.life();
    *ticket = {life, engine.claims().claim(ask, wait, std::move(reply))};
  };
  request.undelivered = [](engine::Engine& engine, Result<store::ClaimReply> result) {
    if (result.ok()) engine.claims().hand_back(result->grants);
  };
  request.timeout = wait + Duration(5'000);
  request.hear = [this, ticket, incarnation = incarnation_](Result<store::ClaimReply> result) {
    if (gone_ || incarnation != incarnation_) {
      // Nobody is there to take it: the connection closes, and what was granted is handed back or left to expire.
      if (world_.engine() != nullptr && result.ok() && random_.chance(0.5)) world_.engine()->claims().hand_back(result->grants);
      return;
    }
    claiming_ = false;
    if (result.ok()) {
      took(result->grants);
    } else if (result.code() == Code::outcome_unknown && world_.engine() != nullptr && ticket->first == world_.life() &&
               random_.chance(0.5)) {
      world_.engine()->claims().cancel(ticket->second);
    } else if ((result.code() == Code::lease_lost || result.code() == Code::not_found) && session_) {
      session_.reset();
      return enroll();
    }
    after(Duration(random_.between(0, result.ok() ? 300 : 2'000)), [this] { claim(); });
  };
  world_.rpc(std::move(request));
}

void SimWorker::took(const std::vector<Grant>& grants) {
  for (const Grant& grant : grants) {
    world_.trace().line("{} takes j{} fence {}", spec_.id.text(), world_.shadow().number(grant.id), to_number(grant.fence));
    running_[grant.id] = Run{grant, false};
    work(grant.id, grant.fence);
  }
}

void SimWorker::work(JobId job, Fence fence) {
  const Duration takes(random_.chance(0.1) && !reliable_ ? random_.between(5'000, 90'000) : random_.between(1, 2'000));
  if (!reliable_ && random_.chance(0.2)) after(takes / 2, [this, job, fence] { report(job, fence); });
  after(takes, [this, job, fence] { settle(job, fence); });
}

void SimWorker::report(JobId job, Fence fence) {
  if (!running_.contains(job)) return;
  World::Request<store::Each<store::Renewed>> request;
  if (random_.chance(0.5)) {
    store::ProgressUpdate update;
    update.lease = {job, fence};
    update.fraction = 0.5;
    update.partial = Content{"{\"half\":true}", Encoding::json};
    request.call = [update](engine::Engine& engine, auto reply) { engine.jobs().report_progress({update}, std::move(reply)); };
  } else {
    request.call = [lease = LeaseRef{job, fence}](engine::Engine& engine, auto reply) {
      engine.jobs().renew({store::Renewal{lease, {}}}, std::move(reply));
    };
  }
  request.hear = [](auto) {};
  world_.rpc(std::move(request));
}

void SimWorker::settle(JobId job, Fence fence) {
  const auto at = running_.find(job);
  if (at == running_.end() || at->second.grant.fence != fence || at->second.settling) return;
  at->second.settling = true;
  send_outcome({job, fence}, reliable_ ? 0 : random_.below(100), 0);
}

void SimWorker::send_outcome(LeaseRef lease, std::uint64_t dice, int tries) {
  world_.trace().line("{} settles j{} fence {} with {} (try {})", spec_.id.text(), world_.shadow().number(lease.job),
                      to_number(lease.fence), dice, tries);
  World::Request<store::Each<store::Settled>> request;
  request.hear = [this, lease, dice, tries, incarnation = incarnation_](Result<store::Each<store::Settled>> result) {
    if (!gone_ && incarnation == incarnation_) settled(lease, dice, tries, result);
  };
  switch (roll(dice)) {
    case Roll::complete:
      request.call = [lease](engine::Engine& engine, auto reply) {
        engine.jobs().complete({{lease, Content{"{\"ok\":true}", Encoding::json}}}, std::move(reply));
      };
      break;
    case Roll::fail:
    case Roll::fail_fatal: {
      store::Failure failure;
      failure.lease = lease;
      failure.retryable = roll(dice) == Roll::fail;
      failure.error = {failure.retryable ? (dice % 4 == 0 ? "bad_input" : "crashed") : "fatal", "the tool said no"};
      request.call = [failure](engine::Engine& engine, auto reply) { engine.jobs().fail({failure}, std::move(reply)); };
      break;
    }
    case Roll::snooze:
      request.call = [lease](engine::Engine& engine, auto reply) {
        engine.jobs().snooze({{lease, Duration(1'500)}}, std::move(reply));
      };
      break;
    case Roll::release:
      request.call = [lease](engine::Engine& engine, auto reply) {
        engine.jobs().release({{lease, "not now"}}, std::move(reply));
      };
      break;
  }
  world_.rpc(std::move(request));
}

void SimWorker::settled(LeaseRef lease, std::uint64_t dice, int tries, const Result<store::Each<store::Settled>>& result) {
  const Code code = result.ok() ? (*result)[0].code() : result.code();
  if (code != Code::ok)
    world_.trace().line("{} hears {} about j{}", spec_.id.text(), to_string(code), world_.shadow().number(lease.job));
  if (code == Code::unavailable || code == Code::outcome_unknown || code == Code::exhausted)
    return after(Duration(random_.between(50, 3'000)), [this, lease, dice, tries] { send_outcome(lease, dice, tries + 1); });
  if (const auto at = running_.find(lease.job); at != running_.end() && at->second.grant.fence == lease.fence) running_.erase(at);
  if ((draining_ || leaving_) && running_.empty()) return leave();
  after(Duration(random_.between(0, 100)), [this] { claim(); });
}

void SimWorker::leave() {
  world_.trace().line("{} leaves", spec_.id.text());
  store::Unregister bye;
  bye.ns = spec_.ns;
  bye.worker = spec_.id;
  bye.session = session_;
  World::Request<store::Each<Worker>> request;
  request.call = [bye](engine::Engine& engine, auto reply) { engine.workers().unregister({bye}, std::move(reply)); };
  request.hear = [](auto) {};
  world_.rpc(std::move(request));
  forget();
  after(Duration(random_.between(500, 15'000)), [this] { enroll(); });
}

void SimWorker::misbehave() {
  switch (random_.below(6)) {
    case 0:  // the process is killed, and another one of the same name starts some time later
      world_.trace().line("{} vanishes", spec_.id.text());
      forget();
      after(Duration(random_.between(0, 60'000)), [this] { enroll(); });
      break;
    case 1:  // the machine is suspended and wakes up with its old leases
    case 2:
      stalled_until_ = world_.clock().since_start() + Duration(random_.between(1'000, 90'000));
      world_.trace().line("{} stalls", spec_.id.text());
      break;
    case 3:
      world_.trace().line("{} wants to leave", spec_.id.text());
      leaving_ = true;
      if (session_ && (running_.empty() || random_.chance(0.3))) leave();
      break;
    case 4:  // a second process under the same name, or the same one coming back
      if (session_) {
        forget();
        enroll();
      }
      break;
    default:
      if (session_) enroll();
  }
  after(Duration(random_.between(2'000, 60'000)), [this] { misbehave(); });
}

}  // namespace muster::sim
