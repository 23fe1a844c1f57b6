// Between the messages of muster.v1 and the registry's values.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/status.h"
#include "command/schedules.h"
#include "fronts/grpc/call.h"
#include "model/content.h"
#include "model/run.h"
#include "model/schedule.h"
#include "muster_v1.pb.h"

namespace muster::rpc::native {

namespace pb = ::muster::v1;

NamespaceName namespace_of(const std::string& text);  // empty: the default one

// invalid_argument: too large, or said to be JSON and not.
Result<Content> content_of(const Call& call, std::string_view field, const pb::Content& message);
void put_content(const Content& content, pb::Content* out);
void put_content(const std::optional<Content>& content, pb::Content* out);  // nothing: an empty one

// Whole milliseconds. invalid_argument: negative, or not a duration by its own rules.
Result<Duration> duration_of(std::string_view field, const google::protobuf::Duration& message);

// How long an answer may wait for something to happen: what is asked for, and a little less than the client's own patience.
// invalid_argument: more than kAnswerWaitMax.
inline constexpr Duration kAnswerWaitMax{60'000};
Result<Duration> wait_of(const Call& call, const google::protobuf::Duration& message);

void put_step(const Step& step, pb::StepAttempt* out);

void put_schedule(const Schedule& schedule, pb::Schedule* out);
Result<ScheduleSpec> schedule_of(const Call& call, const pb::CreateScheduleRequest& request);
// All but the template, which is changed by reading it first.
Result<command::ScheduleUpdateRequest> change_of(const pb::UpdateScheduleRequest& request, const Schedule& before);

}  // namespace muster::rpc::native
