// The hot verbs of plain jobs: what waited while the last exchange was under way, all of it or, of a crowd, the kind that waited
// longest, as a few multi-row statements in one transaction with one sync.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "base/clock.h"
#include "base/reply.h"
#include "store/postgres/directory.h"
#include "store/postgres/node.h"
#include "store/postgres/verbs/settle.h"
#include "store/postgres/wire/connection.h"
#include "store/store.h"

namespace muster::store::postgres {

// Requests of the hot verbs on their way. Each is answered exactly once.

struct EnqueueRequest {
  std::vector<JobSpec> jobs;
  Reply<std::vector<Enqueued>> reply;
  Ticks queued_at{};
  std::vector<LaneKey> lanes;  // of each job, set when the group is planned
  bool alone = false;          // the server refused a group with it: it is tried by itself
  bool by_lane = false;        // the names changed under it: each of its lanes is looked at
};

// Outcomes of any kind; completions of plain jobs are tried in a group first, what that leaves is settled one by one.
struct SettleRequest {
  std::vector<Outcome> outcomes;
  std::vector<std::optional<Result<Settled>>> answers;  // those known so far
  Reply<Each<Settled>> reply;
  Ticks queued_at{};

  void answer();
};

template <class Request>
void refuse_all(std::vector<Request>& requests, const Status& status) {
  for (Request& request : requests) request.reply(status);
  requests.clear();
}
// What a group completed is done, whatever became of the rest.
void refuse_all(std::vector<SettleRequest>& requests, const Status& status);

struct ExtendRequest {
  std::vector<Extension> extensions;
  Reply<Each<Renewed>> reply;
  Ticks queued_at{};
};

struct BeatRequest {
  std::vector<Beat> beats;
  Reply<Each<BeatReply>> reply;
  Ticks queued_at{};
};

struct StepRequest {
  std::vector<StepCall> calls;
  Reply<Each<StepAnswer>> reply;
  Ticks queued_at{};
  std::size_t bytes() const;  // of the contents it brings
};

struct PendingClaim {
  ClaimRequest request;
  Reply<ClaimReply> reply;
  Ticks queued_at{};
  bool gate_passed = false;  // nothing waits in the gated lanes it may serve
  bool by_lane = false;      // what it may take lies behind jobs of other lanes
  std::uint8_t tries = 0;    // after a stale cache or a lost race
  WorkerPtr worker;          // set when the group is planned
  std::shared_ptr<const Offer> offer;
  std::shared_ptr<const OfferLanes> lanes;
};

// What a group could not do itself: for transactions of their own, or for the next group.
struct Leftovers {
  std::vector<EnqueueRequest> enqueues;  // a lane is not known yet, or a job is not plain
  std::vector<SettleRequest> settles;    // not plain, or no longer theirs
  std::vector<PendingClaim> claims;      // gated lanes, or somebody must say why there is nothing
  std::vector<PendingClaim> next_claims;
};

// The part of a grant that follows the job's lane in a row, from `column` on: attempt, priority, fence, lease_until,
// times_out_at, flags, spec, payload, progress, partial.
void fill_grant(Grant& grant, const Rows& rows, std::size_t row, int column);

// Whether it is one row a job and nothing else, with lanes this node knows; fills in the lanes.
bool fits_group(const Directory& directory, EnqueueRequest& request);

class Group {
 public:
  explicit Group(Node& node) : node_(node) {}

  std::vector<EnqueueRequest> enqueues;
  std::vector<SettleRequest> completions;
  std::vector<PendingClaim> claims;

  std::size_t size() const { return enqueues.size() + completions.size() + claims.size(); }
  // Makes the calls, exchanges them, tells what changed and answers. False: the connection's trouble says why nothing was done;
  // then the requests are still here, unanswered.
  bool run(Connection& connection, Leftovers& later);
  bool sent() const { return sent_; }    // what it asks may have been done
  bool stale() const { return stale_; }  // it found that the directory is behind
  // Answers everything that is left with this.
  void refuse(const Status& status);
  // Every request becomes a transaction of its own: one of them made the server refuse them all.
  void take_apart(Leftovers& later);

 private:
  bool sent_ = false;
  bool stale_ = false;
  // Of the directory, taken before anything is looked up in it: what is found is no older.
  std::int64_t known_version_ = 0;
  // Claims of one worker are one row of the statement, since its free slots are counted once; what it gets is dealt out in their
  // order.
  struct Ask {
    std::size_t want = 0;
    std::vector<std::size_t> claims;  // by place in `claims`
  };
  // How the jobs of a set are looked for: in one lane, in a few, lane by lane, or along the order of all jobs, of which all or
  // some may be served.
  enum class Look : std::uint8_t { lane, few, by_lane, all, across };
  struct ClaimSet {
    std::shared_ptr<const OfferLanes> lanes;
    Look look = Look::lane;
    std::vector<Ask> asks;
  };
  static Look look_of(const PendingClaim& claim);
  void plan_enqueues(Leftovers& later);
  void plan_completions(Leftovers& later);
  void plan_claims(Leftovers& later);
  bool prepare_claim(PendingClaim& claim);
  bool all_due_now() const;
  void call_enqueues(Connection& connection) const;
  void call_enqueues_now(Connection& connection) const;
  void call_completions(Connection& connection) const;
  void call_locks(Connection& connection) const;
  void call_claims(Connection& connection, const ClaimSet& set) const;
  void take_enqueued(const Rows& rows);
  void note_enqueued(std::int64_t key, LaneKey lane, std::optional<std::int64_t> scheduled_at);
  void take_completed(const Rows& rows);
  void take_claimed(const Rows& rows, const ClaimSet& set);
  void judge_empty(const Rows& rows, std::size_t row, std::size_t index, std::int64_t free, bool whole);
  void deliver(Leftovers& later);
  Grant grant_from(const Rows& rows, std::size_t row) const;
  JobChange& tell(std::int64_t job, LaneKey lane, std::optional<JobState> from, JobState to, JobEvent event,
                  std::uint32_t attempt, std::int64_t fence, WorkerKey worker);

  Node& node_;
  std::vector<ClaimSet> sets_;
  Changes changes_;
  Instant now_{};
  std::vector<std::vector<Enqueued>> enqueued_;
  std::vector<ClaimReply> claim_replies_;
  std::vector<bool> answered_claims_;
};

}  // namespace muster::store::postgres
