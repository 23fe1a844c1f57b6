// The shadow's half that hears what each commit changed, and judges every move.
#include <algorithm>

#include "tests/sim/shadow.h"

namespace muster::sim {
namespace {

std::int64_t whole_ms(Ticks length) { return std::chrono::duration_cast<Duration>(length).count(); }

}  // namespace

void Shadow::committed(const store::Committed& commit) {
  ++commits_;
  const bool only_claims = std::all_of(commit.jobs.begin(), commit.jobs.end(), [](const JobChange& c) {
    return c.event == JobEvent::claimed || c.event == JobEvent::due;
  });
  // A queue that is set to what it is writes nothing, so its change proves no sync.
  if (!only_claims || !commit.workers.empty()) synced_commit_ = commits_;
  for (const WorkerChange& c : commit.workers) worker_change(c, commit);
  for (const JobChange& c : commit.jobs) change(c, commit);
  judge_limits(commit);
}

void Shadow::worker_change(const WorkerChange& c, const store::Committed&) {
  trace_.line("  worker {} {} ({})", c.id.text(), to_string(c.to), c.cause);
  WorkerView& worker = workers_[{c.ns, c.id}];
  const Ticks now = clock_.elapsed();
  if (c.to == WorkerState::offline && c.cause == "silent" && worker.heard_at && now < *worker.heard_at + worker.dead_after)
    violate("rule 4 (silence)", fmt::format("{} declared silent {} ms after a beat; it has {} ms", c.id.text(),
                                            whole_ms(now - *worker.heard_at), worker.dead_after.count()));
  worker.told = c.to;
  worker.session = c.session;
  if (c.to != WorkerState::draining)
    worker.draining_since = 0;
  else if (worker.draining_since == 0)
    worker.draining_since = pump_;
}

void Shadow::judge_move(const JobView& job, const JobChange& c) {
  const bool due_again = c.event == JobEvent::due && job.softly_ready && job.told == JobState::ready;
  const bool due_untold = c.from == JobState::ready && job.may_be_due && job.told == JobState::scheduled;
  if (job.told && c.from && *job.told != *c.from && !due_again && !due_untold)
    violate("moves",
            fmt::format("j{} was {}, but its change starts from {}", job.number, to_string(*job.told), to_string(*c.from)));
  if (!c.from || next(*c.from, c.event) != c.to)
    violate("moves", fmt::format("j{}: {} on {} to {} is not a legal move", job.number, c.from ? to_string(*c.from) : "nothing",
                                 to_string(c.event), to_string(c.to)));
  if (c.from == JobState::running && c.fence != Fence{} && c.fence != job.told_fence)
    violate("rule 2 (one owner)", fmt::format("j{} left its run under fence {}, it was claimed under {}", job.number,
                                              to_number(c.fence), to_number(job.told_fence)));
  if (job.cancel_acknowledged && c.from == JobState::running && c.event != JobEvent::completed && c.to != JobState::cancelled)
    violate("store promise (cancel)", fmt::format("j{} was asked to stop and went on as {}", job.number, to_string(c.to)));
}

void Shadow::judge_claimed(const JobView& job, const JobChange& c) {
  if (c.fence <= job.told_fence)
    violate("rule 2 (fences grow)",
            fmt::format("j{} claimed under fence {} after {}", job.number, to_number(c.fence), to_number(job.told_fence)));
  if (job.completed_with)
    violate("rule 2 (exactly-once completion)", fmt::format("j{} claimed after its completion", job.number));
  if (!job.spec) return;
  for (const JobId& before : job.spec->after)
    if (const JobView* other = find(before); other != nullptr && !other->ever_finished && !job.redriven)
      violate("dependencies", fmt::format("j{} claimed before j{} finished", job.number, other->number));
  const std::pair queue{job.spec->ns, job.spec->queue};
  if (const auto at = settings_.find(queue); at != settings_.end() && at->second.paused && settings_since_[queue] < pump_)
    violate("pause", fmt::format("j{} claimed from paused {}", job.number, job.spec->queue.text()));
}

void Shadow::judge_lost(JobView& job, const JobChange& c, const store::Committed& commit) {
  ++job.lost_seen;
  ++tally_.rescued;
  const WorkerView& worker = workers_[{c.lane->ns, job.worker}];
  const Ticks now = clock_.elapsed();
  const bool held = job.granted == job.told_fence && now < job.lease_until;
  for (const WorkerChange& w : commit.workers)
    if (held && w.id == job.worker && w.ns == c.lane->ns && w.to == WorkerState::offline &&
        (w.cause == "drained" || w.cause == "unregistered"))
      violate("rule 6 (drain)", fmt::format("j{} lost because {} was {}", job.number, w.id.text(), w.cause));
  const bool gone = worker.told == WorkerState::offline || worker.session != job.grant_session;
  if (!gone && held)
    violate("rule 4 (silence)", fmt::format("j{} lost {} ms before its lease ended, {} is live", job.number,
                                            whole_ms(job.lease_until - now), job.worker.text()));
  if (job.spec && job.lost_seen > job.spec->rescues_max)
    violate("rule 5 (rescue budget)",
            fmt::format("j{} rescued {} times of {}", job.number, job.lost_seen, job.spec->rescues_max));
}

void Shadow::judge_failed(JobView& job, const JobChange& c) {
  if (c.cause == kErrorTimeout && job.spec && job.granted == job.told_fence &&
      (!job.spec->timeout || clock_.elapsed() < job.granted_at + *job.spec->timeout))
    violate("timeout", fmt::format("j{} timed out after {} ms", job.number, whole_ms(clock_.elapsed() - job.granted_at)));
  if (!job.spec) return;
  const RetryPolicy& retry = job.spec->retry;
  if (c.event == JobEvent::failed) {
    if (++job.failed_seen >= retry.attempts_max)
      violate("rule 5 (retry budget)",
              fmt::format("j{} goes on after {} failures of {}", job.number, job.failed_seen, retry.attempts_max));
    return;
  }
  const bool banned = c.cause == "fatal" ||
                      std::find(retry.non_retryable.begin(), retry.non_retryable.end(), c.cause) != retry.non_retryable.end();
  if (banned || !job.counts_known) return;
  if (c.cause == kErrorRescueFailed || c.cause == kErrorWorkerLost) {
    if (job.lost_seen < job.spec->rescues_max)
      violate("rule 5 (rescue budget)",
              fmt::format("j{} dead after {} rescues of {}", job.number, job.lost_seen, job.spec->rescues_max));
  } else if (job.failed_seen + 1 < retry.attempts_max) {
    violate("rule 5 (retry budget)",
            fmt::format("j{} dead ({}) after {} failures of {}", job.number, c.cause, job.failed_seen + 1, retry.attempts_max));
  }
}

void Shadow::change(const JobChange& c, const store::Committed& commit) {
  JobView& job = view(c.id);
  trace_.line("  j{} {} -> {} fence {} {} {}", job.number, to_string(c.event), to_string(c.to), to_number(c.fence),
              c.worker.text(), c.cause);
  if (c.event == JobEvent::enqueued) {
    if (job.told) violate("moves", fmt::format("j{} was enqueued twice", job.number));
    job.told = c.to;
    job.enqueued_at = c.at;
    return;
  }
  if (c.event == JobEvent::pruned) {
    if (job.told && !is_finished(*job.told))
      violate("rule 1 (retention)", fmt::format("j{} pruned while {}", job.number, to_string(*job.told)));
    job.pruned = true;
    return;
  }
  judge_move(job, c);
  switch (c.event) {
    case JobEvent::claimed:
      judge_claimed(job, c);
      job.fence_before_claim = job.told_fence;
      job.claimed_in = commits_;
      job.told_fence = c.fence;
      job.worker = c.worker;
      // In a commit that also changes its worker the claim may belong to the session before.
      job.grant_session = std::any_of(commit.workers.begin(), commit.workers.end(),
                                      [&](const WorkerChange& w) { return w.id == c.worker && w.ns == c.lane->ns; })
                              ? SessionId{}
                              : workers_[{c.lane->ns, c.worker}].session;
      break;
    case JobEvent::completed:
      if (job.completed_with && *job.completed_with != c.fence)
        violate("rule 2 (exactly-once completion)", fmt::format("j{} completed twice", job.number));
      if (job.granted == c.fence && job.lease_ends && clock_.elapsed() >= *job.lease_ends)
        violate("rule 2 (lease)", fmt::format("j{} completed {} ms after its lease ended", job.number,
                                              whole_ms(clock_.elapsed() - *job.lease_ends)));
      job.completed_with = c.fence;
      ++tally_.completed;
      break;
    case JobEvent::failed:
    case JobEvent::exhausted: judge_failed(job, c); break;
    case JobEvent::lost: judge_lost(job, c, commit); break;
    case JobEvent::due:
      if (job.spec && job.failed_seen == 0 && !job.redriven && job.told_fence == Fence{} && c.at < job.not_before)
        violate("due time", fmt::format("j{} became due {} ms early", job.number, (job.not_before - c.at).count()));
      break;
    case JobEvent::expired:
      if (job.spec && !job.redriven && (!job.spec->expires_in || (job.expires_not_before && c.at < *job.expires_not_before)))
        violate("expiry", fmt::format("j{} expired early", job.number));
      break;
    case JobEvent::redriven:
      job.redriven = true;
      job.counts_known = true;
      job.failed_seen = job.lost_seen = 0;
      job.cancel_acknowledged = false;
      job.finished_at.reset();
      break;
    case JobEvent::enqueued:
    case JobEvent::released:
    case JobEvent::snoozed:
    case JobEvent::cancelled:
    case JobEvent::pruned: break;
  }
  job.softly_ready = c.event == JobEvent::due;
  job.may_be_due = false;
  if (c.to == JobState::running)
    running_.insert(c.id);
  else
    running_.erase(c.id);
  job.told = c.to;
  if (is_finished(c.to)) {
    job.finished_at = c.at;
    job.ever_finished = true;
    if (c.to == JobState::dead) ++tally_.dead;
    if (c.to == JobState::cancelled) ++tally_.cancelled;
  }
}

void Shadow::judge_limits(const store::Committed& commit) {
  // A commit is one instant: caps hold when it is over, and only a claim can break them.
  for (const JobChange& c : commit.jobs) {
    if (c.event != JobEvent::claimed) continue;
    const JobView& job = view(c.id);
    if (!job.spec || job.told != JobState::running) continue;
    std::uint32_t of_key = 0, of_queue = 0, of_type = 0, of_worker = 0;
    for (const JobId& id : running_) {
      const JobView& other = view(id);
      if (!other.spec || other.spec->ns != job.spec->ns) continue;
      if (job.spec->concurrency && other.spec->concurrency && other.spec->concurrency->key == job.spec->concurrency->key)
        ++of_key;
      if (other.spec->queue == job.spec->queue) ++of_queue;
      if (other.spec->queue == job.spec->queue && other.spec->type == job.spec->type) ++of_type;
      if (other.worker == job.worker) ++of_worker;
    }
    if (job.spec->concurrency && of_key > job.spec->concurrency->limit)
      violate("concurrency key",
              fmt::format("{} jobs run under {}, {} may", of_key, job.spec->concurrency->key, job.spec->concurrency->limit));
    const WorkerView& worker = workers_[{job.spec->ns, job.worker}];
    if (!worker.possible.empty() && of_worker > worker.possible.front().second.slots)
      violate("slots", fmt::format("{} runs {} jobs of {}", job.worker.text(), of_worker, worker.possible.front().second.slots));
    const std::pair queue{job.spec->ns, job.spec->queue};
    const auto at = settings_.find(queue);
    if (at == settings_.end() || settings_since_[queue] >= pump_) continue;
    if (at->second.running_max && of_queue > *at->second.running_max)
      violate("queue cap", fmt::format("{} jobs of {} run, {} may", of_queue, queue.second.text(), *at->second.running_max));
    const auto cap = at->second.running_max_by_type.find(job.spec->type.text());
    if (cap != at->second.running_max_by_type.end() && of_type > cap->second)
      violate("type cap", fmt::format("{} jobs of {} run, {} may", of_type, job.spec->type.text(), cap->second));
  }
}

}  // namespace muster::sim
