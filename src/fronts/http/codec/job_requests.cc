#include "fronts/http/codec/job_requests.h"

#include <fmt/format.h>

#include "fronts/http/codec/values.h"
#include "fronts/http/json/fields.h"

namespace muster::http {
namespace {

using In = JsonReader;
using command::JobClaimRequest;

constexpr std::array kClaimFields{
    Field<JobClaimRequest>{"namespace", [](In& in, JobClaimRequest& out) { read(in, out.claim.ns); }},
    Field<JobClaimRequest>{"worker", [](In& in, JobClaimRequest& out) { read(in, out.claim.worker); }, Need::required},
    Field<JobClaimRequest>{"session", [](In& in, JobClaimRequest& out) { out.claim.session = read_session(in); }},
    Field<JobClaimRequest>{"queues", [](In& in, JobClaimRequest& out) { out.claim.queues = read_queues(in); }},
    Field<JobClaimRequest>{"narrow", [](In& in, JobClaimRequest& out) { out.claim.narrow = CapabilitySet(read_texts(in)); }},
    Field<JobClaimRequest>{"limit",
                           [](In& in, JobClaimRequest& out) {
                             out.claim.limit = static_cast<std::size_t>(in.read_integer(1, limits::kClaimBatchMax));
                           }},
    Field<JobClaimRequest>{
        "wait_ms", [](In& in, JobClaimRequest& out) { out.wait = Duration(in.read_integer(0, limits::kClaimWaitMax.count())); }},
    Field<JobClaimRequest>{"lease_ms", [](In& in, JobClaimRequest& out) { out.claim.lease_ttl = read_duration(in); }},
};

// The fields of each outcome stand in two tables: one for a job named in the path, one, with `id`, for POST /jobs/settle.

constexpr std::array kRenewalFields{
    Field<store::Renewal>{"fence", [](In& in, store::Renewal& out) { out.lease.fence = read_fence(in); }, Need::required},
    Field<store::Renewal>{"lease_ms", [](In& in, store::Renewal& out) { out.ttl = read_duration(in); }},
};

struct ProgressInput {
  store::ProgressUpdate update;
  ContentInput partial;
};

constexpr std::array kProgressFields{
    Field<ProgressInput>{"fence", [](In& in, ProgressInput& out) { out.update.lease.fence = read_fence(in); }, Need::required},
    Field<ProgressInput>{"fraction", [](In& in, ProgressInput& out) { out.update.fraction = in.read_double(); }},
    Field<ProgressInput>{"message", [](In& in, ProgressInput& out) { out.update.message = in.read_string(); }},
    Field<ProgressInput>{"partial", [](In& in, ProgressInput& out) { read_json_content(in, out.partial); }},
    Field<ProgressInput>{"partial_base64", [](In& in, ProgressInput& out) { read_bytes_content(in, out.partial); }},
};

struct CompletionInput {
  store::Completion completion;
  ContentInput result;
};

template <class T>
constexpr Field<T> id_field(void (*read)(In&, T&)) {
  return {"id", read, Need::required};
}

template <class T, std::size_t N>
constexpr std::array<Field<T>, N + 1> with_id(const std::array<Field<T>, N>& fields, void (*read)(In&, T&)) {
  std::array<Field<T>, N + 1> all{};
  all[0] = id_field(read);
  for (std::size_t i = 0; i < N; ++i) all[i + 1] = fields[i];
  return all;
}

constexpr std::array kCompletionFields{
    Field<CompletionInput>{"fence", [](In& in, CompletionInput& out) { out.completion.lease.fence = read_fence(in); },
                           Need::required},
    Field<CompletionInput>{"result", [](In& in, CompletionInput& out) { read_json_content(in, out.result); }},
    Field<CompletionInput>{"result_base64", [](In& in, CompletionInput& out) { read_bytes_content(in, out.result); }},
};
constexpr auto kCompletionWithId = with_id(
    kCompletionFields, +[](In& in, CompletionInput& out) { out.completion.lease.job = read_job_id(in); });

constexpr std::array kFailureFields{
    Field<store::Failure>{"fence", [](In& in, store::Failure& out) { out.lease.fence = read_fence(in); }, Need::required},
    Field<store::Failure>{"error", [](In& in, store::Failure& out) { out.error = read_error(in); }},
    Field<store::Failure>{"retryable", [](In& in, store::Failure& out) { out.retryable = in.read_bool(); }},
    Field<store::Failure>{"delay_ms", [](In& in, store::Failure& out) { out.delay = read_duration(in); }},
};
constexpr auto kFailureWithId = with_id(
    kFailureFields, +[](In& in, store::Failure& out) { out.lease.job = read_job_id(in); });

constexpr std::array kSnoozeFields{
    Field<store::Snooze>{"fence", [](In& in, store::Snooze& out) { out.lease.fence = read_fence(in); }, Need::required},
    Field<store::Snooze>{"delay_ms", [](In& in, store::Snooze& out) { out.delay = read_duration(in); }, Need::required},
};
constexpr auto kSnoozeWithId = with_id(
    kSnoozeFields, +[](In& in, store::Snooze& out) { out.lease.job = read_job_id(in); });

constexpr std::array kReleaseFields{
    Field<store::Release>{"fence", [](In& in, store::Release& out) { out.lease.fence = read_fence(in); }, Need::required},
    Field<store::Release>{"reason", [](In& in, store::Release& out) { out.reason = in.read_string(); }},
};
constexpr auto kReleaseWithId = with_id(
    kReleaseFields, +[](In& in, store::Release& out) { out.lease.job = read_job_id(in); });

store::Completion settled(In& in, CompletionInput input) {
  input.completion.result = settle_content(in, std::move(input.result), "result");
  return std::move(input.completion);
}

template <class T, std::size_t N>
void read_batch(In& in, const std::array<Field<T>, N>& fields, std::vector<T>& out) {
  read_array(in, [&](In& element) { read_object(element, fields, out.emplace_back()); });
}

using Settle = command::JobSettleRequest;

constexpr std::array kSettleFields{
    Field<Settle>{"complete",
                  [](In& in, Settle& out) {
                    read_array(in, [&](In& element) {
                      CompletionInput input;
                      read_object(element, kCompletionWithId, input);
                      out.complete.push_back(settled(element, std::move(input)));
                    });
                  }},
    Field<Settle>{"fail", [](In& in, Settle& out) { read_batch(in, kFailureWithId, out.fail); }},
    Field<Settle>{"snooze", [](In& in, Settle& out) { read_batch(in, kSnoozeWithId, out.snooze); }},
    Field<Settle>{"release", [](In& in, Settle& out) { read_batch(in, kReleaseWithId, out.release); }},
};

constexpr std::array kCancelFields{
    Field<command::JobCancelRequest>{"reason",
                                     [](In& in, command::JobCancelRequest& out) { out.cancel.reason = in.read_string(); }},
};

struct CancelBulkInput {
  std::vector<JobId> jobs;
  std::string reason;
};

constexpr std::array kCancelBulkFields{
    Field<CancelBulkInput>{
        "ids",
        [](In& in, CancelBulkInput& out) { read_array(in, [&](In& element) { out.jobs.push_back(read_job_id(element)); }); },
        Need::required},
    Field<CancelBulkInput>{"reason", [](In& in, CancelBulkInput& out) { out.reason = in.read_string(); }},
};

}  // namespace

Result<JobClaimRequest> decode_claim(std::string_view body) {
  JobClaimRequest initial;
  initial.claim.ns = NamespaceName(kDefaultNamespace);
  return read_body(body, kClaimFields, std::move(initial));
}

Result<store::Renewal> decode_renewal(JobId job, std::string_view body) {
  return read_body(body, kRenewalFields, store::Renewal{.lease = {.job = job}, .ttl = {}});
}

Result<store::ProgressUpdate> decode_progress(JobId job, std::string_view body) {
  JsonReader in(body);
  ProgressInput input;
  input.update.lease.job = job;
  read_object(in, kProgressFields, input);
  input.update.partial = settle_content(in, std::move(input.partial), "partial");
  in.finish();
  if (!in.ok()) return in.status();
  return std::move(input.update);
}

Result<store::Completion> decode_completion(JobId job, std::string_view body) {
  JsonReader in(body);
  CompletionInput input;
  input.completion.lease.job = job;
  read_object(in, kCompletionFields, input);
  store::Completion completion = settled(in, std::move(input));
  in.finish();
  if (!in.ok()) return in.status();
  return completion;
}

Result<store::Failure> decode_failure(JobId job, std::string_view body) {
  store::Failure initial;
  initial.lease.job = job;
  return read_body(body, kFailureFields, std::move(initial));
}

Result<store::Snooze> decode_snooze(JobId job, std::string_view body) {
  return read_body(body, kSnoozeFields, store::Snooze{.lease = {.job = job}, .delay = {}});
}

Result<store::Release> decode_release(JobId job, std::string_view body) {
  return read_body(body, kReleaseFields, store::Release{.lease = {.job = job}, .reason = {}});
}

Result<Settle> decode_settle(std::string_view body) { return read_body(body, kSettleFields, Settle{}); }

Result<command::JobCancelRequest> decode_cancel(JobId job, std::string_view body) {
  command::JobCancelRequest initial;
  initial.cancel.job = job;
  if (body.empty()) return initial;
  return read_body(body, kCancelFields, std::move(initial));
}

Result<command::JobCancelBulkRequest> decode_cancel_bulk(std::string_view body) {
  auto input = read_body(body, kCancelBulkFields, CancelBulkInput{});
  if (!input.ok()) return input.status();
  command::JobCancelBulkRequest request;
  request.cancels.reserve(input->jobs.size());
  for (const JobId& job : input->jobs) request.cancels.push_back({.job = job, .reason = input->reason});
  return request;
}

}  // namespace muster::http
