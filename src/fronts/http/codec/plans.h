// Plans, actions and what the tools of a job wrote, as JSON, both ways. A plan's own text goes in and out as it stands.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "command/actions.h"
#include "command/jobs.h"
#include "command/plans.h"
#include "fronts/http/json/fields.h"
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

const Object<Plan>& object_of(Of<Plan>);  // its document when it has its text
const Object<store::PlanStored>& object_of(Of<store::PlanStored>);
const Object<store::PlanPage>& object_of(Of<store::PlanPage>);
const Object<store::ActionSubmitted>& object_of(Of<store::ActionSubmitted>);
const Object<store::ActionPage>& object_of(Of<store::ActionPage>);
const Object<store::ActionView>& object_of(Of<store::ActionView>);
const Object<command::JobLogs>& object_of(Of<command::JobLogs>);

}  // namespace muster::http
