// The shadow's half that is shown what the store holds: after a crash, at quiet moments, and at the end.
#include <algorithm>

#include "tests/sim/shadow.h"

namespace muster::sim {

bool Shadow::retention_by_count() const { return retention_.finished_count_max < limits::kFinishedCountDefault; }

bool Shadow::may_be_pruned(const JobView& job, Instant now) const {
  if (job.pruned) return true;
  // A crash can hide that a job finished and was pruned in the last group, which only the bound by count can do at once.
  if (retention_by_count() && job.told == JobState::running && !job.counts_known) return true;
  if (!job.finished_at) return false;
  const Duration kept = job.told == JobState::dead ? retention_.dead_kept : retention_.completed_kept;
  return retention_by_count() || now >= *job.finished_at + kept;
}

void Shadow::crashed() {
  ++tally_.crashes;
  seen_.clear();
  running_.clear();
  for (auto& [id, job] : jobs_) {
    job.counts_known = false;
    job.lease_ends.reset();  // a restart may give leases more time, never less
    job.granted_at = Ticks::min();
  }
}

void Shadow::seen_after_crash(const Job& now_job, Instant now) {
  const bool known = jobs_.contains(now_job.id);
  JobView& job = view(now_job.id);
  seen_.insert(now_job.id);
  if (!known) {
    job.spec = now_job.spec;
    job.not_before = now_job.created_at;
  }
  if (!job.spec) job.spec = now_job.spec;
  if (const auto key = keys_.find({now_job.spec.ns, now_job.spec.idempotency_key});
      key != keys_.end() && !key->second.job && key->second.sent == key->second.refused)
    violate("store promise (unavailable)",
            fmt::format("j{} with key {} is there although every request for it was answered 'nothing was written'", job.number,
                        now_job.spec.idempotency_key));
  if (job.completed_with && now_job.state != JobState::completed)
    violate("rule 2 (exactly-once completion)",
            fmt::format("j{} was completed and is {} after the crash", job.number, to_string(now_job.state)));
  if (job.told && is_finished(*job.told) && now_job.state != *job.told && !job.redrive_open && !redrive_any_open_)
    violate("rule 1 (crash)",
            fmt::format("j{} was {} and is {} after the crash", job.number, to_string(*job.told), to_string(now_job.state)));
  // A claim alone is not synced: until something else is, losing it with the machine is a redelivery.
  const bool claim_lost = job.claimed_in > synced_commit_ && now_job.fence == job.fence_before_claim;
  if (now_job.fence < job.told_fence && !claim_lost)
    violate("rule 2 (fences grow)", fmt::format("j{} had fence {} and has {} after the crash", job.number,
                                                to_number(job.told_fence), to_number(now_job.fence)));
  if (now_job.rescues > now_job.spec.rescues_max)
    violate("rule 5 (rescue budget)",
            fmt::format("j{} has {} rescues of {}", job.number, now_job.rescues, now_job.spec.rescues_max));
  if (now_job.spec.payload != job.spec->payload || now_job.spec.queue != job.spec->queue || now_job.spec.type != job.spec->type ||
      now_job.spec.priority != job.spec->priority || now_job.spec.labels != job.spec->labels ||
      now_job.spec.needs != job.spec->needs || now_job.spec.retry.attempts_max != job.spec->retry.attempts_max ||
      now_job.spec.correlation != job.spec->correlation)
    violate("rule 1 (content)", fmt::format("j{} is not what was acknowledged", job.number));
  if (now_job.state == JobState::completed) job.completed_with = now_job.fence;
  if (is_finished(now_job.state)) {
    job.ever_finished = true;
    if (!job.finished_at) job.finished_at = now_job.finished_at.value_or(now);
  } else {
    job.finished_at.reset();
  }
  // A redrive whose commit survived but was never told starts the budgets over.
  if (job.told && is_finished(*job.told) && !is_finished(now_job.state)) {
    job.redriven = true;
    job.failed_seen = 0;
    job.cancel_acknowledged = false;
  }
  job.lost_seen = std::max(now_job.rescues, std::uint32_t{0});
  // A listing shows a job whose time has come as ready even where nothing has moved it yet.
  job.softly_ready = now_job.state == JobState::ready && now_job.run_at.has_value();
  job.may_be_due = now_job.state == JobState::scheduled;
  job.told = now_job.state;
  job.told_fence = now_job.fence;
  job.worker = now_job.worker;
  if (now_job.state == JobState::running) {
    running_.insert(now_job.id);
    job.grant_session = workers_[{now_job.spec.ns, now_job.worker}].session;
    // A run whose grant never left the old process has promised nobody anything.
    if (job.granted != now_job.fence) job.lease_until = Ticks::min();
  }
}

void Shadow::all_seen_after_crash() {
  const Instant now = clock_.now();
  for (auto& [id, job] : jobs_) {
    job.redrive_open = false;
    if (seen_.contains(id) || (!job.acknowledged && !job.told && job.granted == Fence{})) continue;
    if (!may_be_pruned(job, now))
      violate("rule 1 (no acknowledged work is lost)",
              fmt::format("j{} ({}) is gone after the crash", job.number, job.told ? to_string(*job.told) : "acknowledged"));
    job.pruned = true;
  }
  redrive_any_open_ = false;
}

void Shadow::seen(const JobId& id, const Result<Job>& answer) {
  JobView& job = view(id);
  if (!answer.ok()) {
    if (answer.code() == Code::not_found && (job.acknowledged || job.told) && !may_be_pruned(job, clock_.now()))
      violate("rule 1 (no acknowledged work is lost)",
              fmt::format("j{} ({}) is not found", job.number, job.told ? to_string(*job.told) : "acknowledged"));
    return code_answered("get", answer.status());
  }
  if (job.pruned) return violate("rule 1 (retention)", fmt::format("j{} was pruned and is back", job.number));
  const bool due_again = job.softly_ready && job.told == JobState::ready && answer->state == JobState::scheduled;
  const bool due_untold = job.may_be_due && job.told == JobState::scheduled && answer->state == JobState::ready;
  if ((!job.told || *job.told != answer->state) && !due_again && !due_untold)
    violate("rule 1 (reads)", fmt::format("j{} was told as {} and reads {}", job.number,
                                          job.told ? to_string(*job.told) : "nothing", to_string(answer->state)));
  if (answer->state == JobState::dead && (!answer->error || answer->error->kind.empty()))
    violate("rule 1 (reason)", fmt::format("j{} is dead without a reason", job.number));
  if (answer->state == JobState::running && answer->fence != job.told_fence)
    violate("rule 2 (one owner)", fmt::format("j{} runs under fence {} and was told {}", job.number, to_number(answer->fence),
                                              to_number(job.told_fence)));
}

void Shadow::counted(const std::vector<QueueStats>& queues) {
  constexpr std::size_t kSoft = 3;
  constexpr std::size_t kUntold = 4;
  std::map<std::pair<NamespaceName, QueueName>, std::array<std::uint64_t, 5>> counts;
  for (const auto& [id, job] : jobs_) {
    if (!job.told || is_finished(*job.told) || !job.spec) continue;
    auto& count = counts[{job.spec->ns, job.spec->queue}];
    ++count[static_cast<std::size_t>(*job.told)];
    if (job.softly_ready && job.told == JobState::ready) ++count[kSoft];
    if (job.may_be_due && job.told == JobState::scheduled) ++count[kUntold];
  }
  for (const QueueStats& queue : queues) {
    const auto& [scheduled, ready, running, soft, untold] = counts[{queue.ns, queue.queue}];
    const bool moved =
        queue.scheduled + queue.ready == scheduled + ready && queue.ready <= ready + untold && queue.ready + soft >= ready;
    if (!moved || queue.running != running)
      violate("counts",
              fmt::format("{}/{} says {} scheduled {} ready {} running, the changes add up to {} {} {}", queue.ns.text(),
                          queue.queue.text(), queue.scheduled, queue.ready, queue.running, scheduled, ready, running));
  }
}

std::vector<JobId> Shadow::unfinished() const {
  std::vector<JobId> out;
  for (const auto& [number, id] : by_number_) {
    const JobView& job = *find(id);
    if (!job.pruned && (job.acknowledged || job.told) && (!job.told || !is_finished(*job.told))) out.push_back(id);
  }
  return out;
}

void Shadow::finished_run() {
  for (const JobId& id : unfinished()) {
    const JobView& job = *find(id);
    violate("liveness", fmt::format("j{} is still {} with all faults off and able workers idle", job.number,
                                    job.told ? to_string(*job.told) : "unseen"));
  }
}

}  // namespace muster::sim
