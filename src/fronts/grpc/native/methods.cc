#include "fronts/grpc/methods.h"

#include <array>

#include "fronts/grpc/native/native.h"

namespace muster::rpc {
namespace {

using command::Auth;

constexpr Method run_method(std::string_view name, Auth auth, void (*run)(CallRef)) {
  return {.service = "muster.v1.RunService", .name = name, .dialect = ErrorDialect::native, .auth = auth, .run = run};
}

constexpr Method schedule_method(std::string_view name, Auth auth, void (*run)(CallRef)) {
  return {.service = "muster.v1.ScheduleService",
          .name = name,
          .dialect = ErrorDialect::native,
          .auth = auth,
          .audited = auth == Auth::operator_only,
          .run = run};
}

constexpr std::array kNativeMethods{
    run_method("AwaitSignal", Auth::worker, native::await_signal),
    run_method("AwaitChild", Auth::worker, native::await_child),
    run_method("Signal", Auth::operator_only, native::signal),
    run_method("GetResult", Auth::read_only, native::get_result),
    run_method("GetHistory", Auth::read_only, native::get_history),
    schedule_method("CreateSchedule", Auth::operator_only, native::create_schedule),
    schedule_method("GetSchedule", Auth::read_only, native::get_schedule),
    schedule_method("ListSchedules", Auth::read_only, native::list_schedules),
    schedule_method("UpdateSchedule", Auth::operator_only, native::update_schedule),
    schedule_method("DeleteSchedule", Auth::operator_only, native::delete_schedule),
    schedule_method("PauseSchedule", Auth::operator_only, native::pause_schedule),
    schedule_method("ResumeSchedule", Auth::operator_only, native::resume_schedule),
    schedule_method("TriggerSchedule", Auth::operator_only, native::trigger_schedule),
    schedule_method("PreviewSchedule", Auth::read_only, native::preview_schedule),
    schedule_method("BackfillSchedule", Auth::operator_only, native::backfill_schedule),
};

}  // namespace

std::span<const Method> native_methods() { return kNativeMethods; }

}  // namespace muster::rpc
