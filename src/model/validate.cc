#include "model/validate.h"

#include <algorithm>
#include <cmath>
#include <initializer_list>

#include <fmt/format.h>

#include "base/utf8.h"
#include "model/key_scope.h"
#include "model/limits.h"

namespace muster {
namespace {

constexpr std::size_t kShownBytesMax = 64;  // of a refused value, in a message

std::string shown(std::string_view text) {
  std::string out;
  for (const char c : text.substr(0, kShownBytesMax)) {
    // Anything but plain ASCII is shown as its byte, so that a message is always valid text on every wire.
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= 0x20 && byte < 0x7f)
      out.push_back(c);
    else
      out += fmt::format("\\x{:02x}", byte);
  }
  if (text.size() > kShownBytesMax) out += "...";
  return out;
}

Status refuse(std::string message) { return Status::invalid_argument(std::move(message)); }

bool is_control(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte < 0x20 || byte == 0x7f;
}

// The first failure of a list of checks: every check of a list is cheap, so that running all of them costs nothing that matters.
Status first_of(std::initializer_list<Status> checks) {
  for (const Status& check : checks)
    if (!check.ok()) return check;
  return {};
}

Status validate_real(std::string_view what, double value, double least, double most) {
  // A comparison with NaN is false, so NaN is refused too.
  if (value >= least && value <= most) return {};
  return refuse(fmt::format("{} is {}; {} to {} is accepted", what, value, least, most));
}

Status validate_capabilities(std::string_view what, const CapabilitySet& set, std::size_t count_max) {
  if (set.names().size() > count_max)
    return refuse(fmt::format("{} holds {} capabilities; at most {} are accepted", what, set.names().size(), count_max));
  for (const std::string& name : set.names()) {
    if (Status status = validate_capability(name); !status.ok()) return status.annotate(what);
    if (!is_utf8(name)) return refuse(fmt::format("{}: capability '{}' is not UTF-8", what, shown(name)));
  }
  return {};
}

Status validate_key(std::string_view what, std::string_view key) {
  return validate_text(what, key, {.bytes_max = limits::kKeyBytesMax, .required = true});
}

Status validate_instant(std::string_view what, Instant at) {
  if (at >= Instant{} && at <= limits::kRunAtMax) return {};
  return refuse(fmt::format("{} is {} ms after 1970; {} to {} is accepted", what, to_ms(at), 0, to_ms(limits::kRunAtMax)));
}

Status validate_times(const JobSpec& spec) {
  if (spec.run_at && spec.delay != Duration(0))
    return refuse(fmt::format("run_at and delay ({} ms) are both set; one of them is accepted", spec.delay.count()));
  if (spec.run_at)
    if (Status status = validate_instant("run_at", *spec.run_at); !status.ok()) return status;
  if (spec.deadline)
    if (Status status = validate_instant("deadline", *spec.deadline); !status.ok()) return status;
  if (Status status = validate_duration("delay", spec.delay, {.least = Duration(0), .most = limits::kDelayMax}); !status.ok())
    return status;
  if (spec.expires_in) {
    Status status = validate_duration("expires_in", *spec.expires_in, {.least = limits::kExpiryMin, .most = limits::kDelayMax});
    if (!status.ok()) return status;
  }
  if (spec.timeout) {
    Status status =
        validate_duration("timeout", *spec.timeout, {.least = limits::kJobTimeoutMin, .most = limits::kJobTimeoutMax});
    if (!status.ok()) return status;
  }
  if (spec.lease_ttl) return validate_duration("lease", *spec.lease_ttl, {.least = limits::kLeaseMin, .most = limits::kLeaseMax});
  return {};
}

Status validate_keys(const JobSpec& spec) {
  if (Status status = validate_text("idempotency_key", without_scope(spec.idempotency_key), {.bytes_max = limits::kKeyBytesMax});
      !status.ok())
    return status;
  if (spec.unique)
    if (Status status = validate_key("unique key", without_scope(spec.unique->key)); !status.ok()) return status;
  if (spec.concurrency) {
    Status status =
        first_of({validate_key("concurrency key", spec.concurrency->key),
                  validate_count("concurrency limit", spec.concurrency->limit, {.least = 1, .most = limits::kConcurrencyMax})});
    if (!status.ok()) return status;
  }
  if (spec.fairness)
    return first_of({validate_key("fairness key", spec.fairness->key),
                     validate_count("fairness weight", spec.fairness->weight, {.least = 1, .most = limits::kFairnessWeightMax})});
  return {};
}

Status validate_affinity(const Affinity& affinity) {
  Status status = validate_text("sticky_key", affinity.sticky_key, {.bytes_max = limits::kKeyBytesMax});
  if (!status.ok() || affinity.prefer.empty()) return status;
  return first_of(
      {validate_capability(affinity.prefer).annotate("prefer"),
       validate_text("prefer", affinity.prefer, {.bytes_max = limits::kCapabilityBytesMax}),
       validate_duration("prefer_wait", affinity.prefer_wait, {.least = Duration(0), .most = limits::kPreferWaitMax})});
}

Status validate_dependencies(const std::vector<JobId>& after) {
  if (after.empty()) return {};
  if (after.size() > limits::kDependenciesMax)
    return refuse(fmt::format("after names {} jobs; at most {} are accepted", after.size(), limits::kDependenciesMax));
  std::vector<JobId> sorted = after;
  std::sort(sorted.begin(), sorted.end());
  if (sorted.front().value.is_nil()) return refuse("after names the nil job id; ids of existing jobs are accepted");
  const auto twice = std::adjacent_find(sorted.begin(), sorted.end());
  if (twice != sorted.end()) return refuse(fmt::format("after names job {} more than once", twice->text()));
  return {};
}

bool has_kind(std::string_view capability, std::string_view kind) {
  return capability.size() > kind.size() && capability.starts_with(kind) && capability[kind.size()] == ':';
}

Status validate_rate(const RateLimit& rate) {
  Status status = validate_real("rate count", rate.count, 0, limits::kRateCountMax);
  if (!status.ok() || rate.count == 0) return status;  // 0 removes the limit, whatever else is said about it
  return first_of({validate_duration("rate period", rate.per, {.least = limits::kRatePerMin, .most = limits::kRatePerMax}),
                   validate_count("rate burst", rate.burst, {.least = 1, .most = limits::kRateBurstMax})});
}

// A policy's numbers need no upper bound: step_delay() ends at the cap, whatever they are.
Status validate_policy(const StepPolicy& policy) {
  if (policy.first_delay < Duration(0) || policy.delay_max < Duration(0) || policy.delay_max > limits::kBackoffMax)
    return refuse(fmt::format("step delays are {} and {} ms; 0 to {} is accepted", policy.first_delay.count(),
                              policy.delay_max.count(), limits::kBackoffMax.count()));
  if (!(policy.factor >= 0)) return refuse("the factor of step delays is negative or not a number");
  if (policy.non_retryable.size() > limits::kErrorKindsMax)
    return refuse(
        fmt::format("{} non-retryable errors; at most {} are accepted", policy.non_retryable.size(), limits::kErrorKindsMax));
  for (const std::string& beginning : policy.non_retryable)
    if (Status status = validate_text("non-retryable error", beginning, {.bytes_max = limits::kErrorBytesMax, .one_line = false});
        !status.ok())
      return status;
  return {};
}

Status validate_run(const RunSpec& run) {
  if (Status status = validate_policy(run.steps); !status.ok()) return status;
  if (run.parent)
    if (Status status = validate_text("parent step", run.parent->step, {.bytes_max = limits::kStepNameBytesMax}); !status.ok())
      return status;
  if (Status status = validate_labels("metadata", run.metadata); !status.ok()) return status;
  return first_of({validate_text("external_id", run.external_id, {.bytes_max = limits::kKeyBytesMax, .one_line = false}),
                   validate_text("version", run.version, {.bytes_max = limits::kKeyBytesMax}),
                   validate_text("schedule", run.schedule, {.bytes_max = limits::kNameBytesMax}),
                   validate_text("context", run.context, {.bytes_max = limits::kPayloadBytesMax, .one_line = false})});
}

}  // namespace

