#include "fronts/http/codec/job_spec.h"

#include <fmt/format.h>

#include "fronts/http/codec/values.h"
#include "fronts/http/json/fields.h"

namespace muster::http {
namespace {

using In = JsonReader;

constexpr std::array kRetryFields{
    Field<RetryPolicy>{"attempts_max", [](In& in, RetryPolicy& out) { out.attempts_max = read_count(in); }},
    Field<RetryPolicy>{"backoff_base_ms", [](In& in, RetryPolicy& out) { out.backoff_base = read_duration(in); }},
    Field<RetryPolicy>{"backoff_factor", [](In& in, RetryPolicy& out) { out.backoff_factor = in.read_double(); }},
    Field<RetryPolicy>{"backoff_max_ms", [](In& in, RetryPolicy& out) { out.backoff_max = read_duration(in); }},
    Field<RetryPolicy>{"jitter", [](In& in, RetryPolicy& out) { out.jitter = in.read_double(); }},
    Field<RetryPolicy>{"non_retryable", [](In& in, RetryPolicy& out) { out.non_retryable = read_texts(in); }},
};

UniqueWhile read_unique_while(In& in) {
  const std::string word = in.read_string();
  if (word == "waiting") return UniqueWhile::waiting;
  if (word != "unfinished") in.refuse(fmt::format("\"{}\" is not accepted; \"waiting\" or \"unfinished\" is", word));
  return UniqueWhile::unfinished;
}

constexpr std::array kUniqueFields{
    Field<UniqueKey>{"key", [](In& in, UniqueKey& out) { out.key = in.read_string(); }, Need::required},
    Field<UniqueKey>{"while", [](In& in, UniqueKey& out) { out.during = read_unique_while(in); }},
};

constexpr std::array kConcurrencyFields{
    Field<ConcurrencyKey>{"key", [](In& in, ConcurrencyKey& out) { out.key = in.read_string(); }, Need::required},
    Field<ConcurrencyKey>{"limit", [](In& in, ConcurrencyKey& out) { out.limit = read_count(in); }},
};

constexpr std::array kFairnessFields{
    Field<FairnessKey>{"key", [](In& in, FairnessKey& out) { out.key = in.read_string(); }, Need::required},
    Field<FairnessKey>{"weight", [](In& in, FairnessKey& out) { out.weight = read_count(in); }},
};

constexpr std::array kAffinityFields{
    Field<Affinity>{"sticky_key", [](In& in, Affinity& out) { out.sticky_key = in.read_string(); }},
    Field<Affinity>{"prefer", [](In& in, Affinity& out) { out.prefer = in.read_string(); }},
    Field<Affinity>{"prefer_wait_ms", [](In& in, Affinity& out) { out.prefer_wait = read_duration(in); }},
};

OnDependencyFailure read_on_dependency_failure(In& in) {
  const std::string word = in.read_string();
  if (word == "run") return OnDependencyFailure::run;
  if (word != "cancel") in.refuse(fmt::format("\"{}\" is not accepted; \"cancel\" or \"run\" is", word));
  return OnDependencyFailure::cancel;
}

struct SpecInput {
  JobSpec job;
  ContentInput payload;
};

using SpecField = Field<SpecInput>;

constexpr std::array kSpecFields{
    SpecField{"namespace", [](In& in, SpecInput& out) { read(in, out.job.ns); }},
    SpecField{"queue", [](In& in, SpecInput& out) { read(in, out.job.queue); }},
    SpecField{"type", [](In& in, SpecInput& out) { read(in, out.job.type); }, Need::required},
    SpecField{"payload", [](In& in, SpecInput& out) { read_json_content(in, out.payload); }},
    SpecField{"payload_base64", [](In& in, SpecInput& out) { read_bytes_content(in, out.payload); }},
    SpecField{"needs", [](In& in, SpecInput& out) { out.job.needs = CapabilitySet(read_texts(in)); }},
    SpecField{"selector", [](In& in, SpecInput& out) { out.job.selector = read_labels(in); }},
    SpecField{"labels", [](In& in, SpecInput& out) { out.job.labels = read_labels(in); }},
    SpecField{"priority",
              [](In& in, SpecInput& out) {
                out.job.priority = static_cast<std::int32_t>(in.read_integer(limits::kPriorityMin, limits::kPriorityMax));
              }},
    SpecField{"run_at", [](In& in, SpecInput& out) { out.job.run_at = read_instant(in); }},
    SpecField{"delay_ms", [](In& in, SpecInput& out) { out.job.delay = read_duration(in); }},
    SpecField{"expires_in_ms", [](In& in, SpecInput& out) { out.job.expires_in = read_duration(in); }},
    SpecField{"timeout_ms", [](In& in, SpecInput& out) { out.job.timeout = read_duration(in); }},
    SpecField{"lease_ms", [](In& in, SpecInput& out) { out.job.lease_ttl = read_duration(in); }},
    SpecField{"retry", [](In& in, SpecInput& out) { read_object(in, kRetryFields, out.job.retry); }},
    SpecField{"rescues_max", [](In& in, SpecInput& out) { out.job.rescues_max = read_count(in); }},
    SpecField{"idempotency_key", [](In& in, SpecInput& out) { out.job.idempotency_key = in.read_string(); }},
    SpecField{"unique", [](In& in, SpecInput& out) { read_object(in, kUniqueFields, out.job.unique.emplace()); }},
    SpecField{"concurrency", [](In& in, SpecInput& out) { read_object(in, kConcurrencyFields, out.job.concurrency.emplace()); }},
    SpecField{"fairness", [](In& in, SpecInput& out) { read_object(in, kFairnessFields, out.job.fairness.emplace()); }},
    SpecField{"affinity", [](In& in, SpecInput& out) { read_object(in, kAffinityFields, out.job.affinity); }},
    SpecField{
        "after",
        [](In& in, SpecInput& out) { read_array(in, [&](In& element) { out.job.after.push_back(read_job_id(element)); }); }},
    SpecField{"on_dependency_failure",
              [](In& in, SpecInput& out) { out.job.on_dependency_failure = read_on_dependency_failure(in); }},
    SpecField{"correlation", [](In& in, SpecInput& out) { out.job.correlation = in.read_string(); }},
    SpecField{"deadline", [](In& in, SpecInput& out) { out.job.deadline = read_instant(in); }},
};

constexpr std::array kPolicyFields{
    Field<StepPolicy>{
        "attempts_max",
        [](In& in, StepPolicy& out) { out.attempts_max = static_cast<std::int32_t>(in.read_integer(-1, limits::kAttemptsMax)); }},
    Field<StepPolicy>{"first_delay_ms", [](In& in, StepPolicy& out) { out.first_delay = read_duration(in); }},
    Field<StepPolicy>{"factor", [](In& in, StepPolicy& out) { out.factor = in.read_double(); }},
    Field<StepPolicy>{"delay_max_ms", [](In& in, StepPolicy& out) { out.delay_max = read_duration(in); }},
    Field<StepPolicy>{"non_retryable", [](In& in, StepPolicy& out) { out.non_retryable = read_texts(in); }},
};

constexpr std::array kParentFields{
    Field<RunParent>{"run", [](In& in, RunParent& out) { out.run = read_job_id(in); }, Need::required},
    Field<RunParent>{"step", [](In& in, RunParent& out) { out.step = in.read_string(); }, Need::required},
};

// A run is asked for with the fields of a job and those that only runs have.
constexpr std::array kRunFields{
    SpecField{"external_id", [](In& in, SpecInput& out) { out.job.run->external_id = in.read_string(); }},
    SpecField{"version", [](In& in, SpecInput& out) { out.job.run->version = in.read_string(); }},
    SpecField{"context", [](In& in, SpecInput& out) { out.job.run->context = read_json_object(in); }},
    SpecField{"steps", [](In& in, SpecInput& out) { out.job.run->steps = read_step_policy(in); }},
    SpecField{"parent", [](In& in, SpecInput& out) { read_object(in, kParentFields, out.job.run->parent.emplace()); }},
    SpecField{"metadata", [](In& in, SpecInput& out) { out.job.run->metadata = read_labels(in); }},
};

constexpr auto joined() {
  std::array<SpecField, kSpecFields.size() + kRunFields.size()> all{};
  for (std::size_t i = 0; i < kSpecFields.size(); ++i) all[i] = kSpecFields[i];
  for (std::size_t i = 0; i < kRunFields.size(); ++i) all[kSpecFields.size() + i] = kRunFields[i];
  return all;
}
constexpr auto kRunSpecFields = joined();

template <std::size_t N>
JobSpec read_spec(In& in, const std::array<SpecField, N>& fields, JobSpec initial) {
  SpecInput input{.job = std::move(initial), .payload = {}};
  read_object(in, fields, input);
  if (auto payload = settle_content(in, std::move(input.payload), "payload")) input.job.payload = *std::move(payload);
  return std::move(input.job);
}

constexpr std::array kBulkFields{
    Field<command::JobSubmitBulkRequest>{"jobs",
                                         [](In& in, command::JobSubmitBulkRequest& out) {
                                           read_array(in, [&](In& element) {
                                             if (out.jobs.size() == limits::kEnqueueBatchMax)
                                               return element.refuse(fmt::format("at most {} jobs are accepted in one request",
                                                                                 limits::kEnqueueBatchMax));
                                             out.jobs.push_back(read_job_spec(element));
                                           });
                                         },
                                         Need::required},
};

}  // namespace

JobSpec read_job_spec(JsonReader& in, JobSpec initial) { return read_spec(in, kSpecFields, std::move(initial)); }

JobSpec read_run_spec(JsonReader& in, JobSpec initial) {
  if (!initial.run) initial.run.emplace();
  return read_spec(in, kRunSpecFields, std::move(initial));
}

StepPolicy read_step_policy(JsonReader& in) {
  StepPolicy policy;
  read_object(in, kPolicyFields, policy);
  return policy;
}

Result<command::RunStartRequest> decode_run_start(std::string_view body) {
  JsonReader in(body);
  command::RunStartRequest request{.job = read_run_spec(in)};
  in.finish();
  if (!in.ok()) return in.status();
  return request;
}

Result<command::JobSubmitRequest> decode_submit(std::string_view body) {
  JsonReader in(body);
  command::JobSubmitRequest request{.job = read_job_spec(in)};
  in.finish();
  if (!in.ok()) return in.status();
  return request;
}

Result<command::JobSubmitBulkRequest> decode_submit_bulk(std::string_view body) {
  return read_body(body, kBulkFields, command::JobSubmitBulkRequest{});
}

}  // namespace muster::http
