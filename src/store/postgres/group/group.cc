#include "store/postgres/group/group.h"

#include <algorithm>
#include <map>
#include <unordered_map>
#include <unordered_set>

#include "base/wake.h"
#include "store/codec/spec_text.h"
#include "store/jobs/workers.h"
#include "store/postgres/cluster/notifier.h"
#include "store/postgres/moves.h"
#include "store/postgres/wishes.h"

namespace muster::store::postgres {
namespace {

// With more lanes than this, looking at each costs more than looking along all jobs.
constexpr std::size_t kLanesByLaneMax = 4;

}  // namespace

void SettleRequest::answer() {
  Each<Settled> all;
  all.reserve(answers.size());
  for (auto& one : answers) all.push_back(std::move(*one));
  reply(std::move(all));
}

void refuse_all(std::vector<SettleRequest>& requests, const Status& status) {
  for (SettleRequest& request : requests) {
    if (std::none_of(request.answers.begin(), request.answers.end(), [](const auto& one) { return one.has_value(); })) {
      request.reply(status);
      continue;
    }
    for (auto& answer : request.answers)
      if (!answer) answer = Result<Settled>(status);
    request.answer();
  }
  requests.clear();
}

// --- planning: what this group can do ------------------------------------------------------------------------------

bool fits_group(const Directory& directory, EnqueueRequest& request) {
  request.lanes.clear();
  if (request.alone) return false;
  for (const JobSpec& spec : request.jobs) {
    if (!is_plain(spec) || !directory.takes_jobs(spec.ns)) return false;
    const auto ns = directory.find_namespace(spec.ns);
    const QueueRef queue = ns ? directory.find_queue(*ns, spec.queue) : nullptr;
    const LanePtr lane = queue ? directory.find_lane(queue->key, spec.type, plain_needs(spec), false) : nullptr;
    if (lane == nullptr) return false;
    request.lanes.push_back(lane->key);
  }
  return true;
}

void Group::plan_enqueues(Leftovers& later) {
  std::vector<EnqueueRequest> mine;
  for (EnqueueRequest& request : enqueues)
    (fits_group(node_.directory, request) ? mine : later.enqueues).push_back(std::move(request));
  enqueues = std::move(mine);
}

// One outcome per job: a second one in the same group is judged by what the first left behind.
void Group::plan_completions(Leftovers& later) {
  std::vector<SettleRequest> mine;
  std::unordered_set<JobId> seen;
  for (SettleRequest& request : completions) {
    request.answers.resize(request.outcomes.size());
    const bool repeats = std::any_of(request.outcomes.begin(), request.outcomes.end(), [&](const Outcome& outcome) {
      const auto* completion = std::get_if<Completion>(&outcome);
      return completion == nullptr || !seen.insert(completion->lease.job).second;
    });
    (repeats ? later.settles : mine).push_back(std::move(request));
  }
  completions = std::move(mine);
}

bool Group::prepare_claim(PendingClaim& claim) {
  const auto ns = node_.directory.find_namespace(claim.request.ns);
  claim.worker = ns ? node_.directory.find_worker(*ns, claim.request.worker) : nullptr;
  if (claim.worker == nullptr) return false;
  if (claim.request.session && *claim.request.session != claim.worker->worker.session) return false;
  if (claim.request.narrow || !claim.request.queues.empty()) {
    if (claim.request.narrow && !claim.worker->offer->capabilities.missing(*claim.request.narrow).empty()) return false;
    claim.offer = std::make_shared<const Offer>(jobs::narrowed(claim.worker->worker.spec, *claim.worker->offer, claim.request));
  } else {
    claim.offer = claim.worker->offer;
  }
  claim.lanes = node_.directory.lanes_of(claim.offer);
  return claim.lanes->gated.empty() || claim.gate_passed;
}

Group::Look Group::look_of(const PendingClaim& claim) {
  if (claim.lanes->plain.size() <= 1) return Look::lane;
  if (claim.lanes->plain.size() <= kLanesByLaneMax) return Look::few;
  if (claim.by_lane) return Look::by_lane;
  if (claim.lanes->all) return Look::all;
  std::atomic<std::uint32_t>& left = claim.lanes->by_lane_left;
  if (left.load() == 0) return Look::across;
  --left;
  return Look::by_lane;
}

void Group::plan_claims(Leftovers& later) {
  std::vector<PendingClaim> mine;
  // Where a worker's claims stand: its set and its ask. A claim that wants other lanes or another lease than the first waits its
  // turn.
  std::unordered_map<WorkerKey, std::pair<std::size_t, std::size_t>> workers;
  std::map<std::pair<const OfferLanes*, Look>, std::size_t> by_lanes;
  sets_.clear();
  for (PendingClaim& claim : claims) {
    if (!prepare_claim(claim)) {
      later.claims.push_back(std::move(claim));
      continue;
    }
    const auto known = workers.find(claim.worker->key);
    if (known != workers.end()) {
      Ask& ask = sets_[known->second.first].asks[known->second.second];
      const PendingClaim& first = mine[ask.claims.front()];
      if (first.lanes != claim.lanes || first.request.lease_ttl != claim.request.lease_ttl ||
          ask.want >= limits::kClaimBatchMax) {
        later.next_claims.push_back(std::move(claim));
        continue;
      }
      ask.want += claim.request.limit;
      ask.claims.push_back(mine.size());
    } else {
      const Look look = look_of(claim);
      const auto [found, fresh] = by_lanes.try_emplace({claim.lanes.get(), look}, sets_.size());
      if (fresh) sets_.push_back({claim.lanes, look, {}});
      std::vector<Ask>& asks = sets_[found->second].asks;
      workers.emplace(claim.worker->key, std::pair(found->second, asks.size()));
      asks.push_back({claim.request.limit, {mine.size()}});
    }
    mine.push_back(std::move(claim));
  }
  claims = std::move(mine);
}

// --- calls ---------------------------------------------------------------------------------------------------------

// The common case has a statement of its own: what it says of a job is a third of what there can be, and taking rows apart is
// what enqueueing costs besides the rows themselves.
bool Group::all_due_now() const {
  return std::all_of(enqueues.begin(), enqueues.end(), [](const EnqueueRequest& request) {
    return !request.by_lane && std::all_of(request.jobs.begin(), request.jobs.end(), [](const JobSpec& spec) {
      return !spec.run_at && spec.delay == Duration(0) && !spec.expires_in && !spec.lease_ttl && !spec.timeout && !spec.deadline;
    });
  });
}

void Group::call_enqueues_now(Connection& connection) const {
  Table rows({Type::int4, Type::int2, Type::int2, Type::text, Type::bytes});
  for (const EnqueueRequest& request : enqueues)
    for (std::size_t i = 0; i < request.jobs.size(); ++i) {
      const JobSpec& spec = request.jobs[i];
      rows.add(request.lanes[i], spec.priority, flags_of(spec), or_null(spec_to_text(spec)), spec.payload.data);
    }
  connection.call("enqueue_now"_sql, std::move(rows.params().int8(known_version_)));
}

void Group::call_enqueues(Connection& connection) const {
  if (all_due_now()) return call_enqueues_now(connection);
  Table rows = enqueue_table();
  for (const EnqueueRequest& request : enqueues) {
    for (std::size_t i = 0; i < request.jobs.size(); ++i) {
      const JobSpec& spec = request.jobs[i];
      rows.add(std::nullopt, request.lanes[i], spec.priority, spec.run_at, spec.delay, spec.expires_in, spec.lease_ttl,
               spec.timeout, flags_of(spec), false, std::nullopt, std::nullopt, or_null(spec_to_text(spec)), spec.payload.data,
               spec.deadline);
    }
  }
  connection.call("enqueue"_sql, rows.params());
}

void Group::call_completions(Connection& connection) const {
  // In ascending order, so that two groups that name the same jobs lock them the same way.
  struct Row {
    std::int64_t key;
    const Completion* completion;
  };
  std::vector<Row> rows;
  for (const SettleRequest& request : completions)
    for (const Outcome& outcome : request.outcomes) {
      const auto& completion = std::get<Completion>(outcome);
      // Bounds that are not a worker's alone are looked at one by one.
      if (completion.lease.bounds != nullptr && completion.lease.bounds->namespaces) continue;
      if (const auto key = node_.ids.decode(completion.lease.job)) rows.push_back({*key, &completion});
    }
  std::sort(rows.begin(), rows.end(), [](const Row& a, const Row& b) { return a.key < b.key; });
  Table table({Type::int8, Type::int8, Type::bytes, Type::int2, Type::text});
  for (const Row& row : rows) {
    const auto& content = row.completion->result;
    const bool bytes = content && content->encoding == Encoding::bytes;
    const LeaseBounds* bounds = row.completion->lease.bounds.get();
    const auto holder = bounds != nullptr ? std::optional<std::string_view>(bounds->worker.text()) : std::nullopt;
    table.add(row.key, row.completion->lease.fence, data_of(content), bytes ? kResultBytes : std::uint16_t{0}, holder);
  }
  connection.call("complete"_sql, table.params());
}

void Group::call_locks(Connection& connection) const {
  std::vector<std::int32_t> workers;
  for (const PendingClaim& claim : claims) workers.push_back(claim.worker->key);
  std::sort(workers.begin(), workers.end());
  workers.erase(std::unique(workers.begin(), workers.end()), workers.end());
  connection.call("claim_lock"_sql, Params().int4s(workers));
}

void Group::call_claims(Connection& connection, const ClaimSet& set) const {
  Table rows({Type::int4, Type::int8, Type::int4, Type::int8});
  for (const Ask& ask : set.asks) {
    const PendingClaim& claim = claims[ask.claims.front()];
    rows.add(claim.worker->key, claim.worker->revision, std::min<std::size_t>(ask.want, limits::kClaimBatchMax),
             claim.request.lease_ttl);
  }
  Params params = rows.params();
  set.look == Look::all ? params.int8(known_version_) : params.int4s(set.lanes->plain);
  params.int8(static_cast<std::int64_t>(limits::kClaimBytesMax));
  switch (set.look) {
    case Look::lane: return connection.call("claim_lane"_sql, std::move(params));
    case Look::few: return connection.call("claim_few"_sql, std::move(params));
    case Look::by_lane: return connection.call("claim"_sql, std::move(params));
    case Look::all: return connection.call("claim_all"_sql, std::move(params));
    case Look::across: return connection.call("claim_across"_sql, std::move(params));
  }
}

bool Group::run(Connection& connection, Leftovers& later) {
  known_version_ = node_.directory.version();
  plan_enqueues(later);
  plan_completions(later);
  plan_claims(later);
  if (size() == 0) return true;
  connection.call("head"_sql);
  // Workers before jobs, and all of them at once: the order in which everybody locks.
  if (!claims.empty()) call_locks(connection);
  if (!completions.empty()) call_completions(connection);
  if (!enqueues.empty()) call_enqueues(connection);
  for (const ClaimSet& set : sets_) call_claims(connection, set);
  sent_ = true;
  const auto answers = connection.exchange();
  if (!answers.ok()) return false;
  node_.metrics.commits.add();
  node_.metrics.group_size.observe(static_cast<double>(size()));

  std::size_t at = 0;
  const Rows& head = (*answers)[at++];
  now_ = from_ms(head.integer(0, 0));
  node_.saw_time(now_);
  stale_ = head.integer(0, 1) != known_version_;
  changes_.clear();
  if (!claims.empty()) ++at;  // the locks
  if (!completions.empty()) take_completed((*answers)[at++]);
  if (!enqueues.empty()) take_enqueued((*answers)[at++]);
  claim_replies_.assign(claims.size(), {});
  answered_claims_.assign(claims.size(), false);
  for (const ClaimSet& set : sets_) take_claimed((*answers)[at++], set);
  node_.outbox->tell(changes_);
  deliver(later);
  return true;
}

void Group::take_apart(Leftovers& later) {
  for (EnqueueRequest& request : enqueues) request.alone = true;
  std::move(enqueues.begin(), enqueues.end(), std::back_inserter(later.enqueues));
  std::move(completions.begin(), completions.end(), std::back_inserter(later.settles));
  std::move(claims.begin(), claims.end(), std::back_inserter(later.claims));
  enqueues.clear();
  completions.clear();
  claims.clear();
}

void Group::refuse(const Status& status) {
  refuse_all(enqueues, status);
  refuse_all(completions, status);
  refuse_all(claims, status);
}

namespace {

// What a group's statements answered, turned into changes to tell and replies to deliver.

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

void Group::note_enqueued(std::int64_t key, LaneKey lane_key, std::optional<std::int64_t> scheduled_at) {
  tell(key, lane_key, std::nullopt, scheduled_at ? JobState::scheduled : JobState::ready, JobEvent::enqueued, 0, 0, 0);
  if (scheduled_at) node_.expect_due(*scheduled_at);
  LanePtr lane = node_.directory.lane(lane_key);
  if (lane == nullptr) return;
  node_.directory.count_enqueued(lane->queue, 1);
  if (!scheduled_at) changes_.wakes.push_back(std::move(lane));
}

// Rows come in the order of the jobs. None at all: the directory changed, and nothing was written.
void Group::take_enqueued(const Rows& rows) {
  const bool at_once = all_due_now();
  enqueued_.clear();
  std::size_t row = 0;
  for (const EnqueueRequest& request : enqueues) {
    std::vector<Enqueued>& out = enqueued_.emplace_back();
    for (std::size_t i = 0; i < request.jobs.size() && row < rows.size(); ++i, ++row) {
      const std::int64_t key = rows.integer(row, at_once ? 0 : 1);
      const bool ready = at_once || rows.integer(row, 2) == 1;
      note_enqueued(key, request.lanes[i], ready ? std::nullopt : std::optional(rows.integer(row, 3)));
      out.push_back({node_.ids.encode(key), ready ? JobState::ready : JobState::scheduled, false});
    }
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

void Group::take_claimed(const Rows& rows, const ClaimSet& set) {
  std::unordered_map<WorkerKey, std::size_t> by_worker;
  for (std::size_t i = 0; i < set.asks.size(); ++i) by_worker.emplace(claims[set.asks[i].claims.front()].worker->key, i);
  std::vector<std::size_t> dealing(set.asks.size(), 0);  // which claim of the ask is next to get something
  std::vector<std::int64_t> granted(set.asks.size(), 0);
  for (const Ask& ask : set.asks)
    for (const std::size_t index : ask.claims) claim_replies_[index].offer = claims[index].offer;
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
    if (!whole && set.look == Look::all) stale_ = true;
    if (!whole && wanting && set.look == Look::across) set.lanes->by_lane_left = kByLaneAfterMiss;
    for (const std::size_t index : set.asks[at].claims)
      if (!answered_claims_[index]) judge_empty(rows, row, index, free, whole);
  }
}

// A claim that got nothing. What cannot be said from here is left to a closer look.
void Group::judge_empty(const Rows& rows, std::size_t row, std::size_t index, std::int64_t free, bool whole) {
  const PendingClaim& claim = claims[index];
  ClaimReply& reply = claim_replies_[index];
  const auto session = SessionId{static_cast<std::uint64_t>(rows.integer(row, 1))};
  const bool fresh = rows.integer(row, 3) != 0;
  if (!fresh || (claim.request.session && *claim.request.session != session)) return;
  const auto state = static_cast<WorkerState>(rows.integer(row, 2));
  if (state == WorkerState::draining) reply.block = ClaimBlock::draining;
  if (state == WorkerState::online && free <= 0) reply.block = ClaimBlock::no_slots;
  // Free slots and nothing to take: unless lanes appeared that we did not know, there is nothing.
  answered_claims_[index] = state != WorkerState::offline && ((whole && !stale_) || reply.block != ClaimBlock::none);
}

void Group::deliver(Leftovers& later) {
  const WakeRound answers;
  for (std::size_t i = 0; i < enqueues.size(); ++i) {
    if (enqueued_[i].size() == enqueues[i].jobs.size()) {
      enqueues[i].reply(std::move(enqueued_[i]));
      continue;
    }
    stale_ = true;
    enqueues[i].by_lane = true;
    later.enqueues.push_back(std::move(enqueues[i]));
  }
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
    } else if (stale_ && claims[i].tries == 0) {
      // The directory is brought up to date before the next group.
      ++claims[i].tries;
      later.next_claims.push_back(std::move(claims[i]));
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
