#include "fronts/http/routes.h"

#include <algorithm>
#include <array>

#include "command/actions.h"
#include "command/agent_runs.h"
#include "command/agent_sessions.h"
#include "command/agents.h"
#include "command/audit.h"
#include "command/feedback.h"
#include "command/jobs.h"
#include "command/namespaces.h"
#include "command/packages.h"
#include "command/plans.h"
#include "command/queues.h"
#include "command/resources.h"
#include "command/runs.h"
#include "command/schedules.h"
#include "command/server.h"
#include "command/watch/history.h"
#include "command/watch/job_act.h"
#include "command/watch/search.h"
#include "command/watch/timing.h"
#include "command/workers.h"
#include "fronts/http/endpoints.h"

namespace muster::http {
namespace {

constexpr Route command_route(Method method, std::string_view pattern, const command::Spec& spec, Endpoint endpoint) {
  return {.method = method,
          .pattern = pattern,
          .command = &spec,
          .access = Access::by_command,
          .endpoint = endpoint,
          .answers_much = method == Method::get};
}

// Writes answer little, but for these.
constexpr Route long_answer(Method method, std::string_view pattern, const command::Spec& spec, Endpoint endpoint) {
  Route route = command_route(method, pattern, spec, endpoint);
  route.answers_much = true;
  return route;
}

constexpr Route plain_route(std::string_view pattern, Access access, Endpoint endpoint) {
  return {.method = Method::get, .pattern = pattern, .command = nullptr, .access = access, .endpoint = endpoint};
}

// What is no command, and is said rather than asked.
constexpr Route plain_write(std::string_view pattern, Access access, Endpoint endpoint) {
  return {.method = Method::post, .pattern = pattern, .command = nullptr, .access = access, .endpoint = endpoint};
}

// Words come before parameters: "/jobs/claim" is never the job named "claim".
constexpr std::array kRoutes{
    command_route(Method::post, "/api/v1/jobs", command::kJobSubmit, endpoints::job_submit),
    command_route(Method::get, "/api/v1/jobs", command::kJobList, endpoints::job_list),
    long_answer(Method::post, "/api/v1/jobs/bulk", command::kJobSubmitBulk, endpoints::job_submit_bulk),
    long_answer(Method::post, "/api/v1/jobs/claim", command::kJobClaim, endpoints::job_claim),
    long_answer(Method::post, "/api/v1/jobs/search", command::kJobList, endpoints::job_search),
    long_answer(Method::post, "/api/v1/jobs/settle", command::kJobSettle, endpoints::job_settle),
    command_route(Method::post, "/api/v1/jobs/retry", command::kJobRetryMatching, endpoints::job_retry_matching),
    command_route(Method::post, "/api/v1/jobs/act", command::kJobAct, endpoints::job_act),
    long_answer(Method::post, "/api/v1/jobs/cancel", command::kJobCancelBulk, endpoints::job_cancel_bulk),
    command_route(Method::get, "/api/v1/jobs/{id}", command::kJobGet, endpoints::job_get),
    command_route(Method::get, "/api/v1/jobs/{id}/why", command::kJobWhy, endpoints::job_why),
    command_route(Method::get, "/api/v1/jobs/{id}/logs", command::kJobLogs, endpoints::job_logs),
    command_route(Method::post, "/api/v1/jobs/{id}/heartbeat", command::kJobHeartbeat, endpoints::job_heartbeat),
    command_route(Method::post, "/api/v1/jobs/{id}/progress", command::kJobProgress, endpoints::job_progress),
    command_route(Method::post, "/api/v1/jobs/{id}/feedback", command::kJobFeedback, endpoints::job_feedback),
    command_route(Method::get, "/api/v1/jobs/{id}/output", command::kJobOutput, endpoints::job_output),
    command_route(Method::post, "/api/v1/jobs/{id}/complete", command::kJobComplete, endpoints::job_complete),
    command_route(Method::post, "/api/v1/jobs/{id}/fail", command::kJobFail, endpoints::job_fail),
    command_route(Method::post, "/api/v1/jobs/{id}/snooze", command::kJobSnooze, endpoints::job_snooze),
    command_route(Method::post, "/api/v1/jobs/{id}/release", command::kJobRelease, endpoints::job_release),
    command_route(Method::post, "/api/v1/jobs/{id}/cancel", command::kJobCancel, endpoints::job_cancel),
    command_route(Method::post, "/api/v1/jobs/{id}/retry", command::kJobRetry, endpoints::job_retry),
    command_route(Method::post, "/api/v1/agents", command::kAgentCreate, endpoints::agent_create),
    command_route(Method::get, "/api/v1/agents", command::kAgentList, endpoints::agent_list),
    command_route(Method::get, "/api/v1/agents/{agent}", command::kAgentGet, endpoints::agent_get),
    command_route(Method::put, "/api/v1/agents/{agent}", command::kAgentUpdate, endpoints::agent_update),
    command_route(Method::delete_, "/api/v1/agents/{agent}", command::kAgentDelete, endpoints::agent_delete),
    command_route(Method::post, "/api/v1/tools", command::kToolDefine, endpoints::tool_define),
    command_route(Method::get, "/api/v1/tools", command::kToolList, endpoints::tool_list),
    command_route(Method::get, "/api/v1/tools/{tool}", command::kToolGet, endpoints::tool_get),
    command_route(Method::delete_, "/api/v1/tools/{tool}", command::kToolDelete, endpoints::tool_delete),
    command_route(Method::post, "/api/v1/tools/{tool}/runs", command::kToolRun, endpoints::tool_run),
    command_route(Method::post, "/api/v1/sessions", command::kSessionCreate, endpoints::session_create),
    command_route(Method::get, "/api/v1/sessions", command::kSessionList, endpoints::session_list),
    command_route(Method::get, "/api/v1/sessions/{id}", command::kSessionGet, endpoints::session_get),
    command_route(Method::patch, "/api/v1/sessions/{id}", command::kSessionUpdate, endpoints::session_update),
    command_route(Method::delete_, "/api/v1/sessions/{id}", command::kSessionDelete, endpoints::session_delete),
    command_route(Method::get, "/api/v1/sessions/{id}/messages", command::kSessionMessages, endpoints::session_messages),
    command_route(Method::post, "/api/v1/sessions/{id}/compact", command::kSessionCompact, endpoints::session_compact),
    command_route(Method::get, "/api/v1/sessions/{id}/compactions", command::kSessionCompactions, endpoints::session_compactions),
    command_route(Method::post, "/api/v1/sessions/{id}/compactions/{event}/restore", command::kSessionRestore,
                  endpoints::session_restore),
    command_route(Method::post, "/api/v1/agent-runs", command::kAgentRunStart, endpoints::agent_run_start),
    command_route(Method::get, "/api/v1/agent-runs", command::kAgentRunList, endpoints::agent_run_list),
    command_route(Method::get, "/api/v1/agent-runs/{id}", command::kAgentRunGet, endpoints::agent_run_get),
    command_route(Method::post, "/api/v1/agent-runs/{id}/cancel", command::kAgentRunCancel, endpoints::agent_run_cancel),
    command_route(Method::post, "/api/v1/agent-runs/{id}/approve", command::kAgentRunDecide, endpoints::agent_run_approve),
    command_route(Method::post, "/api/v1/agent-runs/{id}/deny", command::kAgentRunDecide, endpoints::agent_run_deny),
    command_route(Method::post, "/api/v1/agent-runs/{id}/fork", command::kAgentRunFork, endpoints::agent_run_fork),
    command_route(Method::get, "/api/v1/tool-executions", command::kToolExecutionList, endpoints::tool_execution_list),
    command_route(Method::get, "/api/v1/tool-executions/{id}/output", command::kToolExecutionOutput,
                  endpoints::tool_execution_output),
    command_route(Method::get, "/api/v1/packages", command::kPackageList, endpoints::package_list),
    command_route(Method::get, "/api/v1/packages/events", command::kPackageEvents, endpoints::package_events),
    command_route(Method::get, "/api/v1/packages/{name}", command::kPackageGet, endpoints::package_get),
    command_route(Method::post, "/api/v1/packages/{name}/install", command::kPackageInstall, endpoints::package_install),
    command_route(Method::post, "/api/v1/packages/{name}/uninstall", command::kPackageUninstall, endpoints::package_uninstall),
    command_route(Method::get, "/packages/{name}/{version}/{file}", command::kPackageArchive, endpoints::package_archive),
    command_route(Method::post, "/api/v1/plans", command::kPlanSubmit, endpoints::plan_submit),
    command_route(Method::get, "/api/v1/plans", command::kPlanList, endpoints::plan_list),
    command_route(Method::get, "/api/v1/plans/{id}", command::kPlanGet, endpoints::plan_get),
    command_route(Method::delete_, "/api/v1/plans/{id}", command::kPlanDelete, endpoints::plan_delete),
    command_route(Method::post, "/api/v1/actions", command::kActionSubmit, endpoints::action_submit),
    command_route(Method::get, "/api/v1/actions", command::kActionList, endpoints::action_list),
    command_route(Method::get, "/api/v1/actions/{id}", command::kActionGet, endpoints::action_get),
    command_route(Method::post, "/api/v1/runs", command::kRunStart, endpoints::run_start),
    command_route(Method::get, "/api/v1/runs", command::kRunList, endpoints::run_list),
    command_route(Method::get, "/api/v1/runs/{id}", command::kRunGet, endpoints::run_get),
    command_route(Method::get, "/api/v1/runs/{id}/history", command::kRunHistory, endpoints::run_history),
    command_route(Method::get, "/api/v1/runs/{id}/result", command::kRunResult, endpoints::run_result),
    command_route(Method::post, "/api/v1/runs/{id}/cancel", command::kRunCancel, endpoints::run_cancel),
    command_route(Method::post, "/api/v1/runs/{id}/terminate", command::kRunTerminate, endpoints::run_terminate),
    command_route(Method::post, "/api/v1/runs/{id}/retry", command::kRunRetry, endpoints::run_retry),
    command_route(Method::post, "/api/v1/runs/{id}/signal", command::kRunSignal, endpoints::run_signal),
    command_route(Method::post, "/api/v1/runs/{id}/steps", command::kRunStep, endpoints::run_step),
    command_route(Method::post, "/api/v1/schedules", command::kScheduleCreate, endpoints::schedule_create),
    command_route(Method::get, "/api/v1/schedules", command::kScheduleList, endpoints::schedule_list),
    command_route(Method::get, "/api/v1/schedules/fires", command::kScheduleFires, endpoints::schedule_fires),
    command_route(Method::post, "/api/v1/schedules/preview", command::kScheduleExplain, endpoints::schedule_explain),
    command_route(Method::get, "/api/v1/schedules/{id}", command::kScheduleGet, endpoints::schedule_get),
    command_route(Method::patch, "/api/v1/schedules/{id}", command::kScheduleUpdate, endpoints::schedule_update),
    command_route(Method::delete_, "/api/v1/schedules/{id}", command::kScheduleDelete, endpoints::schedule_delete),
    command_route(Method::post, "/api/v1/schedules/{id}/pause", command::kSchedulePause, endpoints::schedule_pause),
    command_route(Method::post, "/api/v1/schedules/{id}/resume", command::kScheduleResume, endpoints::schedule_resume),
    command_route(Method::post, "/api/v1/schedules/{id}/trigger", command::kScheduleTrigger, endpoints::schedule_trigger),
    command_route(Method::post, "/api/v1/schedules/{id}/backfill", command::kScheduleBackfill, endpoints::schedule_backfill),
    command_route(Method::get, "/api/v1/schedules/{id}/preview", command::kSchedulePreview, endpoints::schedule_preview),
    command_route(Method::post, "/api/v1/workers", command::kWorkerRegister, endpoints::worker_register),
    command_route(Method::get, "/api/v1/workers", command::kWorkerList, endpoints::worker_list),
    command_route(Method::get, "/api/v1/workers/{id}", command::kWorkerGet, endpoints::worker_get),
    command_route(Method::delete_, "/api/v1/workers/{id}", command::kWorkerUnregister, endpoints::worker_unregister),
    command_route(Method::post, "/api/v1/workers/{id}/heartbeat", command::kWorkerHeartbeat, endpoints::worker_heartbeat),
    command_route(Method::post, "/api/v1/workers/{id}/drain", command::kWorkerDrain, endpoints::worker_drain),
    command_route(Method::post, "/api/v1/workers/{id}/send", command::kWorkerSend, endpoints::worker_send),
    command_route(Method::get, "/api/v1/resources", command::kResourceList, endpoints::resource_list),
    command_route(Method::get, "/api/v1/resources/{id}", command::kResourceGet, endpoints::resource_get),
    command_route(Method::put, "/api/v1/resources/{id}", command::kResourcePut, endpoints::resource_put),
    command_route(Method::delete_, "/api/v1/resources/{id}", command::kResourceDelete, endpoints::resource_delete),
    command_route(Method::post, "/api/v1/workers/{id}/resume", command::kWorkerResume, endpoints::worker_resume),
    command_route(Method::get, "/api/v1/queues", command::kQueueList, endpoints::queue_list),
    command_route(Method::post, "/api/v1/queues/{name}/pause", command::kQueuePause, endpoints::queue_pause),
    command_route(Method::post, "/api/v1/queues/{name}/resume", command::kQueueResume, endpoints::queue_resume),
    command_route(Method::put, "/api/v1/queues/{name}/limits", command::kQueueLimit, endpoints::queue_limit),
    command_route(Method::get, "/api/v1/lanes", command::kQueueLanes, endpoints::queue_lanes),
    command_route(Method::get, "/api/v1/namespaces", command::kNamespaceList, endpoints::namespace_list),
    command_route(Method::post, "/api/v1/namespaces", command::kNamespaceCreate, endpoints::namespace_create),
    command_route(Method::delete_, "/api/v1/namespaces/{name}", command::kNamespaceDelete, endpoints::namespace_delete),
    command_route(Method::get, "/api/v1/audit", command::kAuditList, endpoints::audit_list),
    command_route(Method::post, "/api/v1/backups", command::kBackupCreate, endpoints::backup_create),
    command_route(Method::get, "/api/v1/cluster", command::kClusterStatus, endpoints::cluster_status),
    command_route(Method::get, "/api/v1/cluster/settings", command::kClusterSettings, endpoints::cluster_settings),
    command_route(Method::get, "/api/v1/metrics/history", command::kServerHistory, endpoints::server_history),
    command_route(Method::get, "/api/v1/server", command::kServerInfo, endpoints::server_info),
    command_route(Method::get, "/api/v1/server/config", command::kServerConfig, endpoints::server_config),
    command_route(Method::get, "/api/v1/server/doctor", command::kServerDoctor, endpoints::server_doctor),
    command_route(Method::get, "/api/v1/search", command::kServerSearch, endpoints::server_search),
    plain_route("/api/v1/whoami", Access::reader, endpoints::whoami),
    plain_write("/api/v1/sign-in", Access::everybody, endpoints::sign_in),
    plain_write("/api/v1/sign-in/links", Access::reader, endpoints::sign_in_link),
    plain_write("/api/v1/sign-out", Access::everybody, endpoints::sign_out),
    plain_route("/api/v1/openapi.json", Access::everybody, endpoints::openapi),
    plain_route("/api/v1/agent-runs/{id}/stream", Access::reader, endpoints::agent_run_stream),
    plain_route("/api/v1/events", Access::reader, endpoints::run_events),
    plain_route("/events", Access::reader, endpoints::events),
    plain_route("/metrics", Access::reader, endpoints::metrics),
    plain_route("/healthz", Access::everybody, endpoints::healthz),
    plain_route("/readyz", Access::probe, endpoints::readyz),
};

bool fits(std::string_view pattern, const std::vector<std::string>& segments, std::vector<std::string>& parameters) {
  parameters.clear();
  pattern.remove_prefix(1);
  for (const std::string& segment : segments) {
    if (pattern.empty()) return false;
    const std::string_view part = pattern.substr(0, pattern.find('/'));
    pattern.remove_prefix(std::min(pattern.size(), part.size() + 1));
    if (part.front() == '{') {
      if (segment.empty()) return false;
      parameters.push_back(segment);
    } else if (part != segment) {
      return false;
    }
  }
  return pattern.empty();
}

void allow(std::string& methods, Method method) { methods.append(methods.empty() ? "" : ", ").append(to_string(method)); }

}  // namespace

std::span<const Route> routes() { return kRoutes; }

Match match(Method method, const std::vector<std::string>& segments) {
  const Method wanted = method == Method::head ? Method::get : method;
  Match found;
  std::vector<std::string> parameters;
  std::string_view pattern;  // of the first row that fits: later rows with another pattern are other resources
  for (const Route& route : kRoutes) {
    if (!pattern.empty() && route.pattern != pattern) continue;
    if (!fits(route.pattern, segments, parameters)) continue;
    pattern = route.pattern;
    allow(found.allow, route.method);
    if (route.method == Method::get) allow(found.allow, Method::head);
    if (route.method != wanted || found.route != nullptr) continue;
    found.route = &route;
    found.parameters = parameters;
  }
  if (!found.allow.empty()) allow(found.allow, Method::options);
  return found;
}

}  // namespace muster::http
