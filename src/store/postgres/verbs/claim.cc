// Claims that must look at jobs one by one: lanes whose jobs have wishes, and queues with caps or rates. One at a time in a
// namespace, so that what is counted holds until the commit.
#include <algorithm>
#include <map>
#include <set>

#include "model/rate_bucket.h"
#include "store/codec/spec_text.h"
#include "store/jobs/workers.h"
#include "store/postgres/group/group.h"
#include "store/postgres/moves.h"
#include "store/postgres/verbs/verbs.h"
#include "store/refusals.h"

namespace muster::store::postgres {
namespace {

// Jobs fetched beyond the wanted ones, because some will turn out to be somebody else's.
constexpr std::size_t kSpareHeads = 16;
// Rounds of fetching; what is still hidden behind held keys then is found by the next claim.
constexpr int kRoundsMax = 20;

struct Head {
  JobKey key = 0;
  LanePtr home;
  LanePtr stand;
  std::int64_t size = 0;
};

// What the queues of this claim let through, counted under the gate.
class Budget {
 public:
  Budget(Tx& tx, const std::vector<LaneKey>& lanes) : tx_(tx) {
    std::vector<std::int32_t> counted, rated;
    for (const LaneKey key : lanes) {
      const LanePtr lane = tx.directory().lane(key);
      const QueueRef queue = lane ? tx.directory().queue(lane->queue) : nullptr;
      if (queue == nullptr || !queues_.emplace(queue->key, queue).second) continue;
      if (queue->settings.running_max || !queue->settings.running_max_by_type.empty())
        for (const LanePtr& one : tx.directory().lanes_of_queue(queue->key)) counted.push_back(one->key);
      if (queue->settings.rate) rated.push_back(queue->key);
    }
    if (!counted.empty()) {
      const Rows rows = tx.ask("claim_counts"_sql, Params().int4s(counted));
      for (std::size_t i = 0; i < rows.size(); ++i)
        if (const LanePtr lane = tx.directory().lane(static_cast<LaneKey>(rows.integer(i, 0))))
          add(*lane, static_cast<std::uint64_t>(rows.integer(i, 1)));
      counted_ = std::move(counted);
    }
    if (!rated.empty()) {
      const Rows rows = tx.ask("queue_tokens"_sql, Params().int4s(rated));
      for (std::size_t i = 0; i < rows.size(); ++i) {
        const auto filled = rows.maybe(i, 2);
        buckets_[static_cast<QueueKey>(rows.integer(i, 0))] =
            RateBucket(rows.null(i, 1) ? 0 : rows.real(i, 1), filled ? std::optional(from_ms(*filled)) : std::nullopt);
      }
    }
  }

  // The queue lets a job of this lane through now.
  bool open(const LaneEntry& lane) {
    const QueueEntry& queue = *queues_.at(lane.queue);
    const auto of_type = [&](const std::string& type) { return by_type_[{lane.queue, type}]; };
    return jobs::has_room(queue.settings, lane.lane->type, running_[lane.queue], of_type) &&
           jobs::has_token(queue.settings, buckets_[lane.queue], tx_.now(), retry_at);
  }

  void spend(const LaneEntry& lane) {
    add(lane, 1);
    if (const auto bucket = buckets_.find(lane.queue); bucket != buckets_.end()) {
      bucket->second.take();
      spent_.insert(lane.queue);
    }
  }

  void write() {
    for (const QueueKey queue : spent_) {
      const RateBucket& bucket = buckets_[queue];
      tx_.write("queue_tokens_put"_sql,
                Params().int4(queue).float8(bucket.tokens()).int8(to_ms(bucket.filled_at().value_or(tx_.now()))));
    }
  }

  const std::vector<std::int32_t>& counted_lanes() const { return counted_; }
  std::optional<Instant> retry_at;

