// Workers and jobs over RESP, as the rest of the front calls them. Everything runs on the loop's thread.
//
//   worker_commands.cc  WORKER.REGISTER, HEARTBEAT, UNREGISTER and the table of this folder's commands
//   worker_list.cc      WORKER.LIST
//   pings.cc            PING <id>, SET worker:<id>:tools and :tags
//   pops.cc             jobs out of a queue (BRPOP and its kin)
//   pushes.cc           jobs into a queue (LPUSH, RPUSH)
//   updates.cc          what became of a job (JOB.UPDATE, SET job:<id>:status, LREM queue:processing)
//   verify.cc           WORKER.VERIFY
//   work_state.h        who holds what, and what the end of a connection means
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/status.h"
#include "base/unique_function.h"
#include "fronts/resp/call.h"
#include "model/ids.h"
#include "model/worker.h"

namespace muster::resp::work {

// --- workers ---

// PING <id>: registers the worker when it is not, and is a heartbeat of it in any case. Answers with the id.
void ping_worker(const CallRef& call);
// SET worker:<id>:tools and SET worker:<id>:tags: a comma list. A worker that is not registered is registered as PING would.
void set_worker_tools(const CallRef& call, WorkerId worker, std::string list);
void set_worker_tags(const CallRef& call, WorkerId worker, std::string list);

// The worker that stands for connections that never named one, on this or another node. Hidden from every listing.
bool is_anonymous(const WorkerId& worker);
// Registered by PING or SET, not by WORKER.REGISTER.
bool is_pinged(const WorkerSpec& spec);
// ACTIVE, DRAINING, DEAD or UNREGISTERED.
std::string_view state_word(const Worker& worker);
// Names of tools, sorted, without their kind; `*` for one that did not say.
std::vector<std::string> tools_of(const WorkerSpec& spec);
// What SET worker:<id>:tags said; empty when it did not.
std::string tags_of(const WorkerSpec& spec);

// --- jobs ---

// `job_` and 32 hexadecimal digits, the digits alone, or a UUID.
std::optional<JobId> parse_job_id(std::string_view text);
// The job that a client means: an id of ours, or one that its client chose when it pushed the job. not_found: neither.
void resolve_job(const CallRef& call, std::string text, UniqueFunction<void(Result<JobId>)> then);

// SET job:<id>:status|stdout|stderr <value>. `job` as the client wrote it. May also stand in a run of Flow::updates.
enum class JobPart : std::uint8_t { status, stdout_text, stderr_text };
void set_job_part(const CallRef& call, std::string job, JobPart part, std::string value);
// LREM queue:processing <count> <id or document>. May also stand in a run of Flow::updates.
void remove_processing(const CallRef& call);

}  // namespace muster::resp::work
