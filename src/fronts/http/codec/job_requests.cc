// What is asked about jobs: what job_query.h and job_requests.h promise.
#include "fronts/http/codec/job_requests.h"

#include <fmt/format.h>

#include "fronts/http/codec/job_query.h"
#include "fronts/http/codec/job_replies.h"
#include "fronts/http/codec/operations.h"
#include "fronts/http/codec/values.h"
#include "fronts/http/json/fields.h"

namespace muster::http {

namespace words {
constexpr std::array<std::string_view, 2> kActions{"cancel", "retry"};
}
template <>
constexpr std::span<const std::string_view> kWords<command::JobActRequest::Action> = words::kActions;

namespace {

using command::JobClaimRequest;

// --- which jobs ----------------------------------------------------------------------------------------------------

constexpr std::array kFilterFields{
    given<&store::JobFilter::ns>("namespace"),
    given<&store::JobFilter::queue>("queue"),
    given<&store::JobFilter::type>("type"),
    given<&store::JobFilter::states>("states"),
    given<&store::JobFilter::worker>("worker", "Holder, or the last one."),
    given<&store::JobFilter::labels>("labels"),
    given<&store::JobFilter::created_after>("created_after", "Exclusive."),
    given<&store::JobFilter::created_before>("created_before", "Exclusive."),
    given<&store::JobFilter::error_kind>("error_kind", "Of the last failure."),
};
constexpr Object<store::JobFilter> kFilter{"JobFilter", "All conditions must hold; an absent one always does.", kFilterFields};

constexpr std::array kPageFields{
    given<&store::JobQuery::order>("order", "Newest first by default."),
    given<&store::JobQuery::limit>("limit", kLimitDoc).within(1, limits::kPageMax),
    given<&store::JobQuery::cursor>("cursor", kCursorDoc),
    given<&store::JobQuery::with_payload>("payload", "With payloads."),
};
constexpr auto kSearchFields = joined(fields_of<kFilterFields, &store::JobQuery::filter>(), kPageFields);
constexpr Object<store::JobQuery> kSearch{"SearchRequest", "", kSearchFields};

constexpr std::array kJobParameters{
    parameter<&store::JobQuery::filter, &store::JobFilter::ns>("namespace", "Empty: all."),
    parameter<&store::JobQuery::filter, &store::JobFilter::queue>("queue", "Queue."),
    parameter<&store::JobQuery::filter, &store::JobFilter::type>("type", "Type."),
    parameter<&store::JobQuery::filter, &store::JobFilter::states>("state", "Repeatable, or a comma list."),
    parameter<&store::JobQuery::filter, &store::JobFilter::worker>("worker", "Holder, or the last one."),
    parameter<&store::JobQuery::filter, &store::JobFilter::labels>("label", "key=value; repeatable."),
    parameter<&store::JobQuery::filter, &store::JobFilter::created_after>("created_after", "Exclusive."),
    parameter<&store::JobQuery::filter, &store::JobFilter::created_before>("created_before", "Exclusive."),
    parameter<&store::JobQuery::filter, &store::JobFilter::error_kind>("error_kind", "Of the last failure."),
    parameter<&store::JobQuery::order>("order", "Newest first by default."),
    parameter<&store::JobQuery::limit>("limit", kLimitDoc).within(1, limits::kPageMax),
    parameter<&store::JobQuery::cursor>("cursor", kCursorDoc),
    parameter<&store::JobQuery::with_payload>("payload", "With payloads."),
};

}  // namespace

static const Object<store::JobFilter>& object_of(Of<store::JobFilter>) { return kFilter; }

namespace {

constexpr std::array kRedriveFields{
    given<&store::RedriveFilter::filter>("filter").required(),
    given<&store::RedriveFilter::limit>("limit").within(1, limits::kRedriveBatchMax),
};
constexpr Object<store::RedriveFilter> kRedrive{"", "", kRedriveFields};

using command::JobActed;
using command::JobActRequest;

constexpr std::array kActFields{
    given<&JobActRequest::action>("action", "To retry: dead ones, or cancelled ones where the filter says so.").required(),
    given<&JobActRequest::filter>("filter").required(),
    given<&JobActRequest::dry_run>("dry_run", "Only count."),
    given<&JobActRequest::limit>("limit", "Of one slice; 500 by default.").within(1, command::kActSliceMax),
    given<&JobActRequest::cursor>("cursor", "`next` of the slice before."),
    given<&JobActRequest::reason>("reason", "Of a cancel; kept with the job."),
    given<&JobActRequest::expected>("expected", "What was counted; when more match by now, nothing is done.").judged(0),
};
constexpr Object<JobActRequest> kAct{"ActRequest", "", kActFields};

constexpr std::array kActedFields{
    shown<&JobActed::dry_run>("dry_run"),
    shown<&JobActed::matched>("matched", "Of a dry run all, else those of this slice."),
    shown<&JobActed::more>("more", "Of a dry run: counting stopped before the end."),
    shown<&JobActed::changed>("changed"),
    shown<&JobActed::skipped>("skipped", "They had moved on."),
    shown_unless_blank<&JobActed::next>("next", "Cursor of the next slice; absent: that was the last."),
};
constexpr Object<JobActed> kActed{"Acted", "", kActedFields,
                                  R"({"dry_run":false,"matched":2,"more":false,"changed":2,"skipped":0})"};

// --- claims and outcomes -------------------------------------------------------------------------------------------

constexpr std::array kClaimFields{
    given<&JobClaimRequest::claim, &store::ClaimRequest::ns>("namespace"),
    given<&JobClaimRequest::claim, &store::ClaimRequest::worker>("worker").required(),
    given<&JobClaimRequest::claim, &store::ClaimRequest::session>("session", kSessionDoc),
    given<&JobClaimRequest::claim, &store::ClaimRequest::queues>("queues", "Those it registered with when absent."),
    given<&JobClaimRequest::claim, &store::ClaimRequest::narrow>("narrow", "Offer only these capabilities."),
    given<&JobClaimRequest::claim, &store::ClaimRequest::limit>("limit").within(1, limits::kClaimBatchMax),
    given<&JobClaimRequest::wait>("wait_ms", "Long poll.").within(0, static_cast<double>(limits::kClaimWaitMax.count())),
    given<&JobClaimRequest::claim, &store::ClaimRequest::lease_ttl>("lease_ms", "Length of the lease."),
};
constexpr Object<JobClaimRequest> kClaim{"ClaimRequest", "", kClaimFields};

template <class T>
constexpr auto kFenceField = given<&T::lease, &LeaseRef::fence>("fence", kFenceDoc).required();
// POST /jobs/settle names each job in its body instead of the path.
template <class T>
constexpr std::array kIdField{given<&T::lease, &LeaseRef::job>("id", "The job.").required()};

constexpr std::array kRenewalFields{
    kFenceField<store::Renewal>,
    given<&store::Renewal::ttl>("lease_ms", "As granted when absent."),
};
constexpr Object<store::Renewal> kRenewal{"HeartbeatRequest", "", kRenewalFields};

constexpr std::array kProgressFields{
    kFenceField<store::ProgressUpdate>,
    given<&store::ProgressUpdate::fraction>("fraction").judged(0, 1),
    given<&store::ProgressUpdate::message>("message"),
    json_content<&store::ProgressUpdate::partial>("partial", "Any JSON; the next attempt gets it."),
    bytes_content<&store::ProgressUpdate::partial>("partial_base64"),
};
constexpr Object<store::ProgressUpdate> kProgressUpdate{"ProgressRequest", "", kProgressFields};

constexpr std::array kCompletionFields{
    kFenceField<store::Completion>,
    json_content<&store::Completion::result>("result", "Any JSON."),
    bytes_content<&store::Completion::result>("result_base64"),
};
constexpr Object<store::Completion> kCompletion{"CompleteRequest", "", kCompletionFields};
constexpr auto kCompletionWithId = joined(kIdField<store::Completion>, kCompletionFields);

constexpr std::array kFailureFields{
    kFenceField<store::Failure>,
    given<&store::Failure::error>("error"),
    given<&store::Failure::retryable>("retryable", "False: no further attempt."),
    given<&store::Failure::delay>("delay_ms", "Instead of the policy's backoff."),
};
constexpr Object<store::Failure> kFailure{"FailRequest", "", kFailureFields};
constexpr auto kFailureWithId = joined(kIdField<store::Failure>, kFailureFields);

constexpr std::array kSnoozeFields{
    kFenceField<store::Snooze>,
    given<&store::Snooze::delay>("delay_ms", "From now.").required(),
};
constexpr Object<store::Snooze> kSnooze{"SnoozeRequest", "", kSnoozeFields};
constexpr auto kSnoozeWithId = joined(kIdField<store::Snooze>, kSnoozeFields);

constexpr std::array kReleaseFields{
    kFenceField<store::Release>,
    given<&store::Release::reason>("reason"),
};
constexpr Object<store::Release> kRelease{"ReleaseRequest", "", kReleaseFields};
constexpr auto kReleaseWithId = joined(kIdField<store::Release>, kReleaseFields);

constexpr Object<store::Completion> kSettleCompletion{"", "", kCompletionWithId};
constexpr Object<store::Failure> kSettleFailure{"", "", kFailureWithId};
constexpr Object<store::Snooze> kSettleSnooze{"", "", kSnoozeWithId};
constexpr Object<store::Release> kSettleRelease{"", "", kReleaseWithId};

}  // namespace

const Object<command::JobActed>& object_of(Of<command::JobActed>) { return kActed; }
static const Object<store::Completion>& object_of(Of<store::Completion>) { return kSettleCompletion; }
static const Object<store::Failure>& object_of(Of<store::Failure>) { return kSettleFailure; }
static const Object<store::Snooze>& object_of(Of<store::Snooze>) { return kSettleSnooze; }
static const Object<store::Release>& object_of(Of<store::Release>) { return kSettleRelease; }

namespace {

using Settle = command::JobSettleRequest;

constexpr std::array kSettleFields{
    given<&Settle::complete>("complete"),
    given<&Settle::fail>("fail"),
    given<&Settle::snooze>("snooze"),
    given<&Settle::release>("release"),
};
constexpr Object<Settle> kSettle{"SettleRequest", "", kSettleFields};

constexpr std::array kCancelFields{
    given<&command::JobCancelRequest::cancel, &store::Cancel::reason>("reason"),
};
constexpr Object<command::JobCancelRequest> kCancel{"", "", kCancelFields};

struct CancelBulk {
  std::vector<JobId> jobs;
  std::string reason;
};
constexpr std::array kCancelBulkFields{
    given<&CancelBulk::jobs>("ids", "The jobs.").required(),
    given<&CancelBulk::reason>("reason"),
};
constexpr Object<CancelBulk> kCancelBulk{"", "", kCancelBulkFields};

constexpr std::string_view kSettledLater = R"({"id":%id%,"state":"scheduled","attempt":0,"run_at":"2026-11-15T09:00:30.000Z"})";

constexpr Answer cancelled_list() {
  Answer out = ok_list<store::Cancelled>("jobs", R"({"jobs":[%Cancelled%]})");
  out.each = true;
  return out;
}

constexpr std::array kOperations{
    Operation{.id = "job_list", .parameters = draw_parameters<kJobParameters>, .answers = {ok<store::JobPage>()}},
    Operation{.id = "job_search",
              .body = body<kSearch>(R"({"states":["dead"],"labels":{"customer":"42"},"order":"oldest","limit":50})"),
              .answers = {ok<store::JobPage>()}},
    Operation{.id = "job_retry_matching",
              .body = body<kRedrive>(R"({"filter":{"states":["dead"],"error_kind":"timeout"},"limit":100})"),
              .answers = {ok<store::Redriven>()}},
    Operation{.id = "job_act",
              .body = body<kAct>(R"({"action":"cancel","filter":{"queue":"mail","states":["ready"]},"dry_run":true})"),
              .answers = {ok<JobActed>()}},
    Operation{.id = "job_claim",
              .body = body<kClaim>(R"({"worker":"w1","limit":1,"wait_ms":0})"),
              .answers = {ok<store::ClaimReply>()}},
    Operation{
        .id = "job_heartbeat", .body = body<kRenewal>(R"({"fence":42,"lease_ms":30000})"), .answers = {ok<store::Renewed>()}},
    Operation{.id = "job_progress",
              .body = body<kProgressUpdate>(R"({"fence":42,"fraction":0.5,"message":"half way","partial":{"page":3}})"),
              .answers = {ok<store::Renewed>()}},
    Operation{.id = "job_complete",
              .body = body<kCompletion>(R"({"fence":42,"result":{"sent":true}})"),
              .answers = {ok<store::Settled>()}},
    Operation{
        .id = "job_fail",
        .body = body<kFailure>(R"({"fence":42,"error":{"kind":"smtp","message":"connection refused"},"retryable":true})"),
        .answers = {ok<store::Settled>(R"({"id":%id%,"state":"scheduled","attempt":1,"run_at":"2026-11-15T09:00:30.000Z"})")}},
    Operation{.id = "job_snooze",
              .body = body<kSnooze>(R"({"fence":42,"delay_ms":60000})"),
              .answers = {ok<store::Settled>(kSettledLater)}},
    Operation{.id = "job_release",
              .body = body<kRelease>(R"({"fence":42,"reason":"shutting down"})"),
              .answers = {ok<store::Settled>(R"({"id":%id%,"state":"ready","attempt":0})")}},
    Operation{
        .id = "job_settle",
        .body = body<kSettle>(
            R"({"complete":[{"id":%id%,"fence":42,"result":{"ok":true}}],"fail":[{"id":%id%,"fence":43,"error":{"kind":"timeout","message":"no answer"}}]})"),
        .answers = {ok<command::JobSettleReply>()}},
    Operation{.id = "job_cancel",
              .body = optional_body<kCancel>(R"({"reason":"no longer wanted"})"),
              .answers = {ok<store::Cancelled>()}},
    Operation{.id = "job_cancel_bulk",
              .body = body<kCancelBulk>(R"({"ids":[%id%],"reason":"no longer wanted"})"),
              .answers = {cancelled_list()}},
};

// `job` comes from the path.
template <class T>
Result<T> decode_held(JobId job, std::string_view body, const Object<T>& object) {
  T initial{};
  initial.lease.job = job;
  return read_body(body, object, std::move(initial));
}

}  // namespace

std::span<const Operation> job_request_operations() { return kOperations; }

store::JobQuery read_job_query(QueryReader& in) {
  store::JobQuery out;
  read_parameters(in, kJobParameters, out);
  return out;
}

void draw_job_parameters(void (*draw)(Schemas&, const ParameterText&), Schemas& out) {
  draw_parameters<kJobParameters>(draw, out);
}

Result<store::JobQuery> decode_job_query(const std::vector<QueryParameter>& query) { return read_query(query, kJobParameters); }
Result<store::JobQuery> decode_job_search(std::string_view body) { return read_body(body, kSearch); }
Result<store::RedriveFilter> decode_redrive(std::string_view body) { return read_body(body, kRedrive); }

Result<JobClaimRequest> decode_claim(std::string_view body) {
  JobClaimRequest initial;
  initial.claim.ns = NamespaceName(kDefaultNamespace);
  return read_body(body, kClaim, std::move(initial));
}

Result<store::Renewal> decode_renewal(JobId job, std::string_view body) { return decode_held(job, body, kRenewal); }
Result<store::ProgressUpdate> decode_progress(JobId job, std::string_view body) {
  return decode_held(job, body, kProgressUpdate);
}
Result<store::Completion> decode_completion(JobId job, std::string_view body) { return decode_held(job, body, kCompletion); }
Result<store::Failure> decode_failure(JobId job, std::string_view body) { return decode_held(job, body, kFailure); }
Result<store::Snooze> decode_snooze(JobId job, std::string_view body) { return decode_held(job, body, kSnooze); }
Result<store::Release> decode_release(JobId job, std::string_view body) { return decode_held(job, body, kRelease); }
Result<Settle> decode_settle(std::string_view body) { return read_body(body, kSettle); }

Result<command::JobCancelRequest> decode_cancel(JobId job, std::string_view body) {
  command::JobCancelRequest initial;
  initial.cancel.job = job;
  if (body.empty()) return initial;
  return read_body(body, kCancel, std::move(initial));
}

Result<command::JobActRequest> decode_job_act(std::string_view body) { return read_body(body, kAct); }

Result<command::JobCancelBulkRequest> decode_cancel_bulk(std::string_view body) {
  auto input = read_body(body, kCancelBulk);
  if (!input.ok()) return input.status();
  command::JobCancelBulkRequest request;
  request.cancels.reserve(input->jobs.size());
  for (const JobId& job : input->jobs) request.cancels.push_back({.job = job, .reason = input->reason});
  return request;
}

}  // namespace muster::http
