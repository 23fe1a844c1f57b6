// Requests of the hot verbs on their way. Each is answered exactly once.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/clock.h"
#include "base/reply.h"
#include "store/postgres/directory.h"
#include "store/postgres/verbs/settle.h"
#include "store/store.h"

namespace muster::store::postgres {

struct EnqueueRequest {
  std::vector<JobSpec> jobs;
  Reply<std::vector<Enqueued>> reply;
  Ticks queued_at{};
  std::vector<LaneKey> lanes;  // of each job, set when the group is planned
  bool alone = false;          // the server refused a group with it: it is tried by itself
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

}  // namespace muster::store::postgres
