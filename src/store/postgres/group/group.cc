#include "store/postgres/group/group.h"

#include <algorithm>
#include <map>
#include <unordered_map>
#include <unordered_set>

#include "store/codec/spec_text.h"
#include "store/jobs/workers.h"
#include "store/postgres/cluster/outbox.h"
#include "store/postgres/moves.h"
#include "store/postgres/wishes.h"

namespace muster::store::postgres {
namespace {

const Sql kHead{"head"};
const Sql kEnqueue{"enqueue"};
const Sql kComplete{"complete"};
const Sql kClaimLock{"claim_lock"};
const Sql kClaim{"claim"};
const Sql kClaimAcross{"claim_across"};

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

bool Group::goes_across(const PendingClaim& claim) {
  if (claim.by_lane || claim.lanes->plain.size() <= kLanesByLaneMax) return false;
  std::atomic<std::uint32_t>& left = claim.lanes->by_lane_left;
  if (left.load() == 0) return true;
  --left;
  return false;
}

void Group::plan_claims(Leftovers& later) {
  std::vector<PendingClaim> mine;
  // Where a worker's claims stand: its set and its ask. A claim that wants other lanes or another lease than the first waits its
  // turn.
  std::unordered_map<WorkerKey, std::pair<std::size_t, std::size_t>> workers;
  std::map<std::pair<const OfferLanes*, bool>, std::size_t> by_lanes;
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
      const bool across = goes_across(claim);
      const auto [found, fresh] = by_lanes.try_emplace({claim.lanes.get(), across}, sets_.size());
      if (fresh) sets_.push_back({claim.lanes, across, {}});
      std::vector<Ask>& asks = sets_[found->second].asks;
      workers.emplace(claim.worker->key, std::pair(found->second, asks.size()));
      asks.push_back({claim.request.limit, {mine.size()}});
    }
    mine.push_back(std::move(claim));
  }
  claims = std::move(mine);
}

// --- calls ---------------------------------------------------------------------------------------------------------

void Group::call_enqueues(Connection& connection) const {
  Column id(Type::int8), lane(Type::int4), priority(Type::int2), run_at(Type::int8), delay(Type::int8), expires_in(Type::int8),
      lease(Type::int8), timeout(Type::int8), flags(Type::int2), special(Type::boolean), place(Type::int2), rank(Type::int8),
      text(Type::text), payload(Type::bytes), deadline(Type::int8);
  const auto millis = [](const std::optional<Duration>& duration) {
    return duration ? std::optional<std::int64_t>(duration->count()) : std::nullopt;
  };
  for (const EnqueueRequest& request : enqueues) {
    for (std::size_t i = 0; i < request.jobs.size(); ++i) {
      const JobSpec& spec = request.jobs[i];
      id.add_null();
      lane.add(std::int64_t{request.lanes[i]});
      priority.add(std::int64_t{spec.priority});
      run_at.add(spec.run_at ? std::optional(to_ms(*spec.run_at)) : std::nullopt);
      delay.add(spec.delay.count());
      expires_in.add(millis(spec.expires_in));
      lease.add(millis(spec.lease_ttl));
      timeout.add(millis(spec.timeout));
      flags.add(std::int64_t{flags_of(spec)});
      special.add(std::int64_t{0});
      place.add_null();
      rank.add_null();
      const std::string described = spec_to_text(spec);
      described.empty() ? text.add_null() : text.add(std::string_view(described));
      payload.add(std::string_view(spec.payload.data));
      deadline.add(spec.deadline ? std::optional(to_ms(*spec.deadline)) : std::nullopt);
    }
  }
  Params params;
  params.array(std::move(id)).array(std::move(lane)).array(std::move(priority)).array(std::move(run_at)).array(std::move(delay));
  params.array(std::move(expires_in)).array(std::move(lease)).array(std::move(timeout)).array(std::move(flags));
  params.array(std::move(special))
      .array(std::move(place))
      .array(std::move(rank))
      .array(std::move(text))
      .array(std::move(payload))
      .array(std::move(deadline));
  connection.call(kEnqueue, std::move(params));
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
      if (const auto key = node_.ids.decode(completion.lease.job)) rows.push_back({*key, &completion});
    }
  std::sort(rows.begin(), rows.end(), [](const Row& a, const Row& b) { return a.key < b.key; });
  Column id(Type::int8), fence(Type::int8), result(Type::bytes), flags(Type::int2);
  for (const Row& row : rows) {
    id.add(row.key);
    fence.add(static_cast<std::int64_t>(to_number(row.completion->lease.fence)));
    const auto& content = row.completion->result;
    content ? result.add(std::string_view(content->data)) : result.add_null();
    flags.add(std::int64_t{content && content->encoding == Encoding::bytes ? kResultBytes : std::uint16_t{0}});
  }
  Params params;
  params.array(std::move(id)).array(std::move(fence)).array(std::move(result)).array(std::move(flags));
  connection.call(kComplete, std::move(params));
}

