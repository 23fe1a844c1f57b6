#include "fronts/grpc/k0/shapes.h"

#include "fronts/grpc/dialect/names.h"
#include "fronts/grpc/dialect/runs.h"
#include "fronts/grpc/dialect/values.h"
#include "fronts/grpc/dialect/workers.h"
#include "model/validate.h"

namespace muster::rpc::k0 {
namespace {

constexpr int kRunErrorField = 8;
constexpr int kStepErrorField = 9;

// The error is always there, without a code: that is what clients of this dialect know. As plain text its bytes stand in the
// field itself, which only the unknown fields of the message can carry.
template <class Message>
void put_error(const std::string& text, ErrorForm form, int field, Message* out) {
  if (form.plain)
    *out->GetReflection()->MutableUnknownFields(out)->AddLengthDelimited(field) = text;
  else
    out->mutable_error()->set_message(text);
}

pb::StepKind kind_of(const Step& step, const std::string& name) {
  const auto says = [&name](const char* word) { return name.find(word) != std::string::npos; };
  if (step.kind == StepKind::sleep || says("sleep") || says("wait")) return pb::STEP_KIND_SLEEP;
  if (says("function") || says("task")) return pb::STEP_KIND_FUNCTION;
  return pb::STEP_KIND_UNSPECIFIED;
}

pb::StepAttemptStatus status_of_step(const Step& step, Instant now) {
  switch (step.state) {
    case StepState::running: return pb::STEP_ATTEMPT_STATUS_RUNNING;
    case StepState::waiting:
      return step.kind == StepKind::sleep && step.until && *step.until <= now ? pb::STEP_ATTEMPT_STATUS_COMPLETED
                                                                              : pb::STEP_ATTEMPT_STATUS_RUNNING;
    case StepState::completed: return pb::STEP_ATTEMPT_STATUS_COMPLETED;
    case StepState::failed:
      return step.until && *step.until > now ? pb::STEP_ATTEMPT_STATUS_PENDING : pb::STEP_ATTEMPT_STATUS_FAILED;
  }
  return pb::STEP_ATTEMPT_STATUS_UNSPECIFIED;
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

void put_run(const Job& run, ErrorForm form, pb::WorkflowRun* out) {
  const RunSpec& spec = *run.spec.run;
  out->set_run_id(run.id.text());
  out->set_business_id(spec.external_id);
  out->set_task_queue(decode_name(run.spec.queue.text()));
  out->set_workflow_type(decode_name(run.spec.type.text()));
  out->set_status(static_cast<pb::WorkflowStatus>(status_of(run)));
  out->set_input(input_of(run));
  if (run.result) out->set_output(run.result->data);
  const auto failure = failure_of(run);
  put_error(failure ? failure->message : std::string(), form, kRunErrorField, out);
  out->set_attempts(attempts_of(run));
  put_instant(run.created_at, out->mutable_created_at());
  if (const auto begun = begun_at(run)) put_instant(*begun, out->mutable_started_at());
  if (run.finished_at) put_instant(*run.finished_at, out->mutable_finished_at());
  // A run that waits for a signal without a limit has no time to wake up at.
  if (run.state == JobState::scheduled && run.run_at && *run.run_at < limits::kRunAtMax)
    put_instant(*run.run_at, out->mutable_wake_up_at());
  out->set_namespace_id(decode_name(run.spec.ns.text()));
  out->set_context(spec.context);
  if (run.spec.deadline) put_instant(*run.spec.deadline, out->mutable_deadline_at());
  if (run.state == JobState::running) out->set_worker_id(run.worker.text());
  out->set_version(version_of(run));
}

void put_step(const Step& step, const NamespaceName& ns, Instant now, ErrorForm form, pb::StepAttempt* out) {
  const std::string name = decode_name(step.name);
  out->set_step_attempt_id(step.id.text());
  out->set_workflow_run_id(step.run.text());
  out->set_step_id(name);
  out->set_kind(kind_of(step, name));
  out->set_status(status_of_step(step, now));
  out->set_output(step.output ? step.output->data : "null");
  put_error(step.error ? step.error->message : std::string(), form, kStepErrorField, out);
  put_instant(step.begun_at, out->mutable_started_at());
  put_instant(step.begun_at, out->mutable_created_at());
  if (step.finished_at) put_instant(*step.finished_at, out->mutable_finished_at());
  put_instant(step.finished_at.value_or(step.begun_at), out->mutable_updated_at());
  if (step.child) out->set_child_workflow_run_id(step.child->text());
  out->set_namespace_id(decode_name(ns.text()));
}

void put_worker(const Worker& worker, pb::Worker* out) {
  const WorkerNotes notes = notes_of(worker);
  const WorkerTotals totals = totals_of(worker);
  out->set_worker_id(worker.spec.id.text());
  out->set_namespace_id(decode_name(worker.spec.ns.text()));
  out->set_task_queue(queue_of(worker));
  out->set_status(status_of_worker(worker.state));
  out->set_hostname(worker.spec.hostname);
  out->set_pid(notes.pid);
  out->set_version(worker.spec.version);
  for (std::string& type : types_of(worker)) out->add_workflow_types(std::move(type));
  out->set_max_concurrent(static_cast<std::int32_t>(worker.spec.slots));
  out->set_active_count(worker.state == WorkerState::offline ? 0 : static_cast<std::int32_t>(worker.running));
  out->set_total_completed(static_cast<std::int64_t>(totals.completed));
  out->set_total_failed(static_cast<std::int64_t>(totals.failed));
  put_instant(worker.registered_at, out->mutable_registered_at());
  put_instant(worker.last_seen_at, out->mutable_last_heartbeat_at());
  out->mutable_labels()->insert(worker.spec.labels.begin(), worker.spec.labels.end());
  out->set_queue_concurrency_limit(notes.queue_limit);
  for (const auto& [type, most] : notes.type_limits) {
    pb::WorkflowTypeConcurrency* one = out->add_workflow_type_concurrency();
    one->set_workflow_type(type);
    one->set_max_concurrent(most);
  }
}

void put_schedule(const Schedule& schedule, pb::Schedule* out) {
  const ScheduleSpec& spec = schedule.spec;
  out->set_schedule_id(spec.id.text());
  out->set_namespace_id(decode_name(spec.ns.text()));
  out->set_task_queue(decode_name(spec.job.queue.text()));
  out->set_workflow_type(decode_name(spec.job.type.text()));
  out->set_cron_expr(spec.timing.text);
  out->set_input(spec.job.payload.data);
  out->set_enabled(spec.enabled);
  out->set_max_catchup(static_cast<std::int32_t>(spec.catchup_max));
  if (schedule.next_fire_at) put_instant(*schedule.next_fire_at, out->mutable_next_fire_at());
  if (schedule.last_fired_at) put_instant(*schedule.last_fired_at, out->mutable_last_fired_at());
  if (!spec.job.run) return;
  out->set_context(spec.job.run->context);
  out->set_version(spec.job.run->version);
}

}  // namespace muster::rpc::k0
