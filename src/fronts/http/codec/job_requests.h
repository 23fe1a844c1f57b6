// What workers and operators say about jobs that exist: claims, outcomes, cancellations. `job` comes from the path.
#pragma once

#include <string_view>

#include "base/status.h"
#include "command/jobs.h"
#include "command/watch/job_act.h"
#include "fronts/http/json/fields.h"

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
Result<command::JobActRequest> decode_job_act(std::string_view body);

const Object<command::JobActed>& object_of(Of<command::JobActed>);

}  // namespace muster::http
