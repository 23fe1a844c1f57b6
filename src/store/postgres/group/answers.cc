// What a group's statements answered, turned into changes to tell and replies to deliver.
#include <algorithm>
#include <unordered_map>

#include "store/codec/spec_text.h"
#include "store/postgres/group/group.h"
#include "store/postgres/moves.h"
#include "store/postgres/wishes.h"

namespace muster::store::postgres {
namespace {

// Claims that go lane by lane after one that had to.
constexpr std::uint32_t kByLaneAfterMiss = 50;

}  // namespace

JobChange& Group::tell(std::int64_t job, LaneKey lane, std::optional<JobState> from, JobState to, JobEvent event,
                       std::uint32_t attempt, std::int64_t fence, WorkerKey worker) {
  JobChange& change = changes_.jobs.emplace_back();
  change.id = node_.ids.encode(job);
  if (const LanePtr entry = node_.directory.lane(lane)) change.lane = entry->lane;
  change.from = from;
  change.to = to;
  change.event = event;
  change.attempt = attempt;
  change.fence = Fence{static_cast<std::uint64_t>(fence)};
  if (worker != 0)
    if (const WorkerPtr entry = node_.directory.worker(worker)) change.worker = entry->worker.spec.id;
  change.at = now_;
  return change;
}

void Group::take_enqueued(const Rows& rows) {
  std::size_t total = 0;
  for (const EnqueueRequest& request : enqueues) total += request.jobs.size();
  std::vector<std::optional<Enqueued>> made(total);
  std::vector<LaneKey> lanes;
  lanes.reserve(total);
  for (const EnqueueRequest& request : enqueues) lanes.insert(lanes.end(), request.lanes.begin(), request.lanes.end());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const auto at = static_cast<std::size_t>(rows.integer(i, 0)) - 1;
    const std::int64_t key = rows.integer(i, 1);
    const bool ready = rows.integer(i, 2) == 1;
    const JobState state = ready ? JobState::ready : JobState::scheduled;
    made[at] = Enqueued{node_.ids.encode(key), state, false};
    tell(key, lanes[at], std::nullopt, state, JobEvent::enqueued, 0, 0, 0);
    if (LanePtr lane = node_.directory.lane(lanes[at])) {
      node_.directory.count_enqueued(lane->queue, 1);
      if (ready) changes_.wakes.push_back(std::move(lane));
    }
    if (!ready) node_.expect_due(rows.integer(i, 3));
  }
  std::size_t at = 0;
  enqueued_.clear();
  for (const EnqueueRequest& request : enqueues) {
    std::vector<Enqueued>& out = enqueued_.emplace_back();
    for (std::size_t i = 0; i < request.jobs.size(); ++i, ++at)
      if (made[at]) out.push_back(*made[at]);
  }
}

void Group::take_completed(const Rows& rows) {
  std::unordered_map<std::int64_t, std::size_t> by_key;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const std::int64_t key = rows.integer(i, 0);
    by_key.emplace(key, i);
    const auto lane_key = static_cast<LaneKey>(rows.integer(i, 1));
    const auto worker = static_cast<WorkerKey>(rows.integer(i, 2));
    tell(key, lane_key, JobState::running, JobState::completed, JobEvent::completed,
         static_cast<std::uint32_t>(rows.integer(i, 3)), rows.integer(i, 4), worker)
        .parent = parent_of(static_cast<std::uint16_t>(rows.integer(i, 5)), rows.view(i, 6));
    node_.directory.count_worker(worker, true);
    const LanePtr lane = node_.directory.lane(lane_key);
    if (lane == nullptr) continue;
    node_.directory.count_completed(lane->queue, 1, now_);
    if (const QueueRef queue = node_.directory.queue(lane->queue); queue != nullptr && queue->limited())
      for (LanePtr& waiting : node_.directory.lanes_of_queue(lane->queue)) changes_.wakes.push_back(std::move(waiting));
  }
  for (SettleRequest& request : completions) {
    for (std::size_t i = 0; i < request.outcomes.size(); ++i) {
      const LeaseRef& lease = std::get<Completion>(request.outcomes[i]).lease;
      const auto key = node_.ids.decode(lease.job);
      const auto found = key ? by_key.find(*key) : by_key.end();
      if (found == by_key.end()) continue;
      request.answers[i] =
          Settled{lease.job, JobState::completed, static_cast<std::uint32_t>(rows.integer(found->second, 3)), std::nullopt};
    }
  }
}

Grant Group::grant_from(const Rows& rows, std::size_t row) const {
  Grant out;
  out.id = node_.ids.encode(rows.integer(row, 6));
  if (const LanePtr lane = node_.directory.lane(static_cast<LaneKey>(rows.integer(row, 7)))) {
    out.ns = lane->lane->ns;
    out.queue = lane->lane->queue;
    out.type = lane->lane->type;
  }
  fill_grant(out, rows, row, 8);
  return out;
}

