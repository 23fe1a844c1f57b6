// Job specs as clients send them: POST /jobs and POST /jobs/bulk.
#pragma once

#include <string_view>

#include "base/status.h"
#include "command/job_submit.h"

namespace muster::http {

Result<command::JobSubmitRequest> decode_submit(std::string_view body);
Result<command::JobSubmitBulkRequest> decode_submit_bulk(std::string_view body);

}  // namespace muster::http
