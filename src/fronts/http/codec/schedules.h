// Schedules as JSON, both ways. The template stands under "job", or under "run" when it is a workflow, in the form that POST
// /jobs or POST /runs takes.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "command/schedules.h"
#include "command/watch/timing.h"
#include "fronts/http/json/fields.h"
#include "fronts/http/json/writer.h"
#include "fronts/http/target.h"

namespace muster::http {

// `id` comes from the path. An empty body is accepted where everything in it may be left out.
Result<command::ScheduleCreateRequest> decode_schedule_create(std::string_view body);
Result<command::ScheduleUpdateRequest> decode_schedule_update(std::string id, std::string_view body);
Result<command::SchedulePauseRequest> decode_schedule_pause(std::string id, std::string_view body);
Result<command::ScheduleResumeRequest> decode_schedule_resume(std::string id, std::string_view body);
Result<command::ScheduleTriggerRequest> decode_schedule_trigger(std::string id, std::string_view body);
Result<command::ScheduleBackfillRequest> decode_schedule_backfill(std::string id, std::string_view body);
Result<command::ScheduleListRequest> decode_schedule_list(const std::vector<QueryParameter>& query);
Result<command::ScheduleGetRequest> decode_schedule_get(std::string id, const std::vector<QueryParameter>& query);
Result<command::ScheduleDeleteRequest> decode_schedule_delete(std::string id, const std::vector<QueryParameter>& query);
Result<command::SchedulePreviewRequest> decode_schedule_preview(std::string id, const std::vector<QueryParameter>& query);
Result<command::ScheduleExplainRequest> decode_schedule_explain(std::string_view body);
Result<command::ScheduleFiresRequest> decode_schedule_fires(const std::vector<QueryParameter>& query);

const Object<Schedule>& object_of(Of<Schedule>);
const Object<store::SchedulePage>& object_of(Of<store::SchedulePage>);
const Object<command::TimingExplained>& object_of(Of<command::TimingExplained>);
const Object<command::ScheduleFiresReply>& object_of(Of<command::ScheduleFiresReply>);

}  // namespace muster::http