Status validate_name(std::string_view what, std::string_view text) {
  // Nearly all names are plain, and every request has some.
  const auto plain = [](char c) { return c > ' ' && c < 0x7f && c != '/'; };
  if (!text.empty() && text.size() <= limits::kNameBytesMax && std::all_of(text.begin(), text.end(), plain)) return {};
  if (text.empty() || text.size() > limits::kNameBytesMax)
    return refuse(
        fmt::format("{} '{}' has {} bytes; 1 to {} are accepted", what, shown(text), text.size(), limits::kNameBytesMax));
  const auto refused = [](char c) { return is_control(c) || c == ' ' || c == '/'; };
  if (std::any_of(text.begin(), text.end(), refused))
    return refuse(fmt::format("{} '{}' holds a space, a control character or '/'; other printable characters are accepted", what,
                              shown(text)));
  if (!is_utf8(text)) return refuse(fmt::format("{} '{}' is not UTF-8", what, shown(text)));
  return {};
}

Status validate_text(std::string_view what, std::string_view text, TextRule rule) {
  if (text.empty())
    return rule.required ? refuse(fmt::format("{} is empty; 1 to {} bytes are accepted", what, rule.bytes_max)) : Status();
  if (text.size() > rule.bytes_max)
    return refuse(fmt::format("{} '{}' has {} bytes; {} to {} are accepted", what, shown(text), text.size(),
                              rule.required ? 1 : 0, rule.bytes_max));
  if (rule.one_line && std::any_of(text.begin(), text.end(), is_control))
    return refuse(fmt::format("{} '{}' holds a control character; printable text is accepted", what, shown(text)));
  if (text.find('\0') != std::string_view::npos)
    return refuse(fmt::format("{} '{}' holds a NUL; text without NUL is accepted", what, shown(text)));
  if (!is_utf8(text)) return refuse(fmt::format("{} '{}' is not UTF-8", what, shown(text)));
  return {};
}

