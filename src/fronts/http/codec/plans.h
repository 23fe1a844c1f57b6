// Plans, actions and what the tools of a job wrote, as JSON, both ways. A plan's own text goes in and out as it stands.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "command/actions.h"
#include "command/jobs.h"
#include "command/plans.h"
#include "fronts/http/json/writer.h"
#include "fronts/http/target.h"

namespace muster::http {

Result<command::PlanSubmitRequest> decode_plan_submit(const std::vector<QueryParameter>& query, std::string_view body);
Result<command::PlanListRequest> decode_plan_list(const std::vector<QueryParameter>& query);
Result<command::PlanGetRequest> decode_plan_get(std::string plan, const std::vector<QueryParameter>& query);
Result<command::PlanDeleteRequest> decode_plan_delete(std::string plan, const std::vector<QueryParameter>& query);
Result<command::ActionSubmitRequest> decode_action_submit(std::string_view body);
Result<command::ActionListRequest> decode_action_list(const std::vector<QueryParameter>& query);
Result<command::ActionGetRequest> decode_action_get(std::string action, const std::vector<QueryParameter>& query);

// One stream of a job, as it was written; or both, in JSON.
enum class LogStream : std::uint8_t { both, output, errors };
Result<LogStream> decode_log_stream(const std::vector<QueryParameter>& query);

void write(JsonWriter& out, const Plan& plan);  // its document when it has its text
void write(JsonWriter& out, const store::PlanStored& stored);
void write(JsonWriter& out, const store::PlanPage& page);
void write(JsonWriter& out, const store::ActionSubmitted& submitted);
void write(JsonWriter& out, const store::ActionPage& page);
void write(JsonWriter& out, const store::ActionView& view);
void write(JsonWriter& out, const command::JobLogs& logs);

}  // namespace muster::http
