#include <fmt/format.h>

#include "sdk/cpp/writing.h"

namespace muster::sdk {

using namespace writing;

namespace {

constexpr std::size_t kShownBytes = 60;

Error not_an_object(std::string_view what, std::string_view text) {
  return Error{.code = Code::invalid_argument,
               .status = 0,
               .detail = fmt::format("{} is not a JSON object: `{}`", what, text.substr(0, kShownBytes)),
               .retry_after = {}};
}

Json json_of(const StepRetry& retry) {
  Json json = Json::object();
  put_number(json, "attempts_max", retry.attempts_max);
  put(json, "first_delay_ms", retry.first_delay);
  put_number(json, "factor", retry.factor);
  put(json, "delay_max_ms", retry.delay_max);
  put(json, "non_retryable", retry.non_retryable);
  return json;
}

Result<Json> json_of(const RunRequest& request) {
  Result<Json> json = writing::json_of(request.job);
  if (!json.ok()) return json;
  put(*json, "external_id", request.external_id);
  put(*json, "version", request.version);
  if (!request.context.empty()) {
    Json context = Json::parse(request.context, nullptr, false);
    if (!context.is_object()) return not_an_object("context", request.context);
    (*json)["context"] = std::move(context);
  }
  if (request.steps) (*json)["steps"] = json_of(*request.steps);
  if (!request.parent_run.empty()) (*json)["parent"] = Json{{"run", request.parent_run}, {"step", request.parent_step}};
  put(*json, "metadata", request.metadata);
  return json;
}

Result<Json> json_of(const StepCall& call) {
  Json json{{"call", call.call}};
  put(json, "step", call.step);
  put(json, "kind", call.kind);
  if (auto error = put_content(json, "input", call.input)) return *error;
  if (auto error = put_content(json, "output", call.output)) return *error;
  if (call.policy) json["policy"] = json_of(*call.policy);
  if (call.error) json["error"] = Json{{"kind", call.error->kind}, {"message", call.error->message}};
  put_number(json, "retryable", call.retryable);
  put(json, "retry_after_ms", call.retry_after);
  put(json, "length_ms", call.length);
  put(json, "wait_ms", call.wait);
  put(json, "until", call.until);
  put(json, "signal", call.signal);
  put(json, "child", call.child);
  return json;
}

Json json_of(const Timing& timing) {
  Json json{{"text", timing.text}};
  put(json, "zone", timing.zone);
  put(json, "gap", timing.gap);
  put(json, "fold", timing.fold);
  put(json, "jitter_ms", timing.jitter);
  return json;
}

}  // namespace

Result<std::string> encode(const RunRequest& request) {
  const Result<Json> json = json_of(request);
  if (!json.ok()) return json.error();
  return text_of(*json);
}

Result<std::string> encode(const RunSignal& signal) {
  Json json{{"name", signal.name}};
  if (auto error = put_content(json, "data", signal.data)) return *error;
  return text_of(json);
}

Result<std::string> encode_steps(const LeaseRef& lease, std::span<const StepCall> calls) {
  Json json{{"fence", lease.fence}};
  Json& list = json["calls"] = Json::array();
  for (const StepCall& call : calls) {
    Result<Json> one = json_of(call);
    if (!one.ok()) return one.error();
    list.push_back(std::move(*one));
  }
  return text_of(json);
}

Result<std::string> encode(const ScheduleRequest& request) {
  Json json = Json::object();
  put(json, "namespace", request.ns);
  if (request.timing) json["timing"] = json_of(*request.timing);
  if (request.job) {
    Result<Json> job = writing::json_of(*request.job);
    if (!job.ok()) return job.error();
    json["job"] = std::move(*job);
  }
  if (request.run) {
    Result<Json> run = json_of(*request.run);
    if (!run.ok()) return run.error();
    json["run"] = std::move(*run);
  }
  for (const auto& [name, text] : {std::pair("job", &request.job_document), std::pair("run", &request.run_document)}) {
    if (text->empty()) continue;
    Json document = Json::parse(*text, nullptr, false);
    if (!document.is_object()) return not_an_object(name, *text);
    json[name] = std::move(document);
  }
  put(json, "overlap", request.overlap);
  put_number(json, "catchup_max", request.catchup_max);
  put_number(json, "enabled", request.enabled);
  put_number(json, "note", request.note);
  return text_of(json);
}

std::string encode_backfill(std::string_view ns, const TimeRange& range) {
  Json json{{"from", format_instant(range.from)}, {"to", format_instant(range.to)}};
  put(json, "namespace", std::string(ns));
  return text_of(json);
}

std::string encode(const ResumeRequest& request) {
  Json json{{"catch_up", request.catch_up}};
  put(json, "namespace", request.ns);
  put_number(json, "note", request.note);
  return text_of(json);
}

}  // namespace muster::sdk
