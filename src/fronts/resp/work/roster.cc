#include "fronts/resp/work/roster.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "base/log.h"
#include "command/jobs.h"
#include "command/keys.h"
#include "command/single.h"
#include "command/workers.h"
#include "fronts/resp/clients.h"
#include "fronts/resp/core.h"
#include "fronts/resp/work/held_jobs.h"
#include "fronts/resp/work/names.h"
#include "fronts/resp/work/work.h"
#include "fronts/resp/work/work_state.h"

namespace muster::resp::work {
namespace {

constexpr Duration kNoticedEvery{20'000};  // of a worker that pops; less than the beats it owes
static_assert(kNoticedEvery < default_policy(Dialect::resp).interval);
constexpr std::size_t kRoomPagesMax = limits::kWorkersMax / limits::kPageMax;

WorkerId anonymous_name(const std::string& node) {
  std::string name = std::string(kAnonymousPrefix) + (node.empty() ? "node" : node);
  return WorkerId(name.substr(0, limits::kNameBytesMax));
}

WorkerSpec plain_spec(const WorkerId& worker) {
  WorkerSpec spec;
  spec.ns = default_namespace();
  spec.id = worker;
  spec.dialect = Dialect::resp;
  spec.capabilities = CapabilitySet({kEveryTool});
  return spec;
}

}  // namespace

Roster::Roster(Core& core) : core_(core), anonymous_(anonymous_name(core.door.facts().node)) {}

const WorkerId& Roster::acting_as(const Client& client) {
  return client.bond != Bond::none ? client.worker : client.caller.worker;
}

std::shared_ptr<Client> Roster::open_connection_of(const WorkerId& worker) const {
  auto client = core_.clients->of_worker(worker);
  return client != nullptr && client->open() ? client : nullptr;
}

// --- becoming a worker ---

void Roster::enlist(const std::shared_ptr<Client>& client, Enlistment enlistment, WithClaimant then) {
  const auto id = static_cast<std::uint64_t>(client->id);
  if (const auto at = entering_.find(id); at != entering_.end()) {
    UniqueFunction<void()> next = [this, client, enlistment = std::move(enlistment), then = std::move(then)]() mutable {
      enlist(client, std::move(enlistment), std::move(then));
    };
    at->second.push_back(core_.later(std::move(next)));
    return;
  }
  entering_.try_emplace(id);
  auto done = [this, client, then = core_.later(std::move(then))](Result<Claimant> claimant) mutable {
    then(std::move(claimant));
    entered(client->id);
  };
  const WorkerId worker = enlistment.worker;
  auto look = [this, client, enlistment = std::move(enlistment), done = std::move(done)](Result<Worker> known) mutable {
    found(client, std::move(enlistment), std::move(known), std::move(done));
  };
  try {
    core_.ask(client->caller, command::WorkerGetRequest{.worker = worker}, std::move(look));
  } catch (...) {
    entering_.erase(id);  // or the client's later commands would wait for this answer
    throw;
  }
}

void Roster::entered(ClientId client) {
  const auto at = entering_.find(static_cast<std::uint64_t>(client));
  if (at == entering_.end()) return;
  std::vector<UniqueFunction<void()>> waiting = std::move(at->second);
  entering_.erase(at);
  for (UniqueFunction<void()>& next : waiting) next();
}

void Roster::found(const std::shared_ptr<Client>& client, Enlistment enlistment, Result<Worker> known, WithClaimant then) {
  if (!known.ok() && known.code() != Code::not_found) return then(known.status());
  const bool live = known.ok() && known->state != WorkerState::offline;
  const auto other = open_connection_of(enlistment.worker);
  const bool elsewhere = other != nullptr && other != client;
  const bool changes = enlistment.tools || enlistment.tags;
  if (live && (known->spec.dialect != Dialect::resp || (changes && elsewhere)))
    return then(Status::already_exists("Worker ID already registered"));

  WorkerSpec spec = plain_spec(enlistment.worker);
  // One that was only silent is what it was; one that said goodbye begins anew.
  if (known.ok() && known->spec.dialect == Dialect::resp && (live || known->offline_cause != "unregistered")) spec = known->spec;
  if (enlistment.tools) spec.capabilities = *std::move(enlistment.tools);
  if (enlistment.tags) spec.labels[kTagsLabel] = *std::move(enlistment.tags);
  if (live) spec.resume = known->session;
  if (!live || changes) {
    if (live) return enter(client, std::move(spec), std::move(then));
    return with_room([this, client, spec = std::move(spec), then = std::move(then)](Status room) mutable {
      if (!room.ok()) return then(std::move(room));
      enter(client, std::move(spec), std::move(then));
    });
  }

  auto beaten = [this, client, elsewhere, known = *std::move(known),
                 then = std::move(then)](Result<store::BeatReply> beat) mutable {
    // It died between two questions.
    if (!beat.ok()) return then(beat.status());
    if (elsewhere || client->bond != Bond::none) return then(Claimant{known.spec.id, std::nullopt});
    bind(client, is_pinged(known.spec) ? Bond::pinged : Bond::registered, known.spec.id, known.session);
    then(Claimant{known.spec.id, known.session});
  };
  this->beat(client, enlistment.worker, {}, std::move(beaten));
}

void Roster::enter(const std::shared_ptr<Client>& client, WorkerSpec spec, WithClaimant then) {
  const WorkerId worker = spec.id;
  const Bond bond = is_pinged(spec) ? Bond::pinged : Bond::registered;
  auto registered = [this, client, worker, bond, then = std::move(then)](Result<store::Registered> reply) mutable {
    if (!reply.ok()) return then(reply.status());
    // A connection is one worker. Others that it speaks for are registered, and judged by their heartbeats alone.
    const bool free = client->bond == Bond::none || client->worker == worker;
    if (free) bind(client, bond, worker, reply->session);
    then(Claimant{worker, free ? std::optional(reply->session) : std::nullopt});
  };
  core_.ask(client->caller, command::WorkerRegisterRequest(std::move(spec)), std::move(registered));
}

void Roster::bind(const std::shared_ptr<Client>& client, Bond bond, const WorkerId& worker, SessionId session) {
  if (client->bond != Bond::none && client->worker != worker) noticed_.erase(client->worker);
  core_.clients->bind(client, {.bond = bond, .worker = worker, .session = session});
  noticed_[worker] = core_.now();
  if (!client->open()) core_.work_state->closed(client);
}

void Roster::unbind(Client& client) {
  if (client.bond == Bond::none) return;
  noticed_.erase(client.worker);
  core_.clients->unbind(client);
}

void Roster::with_room(UniqueFunction<void(Status)> then) {
  const std::size_t most = core_.options.limits.workers_max;
  if (most == 0) return then({});
  struct Count {
    std::size_t workers = 0;
    std::size_t pages = 0;
  };
  // The cap is off unless somebody wants it, so counting may cost a listing.
  struct Step {
    static void run(Core& core, Count count, std::string cursor, UniqueFunction<void(Status)> then) {
      store::WorkerQuery query;
      query.ns = default_namespace();
      query.states = {WorkerState::online, WorkerState::draining};
      query.limit = limits::kPageMax;
      query.cursor = std::move(cursor);
      auto counted = [&core, count, then = std::move(then)](Result<store::WorkerPage> page) mutable {
        if (!page.ok()) return then(page.status());
        for (const Worker& worker : page->workers) count.workers += is_anonymous(worker.spec.id) ? 0 : 1;
        ++count.pages;
        const std::size_t most = core.options.limits.workers_max;
        if (count.workers >= most)
          return then(Status::exhausted(
              fmt::format("Protocol error: Maximum worker limit reached ({} workers). Cannot register new worker.", most)));
        if (page->next.empty() || count.pages >= kRoomPagesMax) return then({});
        run(core, count, std::move(page->next), std::move(then));
      };
      core.ask(command::itself(), std::move(query), std::move(counted));
    }
  };
  Step::run(core_, {}, {}, std::move(then));
}

// --- as whom ---

void Roster::with_claimant(const std::shared_ptr<Client>& client, WithClaimant then) {
  const auto at = entering_.find(static_cast<std::uint64_t>(client->id));
  if (at != entering_.end()) {
    UniqueFunction<void()> next = [this, client, then = std::move(then)]() mutable { with_claimant(client, std::move(then)); };
    at->second.push_back(core_.later(std::move(next)));
    return;
  }
  if (client->bond != Bond::none) return then(Claimant{client->worker, client->session});
  // A key's own worker is tried as it is; whether it is registered is known by whether it may claim.
  if (!client->caller.worker.empty()) return then(Claimant{client->caller.worker, std::nullopt});
  with_anonymous(std::move(then));
}

void Roster::recover(const std::shared_ptr<Client>& client, const Claimant& lost, WithClaimant then) {
  if (lost.worker == anonymous_) {
    if (anonymous_session_ == lost.session) anonymous_session_.reset();
    return with_anonymous(std::move(then));
  }
  if (client->bond == Bond::registered)
    return then(Status::not_found(fmt::format("Worker not registered: {}", lost.worker.text())));
  unbind(*client);
  enlist(client, {.worker = lost.worker, .tools = std::nullopt, .tags = std::nullopt}, std::move(then));
}

void Roster::beat(const std::shared_ptr<Client>& client, const WorkerId& worker, std::string stats,
                  UniqueFunction<void(Result<store::BeatReply>)> then) {
  store::Beat beat;
  beat.ns = default_namespace();
  beat.worker = worker;
  if (client->bond != Bond::none && client->worker == worker) {
    beat.session = client->session;
    beat.held = core_.work_state->held_jobs().held_by(*client);
    if (beat.held.size() > limits::kSettleBatchMax) beat.held.resize(limits::kSettleBatchMax);
    noticed_[worker] = core_.now();
  }
  beat.stats = std::move(stats);
  auto told = [this, client, then = std::move(then)](Result<store::BeatReply> reply) mutable {
    if (reply.ok()) {
      look_into(reply->lost);
      core_.work_state->held_jobs().forget_earlier_claims(*client);
    }
    then(std::move(reply));
  };
  core_.ask(client->caller, std::move(beat), std::move(told));
}

void Roster::noticed(const Claimant& claimant) {
  const auto at = noticed_.find(claimant.worker);
  const Instant now = core_.now();
  if (at == noticed_.end() || now - at->second < kNoticedEvery) return;
  at->second = now;
  store::Beat beat;
  beat.ns = default_namespace();
  beat.worker = claimant.worker;
  beat.session = claimant.session;
  core_.ask(command::itself(), std::move(beat), [](const Result<store::BeatReply>&) {});
}

// --- ends ---

void Roster::end_pinged(const std::shared_ptr<Client>& client) {
  std::vector<LeaseRef> leases = core_.work_state->held_jobs().held_by(*client);
  store::Unregister goodbye;
  goodbye.ns = default_namespace();
  goodbye.worker = client->worker;
  goodbye.session = client->session;
  // Unregistering would hand the jobs back at no cost, and a job that kills its workers would go round for ever.
  std::string why = client->ended_because.empty()
                        ? fmt::format("worker '{}' disconnected while it held the job", client->worker.text())
                        : fmt::format("worker '{}' was disconnected: {}", client->worker.text(), client->ended_because);
  core_.work_state->held_jobs().give_up(std::move(leases), std::move(why), [this, goodbye = std::move(goodbye)]() mutable {
    core_.ask(command::itself(), std::move(goodbye), [](const Result<Worker>&) {});
  });
}

void Roster::left(const Client& client) {
  noticed_.erase(client.worker);
  entered(client.id);
}

// --- the anonymous worker ---

void Roster::with_anonymous(WithClaimant then) {
  if (anonymous_session_) return then(Claimant{anonymous_, anonymous_session_});
  anonymous_waiting_.push_back(core_.later(std::move(then)));
  if (anonymous_waiting_.size() > 1) return;
  auto known = [this](Result<Worker> worker) {
    if (!worker.ok() && worker.code() != Code::not_found) return anonymous_answered(worker.status());
    const bool live = worker.ok() && worker->state != WorkerState::offline;
    register_anonymous(live ? std::optional(worker->session) : std::nullopt);
  };
  try {
    core_.ask(command::itself(), command::WorkerGetRequest{.worker = anonymous_}, std::move(known));
  } catch (...) {
    anonymous_waiting_.clear();  // or everybody who comes later would wait for this answer
    throw;
  }
}

void Roster::register_anonymous(std::optional<SessionId> resume) {
  WorkerSpec spec = plain_spec(anonymous_);
  spec.slots = limits::kSlotsMax;
  spec.resume = resume;
  auto registered = [this, resume](Result<store::Registered> reply) {
    if (!reply.ok()) return anonymous_answered(reply.status());
    anonymous_beats_ = reply->policy.interval;
    anonymous_beat_at_ = core_.now() + anonymous_beats_;
    // What it holds was taken through connections of an earlier process.
    if (resume && *resume == reply->session) adopt({});
    anonymous_answered(reply->session);
  };
  core_.ask(command::itself(), command::WorkerRegisterRequest(std::move(spec)), std::move(registered));
}

void Roster::anonymous_answered(Result<SessionId> session) {
  if (session.ok()) {
    anonymous_session_ = *session;
    core_.work_state->arm();
  }
  std::vector<WithClaimant> waiting = std::move(anonymous_waiting_);
  anonymous_waiting_.clear();
  for (WithClaimant& then : waiting) {
    if (session.ok())
      then(Claimant{anonymous_, *session});
    else
      then(session.status());
  }
}

void Roster::adopt(std::string cursor) {
  store::JobQuery query;
  query.filter.ns = default_namespace();
  query.filter.worker = anonymous_;
  query.filter.states = {JobState::running};
  query.limit = limits::kPageMax;
  query.cursor = std::move(cursor);
  auto listed = [this](Result<store::JobPage> page) {
    if (!page.ok()) {
      log::warn("jobs of connections before the restart could not be listed; they end with their time-out",
                {{"code", std::string(to_string(page.code()))}});
      return;
    }
    for (const Job& job : page->jobs) {
      const Taken* taken = core_.work_state->held_jobs().find(job.id);
      if (taken == nullptr) core_.work_state->held_jobs().leave({job.id, job.fence});
    }
    if (!page->next.empty()) adopt(std::move(page->next));
  };
  core_.ask(command::itself(), std::move(query), std::move(listed));
}

void Roster::tick(Instant now) {
  if (!anonymous_session_ || now < anonymous_beat_at_) return;
  anonymous_beat_at_ = now + anonymous_beats_;
  beat_anonymous();
}

void Roster::beat_anonymous() {
  const std::vector<LeaseRef> held = core_.work_state->held_jobs().held_as(anonymous_);
  std::vector<store::Beat> batch;
  for (std::size_t first = 0; first == 0 || first < held.size(); first += limits::kSettleBatchMax) {
    store::Beat beat;
    beat.ns = default_namespace();
    beat.worker = anonymous_;
    beat.session = anonymous_session_;
    const std::size_t last = std::min(held.size(), first + limits::kSettleBatchMax);
    beat.held.assign(held.begin() + static_cast<std::ptrdiff_t>(first), held.begin() + static_cast<std::ptrdiff_t>(last));
    batch.push_back(std::move(beat));
  }
  auto told = [this, session = anonymous_session_](Result<store::Each<store::BeatReply>> replies) {
    if (!replies.ok()) return;  // the next beat comes well before the end of its time
    for (const auto& client : core_.clients->all()) core_.work_state->held_jobs().forget_earlier_claims(*client);
    for (const Result<store::BeatReply>& reply : *replies) {
      if (reply.ok()) {
        look_into(reply->lost);
      } else if (anonymous_session_ == session && (reply.code() == Code::not_found || reply.code() == Code::lease_lost)) {
        anonymous_session_.reset();  // the next pop registers it again
      }
    }
  };
  core_.ask_all(command::itself(), std::move(batch), std::move(told));
}

// --- flags ---

std::string flag_key(const WorkerId& worker, SessionId session) {
  return fmt::format("worker:{}:{}:flagged", worker.text(), to_number(session));
}

void Roster::look_into(const std::vector<LeaseRef>& lost) {
  struct Suspect {
    LeaseRef lease;
    WorkerId worker;
  };
  std::vector<Suspect> suspects;
  std::vector<command::JobGetRequest> jobs;
  for (const LeaseRef& lease : lost) {
    const Taken* taken = core_.work_state->held_jobs().find(lease.job);
    if (taken == nullptr || taken->fence != lease.fence) continue;
    if (taken->times_out_at && *taken->times_out_at <= core_.now() && jobs.size() < limits::kPageMax) {
      suspects.push_back({lease, taken->worker});
      jobs.push_back({lease.job});
    }
    core_.work_state->held_jobs().forget(lease);
  }
  if (jobs.empty()) return;
  auto judge = [this, suspects = std::move(suspects)](Result<store::Each<Job>> found) {
    if (!found.ok()) return;
    for (std::size_t i = 0; i < suspects.size(); ++i) {
      const Result<Job>& job = (*found)[i];
      if (!job.ok()) continue;
      const auto ended = std::find_if(job->attempts.begin(), job->attempts.end(), [&](const AttemptRecord& attempt) {
        return attempt.fence == suspects[i].lease.fence && attempt.error.kind == kErrorTimeout;
      });
      if (ended != job->attempts.end()) flag(suspects[i].worker, job->id);
    }
  };
  core_.ask_all(command::itself(), std::move(jobs), std::move(judge));
}

void Roster::flag(const WorkerId& worker, const JobId& job) {
  ++flagged_;
  log::warn("a job timed out; its worker is flagged", {{"worker_id", worker.text()}, {"job_id", job.text()}});
  if (worker == anonymous_) return;
  auto known = [this, job](Result<Worker> found) {
    if (!found.ok()) return;
    store::KeyBatch batch;
    batch.space = store::KeySpace::internal;
    store::key::Set set;
    set.key = flag_key(found->spec.id, found->session);
    set.value =
        fmt::format(R"({{"at":{},"cause":"{}","job_id":"job_{}"}})", to_ms(core_.now()) / 1000, kErrorTimeout, job.value.hex());
    set.expires_at = Instant(kWorkerFactsKept);
    set.relative = true;
    batch.commands.push_back(std::move(set));
    core_.ask(command::itself(), command::KeysWriteRequest{std::move(batch)}, [](const Result<command::KeysReply>&) {});
  };
  core_.ask(command::itself(), command::WorkerGetRequest{.worker = worker}, std::move(known));
}

}  // namespace muster::resp::work
