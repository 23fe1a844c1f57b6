#include <algorithm>

#include "command/jobs.h"
#include "command/runs.h"
#include "command/schedules.h"
#include "fronts/grpc/dialect/names.h"
#include "fronts/grpc/dialect/runs.h"
#include "fronts/grpc/v1/shapes.h"

namespace muster::rpc::v1 {
namespace {

constexpr PageRule kSchedulePages{.usual = 100, .most = 500};
constexpr std::int32_t kCatchupUsual = 50;
constexpr std::size_t kOutcomesMax = 1'000;  // of a schedule's runs, the newest, whose ends are counted

void refuse_schedule(const CallRef& call, const Status& status, const std::string& id) {
  V1::refuse(call, status, {.kind = "schedule", .id = id});
}

struct ScheduleRef {
  NamespaceName ns;
  ScheduleId id;
};

// The schedule a request names, or nothing: the call has been refused.
template <class Request>
std::optional<ScheduleRef> schedule_ref(const CallRef& call, const Request& request) {
  if (Status all = required({{"schedule_id", &request.schedule_id()}, {"namespace", &request.namespace_()}}); !all.ok()) {
    V1::refuse(call, all);
    return std::nullopt;
  }
  Result<ScheduleId> id = require_schedule(request.schedule_id());
  if (id.ok()) return ScheduleRef{namespace_of(request.namespace_()), std::move(*id)};
  refuse_schedule(call, id.status(), request.schedule_id());
  return std::nullopt;
}

// Six fields, or seven with a year: this dialect has neither five nor names like @daily. What stands in the fields is read later.
Status check_cron(const std::string& text) {
  std::size_t fields = 0;
  bool inside = false;
  for (const char c : text) {
    const bool space = c == ' ' || (c >= '\t' && c <= '\r');
    fields += !space && !inside ? 1 : 0;
    inside = !space;
  }
  if (fields == 6 || fields == 7) return {};
  return Status::invalid_argument(
      fmt::format("cron_expr has {} fields; six are accepted: seconds, minutes, hours, day, month, day of the week", fields));
}

Result<std::uint32_t> catchup_of(std::int32_t wanted) {
  if (wanted < 0) return Status::invalid_argument(fmt::format("max_catchup is {}; 0 to {} is accepted", wanted, kCatchupMax));
  return std::min(static_cast<std::uint32_t>(wanted), kCatchupMax);
}

void count_outcomes(const CallRef& call, const ScheduleRef& ref, UniqueFunction<void(RunOutcomes)> then) {
  store::JobQuery query;
  query.filter.ns = ref.ns;
  query.filter.labels = {{kLabelSchedule, ref.id.text()}};
  query.limit = kOutcomesMax;
  ask(call, command::RunListRequest{std::move(query)}, [then = std::move(then)](Result<store::JobPage> page) mutable {
    RunOutcomes outcomes;
    if (page.ok())
      for (const Job& job : page->jobs) {
        ++outcomes.seen;
        outcomes.completed += job.state == JobState::completed ? 1 : 0;
        outcomes.failed += job.state == JobState::dead ? 1 : 0;
      }
    then(outcomes);
  });
}
static_assert(kOutcomesMax <= limits::kPageMax);

// The schedule with its counters, or a refusal.
template <class Response>
Reply<Schedule> answer_schedule(const CallRef& call, std::string id) {
  return [call, id = std::move(id)](Result<Schedule> schedule) {
    if (!schedule.ok()) return refuse_schedule(call, schedule.status(), id);
    const ScheduleRef ref{schedule->spec.ns, schedule->spec.id};
    count_outcomes(call, ref, [call, schedule = std::move(*schedule)](const RunOutcomes& outcomes) {
      Response response;
      put_schedule(schedule, outcomes, response.mutable_schedule());
      V1::answer(call, response);
    });
  };
}

void put_input(pb::Payload& input, JobSpec& job) {
  job.payload = content_of(std::move(*input.mutable_data()));
  if (!job.run) return;
  job.run->metadata.clear();
  job.run->metadata.insert(input.metadata().begin(), input.metadata().end());
}

}  // namespace

void create_workflow_schedule(CallRef call) {
  auto request = V1::parse<pb::CreateWorkflowScheduleRequest>(call);
  if (!request) return;
  if (Status all = required({{"task_queue", &request->task_queue()},
                             {"workflow_type", &request->workflow_type()},
                             {"cron_expr", &request->cron_expr()},
                             {"namespace", &request->namespace_()}});
      !all.ok())
    return V1::refuse(call, all);
  if (Status cron = check_cron(request->cron_expr()); !cron.ok()) return V1::refuse(call, cron);
  if (Status input = check_payload(*call, "input", request->input().data().size()); !input.ok()) return V1::refuse(call, input);
  const Result<std::uint32_t> catchup = catchup_of(request->has_max_catchup() ? request->max_catchup() : kCatchupUsual);
  if (!catchup.ok()) return V1::refuse(call, catchup.status());
  ScheduleSpec spec;
  spec.ns = namespace_of(request->namespace_());
  spec.timing.text = request->cron_expr();
  spec.timing.form = CronForm::kagzi;
  spec.enabled = !request->has_enabled() || request->enabled();
  spec.catchup_max = *catchup;
  spec.job = run_of(spec.ns, request->task_queue(), request->workflow_type());
  spec.job.rescues_max = rescues_of(0);
  spec.job.run->version = request->version();
  put_input(*request->mutable_input(), spec.job);
  const NamespaceName ns = spec.ns;
  ensure_namespace(call, ns, [call, spec = std::move(spec)](Status there) mutable {
    if (!there.ok()) return V1::refuse(call, there);
    ask(call, command::ScheduleCreateRequest{std::move(spec)}, answer_schedule<pb::CreateWorkflowScheduleResponse>(call, {}));
  });
}

void get_workflow_schedule(CallRef call) {
  const auto request = V1::parse<pb::GetWorkflowScheduleRequest>(call);
  if (!request) return;
  const auto ref = schedule_ref(call, *request);
  if (!ref) return;
  ask(call, command::ScheduleGetRequest{ref->ns, ref->id},
      answer_schedule<pb::GetWorkflowScheduleResponse>(call, ref->id.text()));
}

void list_workflow_schedules(CallRef call) {
  const auto request = V1::parse<pb::ListWorkflowSchedulesRequest>(call);
  if (!request) return;
  if (Status all = required({{"namespace", &request->namespace_()}}); !all.ok()) return V1::refuse(call, all);
  const auto page = page_of(call, request->page(), kSchedulePages);
  if (!page) return;
  store::ScheduleQuery query;
  query.ns = namespace_of(request->namespace_());
  if (!request->task_queue().empty()) query.queue = QueueName(encode_name(request->task_queue()));
  query.limit = page->limit;
  query.cursor = page->cursor;
  ask(call, std::move(query), [call](Result<store::SchedulePage> found) {
    pb::ListWorkflowSchedulesResponse response;
    response.mutable_page();
    if (found.code() == Code::not_found) return V1::answer(call, response);
    if (!found.ok()) return V1::refuse(call, found.status());
    // How their runs ended is counted for one schedule at a time only: it is a search for each of them.
    for (const Schedule& schedule : found->schedules) put_schedule(schedule, {}, response.add_schedules());
    put_page(found->next, found->total, response.mutable_page());
    V1::answer(call, response);
  });
}

void update_workflow_schedule(CallRef call) {
  auto request = V1::parse<pb::UpdateWorkflowScheduleRequest>(call);
  if (!request) return;
  const auto ref = schedule_ref(call, *request);
  if (!ref) return;
  command::ScheduleUpdateRequest change;
  change.ns = ref->ns;
  change.id = ref->id;
  for (const auto& [name, present, value] : {std::tuple("task_queue", request->has_task_queue(), &request->task_queue()),
                                             std::tuple("workflow_type", request->has_workflow_type(), &request->workflow_type()),
                                             std::tuple("cron_expr", request->has_cron_expr(), &request->cron_expr())})
    if (present && value->empty()) return V1::refuse(call, Status::invalid_argument(fmt::format("{} is empty", name)));
  if (request->has_cron_expr())
    if (Status cron = check_cron(request->cron_expr()); !cron.ok()) return V1::refuse(call, cron);
  if (Status input = check_payload(*call, "input", request->input().data().size()); !input.ok()) return V1::refuse(call, input);
  if (request->has_enabled()) change.enabled = request->enabled();
  if (request->has_max_catchup()) {
    const Result<std::uint32_t> catchup = catchup_of(request->max_catchup());
    if (!catchup.ok()) return V1::refuse(call, catchup.status());
    change.catchup_max = *catchup;
  }
  if (request->has_next_fire_at()) {
    const Result<Instant> next = instant_of("next_fire_at", request->next_fire_at());
    if (!next.ok()) return V1::refuse(call, next.status());
    if (!request->has_cron_expr()) change.next_fire_at = *next;
  }
  ask(call, command::ScheduleGetRequest{ref->ns, ref->id},
      [call, request = std::move(*request), change = std::move(change)](Result<Schedule> found) mutable {
        if (!found.ok()) return refuse_schedule(call, found.status(), change.id.text());
        JobSpec job = found->spec.job;
        if (request.has_task_queue()) job.queue = QueueName(encode_name(request.task_queue()));
        if (request.has_workflow_type()) {
          job.type = JobType(encode_name(request.workflow_type()));
          job.needs = CapabilitySet({workflow_capability(job.type.text())});
        }
        if (request.has_input()) put_input(*request.mutable_input(), job);
        if (request.has_version() && job.run) job.run->version = request.version();
        if (job != found->spec.job) change.job = std::move(job);
        if (request.has_cron_expr()) {
          change.timing = found->spec.timing;
          change.timing->text = request.cron_expr();
          change.timing->form = CronForm::kagzi;
        }
        std::string id = change.id.text();
        ask(call, std::move(change), answer_schedule<pb::UpdateWorkflowScheduleResponse>(call, std::move(id)));
      });
}

void delete_workflow_schedule(CallRef call) {
  const auto request = V1::parse<pb::DeleteWorkflowScheduleRequest>(call);
  if (!request) return;
  const auto ref = schedule_ref(call, *request);
  if (!ref) return;
  ask(call, command::ScheduleDeleteRequest{ref->ns, ref->id}, [call, id = ref->id.text()](Result<Schedule> gone) {
    if (!gone.ok()) return refuse_schedule(call, gone.status(), id);
    pb::DeleteWorkflowScheduleResponse response;
    response.set_deleted(true);
    response.set_message(fmt::format("schedule {} is deleted; its runs stay", id));
    V1::answer(call, response);
  });
}

void trigger_workflow_schedule(CallRef call) {
  const auto request = V1::parse<pb::TriggerWorkflowScheduleRequest>(call);
  if (!request) return;
  const auto ref = schedule_ref(call, *request);
  if (!ref) return;
  ask(call, command::ScheduleTriggerRequest{ref->ns, ref->id}, [call, id = ref->id.text()](Result<store::Enqueued> started) {
    if (!started.ok()) return refuse_schedule(call, started.status(), id);
    pb::TriggerWorkflowScheduleResponse response;
    response.set_run_id(started->id.text());
    V1::answer(call, response);
  });
}

namespace {

// Resuming goes on from now: what was missed stays missed.
template <class Command, class Request, class Response>
void switch_schedule(const CallRef& call) {
  const auto request = V1::parse<Request>(call);
  if (!request) return;
  const auto ref = schedule_ref(call, *request);
  if (!ref) return;
  Command change;
  change.ns = ref->ns;
  change.id = ref->id;
  ask(call, std::move(change), answer_schedule<Response>(call, ref->id.text()));
}

}  // namespace

void pause_workflow_schedule(CallRef call) {
  switch_schedule<command::SchedulePauseRequest, pb::PauseWorkflowScheduleRequest, pb::PauseWorkflowScheduleResponse>(call);
}

void resume_workflow_schedule(CallRef call) {
  switch_schedule<command::ScheduleResumeRequest, pb::ResumeWorkflowScheduleRequest, pb::ResumeWorkflowScheduleResponse>(call);
}

void list_schedule_runs(CallRef call) {
  const auto request = V1::parse<pb::ListScheduleRunsRequest>(call);
  if (!request) return;
  const auto ref = schedule_ref(call, *request);
  if (!ref) return;
  const auto page = page_of(call, request->page(), kSchedulePages);
  if (!page) return;
  RunListing listing;
  listing.filter.ns = ref->ns;
  listing.filter.labels = {{kLabelSchedule, ref->id.text()}};
  listing.limit = page->limit;
  listing.cursor = page->cursor;
  // A schedule that is not there is refused, rather than shown without runs.
  ask(call, command::ScheduleGetRequest{ref->ns, ref->id},
      [call, listing = std::move(listing), total = page->total](Result<Schedule> schedule) mutable {
        if (!schedule.ok()) return refuse_schedule(call, schedule.status(), listing.filter.labels.begin()->second);
        RunListing counted = listing;
        list_runs(call, std::move(listing), [call, total, counted = std::move(counted)](Result<RunsPage> runs) mutable {
          if (!runs.ok()) return V1::refuse(call, runs.status());
          pb::ListScheduleRunsResponse response;
          for (const Job& run : runs->runs) put_workflow(run, response.add_runs());
          put_page(runs->next, std::nullopt, response.mutable_page());
          if (!total) return V1::answer(call, response);
          count_runs(call, std::move(counted), [call, response = std::move(response)](Result<std::uint64_t> count) mutable {
            if (!count.ok()) return V1::refuse(call, count.status());
            response.mutable_page()->set_total_count(static_cast<std::int64_t>(*count));
            V1::answer(call, response);
          });
        });
      });
}

}  // namespace muster::rpc::v1
