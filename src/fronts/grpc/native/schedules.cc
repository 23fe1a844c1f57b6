// ScheduleService: the schedules of src/engine/schedules.h with all their settings.
#include <fmt/format.h>

#include <utility>

#include "command/schedules.h"
#include "fronts/grpc/dialect/names.h"
#include "fronts/grpc/dialect/values.h"
#include "fronts/grpc/native/native.h"
#include "fronts/grpc/native/shapes.h"

namespace muster::rpc::native {
namespace {

constexpr std::int32_t kPreviewDefault = 10;
constexpr PageRule kSchedulePages{.usual = 100, .most = 1'000};

struct Named {
  NamespaceName ns;
  ScheduleId id;
};

// Nothing: the call has been refused.
template <class Message>
std::optional<Named> named(const CallRef& call, const Message& message) {
  auto id = require_schedule(message.schedule_id());
  if (id.ok()) return Named{namespace_of(message.namespace_()), *std::move(id)};
  Native::refuse(call, id.status());
  return std::nullopt;
}

Reply<Schedule> answer_with_schedule(CallRef call) {
  return [call](Result<Schedule> schedule) {
    if (!schedule.ok()) return Native::refuse(call, schedule.status());
    pb::Schedule message;
    put_schedule(*schedule, &message);
    Native::answer(call, message);
  };
}

template <class Command>
void switch_schedule(const CallRef& call) {
  const auto request = Native::parse<pb::ScheduleName>(call);
  if (!request) return;
  auto name = named(call, *request);
  if (!name) return;
  Command change;
  change.ns = std::move(name->ns);
  change.id = std::move(name->id);
  ask(call, std::move(change), answer_with_schedule(call));
}

}  // namespace

void create_schedule(CallRef call) {
  const auto request = Native::parse<pb::CreateScheduleRequest>(call);
  if (!request) return;
  auto spec = schedule_of(*call, *request);
  if (!spec.ok()) return Native::refuse(call, spec.status());
  const NamespaceName ns = spec->ns;
  ensure_namespace(call, ns, [call, spec = *std::move(spec)](Status there) mutable {
    if (!there.ok()) return Native::refuse(call, there);
    ask(call, command::ScheduleCreateRequest{std::move(spec)}, answer_with_schedule(call));
  });
}

void get_schedule(CallRef call) {
  const auto request = Native::parse<pb::ScheduleName>(call);
  if (!request) return;
  auto name = named(call, *request);
  if (!name) return;
  ask(call, command::ScheduleGetRequest{std::move(name->ns), std::move(name->id)}, answer_with_schedule(call));
}

void list_schedules(CallRef call) {
  const auto request = Native::parse<pb::ListSchedulesRequest>(call);
  if (!request) return;
  auto cursor = cursor_of(request->page_token());
  if (!cursor.ok()) return Native::refuse(call, cursor.status());
  store::ScheduleQuery query;
  query.ns = namespace_of(request->namespace_());
  query.limit = page_size(request->page_size(), kSchedulePages);
  query.cursor = *std::move(cursor);
  ask(call, std::move(query), [call](Result<store::SchedulePage> page) {
    if (!page.ok()) return Native::refuse(call, page.status());
    pb::ListSchedulesResponse message;
    for (const Schedule& schedule : page->schedules) put_schedule(schedule, message.add_schedules());
    if (!page->next.empty()) message.set_next_page_token(page_token(page->next));
    message.set_total(static_cast<std::int64_t>(page->total));
    Native::answer(call, message);
  });
}

void update_schedule(CallRef call) {
  auto request = Native::parse<pb::UpdateScheduleRequest>(call);
  if (!request) return;
  auto name = named(call, *request);
  if (!name) return;
  ask(call, command::ScheduleGetRequest{std::move(name->ns), std::move(name->id)},
      [call, request = *std::move(request)](Result<Schedule> before) mutable {
        if (!before.ok()) return Native::refuse(call, before.status());
        auto change = change_of(request, *before);
        if (!change.ok()) return Native::refuse(call, change.status());
        if (request.has_input() || request.has_version()) change->job = before->spec.job;
        if (request.has_input()) {
          auto input = content_of(*call, "input", request.input());
          if (!input.ok()) return Native::refuse(call, input.status());
          change->job->payload = *std::move(input);
        }
        if (request.has_version() && change->job->run) change->job->run->version = request.version();
        ask(call, *std::move(change), answer_with_schedule(call));
      });
}

void delete_schedule(CallRef call) {
  const auto request = Native::parse<pb::ScheduleName>(call);
  if (!request) return;
  auto name = named(call, *request);
  if (!name) return;
  ask(call, command::ScheduleDeleteRequest{std::move(name->ns), std::move(name->id)}, answer_with_schedule(call));
}

void pause_schedule(CallRef call) { switch_schedule<command::SchedulePauseRequest>(call); }
void resume_schedule(CallRef call) { switch_schedule<command::ScheduleResumeRequest>(call); }

void trigger_schedule(CallRef call) {
  const auto request = Native::parse<pb::ScheduleName>(call);
  if (!request) return;
  auto name = named(call, *request);
  if (!name) return;
  ask(call, command::ScheduleTriggerRequest{std::move(name->ns), std::move(name->id)}, [call](Result<store::Enqueued> made) {
    if (!made.ok()) return Native::refuse(call, made.status());
    pb::TriggerScheduleResponse message;
    message.set_run_id(made->id.text());
    Native::answer(call, message);
  });
}

void preview_schedule(CallRef call) {
  const auto request = Native::parse<pb::PreviewScheduleRequest>(call);
  if (!request) return;
  auto name = named(call, *request);
  if (!name) return;
  const std::int32_t count = request->count() == 0 ? kPreviewDefault : request->count();
  if (count < 0) return Native::refuse(call, Status::invalid_argument(fmt::format("count of {} is below 1", count)));
  std::optional<Instant> after;
  if (request->has_after()) {
    auto at = instant_of("after", request->after());
    if (!at.ok()) return Native::refuse(call, at.status());
    after = *at;
  }
  ask(call, command::SchedulePreviewRequest{std::move(name->ns), std::move(name->id), static_cast<std::size_t>(count), after},
      [call](Result<std::vector<Instant>> fires) {
        if (!fires.ok()) return Native::refuse(call, fires.status());
        pb::PreviewScheduleResponse message;
        for (const Instant at : *fires) put_instant(at, message.add_fires());
        Native::answer(call, message);
      });
}

void backfill_schedule(CallRef call) {
  const auto request = Native::parse<pb::BackfillScheduleRequest>(call);
  if (!request) return;
  auto name = named(call, *request);
  if (!name) return;
  if (!request->has_from() || !request->has_to()) return Native::refuse(call, Status::invalid_argument("from and to are needed"));
  const auto from = instant_of("from", request->from());
  if (!from.ok()) return Native::refuse(call, from.status());
  const auto to = instant_of("to", request->to());
  if (!to.ok()) return Native::refuse(call, to.status());
  ask(call, command::ScheduleBackfillRequest{.ns = std::move(name->ns), .id = std::move(name->id), .from = *from, .to = *to},
      [call](Result<std::vector<store::Enqueued>> made) {
        if (!made.ok()) return Native::refuse(call, made.status());
        pb::BackfillScheduleResponse message;
        std::int32_t existed = 0;
        for (const store::Enqueued& each : *made) {
          message.add_run_ids(each.id.text());
          existed += each.existed ? 1 : 0;
        }
        message.set_existed(existed);
        Native::answer(call, message);
      });
}

}  // namespace muster::rpc::native
