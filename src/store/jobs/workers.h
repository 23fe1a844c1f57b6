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

bool matches(const Worker& worker, const WorkerQuery& query);

// What a worker that drains by itself is told as the reason.
inline constexpr const char* kDrainsItself = "the worker asked for it";

}  // namespace muster::store::jobs
