#include "fronts/grpc/v1/shapes.h"

#include <algorithm>

#include "fronts/grpc/dialect/names.h"
#include "fronts/grpc/dialect/runs.h"
#include "fronts/grpc/dialect/workers.h"
#include "model/validate.h"

namespace muster::rpc::v1 {
namespace {

void put_error(const JobError& error, pb::ErrorDetail* out) {
  out->set_code(code_of(error));
  out->set_message(error.message);
}

// When the run can be claimed: its due time, or the end of its lease.
std::optional<Instant> available_at(const Job& run) {
  if (is_finished(run.state)) return std::nullopt;
  const auto at = run.state == JobState::running ? run.lease_expires_at : run.run_at;
  return at && *at < limits::kRunAtMax ? at : std::nullopt;
}

pb::StepKind kind_of(StepKind kind) {
  switch (kind) {
    case StepKind::sleep: return pb::STEP_KIND_SLEEP;
    case StepKind::child: return pb::STEP_KIND_CHILD_WORKFLOW;
    case StepKind::function:
    case StepKind::signal: return pb::STEP_KIND_FUNCTION;
  }
  return pb::STEP_KIND_UNSPECIFIED;
}

pb::StepStatus status_of_step(const Step& step, Instant now) {
  switch (step.state) {
    case StepState::running: return pb::STEP_STATUS_RUNNING;
    case StepState::waiting:
      return step.kind == StepKind::sleep && step.until && *step.until <= now ? pb::STEP_STATUS_COMPLETED
                                                                              : pb::STEP_STATUS_RUNNING;
    case StepState::completed: return pb::STEP_STATUS_COMPLETED;
    case StepState::failed: return pb::STEP_STATUS_FAILED;
  }
  return pb::STEP_STATUS_UNSPECIFIED;
}

pb::WorkerStatus status_of_worker(WorkerState state) {
  switch (state) {
    case WorkerState::online: return pb::WORKER_STATUS_ONLINE;
    case WorkerState::draining: return pb::WORKER_STATUS_DRAINING;
    case WorkerState::offline: return pb::WORKER_STATUS_OFFLINE;
  }
  return pb::WORKER_STATUS_UNSPECIFIED;
}

}  // namespace

void put_workflow(const Job& run, pb::Workflow* out) {
  const RunSpec& spec = *run.spec.run;
  out->set_namespace_(decode_name(run.spec.ns.text()));
  out->set_run_id(run.id.text());
  out->set_external_id(spec.external_id);
  out->set_task_queue(decode_name(run.spec.queue.text()));
  out->set_workflow_type(decode_name(run.spec.type.text()));
  out->set_status(static_cast<pb::WorkflowStatus>(status_of(run)));
  out->set_version(version_of(run));
  out->mutable_input()->set_data(input_of(run));
  out->mutable_input()->mutable_metadata()->insert(spec.metadata.begin(), spec.metadata.end());
  out->mutable_output();  // always there, perhaps empty
  if (run.result) out->mutable_output()->set_data(run.result->data);
  if (const auto failure = failure_of(run)) put_error(*failure, out->mutable_error());
  out->set_attempts(attempts_of(run));
  if (run.spec.priority != 0) out->set_priority(run.spec.priority);
  if (run.spec.timeout) out->set_timeout_ms(run.spec.timeout->count());
  put_instant(run.created_at, out->mutable_created_at());
  if (const auto begun = begun_at(run)) put_instant(*begun, out->mutable_started_at());
  if (run.finished_at) put_instant(*run.finished_at, out->mutable_finished_at());
  if (const auto available = available_at(run)) put_instant(*available, out->mutable_wake_up_at());
  if (run.state == JobState::running) out->set_worker_id(run.worker.text());
  if (spec.parent) {
    out->set_parent_run_id(spec.parent->run.text());
    out->set_parent_step_id(decode_name(spec.parent->step));
  }
  if (!spec.schedule.empty()) out->set_schedule_id(spec.schedule);
}

void put_step(const Step& step, const NamespaceName& ns, Instant now, pb::Step* out) {
  const std::string name = decode_name(step.name);
  out->set_namespace_(decode_name(ns.text()));
  out->set_step_id(name);
  out->set_run_id(step.run.text());
  out->set_name(name);
  out->set_kind(kind_of(step.kind));
  out->set_status(status_of_step(step, now));
  out->set_attempt_number(static_cast<std::int32_t>(step.attempt));
  if (step.input) out->mutable_input()->set_data(step.input->data);
  if (step.output) out->mutable_output()->set_data(step.output->data);
  if (step.error) put_error(*step.error, out->mutable_error());
  put_instant(step.begun_at, out->mutable_created_at());
  put_instant(step.begun_at, out->mutable_started_at());
  if (step.finished_at) put_instant(*step.finished_at, out->mutable_finished_at());
  if (step.child) out->set_child_run_id(step.child->text());
}

void put_worker(const Worker& worker, pb::Worker* out) {
  const WorkerNotes notes = notes_of(worker);
  out->set_worker_id(worker.spec.id.text());
  out->set_task_queue(queue_of(worker));
  out->set_status(status_of_worker(worker.state));
  out->set_version(worker.spec.version);
  for (std::string& type : types_of(worker)) out->add_workflow_types(std::move(type));
  out->set_hostname(worker.spec.hostname);
  out->set_pid(notes.pid);
  if (notes.queue_limit > 0) out->set_queue_concurrency_limit(notes.queue_limit);
  for (const auto& [type, most] : notes.type_limits) {
    pb::WorkflowTypeConcurrency* one = out->add_workflow_type_concurrency();
    one->set_workflow_type(type);
    one->set_max_concurrent(most);
  }
  out->set_active_workflow_count(worker.state == WorkerState::offline ? 0 : static_cast<std::int32_t>(worker.running));
  put_instant(worker.registered_at, out->mutable_registered_at());
  put_instant(worker.last_seen_at, out->mutable_last_heartbeat_at());
  out->mutable_labels()->insert(worker.spec.labels.begin(), worker.spec.labels.end());
}

void put_schedule(const Schedule& schedule, const RunOutcomes& outcomes, pb::WorkflowSchedule* out) {
  const ScheduleSpec& spec = schedule.spec;
  out->set_namespace_(decode_name(spec.ns.text()));
  out->set_schedule_id(spec.id.text());
  out->set_task_queue(decode_name(spec.job.queue.text()));
  out->set_workflow_type(decode_name(spec.job.type.text()));
  out->set_cron_expr(spec.timing.text);
  out->set_enabled(spec.enabled);
  out->mutable_input()->set_data(spec.job.payload.data);
  out->set_max_catchup(static_cast<std::int32_t>(spec.catchup_max));
  out->set_total_runs(static_cast<std::int64_t>(std::max(schedule.fired, outcomes.seen)));
  out->set_successful_runs(static_cast<std::int64_t>(outcomes.completed));
  out->set_failed_runs(static_cast<std::int64_t>(outcomes.failed));
  put_instant(schedule.created_at, out->mutable_created_at());
  put_instant(schedule.updated_at, out->mutable_updated_at());
  if (schedule.next_fire_at) put_instant(*schedule.next_fire_at, out->mutable_next_fire_at());
  if (schedule.last_fired_at) put_instant(*schedule.last_fired_at, out->mutable_last_fired_at());
  if (!spec.job.run) return;
  out->set_version(spec.job.run->version);
  out->mutable_input()->mutable_metadata()->insert(spec.job.run->metadata.begin(), spec.job.run->metadata.end());
}

void put_namespace(const NamespaceInfo& info, pb::Namespace* out) {
  const std::string name = decode_name(info.name.text());
  out->set_id(uuid_of_name(info.name.text()).text());
  out->set_namespace_(name);
  out->set_display_name(info.display_name.empty() ? name : info.display_name);
  out->set_description(info.description);
  out->set_enabled(info.enabled);
  put_instant(info.created_at, out->mutable_created_at());
  put_instant(std::max(info.created_at, info.updated_at), out->mutable_updated_at());
}

}  // namespace muster::rpc::v1
