// One pass over due things each. A timer entry is only a hint: the job itself says whether its time has come.
//
// Leases, time-outs, silence and drains are judged by listened time; what the caller named as an instant by the wall clock.
#include <algorithm>

#include "store/sqlite/due_times.h"
#include "store/sqlite/verbs/verbs.h"

namespace muster::store::sqlite {
namespace {

std::optional<Instant> wall(const Core&, std::optional<Instant> at) { return at; }
std::optional<Instant> wall(const Core& core, std::optional<Ticks> at) {
  return at ? std::optional(core.wall(*at)) : std::nullopt;
}

// Walks the entries of `timers` that are due at `now`; `due_at` tells when a job is really due (nullopt: not any more), `act`
// moves it.
template <class Time, class DueAt, class Act>
SweepReport pass(Core& core, TimersOf<Time>& timers, Time now, std::size_t limit, DueAt due_at, Act act) {
  SweepReport report;
  while (report.moved < limit) {
    const auto key = timers.pop(now);
    if (!key) break;
    HotJob* job = core.find(*key);
    if (job == nullptr) continue;
    const std::optional<Time> at = due_at(*job);
    if (!at) continue;
    if (*at > now) {
      timers.add(*at, *key);
      continue;
    }
    act(*key, *job);
    ++report.moved;
  }
  const std::optional<Time> next = timers.next();
  report.next_due = wall(core, next);
  report.more = next && *next <= now;
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
  std::optional<Ticks> out;
  for (const auto& [name, key] : core.workers.ordered())
    if (const std::optional<Ticks> at = when(*core.workers.find(key))) out = std::min(out.value_or(*at), *at);
  return wall(core, out);
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
  return pass(core, core.leases, core.listened, limit, lease_end, [&core](JobKey key, HotJob& job) {
    const HotWorker* worker = core.workers.find(job.running->worker);
    core.lose(key, job, jobs::lease_expired(worker != nullptr ? worker->worker.spec.id.text() : std::string()));
  });
}

SweepReport time_out_jobs(Core& core, std::size_t limit) {
  return pass(core, core.timeouts, core.listened, limit, time_out, [&core](JobKey key, HotJob& job) {
    core.fail_attempt(key, job, {.lease = {}, .error = jobs::timed_out(core.now - job.running->started_at)});
  });
}

SweepReport expire_waiting(Core& core, std::size_t limit) {
  return pass(
      core, core.expiries, core.now, limit,
      [&core](const HotJob& job) -> std::optional<Instant> {
        if (!job.wishes || !job.wishes->expires_at) return std::nullopt;
        const Wishes& wishes = *job.wishes;
        if (job.state != JobState::running) return wishes.expires_at;
        // While it runs only its deadline ends it; if it comes back to waiting before that, it expires then.
        const Instant again = std::max(*wishes.expires_at, core.now + Duration(1'000));
        return wishes.deadline ? std::min(*wishes.deadline, again) : again;
      },
      [&core](JobKey key, HotJob& job) {
        core.move(key, job, jobs::expire(core.standing(key, job), job.wishes->deadline, core.now));
      });
}

SweepReport end_preferences(Core& core, std::size_t limit) {
  return pass(core, core.preferences, core.now, limit, preference_end,
              [&core](JobKey key, HotJob& job) { core.place(key, job); });
}

SweepReport bury_silent_workers(Core& core, std::size_t limit) {
  const auto silent =
      workers_where(core, limit, [&core](const HotWorker& worker) { return worker.live() && worker.dead_at() <= core.listened; });
  SweepReport report;
  for (const WorkerKey key : silent) {
    if (report.moved == limit) {
      report.more = true;
      break;
    }
    HotWorker& worker = *core.workers.find(key);
    const JobError error =
        jobs::worker_silent(worker.worker.spec.id, std::chrono::floor<Duration>(core.listened - worker.heard_at));
    const bool all = leases_end_with_silence(worker.worker.spec.dialect);
    for (const JobKey key_of_job : worker.leases_in_order())
      if (HotJob& job = *core.find(key_of_job); all || job.running->lease_ends <= core.listened)
        core.lose(key_of_job, job, error);
    core.take_offline(worker, "silent");
    ++report.moved;
  }
  report.next_due =
      earliest(core, [](const HotWorker& worker) { return worker.live() ? std::optional(worker.dead_at()) : std::nullopt; });
  return report;
}

SweepReport end_drains(Core& core, std::size_t limit) {
  const auto deadline = [](const HotWorker& worker) {
    return worker.worker.state == WorkerState::draining ? worker.drain_ends : std::nullopt;
  };
  const auto over =
      workers_where(core, limit, [&](const HotWorker& worker) { return deadline(worker) && *deadline(worker) <= core.listened; });
  SweepReport report;
  for (const WorkerKey key : over) {
    if (report.moved == limit) {
      report.more = true;
      break;
    }
    HotWorker& worker = *core.workers.find(key);
    for (const JobKey job : worker.leases_in_order()) core.hand_back(job, *core.find(job));
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
