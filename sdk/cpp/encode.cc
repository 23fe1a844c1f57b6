#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "sdk/cpp/codec.h"
#include "sdk/cpp/writing.h"

namespace muster::sdk {

using namespace writing;

namespace {

Json retry_json(const RetryPolicy& retry) {
  Json json = Json::object();
  put_number(json, "attempts_max", retry.attempts_max);
  put(json, "backoff_base_ms", retry.backoff_base);
  put_number(json, "backoff_factor", retry.backoff_factor);
  put(json, "backoff_max_ms", retry.backoff_max);
  put_number(json, "jitter", retry.jitter);
  put(json, "non_retryable", retry.non_retryable);
  return json;
}

Json json_of(const LeaseRef& lease) { return Json{{"id", lease.id}, {"fence", lease.fence}}; }

Json json_of(const JobFilter& filter) {
  Json json = Json::object();
  put(json, "namespace", filter.ns);
  put(json, "queue", filter.queue);
  put(json, "type", filter.type);
  put(json, "states", filter.states);
  put(json, "worker", filter.worker);
  put(json, "labels", filter.labels);
  put(json, "created_after", filter.created_after);
  put(json, "created_before", filter.created_before);
  put(json, "error_kind", filter.error_kind);
  return json;
}

}  // namespace

Result<Json> writing::json_of(const JobSpec& spec) {
  Json json = Json::object();
  put(json, "namespace", spec.ns);
  put(json, "queue", spec.queue);
  json["type"] = spec.type;
  if (auto error = put_content(json, "payload", spec.payload)) return *error;
  put(json, "needs", spec.needs);
  put(json, "selector", spec.selector);
  put(json, "labels", spec.labels);
  put_number(json, "priority", spec.priority);
  put(json, "run_at", spec.run_at);
  put(json, "delay_ms", spec.delay);
  put(json, "expires_in_ms", spec.expires_in);
  put(json, "timeout_ms", spec.timeout);
  put(json, "lease_ms", spec.lease);
  if (spec.retry) json["retry"] = retry_json(*spec.retry);
  put_number(json, "rescues_max", spec.rescues_max);
  put(json, "idempotency_key", spec.idempotency_key);
  if (spec.unique) json["unique"] = Json{{"key", spec.unique->key}, {"while", spec.unique->during}};
  if (spec.concurrency) json["concurrency"] = Json{{"key", spec.concurrency->key}, {"limit", spec.concurrency->limit}};
  if (spec.fairness) json["fairness"] = Json{{"key", spec.fairness->key}, {"weight", spec.fairness->limit}};
  Json affinity = Json::object();
  put(affinity, "sticky_key", spec.sticky_key);
  put(affinity, "prefer", spec.prefer);
  if (!affinity.empty()) json["affinity"] = std::move(affinity);
  put(json, "after", spec.after);
  put(json, "on_dependency_failure", spec.on_dependency_failure);
  put(json, "correlation", spec.correlation);
  put(json, "deadline", spec.deadline);
  return json;
}

Result<std::string> encode(const JobSpec& spec) {
  const Result<Json> json = json_of(spec);
  if (!json.ok()) return json.error();
  return text_of(*json);
}

std::string encode(const ClaimRequest& request) {
  Json json = Json::object();
  put(json, "namespace", request.ns);
  json["worker"] = request.worker;
  put_number(json, "session", request.session);
  put(json, "queues", request.queues);
  put(json, "narrow", request.narrow);
  json["limit"] = request.limit;
  json["wait_ms"] = request.wait.count();
  put(json, "lease_ms", request.lease);
  return text_of(json);
}

std::string encode(const WorkerSpec& spec) {
  Json json = Json::object();
  put(json, "namespace", spec.ns);
  put(json, "id", spec.id);
  put(json, "capabilities", spec.capabilities);
  put(json, "queues", spec.queues);
  put(json, "labels", spec.labels);
  json["slots"] = spec.slots;
  put(json, "hostname", spec.hostname);
  put(json, "version", spec.version);
  put(json, "heartbeat_ms", spec.heartbeat);
  put(json, "dead_after_ms", spec.dead_after);
  put_number(json, "resume", spec.resume);
  return text_of(json);
}

std::string encode(const Beat& beat) {
  Json json = Json::object();
  put(json, "namespace", beat.ns);
  json["session"] = beat.session;
  if (!beat.stats.empty()) json["stats"] = beat.stats;
  if (beat.names_all || !beat.held.empty()) {
    Json held = Json::array();
    for (const LeaseRef& lease : beat.held) held.push_back(json_of(lease));
    json["held"] = std::move(held);
  }
  json["accepting"] = beat.accepting;
  return text_of(json);
}

std::string encode(const QueueLimits& limits) {
  Json json = Json::object();
  put(json, "namespace", limits.ns);
  put_number(json, "running_max", limits.running_max);
  if (!limits.running_max_by_type.empty()) json["running_max_by_type"] = limits.running_max_by_type;
  if (limits.rate)
    json["rate"] = Json{{"count", limits.rate->count}, {"per_ms", limits.rate->per.count()}, {"burst", limits.rate->burst}};
  return text_of(json);
}

std::string encode_fence(const LeaseRef& lease, std::optional<Duration> lease_for) {
  Json json{{"fence", lease.fence}};
  put(json, "lease_ms", lease_for);
  return text_of(json);
}

Result<std::string> encode_progress(const LeaseRef& lease, const Progress& progress) {
  Json json{{"fence", lease.fence}, {"fraction", progress.fraction}};
  put(json, "message", progress.message);
  if (auto error = put_content(json, "partial", progress.partial)) return *error;
  return text_of(json);
}

Result<std::string> encode_complete(const LeaseRef& lease, const std::optional<Content>& result) {
  Json json{{"fence", lease.fence}};
  if (auto error = put_content(json, "result", result)) return *error;
  return text_of(json);
}

std::string encode_fail(const LeaseRef& lease, const FailRequest& request) {
  Json json{{"fence", lease.fence}, {"error", {{"kind", request.error.kind}, {"message", request.error.message}}}};
  json["retryable"] = request.retryable;
  put(json, "delay_ms", request.delay);
  return text_of(json);
}

std::string encode_snooze(const LeaseRef& lease, Duration delay) {
  return text_of(Json{{"fence", lease.fence}, {"delay_ms", delay.count()}});
}

std::string encode_release(const LeaseRef& lease, std::string_view reason) {
  return text_of(Json{{"fence", lease.fence}, {"reason", reason}});
}

Result<std::string> encode_settle_complete(std::span<const LeaseRef> leases, const std::optional<Content>& result) {
  Json items = Json::array();
  for (const LeaseRef& lease : leases) {
    Json item = json_of(lease);
    if (auto error = put_content(item, "result", result)) return *error;
    items.push_back(std::move(item));
  }
  return text_of(Json{{"complete", std::move(items)}});
}

std::string encode(const RedriveRequest& request) {
  Json json{{"filter", json_of(request.filter)}};
  put_number(json, "limit", request.limit);
  return text_of(json);
}

std::string encode_strings(std::span<const std::pair<std::string_view, std::string_view>> pairs) {
  Json json = Json::object();
  for (const auto& [key, value] : pairs)
    if (!value.empty()) json[std::string(key)] = value;
  return text_of(json);
}

std::string encode_drain(std::string_view ns, std::optional<Duration> deadline, std::string_view reason) {
  Json json = Json::object();
  put(json, "namespace", std::string(ns));
  put(json, "deadline_ms", deadline);
  put(json, "reason", std::string(reason));
  return text_of(json);
}

std::string encode_cancel_many(std::span<const std::string> ids, std::string_view reason) {
  Json json{{"ids", std::vector<std::string>(ids.begin(), ids.end())}};
  put(json, "reason", std::string(reason));
  return text_of(json);
}

Result<std::string> encode(const ActionRequest& request) {
  Json json = Json::object();
  put(json, "namespace", request.ns);
  put(json, "id", request.id);
  put(json, "plan", request.plan);
  put(json, "job_unit", request.job_unit);
  put_number(json, "priority", request.priority);
  put(json, "timeout_ms", request.timeout);
  put_number(json, "attempts_max", request.attempts_max);
  put_number(json, "rescues_max", request.rescues_max);
  std::string text = text_of(json);
  // Inputs go out as they came: a number keeps its digits, however many it has.
  text.back() = text.size() > 2 ? ',' : ' ';
  text += "\"inputs\":[";
  for (std::size_t i = 0; i < request.inputs.size(); ++i) {
    if (!Json::accept(request.inputs[i]))
      return Error{.code = Code::invalid_argument,
                   .status = 0,
                   .detail = fmt::format("input {} is not JSON: `{}`", i, request.inputs[i].substr(0, 60)),
                   .retry_after = {}};
    if (i > 0) text.push_back(',');
    text += request.inputs[i];
  }
  return text + "]}";
}

}  // namespace muster::sdk
