// Schedules over muster.v1.
#include "sdk/cpp/workflow/client.h"
#include "sdk/cpp/workflow/client_state.h"

namespace muster::sdk::workflow {
namespace {

using Stub = muster::v1::ScheduleService::Stub;

void write(muster::v1::Content* out, const json& input) {
  out->set_data(input.dump());
  out->set_is_json(true);
}

Duration length(const google::protobuf::Duration& value) { return Duration(value.seconds() * 1'000 + value.nanos() / 1'000'000); }

Schedule read(const muster::v1::Schedule& in) {
  Schedule out;
  out.spec = {.id = in.schedule_id(),
              .timing = in.timing(),
              .zone = in.zone(),
              .gap = in.gap(),
              .fold = in.fold(),
              .jitter = length(in.jitter()),
              .overlap = in.overlap(),
              .catchup_max = in.catchup_max(),
              .enabled = in.enabled(),
              .note = in.note(),
              .queue = in.task_queue(),
              .type = in.workflow_type(),
              .input = json::parse(in.input().data(), nullptr, false),
              .version = in.version()};
  if (out.spec.input.is_discarded()) out.spec.input = nullptr;
  out.created_at = wire::instant(in.created_at());
  out.updated_at = wire::instant(in.updated_at());
  if (in.has_next_fire_at()) out.next_fire_at = wire::instant(in.next_fire_at());
  if (in.has_last_fired_at()) out.last_fired_at = wire::instant(in.last_fired_at());
  out.fired = in.fired();
  out.skipped = in.skipped();
  out.last_run_id = in.last_run_id();
  return out;
}

Result<Schedule> read(const Result<muster::v1::Schedule>& answer) {
  if (!answer.ok()) return answer.error();
  return read(*answer);
}

muster::v1::ScheduleName name(const ClientState& state, std::string_view id) {
  muster::v1::ScheduleName request;
  request.set_namespace_(state.ns());
  request.set_schedule_id(std::string(id));
  return request;
}

}  // namespace

Result<Schedule> Client::create_schedule(const ScheduleSpec& spec) {
  muster::v1::CreateScheduleRequest request;
  muster::v1::Schedule& out = *request.mutable_schedule();
  out.set_namespace_(state_->ns());
  out.set_schedule_id(spec.id);
  out.set_timing(spec.timing);
  out.set_zone(spec.zone);
  out.set_gap(spec.gap);
  out.set_fold(spec.fold);
  if (spec.jitter != Duration(0)) wire::set(out.mutable_jitter(), spec.jitter);
  out.set_overlap(spec.overlap);
  out.set_note(spec.note);
  out.set_task_queue(spec.queue.empty() ? state_->queue : spec.queue);
  out.set_workflow_type(spec.type);
  write(out.mutable_input(), spec.input);
  out.set_version(spec.version);
  if (spec.enabled) request.set_enabled(*spec.enabled);
  if (spec.catchup_max) request.set_catchup_max(*spec.catchup_max);
  return read(wire::call(state_->link, state_->link.schedules(), &Stub::CreateSchedule, request));
}

Result<Schedule> Client::schedule(std::string_view id) {
  return read(wire::call(state_->link, state_->link.schedules(), &Stub::GetSchedule, name(*state_, id)));
}

Result<SchedulePage> Client::schedules(std::string_view page) {
  muster::v1::ListSchedulesRequest request;
  request.set_namespace_(state_->ns());
  request.set_page_token(std::string(page));
  const auto answer = wire::call(state_->link, state_->link.schedules(), &Stub::ListSchedules, request);
  if (!answer.ok()) return answer.error();
  SchedulePage out;
  for (const muster::v1::Schedule& schedule : answer->schedules()) out.schedules.push_back(read(schedule));
  out.next = answer->next_page_token();
  out.total = answer->total();
  return out;
}

Result<Schedule> Client::update_schedule(std::string_view id, const ScheduleChange& change) {
  muster::v1::UpdateScheduleRequest request;
  request.set_namespace_(state_->ns());
  request.set_schedule_id(std::string(id));
  if (change.timing) request.set_timing(*change.timing);
  if (change.zone) request.set_zone(*change.zone);
  if (change.gap) request.set_gap(*change.gap);
  if (change.fold) request.set_fold(*change.fold);
  if (change.jitter) wire::set(request.mutable_jitter(), *change.jitter);
  if (change.overlap) request.set_overlap(*change.overlap);
  if (change.catchup_max) request.set_catchup_max(*change.catchup_max);
  if (change.enabled) request.set_enabled(*change.enabled);
  if (change.note) request.set_note(*change.note);
  if (change.input) write(request.mutable_input(), *change.input);
  if (change.version) request.set_version(*change.version);
  return read(wire::call(state_->link, state_->link.schedules(), &Stub::UpdateSchedule, request));
}

Result<Schedule> Client::pause_schedule(std::string_view id) {
  return read(wire::call(state_->link, state_->link.schedules(), &Stub::PauseSchedule, name(*state_, id)));
}

Result<Schedule> Client::resume_schedule(std::string_view id) {
  return read(wire::call(state_->link, state_->link.schedules(), &Stub::ResumeSchedule, name(*state_, id)));
}

Result<Schedule> Client::delete_schedule(std::string_view id) {
  return read(wire::call(state_->link, state_->link.schedules(), &Stub::DeleteSchedule, name(*state_, id)));
}

Result<Handle> Client::trigger_schedule(std::string_view id) {
  const auto answer = wire::call(state_->link, state_->link.schedules(), &Stub::TriggerSchedule, name(*state_, id));
  if (!answer.ok()) return answer.error();
  return run(answer->run_id());
}

Result<std::vector<Instant>> Client::preview_schedule(std::string_view id, std::int32_t count, std::optional<Instant> after) {
  muster::v1::PreviewScheduleRequest request;
  request.set_namespace_(state_->ns());
  request.set_schedule_id(std::string(id));
  request.set_count(count);
  if (after) wire::set(request.mutable_after(), *after);
  const auto answer = wire::call(state_->link, state_->link.schedules(), &Stub::PreviewSchedule, request);
  if (!answer.ok()) return answer.error();
  std::vector<Instant> fires;
  for (const google::protobuf::Timestamp& fire : answer->fires()) fires.push_back(wire::instant(fire));
  return fires;
}

Result<Backfill> Client::backfill_schedule(std::string_view id, const Range& range) {
  muster::v1::BackfillScheduleRequest request;
  request.set_namespace_(state_->ns());
  request.set_schedule_id(std::string(id));
  wire::set(request.mutable_from(), range.from);
  wire::set(request.mutable_to(), range.to);
  const auto answer = wire::call(state_->link, state_->link.schedules(), &Stub::BackfillSchedule, request);
  if (!answer.ok()) return answer.error();
  return Backfill{.run_ids = {answer->run_ids().begin(), answer->run_ids().end()}, .existed = answer->existed()};
}

}  // namespace muster::sdk::workflow
