#include "fronts/http/codec/job_replies.h"

#include "base/check.h"
#include "command/jobs.h"
#include "fronts/http/codec/runs.h"
#include "fronts/http/codec/values.h"
#include "model/key_scope.h"

namespace muster::http {
namespace {

void write_retry(JsonWriter& out, const RetryPolicy& retry) {
  out.key("retry");
  out.begin_object();
  out.member("attempts_max", retry.attempts_max);
  out.member("backoff_base_ms", retry.backoff_base);
  out.member("backoff_factor", retry.backoff_factor);
  out.member("backoff_max_ms", retry.backoff_max);
  out.member("jitter", retry.jitter);
  if (!retry.non_retryable.empty()) write_texts(out, "non_retryable", retry.non_retryable);
  out.end_object();
}

void write_keys(JsonWriter& out, const JobSpec& spec) {
  const auto shown = [is_run = spec.run.has_value()](const std::string& key) {
    return is_run ? without_scope(key) : std::string_view(key);
  };
  out.member_unless_empty("idempotency_key", shown(spec.idempotency_key));
  if (spec.unique) {
    out.key("unique");
    out.begin_object();
    out.member("key", shown(spec.unique->key));
    out.member("while", spec.unique->during == UniqueWhile::waiting ? "waiting" : "unfinished");
    out.end_object();
  }
  if (spec.concurrency) {
    out.key("concurrency");
    out.begin_object();
    out.member("key", spec.concurrency->key);
    out.member("limit", spec.concurrency->limit);
    out.end_object();
  }
  if (spec.fairness) {
    out.key("fairness");
    out.begin_object();
    out.member("key", spec.fairness->key);
    out.member("weight", spec.fairness->weight);
    out.end_object();
  }
  if (!spec.affinity.sticky_key.empty() || !spec.affinity.prefer.empty()) {
    out.key("affinity");
    out.begin_object();
    out.member_unless_empty("sticky_key", spec.affinity.sticky_key);
    out.member_unless_empty("prefer", spec.affinity.prefer);
    out.member("prefer_wait_ms", spec.affinity.prefer_wait);
    out.end_object();
  }
}

void write_job_ids(JsonWriter& out, std::string_view name, const std::vector<JobId>& ids) {
  out.key(name);
  out.begin_array();
  for (const JobId& id : ids) out.string(id.text());
  out.end_array();
}

// What only runs have.
void write_run(JsonWriter& out, const RunSpec& run) {
  out.member_unless_empty("external_id", run.external_id);
  out.member("version", run.version);
  if (!run.context.empty()) {
    out.key("context");
    out.raw(run.context);
  }
  if (run.steps != StepPolicy()) write_step_policy(out, "steps", run.steps);
  if (run.parent) {
    out.key("parent");
    out.begin_object();
    out.member("run", run.parent->run.text());
    out.member("step", run.parent->step);
    out.end_object();
  }
  out.member_unless_empty("schedule", run.schedule);
  if (!run.metadata.empty()) write_labels(out, "metadata", run.metadata);
}

void write_progress(JsonWriter& out, const Progress& progress) {
  out.key("progress");
  out.begin_object();
  out.member("fraction", progress.fraction);
  out.member_unless_empty("message", progress.message);
  if (progress.partial) write_content(out, "partial", *progress.partial);
  out.member("at", progress.at);
  out.end_object();
}

void write_attempts(JsonWriter& out, const std::vector<AttemptRecord>& attempts) {
  out.key("attempts");
  out.begin_array();
  for (const AttemptRecord& attempt : attempts) {
    out.begin_object();
    out.member("attempt", attempt.attempt);
    out.member("fence", to_number(attempt.fence));
    out.member("worker", attempt.worker.text());
    out.member("started_at", attempt.started_at);
    out.member("ended_at", attempt.ended_at);
    out.member("outcome", to_string(attempt.outcome));
    write_error(out, attempt.error);
    out.end_object();
  }
  out.end_array();
}

std::string_view block_name(store::ClaimBlock block) {
  switch (block) {
    case store::ClaimBlock::none: return "none";
    case store::ClaimBlock::no_slots: return "no_slots";
    case store::ClaimBlock::draining: return "draining";
  }
  unreachable();
}

void write_failure(JsonWriter& out, const Status& status) {
  out.begin_object();
  out.key("error");
  out.begin_object();
  out.member("code", to_string(status.code()));
  out.member("detail", status.message());
  out.end_object();
  out.end_object();
}

}  // namespace

void write_spec(JsonWriter& out, const JobSpec& spec) {
  out.member("namespace", spec.ns.text());
  out.member("queue", spec.queue.text());
  out.member("type", spec.type.text());
  write_content(out, "payload", spec.payload);
  if (!spec.needs.empty()) write_texts(out, "needs", spec.needs.names());
  if (!spec.selector.empty()) write_labels(out, "selector", spec.selector);
  if (!spec.labels.empty()) write_labels(out, "labels", spec.labels);
  out.member("priority", spec.priority);
  out.member("run_at", spec.run_at);
  if (spec.delay != Duration::zero()) out.member("delay_ms", spec.delay);
  out.member("expires_in_ms", spec.expires_in);
  out.member("timeout_ms", spec.timeout);
  out.member("lease_ms", spec.lease_ttl);
  write_retry(out, spec.retry);
  out.member("rescues_max", spec.rescues_max);
  write_keys(out, spec);
  if (!spec.after.empty()) {
    write_job_ids(out, "after", spec.after);
    out.member("on_dependency_failure", spec.on_dependency_failure == OnDependencyFailure::run ? "run" : "cancel");
  }
  out.member_unless_empty("correlation", spec.correlation);
  out.member("deadline", spec.deadline);
  if (spec.run) write_run(out, *spec.run);
}

void write_step_policy(JsonWriter& out, std::string_view name, const StepPolicy& policy) {
  out.key(name);
  out.begin_object();
  if (policy.attempts_max != 0) out.member("attempts_max", policy.attempts_max);
  if (policy.first_delay != Duration::zero()) out.member("first_delay_ms", policy.first_delay);
  if (policy.factor != 0) out.member("factor", policy.factor);
  if (policy.delay_max != Duration::zero()) out.member("delay_max_ms", policy.delay_max);
  if (!policy.non_retryable.empty()) write_texts(out, "non_retryable", policy.non_retryable);
  out.end_object();
}

void write(JsonWriter& out, const Job& job) {
  out.begin_object();
  out.member("id", job.id.text());
  out.member("state", to_string(job.state));
  write_spec(out, job.spec);
  if (job.spec.run) out.member("sleeping", job.state == JobState::scheduled && job.last_event == JobEvent::snoozed);
  out.member("created_at", job.created_at);
  out.member("due_at", job.run_at);
  out.member("expires_at", job.expires_at);
  out.member("started_at", job.started_at);
  out.member("finished_at", job.finished_at);
  out.member("lease_expires_at", job.lease_expires_at);
  out.member("attempt", job.attempt);
  out.member("rescues", job.rescues);
  if (to_number(job.fence) != 0) out.member("fence", to_number(job.fence));
  out.member_unless_empty("worker", job.worker.text());
  out.member("cancel_requested", job.cancel_requested);
  if (job.result) write_content(out, "result", *job.result);
  if (job.error) write_error(out, *job.error);
  if (job.progress) write_progress(out, *job.progress);
  if (!job.attempts.empty()) write_attempts(out, job.attempts);
  out.member("dependencies_pending", job.dependencies_pending);
  out.end_object();
}

void write(JsonWriter& out, const Grant& grant) {
  out.begin_object();
  out.member("id", grant.id.text());
  out.member("namespace", grant.ns.text());
  out.member("queue", grant.queue.text());
  out.member("type", grant.type.text());
  write_content(out, "payload", grant.payload);
  write_labels(out, "labels", grant.labels);
  out.member("attempt", grant.attempt);
  out.member("attempts_max", grant.attempts_max);
  out.member("priority", grant.priority);
  out.member("fence", to_number(grant.fence));
  out.member("lease_expires_at", grant.lease_expires_at);
  out.member("times_out_at", grant.times_out_at);
  if (grant.partial) write_content(out, "partial", *grant.partial);
  out.member_unless_empty("correlation", grant.correlation);
  out.end_object();
}

void write(JsonWriter& out, const store::Enqueued& enqueued) {
  out.begin_object();
  out.member("id", enqueued.id.text());
  out.member("state", to_string(enqueued.state));
  out.member("existed", enqueued.existed);
  out.end_object();
}

void write(JsonWriter& out, const store::ClaimReply& reply) {
  out.begin_object();
  out.key("jobs");
  out.begin_array();
  for (const Grant& grant : reply.grants) write(out, grant);
  out.end_array();
  out.member("block", block_name(reply.block));
  out.member("retry_at", reply.retry_at);
  out.end_object();
}

void write(JsonWriter& out, const store::Renewed& renewed) {
  out.begin_object();
  out.member("lease_expires_at", renewed.expires_at);
  out.member("cancel_requested", renewed.cancel_requested);
  out.end_object();
}

void write(JsonWriter& out, const store::Settled& settled) {
  out.begin_object();
  out.member("id", settled.id.text());
  out.member("state", to_string(settled.state));
  out.member("attempt", settled.attempt);
  out.member("run_at", settled.run_at);
  out.end_object();
}

void write(JsonWriter& out, const store::Cancelled& cancelled) {
  out.begin_object();
  out.member("id", cancelled.id.text());
  out.member("state", to_string(cancelled.state));
  out.end_object();
}

void write(JsonWriter& out, const store::JobPage& page) {
  out.begin_object();
  out.key("jobs");
  out.begin_array();
  for (const Job& job : page.jobs) write(out, job);
  out.end_array();
  out.member_unless_empty("next", page.next);
  out.end_object();
}

void write(JsonWriter& out, const store::Redriven& redriven) {
  out.begin_object();
  write_job_ids(out, "ids", redriven.jobs);
  out.member("more", redriven.more);
  out.end_object();
}

template <class T>
void write_each(JsonWriter& out, std::string_view name, const store::Each<T>& answers) {
  out.key(name);
  out.begin_array();
  for (const Result<T>& answer : answers) {
    if (answer.ok())
      write(out, *answer);
    else
      write_failure(out, answer.status());
  }
  out.end_array();
}

template void write_each(JsonWriter&, std::string_view, const store::Each<store::Settled>&);
template void write_each(JsonWriter&, std::string_view, const store::Each<store::Cancelled>&);
template void write_each(JsonWriter&, std::string_view, const store::Each<store::StepAnswer>&);

void write(JsonWriter& out, const command::JobSettleReply& reply) {
  out.begin_object();
  write_each(out, "complete", reply.complete);
  write_each(out, "fail", reply.fail);
  write_each(out, "snooze", reply.snooze);
  write_each(out, "release", reply.release);
  out.end_object();
}

void write(JsonWriter& out, const command::JobWhyReply& why) {
  out.begin_object();
  out.member("id", why.id.text());
  out.member("state", to_string(why.state));
  out.member("code", to_string(why.code));
  out.member("text", why.text);
  out.key("details");
  out.begin_object();
  if (!why.missing.empty()) write_texts(out, "missing", why.missing);
  if (!why.workers.empty()) write_texts(out, "workers", why.workers);
  if (!why.jobs.empty()) write_job_ids(out, "jobs", why.jobs);
  out.member("until", why.until);
  out.member("ahead", why.ahead);
  out.end_object();
  out.end_object();
}

}  // namespace muster::http
