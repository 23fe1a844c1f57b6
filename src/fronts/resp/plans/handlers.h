// The handlers of the commands about plans, actions, jobs, queues and the whole server; entries.cc is their table. Each reads its
// arguments, asks, and renders; no rules live here.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/status.h"
#include "command/spec.h"
#include "fronts/resp/call.h"
#include "fronts/resp/core.h"

namespace muster::resp::plans {

void plan_submit(const CallRef& call);
void plan_list(const CallRef& call);
void plan_get(const CallRef& call);
void plan_delete(const CallRef& call);

void action_submit(const CallRef& call);
void action_list(const CallRef& call);
void action_get(const CallRef& call);
void action_status(const CallRef& call);

void job_get(const CallRef& call);
void job_status(const CallRef& call);
void job_list(const CallRef& call);
void job_retry(const CallRef& call);
void jobs_list(const CallRef& call);
void jobs_search(const CallRef& call);

void workers_list(const CallRef& call);
void queue_stats(const CallRef& call);
void queue_peek(const CallRef& call);
void metrics(const CallRef& call);

// --- what they share ---

// The whole text as a decimal number.
std::optional<std::int64_t> to_integer(std::string_view text);
std::int64_t unix_seconds(Instant at);
std::string unix_seconds_text(Instant at);
inline constexpr std::int64_t kUsualCount = 100;  // of actions and jobs, when a list names no number
// -ERR with the status's message.
void refuse(const CallRef& call, const Status& status);
// Deletes the plan and tells the cache. ok with false: there is none. conflict: an unfinished job needs it.
void remove_plan(const CallRef& call, const std::string& plan_id, UniqueFunction<void(Result<bool>)> then);

inline constexpr const char* kPlanInUse = "Cannot delete plan with active jobs";

}  // namespace muster::resp::plans
