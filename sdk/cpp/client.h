// A client of the HTTP API: one function per call of docs/protocol-http.md, typed.
//
// Thread-safe: each call borrows a kept-alive connection from a pool, so as many connections are open as there are calls at one
// time. Nothing is retried here (Worker does, and the caller knows what is idempotent), with one exception that HTTP clients
// share: a request on a kept connection that the server closed unanswered is sent once more. A submit that must not happen
// twice carries an idempotency key; settling is guarded by its fence.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sdk/cpp/codec.h"
#include "sdk/cpp/result.h"
#include "sdk/cpp/types.h"

namespace muster::sdk {

struct ClientOptions {
  std::string server = "http://127.0.0.1:8080";
  std::string token;    // bearer; empty sends no header
  std::string ca_file;  // PEM; empty uses the system's
  Duration connect_timeout{5'000};
  Duration timeout{30'000};  // of one call; a long poll adds its own wait
  std::string user_agent = "muster-sdk-cpp";
};

// Lists what a worker was told to do with several jobs at once.
using SettledMany = std::vector<Result<Settled>>;

class Client {
 public:
  // invalid_argument: the server address. No connection is made here.
  static Result<std::unique_ptr<Client>> open(ClientOptions options);
  ~Client();
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  const std::string& address() const;

  Result<Submitted> submit(const JobSpec& spec);
  Result<std::vector<Submitted>> submit_many(std::span<const JobSpec> specs);
  // Job specs as JSON objects, checked by the server. All or nothing.
  Result<std::vector<Submitted>> submit_documents(std::span<const std::string> documents);
  Result<Job> job(std::string_view id);
  Result<JobPage> jobs(const JobQuery& query);
  Result<Why> why(std::string_view id);
  Result<Settled> cancel(std::string_view id, std::string_view reason);
  Result<SettledMany> cancel_many(std::span<const std::string> ids, std::string_view reason);
  Result<Settled> retry(std::string_view id);
  // Slice by slice; the newest first, so that what arrives meanwhile is not met.
  Result<Acted> act(const ActRequest& request);
  Result<Redriven> retry_many(const RedriveRequest& request);

  Result<ClaimReply> claim(const ClaimRequest& request);
  Result<Renewed> renew(const LeaseRef& lease, std::optional<Duration> lease_for = {});
  Result<Renewed> progress(const LeaseRef& lease, const Progress& progress);
  // Output, partial results, stage and progress; answered when it is written.
  Result<Renewed> feedback(const LeaseRef& lease, const Feedback& feedback);
  Result<Settled> complete(const LeaseRef& lease, const std::optional<Content>& result);
  Result<SettledMany> complete_many(std::span<const LeaseRef> leases, const std::optional<Content>& result);
  Result<Settled> fail(const LeaseRef& lease, const FailRequest& request);
  Result<Settled> snooze(const LeaseRef& lease, Duration delay);
  Result<Settled> release(const LeaseRef& lease, std::string_view reason);

  Result<Registered> register_worker(const WorkerSpec& spec);
  Result<BeatReply> heartbeat(const Beat& beat);
  struct DrainRequest {
    std::string ns, worker;
    std::optional<Duration> deadline;
    std::string reason;
  };
  Result<WorkerInfo> drain_worker(const DrainRequest& request);
  struct WorkerRef {
    std::string ns, worker;
    std::optional<std::uint64_t> session;
  };
  // Takes a drain back, whoever wanted it but the worker itself.
  Result<WorkerInfo> resume_worker(const WorkerRef& ref);
  Result<WorkerInfo> unregister_worker(const WorkerRef& ref);
  Result<WorkerInfo> worker(const WorkerRef& ref);
  Result<WorkerPage> workers(const WorkerQuery& query);

  struct SendRequest {
    std::string ns, worker;
    std::string type;     // ext.vendor.…
    std::string payload;  // JSON object; empty: {}
  };
  // A frame that the worker itself understands; kept until it collects it.
  Result<Sent> send_to_worker(const SendRequest& request);

  struct ResourceRef {
    std::string ns, id;
  };
  // Told again, it is known anew. conflict: it is another worker's.
  Result<Resource> put_resource(const ResourceRequest& request);
  Result<Resource> resource(const ResourceRef& ref);
  Result<ResourcePage> resources(const ResourceQuery& query);
  Result<Resource> delete_resource(const ResourceRef& ref);
  struct PackageRef {
    std::string ns, name, version;  // the version whose manifest is shown; empty: the latest
  };
  Result<PackagePage> packages(const PackageQuery& query);
  Result<Package> package(const PackageRef& ref);
  // What workers shall have; they get it while they are connected, or when they come.
  Result<PackageWish> install_package(const PackageInstall& request);
  Result<PackageWish> uninstall_package(const PackageUninstall& request);
  Result<std::vector<PackageEvent>> package_events(const PackageEventQuery& query);  // newest first

  struct AgentRef {
    std::string ns, agent;  // id; to show one, a name that only one agent has, too
  };
  // A document is the JSON of a request as the server reads it.
  Result<Agent> create_agent(const AgentSpec& spec);
  Result<Agent> create_agent_document(std::string document);
  Result<Agent> agent(const AgentRef& ref);
  Result<AgentPage> agents(const AgentQuery& query);
  // Takes the place of the whole description. `revision` in a document: only if it is still that one.
  Result<Agent> update_agent(std::string_view id, const AgentSpec& spec);
  Result<Agent> update_agent_document(std::string_view id, std::string document);
  Result<Agent> delete_agent(const AgentRef& ref);
  struct ToolRef {
    std::string ns, tool;
  };
  // Defined again, it is replaced.
  Result<Tool> define_tool(const ToolSpec& spec);
  Result<Tool> define_tool_document(std::string document);
  Result<Tool> tool(const ToolRef& ref);
  Result<ToolPage> tools(const ToolQuery& query);
  Result<Tool> delete_tool(const ToolRef& ref);
  // Without a model; `input` is JSON, empty: {}. The answer names the job.
  Result<Submitted> run_tool(const ToolRef& ref, std::string_view input);

  struct SessionRef {
    std::string ns, session;
  };
  Result<Session> create_session(const SessionRequest& request);
  Result<Session> session(const SessionRef& ref);
  Result<SessionPage> sessions(const SessionQuery& query);
  Result<Session> update_session(std::string_view id, const SessionChange& change);
  Result<Session> delete_session(const SessionRef& ref);
  Result<MessagePage> messages(const MessageQuery& query);
  Result<Compacted> compact_session(std::string_view id, const CompactRequest& request);
  Result<CompactionPage> compactions(const CompactionQuery& query);
  Result<Compaction> restore_session(const SessionRef& ref, std::string_view compaction);

  struct AgentRunRef {
    std::string ns, run;
  };
  Result<AgentRun> start_agent_run(const AgentRunRequest& request);
  // With its iterations and tool executions, when it has finished or `wait` (at most a minute) is over.
  Result<AgentRun> agent_run(const AgentRunRef& ref, Duration wait = {});
  Result<AgentRunPage> agent_runs(const AgentRunQuery& query);
  Result<AgentRun> cancel_agent_run(const AgentRunRef& ref, std::string_view reason);
  Result<AgentRunDecided> approve(std::string_view run, const AgentVerdict& verdict);
  Result<AgentRunDecided> deny(std::string_view run, const AgentVerdict& verdict);
  Result<AgentRun> fork_agent_run(std::string_view run, const AgentRunFork& fork);
  // Delivers what the run says until `take` returns false or the stream ends, which is after `run.finished`, or early: the
  // caller comes back with the id of the last event.
  Result<Nothing> stream_agent_run(const AgentRunRef& ref, const std::string& last_event_id,
                                   const std::function<bool(const ServerEvent&)>& take);
  Result<ToolExecutionPage> tool_executions(const ToolExecutionQuery& query);
  // All of what a model was shown the beginning of.
  Result<std::string> tool_output(std::string_view ns, std::string_view execution);

  struct PlanRef {
    std::string ns, plan;
  };
  // The text is checked by the server. The same text again changes nothing; another one is refused unless it may replace.
  Result<Plan> submit_plan(const PlanRequest& request);
  Result<Plan> plan(const PlanRef& ref);
  Result<PlanPage> plans(const PlanQuery& query);
  Result<Plan> delete_plan(const PlanRef& ref);
  // All the jobs or none. A request with an id of its own can be repeated: the second is refused with already_exists.
  Result<Action> submit_action(const ActionRequest& request);
  struct ActionQuery {
    std::string ns, action;
    std::optional<std::uint64_t> job_offset;
    std::optional<std::uint32_t> job_limit;
  };
  Result<Action> action(const ActionQuery& query);
  Result<ActionPage> actions(const ActionListQuery& query);
  // What the tools of a job wrote.
  Result<JobLogs> logs(std::string_view job);
  // What a job has put out so far; `wait` in the query follows it.
  Result<JobOutput> output(std::string_view job, const OutputQuery& query);

  Result<Submitted> start_run(const RunRequest& request);
  Result<Job> run(std::string_view id);
  // `schedule`: only runs it started; may be empty.
  Result<JobPage> runs(const JobQuery& query, std::string_view schedule = {});
  Result<RunStepPage> history(const HistoryQuery& query);
  // The run as it is when it has finished or `wait` (at most a minute) is over.
  Result<RunResult> run_result(std::string_view id, Duration wait);
  Result<Settled> cancel_run(std::string_view id, std::string_view reason);
  Result<Settled> terminate_run(std::string_view id, std::string_view reason);
  // A new run like a finished one. An empty external id: that of the finished one.
  Result<Submitted> retry_run(std::string_view id, std::string_view external_id);
  Result<Signalled> signal_run(const RunSignal& signal);
  // For the worker that holds the run: several calls, in order, each answered by itself.
  Result<std::vector<Result<StepAnswer>>> run_steps(const LeaseRef& lease, std::span<const StepCall> calls);

  struct ScheduleRef {
    std::string ns, id;
  };
  Result<Schedule> create_schedule(const ScheduleRequest& request);
  Result<Schedule> schedule(const ScheduleRef& ref);
  Result<SchedulePage> schedules(const ScheduleQuery& query);
  Result<Schedule> update_schedule(std::string_view id, const ScheduleRequest& change);
  Result<Schedule> delete_schedule(const ScheduleRef& ref);
  Result<Schedule> pause_schedule(const ScheduleRef& ref, std::string_view note);
  Result<Schedule> resume_schedule(std::string_view id, const ResumeRequest& request);
  Result<Submitted> trigger_schedule(const ScheduleRef& ref);
  struct PreviewQuery {
    ScheduleRef schedule;
    std::optional<std::uint32_t> count;
    std::optional<Instant> after;
  };
  Result<std::vector<Instant>> preview_schedule(const PreviewQuery& query);
  // The fires of the range, each enqueued once however often this is asked for.
  Result<std::vector<Submitted>> backfill_schedule(const ScheduleRef& ref, const TimeRange& range);

  struct QueueRef {
    std::string ns, queue;
  };
  Result<std::vector<Queue>> queues(std::string_view ns);
  Result<LaneList> lanes(const LaneQuery& query);
  Result<Queue> pause_queue(const QueueRef& ref, std::string_view reason);
  Result<Queue> resume_queue(const QueueRef& ref);
  Result<Queue> limit_queue(std::string_view queue, const QueueLimits& limits);

  struct NewNamespace {
    std::string name, description;
  };
  Result<std::vector<Namespace>> namespaces();
  Result<Namespace> create_namespace(const NewNamespace& ns);
  Result<Namespace> delete_namespace(std::string_view name);

  Result<ServerInfo> server();
  Result<Cluster> cluster();
  // Those that differ between the nodes.
  Result<ClusterSettings> cluster_settings();
  // Of the server that answers: jobs in and out, what waits and runs, workers, the store.
  Result<HistoryFigures> figures(const HistoryFiguresQuery& query);
  // A path of the dashboard that signs a browser in as this client, once and soon.
  Result<SignInLink> sign_in_link();
  Result<ServerConfig> server_config();
  // What a check-up of the server's machine finds.
  Result<CheckUp> server_checks();
  // What operators did, and what was given to workers.
  Result<AuditPage> audit(const AuditQuery& query);
  Result<Backup> backup(std::string_view name);  // of a file in the server's folder of backups
  // ok: the server can write. unavailable: it says why it cannot.
  Result<Nothing> ready();

  // Delivers events until `take` returns false or the stream ends; the caller reconnects with the number of the last event.
  Result<Nothing> events(const EventFilter& filter, const std::function<bool(const Event&)>& take);

  // Ends every call in flight and every later one with `interrupted`. Callable from any thread.
  void interrupt();

 private:
  struct State;
  explicit Client(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace muster::sdk
