#include <array>

#include "command/jobs.h"
#include "command/runs.h"
#include "command/schedules.h"
#include "command/workers.h"
#include "fronts/grpc/k0/k0.h"

namespace muster::rpc {
namespace {

constexpr Method of(std::string_view name, const command::Spec* command, void (*run)(CallRef)) {
  return {"kagzi.WorkflowService", name, ErrorDialect::k0, command, run};
}

constexpr std::array kK0Methods{
    of("StartWorkflow", &command::kRunStart, k0::start_workflow),
    of("GetWorkflowRun", &command::kRunGet, k0::get_workflow_run),
    of("ListWorkflowRuns", &command::kRunList, k0::list_workflow_runs),
    of("CancelWorkflowRun", &command::kRunCancel, k0::cancel_workflow_run),
    of("GetStepAttempt", &command::kRunGetStep, k0::get_step_attempt),
    of("ListStepAttempts", &command::kRunHistory, k0::list_step_attempts),
    of("RegisterWorker", &command::kWorkerRegister, k0::register_worker),
    of("WorkerHeartbeat", &command::kWorkerHeartbeat, k0::worker_heartbeat),
    of("DeregisterWorker", &command::kWorkerUnregister, k0::deregister_worker),
    of("ListWorkers", &command::kWorkerList, k0::list_workers),
    of("GetWorker", &command::kWorkerGet, k0::get_worker),
    of("PollActivity", &command::kJobClaim, k0::poll_activity),
    of("RecordHeartbeat", &command::kJobHeartbeat, k0::record_heartbeat),
    of("BeginStep", &command::kRunStep, k0::begin_step),
    of("CompleteStep", &command::kRunStep, k0::complete_step),
    of("FailStep", &command::kRunStep, k0::fail_step),
    of("CompleteWorkflow", &command::kRunComplete, k0::complete_workflow),
    of("FailWorkflow", &command::kRunFail, k0::fail_workflow),
    of("ScheduleSleep", &command::kRunStep, k0::schedule_sleep),
    of("HealthCheck", nullptr, k0::health_check),
    of("CreateSchedule", &command::kScheduleCreate, k0::create_schedule),
    of("GetSchedule", &command::kScheduleGet, k0::get_schedule),
    of("ListSchedules", &command::kScheduleList, k0::list_schedules),
    of("UpdateSchedule", &command::kScheduleUpdate, k0::update_schedule),
    of("DeleteSchedule", &command::kScheduleDelete, k0::delete_schedule),
    Method{"kagzi.HealthService", "HealthCheck", ErrorDialect::k0, nullptr, k0::health_check},
};

}  // namespace

std::span<const Method> k0_methods() { return kK0Methods; }

}  // namespace muster::rpc
