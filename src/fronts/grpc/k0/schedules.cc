#include <algorithm>

#include "command/schedules.h"
#include "fronts/grpc/dialect/names.h"
#include "fronts/grpc/dialect/runs.h"
#include "fronts/grpc/dialect/values.h"
#include "fronts/grpc/k0/shapes.h"

namespace muster::rpc::k0 {
namespace {

constexpr PageRule kSchedulePages{.usual = 100, .most = 500};

std::uint32_t catchup_of(std::int32_t wanted) {
  return static_cast<std::uint32_t>(std::clamp<std::int32_t>(wanted, 1, static_cast<std::int32_t>(kCatchupMax)));
}

void refuse_schedule(const CallRef& call, const Status& status, const std::string& id) {
  K0::refuse(call, status, {.kind = "schedule", .id = id});
}

std::optional<ScheduleId> schedule_id(const CallRef& call, const std::string& text) {
  Result<ScheduleId> id = require_schedule(text);
  if (id.ok()) return *id;
  refuse_schedule(call, id.status(), text);
  return std::nullopt;
}

// Names of what may not be empty, in the order they are looked at.
Status required(std::initializer_list<std::pair<const char*, const std::string*>> fields) {
  for (const auto& [name, value] : fields)
    if (value->empty()) return Status::invalid_argument(fmt::format("{} is empty", name));
  return {};
}

template <class Response>
Reply<Schedule> answer_with(const CallRef& call, std::string id) {
  return [call, id = std::move(id)](Result<Schedule> schedule) {
    if (!schedule.ok()) return refuse_schedule(call, schedule.status(), id);
    Response response;
    put_schedule(*schedule, response.mutable_schedule());
    K0::answer(call, response);
  };
}

}  // namespace

void create_schedule(CallRef call) {
  auto request = K0::parse<pb::CreateScheduleRequest>(call);
  if (!request) return;
  if (Status all = required({{"task_queue", &request->task_queue()},
                             {"workflow_type", &request->workflow_type()},
                             {"cron_expr", &request->cron_expr()}});
      !all.ok())
    return K0::refuse(call, all);
  if (!request->input().empty())
    if (Status input = check_json(*call, "input", request->input()); !input.ok()) return K0::refuse(call, input);
  if (!request->context().empty())
    if (Status context = check_json(*call, "context", request->context()); !context.ok()) return K0::refuse(call, context);
  ScheduleSpec spec;
  spec.ns = namespace_of(request->namespace_id());
  spec.timing.text = request->cron_expr();
  spec.timing.form = CronForm::kagzi;
  spec.enabled = !request->has_enabled() || request->enabled().value();
  spec.catchup_max = request->max_catchup() == 0 ? kCatchupDefault : catchup_of(request->max_catchup());
  spec.job = run_of(spec.ns, request->task_queue(), request->workflow_type());
  spec.job.payload = {request->input().empty() ? std::string(kNull) : std::move(*request->mutable_input()), Encoding::json};
  spec.job.rescues_max = rescues_of(0);
  spec.job.run->version = request->version();
  spec.job.run->context = request->context();
  spec.job.run->backoff = StepBackoff::multiplied_first;
  const NamespaceName ns = spec.ns;
  ensure_namespace(call, ns, [call, spec = std::move(spec)](Status there) mutable {
    if (!there.ok()) return K0::refuse(call, there);
    ask(call, command::ScheduleCreateRequest{std::move(spec)}, answer_with<pb::CreateScheduleResponse>(call, {}));
  });
}

void get_schedule(CallRef call) {
  const auto request = K0::parse<pb::GetScheduleRequest>(call);
  if (!request) return;
  const auto id = schedule_id(call, request->schedule_id());
  if (!id) return;
  ask(call, command::ScheduleGetRequest{namespace_of(request->namespace_id()), *id},
      answer_with<pb::GetScheduleResponse>(call, id->text()));
}

void list_schedules(CallRef call) {
  const auto request = K0::parse<pb::ListSchedulesRequest>(call);
  if (!request) return;
  store::ScheduleQuery query;
  query.ns = namespace_of(request->namespace_id());
  if (!request->task_queue().empty()) query.queue = QueueName(encode_name(request->task_queue()));
  query.limit = page_size(request->limit(), kSchedulePages);
  ask(call, std::move(query), [call](Result<store::SchedulePage> page) {
    if (page.code() == Code::not_found) return K0::answer(call, pb::ListSchedulesResponse());
    if (!page.ok()) return K0::refuse(call, page.status());
    pb::ListSchedulesResponse response;
    for (const Schedule& schedule : page->schedules) put_schedule(schedule, response.add_schedules());
    K0::answer(call, response);
  });
}

namespace {

// What the wrappers that are present change in the template.
void change_job(const pb::UpdateScheduleRequest& request, JobSpec& job) {
  if (request.has_task_queue()) job.queue = QueueName(encode_name(request.task_queue().value()));
  if (request.has_workflow_type()) {
    job.type = JobType(encode_name(request.workflow_type().value()));
    job.needs = CapabilitySet({workflow_capability(job.type.text())});
  }
  if (request.has_input())
    job.payload = {request.input().value().empty() ? std::string(kNull) : request.input().value(), Encoding::json};
  if (!job.run) return;
  if (request.has_context()) job.run->context = request.context().value();
  if (request.has_version()) job.run->version = request.version().value();
}

Status check_update(const CallRef& call, const pb::UpdateScheduleRequest& request) {
  for (const auto& [name, present, wrapper] : {std::tuple("task_queue", request.has_task_queue(), &request.task_queue()),
                                               std::tuple("workflow_type", request.has_workflow_type(), &request.workflow_type()),
                                               std::tuple("cron_expr", request.has_cron_expr(), &request.cron_expr())})
    if (present && wrapper->value().empty()) return Status::invalid_argument(fmt::format("{} is empty", name));
  if (request.has_input() && !request.input().value().empty())
    if (Status input = check_json(*call, "input", request.input().value()); !input.ok()) return input;
  if (request.has_context() && !request.context().value().empty()) return check_json(*call, "context", request.context().value());
  return {};
}

}  // namespace

void update_schedule(CallRef call) {
  auto request = K0::parse<pb::UpdateScheduleRequest>(call);
  if (!request) return;
  const auto id = schedule_id(call, request->schedule_id());
  if (!id) return;
  if (Status fields = check_update(call, *request); !fields.ok()) return K0::refuse(call, fields);
  command::ScheduleUpdateRequest change;
  change.ns = namespace_of(request->namespace_id());
  change.id = *id;
  change.catch_up = true;
  if (request->has_enabled()) change.enabled = request->enabled().value();
  if (request->has_max_catchup()) change.catchup_max = catchup_of(request->max_catchup().value());
  if (request->has_next_fire_at()) {
    const Result<Instant> next = instant_of("next_fire_at", request->next_fire_at());
    if (!next.ok()) return K0::refuse(call, next.status());
    if (!request->has_cron_expr()) change.next_fire_at = *next;
  }
  const NamespaceName ns = change.ns;
  ask(call, command::ScheduleGetRequest{ns, *id},
      [call, request = std::move(*request), change = std::move(change)](Result<Schedule> found) mutable {
        if (!found.ok()) return refuse_schedule(call, found.status(), change.id.text());
        change.job = found->spec.job;
        change_job(request, *change.job);
        if (*change.job == found->spec.job) change.job.reset();
        if (request.has_cron_expr()) {
          change.timing = found->spec.timing;
          change.timing->text = request.cron_expr().value();
          change.timing->form = CronForm::kagzi;
        }
        std::string changed = change.id.text();
        ask(call, std::move(change), answer_with<pb::UpdateScheduleResponse>(call, std::move(changed)));
      });
}

void delete_schedule(CallRef call) {
  const auto request = K0::parse<pb::DeleteScheduleRequest>(call);
  if (!request) return;
  const auto id = schedule_id(call, request->schedule_id());
  if (!id) return;
  ask(call, command::ScheduleDeleteRequest{namespace_of(request->namespace_id()), *id},
      [call, id = id->text()](Result<Schedule> gone) {
        if (!gone.ok()) return refuse_schedule(call, gone.status(), id);
        K0::answer(call, pb::Empty());
      });
}

}  // namespace muster::rpc::k0
