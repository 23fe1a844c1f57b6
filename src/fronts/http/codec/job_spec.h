// Job and run specs as clients send them: POST /jobs, POST /jobs/bulk, POST /runs, and the templates of schedules.
#pragma once

#include <string_view>

#include "base/status.h"
#include "command/jobs.h"
#include "command/runs.h"
#include "fronts/http/json/fields.h"
#include "fronts/http/json/reader.h"

namespace muster::http {

Result<command::JobSubmitRequest> decode_submit(std::string_view body);
Result<command::JobSubmitBulkRequest> decode_submit_bulk(std::string_view body);
Result<command::RunStartRequest> decode_run_start(std::string_view body);

// What the text leaves out stays as `initial` has it.
JobSpec read_job_spec(JsonReader& in, JobSpec initial = {});
JobSpec read_run_spec(JsonReader& in, JobSpec initial = {});  // has its RunSpec

const Object<JobSpec>& job_spec_object();
const Object<JobSpec>& run_spec_object();
const Object<JobSpec>& scheduled_job_object();  // both, as replies show them

// The schema of a named object that a function gives.
template <auto kObject>
void draw_named(Schemas& out) {
  out.refer(kObject().name, [](Schemas& inside) { draw_members(inside, kObject()); });
}

}  // namespace muster::http