 private:
  void add(const LaneEntry& lane, std::uint64_t n) {
    running_[lane.queue] += n;
    by_type_[{lane.queue, lane.lane->type.text()}] += n;
  }

  Tx& tx_;
  std::map<QueueKey, QueueRef> queues_;
  std::map<QueueKey, std::uint64_t> running_;
  std::map<std::pair<QueueKey, std::string>, std::uint64_t> by_type_;
  std::map<QueueKey, RateBucket> buckets_;
  std::set<QueueKey> spent_;
  std::vector<std::int32_t> counted_;
};

// Concurrency keys and sticky bonds as they are under the gate, asked once each.
class Ties {
 public:
  explicit Ties(Tx& tx) : tx_(tx) {}

  void hold(const Wishes& wishes) {
    if (!wishes.concurrency_key.empty()) ++held(wishes);
  }
  // The live worker a sticky key belongs to; 0: nobody.
  WorkerKey owner(const LaneEntry& home, const Wishes& wishes) {
    const auto [found, fresh] = owners_.try_emplace({home.queue, wishes.sticky_key}, 0);
    if (fresh) {
      const Rows rows = tx_.ask("sticky_find"_sql, Params().int4(home.queue).bytes(wishes.sticky_key));
      if (rows.size() > 0) {
        const WorkerPtr worker = tx_.load_worker(static_cast<WorkerKey>(rows.integer(0, 0)));
        if (worker != nullptr && worker->worker.state != WorkerState::offline) found->second = worker->key;
      }
    }
    return found->second;
  }
  void bind(const LaneEntry& home, const Wishes& wishes, WorkerKey worker) {
    owners_[{home.queue, wishes.sticky_key}] = worker;
    tx_.write("sticky_put"_sql, Params().int4(home.queue).bytes(wishes.sticky_key).int4(worker));
  }

  std::uint64_t& held(const Wishes& wishes) {
    const auto [found, fresh] = held_.try_emplace({wishes.ns, wishes.concurrency_key}, 0);
    if (fresh) {
      const Rows rows = tx_.ask("holders_count"_sql, Params().int4(wishes.ns).bytes(wishes.concurrency_key));
      if (rows.size() > 0) found->second = static_cast<std::uint64_t>(rows.integer(0, 0));
    }
    return found->second;
  }

 private:
  Tx& tx_;
  std::map<std::pair<NamespaceKey, std::string>, std::uint64_t> held_;
  std::map<std::pair<QueueKey, std::string>, WorkerKey> owners_;
};

class Search {
 public:
  Search(Tx& tx, WorkerPtr worker, const std::vector<LaneKey>& lanes, std::size_t want)
      : tx_(tx), worker_(std::move(worker)), lanes_(lanes), want_(want), budget_(tx, lanes), ties_(tx), moves_(tx) {}

  void run() {
    for (int round = 0; round < kRoundsMax && wants_more() && !tx_.failed(); ++round) {
      if (!look()) break;
      moves_.flush();  // those that are somebody else's leave the heads
    }
    // Locked for a moment and not taken: others may have passed them over.
    for (const auto& [lane, seen] : passed_) tx_.wake(lane);
  }

  const std::vector<JobKey>& taken() const { return taken_; }
  Budget& budget() { return budget_; }
  const std::map<JobKey, LiveJob>& wished() const { return wished_; }
  Ties& ties() { return ties_; }

 private:
  bool wants_more() const { return taken_.size() < want_ && bytes_ < static_cast<std::int64_t>(limits::kClaimBytesMax); }

