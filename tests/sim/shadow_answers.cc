// The shadow's half that hears requests and acknowledged answers.
#include <algorithm>

#include "tests/sim/shadow.h"

namespace muster::sim {
namespace {

bool names_queue(const std::vector<QueueName>& queues, const QueueName& queue) {
  return queues.empty() || std::find(queues.begin(), queues.end(), queue) != queues.end();
}

}  // namespace

void Shadow::violate(std::string_view rule, std::string text) {
  trace_.line("VIOLATION {}: {}", rule, text);
  if (!violation_) violation_ = fmt::format("{}: {}", rule, text);
}

std::uint32_t Shadow::number(const JobId& id) const {
  const JobView* job = find(id);
  return job == nullptr ? 0 : job->number;
}

const Shadow::JobView* Shadow::find(const JobId& id) const {
  const auto at = jobs_.find(id);
  return at == jobs_.end() ? nullptr : &at->second;
}

Shadow::JobView& Shadow::view(const JobId& id) {
  JobView& job = jobs_[id];
  if (job.number == 0) {
    job.number = static_cast<std::uint32_t>(jobs_.size());
    job.id = id;
    by_number_.emplace(job.number, id);
  }
  return job;
}

void Shadow::code_answered(std::string_view verb, const Status& status) {
  if (status.code() == Code::internal || status.code() == Code::corrupt || status.code() == Code::unauthenticated ||
      status.code() == Code::permission_denied)
    violate("store promise (codes)", fmt::format("{} answered {}", verb, status.text()));
}

void Shadow::group_failed() {
  for (auto& [id, job] : jobs_) {
    job.lease_ends.reset();
    job.granted_at = Ticks::min();
    job.may_be_due |= job.told == JobState::scheduled;
  }
}

void Shadow::enqueue_sent(const std::vector<JobSpec>& jobs) {
  for (const JobSpec& job : jobs)
    if (!job.idempotency_key.empty()) ++keys_[{job.ns, job.idempotency_key}].sent;
}

void Shadow::enqueue_answered(const std::vector<JobSpec>& jobs, Instant sent_at,
                              const Result<std::vector<store::Enqueued>>& answer) {
  if (!answer.ok()) {
    code_answered("enqueue", answer.status());
    // Every code but outcome_unknown promises that nothing was written.
    for (const JobSpec& job : jobs)
      if (!job.idempotency_key.empty() && answer.code() != Code::outcome_unknown) ++keys_[{job.ns, job.idempotency_key}].refused;
    return;
  }
  if (answer->size() != jobs.size())
    return violate("store promise (batches)", fmt::format("{} answers for {} jobs", answer->size(), jobs.size()));
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    const JobSpec& spec = jobs[i];
    const store::Enqueued& entry = (*answer)[i];
    JobView& job = view(entry.id);
    if (!job.acknowledged) ++tally_.acknowledged;
    job.acknowledged = true;
    if (!entry.existed) {
      job.spec = spec;
      // The wall clock may step back between the request and its turn, and again before the answer.
      const Instant accepted = std::min(sent_at, job.enqueued_at);
      job.not_before = spec.run_at.value_or(accepted + spec.delay);
      if (spec.expires_in) job.expires_not_before = accepted + *spec.expires_in;
    }
    if (spec.idempotency_key.empty()) continue;
    KeyView& key = keys_[{spec.ns, spec.idempotency_key}];
    if (key.job && *key.job != entry.id && !view(*key.job).pruned && !may_be_pruned(view(*key.job), clock_.now()))
      violate("rule 1 (idempotency)",
              fmt::format("key {} stands for j{} and j{}", spec.idempotency_key, number(*key.job), job.number));
    if (entry.existed && !key.job && !spec.unique && key.sent <= key.refused + 1)
      violate(
          "store promise (unavailable)",
          fmt::format("key {} existed although every earlier request was answered 'nothing was written'", spec.idempotency_key));
    if (!spec.unique || !entry.existed) key.job = entry.id;
  }
}

