// Every bound of the model, by name. docs/limits.md says what happens at each; a test keeps the two in step.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>

#include "base/clock.h"

namespace muster::limits {

using namespace std::chrono_literals;

// Names and values.
inline constexpr std::size_t kNameBytesMax = 128;        // namespace, queue, type, worker id
inline constexpr std::size_t kCapabilityBytesMax = 192;  // one `kind:name`
inline constexpr std::size_t kCapabilitiesMax = 256;     // offered by a worker
inline constexpr std::size_t kNeedsMax = 32;             // needed by a job
inline constexpr std::size_t kLabelsMax = 32;            // on a job or a worker
inline constexpr std::size_t kLabelBytesMax = 128;       // a label's key, and its value
inline constexpr std::size_t kKeyBytesMax = 256;         // idempotency, unique, concurrency, fairness, affinity key
inline constexpr std::size_t kMetadataBytesMax = 16 * 1024;
inline constexpr std::size_t kErrorBytesMax = 4 * 1024;  // longer error texts are refused, not cut

// Payloads.
inline constexpr std::size_t kPayloadBytesMax = 4 * 1024 * 1024;
inline constexpr std::size_t kResultBytesMax = 4 * 1024 * 1024;
inline constexpr std::size_t kPartialBytesMax = 256 * 1024;

// Batches and pages.
inline constexpr std::size_t kEnqueueBatchMax = 10'000;
inline constexpr std::size_t kSettleBatchMax = 10'000;
inline constexpr std::size_t kClaimBatchMax = 1'000;
inline constexpr std::size_t kClaimBytesMax = 32 * 1024 * 1024;  // of payloads; the job that passes it is the last of its claim
inline constexpr std::size_t kPageMax = 1'000;
inline constexpr std::size_t kPageDefault = 100;
inline constexpr std::size_t kPageBytesMax = 32 * 1024 * 1024;  // of payloads and results on one page
inline constexpr std::size_t kRedriveBatchMax = 10'000;
inline constexpr std::size_t kSearchScanMax = 200'000;  // rows one page of a search may look at
inline constexpr std::size_t kQueuesPerClaimMax = 64;

// Jobs.
inline constexpr std::int32_t kPriorityMin = -1'000;
inline constexpr std::int32_t kPriorityMax = 1'000;
inline constexpr std::uint32_t kAttemptsMax = 1'000;
inline constexpr std::uint32_t kAttemptsDefault = 5;
inline constexpr std::uint32_t kRescuesMax = 1'000;
inline constexpr std::uint32_t kRescuesDefault = 3;
inline constexpr std::size_t kDependenciesMax = 1'000;
inline constexpr std::uint32_t kConcurrencyMax = 100'000;
inline constexpr std::uint32_t kFairnessWeightMax = 1'000;
inline constexpr std::size_t kAttemptRecordsMax = 20;  // failed attempts remembered per job, the newest
inline constexpr Duration kDelayMax = 24h * 366 * 10;
inline constexpr Duration kJobTimeoutMax = 24h * 30;
inline constexpr Duration kBackoffMax = 24h * 30;
inline constexpr Duration kPreferWaitDefault = 5s;

// Plans and actions.
inline constexpr std::size_t kPlanBytesMax = 1024 * 1024;
inline constexpr std::size_t kPlanTasksMax = 100;
inline constexpr std::size_t kActionJobsMax = 10'000;

// Runs and schedules.
inline constexpr std::size_t kStepNameBytesMax = 256;
inline constexpr std::size_t kStepsPerRunMax = 10'000;   // attempts of all its steps
inline constexpr std::size_t kSignalsPerRunMax = 1'000;  // that nobody has taken yet
inline constexpr Duration kChildLookEvery = 60s;         // a run that waits for a child looks for itself this often
inline constexpr std::size_t kTimingBytesMax = 1'024;
inline constexpr std::size_t kBackfillMax = 10'000;  // fires of one backfill
inline constexpr std::size_t kPreviewMax = 1'000;

// Workers and leases.
inline constexpr std::uint32_t kSlotsMax = 100'000;
inline constexpr Duration kHeartbeatMin = 1s;
inline constexpr Duration kHeartbeatMax = 10min;
inline constexpr Duration kLeaseMin = 1s;
inline constexpr Duration kLeaseMax = 24h;
inline constexpr Duration kClaimWaitMax = 60s;
inline constexpr Duration kOfflineKept = 24h * 7;
inline constexpr Duration kDrainDeadlineDefault = 30s;
inline constexpr Duration kDrainDeadlineMax = 24h;
inline constexpr std::size_t kWorkersMax = 100'000;

// Retention of finished jobs.
inline constexpr Duration kFinishedKeptDefault = 24h * 7;
inline constexpr std::uint64_t kFinishedCountDefault = 1'000'000;
inline constexpr Duration kDeadKeptDefault = 24h * 30;

}  // namespace muster::limits
