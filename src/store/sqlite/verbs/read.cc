// One job, whole: its row, what is kept apart from it, and what only memory knows (the lease).
#include "store/codec/spec_text.h"
#include "store/refusals.h"
#include "store/sqlite/row.h"
#include "store/sqlite/verbs/verbs.h"

namespace muster::store::sqlite {
namespace {

void read_apart(Core& core, JobKey key, std::int64_t kind, std::string& into) {
  Rows rows(core.sql.content_get.bind(1, key).bind(2, kind));
  if (rows.next()) into = core.sql.content_get.text(0);
}

void read_progress(Core& core, JobKey key, Job& job) {
  Statement& st = core.sql.progress_get;
  Rows rows(st.bind(1, key));
  if (!rows.next()) return;
  Progress progress{st.real(0), st.text(1), std::nullopt, from_ms(st.integer(4))};
  if (!st.is_null(2)) progress.partial = Content{st.text(2), static_cast<Encoding>(st.integer(3))};
  job.progress = std::move(progress);
}

WorkerId name_of(Core& core, WorkerKey key) {
  const HotWorker* worker = core.workers.find(key);
  return worker != nullptr ? worker->worker.spec.id : WorkerId();
}

void read_attempts(Core& core, JobKey key, Job& job) {
  Statement& st = core.sql.attempt_list;
  Rows rows(st.bind(1, key));
  while (rows.next()) {
    AttemptRecord record;
    record.attempt = static_cast<std::uint32_t>(st.integer(0));
    record.fence = Fence{static_cast<std::uint64_t>(st.integer(1))};
    record.worker = name_of(core, st.integer(2));
    record.started_at = from_ms(st.integer(3));
    record.ended_at = from_ms(st.integer(4));
    record.outcome = static_cast<JobEvent>(st.integer(5));
    record.error = error_from_text(st.view(6));
    job.attempts.push_back(std::move(record));
  }
}

}  // namespace

Result<JobId> find_holder(Core& core, const NamespaceName& ns, const std::string& key) {
  const auto ns_row = core.namespace_row(ns);
  if (!ns_row.ok()) return ns_row.status();
  if (const JobKey holder = core.uniques.find(*ns_row, key)) return core.ids.encode(holder);
  return refusal::no_holder(key);
}

Result<Job> read_job(Core& core, const JobId& id) {
  const auto key = core.ids.decode(id);
  JobRow row;
  {
    Rows rows(core.sql.job_read.bind(1, key.value_or(0)));
    if (!rows.next()) return refusal::no_job(id);
    row = read_row(core.sql.job_read, core.now);
  }
  Job& job = row.job;
  job.id = id;
  if (auto named = core.read_lane(row.lane_row)) {
    job.spec.ns = std::move(named->lane.ns);
    job.spec.queue = std::move(named->lane.queue);
    job.spec.type = std::move(named->lane.type);
  }
  job.worker = name_of(core, row.worker);
  if ((row.flags & kPayloadApart) != 0) read_apart(core, row.key, 0, job.spec.payload.data);
  if ((row.flags & kResultApart) != 0) read_apart(core, row.key, 1, job.result->data);
  if ((row.flags & kHasProgress) != 0) read_progress(core, row.key, job);
  read_attempts(core, row.key, job);
  if (const HotJob* live = core.find(row.key)) {
    job.state = live->state;
    job.last_event = live->event;
    if (live->wishes) {
      job.dependencies_pending = live->wishes->dependencies_pending;
      job.expires_at = live->wishes->expires_at;
    }
    if (live->running) job.lease_expires_at = core.wall(live->running->lease_ends);
  }
  return job;
}

}  // namespace muster::store::sqlite