void Shadow::judge_able(const store::ClaimRequest& request, const Grant& grant, const JobView& job) {
  const WorkerView& worker = workers_[{request.ns, request.worker}];
  if (worker.draining_since != 0 && worker.draining_since < pump_)
    violate("rule 6 (drain)", fmt::format("j{} granted to draining {}", job.number, request.worker.text()));
  if (!job.spec) return;
  const CapabilitySet needs = plain_needs(*job.spec);
  const bool able = std::any_of(worker.possible.begin(), worker.possible.end(), [&](const auto& entry) {
    const WorkerSpec& spec = entry.second;
    return spec.ns == job.spec->ns && offered(spec).covers(needs) && names_queue(spec.queues, job.spec->queue);
  });
  if (!able || !names_queue(request.queues, grant.queue) || (request.narrow && !request.narrow->covers(job.spec->needs)))
    violate("rule 3 (ability)", fmt::format("j{} needing [{}] in {} granted to {}", job.number, fmt::join(needs.names(), " "),
                                            grant.queue.text(), request.worker.text()));
}

void Shadow::claim_answered(const store::ClaimRequest& request, const Result<store::ClaimReply>& answer) {
  if (!answer.ok()) return code_answered("claim", answer.status());
  if (answer->grants.size() > request.limit)
    violate("store promise (claim limit)", fmt::format("{} grants for limit {}", answer->grants.size(), request.limit));
  const Instant now = clock_.now();
  for (const Grant& grant : answer->grants) {
    JobView& job = view(grant.id);
    ++tally_.granted;
    judge_able(request, grant, job);
    if (job.completed_with)
      violate("rule 2 (exactly-once completion)", fmt::format("j{} granted again after its completion", job.number));
    if (grant.fence <= newest_fence_)
      violate("rule 2 (fences grow)", fmt::format("j{} granted with fence {}, newest was {}", job.number, to_number(grant.fence),
                                                  to_number(newest_fence_)));
    if (grant.lease_expires_at <= now)
      violate("rule 2 (lease)", fmt::format("j{} granted with a lease that is over", job.number));
    if (job.spec && grant.attempt > job.spec->retry.attempts_max + job.spec->rescues_max)
      violate("rule 5 (budgets)", fmt::format("j{} attempt {} of {}", job.number, grant.attempt, job.spec->retry.attempts_max));
    if (job.spec && grant.payload != job.spec->payload)
      violate("rule 1 (content)", fmt::format("j{} granted with another payload", job.number));
    newest_fence_ = std::max(newest_fence_, grant.fence);
    job.granted = grant.fence;
    job.granted_at = clock_.elapsed();
    job.ttl = grant.lease_expires_at - now;
    job.lease_until = monotonic(grant.lease_expires_at);
    job.lease_ends = job.lease_until + kCatchUpMax;
  }
}

void Shadow::outcome_answered(store::Verb outcome, const LeaseRef& lease, const Result<store::Settled>& answer) {
  if (!answer.ok()) return code_answered("outcome", answer.status());
  JobView& job = view(lease.job);
  // A grant that died with its process leaves the job as the outcome before it did; repeating that outcome writes nothing.
  const bool repeat = outcome != store::Verb::complete && lease.fence == job.told_fence && job.told != JobState::running;
  if (lease.fence != job.granted && !repeat)
    violate("rule 2 (one owner)", fmt::format("an outcome of j{} with fence {} was accepted, newest is {}", job.number,
                                              to_number(lease.fence), to_number(job.granted)));
  if (outcome == store::Verb::complete) {
    if (job.completed_with && *job.completed_with != lease.fence)
      violate("rule 2 (exactly-once completion)", fmt::format("j{} completed with fences {} and {}", job.number,
                                                              to_number(*job.completed_with), to_number(lease.fence)));
    if (answer->state != JobState::completed)
      violate("rule 2 (outcomes)", fmt::format("complete of j{} answered {}", job.number, to_string(answer->state)));
    job.completed_with = lease.fence;
  } else if (job.completed_with) {
    violate("rule 2 (exactly-once completion)", fmt::format("j{} is completed and took another outcome", job.number));
  }
}