Status validate_count(std::string_view what, std::uint64_t value, CountRange range) {
  if (value >= range.least && value <= range.most) return {};
  return refuse(fmt::format("{} is {}; {} to {} is accepted", what, value, range.least, range.most));
}

Status validate_duration(std::string_view what, Duration value, DurationRange range) {
  if (value >= range.least && value <= range.most) return {};
  return refuse(
      fmt::format("{} is {} ms; {} to {} ms is accepted", what, value.count(), range.least.count(), range.most.count()));
}

Status validate_content(std::string_view what, const Content& content, std::size_t bytes_max) {
  if (content.data.size() <= bytes_max) return {};
  return refuse(fmt::format("{} has {} bytes; 0 to {} are accepted", what, content.data.size(), bytes_max));
}

Status validate_labels(std::string_view what, const Labels& labels) {
  if (labels.size() > limits::kLabelsMax)
    return refuse(fmt::format("{} holds {} labels; at most {} are accepted", what, labels.size(), limits::kLabelsMax));
  for (const auto& [key, value] : labels) {
    if (Status status = validate_text("label key", key, {.bytes_max = limits::kLabelBytesMax, .required = true}); !status.ok())
      return status.annotate(what);
    if (key.find_first_of("= ") != std::string::npos)
      return refuse(
          fmt::format("{}: label key '{}' holds '=' or white space; other printable characters are accepted", what, shown(key)));
    if (Status status = validate_text("label value", value, {.bytes_max = limits::kLabelBytesMax}); !status.ok())
      return status.annotate(fmt::format("{}: label '{}'", what, shown(key)));
  }
  return {};
}

Status validate(const JobError& error) {
  return first_of({validate_text("error kind", error.kind, {.bytes_max = limits::kNameBytesMax}),
                   validate_text("error message", error.message, {.bytes_max = limits::kErrorBytesMax, .one_line = false})});
}

Status validate(const RetryPolicy& policy) {
  const DurationRange backoffs{.least = Duration(0), .most = limits::kBackoffMax};
  Status status = first_of(
      {validate_count("retry attempts_max", policy.attempts_max, {.least = 1, .most = limits::kAttemptsMax}),
       validate_duration("retry backoff_base", policy.backoff_base, backoffs),
       validate_real("retry backoff_factor", policy.backoff_factor, limits::kBackoffFactorMin, limits::kBackoffFactorMax),
       validate_duration("retry backoff_max", policy.backoff_max, backoffs), validate_real("retry jitter", policy.jitter, 0, 1)});
  if (!status.ok()) return status;
  if (policy.backoff_base > policy.backoff_max)
    return refuse(fmt::format("retry backoff_base is {} ms; 0 to backoff_max ({} ms) is accepted", policy.backoff_base.count(),
                              policy.backoff_max.count()));
  if (policy.non_retryable.size() > limits::kErrorKindsMax)
    return refuse(fmt::format("retry non_retryable names {} error kinds; at most {} are accepted", policy.non_retryable.size(),
                              limits::kErrorKindsMax));
  for (const std::string& kind : policy.non_retryable) {
    status = validate_text("retry non_retryable kind", kind, {.bytes_max = limits::kNameBytesMax, .required = true});
    if (!status.ok()) return status;
  }
  return {};
}

