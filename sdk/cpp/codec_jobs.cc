// Jobs, their leases and their outcomes: requests and replies as tables.
#include "sdk/cpp/fields.h"

namespace muster::sdk {
namespace fields {

constexpr std::array kRetryFields{
    field<&RetryPolicy::attempts_max>("attempts_max"),
    field<&RetryPolicy::backoff_base>("backoff_base_ms"),
    field<&RetryPolicy::backoff_factor>("backoff_factor"),
    field<&RetryPolicy::backoff_max>("backoff_max_ms"),
    field<&RetryPolicy::jitter>("jitter"),
    field<&RetryPolicy::non_retryable>("non_retryable"),
};
constexpr std::array kUniqueFields{said<&UniqueKey::key>("key"), said<&UniqueKey::during>("while")};
constexpr std::array kConcurrencyFields{said<&KeyLimit::key>("key"), said<&KeyLimit::limit>("limit")};
constexpr std::array kFairnessFields{said<&KeyLimit::key>("key"), said<&KeyLimit::limit>("weight")};
constexpr std::array kAffinityFields{field<&JobSpec::sticky_key>("sticky_key"), field<&JobSpec::prefer>("prefer")};

template <>
constexpr auto kFields<JobSpec> = std::array{
    field<&JobSpec::ns>("namespace"),
    field<&JobSpec::queue>("queue"),
    said<&JobSpec::type>("type"),
    content<&JobSpec::payload>("payload"),
    field<&JobSpec::needs>("needs"),
    field<&JobSpec::selector>("selector"),
    field<&JobSpec::labels>("labels"),
    field<&JobSpec::priority>("priority"),
    field<&JobSpec::run_at>("run_at"),
    field<&JobSpec::delay>("delay_ms"),
    field<&JobSpec::expires_in>("expires_in_ms"),
    field<&JobSpec::timeout>("timeout_ms"),
    field<&JobSpec::lease>("lease_ms"),
    member_as<&JobSpec::retry, kRetryFields>("retry"),
    field<&JobSpec::rescues_max>("rescues_max"),
    field<&JobSpec::idempotency_key>("idempotency_key"),
    member_as<&JobSpec::unique, kUniqueFields>("unique"),
    member_as<&JobSpec::concurrency, kConcurrencyFields>("concurrency"),
    member_as<&JobSpec::fairness, kFairnessFields>("fairness"),
    group<kAffinityFields, JobSpec>("affinity"),
    field<&JobSpec::after>("after"),
    field<&JobSpec::on_dependency_failure>("on_dependency_failure"),
    field<&JobSpec::correlation>("correlation"),
    field<&JobSpec::deadline>("deadline"),
};

template <>
constexpr auto kFields<Progress> = std::array{
    field<&Progress::fraction>("fraction"),
    field<&Progress::message>("message"),
    content<&Progress::partial>("partial"),
    field<&Progress::at>("at"),
};

// --- replies -------------------------------------------------------------------------------------------------------

template <>
constexpr auto kFields<Attempt> = std::array{
    field<&Attempt::attempt>("attempt"),   field<&Attempt::worker>("worker"),   field<&Attempt::started_at>("started_at"),
    field<&Attempt::ended_at>("ended_at"), field<&Attempt::outcome>("outcome"), field<&Attempt::error>("error"),
};

constexpr std::array kParentFields{field<&RunFacts::parent_run>("run"), field<&RunFacts::parent_step>("step")};
constexpr std::array kRunFactFields{
    field<&RunFacts::external_id>("external_id"), field<&RunFacts::version>("version"),   field<&RunFacts::schedule>("schedule"),
    group<kParentFields, RunFacts>("parent"),     field<&RunFacts::metadata>("metadata"), field<&RunFacts::sleeping>("sleeping"),
};

constexpr std::array kJobRetryFields{field<&Job::attempts_max>("attempts_max")};
template <>
constexpr auto kFields<Job> = std::array{
    field<&Job::id>("id").must(),
    field<&Job::ns>("namespace"),
    field<&Job::queue>("queue"),
    field<&Job::type>("type"),
    field<&Job::state>("state").must(),
    field<&Job::created_at>("created_at"),
    field<&Job::due_at>("due_at"),
    field<&Job::expires_at>("expires_at"),
    field<&Job::started_at>("started_at"),
    field<&Job::finished_at>("finished_at"),
    field<&Job::lease_expires_at>("lease_expires_at"),
    field<&Job::attempt>("attempt"),
    group<kJobRetryFields, Job>("retry"),
    field<&Job::rescues>("rescues"),
    field<&Job::fence>("fence"),
    field<&Job::priority>("priority"),
    field<&Job::worker>("worker"),
    field<&Job::cancel_requested>("cancel_requested"),
    field<&Job::needs>("needs"),
    field<&Job::labels>("labels"),
    content<&Job::payload>("payload"),
    content<&Job::result>("result"),
    field<&Job::error>("error"),
    field<&Job::progress>("progress"),
    field<&Job::attempts>("attempts"),
    field<&Job::dependencies_pending>("dependencies_pending"),
    field<&Job::deadline>("deadline"),
    // Only runs have a version; their facts stand among those of the job.
    Field<Job>{.name = "version",
               .read =
                   [](const Json& object, const char* name, Job& out) {
                     if (find(object, name) != nullptr) read_fields(object, Fields<RunFacts>(kRunFactFields), out.run.emplace());
                   }},
    document<&Job::document>(),
};

template <>
constexpr auto kFields<Grant> = std::array{
    Field<Grant>{.name = "id", .read = [](const Json& object, const char*, Grant& out) { get(object, out.lease); }}.must(),
    Field<Grant>{.name = "fence"}.must(),
    field<&Grant::ns>("namespace"),
    field<&Grant::queue>("queue"),
    field<&Grant::type>("type"),
    content<&Grant::payload>("payload"),
    field<&Grant::labels>("labels"),
    field<&Grant::attempt>("attempt"),
    field<&Grant::attempts_max>("attempts_max"),
    field<&Grant::lease_expires_at>("lease_expires_at"),
    field<&Grant::times_out_at>("times_out_at"),
    content<&Grant::partial>("partial"),
    field<&Grant::correlation>("correlation"),
};
template <>
constexpr auto kFields<Submitted> = std::array{
    field<&Submitted::id>("id").must(),
    field<&Submitted::state>("state"),
    field<&Submitted::existed>("existed"),
};
template <>
constexpr auto kFields<Settled> = std::array{
    field<&Settled::id>("id"),
    field<&Settled::state>("state").must(),
    field<&Settled::attempt>("attempt"),
    field<&Settled::run_at>("run_at"),
};
template <>
constexpr auto kFields<Why> = std::array{
    field<&Why::id>("id"),     field<&Why::state>("state"), field<&Why::code>("code").must(),
    field<&Why::text>("text"), document<&Why::document>(),
};
template <>
constexpr auto kFields<Renewed> = std::array{
    field<&Renewed::lease_expires_at>("lease_expires_at"),
    field<&Renewed::cancel_requested>("cancel_requested"),
};
template <>
constexpr auto kFields<Acted> = std::array{
    field<&Acted::dry_run>("dry_run"), field<&Acted::matched>("matched").must(), field<&Acted::more>("more"),
    field<&Acted::changed>("changed"), field<&Acted::skipped>("skipped"),        field<&Acted::next>("next"),
    document<&Acted::document>(),
};
template <>
constexpr auto kFields<Redriven> = std::array{field<&Redriven::ids>("ids"), field<&Redriven::more>("more")};

template <>
constexpr auto kFields<JobPage> = std::array{field<&JobPage::jobs>("jobs").must(), field<&JobPage::next>("next")};
template <>
constexpr auto kFields<ClaimReply> = std::array{
    field<&ClaimReply::grants>("jobs").must(),
    field<&ClaimReply::block>("block"),
    field<&ClaimReply::retry_at>("retry_at"),
};

// --- requests ------------------------------------------------------------------------------------------------------

template <>
constexpr auto kFields<JobFilter> = std::array{
    field<&JobFilter::ns>("namespace"),
    field<&JobFilter::queue>("queue"),
    field<&JobFilter::type>("type"),
    field<&JobFilter::states>("states"),
    field<&JobFilter::worker>("worker"),
    field<&JobFilter::labels>("labels"),
    field<&JobFilter::created_after>("created_after"),
    field<&JobFilter::created_before>("created_before"),
    field<&JobFilter::error_kind>("error_kind"),
};
template <>
constexpr auto kFields<ClaimRequest> = std::array{
    field<&ClaimRequest::ns>("namespace"),  said<&ClaimRequest::worker>("worker"),   field<&ClaimRequest::session>("session"),
    field<&ClaimRequest::queues>("queues"), field<&ClaimRequest::narrow>("narrow"),  said<&ClaimRequest::limit>("limit"),
    said<&ClaimRequest::wait>("wait_ms"),   field<&ClaimRequest::lease>("lease_ms"),
};

template <>
constexpr auto kFields<RedriveRequest> =
    std::array{said<&RedriveRequest::filter>("filter"), field<&RedriveRequest::limit>("limit")};
template <>
constexpr auto kFields<ActRequest> = std::array{
    said<&ActRequest::action>("action"),      said<&ActRequest::filter>("filter"),  said<&ActRequest::dry_run>("dry_run"),
    field<&ActRequest::limit>("limit"),       field<&ActRequest::cursor>("cursor"), field<&ActRequest::reason>("reason"),
    field<&ActRequest::expected>("expected"),
};
constexpr std::array kFailFields{
    said<&FailRequest::error>("error"),
    said<&FailRequest::retryable>("retryable"),
    field<&FailRequest::delay>("delay_ms"),
};

// What a holder says about its job begins with the fence.
static Writing held(const LeaseRef& lease) {
  Writing out;
  out.json["fence"] = lease.fence;
  return out;
}

template <class V>
static void put_if(Writing& out, const char* name, const V& value) {
  if (!is_empty(value)) out.json[name] = put(out, value);
}

static Result<std::string> finished(Writing out) {
  if (out.error) return *std::move(out.error);
  return text_of(out.json);
}

void write_spec(Writing& out, const JobSpec& spec) { write_fields(out, Fields<JobSpec>(kFields<JobSpec>), spec); }

Json put(Writing& out, const JobSpec& spec) {
  Writing inside;
  write_spec(inside, spec);
  if (inside.error && !out.error) out.error = std::move(inside.error);
  return std::move(inside.json);
}

}  // namespace fields

using namespace fields;

bool is_finished(std::string_view state) { return state == "completed" || state == "dead" || state == "cancelled"; }

Result<std::string> encode(const JobSpec& spec) { return encoded(spec); }
std::string encode(const ClaimRequest& request) { return encoded_plain(request); }
std::string encode(const RedriveRequest& request) { return encoded_plain(request); }
std::string encode(const ActRequest& request) { return encoded_plain(request); }

std::string encode_fence(const LeaseRef& lease, std::optional<Duration> lease_for) {
  Writing out = held(lease);
  put_if(out, "lease_ms", lease_for);
  return text_of(out.json);
}

Result<std::string> encode_progress(const LeaseRef& lease, const Progress& progress) {
  Writing out = held(lease);
  // When it was reported is for the server to say.
  write_fields(out, Fields<Progress>(kFields<Progress>).first(kFields<Progress>.size() - 1), progress);
  return finished(std::move(out));
}

Result<std::string> encode_complete(const LeaseRef& lease, const std::optional<Content>& result) {
  Writing out = held(lease);
  write_content(out, "result", result);
  return finished(std::move(out));
}

std::string encode_fail(const LeaseRef& lease, const FailRequest& request) {
  Writing out = held(lease);
  write_fields(out, Fields<FailRequest>(kFailFields), request);
  return text_of(out.json);
}

std::string encode_snooze(const LeaseRef& lease, Duration delay) {
  return text_of(Json{{"fence", lease.fence}, {"delay_ms", delay.count()}});
}

std::string encode_release(const LeaseRef& lease, std::string_view reason) {
  return text_of(Json{{"fence", lease.fence}, {"reason", reason}});
}

Result<std::string> encode_settle_complete(std::span<const LeaseRef> leases, const std::optional<Content>& result) {
  Writing out;
  Json& items = out.json["complete"] = Json::array();
  for (const LeaseRef& lease : leases) {
    Writing item{.json = put(out, lease), .error = {}};
    write_content(item, "result", result);
    if (item.error) return *std::move(item.error);
    items.push_back(std::move(item.json));
  }
  return text_of(out.json);
}

std::string encode_strings(std::span<const std::pair<std::string_view, std::string_view>> pairs) {
  Json json = Json::object();
  for (const auto& [key, value] : pairs)
    if (!value.empty()) json[std::string(key)] = value;
  return text_of(json);
}

std::string encode_cancel_many(std::span<const std::string> ids, std::string_view reason) {
  Json json{{"ids", std::vector<std::string>(ids.begin(), ids.end())}};
  if (!reason.empty()) json["reason"] = reason;
  return text_of(json);
}

Error decode_problem(int status, std::string_view body) {
  Error error{.code = Code::bad_reply, .status = status, .detail = {}, .retry_after = {}};
  const Json json = Json::parse(body, nullptr, false);
  const Json* code = json.is_object() ? find(json, "code") : nullptr;
  if (code == nullptr || !code->is_string()) {
    error.detail = fmt::format("HTTP status {} without a problem document: `{}`", status, body.substr(0, kShownBytes));
    return error;
  }
  error.code = parse_code(code->get<std::string>()).value_or(Code::internal);
  const Json* detail = find(json, "detail");
  if (detail != nullptr && detail->is_string()) error.detail = detail->get<std::string>();
  return error;
}

Result<Submitted> decode_submitted(std::string_view body) { return decoded<Submitted>(body); }
Result<std::vector<Submitted>> decode_submitted_many(std::string_view body) { return decoded_list<Submitted>(body, "jobs"); }
Result<Job> decode_job(std::string_view body) { return decoded<Job>(body); }
Result<JobPage> decode_job_page(std::string_view body) { return decoded<JobPage>(body); }
Result<Why> decode_why(std::string_view body) { return decoded<Why>(body); }
Result<ClaimReply> decode_claim(std::string_view body) { return decoded<ClaimReply>(body); }
Result<Renewed> decode_renewed(std::string_view body) { return decoded<Renewed>(body); }
Result<Settled> decode_settled(std::string_view body) { return decoded<Settled>(body); }
Result<Acted> decode_acted(std::string_view body) { return decoded<Acted>(body); }
Result<Redriven> decode_redriven(std::string_view body) { return decoded<Redriven>(body); }
Result<std::vector<Result<Settled>>> decode_settled_many(std::string_view body, const char* key) {
  return decoded_each<Settled>(body, key);
}

}  // namespace muster::sdk
