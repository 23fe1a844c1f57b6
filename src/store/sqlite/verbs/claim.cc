// Rule 3 lives here: the heads of the lanes this worker may serve, the best of them by (rank, arrival), inside the store.
#include <algorithm>

#include "store/codec/spec_text.h"
#include "store/jobs/workers.h"
#include "store/sqlite/verbs/verbs.h"

namespace muster::store::sqlite {
namespace {

constexpr LaneIndex kNoLane = ~LaneIndex{0};

struct Search {
  HotWorker& worker;
  OfferLanes& list;
  std::optional<Instant> retry_at;
};

// The queue lets a job of this lane through now.
bool open(Core& core, const HotLane& lane, std::optional<Instant>& retry_at) {
  HotQueue& queue = core.queues.at(lane.queue);
  return queue.has_room(lane.lane->type) && jobs::has_token(queue.settings, queue.bucket, core.now, retry_at);
}

// Drops entries of jobs that have moved on; false when the lane is empty then.
bool clean_head(Core& core, LaneIndex index) {
  while (core.lanes.head(index) != kNoHead) {
    const LaneEntry& entry = core.lanes.at(index).entries.front();
    if (stands_at(core.find(entry.key), index, entry)) return true;
    core.lanes.pop(index);
  }
  return false;
}

LaneIndex best_lane(Core& core, Search& search) {
  LaneIndex best = kNoLane;
  for (const LaneIndex index : search.list.lanes) {
    const Rank rank = core.lanes.head(index);
    if (rank == kNoHead || (best != kNoLane && rank > core.lanes.head(best))) continue;
    if (!open(core, core.lanes.at(index), search.retry_at) || !clean_head(core, index)) continue;
    if (best == kNoLane || core.lanes.at(index).entries.front() < core.lanes.at(best).entries.front()) best = index;
  }
  return best;
}

// A head may still not be this worker's to take: its key is held, or its sticky key belongs to somebody else.
bool may_take(Core& core, const Search& search, JobKey key, HotJob& job) {
  if (!job.wishes) return true;
  Wishes& wishes = *job.wishes;
  const HotQueue& queue = core.queue_of(job);
  const HotWorker* bound = core.bound_worker(job);
  KeyHold* const hold = wishes.concurrency_key.empty() ? nullptr : &core.keys.at(queue.ns_row, wishes.concurrency_key);
  const jobs::Take take = jobs::may_take(bound != nullptr && bound->key != search.worker.key,
                                         hold != nullptr ? std::optional(wishes.concurrency_limit) : std::nullopt,
                                         [hold] { return hold->holders.size(); });
  if (take == jobs::Take::bound) core.place(key, job);
  if (take == jobs::Take::key_full) {
    wishes.waits_for_key = true;
    hold->wait({job.lane, wishes.concurrency_limit}, {job.rank, key});
  }
  return take == jobs::Take::yes;
}

void bind_wishes(Core& core, HotWorker& worker, JobKey key, HotJob& job) {
  Wishes& wishes = *job.wishes;
  const HotQueue& queue = core.queue_of(job);
  if (!wishes.concurrency_key.empty()) core.keys.at(queue.ns_row, wishes.concurrency_key).holders.insert(key);
  // A key whose worker lives keeps it, even when that worker could not do this very job.
  const auto owner_lives = [&core](WorkerKey owner) {
    const HotWorker* found = core.workers.find(owner);
    return found != nullptr && found->live();
  };
  if (!wishes.sticky_key.empty() && !owner_lives(core.bonds.find(queue.row, wishes.sticky_key))) {
    core.bonds.put(queue.row, wishes.sticky_key, worker.key);
    core.sql.sticky_put.bind(1, queue.row).bind_text(2, wishes.sticky_key).bind(3, worker.key).run();
  }
  if (wishes.unique_during == UniqueWhile::waiting) core.forget_unique(job, key);
  if (wishes.fair_start != 0) {
    if (auto& fair = core.lanes.at(job.home).fair) fair->lane_time = std::max(fair->lane_time, wishes.fair_start);
    core.forget_fair(job);
  }
}

// The parts of the grant that only the row knows. Returns its spec.
JobSpec read_body(Core& core, JobKey key, const HotJob& job, Grant& grant) {
  JobSpec spec;
  if (auto body = core.bodies.take(key)) {
    if (body->spec) spec_from_text(*body->spec, spec);
    grant.payload.data = std::move(body->payload);
  } else {
    Rows rows(core.sql.job_body.bind(1, key));
    if (rows.next()) {
      spec_from_text(core.sql.job_body.view(1), spec);
      grant.payload.data = core.sql.job_body.text(2);
    }
  }
  if ((job.flags & kPayloadApart) != 0) {
    Rows rows(core.sql.content_get.bind(1, key).bind(2, std::int64_t{0}));
    if (rows.next()) grant.payload.data = core.sql.content_get.text(0);
  }
  grant.payload.encoding = (job.flags & kPayloadBytes) != 0 ? Encoding::bytes : Encoding::json;
  if ((job.flags & kHasProgress) != 0) {
    Rows rows(core.sql.progress_get.bind(1, key));
    if (rows.next() && !core.sql.progress_get.is_null(2))
      grant.partial = Content{core.sql.progress_get.text(2), static_cast<Encoding>(core.sql.progress_get.integer(3))};
  }
  return spec;
}

Grant grant(Core& core, HotWorker& worker, const ClaimRequest& request, JobKey key, HotJob& job) {
  Grant out;
  JobSpec spec = read_body(core, key, job, out);
  const HotLane& home = core.lanes.at(job.home);
  HotQueue& queue = core.queues.at(home.queue);
  if (job.wishes) bind_wishes(core, worker, key, job);
  if (queue.settings.rate) queue.bucket.take();

  const auto fence = static_cast<std::uint64_t>(core.fences.take());
  job.fence = fence;
  ++job.attempt;
  job.event = JobEvent::claimed;
  core.set_state(job, JobState::running);
  job.running = std::make_unique<Running>();
  Running& running = *job.running;
  running.fence = Fence{fence};
  running.worker = worker.key;
  running.started_at = core.now;
  running.lease_ttl = request.lease_ttl.value_or(spec.lease_ttl.value_or(worker.worker.spec.policy->dead_after));
  running.lease_ends = core.listened + running.lease_ttl;
  core.leases.add(running.lease_ends, key);
  if (spec.timeout) {
    running.times_out = core.listened + *spec.timeout;
    core.timeouts.add(*running.times_out, key);
    out.times_out_at = core.now + *spec.timeout;
  }
  if (spec.run) running.run = memo_of(std::move(*spec.run));
  worker.leases.insert(key);
  ++worker.slots_used;
  ++queue.held;
  if (queue.counts_types()) ++queue.held_by_type[home.lane->type.text()];

  core.sql.job_claim.bind(1, key).bind(2, static_cast<std::int64_t>(job.attempt)).bind(3, static_cast<std::int64_t>(fence));
  core.sql.job_claim.bind(4, worker.key).bind(5, to_ms(core.now));
  request.lease_ttl ? core.sql.job_claim.bind(6, request.lease_ttl->count()) : core.sql.job_claim.bind_null(6);
  core.sql.job_claim.run();
  core.tell(key, job, JobState::ready, JobEvent::claimed);
  core.drop_stale_arrivals(queue);

  out.id = core.ids.encode(key);
  out.ns = home.lane->ns;
  out.queue = home.lane->queue;
  out.type = home.lane->type;
  out.labels = std::move(spec.labels);
  out.attempt = job.attempt;
  out.attempts_max = spec.retry.attempts_max;
  out.priority = job.priority;
  out.fence = Fence{fence};
  out.lease_expires_at = core.wall(running.lease_ends);
  out.correlation = std::move(spec.correlation);
  return out;
}

std::shared_ptr<OfferLanes> lanes_for(Core& core, HotWorker& worker, const ClaimRequest& request) {
  if (request.queues.empty() && !request.narrow) return worker.lanes;
  const bool as_before = !request.narrow && worker.narrowed.lanes != nullptr && worker.narrowed.queues == request.queues;
  if (as_before) return worker.narrowed.lanes;
  auto lanes = core.lanes.lanes_of(jobs::narrowed(worker.worker.spec, *worker.lanes->offer, request));
  if (!request.narrow) worker.narrowed = {request.queues, lanes};
  return lanes;
}

}  // namespace

Result<ClaimReply> claim(Core& core, const ClaimRequest& request) {
  const auto ns_row = core.namespace_row(request.ns);
  if (!ns_row.ok()) return ns_row.status();
  HotWorker* worker = core.workers.find(*ns_row, request.worker);
  if (Status refused = jobs::may_claim(worker != nullptr ? &worker->worker : nullptr,
                                       worker != nullptr ? worker->lanes->offer.get() : nullptr, request);
      !refused.ok())
    return refused;
  const std::shared_ptr<OfferLanes> list = lanes_for(core, *worker, request);

  ClaimReply reply;
  reply.offer = list->offer;
  if (worker->worker.state == WorkerState::draining) {
    reply.block = ClaimBlock::draining;
    return reply;
  }
  const std::uint32_t slots = worker->worker.spec.slots;
  if (worker->slots_used >= slots) {
    reply.block = ClaimBlock::no_slots;
    return reply;
  }
  core.lanes.refresh(*list);
  Search search{*worker, *list, std::nullopt};
  std::size_t bytes = 0;
  while (reply.grants.size() < request.limit && bytes < limits::kClaimBytesMax && worker->slots_used < slots &&
         !core.fences.empty()) {
    const LaneIndex index = best_lane(core, search);
    if (index == kNoLane) break;
    const JobKey key = core.lanes.at(index).entries.front().key;
    core.lanes.pop(index);
    HotJob& job = *core.find(key);
    if (!may_take(core, search, key, job)) continue;
    bytes += reply.grants.emplace_back(grant(core, *worker, request, key, job)).payload.data.size();
  }
  if (reply.grants.empty()) reply.retry_at = search.retry_at;
  return reply;
}

}  // namespace muster::store::sqlite
