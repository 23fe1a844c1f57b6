// What a job tells while it runs: feedback of its worker, and its output. `job` comes from the path.
#pragma once

#include <string_view>
#include <vector>

#include "base/status.h"
#include "command/feedback.h"
#include "fronts/http/json/fields.h"
#include "fronts/http/target.h"

namespace muster::http {

Result<command::JobFeedbackRequest> decode_feedback(JobId job, std::string_view body);
Result<command::JobOutputRequest> decode_output_query(JobId job, const std::vector<QueryParameter>& query);

const Object<OutputChunk>& object_of(Of<OutputChunk>);
const Object<command::JobOutput>& object_of(Of<command::JobOutput>);

}  // namespace muster::http