void Group::take_claimed(const Rows& rows, const ClaimSet& set, bool stale) {
  std::unordered_map<WorkerKey, std::size_t> by_worker;
  for (std::size_t i = 0; i < set.asks.size(); ++i) by_worker.emplace(claims[set.asks[i].claims.front()].worker->key, i);
  std::vector<std::size_t> dealing(set.asks.size(), 0);  // which claim of the ask is next to get something
  std::vector<std::int64_t> granted(set.asks.size(), 0);
  for (std::size_t row = 0; row < rows.size(); ++row) {
    if (rows.null(row, 6)) continue;
    const std::size_t at = by_worker.at(static_cast<WorkerKey>(rows.integer(row, 5)));
    const Ask& ask = set.asks[at];
    while (claim_replies_[ask.claims[dealing[at]]].grants.size() >= claims[ask.claims[dealing[at]]].request.limit) ++dealing[at];
    const std::size_t index = ask.claims[dealing[at]];
    const Grant& grant = claim_replies_[index].grants.emplace_back(grant_from(rows, row));
    tell(rows.integer(row, 6), static_cast<LaneKey>(rows.integer(row, 7)), JobState::ready, JobState::running, JobEvent::claimed,
         grant.attempt, rows.integer(row, 10), claims[index].worker->key);
    answered_claims_[index] = true;
    ++granted[at];
  }
  for (std::size_t row = 0; row < rows.size(); ++row) {
    if (!rows.null(row, 6)) continue;
    const auto at = static_cast<std::size_t>(rows.integer(row, 0)) - 1;
    const std::int64_t free = rows.integer(row, 4) - granted[at];
    const bool wanting = free > 0 && granted[at] < static_cast<std::int64_t>(set.asks[at].want);
    const bool whole = rows.integer(row, 7) != 0;
    if (!whole && wanting) set.lanes->by_lane_left = kByLaneAfterMiss;
    for (const std::size_t index : set.asks[at].claims) {
      claim_replies_[index].offer = claims[index].offer;
      if (!answered_claims_[index]) judge_empty(rows, row, index, free, stale || !whole);
    }
  }
}

// A claim that got nothing. What cannot be said from here is left to a closer look.
void Group::judge_empty(const Rows& rows, std::size_t row, std::size_t index, std::int64_t free, bool stale) {
  const PendingClaim& claim = claims[index];
  ClaimReply& reply = claim_replies_[index];
  const auto session = SessionId{static_cast<std::uint64_t>(rows.integer(row, 1))};
  const bool fresh = rows.integer(row, 3) != 0;
  if (!fresh || (claim.request.session && *claim.request.session != session)) return;
  const auto state = static_cast<WorkerState>(rows.integer(row, 2));
  if (state == WorkerState::draining) reply.block = ClaimBlock::draining;
  if (state == WorkerState::online && free <= 0) reply.block = ClaimBlock::no_slots;
  // Free slots and nothing to take: unless lanes appeared that we did not know, there is nothing.
  answered_claims_[index] = state != WorkerState::offline && (!stale || reply.block != ClaimBlock::none);
}

void Group::deliver(Leftovers& later) {
  for (std::size_t i = 0; i < enqueues.size(); ++i) enqueues[i].reply(std::move(enqueued_[i]));
  enqueues.clear();
  for (SettleRequest& request : completions) {
    const bool whole =
        std::all_of(request.answers.begin(), request.answers.end(), [](const auto& one) { return one.has_value(); });
    if (whole)
      request.answer();
    else
      later.settles.push_back(std::move(request));
  }
  completions.clear();
  for (std::size_t i = 0; i < claims.size(); ++i) {
    if (answered_claims_[i]) {
      claims[i].reply(std::move(claim_replies_[i]));
    } else if (claims[i].lanes->by_lane_left.load() > 0 && !claims[i].by_lane) {
      claims[i].by_lane = true;
      later.next_claims.push_back(std::move(claims[i]));
    } else {
      later.claims.push_back(std::move(claims[i]));
    }
  }
  claims.clear();
}

void fill_grant(Grant& grant, const Rows& rows, std::size_t row, int column) {
  grant.attempt = static_cast<std::uint32_t>(rows.integer(row, column));
  grant.priority = static_cast<std::int32_t>(rows.integer(row, column + 1));
  grant.fence = Fence{static_cast<std::uint64_t>(rows.integer(row, column + 2))};
  grant.lease_expires_at = from_ms(rows.integer(row, column + 3));
  if (const auto at = rows.maybe(row, column + 4)) grant.times_out_at = from_ms(*at);
  grant.payload.encoding = (rows.integer(row, column + 5) & kPayloadBytes) != 0 ? Encoding::bytes : Encoding::json;
  JobSpec spec;
  spec_from_text(rows.view(row, column + 6), spec);
  grant.payload.data = rows.text(row, column + 7);
  grant.labels = std::move(spec.labels);
  grant.attempts_max = spec.retry.attempts_max;
  grant.correlation = std::move(spec.correlation);
  if (!rows.null(row, column + 9))
    grant.partial = Content{rows.text(row, column + 9), partial_encoding_from_text(rows.view(row, column + 8))};
}

}  // namespace muster::store::postgres
