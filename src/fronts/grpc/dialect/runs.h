// Runs in Kagzi's words: their status, and finding, listing, counting and starting them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/reply.h"
#include "command/runs.h"
#include "fronts/grpc/call.h"
#include "fronts/grpc/core.h"
#include "fronts/grpc/dialect/leases.h"
#include "model/job.h"

namespace muster::rpc {

inline constexpr std::size_t kListBytesMax = 3 * 1024 * 1024;  // of payloads on one page; clients take 4 MiB
inline constexpr std::size_t kCountScanMax = 10'000;           // runs looked at one by one to count what no index counts

// Both dialects have these numbers.
enum class RunStatus : int { none = 0, pending = 1, running = 2, sleeping = 3, completed = 4, failed = 5, cancelled = 6 };
RunStatus status_of(const Job& run);
std::string_view word_of(RunStatus status);  // "PENDING"
std::optional<RunStatus> parse_status(std::string_view word);

std::int32_t attempts_of(const Job& run);
std::optional<Instant> begun_at(const Job& run);
std::optional<JobError> failure_of(const Job& run);  // of a run that failed; its text says what ended it
std::string input_of(const Job& run);
std::string version_of(const Job& run);

// The run of this id, in this namespace; an empty one: in any. not_found: none, or another kind of job.
void find_run(const CallRef& call, NamespaceName ns, JobId id, Reply<Job> reply);
// The unfinished run of this external id. not_found: there is none.
void find_by_external_id(const CallRef& call, NamespaceName ns, const std::string& id, Reply<JobId> reply);

struct RunListing {
  store::JobFilter filter;  // runs_only is set here
  std::optional<RunStatus> status;
  std::size_t limit = 20;
  std::string cursor;
};
struct RunsPage {
  std::vector<Job> runs;
  std::string next;  // empty: the end
};
// Newest first. A namespace that is not there has no runs.
void list_runs(const CallRef& call, RunListing listing, Reply<RunsPage> reply);
void count_runs(const CallRef& call, RunListing listing, Reply<std::uint64_t> reply);

// How many runs are where, by (queue, type) and status.
using RunCounts = std::map<std::pair<std::string, std::string>, std::map<RunStatus, std::uint64_t>>;
void count_statuses(const CallRef& call, NamespaceName ns, QueueName queue, Reply<RunCounts> reply);

// A run that needs a worker of its type; its namespace is made when it is not there.
JobSpec run_of(NamespaceName ns, std::string_view task_queue, std::string_view workflow_type);
void start_run(const CallRef& call, command::RunStartRequest&& run, Reply<store::Enqueued> reply);
void cancel_run(const CallRef& call, JobId run, Reply<store::Cancelled> reply);

// Ends a run under the call's lease (words/leases.h). conflict: it is not running.
void complete_run(const CallRef& call, store::RunRef run, Content output, Reply<store::Settled> reply);
void fail_run(const CallRef& call, store::RunRef run, JobError error, Reply<store::Settled> reply);

}  // namespace muster::rpc
