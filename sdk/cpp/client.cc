#include "sdk/cpp/client.h"

#include <fmt/format.h>

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sdk/cpp/client_state.h"

namespace muster::sdk {
namespace {

using Pairs = std::vector<std::pair<std::string_view, std::string_view>>;

Path run_path(std::string_view id) { return api("/runs").segment(id); }
Path schedule_path(std::string_view id) { return api("/schedules").segment(id); }

// A listing of jobs or runs, with what narrows it.
Path job_listing(std::string_view rest, const JobQuery& query) {
  const JobFilter& filter = query.filter;
  Path path = api(rest);
  path.query("namespace", filter.ns).query("queue", filter.queue).query("type", filter.type);
  for (const std::string& state : filter.states) path.query("state", state);
  path.query("worker", filter.worker);
  for (const auto& [key, value] : filter.labels) path.query("label", fmt::format("{}={}", key, value));
  if (filter.created_after) path.query("created_after", format_instant(*filter.created_after));
  if (filter.created_before) path.query("created_before", format_instant(*filter.created_before));
  path.query("error_kind", filter.error_kind).query("order", query.order);
  if (query.limit) path.query("limit", std::to_string(*query.limit));
  path.query("cursor", query.cursor).query("payload", query.payload ? "true" : "");
  return path;
}

}  // namespace

Client::Client(std::unique_ptr<State> state) : state_(std::move(state)) {}
Client::~Client() = default;

Result<std::unique_ptr<Client>> Client::open(ClientOptions options) {
  Result<std::string> base = base_url(options.server);
  if (!base.ok()) return base.error();
  TransportOptions transport{.base = *base,
                             .token = options.token,
                             .ca_file = options.ca_file,
                             .connect_timeout = options.connect_timeout,
                             .user_agent = options.user_agent};
  for (const char c : options.token)
    if (static_cast<unsigned char>(c) <= ' ')
      return Error{.code = Code::invalid_argument,
                   .status = 0,
                   .detail = "the token holds a space or a control character",
                   .retry_after = {}};
  auto state = std::unique_ptr<State>(
      new State{.options = std::move(options), .base = *base, .pool = ConnectionPool(std::move(transport))});
  return std::unique_ptr<Client>(new Client(std::move(state)));
}

const std::string& Client::address() const { return state_->base; }
void Client::interrupt() { state_->pool.interrupt(); }

// --- jobs, as their owner sees them -------------------------------------------------------------------------------

Result<Submitted> Client::submit(const JobSpec& spec) {
  Result<std::string> body = encode(spec);
  if (!body.ok()) return body.error();
  return state_->post(api("/jobs"), std::move(*body), decode_submitted);
}

Result<std::vector<Submitted>> Client::submit_many(std::span<const JobSpec> specs) {
  std::vector<std::string> documents;
  documents.reserve(specs.size());
  for (const JobSpec& spec : specs) {
    Result<std::string> document = encode(spec);
    if (!document.ok()) return document.error();
    documents.push_back(std::move(*document));
  }
  return submit_documents(documents);
}

Result<std::vector<Submitted>> Client::submit_documents(std::span<const std::string> documents) {
  std::string body = R"({"jobs":[)";
  for (std::size_t i = 0; i < documents.size(); ++i) {
    if (i > 0) body.push_back(',');
    body.append(documents[i]);
  }
  body.append("]}");
  return state_->post(api("/jobs/bulk"), std::move(body), decode_submitted_many);
}

Result<Job> Client::job(std::string_view id) { return state_->get(api("/jobs").segment(id), decode_job); }

Result<JobPage> Client::jobs(const JobQuery& query) { return state_->get(job_listing("/jobs", query), decode_job_page); }

Result<Why> Client::why(std::string_view id) { return state_->get(api("/jobs").segment(id).literal("/why"), decode_why); }

Result<Settled> Client::cancel(std::string_view id, std::string_view reason) {
  return state_->post(api("/jobs").segment(id).literal("/cancel"), encode_strings(Pairs{{"reason", reason}}), decode_settled);
}

Result<SettledMany> Client::cancel_many(std::span<const std::string> ids, std::string_view reason) {
  return state_->post(api("/jobs/cancel"), encode_cancel_many(ids, reason),
                      [](std::string_view body) { return decode_settled_many(body, "jobs"); });
}

Result<Settled> Client::retry(std::string_view id) {
  return state_->post(api("/jobs").segment(id).literal("/retry"), "{}", decode_settled);
}

Result<Acted> Client::act(const ActRequest& request) { return state_->post(api("/jobs/act"), encode(request), decode_acted); }

Result<Redriven> Client::retry_many(const RedriveRequest& request) {
  return state_->post(api("/jobs/retry"), encode(request), decode_redriven);
}

// --- jobs, as their worker sees them ------------------------------------------------------------------------------

Result<ClaimReply> Client::claim(const ClaimRequest& request) {
  const Result<std::string> body = state_->send("POST", api("/jobs/claim"), encode(request), request.wait);
  if (!body.ok()) return body.error();
  return decode_claim(*body);
}

Result<Renewed> Client::renew(const LeaseRef& lease, std::optional<Duration> lease_for) {
  return state_->post(api("/jobs").segment(lease.id).literal("/heartbeat"), encode_fence(lease, lease_for), decode_renewed);
}

Result<Renewed> Client::progress(const LeaseRef& lease, const Progress& progress) {
  Result<std::string> body = encode_progress(lease, progress);
  if (!body.ok()) return body.error();
  return state_->post(api("/jobs").segment(lease.id).literal("/progress"), std::move(*body), decode_renewed);
}

Result<Settled> Client::complete(const LeaseRef& lease, const std::optional<Content>& result) {
  Result<std::string> body = encode_complete(lease, result);
  if (!body.ok()) return body.error();
  return state_->settle(lease, "complete", std::move(*body));
}

Result<SettledMany> Client::complete_many(std::span<const LeaseRef> leases, const std::optional<Content>& result) {
  Result<std::string> body = encode_settle_complete(leases, result);
  if (!body.ok()) return body.error();
  return state_->post(api("/jobs/settle"), std::move(*body),
                      [](std::string_view text) { return decode_settled_many(text, "complete"); });
}

Result<Settled> Client::fail(const LeaseRef& lease, const FailRequest& request) {
  return state_->settle(lease, "fail", encode_fail(lease, request));
}

Result<Settled> Client::snooze(const LeaseRef& lease, Duration delay) {
  return state_->settle(lease, "snooze", encode_snooze(lease, delay));
}

Result<Settled> Client::release(const LeaseRef& lease, std::string_view reason) {
  return state_->settle(lease, "release", encode_release(lease, reason));
}

// --- workers ------------------------------------------------------------------------------------------------------

Result<Registered> Client::register_worker(const WorkerSpec& spec) {
  return state_->post(api("/workers"), encode(spec), decode_registered);
}

Result<BeatReply> Client::heartbeat(const Beat& beat) {
  return state_->post(api("/workers").segment(beat.worker).literal("/heartbeat"), encode(beat), decode_beat);
}

Result<WorkerInfo> Client::drain_worker(const DrainRequest& request) {
  return state_->post(api("/workers").segment(request.worker).literal("/drain"),
                      encode_drain(request.ns, request.deadline, request.reason), decode_worker);
}

Result<WorkerInfo> Client::resume_worker(const WorkerRef& ref) {
  return state_->post(api("/workers").segment(ref.worker).literal("/resume"), encode_strings(Pairs{{"namespace", ref.ns}}),
                      decode_worker);
}

Result<WorkerInfo> Client::unregister_worker(const WorkerRef& ref) {
  Path path = api("/workers").segment(ref.worker).query("namespace", ref.ns);
  if (ref.session) path.query("session", std::to_string(*ref.session));
  const Result<std::string> body = state_->send("DELETE", path, std::nullopt);
  if (!body.ok()) return body.error();
  return decode_worker(*body);
}

Result<WorkerInfo> Client::worker(const WorkerRef& ref) {
  return state_->get(api("/workers").segment(ref.worker).query("namespace", ref.ns), decode_worker);
}

Result<WorkerPage> Client::workers(const WorkerQuery& query) {
  Path path = api("/workers");
  path.query("namespace", query.ns).query("state", query.state).query("capability", query.capability);
  path.query("label", query.label).query("queue", query.queue);
  if (query.limit) path.query("limit", std::to_string(*query.limit));
  path.query("cursor", query.cursor);
  return state_->get(path, decode_worker_page);
}

Result<Sent> Client::send_to_worker(const SendRequest& request) {
  const Result<std::string> text = encode_send(request.ns, request.type, request.payload);
  if (!text.ok()) return text.error();
  return state_->post(api("/workers").segment(request.worker).literal("/send"), *text, decode_sent);
}

// --- resources ------------------------------------------------------------------------------------------------------

Result<Resource> Client::put_resource(const ResourceRequest& request) {
  const Result<std::string> text = encode(request);
  if (!text.ok()) return text.error();
  const Result<std::string> body = state_->send("PUT", api("/resources").segment(request.id), *text);
  if (!body.ok()) return body.error();
  return decode_resource(*body);
}

Result<Resource> Client::resource(const ResourceRef& ref) {
  return state_->get(api("/resources").segment(ref.id).query("namespace", ref.ns), decode_resource);
}

Result<ResourcePage> Client::resources(const ResourceQuery& query) {
  Path path = api("/resources");
  path.query("namespace", query.ns).query("type", query.type).query("worker", query.worker);
  if (query.limit) path.query("limit", std::to_string(*query.limit));
  path.query("cursor", query.cursor);
  return state_->get(path, decode_resource_page);
}

Result<Resource> Client::delete_resource(const ResourceRef& ref) {
  const Result<std::string> body =
      state_->send("DELETE", api("/resources").segment(ref.id).query("namespace", ref.ns), std::nullopt);
  if (!body.ok()) return body.error();
  return decode_resource(*body);
}

// --- queues, namespaces, server -----------------------------------------------------------------------------------

Result<std::vector<Queue>> Client::queues(std::string_view ns) {
  return state_->get(api("/queues").query("namespace", ns), decode_queues);
}

Result<LaneList> Client::lanes(const LaneQuery& query) {
  Path path = api("/lanes");
  path.query("namespace", query.ns).query("queue", query.queue);
  if (query.unserved) path.query("unserved", "true");
  if (query.limit) path.query("limit", std::to_string(*query.limit));
  return state_->get(path, decode_lanes);
}

Result<Queue> Client::pause_queue(const QueueRef& ref, std::string_view reason) {
  return state_->post(api("/queues").segment(ref.queue).literal("/pause"),
                      encode_strings(Pairs{{"namespace", ref.ns}, {"reason", reason}}), decode_queue);
}

Result<Queue> Client::resume_queue(const QueueRef& ref) {
  return state_->post(api("/queues").segment(ref.queue).literal("/resume"), encode_strings(Pairs{{"namespace", ref.ns}}),
                      decode_queue);
}

Result<Queue> Client::limit_queue(std::string_view queue, const QueueLimits& limits) {
  const Result<std::string> body = state_->send("PUT", api("/queues").segment(queue).literal("/limits"), encode(limits));
  if (!body.ok()) return body.error();
  return decode_queue(*body);
}

Result<std::vector<Namespace>> Client::namespaces() { return state_->get(api("/namespaces"), decode_namespaces); }

Result<Namespace> Client::create_namespace(const NewNamespace& ns) {
  return state_->post(api("/namespaces"), encode_strings(Pairs{{"name", ns.name}, {"description", ns.description}}),
                      decode_namespace);
}

Result<Namespace> Client::delete_namespace(std::string_view name) {
  const Result<std::string> body = state_->send("DELETE", api("/namespaces").segment(name), std::nullopt);
  if (!body.ok()) return body.error();
  return decode_namespace(*body);
}

Result<ServerInfo> Client::server() { return state_->get(api("/server"), decode_server); }

Result<Cluster> Client::cluster() { return state_->get(api("/cluster"), decode_cluster); }

Result<ClusterSettings> Client::cluster_settings() { return state_->get(api("/cluster/settings"), decode_cluster_settings); }

Result<SignInLink> Client::sign_in_link() {
  const Result<std::string> body = state_->send("POST", api("/sign-in/links"), std::nullopt);
  if (!body.ok()) return body.error();
  return decode_sign_in_link(*body);
}

Result<ServerConfig> Client::server_config() { return state_->get(api("/server/config"), decode_server_config); }

Result<CheckUp> Client::server_checks() { return state_->get(api("/server/doctor"), decode_check_up); }

Result<HistoryFigures> Client::figures(const HistoryFiguresQuery& query) {
  Path path = api("/metrics/history");
  path.query("span", query.span);
  if (query.since) path.query("since", format_instant(*query.since));
  return state_->get(path, decode_figures);
}

Result<AuditPage> Client::audit(const AuditQuery& query) {
  Path path = api("/audit");
  path.query("namespace", query.ns).query("action", query.action).query("who", query.who).query("worker", query.worker);
  path.query("target", query.target).query("outcome", query.outcome);
  if (query.since) path.query("since", format_instant(*query.since));
  if (query.until) path.query("until", format_instant(*query.until));
  if (query.limit) path.query("limit", std::to_string(*query.limit));
  return state_->get(path.query("cursor", query.cursor), decode_audit_page);
}

Result<Backup> Client::backup(std::string_view name) {
  // Copying a large database takes as long as it takes; the server's own bound applies.
  constexpr Duration kBackupExtra = std::chrono::hours(1);
  const Result<std::string> body = state_->send("POST", api("/backups"), encode_strings(Pairs{{"name", name}}), kBackupExtra);
  if (!body.ok()) return body.error();
  return decode_backup(*body);
}

Result<Nothing> Client::ready() {
  const Result<std::string> body = state_->send("GET", Path("/readyz"), std::nullopt);
  if (!body.ok()) return body.error();
  return Nothing{};
}

Result<Nothing> Client::events(const EventFilter& filter, const std::function<bool(const Event&)>& take) {
  Path path("/events");
  path.query("namespace", filter.ns).query("queue", filter.queue).query("type", filter.type).query("job", filter.job);
  path.query("kinds", filter.kinds);
  bool wanted = true;
  std::optional<Error> bad;
  EventStreamParser parser([&](const ServerEvent& raw) {
    if (!wanted || bad) return;
    const Result<Event> event = decode_event(raw);
    if (!event.ok())
      bad = event.error();
    else
      wanted = take(*event);
  });
  const Result<Nothing> outcome = state_->pool.stream(
      path.text(), filter.last_event_id, [&](std::string_view piece) { return parser.feed(piece) && wanted && !bad; });
  if (bad) return *bad;
  return outcome;
}

// --- workflow runs ------------------------------------------------------------------------------------------------

Result<Submitted> Client::start_run(const RunRequest& request) {
  Result<std::string> body = encode(request);
  if (!body.ok()) return body.error();
  return state_->post(api("/runs"), std::move(*body), decode_submitted);
}

Result<Job> Client::run(std::string_view id) { return state_->get(run_path(id), decode_job); }

Result<JobPage> Client::runs(const JobQuery& query, std::string_view schedule) {
  return state_->get(job_listing("/runs", query).query("schedule", schedule), decode_job_page);
}

Result<RunStepPage> Client::history(const HistoryQuery& query) {
  Path path = run_path(query.run).literal("/history");
  path.query("step", query.step).query("cursor", query.cursor);
  if (query.limit) path.query("limit", std::to_string(*query.limit));
  return state_->get(path, decode_step_page);
}

Result<RunResult> Client::run_result(std::string_view id, Duration wait) {
  Path path = run_path(id).literal("/result");
  if (wait.count() > 0) path.query("wait", fmt::format("{}ms", wait.count()));
  const Result<std::string> body = state_->send("GET", path, std::nullopt, wait);
  if (!body.ok()) return body.error();
  return decode_run_result(*body);
}

Result<Settled> Client::cancel_run(std::string_view id, std::string_view reason) {
  return state_->post(run_path(id).literal("/cancel"), encode_strings(Pairs{{"reason", reason}}), decode_settled);
}

Result<Settled> Client::terminate_run(std::string_view id, std::string_view reason) {
  return state_->post(run_path(id).literal("/terminate"), encode_strings(Pairs{{"reason", reason}}), decode_settled);
}

Result<Submitted> Client::retry_run(std::string_view id, std::string_view external_id) {
  return state_->post(run_path(id).literal("/retry"), encode_strings(Pairs{{"external_id", external_id}}), decode_submitted);
}

Result<Signalled> Client::signal_run(const RunSignal& signal) {
  Result<std::string> body = encode(signal);
  if (!body.ok()) return body.error();
  return state_->post(run_path(signal.run).literal("/signal"), std::move(*body), decode_signalled);
}

Result<std::vector<Result<StepAnswer>>> Client::run_steps(const LeaseRef& lease, std::span<const StepCall> calls) {
  Result<std::string> body = encode_steps(lease, calls);
  if (!body.ok()) return body.error();
  return state_->post(run_path(lease.id).literal("/steps"), std::move(*body), decode_step_answers);
}

// --- schedules ----------------------------------------------------------------------------------------------------

Result<Schedule> Client::create_schedule(const ScheduleRequest& request) {
  Result<std::string> body = encode(request);
  if (!body.ok()) return body.error();
  return state_->post(api("/schedules"), std::move(*body), decode_schedule);
}

Result<Schedule> Client::schedule(const ScheduleRef& ref) {
  return state_->get(schedule_path(ref.id).query("namespace", ref.ns), decode_schedule);
}

Result<SchedulePage> Client::schedules(const ScheduleQuery& query) {
  Path path = api("/schedules");
  path.query("namespace", query.ns).query("queue", query.queue).query("type", query.type);
  if (query.enabled) path.query("enabled", *query.enabled ? "true" : "false");
  if (query.limit) path.query("limit", std::to_string(*query.limit));
  return state_->get(path.query("cursor", query.cursor), decode_schedule_page);
}

Result<Schedule> Client::update_schedule(std::string_view id, const ScheduleRequest& change) {
  Result<std::string> request = encode(change);
  if (!request.ok()) return request.error();
  const Result<std::string> body = state_->send("PATCH", schedule_path(id), std::move(*request));
  if (!body.ok()) return body.error();
  return decode_schedule(*body);
}

Result<Schedule> Client::delete_schedule(const ScheduleRef& ref) {
  const Result<std::string> body = state_->send("DELETE", schedule_path(ref.id).query("namespace", ref.ns), std::nullopt);
  if (!body.ok()) return body.error();
  return decode_schedule(*body);
}

Result<Schedule> Client::pause_schedule(const ScheduleRef& ref, std::string_view note) {
  return state_->post(schedule_path(ref.id).literal("/pause"), encode_strings(Pairs{{"namespace", ref.ns}, {"note", note}}),
                      decode_schedule);
}

Result<Schedule> Client::resume_schedule(std::string_view id, const ResumeRequest& request) {
  return state_->post(schedule_path(id).literal("/resume"), encode(request), decode_schedule);
}

Result<Submitted> Client::trigger_schedule(const ScheduleRef& ref) {
  return state_->post(schedule_path(ref.id).literal("/trigger"), encode_strings(Pairs{{"namespace", ref.ns}}), decode_submitted);
}

Result<std::vector<Instant>> Client::preview_schedule(const PreviewQuery& query) {
  Path path = schedule_path(query.schedule.id).literal("/preview").query("namespace", query.schedule.ns);
  if (query.count) path.query("count", std::to_string(*query.count));
  if (query.after) path.query("after", format_instant(*query.after));
  return state_->get(path, decode_fires);
}

Result<std::vector<Submitted>> Client::backfill_schedule(const ScheduleRef& ref, const TimeRange& range) {
  return state_->post(schedule_path(ref.id).literal("/backfill"), encode_backfill(ref.ns, range), decode_submitted_many);
}

// --- packages ------------------------------------------------------------------------------------------------------

Result<PackagePage> Client::packages(const PackageQuery& query) {
  Path path = api("/packages");
  path.query("namespace", query.ns)
      .query("worker", query.worker)
      .query("limit", number_text(query.limit))
      .query("cursor", query.cursor);
  return state_->get(path, decode_package_page);
}

Result<Package> Client::package(const PackageRef& ref) {
  return state_->get(api("/packages").segment(ref.name).query("namespace", ref.ns).query("version", ref.version), decode_package);
}

Result<PackageWish> Client::install_package(const PackageInstall& request) {
  return state_->post(api("/packages").segment(request.name).literal("/install"), encode(request), decode_package_wish);
}

Result<PackageWish> Client::uninstall_package(const PackageUninstall& request) {
  return state_->post(api("/packages").segment(request.name).literal("/uninstall"), encode(request), decode_package_wish);
}

Result<std::vector<PackageEvent>> Client::package_events(const PackageEventQuery& query) {
  Path path = api("/packages/events");
  path.query("namespace", query.ns)
      .query("package", query.package)
      .query("worker", query.worker)
      .query("limit", number_text(query.limit));
  return state_->get(path, decode_package_events);
}

// --- plans, actions, logs -----------------------------------------------------------------------------------------

Result<Plan> Client::submit_plan(const PlanRequest& request) {
  return state_->post(api("/plans").query("namespace", request.ns).query("replace", request.replace ? "true" : ""), request.text,
                      decode_plan);
}

Result<Plan> Client::plan(const PlanRef& ref) {
  return state_->get(api("/plans").segment(ref.plan).query("namespace", ref.ns), decode_plan);
}

Result<PlanPage> Client::plans(const PlanQuery& query) {
  Path path = api("/plans");
  path.query("namespace", query.ns).query("offset", number_text(query.offset)).query("limit", number_text(query.limit));
  return state_->get(path, decode_plan_page);
}

Result<Plan> Client::delete_plan(const PlanRef& ref) {
  const Result<std::string> body =
      state_->send("DELETE", api("/plans").segment(ref.plan).query("namespace", ref.ns), std::nullopt);
  if (!body.ok()) return body.error();
  return decode_plan(*body);
}

Result<Action> Client::submit_action(const ActionRequest& request) {
  Result<std::string> body = encode(request);
  if (!body.ok()) return body.error();
  return state_->post(api("/actions"), std::move(*body), decode_action);
}

Result<Action> Client::action(const ActionQuery& query) {
  Path path = api("/actions").segment(query.action).query("namespace", query.ns);
  path.query("job_offset", number_text(query.job_offset)).query("job_limit", number_text(query.job_limit));
  return state_->get(path, decode_action);
}

Result<ActionPage> Client::actions(const ActionListQuery& query) {
  Path path = api("/actions");
  path.query("namespace", query.ns).query("plan", query.plan).query("order", query.order);
  path.query("offset", number_text(query.offset)).query("limit", number_text(query.limit));
  return state_->get(path, decode_action_page);
}

Result<JobOutput> Client::output(std::string_view job, const OutputQuery& query) {
  Path path = api("/jobs").segment(job).literal("/output");
  path.query("channel", query.channel).query("after", std::to_string(query.after)).query("limit", number_text(query.limit));
  if (query.wait > Duration(0)) path.query("wait_ms", std::to_string(query.wait.count()));
  return state_->get(path, decode_output);
}

Result<Renewed> Client::feedback(const LeaseRef& lease, const Feedback& feedback) {
  Result<std::string> body = encode_feedback(lease, feedback);
  if (!body.ok()) return body.error();
  return state_->post(api("/jobs").segment(lease.id).literal("/feedback"), std::move(*body), decode_renewed);
}

Result<JobLogs> Client::logs(std::string_view job) {
  return state_->get(api("/jobs").segment(job).literal("/logs"), decode_logs);
}

}  // namespace muster::sdk
