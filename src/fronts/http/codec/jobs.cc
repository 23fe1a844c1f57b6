// Specs, jobs, grants and outcomes: what job_spec.h and job_replies.h promise. One table of a spec's fields reads what a client
// asks for and writes it back in a job, a run and the template of a schedule.
#include <fmt/format.h>

#include "fronts/http/codec/job_replies.h"
#include "fronts/http/codec/job_spec.h"
#include "fronts/http/codec/operations.h"
#include "fronts/http/codec/runs.h"
#include "fronts/http/codec/values.h"
#include "model/key_scope.h"

namespace muster::http {
namespace {

// --- the parts of a spec -------------------------------------------------------------------------------------------

constexpr std::array kRetryPolicyFields{
    field<&RetryPolicy::attempts_max>("attempts_max", "Counting the first.").judged(1, limits::kAttemptsMax),
    field<&RetryPolicy::backoff_base>("backoff_base_ms", "The first delay."),
    field<&RetryPolicy::backoff_factor>("backoff_factor", "Each delay is this much longer.").judged(1),
    field<&RetryPolicy::backoff_max>("backoff_max_ms", "The longest delay."),
    field<&RetryPolicy::jitter>("jitter", "Share of the delay that is random.").judged(0, 1),
    field_unless_blank<&RetryPolicy::non_retryable>("non_retryable", "Kinds of errors that end the job at once."),
};
constexpr Object<RetryPolicy> kRetryPolicy{
    "Retry", "", kRetryPolicyFields,
    R"({"attempts_max":5,"backoff_base_ms":1000,"backoff_factor":2.0,"backoff_max_ms":300000,"jitter":0.1})"};

constexpr std::array kUniqueFields{
    field<&UniqueKey::key>("key").required(),
    field<&UniqueKey::during>("while"),
};
constexpr Object<UniqueKey> kUnique{"", "", kUniqueFields};

constexpr std::array kConcurrencyFields{
    field<&ConcurrencyKey::key>("key").required(),
    field<&ConcurrencyKey::limit>("limit").judged(1),
};
constexpr Object<ConcurrencyKey> kConcurrency{"", "", kConcurrencyFields};

constexpr std::array kFairnessFields{
    field<&FairnessKey::key>("key").required(),
    field<&FairnessKey::weight>("weight").judged(1),
};
constexpr Object<FairnessKey> kFairness{"", "", kFairnessFields};

constexpr std::array kAffinityFields{
    field_unless_blank<&Affinity::sticky_key>("sticky_key", "Jobs with this key go to the worker that took the first."),
    field_unless_blank<&Affinity::prefer>("prefer", "A capability that is waited for."),
    field<&Affinity::prefer_wait>("prefer_wait_ms", "How long it is waited for."),
};
constexpr Object<Affinity> kAffinity{"", "", kAffinityFields};

constexpr std::array kParentFields{
    field<&RunParent::run>("run", "The run that waits.").required(),
    field<&RunParent::step>("step", "Its step.").required(),
};
constexpr Object<RunParent> kParent{"", "", kParentFields};

}  // namespace

static const Object<RetryPolicy>& object_of(Of<RetryPolicy>) { return kRetryPolicy; }
static const Object<UniqueKey>& object_of(Of<UniqueKey>) { return kUnique; }
static const Object<ConcurrencyKey>& object_of(Of<ConcurrencyKey>) { return kConcurrency; }
static const Object<FairnessKey>& object_of(Of<FairnessKey>) { return kFairness; }
static const Object<Affinity>& object_of(Of<Affinity>) { return kAffinity; }
static const Object<RunParent>& object_of(Of<RunParent>) { return kParent; }

namespace {

// --- specs ---------------------------------------------------------------------------------------------------------

// Keys of runs are kept apart from those of jobs; what a client sees is what a client gave.
std::string_view shown_key(const JobSpec& spec, const std::string& key) {
  return spec.run ? without_scope(key) : std::string_view(key);
}

constexpr std::array kJobSpecFields{
    field<&JobSpec::ns>("namespace"),
    field<&JobSpec::queue>("queue"),
    field<&JobSpec::type>("type", "What kind of work it is.").required(),
    json_content<&JobSpec::payload>("payload", "Any JSON; kept as it was sent."),
    bytes_content<&JobSpec::payload>("payload_base64"),
    field_unless_blank<&JobSpec::needs>("needs", "Capabilities, kind:name."),
    field_unless_blank<&JobSpec::selector>("selector", "Labels the worker must carry."),
    field_unless_blank<&JobSpec::labels>("labels", "Labels of the job itself, for search."),
    field<&JobSpec::priority>("priority", "Higher first.").within(limits::kPriorityMin, limits::kPriorityMax),
    field<&JobSpec::run_at>("run_at", "Not before."),
    field_unless_blank<&JobSpec::delay>("delay_ms", "From acceptance; not together with run_at."),
    field<&JobSpec::expires_in>("expires_in_ms", "Still waiting after that: dead."),
    field<&JobSpec::timeout>("timeout_ms", "Longest run of one attempt."),
    field<&JobSpec::lease_ttl>("lease_ms", "Length of the lease; the worker's own when absent."),
    field<&JobSpec::retry>("retry"),
    field<&JobSpec::rescues_max>("rescues_max", "How often it may be lost with a worker.").judged(0, limits::kRescuesMax),
    field<&JobSpec::idempotency_key>("idempotency_key", "A second job with this key in the namespace is the first one.")
        .written([](JsonWriter& out, std::string_view name, const JobSpec& spec) {
          out.member_unless_empty(name, shown_key(spec, spec.idempotency_key));
        }),
    field<&JobSpec::unique>("unique").written([](JsonWriter& out, std::string_view name, const JobSpec& spec) {
      if (!spec.unique) return;
      out.plain_key(name);
      write_object(out, kUnique, {.key = std::string(shown_key(spec, spec.unique->key)), .during = spec.unique->during});
    }),
    field<&JobSpec::concurrency>("concurrency"),
    field<&JobSpec::fairness>("fairness"),
    field<&JobSpec::affinity>("affinity").written([](JsonWriter& out, std::string_view name, const JobSpec& spec) {
      if (!spec.affinity.sticky_key.empty() || !spec.affinity.prefer.empty()) write_member<&JobSpec::affinity>(out, name, spec);
    }),
    field_unless_blank<&JobSpec::after>("after", "Jobs it waits for."),
    field<&JobSpec::on_dependency_failure>("on_dependency_failure", "Of those in `after`.")
        .written([](JsonWriter& out, std::string_view name, const JobSpec& spec) {
          if (!spec.after.empty()) write_member<&JobSpec::on_dependency_failure>(out, name, spec);
        }),
    field_unless_blank<&JobSpec::correlation>("correlation", "Carried into logs and events."),
    field<&JobSpec::deadline>("deadline", "Unfinished then: dead, also while it runs."),
};
constexpr Object<JobSpec> kJobSpec{"JobSpec", "What a client asks for.", kJobSpecFields};

// What only runs have.
constexpr std::array kRunOnlyFields{
    field_unless_blank<&RunSpec::external_id>("external_id", "The caller's own name; one unfinished run of a namespace has it."),
    field<&RunSpec::version>("version", "Of the workflow; 1 when absent."),
    json_object<&RunSpec::context>("context", "Any JSON object; handed through."),
    field_unless_blank<&RunSpec::steps>("steps"),
    field<&RunSpec::parent>("parent", "The run that started this one and waits for it."),
    shown_unless_blank<&RunSpec::schedule>("schedule", "The schedule that started it."),
    field_unless_blank<&RunSpec::metadata>("metadata", "Of its input, as the caller sent it."),
};
constexpr auto kRunSpecFields = joined(kJobSpecFields, fields_of<kRunOnlyFields, &JobSpec::run>());
constexpr Object<JobSpec> kRunSpec{"RunSpec", "A job spec, and what only runs have.", kRunSpecFields};
constexpr Object<JobSpec> kScheduledJob{"ScheduledJob", "A job or run spec as it is kept.", kRunSpecFields};

constexpr std::array kSubmitBulkFields{
    Field<command::JobSubmitBulkRequest>{.name = "jobs",
                                         .read =
                                             [](JsonReader& in, command::JobSubmitBulkRequest& out, const Range&) {
                                               read_array(in, [&](JsonReader& element) {
                                                 if (out.jobs.size() == limits::kEnqueueBatchMax)
                                                   return element.refuse(fmt::format(
                                                       "at most {} jobs are accepted in one request", limits::kEnqueueBatchMax));
                                                 read_object(element, kJobSpec, out.jobs.emplace_back());
                                               });
                                             },
                                         .draw =
                                             [](Schemas& out) {
                                               draw_type(out, "array");
                                               out.json.key("items");
                                               out.json.begin_object();
                                               draw_object<kJobSpec>(out);
                                               out.json.end_object();
                                             },
                                         .need = Need::required},
};
constexpr Object<command::JobSubmitBulkRequest> kSubmitBulk{"", "", kSubmitBulkFields};

// --- jobs ----------------------------------------------------------------------------------------------------------

constexpr std::array kProgressShown{
    shown<&Progress::fraction>("fraction").judged(0, 1),
    shown_unless_blank<&Progress::message>("message"),
    json_content<&Progress::partial>("partial", "What is done so far."),
    bytes_content<&Progress::partial>("partial_base64"),
    shown<&Progress::at>("at", "When it was reported."),
};
constexpr Object<Progress> kProgress{"Progress", "", kProgressShown};

constexpr std::array kAttemptFields{
    shown<&AttemptRecord::attempt>("attempt"),
    shown<&AttemptRecord::fence>("fence", kFenceDoc),
    shown<&AttemptRecord::worker>("worker"),
    shown<&AttemptRecord::started_at>("started_at", "Begin."),
    shown<&AttemptRecord::ended_at>("ended_at", "End."),
    shown<&AttemptRecord::outcome>("outcome", "The event that ended it."),
    shown<&AttemptRecord::error>("error"),
};
constexpr Object<AttemptRecord> kAttempt{"Attempt", "", kAttemptFields};

}  // namespace

static const Object<Progress>& object_of(Of<Progress>) { return kProgress; }
static const Object<AttemptRecord>& object_of(Of<AttemptRecord>) { return kAttempt; }

namespace {

constexpr std::array kJobHead{
    shown<&Job::id>("id", "The job."),
    shown<&Job::state>("state"),
};
constexpr std::array kJobRest{
    Field<Job>{.name = "sleeping",
               .doc = "Of runs: it sleeps, or waits for a signal or a child.",
               .write =
                   [](JsonWriter& out, std::string_view name, const Job& job) {
                     if (job.spec.run) out.member(name, job.state == JobState::scheduled && job.last_event == JobEvent::snoozed);
                   },
               .draw = [](Schemas& out) { draw_type(out, "boolean"); }},
    shown<&Job::created_at>("created_at", "Acceptance."),
    shown<&Job::run_at>("due_at", "When it is or was due."),
    shown<&Job::expires_at>("expires_at", "Dead if it still waits then."),
    shown<&Job::started_at>("started_at", "Of the current or last attempt."),
    shown<&Job::finished_at>("finished_at", "End."),
    shown<&Job::lease_expires_at>("lease_expires_at", "End of the lease."),
    shown<&Job::attempt>("attempt", "Attempts begun and not handed back."),
    shown<&Job::rescues>("rescues", "How often it was lost with a worker."),
    shown_unless_blank<&Job::fence>("fence", kFenceDoc),
    shown_unless_blank<&Job::worker>("worker", "The holder, or the last one."),
    shown<&Job::cancel_requested>("cancel_requested", "Its worker is asked to stop."),
    json_content<&Job::result>("result", "As the worker sent it."),
    bytes_content<&Job::result>("result_base64"),
    shown<&Job::error>("error"),
    shown<&Job::progress>("progress"),
    shown_unless_blank<&Job::attempts>("attempts", "Those that failed, the newest of them."),
    shown<&Job::dependencies_pending>("dependencies_pending", "Jobs in `after` that are unfinished."),
};
constexpr auto kJobFields = joined(kJobHead, fields_of<kRunSpecFields, &Job::spec>(), kJobRest);
constexpr Object<Job> kJob{
    "Job", "", kJobFields,
    R"({"id":%id%,"state":"ready","namespace":"default","queue":"default","type":"email.send","payload":{"to":"a@example.org"},"priority":0,"retry":%Retry%,"rescues_max":3,"created_at":%at%,"due_at":%at%,"attempt":0,"rescues":0,"cancel_requested":false,"dependencies_pending":0})"};

constexpr std::array kGrantFields{
    shown<&Grant::id>("id", "The job."),
    shown<&Grant::ns>("namespace"),
    shown<&Grant::queue>("queue"),
    shown<&Grant::type>("type"),
    json_content<&Grant::payload>("payload", "As it was submitted."),
    bytes_content<&Grant::payload>("payload_base64"),
    shown<&Grant::labels>("labels"),
    shown<&Grant::attempt>("attempt").judged(1),
    shown<&Grant::attempts_max>("attempts_max"),
    shown<&Grant::priority>("priority"),
    shown<&Grant::fence>("fence", kFenceDoc),
    shown<&Grant::lease_expires_at>("lease_expires_at", "Renew before."),
    shown<&Grant::times_out_at>("times_out_at", "The attempt ends then."),
    json_content<&Grant::partial>("partial", "What an earlier attempt reported."),
    bytes_content<&Grant::partial>("partial_base64"),
    shown_unless_blank<&Grant::correlation>("correlation"),
};
constexpr Object<Grant> kGrant{"Grant", "", kGrantFields};

}  // namespace

const Object<Job>& object_of(Of<Job>) { return kJob; }
static const Object<Grant>& object_of(Of<Grant>) { return kGrant; }

namespace words {
constexpr std::array<std::string_view, 3> kClaimBlocks{"none", "no_slots", "draining"};
}
template <>
constexpr std::span<const std::string_view> kWords<store::ClaimBlock> = words::kClaimBlocks;
template <>
constexpr std::size_t kNamed<command::JobWhyCode> = 15;

namespace {

// --- answers -------------------------------------------------------------------------------------------------------

constexpr std::array kEnqueuedFields{
    shown<&store::Enqueued::id>("id", "The job."),
    shown<&store::Enqueued::state>("state"),
    shown<&store::Enqueued::existed>("existed", "A key found it; nothing was written."),
};
constexpr Object<store::Enqueued> kEnqueued{"Submitted", "", kEnqueuedFields, R"({"id":%id%,"state":"ready","existed":false})"};

constexpr std::array kClaimReplyFields{
    shown<&store::ClaimReply::grants>("jobs"),
    shown<&store::ClaimReply::block>("block", "Why there is none for this worker."),
    shown<&store::ClaimReply::retry_at>("retry_at", "A rate limit frees a token then."),
};
constexpr Object<store::ClaimReply> kClaimReply{
    "ClaimReply", "", kClaimReplyFields,
    R"({"jobs":[{"id":%id%,"namespace":"default","queue":"mail","type":"email.send","payload":{"to":"a@example.org"},"labels":{},"attempt":1,"attempts_max":5,"priority":0,"fence":42,"lease_expires_at":"2026-11-15T09:00:30.000Z"}],"block":"none"})"};

constexpr std::array kRenewedFields{
    shown<&store::Renewed::expires_at>("lease_expires_at", "New end of the lease."),
    shown<&store::Renewed::cancel_requested>("cancel_requested", "Stop, then fail or release."),
};
constexpr Object<store::Renewed> kRenewed{"Renewed", "", kRenewedFields,
                                          R"({"lease_expires_at":"2026-11-15T09:00:30.000Z","cancel_requested":false})"};

constexpr std::array kSettledFields{
    shown<&store::Settled::id>("id", "The job."),
    shown<&store::Settled::state>("state"),
    shown<&store::Settled::attempt>("attempt"),
    shown<&store::Settled::run_at>("run_at", "When it runs again."),
};
constexpr Object<store::Settled> kSettled{"Settled", "", kSettledFields, R"({"id":%id%,"state":"completed","attempt":1})"};

constexpr std::array kCancelledFields{
    shown<&store::Cancelled::id>("id", "The job."),
    shown<&store::Cancelled::state>("state", "running: its worker is told."),
};
constexpr Object<store::Cancelled> kCancelled{"Cancelled", "", kCancelledFields, R"({"id":%id%,"state":"cancelled"})"};

constexpr std::array kJobPageFields{
    shown<&store::JobPage::jobs>("jobs"),
    shown_unless_blank<&store::JobPage::next>("next", "Cursor of the next page; absent at the end."),
};
constexpr Object<store::JobPage> kJobPage{"JobPage", "", kJobPageFields, R"({"jobs":[%Job%],"next":"b64cursor"})"};

constexpr std::array kRedrivenFields{
    shown<&store::Redriven::jobs>("ids", "The jobs."),
    shown<&store::Redriven::more>("more", "Call again."),
};
constexpr Object<store::Redriven> kRedriven{"", "", kRedrivenFields, R"({"ids":[%id%],"more":false})"};

constexpr std::array kWhyDetailFields{
    shown_unless_blank<&command::JobWhyReply::missing>("missing"),
    shown_unless_blank<&command::JobWhyReply::workers>("workers"),
    shown_unless_blank<&command::JobWhyReply::jobs>("jobs"),
    shown<&command::JobWhyReply::until>("until", "Then."),
    shown<&command::JobWhyReply::ahead>("ahead", "Jobs of its lane before it."),
};
constexpr Object<command::JobWhyReply> kWhyDetails{"", "", kWhyDetailFields};
constexpr std::array kWhyFields{
    shown<&command::JobWhyReply::id>("id", "The job."),
    shown<&command::JobWhyReply::state>("state"),
    shown<&command::JobWhyReply::code>("code"),
    shown<&command::JobWhyReply::text>("text", "One sentence."),
    Field<command::JobWhyReply>{.name = "details",
                                .write =
                                    [](JsonWriter& out, std::string_view name, const command::JobWhyReply& why) {
                                      out.plain_key(name);
                                      write_object(out, kWhyDetails, why);
                                    },
                                .draw = draw_object<kWhyDetails>,
                                .always = true},
};
constexpr Object<command::JobWhyReply> kWhy{
    "Why", "", kWhyFields,
    R"({"id":%id%,"state":"ready","code":"no_capable_worker","text":"no live worker offers tool:smtp","details":{"missing":["tool:smtp"],"ahead":0}})"};

// --- what each of many was answered --------------------------------------------------------------------------------

void write_failure(JsonWriter& out, const Status& status) {
  out.begin_object();
  out.key("error");
  out.begin_object();
  out.member("code", to_string(status.code()));
  out.member("detail", status.message());
  out.end_object();
  out.end_object();
}

void draw_element_error(Schemas& out) {
  out.json.member("type", "object");
  out.json.key("properties");
  out.json.raw(R"({"error":{"type":"object","properties":{"code":{"type":"string"},"detail":{"type":"string"}},)"
               R"("required":["code","detail"],"additionalProperties":false}})");
  out.json.key("required");
  out.json.raw(R"(["error"])");
  out.json.member("additionalProperties", false);
}

template <store::Each<store::Settled> command::JobSettleReply::*kMember>
constexpr Field<command::JobSettleReply> settled_each(std::string_view name) {
  return {.name = name,
          .write = [](JsonWriter& out, std::string_view key,
                      const command::JobSettleReply& reply) { write_each(out, key, reply.*kMember); },
          .draw = [](Schemas& out) { draw_each(out, draw_of<store::Settled>); },
          .always = true};
}
constexpr std::array kSettleReplyFields{
    settled_each<&command::JobSettleReply::complete>("complete"),
    settled_each<&command::JobSettleReply::fail>("fail"),
    settled_each<&command::JobSettleReply::snooze>("snooze"),
    settled_each<&command::JobSettleReply::release>("release"),
};
constexpr Object<command::JobSettleReply> kSettleReply{
    "SettleReply", "", kSettleReplyFields,
    R"({"complete":[%Settled%],"fail":[{"error":{"code":"lease_lost","detail":"fence 43 is stale"}}],"snooze":[],"release":[]})"};

JobSpec read_spec(JsonReader& in, const Object<JobSpec>& object, JobSpec spec) {
  read_object(in, object, spec);
  return spec;
}

template <class Request>
Result<Request> decode_spec(std::string_view body, JobSpec (*read)(JsonReader&, JobSpec)) {
  JsonReader in(body);
  Request request{.job = read(in, {})};
  in.finish();
  if (!in.ok()) return in.status();
  return request;
}

constexpr std::array kJobOperations{
    Operation{
        .id = "job_submit",
        .body = body<kJobSpec>(
            R"({"type":"email.send","queue":"mail","payload":{"to":"a@example.org"},"needs":["tool:smtp"],"labels":{"customer":"42"},"priority":5,"retry":{"attempts_max":5,"non_retryable":["bad_input"]},"idempotency_key":"order-17"})"),
        .answers = {created<store::Enqueued>(), found<store::Enqueued>("A key found a job that exists.")}},
    Operation{.id = "job_submit_bulk",
              .body = body<kSubmitBulk>(R"({"jobs":[{"type":"email.send"},{"type":"email.send","delay_ms":5000}]})"),
              .answers = {created_list<store::Enqueued>("jobs", R"({"jobs":[%Submitted%]})")}},
    Operation{.id = "job_get", .answers = {ok<Job>()}},
    Operation{.id = "job_why", .answers = {ok<command::JobWhyReply>()}},
    Operation{.id = "job_retry", .answers = {ok<store::Settled>(R"({"id":%id%,"state":"ready","attempt":0})")}},
};

}  // namespace

std::span<const Operation> job_operations() { return kJobOperations; }

JobSpec read_job_spec(JsonReader& in, JobSpec initial) { return read_spec(in, kJobSpec, std::move(initial)); }

JobSpec read_run_spec(JsonReader& in, JobSpec initial) {
  if (!initial.run) initial.run.emplace();
  return read_spec(in, kRunSpec, std::move(initial));
}

Result<command::RunStartRequest> decode_run_start(std::string_view body) {
  return decode_spec<command::RunStartRequest>(body, read_run_spec);
}

Result<command::JobSubmitRequest> decode_submit(std::string_view body) {
  return decode_spec<command::JobSubmitRequest>(body, read_job_spec);
}

Result<command::JobSubmitBulkRequest> decode_submit_bulk(std::string_view body) {
  return read_body(body, kSubmitBulk, command::JobSubmitBulkRequest{});
}

const Object<JobSpec>& job_spec_object() { return kJobSpec; }
const Object<JobSpec>& run_spec_object() { return kRunSpec; }
const Object<JobSpec>& scheduled_job_object() { return kScheduledJob; }
const Object<store::Enqueued>& object_of(Of<store::Enqueued>) { return kEnqueued; }
const Object<store::ClaimReply>& object_of(Of<store::ClaimReply>) { return kClaimReply; }
const Object<store::Renewed>& object_of(Of<store::Renewed>) { return kRenewed; }
const Object<store::Settled>& object_of(Of<store::Settled>) { return kSettled; }
const Object<store::Cancelled>& object_of(Of<store::Cancelled>) { return kCancelled; }
const Object<store::JobPage>& object_of(Of<store::JobPage>) { return kJobPage; }
const Object<store::Redriven>& object_of(Of<store::Redriven>) { return kRedriven; }
const Object<command::JobSettleReply>& object_of(Of<command::JobSettleReply>) { return kSettleReply; }
const Object<command::JobWhyReply>& object_of(Of<command::JobWhyReply>) { return kWhy; }

void draw_each(Schemas& out, Draw draw) {
  out.json.member("type", "array");
  out.json.key("items");
  out.json.begin_object();
  out.json.key("anyOf");
  out.json.begin_array();
  for (const Draw each : {draw, +[](Schemas& inside) { inside.refer("ElementError", draw_element_error); }}) {
    out.json.begin_object();
    each(out);
    out.json.end_object();
  }
  out.json.end_array();
  out.json.end_object();
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

}  // namespace muster::http
