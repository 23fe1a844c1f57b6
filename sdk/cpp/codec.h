// Types to JSON text and back. Called by Client; public because programs that speak the API another way can use it.
//
// Encoders leave out what is empty, so that the server's defaults apply. Decoders accept unknown fields (a newer server) and
// answer bad_reply when a field has the wrong type or the text is not JSON.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sdk/cpp/result.h"
#include "sdk/cpp/sse.h"
#include "sdk/cpp/types.h"

namespace muster::sdk {

std::string to_base64(std::string_view bytes);
std::optional<std::string> from_base64(std::string_view text);

// invalid_argument: the payload is not JSON.
Result<std::string> encode(const JobSpec& spec);
std::string encode(const ClaimRequest& request);
std::string encode(const WorkerSpec& spec);
std::string encode(const Beat& beat);
std::string encode(const QueueLimits& limits);
// invalid_argument: the metadata or payload is not JSON.
Result<std::string> encode(const ResourceRequest& request);
Result<std::string> encode_send(std::string_view ns, std::string_view type, std::string_view payload);
std::string encode_fence(const LeaseRef& lease, std::optional<Duration> lease_for);
Result<std::string> encode_progress(const LeaseRef& lease, const Progress& progress);
Result<std::string> encode_complete(const LeaseRef& lease, const std::optional<Content>& result);
struct FailRequest {
  Failure error;
  bool retryable = true;
  std::optional<Duration> delay;
};
std::string encode_fail(const LeaseRef& lease, const FailRequest& request);
std::string encode_snooze(const LeaseRef& lease, Duration delay);
std::string encode_release(const LeaseRef& lease, std::string_view reason);
Result<std::string> encode_settle_complete(std::span<const LeaseRef> leases, const std::optional<Content>& result);
struct RedriveRequest {
  JobFilter filter;
  std::optional<std::uint32_t> limit;
};
std::string encode(const RedriveRequest& request);
std::string encode(const ActRequest& request);
// {"key":"value"} of those pairs whose value is not empty.
std::string encode_strings(std::span<const std::pair<std::string_view, std::string_view>> pairs);
std::string encode_drain(std::string_view ns, std::optional<Duration> deadline, std::string_view reason);
std::string encode_cancel_many(std::span<const std::string> ids, std::string_view reason);

std::string encode(const PackageInstall& request);
std::string encode(const PackageUninstall& request);

// invalid_argument: what must be JSON is none.
Result<std::string> encode(const AgentSpec& spec);
Result<std::string> encode(const ToolSpec& spec);
Result<std::string> encode(const SessionRequest& request);
Result<std::string> encode(const SessionChange& change);
std::string encode(const CompactRequest& request);
Result<std::string> encode(const AgentRunRequest& request);
Result<std::string> encode(const AgentVerdict& verdict);
std::string encode(const AgentRunFork& fork);

// invalid_argument: an input is not JSON.
Result<std::string> encode(const ActionRequest& request);

// invalid_argument: a payload, context, input or output is not JSON.
Result<std::string> encode(const RunRequest& request);
Result<std::string> encode(const RunSignal& signal);
Result<std::string> encode_steps(const LeaseRef& lease, std::span<const StepCall> calls);
Result<std::string> encode(const ScheduleRequest& request);
struct TimeRange {
  Instant from;  // exclusive
  Instant to;    // inclusive
};
std::string encode_backfill(std::string_view ns, const TimeRange& range);
struct ResumeRequest {
  std::string ns;
  std::optional<std::string> note;
  bool catch_up = false;
};
std::string encode(const ResumeRequest& request);

// A problem document, or whatever else came with an error status.
Error decode_problem(int status, std::string_view body);

Result<Submitted> decode_submitted(std::string_view text);
Result<std::vector<Submitted>> decode_submitted_many(std::string_view text);
Result<Job> decode_job(std::string_view text);
Result<JobPage> decode_job_page(std::string_view text);
Result<Why> decode_why(std::string_view text);
Result<ClaimReply> decode_claim(std::string_view text);
Result<Renewed> decode_renewed(std::string_view text);
Result<Settled> decode_settled(std::string_view text);
// The answers under `key` ("complete", "jobs", …), each a value or an error.
Result<std::vector<Result<Settled>>> decode_settled_many(std::string_view text, const char* key);
Result<Redriven> decode_redriven(std::string_view text);
Result<Acted> decode_acted(std::string_view text);
Result<Registered> decode_registered(std::string_view text);
Result<BeatReply> decode_beat(std::string_view text);
Result<WorkerInfo> decode_worker(std::string_view text);
Result<WorkerPage> decode_worker_page(std::string_view text);
Result<Resource> decode_resource(std::string_view text);
Result<ResourcePage> decode_resource_page(std::string_view text);
Result<Sent> decode_sent(std::string_view text);
Result<Queue> decode_queue(std::string_view text);
Result<std::vector<Queue>> decode_queues(std::string_view text);
Result<Namespace> decode_namespace(std::string_view text);
Result<std::vector<Namespace>> decode_namespaces(std::string_view text);
Result<Agent> decode_agent(std::string_view text);
Result<AgentPage> decode_agent_page(std::string_view text);
Result<Tool> decode_tool(std::string_view text);
Result<ToolPage> decode_tool_page(std::string_view text);
Result<Session> decode_session(std::string_view text);
Result<SessionPage> decode_session_page(std::string_view text);
Result<MessagePage> decode_message_page(std::string_view text);
Result<Compaction> decode_compaction(std::string_view text);
Result<CompactionPage> decode_compaction_page(std::string_view text);
Result<Compacted> decode_compacted(std::string_view text);
Result<AgentRun> decode_agent_run(std::string_view text);
Result<AgentRunPage> decode_agent_run_page(std::string_view text);
Result<AgentRunDecided> decode_agent_run_decided(std::string_view text);
Result<ToolExecutionPage> decode_tool_execution_page(std::string_view text);
Result<PackagePage> decode_package_page(std::string_view text);
Result<Package> decode_package(std::string_view text);
Result<PackageWish> decode_package_wish(std::string_view text);
Result<std::vector<PackageEvent>> decode_package_events(std::string_view text);
Result<Plan> decode_plan(std::string_view text);
Result<PlanPage> decode_plan_page(std::string_view text);
Result<Action> decode_action(std::string_view text);
Result<ActionPage> decode_action_page(std::string_view text);
Result<JobLogs> decode_logs(std::string_view text);
Result<std::string> encode_feedback(const LeaseRef& lease, const Feedback& feedback);
Result<JobOutput> decode_output(std::string_view text);
Result<RunStepPage> decode_step_page(std::string_view text);
Result<RunResult> decode_run_result(std::string_view text);
Result<Signalled> decode_signalled(std::string_view text);
Result<std::vector<Result<StepAnswer>>> decode_step_answers(std::string_view text);
Result<Schedule> decode_schedule(std::string_view text);
Result<SchedulePage> decode_schedule_page(std::string_view text);
Result<std::vector<Instant>> decode_fires(std::string_view text);
Result<ServerInfo> decode_server(std::string_view text);
Result<LaneList> decode_lanes(std::string_view text);
Result<SignInLink> decode_sign_in_link(std::string_view text);
Result<ServerConfig> decode_server_config(std::string_view text);
Result<CheckUp> decode_check_up(std::string_view text);
Result<HistoryFigures> decode_figures(std::string_view text);
Result<Cluster> decode_cluster(std::string_view text);
Result<ClusterSettings> decode_cluster_settings(std::string_view text);
Result<AuditPage> decode_audit_page(std::string_view text);
Result<Backup> decode_backup(std::string_view text);
Result<Event> decode_event(const ServerEvent& event);

}  // namespace muster::sdk
