// Which worker may ask for jobs, and for which ones: pure rules that both stores follow.
#pragma once

#include <optional>

#include "base/status.h"
#include "model/lane.h"
#include "model/worker.h"
#include "store/verbs.h"

namespace muster::store::jobs {

// ok: the worker is live and the session, if one is named, is its own.
Status live_session(const Worker& worker, const std::optional<SessionId>& session);
// ok: it is live, the session is its own, and its offer has what the claim narrows it to. `worker` null: there is none.
Status may_claim(const Worker* worker, const Offer* offer, const ClaimRequest& request);
// What a claim offers: the worker's offer, narrowed as the request asks.
Offer narrowed(const WorkerSpec& worker, Offer offer, const ClaimRequest& request);

// What a drain makes of a live worker. False: nothing.
bool drained(Worker& worker, const Drain& drain, Instant now);
// What taking a drain back makes of a live worker. False: nothing. conflict: it drains itself, and would again at its next beat.
Result<bool> resumed(Worker& worker, const Resume& resume);
// The worker says that it takes no more. False: it drains already.
bool drains_itself(Worker& worker);
// A new session begins with nothing of the drain before it.
void forget_drain(Worker& worker);

bool matches(const Worker& worker, const WorkerQuery& query);

// What a worker that drains by itself is told as the reason.
inline constexpr const char* kDrainsItself = "the worker asked for it";
// What is told as the cause when a drain was taken back.
inline constexpr const char* kBackToWork = "resumed work";

}  // namespace muster::store::jobs
