#include "model/queue_change.h"
#include "store/codec/spec_text.h"
#include "store/lane_tally.h"
#include "store/refusals.h"
#include "store/sqlite/verbs/agents.h"
#include "store/sqlite/verbs/verbs.h"

namespace muster::store::sqlite {
namespace {

QueueStats stats_of(Core& core, HotQueue& queue) {
  core.drop_stale_arrivals(queue);
  QueueStats out;
  out.ns = queue.ns;
  out.queue = queue.name;
  out.settings = queue.settings;
  out.scheduled = queue.scheduled;
  out.ready = queue.ready;
  out.running = queue.running;
  out.dead = queue.dead_total;
  out.enqueued_total = queue.enqueued_total;
  out.completed_total = queue.completed_total;
  if (!queue.arrivals.empty()) out.oldest_ready_at = from_ms(queue.arrivals.front().run_at_ms);
  out.completed_per_second = queue.completions.per_second(core.now);
  return out;
}

// What is held now, by type, from the jobs themselves.
void count_types(Core& core, QueueIndex index) {
  HotQueue& queue = core.queues.at(index);
  queue.held_by_type.clear();
  if (!queue.counts_types()) return;
  for (const auto& [key, job] : core.jobs)
    if (job.running && core.lanes.at(job.home).queue == index) ++queue.held_by_type[core.lanes.at(job.home).lane->type.text()];
  // Given up in a group that is not durable yet: freed when it is, and counted down then.
  const auto count_given_up = [&](const Group& group) {
    for (const GivenUp& given : group.given_up)
      if (given.worker != 0 && core.lanes.at(given.lane).queue == index)
        ++queue.held_by_type[core.lanes.at(given.lane).lane->type.text()];
  };
  for (const Group* group : core.unsettled) count_given_up(*group);
  count_given_up(core.group);
}

// Due time of the first in line. Entries of jobs that have moved on are dropped from the front, as a claim does it.
std::optional<Instant> first_in_line(Core& core, LaneIndex index) {
  const HotLane& lane = core.lanes.at(index);
  while (!lane.entries.empty()) {
    const HotJob* job = core.find(lane.entries.front().key);
    if (stands_at(job, index, lane.entries.front())) return job->run_at();
    core.lanes.pop(index);
  }
  return std::nullopt;
}

}  // namespace

Result<LaneList> list_lanes(Core& core, const LaneQuery& query) {
  if (!query.ns.empty())
    if (const auto row = core.namespace_row(query.ns); !row.ok()) return row.status();
  LaneTally tally(query.limit);
  for (const LaneIndex index : core.lanes.in_order()) {
    const HotLane& lane = core.lanes.at(index);
    if (!query.ns.empty() && lane.lane->ns != query.ns) continue;
    if (!query.queue.empty() && lane.lane->queue != query.queue) continue;
    LaneStats stats;
    stats.ready = lane.ready;
    stats.running = lane.running;
    stats.scheduled = lane.scheduled;
    if (lane.ready > 0) stats.oldest_ready_at = first_in_line(core, index);
    tally.add(*lane.lane, stats);
  }
  return std::move(tally).list();
}

Result<QueueStats> change_queue(Core& core, const QueueChange& change) {
  const auto ns_row = core.namespace_row(change.ns);
  if (!ns_row.ok()) return ns_row.status();
  const QueueIndex index = core.queue_for(*ns_row, change.ns, change.queue);
  HotQueue& queue = core.queues.at(index);
  apply(queue.settings, change);
  if (!change.running_max_by_type.empty()) count_types(core, index);
  if (change.rate) queue.bucket.reset();
  const std::string text = settings_to_text(queue.settings);
  core.sql.queue_update.bind(1, queue.row).bind_text(2, text).run();
  core.group.queues.push_back({queue.ns, queue.name, queue.settings.paused, core.now});
  if (!queue.settings.paused) core.group.loosened.push_back(index);
  return stats_of(core, queue);
}

Result<std::vector<QueueStats>> list_queues(Core& core, const NamespaceName& ns) {
  std::int64_t only = 0;
  if (!ns.empty()) {
    const auto row = core.namespace_row(ns);
    if (!row.ok()) return row.status();
    only = *row;
  }
  std::vector<QueueStats> out;
  for (std::size_t i = 0; i < core.queues.size(); ++i) {
    HotQueue& queue = core.queues.at(static_cast<QueueIndex>(i));
    if ((only == 0 || queue.ns_row == only) && core.queues.find_namespace(queue.ns) != nullptr)
      out.push_back(stats_of(core, queue));
  }
  return out;
}

Result<NamespaceInfo> create_namespace(Core& core, const NamespaceInfo& info) {
  if (core.queues.find_namespace(info.name) != nullptr) return refusal::namespace_exists(info.name);
  HotNamespace entry{core.next_namespace++, info};
  entry.info.created_at = entry.info.updated_at = core.now;
  Statement& st = core.sql.namespace_insert;
  st.bind(1, entry.row).bind_text(2, info.name.text()).bind_text(3, info.description).bind(4, to_ms(core.now));
  st.bind_text(5, info.display_name).bind(6, std::int64_t{info.enabled}).bind(7, to_ms(core.now)).run();
  return core.queues.add_namespace(std::move(entry)).info;
}

Result<std::vector<NamespaceInfo>> list_namespaces(Core& core) {
  std::vector<NamespaceInfo> out;
  for (const auto& [name, entry] : core.queues.namespaces()) out.push_back(entry.info);
  return out;
}

Result<NamespaceInfo> update_namespace(Core& core, const NamespaceChange& change) {
  HotNamespace* found = core.queues.find_namespace(change.name);
  if (found == nullptr) return refusal::no_namespace(change.name);
  NamespaceInfo& info = found->info;
  if (change.display_name) info.display_name = *change.display_name;
  if (change.description) info.description = *change.description;
  if (change.enabled) info.enabled = *change.enabled;
  info.updated_at = core.now;
  Statement& st = core.sql.namespace_update;
  st.bind(1, found->row).bind_text(2, info.description).bind_text(3, info.display_name);
  st.bind(4, std::int64_t{info.enabled}).bind(5, to_ms(core.now)).run();
  return info;
}

Result<NamespaceInfo> delete_namespace(Core& core, const NamespaceName& name) {
  const HotNamespace* found = core.queues.find_namespace(name);
  if (found == nullptr) return refusal::no_namespace(name);
  if (name.text() == kDefaultNamespace) return refusal::namespace_is_default();
  const std::int64_t row = found->row;
  const auto worker = core.workers.ordered().lower_bound({row, {}});
  if (worker != core.workers.ordered().end() && worker->first.first == row)
    return refusal::namespace_has_worker(name, worker->first.second);
  {
    Rows rows(core.sql.namespace_jobs.bind(1, row));
    if (rows.next() && core.sql.namespace_jobs.integer(0) != 0) return refusal::namespace_has_jobs(name);
  }
  if (has_unfinished_agent_runs(core, row)) return refusal::namespace_has_agent_runs(name);
  NamespaceInfo info = found->info;
  // Plans, schedules, agents, actions without jobs and keys are what somebody made in it, not work: they go along.
  delete_agents_of_namespace(core, row);
  core.sql.schedule_delete_of_namespace.bind(1, row).run();
  core.sql.plan_delete_of_namespace.bind(1, row).run();
  core.sql.action_jobs_delete_of_namespace.bind(1, row).run();
  core.sql.action_delete_of_namespace.bind(1, row).run();
  core.sql.key_items_delete_of_namespace.bind(1, row).run();
  core.sql.key_fields_delete_of_namespace.bind(1, row).run();
  core.sql.key_scores_delete_of_namespace.bind(1, row).run();
  core.sql.key_delete_of_namespace.bind(1, row).run();
  core.sql.lane_delete_of_namespace.bind(1, row).run();
  core.sql.queue_delete_of_namespace.bind(1, row).run();
  core.sql.namespace_delete.bind(1, row).run();
  core.queues.remove_namespace(name);
  return info;
}

}  // namespace muster::store::sqlite
