#include "sdk/cpp/reading.h"

namespace muster::sdk {

using namespace reading;

namespace {

Failure read_failure(const Json& json) { return Failure{.kind = text(json, "kind"), .message = text(json, "message")}; }

Progress read_progress(const Json& json) {
  return Progress{.fraction = number<double>(json, "fraction"),
                  .message = text(json, "message"),
                  .partial = content(json, "partial"),
                  .at = instant(json, "at")};
}

Attempt read_attempt(const Json& json) {
  Attempt attempt{.attempt = number<std::uint32_t>(json, "attempt"),
                  .worker = text(json, "worker"),
                  .started_at = instant(json, "started_at"),
                  .ended_at = instant(json, "ended_at"),
                  .outcome = text(json, "outcome"),
                  .error = {}};
  if (const Json* error = find(json, "error")) attempt.error = read_failure(*error);
  return attempt;
}

RunFacts read_run_facts(const Json& json) {
  RunFacts run;
  run.external_id = text(json, "external_id");
  run.version = text(json, "version");
  run.schedule = text(json, "schedule");
  if (const Json* parent = find(json, "parent")) {
    run.parent_run = text(*parent, "run");
    run.parent_step = text(*parent, "step");
  }
  run.metadata = labels(json, "metadata");
  run.sleeping = number<bool>(json, "sleeping");
  return run;
}

Job read_job(const Json& json) {
  Job job;
  job.id = json.at("id").get<std::string>();
  job.ns = text(json, "namespace");
  job.queue = text(json, "queue");
  job.type = text(json, "type");
  job.state = json.at("state").get<std::string>();
  job.created_at = instant(json, "created_at");
  job.due_at = instant(json, "due_at");
  job.expires_at = instant(json, "expires_at");
  job.started_at = instant(json, "started_at");
  job.finished_at = instant(json, "finished_at");
  job.lease_expires_at = instant(json, "lease_expires_at");
  job.attempt = number<std::uint32_t>(json, "attempt");
  if (const Json* retry = find(json, "retry")) job.attempts_max = number<std::uint32_t>(*retry, "attempts_max");
  job.rescues = number<std::uint32_t>(json, "rescues");
  job.fence = number<std::uint64_t>(json, "fence");
  job.priority = number<std::int32_t>(json, "priority");
  job.worker = text(json, "worker");
  job.cancel_requested = number<bool>(json, "cancel_requested");
  job.needs = texts(json, "needs");
  job.labels = labels(json, "labels");
  job.payload = content(json, "payload");
  job.result = content(json, "result");
  if (const Json* error = find(json, "error")) job.error = read_failure(*error);
  if (const Json* progress = find(json, "progress")) job.progress = read_progress(*progress);
  if (find(json, "attempts")) job.attempts = elements(json, "attempts", read_attempt);
  job.dependencies_pending = number<std::uint64_t>(json, "dependencies_pending");
  job.deadline = instant(json, "deadline");
  if (find(json, "version") != nullptr) job.run = read_run_facts(json);
  job.document = document(json);
  return job;
}

Grant read_grant(const Json& json) {
  Grant grant;
  grant.lease = LeaseRef{.id = json.at("id").get<std::string>(), .fence = json.at("fence").get<std::uint64_t>()};
  grant.ns = text(json, "namespace");
  grant.queue = text(json, "queue");
  grant.type = text(json, "type");
  grant.payload = content(json, "payload");
  grant.labels = labels(json, "labels");
  grant.attempt = number<std::uint32_t>(json, "attempt");
  grant.attempts_max = number<std::uint32_t>(json, "attempts_max");
  grant.lease_expires_at = instant(json, "lease_expires_at");
  grant.times_out_at = instant(json, "times_out_at");
  grant.partial = content(json, "partial");
  grant.correlation = text(json, "correlation");
  return grant;
}

Submitted read_submitted(const Json& json) {
  return Submitted{
      .id = json.at("id").get<std::string>(), .state = text(json, "state"), .existed = number<bool>(json, "existed")};
}

Settled read_settled(const Json& json) {
  return Settled{.id = text(json, "id"),
                 .state = json.at("state").get<std::string>(),
                 .attempt = number<std::uint32_t>(json, "attempt"),
                 .run_at = instant(json, "run_at")};
}

Error read_element_error(const Json& json) {
  return Error{.code = parse_code(text(json, "code")).value_or(Code::internal),
               .status = 0,
               .detail = text(json, "detail"),
               .retry_after = {}};
}

}  // namespace

bool is_finished(std::string_view state) { return state == "completed" || state == "dead" || state == "cancelled"; }

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

Result<Submitted> decode_submitted(std::string_view body) { return decoded(body, read_submitted); }

Result<std::vector<Submitted>> decode_submitted_many(std::string_view body) {
  return decoded(body, [](const Json& json) { return elements(json, "jobs", read_submitted); });
}

Result<Job> decode_job(std::string_view body) { return decoded(body, read_job); }

Result<JobPage> decode_job_page(std::string_view body) {
  return decoded(body,
                 [](const Json& json) { return JobPage{.jobs = elements(json, "jobs", read_job), .next = text(json, "next")}; });
}

Result<Why> decode_why(std::string_view body) {
  return decoded(body, [](const Json& json) {
    return Why{.id = text(json, "id"),
               .state = text(json, "state"),
               .code = json.at("code").get<std::string>(),
               .text = text(json, "text"),
               .document = document(json)};
  });
}

Result<ClaimReply> decode_claim(std::string_view body) {
  return decoded(body, [](const Json& json) {
    return ClaimReply{
        .grants = elements(json, "jobs", read_grant), .block = text(json, "block"), .retry_at = instant(json, "retry_at")};
  });
}

Result<Renewed> decode_renewed(std::string_view body) {
  return decoded(body, [](const Json& json) {
    return Renewed{.lease_expires_at = instant(json, "lease_expires_at"),
                   .cancel_requested = number<bool>(json, "cancel_requested")};
  });
}

Result<Settled> decode_settled(std::string_view body) { return decoded(body, read_settled); }

Result<std::vector<Result<Settled>>> decode_settled_many(std::string_view body, const char* key) {
  return decoded(body, [key](const Json& json) {
    return elements(json, key, [](const Json& element) -> Result<Settled> {
      if (const Json* error = find(element, "error")) return read_element_error(*error);
      return read_settled(element);
    });
  });
}

Result<Redriven> decode_redriven(std::string_view body) {
  return decoded(body, [](const Json& json) { return Redriven{.ids = texts(json, "ids"), .more = number<bool>(json, "more")}; });
}

}  // namespace muster::sdk
