#include "fronts/grpc/methods.h"

#include <array>

#include "command/agent_runs.h"
#include "command/feedback.h"
#include "command/runs.h"
#include "command/schedules.h"
#include "fronts/grpc/native/agent_watch.h"
#include "fronts/grpc/native/native.h"

namespace muster::rpc {
namespace {

constexpr Method run_method(std::string_view name, const command::Spec* command, void (*run)(CallRef)) {
  return {.service = "muster.v1.RunService", .name = name, .dialect = ErrorDialect::native, .command = command, .run = run};
}

constexpr Method schedule_method(std::string_view name, const command::Spec* command, void (*run)(CallRef)) {
  return {.service = "muster.v1.ScheduleService", .name = name, .dialect = ErrorDialect::native, .command = command, .run = run};
}

constexpr Method agent_method(std::string_view name, const command::Spec* command, void (*run)(CallRef)) {
  return {.service = "muster.v1.AgentRunService", .name = name, .dialect = ErrorDialect::native, .command = command, .run = run};
}

constexpr std::array kNativeMethods{
    run_method("AwaitSignal", &command::kRunStep, native::await_signal),
    run_method("AwaitChild", &command::kRunStep, native::await_child),
    run_method("Signal", &command::kRunSignal, native::signal),
    run_method("GetResult", &command::kRunResult, native::get_result),
    run_method("GetHistory", &command::kRunHistory, native::get_history),
    schedule_method("CreateSchedule", &command::kScheduleCreate, native::create_schedule),
    schedule_method("GetSchedule", &command::kScheduleGet, native::get_schedule),
    schedule_method("ListSchedules", &command::kScheduleList, native::list_schedules),
    schedule_method("UpdateSchedule", &command::kScheduleUpdate, native::update_schedule),
    schedule_method("DeleteSchedule", &command::kScheduleDelete, native::delete_schedule),
    schedule_method("PauseSchedule", &command::kSchedulePause, native::pause_schedule),
    schedule_method("ResumeSchedule", &command::kScheduleResume, native::resume_schedule),
    schedule_method("TriggerSchedule", &command::kScheduleTrigger, native::trigger_schedule),
    schedule_method("PreviewSchedule", &command::kSchedulePreview, native::preview_schedule),
    schedule_method("BackfillSchedule", &command::kScheduleBackfill, native::backfill_schedule),
    agent_method("StartRun", &command::kAgentRunStart, native::start_agent_run),
    agent_method("GetRun", &command::kAgentRunGet, native::get_agent_run),
    agent_method("ListRuns", &command::kAgentRunList, native::list_agent_runs),
    agent_method("CancelRun", &command::kAgentRunCancel, native::cancel_agent_run),
    agent_method("ApproveRun", &command::kAgentRunDecide, native::approve_agent_run),
    agent_method("DenyRun", &command::kAgentRunDecide, native::deny_agent_run),
    Method{.service = "muster.v1.AgentRunService",
           .name = "WatchRun",
           .dialect = ErrorDialect::native,
           .command = &command::kJobOutput,
           .open = native::watch_agent_run},
};

}  // namespace

std::span<const Method> native_methods() { return kNativeMethods; }

}  // namespace muster::rpc
