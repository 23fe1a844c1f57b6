// Runs as JSON, both ways: what is asked about them, their steps, signals and ends. A run's own facts stand among those of its
// job (job_replies.h), and how one is asked for is job_spec.h.
#pragma once

#include <string_view>
#include <vector>

#include "base/status.h"
#include "command/runs.h"
#include "fronts/http/json/fields.h"
#include "fronts/http/json/writer.h"
#include "fronts/http/target.h"

namespace muster::http {

// `run` comes from the path. An empty body is accepted where a reason or a name may be left out.
Result<command::RunListRequest> decode_run_list(const std::vector<QueryParameter>& query);
Result<command::RunCancelRequest> decode_run_cancel(JobId run, std::string_view body);
Result<command::RunTerminateRequest> decode_run_terminate(JobId run, std::string_view body);
Result<command::RunRetryRequest> decode_run_retry(JobId run, std::string_view body);
Result<command::RunSignalRequest> decode_run_signal(JobId run, std::string_view body);
Result<command::RunHistoryRequest> decode_run_history(JobId run, const std::vector<QueryParameter>& query);
Result<command::RunResultRequest> decode_run_result(JobId run, const std::vector<QueryParameter>& query);
Result<command::RunStepRequest> decode_run_step(JobId run, std::string_view body);

// `500ms`, `30s`, `2m`: at most limits::kClaimWaitMax.
std::optional<Duration> parse_wait(std::string_view text);

const Object<Step>& object_of(Of<Step>);
const Object<store::StepAnswer>& object_of(Of<store::StepAnswer>);
const Object<store::StepPage>& object_of(Of<store::StepPage>);
const Object<store::Signalled>& object_of(Of<store::Signalled>);
// How a run ended, or that it has not: {"id","state","finished","result","error"}.
void write_run_result(JsonWriter& out, const Job& run);

}  // namespace muster::http
