// One job, whole: its row, what is kept apart from it, and what only memory knows (the lease).
#include <algorithm>

#include "store/codec/columns.h"
#include "store/codec/spec_text.h"
#include "store/refusals.h"
#include "store/sqlite/rows.h"
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
    read_columns(st, 0, record.attempt, record.fence);
    record.worker = name_of(core, st.integer(2));
    read_columns(st, 3, record.started_at, record.ended_at, record.outcome);
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

namespace {

// The facts behind `why`, read at one instant. The words are the engine's.

constexpr std::size_t kNamedMax = 10;       // workers, holders and dependencies named
constexpr std::size_t kAheadMax = 100'000;  // entries of a lane that are counted

void worker_facts(Core& core, const HotLane& lane, WaitFacts& facts) {
  const std::int64_t ns_row = core.queues.at(lane.queue).ns_row;
  CapabilitySet all;
  std::vector<std::string> everything;
  const HotWorker* nearest = nullptr;
  std::size_t nearest_missing = ~std::size_t{0};
  for (auto it = core.workers.ordered().lower_bound({ns_row, {}});
       it != core.workers.ordered().end() && it->first.first == ns_row; ++it) {
    const HotWorker* worker = core.workers.find(it->second);
    if (!worker->live()) continue;
    const Offer& offer = *worker->lanes->offer;
    if (!offer.queues.empty() && !std::binary_search(offer.queues.begin(), offer.queues.end(), lane.lane->queue)) continue;
    if (!takes_kind(offer, *lane.lane)) continue;
    ++facts.live_workers;
    const auto missing = offer.capabilities.missing(facts.needs);
    for (const std::string& need : facts.needs.names())
      if (offer.capabilities.contains(need)) everything.push_back(need);
    if (missing.size() < nearest_missing) {
      nearest = worker;
      nearest_missing = missing.size();
    }
    if (!missing.empty()) continue;
    ++facts.able_count;
    const bool has_slot = worker->slots_used < worker->worker.spec.slots;
    if (worker->worker.state == WorkerState::online && has_slot) ++facts.able_free;
    if (facts.able.size() < kNamedMax)
      facts.able.push_back({worker->worker.spec.id, worker->worker.state, worker->slots_used, worker->worker.spec.slots,
                            worker->worker.drain_reason});
  }
  facts.missing = CapabilitySet(std::move(everything)).missing(facts.needs);
  if (facts.able_count == 0 && facts.missing.empty() && nearest != nullptr)
    facts.missing_nearest = nearest->lanes->offer->capabilities.missing(facts.needs);
}

void key_facts(Core& core, const HotJob& job, WaitFacts& facts) {
  const Wishes& wishes = *job.wishes;
  const HotQueue& queue = core.queue_of(job);
  if (!wishes.concurrency_key.empty()) {
    const KeyHold* hold = core.keys.find(queue.ns_row, wishes.concurrency_key);
    if (hold != nullptr && hold->holders.size() >= wishes.concurrency_limit)
      for (const JobKey holder : hold->holders)
        if (facts.concurrency_holders.size() < kNamedMax) facts.concurrency_holders.push_back(core.ids.encode(holder));
  }
  if (job.lane != job.home) {
    const HotWorker* bound = core.workers.find(core.bonds.find(queue.row, wishes.sticky_key));
    if (bound != nullptr) {
      facts.bound_to = bound->worker.spec.id.text();
    } else {
      facts.bound_to = wishes.prefer;
      facts.bound_until = wishes.prefer_until;
    }
  }
}

}  // namespace

Result<WaitFacts> explain(Core& core, const JobId& id) {
  auto read = read_job(core, id);
  if (!read.ok()) return read.status();
  WaitFacts facts;
  facts.job = std::move(*read);
  facts.now = core.now;
  const JobKey key = *core.ids.decode(id);
  const HotJob* job = core.find(key);
  if (job == nullptr) return facts;
  const HotLane& lane = core.lanes.at(job->lane);
  HotQueue& queue = core.queues.at(lane.queue);
  facts.needs = lane.lane->needs;
  facts.queue = queue.settings;
  facts.queue_running = queue.held;
  if (const auto held = queue.held_by_type.find(lane.lane->type.text()); held != queue.held_by_type.end())
    facts.type_running = held->second;
  if (queue.settings.rate && !queue.bucket.has_token(*queue.settings.rate, core.now))
    facts.rate_token_at = queue.bucket.next_token_at(*queue.settings.rate, core.now);
  if (job->wishes) key_facts(core, *job, facts);
  facts.parked_on = parked_on(core, key, *job, kNamedMax);
  if (job->blocked()) {
    for (const JobId& after : facts.job.spec.after) {
      const auto after_key = core.ids.decode(after);
      if (after_key && core.find(*after_key) != nullptr && facts.waiting_for.size() < kNamedMax)
        facts.waiting_for.push_back(after);
    }
  }
  if (job->state == JobState::ready) {
    const LaneEntry self{job->rank, key};
    std::size_t looked = 0;
    for (const LaneEntry& entry : lane.entries) {
      if (++looked > kAheadMax) break;
      if (entry < self) ++facts.ahead;
    }
  }
  worker_facts(core, lane, facts);
  return facts;
}

}  // namespace muster::store::sqlite