void Group::call_locks(Connection& connection) const {
  std::vector<std::int32_t> workers;
  for (const PendingClaim& claim : claims) workers.push_back(claim.worker->key);
  std::sort(workers.begin(), workers.end());
  workers.erase(std::unique(workers.begin(), workers.end()), workers.end());
  connection.call(kClaimLock, Params().int4s(workers));
}

void Group::call_claims(Connection& connection, const ClaimSet& set) const {
  Column worker(Type::int4), revision(Type::int8), want(Type::int4), lease(Type::int8);
  for (const Ask& ask : set.asks) {
    const PendingClaim& claim = claims[ask.claims.front()];
    worker.add(std::int64_t{claim.worker->key});
    revision.add(claim.worker->revision);
    want.add(static_cast<std::int64_t>(std::min<std::size_t>(ask.want, limits::kClaimBatchMax)));
    lease.add(claim.request.lease_ttl ? std::optional(claim.request.lease_ttl->count()) : std::nullopt);
  }
  Params params;
  params.array(std::move(worker)).array(std::move(revision)).array(std::move(want)).array(std::move(lease));
  params.int4s(set.lanes->plain).int8(static_cast<std::int64_t>(limits::kClaimBytesMax));
  if (set.across) params.boolean(set.lanes->all);
  connection.call(set.across ? kClaimAcross : kClaim, std::move(params));
}

bool Group::run(Connection& connection, Leftovers& later) {
  plan_enqueues(later);
  plan_completions(later);
  plan_claims(later);
  if (size() == 0) return true;
  connection.call(kHead);
  // Workers before jobs, and all of them at once: the order in which everybody locks.
  if (!claims.empty()) call_locks(connection);
  if (!completions.empty()) call_completions(connection);
  if (!enqueues.empty()) call_enqueues(connection);
  for (const ClaimSet& set : sets_) call_claims(connection, set);
  const std::int64_t known_version = node_.directory.version();
  sent_ = true;
  const auto answers = connection.exchange();
  if (!answers.ok()) return false;
  node_.metrics.commits.add();
  node_.metrics.group_size.observe(static_cast<double>(size()));

  std::size_t at = 0;
  const Rows& head = (*answers)[at++];
  now_ = from_ms(head.integer(0, 0));
  node_.saw_time(now_);
  const bool stale = head.integer(0, 1) != known_version;
  changes_.clear();
  if (!claims.empty()) ++at;  // the locks
  if (!completions.empty()) take_completed((*answers)[at++]);
  if (!enqueues.empty()) take_enqueued((*answers)[at++]);
  claim_replies_.assign(claims.size(), {});
  answered_claims_.assign(claims.size(), false);
  for (const ClaimSet& set : sets_) take_claimed((*answers)[at++], set, stale);
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

}  // namespace muster::store::postgres
