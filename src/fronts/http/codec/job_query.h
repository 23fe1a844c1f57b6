// Which jobs are meant: the query of GET /jobs, the body of POST /jobs/search, the filter of POST /jobs/retry.
#pragma once

#include <string_view>
#include <vector>

#include "base/status.h"
#include "command/jobs.h"
#include "fronts/http/codec/parameters.h"
#include "fronts/http/target.h"

namespace muster::http {

Result<store::JobQuery> decode_job_query(const std::vector<QueryParameter>& query);
Result<store::JobQuery> decode_job_search(std::string_view body);
Result<store::RedriveFilter> decode_redrive(std::string_view body);

// The parameters of a listing of jobs, for listings that have more. Errors stay in the reader.
store::JobQuery read_job_query(QueryReader& in);

void draw_job_parameters(void (*draw)(Schemas&, const ParameterText&), Schemas& out);

}  // namespace muster::http
