// What workers and operators say about jobs that exist: claims, outcomes, cancellations. `job` comes from the path.
#pragma once

#include <string_view>

#include "base/status.h"
#include "command/jobs.h"

namespace muster::http {

Result<command::JobClaimRequest> decode_claim(std::string_view body);
Result<store::Renewal> decode_renewal(JobId job, std::string_view body);
Result<store::ProgressUpdate> decode_progress(JobId job, std::string_view body);
Result<store::Completion> decode_completion(JobId job, std::string_view body);
Result<store::Failure> decode_failure(JobId job, std::string_view body);
Result<store::Snooze> decode_snooze(JobId job, std::string_view body);
Result<store::Release> decode_release(JobId job, std::string_view body);
Result<command::JobSettleRequest> decode_settle(std::string_view body);
Result<command::JobCancelRequest> decode_cancel(JobId job, std::string_view body);  // an empty body is accepted
Result<command::JobCancelBulkRequest> decode_cancel_bulk(std::string_view body);

}  // namespace muster::http
