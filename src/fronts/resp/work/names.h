// Names that the files of this folder agree on.
#pragma once

#include <string_view>

namespace muster::resp::work {

// A worker of this name stands for connections without one; no client may take such a name.
inline constexpr std::string_view kAnonymousPrefix = "anonymous-";
// What a worker offers that did not say which tools it has.
inline constexpr const char* kEveryTool = "tool:*";
inline constexpr std::string_view kToolKind = "tool:";
// Label of what SET worker:<id>:tags said.
inline constexpr const char* kTagsLabel = "tags";
// Type of the job that carries a question to its worker.
inline constexpr const char* kTypeVerify = "verify";
// JobSpec::idempotency_key of a job whose client chose its id.
inline constexpr std::string_view kChosenIdKey = "resp:";
// Error kind of a job that its worker reported as failed.
inline constexpr const char* kErrorReported = "job_failed";

// Keys of queues, and the two that are views of all of them.
inline constexpr std::string_view kQueuePrefix = "queue:";
inline constexpr std::string_view kProcessing = "queue:processing";
inline constexpr std::string_view kProcessingSuffix = ":processing";
inline constexpr std::string_view kScheduled = "queue:scheduled";

}  // namespace muster::resp::work
