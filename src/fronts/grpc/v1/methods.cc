#include <array>

#include "fronts/grpc/v1/v1.h"

namespace muster::rpc {
namespace {

using command::Auth;

constexpr std::string_view kWorkflows = "kagzi.v1.WorkflowService";
constexpr std::string_view kWorkers = "kagzi.v1.WorkerService";
constexpr std::string_view kSchedules = "kagzi.v1.WorkflowScheduleService";
constexpr std::string_view kAdmin = "kagzi.v1.AdminService";
constexpr std::string_view kNamespaces = "kagzi.v1.NamespaceService";

constexpr Method of(std::string_view service, std::string_view name, Auth auth, void (*run)(CallRef), bool audited = false) {
  return {service, name, ErrorDialect::v1, auth, audited, run};
}

constexpr std::array kV1Methods{
    of(kWorkflows, "StartWorkflow", Auth::operator_only, v1::start_workflow),
    of(kWorkflows, "GetWorkflow", Auth::read_only, v1::get_workflow),
    of(kWorkflows, "GetWorkflowByExternalId", Auth::read_only, v1::get_workflow_by_external_id),
    of(kWorkflows, "ListWorkflows", Auth::read_only, v1::list_workflows),
    of(kWorkflows, "CancelWorkflow", Auth::operator_only, v1::cancel_workflow, true),
    of(kWorkflows, "RetryWorkflow", Auth::operator_only, v1::retry_workflow, true),
    of(kWorkflows, "TerminateWorkflow", Auth::operator_only, v1::terminate_workflow, true),

    of(kWorkers, "Register", Auth::worker, v1::register_worker),
    of(kWorkers, "Heartbeat", Auth::worker, v1::heartbeat),
    of(kWorkers, "Deregister", Auth::worker, v1::deregister),
    of(kWorkers, "PollTask", Auth::worker, v1::poll_task),
    of(kWorkers, "BeginStep", Auth::worker, v1::begin_step),
    of(kWorkers, "CompleteStep", Auth::worker, v1::complete_step),
    of(kWorkers, "FailStep", Auth::worker, v1::fail_step),
    of(kWorkers, "CompleteWorkflow", Auth::worker, v1::complete_workflow),
    of(kWorkers, "FailWorkflow", Auth::worker, v1::fail_workflow),
    of(kWorkers, "Sleep", Auth::worker, v1::sleep),

    of(kSchedules, "CreateWorkflowSchedule", Auth::operator_only, v1::create_workflow_schedule, true),
    of(kSchedules, "GetWorkflowSchedule", Auth::read_only, v1::get_workflow_schedule),
    of(kSchedules, "ListWorkflowSchedules", Auth::read_only, v1::list_workflow_schedules),
    of(kSchedules, "UpdateWorkflowSchedule", Auth::operator_only, v1::update_workflow_schedule, true),
    of(kSchedules, "DeleteWorkflowSchedule", Auth::operator_only, v1::delete_workflow_schedule, true),
    of(kSchedules, "TriggerWorkflowSchedule", Auth::operator_only, v1::trigger_workflow_schedule, true),
    of(kSchedules, "PauseWorkflowSchedule", Auth::operator_only, v1::pause_workflow_schedule, true),
    of(kSchedules, "ResumeWorkflowSchedule", Auth::operator_only, v1::resume_workflow_schedule, true),
    of(kSchedules, "ListScheduleRuns", Auth::read_only, v1::list_schedule_runs),

    of(kAdmin, "ListWorkers", Auth::read_only, v1::list_workers),
    of(kAdmin, "GetWorker", Auth::read_only, v1::get_worker),
    of(kAdmin, "GetStep", Auth::read_only, v1::get_step),
    of(kAdmin, "ListSteps", Auth::read_only, v1::list_steps),
    of(kAdmin, "HealthCheck", Auth::read_only, v1::health_check),
    of(kAdmin, "GetServerInfo", Auth::read_only, v1::get_server_info),
    of(kAdmin, "GetStats", Auth::read_only, v1::get_stats),
    of(kAdmin, "DrainWorker", Auth::operator_only, v1::drain_worker, true),
    of(kAdmin, "GetQueueDepth", Auth::read_only, v1::get_queue_depth),
    of(kAdmin, "ListWorkflowTypes", Auth::read_only, v1::list_workflow_types),

    of(kNamespaces, "CreateNamespace", Auth::operator_only, v1::create_namespace, true),
    of(kNamespaces, "GetNamespace", Auth::read_only, v1::get_namespace),
    of(kNamespaces, "ListNamespaces", Auth::read_only, v1::list_namespaces),
    of(kNamespaces, "UpdateNamespace", Auth::operator_only, v1::update_namespace, true),
    of(kNamespaces, "EnableNamespace", Auth::operator_only, v1::enable_namespace, true),
    of(kNamespaces, "DisableNamespace", Auth::operator_only, v1::disable_namespace, true),
};

}  // namespace

std::span<const Method> v1_methods() { return kV1Methods; }

}  // namespace muster::rpc
