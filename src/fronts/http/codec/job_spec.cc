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
};

JobSpec read_spec(In& in) {
  SpecInput input;
  read_object(in, kSpecFields, input);
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
                                             out.jobs.push_back(read_spec(element));
                                           });
                                         },
                                         Need::required},
};

}  // namespace

Result<command::JobSubmitRequest> decode_submit(std::string_view body) {
  JsonReader in(body);
  command::JobSubmitRequest request{.job = read_spec(in)};
  in.finish();
  if (!in.ok()) return in.status();
  return request;
}

Result<command::JobSubmitBulkRequest> decode_submit_bulk(std::string_view body) {
  return read_body(body, kBulkFields, command::JobSubmitBulkRequest{});
}

}  // namespace muster::http