Status validate(const JobSpec& spec) {
  if (Status status = validate_name("namespace", spec.ns.text()); !status.ok()) return status;
  if (Status status = validate_name("queue", spec.queue.text()); !status.ok()) return status;
  if (Status status = validate_name("type", spec.type.text()); !status.ok()) return status;
  if (Status status = validate_content("payload", spec.payload, limits::kPayloadBytesMax); !status.ok()) return status;
  if (Status status = validate_capabilities("needs", spec.needs, limits::kNeedsMax); !status.ok()) return status;
  if (Status status = validate_labels("selector", spec.selector); !status.ok()) return status;
  if (Status status = validate_labels("labels", spec.labels); !status.ok()) return status;
  if (spec.priority < limits::kPriorityMin || spec.priority > limits::kPriorityMax)
    return refuse(fmt::format("priority is {}; {} to {} is accepted", spec.priority, limits::kPriorityMin, limits::kPriorityMax));
  if (Status status = validate_times(spec); !status.ok()) return status;
  if (Status status = validate(spec.retry); !status.ok()) return status;
  if (Status status = validate_count("rescues_max", spec.rescues_max, {.least = 0, .most = limits::kRescuesMax}); !status.ok())
    return status;
  if (Status status = validate_keys(spec); !status.ok()) return status;
  if (Status status = validate_affinity(spec.affinity); !status.ok()) return status;
  if (Status status = validate_dependencies(spec.after); !status.ok()) return status;
  if (spec.run)
    if (Status status = validate_run(*spec.run); !status.ok()) return status;
  return validate_text("correlation", spec.correlation, {.bytes_max = limits::kKeyBytesMax});
}

Status validate(const HeartbeatPolicy& policy) {
  Status status =
      validate_duration("heartbeat interval", policy.interval, {.least = limits::kHeartbeatMin, .most = limits::kHeartbeatMax});
  if (!status.ok()) return status;
  // A worker's leases live for dead_after unless a job says otherwise, so it stays within a lease's bounds too.
  return validate_duration("dead_after", policy.dead_after, {.least = policy.interval * 3, .most = limits::kLeaseMax});
}

Status validate(const WorkerSpec& spec) {
  if (Status status = validate_name("namespace", spec.ns.text()); !status.ok()) return status;
  if (!spec.id.empty())
    if (Status status = validate_name("worker", spec.id.text()); !status.ok()) return status;
  if (Status status = validate_capabilities("capabilities", spec.capabilities, limits::kCapabilitiesMax); !status.ok())
    return status;
  for (const std::string& name : spec.capabilities.names())
    if (has_kind(name, "label") || has_kind(name, "worker"))
      return refuse(fmt::format(
          "capability '{}' is of a reserved kind; label: comes from the worker's labels and worker: from its id", shown(name)));
  if (Status status = validate_count("number of queues", spec.queues.size(), {.least = 0, .most = limits::kQueuesPerClaimMax});
      !status.ok())
    return status;
  for (const QueueName& queue : spec.queues)
    if (Status status = validate_name("queue", queue.text()); !status.ok()) return status;
  if (Status status = validate_labels("labels", spec.labels); !status.ok()) return status;
  if (spec.policy)
    if (Status status = validate(*spec.policy); !status.ok()) return status;
  return first_of({validate_count("slots", spec.slots, {.least = 1, .most = limits::kSlotsMax}),
                   validate_text("hostname", spec.hostname, {.bytes_max = limits::kKeyBytesMax}),
                   validate_text("version", spec.version, {.bytes_max = limits::kKeyBytesMax}),
                   validate_text("metadata", spec.metadata, {.bytes_max = limits::kMetadataBytesMax, .one_line = false})});
}

Status validate(const QueueChange& change) {
  if (Status status = validate_name("namespace", change.ns.text()); !status.ok()) return status;
  if (Status status = validate_name("queue", change.queue.text()); !status.ok()) return status;
  if (Status status =
          validate_text("pause reason", change.pause_reason, {.bytes_max = limits::kErrorBytesMax, .one_line = false});
      !status.ok())
    return status;
  const CountRange caps{.least = 0, .most = limits::kConcurrencyMax};
  if (change.running_max)
    if (Status status = validate_count("running_max", *change.running_max, caps); !status.ok()) return status;
  if (Status status = validate_count("number of per-type caps", change.running_max_by_type.size(),
                                     {.least = 0, .most = limits::kTypeCapsMax});
      !status.ok())
    return status;
  for (const auto& [type, cap] : change.running_max_by_type) {
    if (Status status = validate_name("type", type); !status.ok()) return status;
    if (Status status = validate_count(fmt::format("running_max of type '{}'", shown(type)), cap, caps); !status.ok())
      return status;
  }
  if (change.rate) return validate_rate(*change.rate);
  return {};
}

Status validate(const NamespaceInfo& info) {
  return first_of({validate_name("namespace", info.name.text()),
                   validate_text("description", info.description, {.bytes_max = limits::kErrorBytesMax, .one_line = false})});
}

}  // namespace muster
