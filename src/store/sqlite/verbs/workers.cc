#include <algorithm>

#include <fmt/format.h>

#include "store/jobs/workers.h"
#include "store/refusals.h"
#include "store/sqlite/verbs/verbs.h"

namespace muster::store::sqlite {
namespace {

Result<HotWorker*> find_worker(Core& core, const NamespaceName& ns, const WorkerId& id) {
  const auto ns_row = core.namespace_row(ns);
  if (!ns_row.ok()) return ns_row.status();
  HotWorker* worker = core.workers.find(*ns_row, id);
  if (worker == nullptr) return refusal::no_worker(ns, id);
  return worker;
}

Result<HotWorker*> find_live(Core& core, const NamespaceName& ns, const WorkerId& id, const std::optional<SessionId>& session) {
  auto found = find_worker(core, ns, id);
  if (!found.ok()) return found;
  if (Status refused = jobs::live_session((*found)->worker, session); !refused.ok()) return refused;
  return found;
}

}  // namespace

Result<Registered> register_worker(Core& core, const WorkerSpec& spec) {
  const auto ns_row = core.namespace_row(spec.ns);
  if (!ns_row.ok()) return ns_row.status();
  HotWorker* existing = core.workers.find(*ns_row, spec.id);
  if (existing == nullptr && core.workers.size() >= limits::kWorkersMax) return refusal::too_many_workers(core.workers.size());
  if (core.fences.empty()) return Status::unavailable("no session number is free until the next commit; try again");

  const bool was_live = existing != nullptr && existing->live();
  const bool resumed = was_live && spec.resume && *spec.resume == existing->worker.session;
  if (was_live && !resumed)
    for (const JobKey key : existing->leases_in_order()) core.lose(key, *core.find(key), jobs::worker_replaced(spec.id));

  std::optional<WorkerState> from;
  if (existing != nullptr) from = existing->worker.state;
  HotWorker fresh;
  HotWorker& hot = existing != nullptr ? *existing : core.workers.add([&] {
    fresh.key = core.next_worker++;
    fresh.ns_row = *ns_row;
    fresh.worker.spec.id = spec.id;
    return std::move(fresh);
  }());
  Worker& worker = hot.worker;
  worker.spec = spec;
  worker.spec.resume.reset();
  if (!worker.spec.policy) worker.spec.policy = default_policy(spec.dialect);
  if (!resumed) {
    worker.session = SessionId{static_cast<std::uint64_t>(core.fences.take())};
    worker.registered_at = core.now;
    worker.completed = worker.failed = 0;
    worker.stats.clear();
    worker.state = WorkerState::online;
    jobs::forget_drain(worker);
    hot.drain_ends.reset();
  }
  core.heard(hot);
  worker.offline_at.reset();
  worker.offline_cause.clear();
  hot.lanes = core.lanes.lanes_of(offer_of(worker.spec));
  hot.narrowed = {};
  core.write_worker(hot);
  core.tell(hot, from, resumed ? "resumed" : was_live ? "replaced" : "registered");
  return Registered{spec.id, worker.session, *worker.spec.policy, was_live && !resumed};
}

Result<BeatReply> heartbeat(Core& core, const Beat& beat) {
  const auto found = find_live(core, beat.ns, beat.worker, beat.session);
  if (!found.ok()) return found.status();
  HotWorker& hot = **found;
  Worker& worker = hot.worker;
  core.heard(hot);
  if (!beat.stats.empty()) worker.stats = beat.stats;
  if (!beat.accepting && jobs::drains_itself(worker)) {
    core.write_worker(hot);
    core.tell(hot, WorkerState::online, worker.drain_reason);
  }
  BeatReply reply;
  reply.state = worker.state;
  reply.drain_deadline = worker.drain_deadline;
  reply.drain_reason = worker.drain_reason;
  reply.drain_origin = worker.drain_origin;
  reply.next_beat_in = worker.spec.policy->interval;
  reply.running = static_cast<std::uint32_t>(hot.leases.size());
  for (const JobKey key : hot.leases_in_order()) {
    HotJob& job = *core.find(key);
    Running& running = *job.running;
    // An expired lease stays expired, whether or not the sweep has seen it.
    if (running.lease_ends <= core.listened) continue;
    if (beat.lengthens && running.lease_ttl != worker.spec.policy->dead_after)
      running.lease_ends = std::max<Ticks>(running.lease_ends, std::min<Ticks>(running.lease_ends + beat.lengthens->by,
                                                                               core.listened + beat.lengthens->ahead_max));
    running.lease_ends = std::max<Ticks>(running.lease_ends, core.listened + running.lease_ttl);
    if ((job.flags & kCancelRequested) != 0) reply.cancel.push_back({core.ids.encode(key), running.fence});
  }
  for (const LeaseRef& lease : beat.held) {
    const auto key = core.ids.decode(lease.job);
    const HotJob* job = key ? core.find(*key) : nullptr;
    const bool own = job != nullptr && job->running && job->running->fence == lease.fence && job->running->worker == hot.key &&
                     job->running->lease_ends > core.listened;
    if (!own) reply.lost.push_back(lease);
  }
  return reply;
}

Result<Worker> drain(Core& core, const Drain& item) {
  const auto found = find_live(core, item.ns, item.worker, std::nullopt);
  if (!found.ok()) return found.status();
  HotWorker& hot = **found;
  const WorkerState from = hot.worker.state;
  if (!jobs::drained(hot.worker, item, core.now)) return core.snapshot(hot);
  hot.drain_ends.reset();
  if (hot.worker.drain_deadline) hot.drain_ends = core.listened + item.deadline;
  core.write_worker(hot);
  if (from != WorkerState::draining) core.tell(hot, from, item.reason);
  return core.snapshot(hot);
}

Result<Worker> resume(Core& core, const Resume& item) {
  const auto found = find_live(core, item.ns, item.worker, std::nullopt);
  if (!found.ok()) return found.status();
  HotWorker& hot = **found;
  const WorkerState from = hot.worker.state;
  const auto changed = jobs::resumed(hot.worker, item);
  if (!changed.ok()) return changed.status();
  if (!*changed) return core.snapshot(hot);
  hot.drain_ends.reset();
  core.write_worker(hot);
  if (from != hot.worker.state) core.tell(hot, from, jobs::kBackToWork);
  return core.snapshot(hot);
}

Result<Worker> unregister(Core& core, const Unregister& item) {
  const auto known = find_worker(core, item.ns, item.worker);
  if (!known.ok()) return known.status();
  // Saying goodbye again, after an answer that did not arrive, is fine.
  if (!(*known)->live() && (!item.session || *item.session == (*known)->worker.session)) return core.snapshot(**known);
  const auto found = find_live(core, item.ns, item.worker, item.session);
  if (!found.ok()) return found.status();
  HotWorker& hot = **found;
  for (const JobKey key : hot.leases_in_order()) core.hand_back(key, *core.find(key));
  core.take_offline(hot, "unregistered");
  return core.snapshot(hot);
}

Result<Worker> get_worker(Core& core, const NamespaceName& ns, const WorkerId& id) {
  const auto found = find_worker(core, ns, id);
  if (!found.ok()) return found.status();
  return core.snapshot(**found);
}

// By (namespace, id). The cursor is "<namespace>/<last id>"; neither name holds a slash.
Result<WorkerPage> list_workers(Core& core, const WorkerQuery& query) {
  if (!query.ns.empty())
    if (const auto row = core.namespace_row(query.ns); !row.ok()) return row.status();
  const std::size_t slash = query.cursor.find('/');
  const std::string from_ns = query.cursor.substr(0, slash);
  if (!query.cursor.empty() && (slash == std::string::npos || core.queues.find_namespace(NamespaceName(from_ns)) == nullptr ||
                                (!query.ns.empty() && query.ns.text() != from_ns)))
    return refusal::bad_cursor(query.cursor);

  WorkerPage page;
  for (const auto& [name, ns] : core.queues.namespaces()) {
    if (name < from_ns || (!query.ns.empty() && name != query.ns.text())) continue;
    const auto& all = core.workers.ordered();
    auto it = name == from_ns && !query.cursor.empty() ? all.upper_bound({ns.row, query.cursor.substr(slash + 1)})
                                                       : all.lower_bound({ns.row, {}});
    for (; it != all.end() && it->first.first == ns.row; ++it) {
      const HotWorker* worker = core.workers.find(it->second);
      if (!jobs::matches(worker->worker, query)) continue;
      if (page.workers.size() == query.limit) {
        const WorkerSpec& last = page.workers.back().spec;
        page.next = fmt::format("{}/{}", last.ns.text(), last.id.text());
        return page;
      }
      page.workers.push_back(core.snapshot(*worker));
    }
  }
  return page;
}

}  // namespace muster::store::sqlite
