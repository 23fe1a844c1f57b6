// Names to rows: namespaces, queues, lanes, workers and the numbers that never repeat.
#include "store/codec/spec_text.h"
#include "store/refusals.h"
#include "store/sqlite/core.h"

namespace muster::store::sqlite {

Result<std::int64_t> Core::namespace_row(const NamespaceName& name) {
  if (const HotNamespace* found = queues.find_namespace(name)) return found->row;
  return refusal::namespace_not_made(name);
}

QueueIndex Core::queue_for(std::int64_t ns_row, const NamespaceName& ns, const QueueName& name) {
  if (const QueueIndex* found = queues.find(ns_row, name)) return *found;
  HotQueue queue;
  queue.row = next_queue++;
  queue.ns_row = ns_row;
  queue.ns = ns;
  queue.name = name;
  sql.queue_insert.bind(1, queue.row).bind(2, ns_row).bind_text(3, name.text()).bind_null(4).run();
  return queues.add(std::move(queue));
}

std::optional<LaneRow> Core::read_lane(std::int64_t row) {
  if (const LaneIndex* found = lanes.find_row(row))
    return LaneRow{queues.at(lanes.at(*found).queue).ns_row, *lanes.at(*found).lane};
  Rows rows(sql.lane_read.bind(1, row));
  if (!rows.next()) return std::nullopt;
  const Statement& st = sql.lane_read;
  return LaneRow{st.integer(0), Lane{NamespaceName(st.text(1)), QueueName(st.text(2)), JobType(st.text(3)),
                                     CapabilitySet::from_key(st.view(4))}};
}

Result<LaneIndex> Core::lane_for(QueueIndex queue, const JobType& type, const CapabilitySet& needs) {
  const LaneIndex* found = lanes.find(queue, type, needs);
  if (found != nullptr && lanes.at(*found).row != 0) return *found;
  if (lanes.size() >= lanes_max) return refusal::too_many_lanes(lanes_max);
  const std::string text = needs.key();
  std::int64_t row = 0;
  {
    // Finished jobs may still name it.
    Rows rows(sql.lane_find.bind(1, queues.at(queue).row).bind_text(2, type.text()).bind_text(3, text));
    if (rows.next()) row = sql.lane_find.integer(0);
  }
  if (row == 0) {
    row = next_lane++;
    sql.lane_insert.bind(1, row).bind(2, queues.at(queue).row).bind_text(3, type.text()).bind_text(4, text).run();
    ++lane_rows;
    ++lane_pruning.changes;
  }
  if (found != nullptr) {
    // It stood in memory for jobs held for a worker; now a job needs exactly that by itself.
    lanes.store(*found, row);
    return *found;
  }
  const LaneIndex index = lanes.add(Lane{queues.at(queue).ns, queues.at(queue).name, type, needs}, queue, row, 0);
  queues.at(queue).lanes.push_back(index);
  return index;
}

void Core::put_meta(const char* name, std::int64_t value) { sql.meta_put.bind_text(1, name).bind(2, value).run(); }

std::optional<std::int64_t> Core::get_meta(const char* name) {
  Rows rows(sql.meta_get.bind_text(1, name));
  if (!rows.next()) return std::nullopt;
  return sql.meta_get.integer(0);
}

void Core::reserve_numbers() {
  group.reserved_fences = fences.low();
  group.reserved_job_keys = job_keys.low();
  if (group.reserved_fences) put_meta("fences", fences.reserve());
  if (group.reserved_job_keys) put_meta("job_keys", job_keys.reserve());
}

void Core::tell(const HotWorker& worker, std::optional<WorkerState> from, std::string cause) {
  group.workers.push_back(
      {worker.worker.spec.ns, worker.worker.spec.id, worker.worker.session, from, worker.worker.state, now, std::move(cause)});
}

void Core::write_worker(const HotWorker& hot) {
  const Worker& worker = hot.worker;
  const std::string spec = worker_to_text(worker.spec);
  Statement& st = sql.worker_put;
  st.bind(1, hot.key).bind(2, hot.ns_row).bind_text(3, worker.spec.id.text());
  st.bind(4, static_cast<std::int64_t>(worker.session)).bind(5, static_cast<std::int64_t>(worker.state)).bind_text(6, spec);
  st.bind(7, to_ms(worker.registered_at)).bind(8, to_ms(worker.last_seen_at));
  worker.offline_at ? st.bind(9, to_ms(*worker.offline_at)) : st.bind_null(9);
  st.bind_text(10, worker.offline_cause);
  worker.drain_deadline ? st.bind(11, to_ms(*worker.drain_deadline)) : st.bind_null(11);
  st.bind_text(12, worker.drain_reason).bind(13, static_cast<std::int64_t>(worker.drain_origin));
  st.bind(14, static_cast<std::int64_t>(worker.completed)).bind(15, static_cast<std::int64_t>(worker.failed));
  st.bind_text(16, worker.stats);
  st.run();
}

void Core::heard(HotWorker& worker) {
  worker.worker.last_seen_at = now;
  worker.heard_at = listened;
}

Worker Core::snapshot(const HotWorker& hot) const {
  Worker out = hot.worker;
  out.running = static_cast<std::uint32_t>(hot.leases.size());
  if (hot.live()) out.last_seen_at = wall(hot.heard_at);
  return out;
}

void Core::take_offline(HotWorker& worker, const char* cause) {
  const WorkerState from = worker.worker.state;
  worker.worker.state = WorkerState::offline;
  worker.worker.offline_at = now;
  worker.worker.offline_cause = cause;
  write_worker(worker);
  sql.sticky_delete_of_worker.bind(1, worker.key).run();
  bonds.erase_worker(worker.key);
  free_own_lanes(worker);
  tell(worker, from, cause);
}

}  // namespace muster::store::sqlite