void Shadow::renewal_answered(const LeaseRef& lease, const Result<store::Renewed>& answer) {
  if (!answer.ok()) return code_answered("renew", answer.status());
  JobView& job = view(lease.job);
  if (lease.fence != job.granted)
    return violate("rule 2 (one owner)", fmt::format("a renewal of j{} with fence {} was accepted, newest is {}", job.number,
                                                     to_number(lease.fence), to_number(job.granted)));
  job.lease_until = monotonic(answer->expires_at);
  job.lease_ends = job.lease_until + kCatchUpMax;
}

void Shadow::cancel_answered(const JobId& id, const Result<store::Cancelled>& answer) {
  if (!answer.ok()) return code_answered("cancel", answer.status());
  JobView& job = view(id);
  if (answer->state == JobState::running && job.told == JobState::running) job.cancel_acknowledged = true;
}

void Shadow::redrive_sent(const std::vector<JobId>& jobs) {
  if (jobs.empty()) redrive_any_open_ = true;
  for (const JobId& id : jobs) view(id).redrive_open = true;
}

void Shadow::redrive_answered(const std::vector<JobId>& jobs) {
  if (jobs.empty()) redrive_any_open_ = false;
  for (const JobId& id : jobs) view(id).redrive_open = false;
}

std::uint64_t Shadow::register_sent(const WorkerSpec& spec) {
  workers_[{spec.ns, spec.id}].possible.emplace_back(++registrations_, spec);
  return registrations_;
}

void Shadow::register_answered(std::uint64_t sent, Ticks sent_at, const WorkerSpec& spec,
                               const Result<store::Registered>& answer) {
  WorkerView& worker = workers_[{spec.ns, spec.id}];
  if (!answer.ok()) {
    code_answered("register", answer.status());
    if (answer.code() != Code::outcome_unknown)
      std::erase_if(worker.possible, [&](const auto& entry) { return entry.first == sent; });
    return;
  }
  std::erase_if(worker.possible, [&](const auto& entry) { return entry.first < sent; });
  worker.heard_at = sent_at;
  worker.dead_after = answer->policy.dead_after;
  worker.session = answer->session;
}

void Shadow::beat_answered(const store::Beat& beat, Ticks sent_at, const Result<store::BeatReply>& answer) {
  if (!answer.ok()) return code_answered("heartbeat", answer.status());
  const Ticks now = clock_.elapsed();
  WorkerView& worker = workers_[{beat.ns, beat.worker}];
  worker.heard_at = sent_at;
  for (const JobId& id : running_) {
    JobView& job = view(id);
    if (job.worker != beat.worker || job.granted != job.told_fence || (job.spec && job.spec->ns != beat.ns)) continue;
    // A lease is gone at its instant; a beat does not bring it back. After a restart the end is not known, and with it whether
    // this beat counts. It was heard at some time between its being sent and answered.
    if (now < job.lease_until) job.lease_until = std::max<Ticks>(job.lease_until, sent_at + job.ttl);
    if (sent_at >= job.lease_until) continue;
    if (job.lease_ends) job.lease_ends = std::max<Ticks>(*job.lease_ends, now + job.ttl + kCatchUpMax);
  }
}

void Shadow::queue_sent(const QueueChange& change) { settings_.erase({change.ns, change.queue}); }

void Shadow::queue_answered(const Result<QueueStats>& answer) {
  if (!answer.ok()) return code_answered("change_queue", answer.status());
  settings_[{answer->ns, answer->queue}] = answer->settings;
  settings_since_[{answer->ns, answer->queue}] = pump_;
}

}  // namespace muster::sim
