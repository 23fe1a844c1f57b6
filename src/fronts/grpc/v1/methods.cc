#include <array>

#include "command/jobs.h"
#include "command/namespaces.h"
#include "command/runs.h"
#include "command/schedules.h"
#include "command/server.h"
#include "command/workers.h"
#include "fronts/grpc/v1/v1.h"

namespace muster::rpc {
namespace {

constexpr std::string_view kWorkflows = "kagzi.v1.WorkflowService";
constexpr std::string_view kWorkers = "kagzi.v1.WorkerService";
constexpr std::string_view kSchedules = "kagzi.v1.WorkflowScheduleService";
constexpr std::string_view kAdmin = "kagzi.v1.AdminService";
constexpr std::string_view kNamespaces = "kagzi.v1.NamespaceService";

constexpr Method of(std::string_view service, std::string_view name, const command::Spec* command, void (*run)(CallRef)) {
  return {service, name, ErrorDialect::v1, command, run};
}

constexpr std::array kV1Methods{
    of(kWorkflows, "StartWorkflow", &command::kRunStart, v1::start_workflow),
    of(kWorkflows, "GetWorkflow", &command::kRunGet, v1::get_workflow),
    of(kWorkflows, "GetWorkflowByExternalId", &command::kRunGet, v1::get_workflow_by_external_id),
    of(kWorkflows, "ListWorkflows", &command::kRunList, v1::list_workflows),
    of(kWorkflows, "CancelWorkflow", &command::kRunCancel, v1::cancel_workflow),
    of(kWorkflows, "RetryWorkflow", &command::kRunRetry, v1::retry_workflow),
    of(kWorkflows, "TerminateWorkflow", &command::kRunTerminate, v1::terminate_workflow),

    of(kWorkers, "Register", &command::kWorkerRegister, v1::register_worker),
    of(kWorkers, "Heartbeat", &command::kWorkerHeartbeat, v1::heartbeat),
    of(kWorkers, "Deregister", &command::kWorkerUnregister, v1::deregister),
    of(kWorkers, "PollTask", &command::kJobClaim, v1::poll_task),
    of(kWorkers, "BeginStep", &command::kRunStep, v1::begin_step),
    of(kWorkers, "CompleteStep", &command::kRunStep, v1::complete_step),
    of(kWorkers, "FailStep", &command::kRunStep, v1::fail_step),
    of(kWorkers, "CompleteWorkflow", &command::kRunComplete, v1::complete_workflow),
    of(kWorkers, "FailWorkflow", &command::kRunFail, v1::fail_workflow),
    of(kWorkers, "Sleep", &command::kRunStep, v1::sleep),

    of(kSchedules, "CreateWorkflowSchedule", &command::kScheduleCreate, v1::create_workflow_schedule),
    of(kSchedules, "GetWorkflowSchedule", &command::kScheduleGet, v1::get_workflow_schedule),
    of(kSchedules, "ListWorkflowSchedules", &command::kScheduleList, v1::list_workflow_schedules),
    of(kSchedules, "UpdateWorkflowSchedule", &command::kScheduleUpdate, v1::update_workflow_schedule),
    of(kSchedules, "DeleteWorkflowSchedule", &command::kScheduleDelete, v1::delete_workflow_schedule),
    of(kSchedules, "TriggerWorkflowSchedule", &command::kScheduleTrigger, v1::trigger_workflow_schedule),
    of(kSchedules, "PauseWorkflowSchedule", &command::kSchedulePause, v1::pause_workflow_schedule),
    of(kSchedules, "ResumeWorkflowSchedule", &command::kScheduleResume, v1::resume_workflow_schedule),
    of(kSchedules, "ListScheduleRuns", &command::kRunList, v1::list_schedule_runs),

    of(kAdmin, "ListWorkers", &command::kWorkerList, v1::list_workers),
    of(kAdmin, "GetWorker", &command::kWorkerGet, v1::get_worker),
    of(kAdmin, "GetStep", &command::kRunGetStep, v1::get_step),
    of(kAdmin, "ListSteps", &command::kRunHistory, v1::list_steps),
    of(kAdmin, "HealthCheck", nullptr, v1::health_check),
    of(kAdmin, "GetServerInfo", &command::kServerInfo, v1::get_server_info),
    of(kAdmin, "GetStats", &command::kJobCount, v1::get_stats),
    of(kAdmin, "DrainWorker", &command::kWorkerDrain, v1::drain_worker),
    of(kAdmin, "GetQueueDepth", &command::kJobCount, v1::get_queue_depth),
    of(kAdmin, "ListWorkflowTypes", &command::kJobCount, v1::list_workflow_types),

    of(kNamespaces, "CreateNamespace", &command::kNamespaceCreate, v1::create_namespace),
    of(kNamespaces, "GetNamespace", &command::kNamespaceList, v1::get_namespace),
    of(kNamespaces, "ListNamespaces", &command::kNamespaceList, v1::list_namespaces),
    of(kNamespaces, "UpdateNamespace", &command::kNamespaceUpdate, v1::update_namespace),
    of(kNamespaces, "EnableNamespace", &command::kNamespaceUpdate, v1::enable_namespace),
    of(kNamespaces, "DisableNamespace", &command::kNamespaceUpdate, v1::disable_namespace),
};

}  // namespace

std::span<const Method> v1_methods() { return kV1Methods; }

}  // namespace muster::rpc
