#include <array>

#include "fronts/grpc/k0/k0.h"

namespace muster::rpc {
namespace {

using command::Auth;

constexpr Method of(std::string_view name, Auth auth, void (*run)(CallRef), bool audited = false) {
  return {"kagzi.WorkflowService", name, ErrorDialect::k0, auth, audited, run};
}

constexpr std::array kK0Methods{
    of("StartWorkflow", Auth::operator_only, k0::start_workflow),
    of("GetWorkflowRun", Auth::read_only, k0::get_workflow_run),
    of("ListWorkflowRuns", Auth::read_only, k0::list_workflow_runs),
    of("CancelWorkflowRun", Auth::operator_only, k0::cancel_workflow_run, true),
    of("GetStepAttempt", Auth::read_only, k0::get_step_attempt),
    of("ListStepAttempts", Auth::read_only, k0::list_step_attempts),
    of("RegisterWorker", Auth::worker, k0::register_worker),
    of("WorkerHeartbeat", Auth::worker, k0::worker_heartbeat),
    of("DeregisterWorker", Auth::worker, k0::deregister_worker),
    of("ListWorkers", Auth::read_only, k0::list_workers),
    of("GetWorker", Auth::read_only, k0::get_worker),
    of("PollActivity", Auth::worker, k0::poll_activity),
    of("RecordHeartbeat", Auth::worker, k0::record_heartbeat),
    of("BeginStep", Auth::worker, k0::begin_step),
    of("CompleteStep", Auth::worker, k0::complete_step),
    of("FailStep", Auth::worker, k0::fail_step),
    of("CompleteWorkflow", Auth::worker, k0::complete_workflow),
    of("FailWorkflow", Auth::worker, k0::fail_workflow),
    of("ScheduleSleep", Auth::worker, k0::schedule_sleep),
    of("HealthCheck", Auth::read_only, k0::health_check),
    of("CreateSchedule", Auth::operator_only, k0::create_schedule, true),
    of("GetSchedule", Auth::read_only, k0::get_schedule),
    of("ListSchedules", Auth::read_only, k0::list_schedules),
    of("UpdateSchedule", Auth::operator_only, k0::update_schedule, true),
    of("DeleteSchedule", Auth::operator_only, k0::delete_schedule, true),
    Method{"kagzi.HealthService", "HealthCheck", ErrorDialect::k0, Auth::read_only, false, k0::health_check},
};

}  // namespace

std::span<const Method> k0_methods() { return kK0Methods; }

}  // namespace muster::rpc