  // One look at the heads. True: some were put aside, so another look may find more.
  bool look() {
    const Rows rows =
        tx_.ask("claim_heads"_sql, Params().int4s(lanes_).int4(static_cast<std::int64_t>(want_ - taken_.size() + kSpareHeads)));
    std::vector<Head> heads;
    std::vector<JobKey> special;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      Head head{rows.integer(i, 0), tx_.directory().lane(static_cast<LaneKey>(rows.integer(i, 2))),
                tx_.directory().lane(static_cast<LaneKey>(rows.integer(i, 3))), rows.integer(i, 4)};
      if (head.home == nullptr || head.stand == nullptr || taken_set_.contains(head.key)) continue;
      if (head.home->special) special.push_back(head.key);
      heads.push_back(std::move(head));
    }
    std::map<JobKey, LiveJob> jobs = lock_jobs(tx_, special);
    bool put_aside = false;
    for (const Head& head : heads) {
      if (!wants_more() || !budget_.open(*head.home)) {
        ++passed_[head.stand->key];
        continue;
      }
      const auto job = jobs.find(head.key);
      if (head.home->special) {
        if (job == jobs.end()) continue;
        if (!may_take(job->second, *head.home)) {
          moves_.place(job->second);
          put_aside = true;
          continue;
        }
      }
      taken_.push_back(head.key);
      taken_set_.insert(head.key);
      bytes_ += head.size;
      budget_.spend(*head.home);
      if (job != jobs.end()) {
        bind(job->second, *head.home);
        wished_.emplace(head.key, job->second);
      }
    }
    return put_aside;
  }

  // A head may still not be this worker's to take: its key is held, or its sticky key belongs to somebody else.
  bool may_take(const LiveJob& job, const LaneEntry& home) {
    if (!job.wishes) return true;
    const Wishes& wishes = *job.wishes;
    const WorkerKey owner = wishes.sticky_key.empty() ? 0 : ties_.owner(home, wishes);
    const WorkerPtr bound = owner != 0 && owner != worker_->key ? tx_.worker(owner) : nullptr;
    return jobs::may_take(bound != nullptr && may_serve(*bound->offer, *home.lane),
                          wishes.concurrency_key.empty() ? std::nullopt : std::optional(wishes.concurrency_limit),
                          [&] { return ties_.held(wishes); }) == jobs::Take::yes;
  }

  void bind(const LiveJob& job, const LaneEntry& home) {
    if (!job.wishes) return;
    ties_.hold(*job.wishes);
    // A key whose worker lives keeps it, even when that worker could not do this very job.
    if (!job.wishes->sticky_key.empty() && ties_.owner(home, *job.wishes) == 0) ties_.bind(home, *job.wishes, worker_->key);
  }

  Tx& tx_;
  const WorkerPtr worker_;
  const std::vector<LaneKey>& lanes_;
  const std::size_t want_;
  Budget budget_;
  Ties ties_;
  Moves moves_;
  std::vector<JobKey> taken_;
  std::set<JobKey> taken_set_;
  std::map<JobKey, LiveJob> wished_;
  std::map<LaneKey, std::size_t> passed_;
  std::int64_t bytes_ = 0;
};

// Keys held, turns over, and keys that guarded the waiting only.
void write_ties(Tx& tx, const std::map<JobKey, LiveJob>& jobs) {
  Table held = key_table(), unique = key_table();
  std::vector<std::int64_t> fair_over;
  std::vector<std::int32_t> fair_lanes;
  for (const auto& [id, live] : jobs) {
    if (!live.wishes) continue;
    const Wishes& wishes = *live.wishes;
    if (!wishes.concurrency_key.empty()) held.add(wishes.ns, wishes.concurrency_key, id);
    if (wishes.unique_waiting && !wishes.unique_key.empty()) unique.add(wishes.ns, wishes.unique_key, id);
    if (wishes.fair_lane != 0) {
      tx.write("fair_advance"_sql, Params().int4(wishes.fair_lane).int8(wishes.fair_start));
      fair_over.push_back(id);
      fair_lanes.push_back(wishes.fair_lane);
    }
  }
  if (!held.empty()) tx.write("holders_put"_sql, held.params());
  if (!unique.empty()) tx.write("unique_release"_sql, unique.params());
  if (!fair_over.empty()) {
    tx.write("fair_done"_sql, Params().int8s(fair_over));
    tx.write("fair_forget"_sql, Params().int4s(fair_lanes));
  }
}

Grant grant_of(Tx& tx, const Rows& rows, std::size_t i) {
  Grant out;
  out.id = tx.ids().encode(rows.integer(i, 0));
  if (const LanePtr lane = tx.directory().lane(static_cast<LaneKey>(rows.integer(i, 1)))) {
    out.ns = lane->lane->ns;
    out.queue = lane->lane->queue;
    out.type = lane->lane->type;
  }
  fill_grant(out, rows, i, 2);
  return out;
}

Result<WorkerPtr> find_claimer(Tx& tx, NamespaceKey ns, const ClaimRequest& request) {
  const WorkerPtr cached = tx.find_worker(ns, request.worker);
  if (cached == nullptr) return refusal::not_registered(request.worker);
  (void)tx.ask("claim_lock"_sql, Params().int4s({cached->key}));
  const WorkerPtr worker = tx.load_worker(cached->key);
  if (worker == nullptr) return refusal::not_registered(request.worker);
  if (Status refused = jobs::may_claim(&worker->worker, worker->offer.get(), request); !refused.ok()) return refused;
  return worker;
}

}  // namespace

