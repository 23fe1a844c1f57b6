// One pass over due things each. A timer entry is only a hint: the job itself says whether its time has come.
#include <algorithm>

#include <fmt/format.h>

#include "store/codec/spec_text.h"
#include "store/sqlite/verbs/verbs.h"

namespace muster::store::sqlite {
namespace {

// Walks the due entries of `timers`; `due_at` tells when a job is really due (nullopt: not any more), `act` moves it.
template <class DueAt, class Act>
SweepReport pass(Core& core, Timers& timers, std::size_t limit, DueAt due_at, Act act) {
  SweepReport report;
  while (report.moved < limit) {
    const auto key = timers.pop(core.now);
    if (!key) break;
    HotJob* job = core.find(*key);
    if (job == nullptr) continue;
    const std::optional<Instant> at = due_at(*job);
    if (!at) continue;
    if (*at > core.now) {
      timers.add(*at, *key);
      continue;
    }
    act(*key, *job);
    ++report.moved;
  }
  report.next_due = timers.next();
  report.more = report.next_due && *report.next_due <= core.now;
  return report;
}

std::vector<WorkerKey> workers_where(Core& core, std::size_t limit, auto condition) {
  std::vector<WorkerKey> out;
  for (const auto& [name, key] : core.workers.ordered()) {
    if (out.size() > limit) break;
    if (condition(*core.workers.find(key))) out.push_back(key);
  }
  return out;
}

template <class When>
std::optional<Instant> earliest(Core& core, When when) {
  std::optional<Instant> out;
  for (const auto& [name, key] : core.workers.ordered())
    if (const std::optional<Instant> at = when(*core.workers.find(key))) out = std::min(out.value_or(*at), *at);
  return out;
}

}  // namespace

SweepReport promote_due(Core& core, std::size_t limit) {
  SweepReport report;
  report.moved = core.promote_due(limit);
  report.next_due = core.due.next();
  report.more = report.next_due && *report.next_due <= core.now;
  return report;
}

SweepReport expire_leases(Core& core, std::size_t limit) {
  return pass(
      core, core.leases, limit,
      [](const HotJob& job) { return job.running ? std::optional(job.running->lease_until) : std::nullopt; },
      [&core](JobKey key, HotJob& job) {
        const HotWorker* worker = core.workers.find(job.running->worker);
        core.lose(key, job,
                  {kErrorWorkerLost,
                   fmt::format("the lease of worker '{}' expired", worker != nullptr ? worker->worker.spec.id.text() : "?")});
      });
}

SweepReport time_out_jobs(Core& core, std::size_t limit) {
  return pass(
      core, core.timeouts, limit, [](const HotJob& job) { return job.running ? job.running->times_out_at : std::nullopt; },
      [&core](JobKey key, HotJob& job) {
        const Duration ran = core.now - job.running->started_at;
        core.fail_attempt(key, job, {kErrorTimeout, fmt::format("ran for {} ms, which is its timeout", ran.count())}, true,
                          std::nullopt);
      });
}

SweepReport expire_waiting(Core& core, std::size_t limit) {
  return pass(
      core, core.expiries, limit,
      [&core](const HotJob& job) -> std::optional<Instant> {
        if (!job.wishes || !job.wishes->expires_at) return std::nullopt;
        const Wishes& wishes = *job.wishes;
        if (job.state != JobState::running) return wishes.expires_at;
        // While it runs only its deadline ends it; if it comes back to waiting before that, it expires then.
        const Instant again = std::max(*wishes.expires_at, core.now + Duration(1'000));
        return wishes.deadline ? std::min(*wishes.deadline, again) : again;
      },
      [&core](JobKey key, HotJob& job) {
        const bool late = job.wishes->deadline && *job.wishes->deadline <= core.now;
        core.end_dead(key, job,
                      late ? JobError{kErrorDeadline, "it was not finished at its deadline"}
                           : JobError{kErrorExpired, "it was still waiting when it expired"});
      });
}

SweepReport end_preferences(Core& core, std::size_t limit) {
  return pass(
      core, core.preferences, limit,
      [](const HotJob& job) -> std::optional<Instant> {
        if (job.state != JobState::ready || job.lane == job.home || !job.wishes || job.wishes->waits_for_key) return std::nullopt;
        return job.wishes->prefer_until;
      },
      [&core](JobKey key, HotJob& job) { core.place(key, job); });
}

SweepReport bury_silent_workers(Core& core, std::size_t limit) {
  const auto silent = workers_where(
      core, limit, [&core](const HotWorker& worker) { return worker.live() && dead_at(worker.worker) <= core.now; });
  SweepReport report;
  for (const WorkerKey key : silent) {
    if (report.moved == limit) {
      report.more = true;
      break;
    }
    HotWorker& worker = *core.workers.find(key);
    const std::string message = fmt::format("worker '{}' was silent for {} ms", worker.worker.spec.id.text(),
                                            (core.now - worker.worker.last_seen_at).count());
    for (const JobKey job : worker.leases_in_order()) core.lose(job, *core.find(job), {kErrorWorkerLost, message});
    core.take_offline(worker, "silent");
    ++report.moved;
  }
  report.next_due = earliest(
      core, [](const HotWorker& worker) { return worker.live() ? std::optional(dead_at(worker.worker)) : std::nullopt; });
  return report;
}

SweepReport end_drains(Core& core, std::size_t limit) {
  const auto deadline = [](const HotWorker& worker) {
    return worker.worker.state == WorkerState::draining ? worker.worker.drain_deadline : std::nullopt;
  };
  const auto over =
      workers_where(core, limit, [&](const HotWorker& worker) { return deadline(worker) && *deadline(worker) <= core.now; });
  SweepReport report;
  for (const WorkerKey key : over) {
    if (report.moved == limit) {
      report.more = true;
      break;
    }
    HotWorker& worker = *core.workers.find(key);
    for (const JobKey job : worker.leases_in_order()) core.hand_back(job, *core.find(job), JobEvent::released);
    core.take_offline(worker, "drained");
    ++report.moved;
  }
  report.next_due = earliest(core, deadline);
  return report;
}

SweepReport prune_workers(Core& core, Duration offline_kept, std::size_t limit) {
  const auto old = workers_where(core, limit, [&](const HotWorker& worker) {
    return !worker.live() && worker.worker.offline_at && *worker.worker.offline_at + offline_kept <= core.now;
  });
  SweepReport report;
  for (const WorkerKey key : old) {
    if (report.moved == limit) {
      report.more = true;
      break;
    }
    core.sql.worker_delete.bind(1, key).run();
    core.group.wrote = true;
    core.workers.erase(key);
    ++report.moved;
  }
  return report;
}

}  // namespace muster::store::sqlite
