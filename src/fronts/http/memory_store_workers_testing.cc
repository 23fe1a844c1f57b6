// Workers, queues, administration and sweeps of the store in memory.
#include <fmt/format.h>

#include "fronts/http/memory_store_testing.h"

namespace muster::http {
namespace {

using namespace std::chrono_literals;

void nothing_due(Reply<store::SweepReport> reply) { reply(store::SweepReport{}); }

}  // namespace

void MemoryStore::register_workers(std::vector<WorkerSpec> batch, Reply<store::Each<store::Registered>> reply) {
  run_each<WorkerSpec, store::Registered>(std::move(batch), std::move(reply),
                                          [this](WorkerSpec& spec) -> Result<store::Registered> {
                                            const bool replaced = workers_.contains(spec.id.text());
                                            Worker& worker = workers_[spec.id.text()];
                                            worker = {};
                                            worker.spec = std::move(spec);
                                            worker.session = SessionId{next_session_++};
                                            worker.registered_at = worker.last_seen_at = clock_.now();
                                            worker_changes_.push_back({.ns = worker.spec.ns,
                                                                       .id = worker.spec.id,
                                                                       .session = worker.session,
                                                                       .from = {},
                                                                       .to = WorkerState::online,
                                                                       .at = clock_.now(),
                                                                       .cause = ""});
                                            return store::Registered{.id = worker.spec.id,
                                                                     .session = worker.session,
                                                                     .policy = worker.spec.policy.value_or(HeartbeatPolicy{}),
                                                                     .replaced = replaced};
                                          });
}

void MemoryStore::heartbeat(std::vector<store::Beat> batch, Reply<store::Each<store::BeatReply>> reply) {
  run_each<store::Beat, store::BeatReply>(
      std::move(batch), std::move(reply), [this](store::Beat& beat) -> Result<store::BeatReply> {
        const auto worker = workers_.find(beat.worker.text());
        if (worker == workers_.end())
          return Status::not_found(fmt::format("worker \"{}\" is not registered", beat.worker.text()));
        worker->second.stats = beat.stats;
        store::BeatReply out{.state = worker->second.state,
                             .drain_deadline = worker->second.drain_deadline,
                             .drain_reason = worker->second.drain_reason,
                             .next_beat_in = 10s,
                             .cancel = {},
                             .lost = {},
                             .running = 0};
        for (const LeaseRef& lease : beat.held)
          if (!held(lease).ok()) out.lost.push_back(lease);
        for (const auto& [id, job] : jobs_)
          if (job.state == JobState::running && job.worker == beat.worker && job.cancel_requested)
            out.cancel.push_back({id, job.fence});
        return out;
      });
}

void MemoryStore::drain(std::vector<store::Drain> batch, Reply<store::Each<Worker>> reply) {
  run_each<store::Drain, Worker>(std::move(batch), std::move(reply), [this](store::Drain& drain) -> Result<Worker> {
    const auto worker = workers_.find(drain.worker.text());
    if (worker == workers_.end()) return Status::not_found(fmt::format("worker \"{}\" is not registered", drain.worker.text()));
    worker->second.state = WorkerState::draining;
    worker->second.drain_deadline = clock_.now() + drain.deadline;
    worker->second.drain_reason = drain.reason;
    return worker->second;
  });
}

void MemoryStore::unregister(std::vector<store::Unregister> batch, Reply<store::Each<Worker>> reply) {
  run_each<store::Unregister, Worker>(std::move(batch), std::move(reply), [this](store::Unregister& each) -> Result<Worker> {
    const auto worker = workers_.find(each.worker.text());
    if (worker == workers_.end()) return Status::not_found(fmt::format("worker \"{}\" is not registered", each.worker.text()));
    worker->second.state = WorkerState::offline;
    worker->second.offline_cause = "unregistered";
    return worker->second;
  });
}

void MemoryStore::get_workers(NamespaceName, std::vector<WorkerId> batch, Reply<store::Each<Worker>> reply) {
  run_each<WorkerId, Worker>(std::move(batch), std::move(reply), [this](WorkerId& id) -> Result<Worker> {
    const auto worker = workers_.find(id.text());
    if (worker == workers_.end()) return Status::not_found(fmt::format("worker \"{}\" is not registered", id.text()));
    return worker->second;
  });
}

void MemoryStore::list_workers(store::WorkerQuery, Reply<store::WorkerPage> reply) {
  run<store::WorkerPage>(std::move(reply), [this]() -> Result<store::WorkerPage> {
    store::WorkerPage page;
    for (const auto& [id, worker] : workers_) page.workers.push_back(worker);
    return page;
  });
}

void MemoryStore::change_queue(QueueChange change, Reply<QueueStats> reply) {
  run<QueueStats>(std::move(reply), [this, change]() -> Result<QueueStats> {
    QueueStats& stats = queue_of(change.ns, change.queue);
    if (change.paused) stats.settings.paused = *change.paused;
    stats.settings.pause_reason = change.pause_reason;
    if (change.running_max) stats.settings.running_max = change.running_max;
    if (change.rate) stats.settings.rate = change.rate;
    for (const auto& [type, cap] : change.running_max_by_type) stats.settings.running_max_by_type[type] = cap;
    queue_changes_.push_back({.ns = change.ns, .queue = change.queue, .paused = stats.settings.paused, .at = clock_.now()});
    return stats;
  });
}

void MemoryStore::list_queues(NamespaceName, Reply<std::vector<QueueStats>> reply) {
  run<std::vector<QueueStats>>(std::move(reply), [this]() -> Result<std::vector<QueueStats>> {
    std::vector<QueueStats> out;
    for (const auto& [name, stats] : queues_) out.push_back(stats);
    return out;
  });
}

void MemoryStore::create_namespace(NamespaceInfo info, Reply<NamespaceInfo> reply) {
  run<NamespaceInfo>(std::move(reply), [this, info]() mutable -> Result<NamespaceInfo> {
    info.created_at = clock_.now();
    if (!namespaces_.emplace(info.name.text(), info).second) return Status::already_exists("the namespace exists");
    return info;
  });
}

void MemoryStore::list_namespaces(Reply<std::vector<NamespaceInfo>> reply) {
  run<std::vector<NamespaceInfo>>(std::move(reply), [this]() -> Result<std::vector<NamespaceInfo>> {
    std::vector<NamespaceInfo> out;
    for (const auto& [name, info] : namespaces_) out.push_back(info);
    return out;
  });
}

void MemoryStore::delete_namespace(NamespaceName ns, Reply<NamespaceInfo> reply) {
  run<NamespaceInfo>(std::move(reply), [this, ns]() -> Result<NamespaceInfo> {
    const auto found = namespaces_.find(ns.text());
    if (found == namespaces_.end()) return Status::not_found("no such namespace");
    const NamespaceInfo info = found->second;
    namespaces_.erase(found);
    return info;
  });
}

void MemoryStore::info(Reply<store::StoreInfo> reply) {
  run<store::StoreInfo>(std::move(reply), [this]() -> Result<store::StoreInfo> {
    return store::StoreInfo{.kind = "memory",
                            .location = "",
                            .schema_version = 1,
                            .bytes = 0,
                            .jobs_live = jobs_.size(),
                            .jobs_finished = 0,
                            .commits = 0,
                            .group_size_mean = 1};
  });
}

void MemoryStore::backup(std::string path, Reply<store::BackupReport> reply) {
  run<store::BackupReport>(std::move(reply), [path]() -> Result<store::BackupReport> {
    return store::BackupReport{.path = path, .bytes = 4096, .took = 3ms};
  });
}

void MemoryStore::promote_due(std::size_t, Reply<store::SweepReport> reply) { nothing_due(std::move(reply)); }
void MemoryStore::expire_leases(std::size_t, Reply<store::SweepReport> reply) { nothing_due(std::move(reply)); }
void MemoryStore::time_out_jobs(std::size_t, Reply<store::SweepReport> reply) { nothing_due(std::move(reply)); }
void MemoryStore::expire_waiting(std::size_t, Reply<store::SweepReport> reply) { nothing_due(std::move(reply)); }
void MemoryStore::end_preferences(std::size_t, Reply<store::SweepReport> reply) { nothing_due(std::move(reply)); }
void MemoryStore::bury_silent_workers(std::size_t, Reply<store::SweepReport> reply) { nothing_due(std::move(reply)); }
void MemoryStore::end_drains(std::size_t, Reply<store::SweepReport> reply) { nothing_due(std::move(reply)); }
void MemoryStore::prune_finished(store::Retention, std::size_t, Reply<store::SweepReport> reply) {
  nothing_due(std::move(reply));
}
void MemoryStore::prune_workers(Duration, std::size_t, Reply<store::SweepReport> reply) { nothing_due(std::move(reply)); }

}  // namespace muster::http