Result<ClaimReply> claim_gated(Tx& tx, const ClaimRequest& request) {
  const auto ns = tx.namespace_key(request.ns);
  if (!ns.ok()) return ns.status();
  tx.lock_gates({*ns});
  const auto found = find_claimer(tx, *ns, request);
  if (!found.ok()) return found.status();
  const WorkerPtr& worker = *found;
  ClaimReply reply;
  reply.offer = request.narrow || !request.queues.empty()
                    ? std::make_shared<const Offer>(jobs::narrowed(worker->worker.spec, *worker->offer, request))
                    : worker->offer;
  if (worker->worker.state == WorkerState::draining) {
    reply.block = ClaimBlock::draining;
    return reply;
  }
  const Rows state = tx.ask("claim_worker"_sql, Params().int4(worker->key));
  if (state.size() == 0) return reply;
  const std::int64_t free = state.integer(0, 3) - state.integer(0, 5);
  if (free <= 0) {
    reply.block = ClaimBlock::no_slots;
    return reply;
  }
  const auto offered_lanes = tx.directory().lanes_of(reply.offer);
  std::vector<LaneKey> lanes = offered_lanes->plain;
  lanes.insert(lanes.end(), offered_lanes->gated.begin(), offered_lanes->gated.end());
  const std::size_t want = std::min({request.limit, static_cast<std::size_t>(free), limits::kClaimBatchMax});

  Search search(tx, worker, lanes, want);
  search.run();
  if (!search.taken().empty()) {
    Params params;
    params.int8s(search.taken()).int4(worker->key);
    request.lease_ttl ? params.int8(request.lease_ttl->count()) : params.null();
    params.int8(state.integer(0, 4)).int4s(search.budget().counted_lanes());
    const Rows rows = tx.ask("claim_take"_sql, std::move(params));
    write_ties(tx, search.wished());
    search.budget().write();
    std::map<JobKey, std::size_t> by_key;
    for (std::size_t i = 0; i < rows.size(); ++i) by_key.emplace(rows.integer(i, 0), i);
    for (const JobKey key : search.taken()) {
      const auto row = by_key.find(key);
      if (row == by_key.end()) continue;
      const Grant& grant = reply.grants.emplace_back(grant_of(tx, rows, row->second));
      tx.tell(key, static_cast<LaneKey>(rows.integer(row->second, 1)), JobState::ready, JobState::running, JobEvent::claimed,
              grant.attempt, static_cast<std::int64_t>(to_number(grant.fence)), worker->key);
    }
  }
  if (reply.grants.empty()) reply.retry_at = search.budget().retry_at;
  return reply;
}

}  // namespace muster::store::postgres
