#include "fronts/grpc/methods.h"
#include "command/runs.h"
#include "command/schedules.h"

#include <array>

#include "fronts/grpc/native/native.h"

namespace muster::rpc {
namespace {

constexpr Method run_method(std::string_view name, const command::Spec* command, void (*run)(CallRef)) {
  return {.service = "muster.v1.RunService", .name = name, .dialect = ErrorDialect::native, .command = command, .run = run};
}

constexpr Method schedule_method(std::string_view name, const command::Spec* command, void (*run)(CallRef)) {
  return {.service = "muster.v1.ScheduleService", .name = name, .dialect = ErrorDialect::native, .command = command, .run = run};
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
};

}  // namespace

std::span<const Method> native_methods() { return kNativeMethods; }

}  // namespace muster::rpc
