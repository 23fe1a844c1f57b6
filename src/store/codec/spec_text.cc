#include "store/codec/spec_text.h"

#include <nlohmann/json.hpp>

namespace muster::store {
namespace {

using Json = nlohmann::json;

// Text that this folder wrote always parses; keys and labels may hold any bytes a client sent, so invalid UTF-8 is
// replaced rather than thrown on.
std::string dump(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }
Json parse(std::string_view text) {
  Json json = Json::parse(text, nullptr, false);
  return json.is_discarded() ? Json::object() : json;
}

std::vector<std::string> names_of(const CapabilitySet& set) { return {set.names().begin(), set.names().end()}; }

template <class T>
void read(const Json& json, const char* key, T& into) {
  if (const auto it = json.find(key); it != json.end()) it->get_to(into);
}

void read_duration(const Json& json, const char* key, Duration& into) {
  if (const auto it = json.find(key); it != json.end()) into = Duration(it->get<std::int64_t>());
}

void read_duration(const Json& json, const char* key, std::optional<Duration>& into) {
  if (const auto it = json.find(key); it != json.end()) into = Duration(it->get<std::int64_t>());
}

Json retry_to_json(const RetryPolicy& policy) {
  return {{"max", policy.attempts_max},      {"base", policy.backoff_base.count()},
          {"factor", policy.backoff_factor}, {"cap", policy.backoff_max.count()},
          {"jitter", policy.jitter},         {"not", policy.non_retryable}};
}

RetryPolicy retry_from_json(const Json& json) {
  RetryPolicy policy;
  read(json, "max", policy.attempts_max);
  read_duration(json, "base", policy.backoff_base);
  read(json, "factor", policy.backoff_factor);
  read_duration(json, "cap", policy.backoff_max);
  read(json, "jitter", policy.jitter);
  read(json, "not", policy.non_retryable);
  return policy;
}

Json policy_to_json(const StepPolicy& policy) {
  Json json = Json::object();
  if (policy.attempts_max != 0) json["max"] = policy.attempts_max;
  if (policy.first_delay.count() != 0) json["first"] = policy.first_delay.count();
  if (policy.factor != 0) json["factor"] = policy.factor;
  if (policy.delay_max.count() != 0) json["cap"] = policy.delay_max.count();
  if (!policy.non_retryable.empty()) json["not"] = policy.non_retryable;
  return json;
}

StepPolicy policy_from_json(const Json& json) {
  StepPolicy policy;
  read(json, "max", policy.attempts_max);
  read_duration(json, "first", policy.first_delay);
  read(json, "factor", policy.factor);
  read_duration(json, "cap", policy.delay_max);
  read(json, "not", policy.non_retryable);
  return policy;
}

Json run_to_json(const RunSpec& run) {
  static const RunSpec kDefault;
  Json json = Json::object();
  if (!run.external_id.empty()) json["external"] = run.external_id;
  if (run.version != kDefault.version) json["version"] = run.version;
  if (!run.context.empty()) json["context"] = run.context;
  if (run.steps != kDefault.steps) json["steps"] = policy_to_json(run.steps);
  if (run.backoff != kDefault.backoff) json["backoff"] = static_cast<int>(run.backoff);
  if (run.parent) json["parent"] = {{"run", run.parent->run.text()}, {"step", run.parent->step}};
  if (!run.schedule.empty()) json["schedule"] = run.schedule;
  if (!run.metadata.empty()) json["metadata"] = run.metadata;
  return json;
}

RunSpec run_from_json(const Json& json) {
  RunSpec run;
  read(json, "external", run.external_id);
  read(json, "version", run.version);
  read(json, "context", run.context);
  if (const auto it = json.find("steps"); it != json.end()) run.steps = policy_from_json(*it);
  if (const auto it = json.find("backoff"); it != json.end()) run.backoff = static_cast<StepBackoff>(it->get<int>());
  if (const auto it = json.find("parent"); it != json.end())
    if (const auto id = JobId::parse((*it)["run"].get<std::string>()))
      run.parent = RunParent{*id, (*it)["step"].get<std::string>()};
  read(json, "schedule", run.schedule);
  read(json, "metadata", run.metadata);
  return run;
}

}  // namespace

namespace {

// Jobs that differ from the default in their budgets alone come by the thousand with the same ones: their text is made and read
// once, and remembered by each thread.
struct Budgets {
  std::optional<Duration> timeout;
  RetryPolicy retry;
  std::uint32_t rescues = limits::kRescuesDefault;
  friend bool operator==(const Budgets&, const Budgets&) = default;
};

struct BudgetsText {
  Budgets budgets;
  std::string text;
};

bool has_only_budgets(const JobSpec& spec) {
  static const JobSpec kDefault;
  return spec.needs.empty() && spec.selector.empty() && spec.labels.empty() && !spec.run_at && spec.delay.count() == 0 &&
         !spec.expires_in && !spec.lease_ttl && spec.idempotency_key.empty() && !spec.unique && !spec.concurrency &&
         !spec.fairness && spec.affinity == kDefault.affinity && spec.after.empty() &&
         spec.on_dependency_failure == kDefault.on_dependency_failure && spec.correlation.empty() && !spec.deadline && !spec.run;
}

std::string any_to_text(const JobSpec& spec) {
  static const JobSpec kDefault;
  Json json;
  // `needs` repeats the lane's names unless a selector or a preference widened them; a lane without needs costs nothing.
  if (!spec.needs.empty()) json["needs"] = names_of(spec.needs);
  if (!spec.selector.empty()) json["selector"] = spec.selector;
  if (!spec.labels.empty()) json["labels"] = spec.labels;
  if (spec.run_at) json["run_at"] = to_ms(*spec.run_at);
  if (spec.delay.count() != 0) json["delay"] = spec.delay.count();
  if (spec.expires_in) json["expires_in"] = spec.expires_in->count();
  if (spec.timeout) json["timeout"] = spec.timeout->count();
  if (spec.lease_ttl) json["lease"] = spec.lease_ttl->count();
  if (spec.retry != kDefault.retry) json["retry"] = retry_to_json(spec.retry);
  if (spec.rescues_max != kDefault.rescues_max) json["rescues"] = spec.rescues_max;
  if (!spec.idempotency_key.empty()) json["idempotency"] = spec.idempotency_key;
  if (spec.unique) json["unique"] = {{"key", spec.unique->key}, {"while", static_cast<int>(spec.unique->during)}};
  if (spec.concurrency) json["concurrency"] = {{"key", spec.concurrency->key}, {"limit", spec.concurrency->limit}};
  if (spec.fairness) json["fairness"] = {{"key", spec.fairness->key}, {"weight", spec.fairness->weight}};
  if (spec.affinity != kDefault.affinity)
    json["affinity"] = {
        {"sticky", spec.affinity.sticky_key}, {"prefer", spec.affinity.prefer}, {"wait", spec.affinity.prefer_wait.count()}};
  if (!spec.after.empty()) {
    Json after = Json::array();
    for (const JobId& id : spec.after) after.push_back(id.text());
    json["after"] = std::move(after);
  }
  if (spec.on_dependency_failure != kDefault.on_dependency_failure)
    json["on_failure"] = static_cast<int>(spec.on_dependency_failure);
  if (!spec.correlation.empty()) json["correlation"] = spec.correlation;
  if (spec.deadline) json["deadline"] = to_ms(*spec.deadline);
  if (spec.run) json["run"] = run_to_json(*spec.run);
  return json.is_null() ? std::string() : dump(json);
}

void any_from_text(std::string_view text, JobSpec& spec) {
  const Json json = parse(text);
  if (json.contains("needs")) spec.needs = CapabilitySet(json["needs"].get<std::vector<std::string>>());
  read(json, "selector", spec.selector);
  read(json, "labels", spec.labels);
  if (json.contains("run_at")) spec.run_at = from_ms(json["run_at"].get<std::int64_t>());
  read_duration(json, "delay", spec.delay);
  read_duration(json, "expires_in", spec.expires_in);
  read_duration(json, "timeout", spec.timeout);
  read_duration(json, "lease", spec.lease_ttl);
  if (json.contains("retry")) spec.retry = retry_from_json(json["retry"]);
  read(json, "rescues", spec.rescues_max);
  read(json, "idempotency", spec.idempotency_key);
  if (const auto it = json.find("unique"); it != json.end())
    spec.unique = UniqueKey{(*it)["key"].get<std::string>(), static_cast<UniqueWhile>((*it)["while"].get<int>())};
  if (const auto it = json.find("concurrency"); it != json.end())
    spec.concurrency = ConcurrencyKey{(*it)["key"].get<std::string>(), (*it)["limit"].get<std::uint32_t>()};
  if (const auto it = json.find("fairness"); it != json.end())
    spec.fairness = FairnessKey{(*it)["key"].get<std::string>(), (*it)["weight"].get<std::uint32_t>()};
  if (const auto it = json.find("affinity"); it != json.end()) {
    read(*it, "sticky", spec.affinity.sticky_key);
    read(*it, "prefer", spec.affinity.prefer);
    read_duration(*it, "wait", spec.affinity.prefer_wait);
  }
  if (const auto it = json.find("after"); it != json.end())
    for (const auto& id : *it)
      if (const auto parsed = JobId::parse(id.get<std::string>())) spec.after.push_back(*parsed);
  if (const auto it = json.find("on_failure"); it != json.end())
    spec.on_dependency_failure = static_cast<OnDependencyFailure>(it->get<int>());
  read(json, "correlation", spec.correlation);
  if (const auto it = json.find("deadline"); it != json.end()) spec.deadline = from_ms(it->get<std::int64_t>());
  if (const auto it = json.find("run"); it != json.end()) spec.run = run_from_json(*it);
}

}  // namespace

std::string spec_to_text(const JobSpec& spec) {
  if (!has_only_budgets(spec)) return any_to_text(spec);
  thread_local BudgetsText last;
  Budgets budgets{.timeout = spec.timeout, .retry = spec.retry, .rescues = spec.rescues_max};
  if (budgets != last.budgets) last = {.budgets = std::move(budgets), .text = any_to_text(spec)};
  return last.text;
}

void spec_from_text(std::string_view text, JobSpec& spec) {
  if (text.empty()) return;
  thread_local BudgetsText last;
  if (text == last.text) {
    spec.timeout = last.budgets.timeout;
    spec.retry = last.budgets.retry;
    spec.rescues_max = last.budgets.rescues;
    return;
  }
  any_from_text(text, spec);
  if (has_only_budgets(spec))
    last = {.budgets = {.timeout = spec.timeout, .retry = spec.retry, .rescues = spec.rescues_max}, .text = std::string(text)};
}

std::string error_to_text(const JobError& error) { return dump({{"kind", error.kind}, {"message", error.message}}); }

JobError error_from_text(std::string_view text) {
  JobError error;
  const Json json = parse(text);
  read(json, "kind", error.kind);
  read(json, "message", error.message);
  return error;
}

std::string attempts_to_text(const std::vector<AttemptRecord>& attempts) {
  Json json = Json::array();
  for (const AttemptRecord& record : attempts)
    json.push_back({{"attempt", record.attempt},
                    {"fence", to_number(record.fence)},
                    {"worker", record.worker.text()},
                    {"started", to_ms(record.started_at)},
                    {"ended", to_ms(record.ended_at)},
                    {"outcome", static_cast<int>(record.outcome)},
                    {"kind", record.error.kind},
                    {"message", record.error.message}});
  return dump(json);
}

std::vector<AttemptRecord> attempts_from_text(std::string_view text) {
  std::vector<AttemptRecord> out;
  if (text.empty()) return out;
  for (const Json& json : parse(text)) {
    AttemptRecord& record = out.emplace_back();
    read(json, "attempt", record.attempt);
    record.fence = Fence{json.value("fence", std::uint64_t{0})};
    record.worker = WorkerId(json.value("worker", std::string()));
    record.started_at = from_ms(json.value("started", std::int64_t{0}));
    record.ended_at = from_ms(json.value("ended", std::int64_t{0}));
    record.outcome = static_cast<JobEvent>(json.value("outcome", 0));
    read(json, "kind", record.error.kind);
    read(json, "message", record.error.message);
  }
  return out;
}

std::string progress_to_text(const Progress& progress) {
  return dump({{"fraction", progress.fraction},
               {"message", progress.message},
               {"at", to_ms(progress.at)},
               {"encoding", progress.partial ? static_cast<int>(progress.partial->encoding) : 0}});
}

Progress progress_from_text(std::string_view text) {
  Progress progress;
  const Json json = parse(text);
  read(json, "fraction", progress.fraction);
  read(json, "message", progress.message);
  progress.at = from_ms(json.value("at", std::int64_t{0}));
  return progress;
}

Encoding partial_encoding_from_text(std::string_view text) { return static_cast<Encoding>(parse(text).value("encoding", 0)); }

std::string worker_to_text(const WorkerSpec& spec) {
  std::vector<std::string> queues;
  for (const QueueName& queue : spec.queues) queues.push_back(queue.text());
  const HeartbeatPolicy policy = spec.policy.value_or(default_policy(spec.dialect));
  return dump({{"dialect", static_cast<int>(spec.dialect)},
               {"capabilities", names_of(spec.capabilities)},
               {"queues", queues},
               {"labels", spec.labels},
               {"slots", spec.slots},
               {"hostname", spec.hostname},
               {"version", spec.version},
               {"metadata", spec.metadata},
               {"interval", policy.interval.count()},
               {"dead_after", policy.dead_after.count()}});
}

void worker_from_text(std::string_view text, WorkerSpec& spec) {
  const Json json = parse(text);
  spec.dialect = static_cast<Dialect>(json.value("dialect", 0));
  spec.capabilities = CapabilitySet(json.value("capabilities", std::vector<std::string>()));
  for (std::string& queue : json.value("queues", std::vector<std::string>())) spec.queues.emplace_back(std::move(queue));
  read(json, "labels", spec.labels);
  read(json, "slots", spec.slots);
  read(json, "hostname", spec.hostname);
  read(json, "version", spec.version);
  read(json, "metadata", spec.metadata);
  HeartbeatPolicy policy = default_policy(spec.dialect);
  read_duration(json, "interval", policy.interval);
  read_duration(json, "dead_after", policy.dead_after);
  spec.policy = policy;
}

std::string settings_to_text(const QueueSettings& settings) {
  Json json = Json::object();
  if (settings.paused) json["paused"] = true;
  if (!settings.pause_reason.empty()) json["pause_reason"] = settings.pause_reason;
  if (settings.running_max) json["running_max"] = *settings.running_max;
  if (!settings.running_max_by_type.empty()) json["running_max_by_type"] = settings.running_max_by_type;
  if (settings.rate)
    json["rate"] = {{"count", settings.rate->count}, {"per", settings.rate->per.count()}, {"burst", settings.rate->burst}};
  return dump(json);
}

QueueSettings settings_from_text(std::string_view text) {
  QueueSettings settings;
  if (text.empty()) return settings;
  const Json json = parse(text);
  read(json, "paused", settings.paused);
  read(json, "pause_reason", settings.pause_reason);
  if (json.contains("running_max")) settings.running_max = json["running_max"].get<std::uint32_t>();
  read(json, "running_max_by_type", settings.running_max_by_type);
  if (const auto it = json.find("rate"); it != json.end()) {
    RateLimit rate;
    read(*it, "count", rate.count);
    read_duration(*it, "per", rate.per);
    read(*it, "burst", rate.burst);
    settings.rate = rate;
  }
  return settings;
}

std::string labels_to_text(const Labels& labels) { return dump(Json(labels)); }

std::string policy_to_text(const StepPolicy& policy) {
  return policy == StepPolicy() ? std::string() : dump(policy_to_json(policy));
}

StepPolicy policy_from_text(std::string_view text) { return text.empty() ? StepPolicy() : policy_from_json(parse(text)); }

std::string schedule_to_text(const ScheduleSpec& spec) {
  const Timing& timing = spec.timing;
  Json json{{"timing", timing.text},
            {"form", static_cast<int>(timing.form)},
            {"zone", timing.zone},
            {"gap", static_cast<int>(timing.gap)},
            {"fold", static_cast<int>(timing.fold)},
            {"jitter", timing.jitter.count()},
            {"overlap", static_cast<int>(spec.overlap)},
            {"catchup", spec.catchup_max},
            {"queue", spec.job.queue.text()},
            {"type", spec.job.type.text()},
            {"priority", spec.job.priority},
            {"encoding", static_cast<int>(spec.job.payload.encoding)}};
  if (!spec.note.empty()) json["note"] = spec.note;
  if (const std::string job = spec_to_text(spec.job); !job.empty()) json["job"] = job;
  return dump(json);
}

void schedule_from_text(std::string_view text, ScheduleSpec& spec) {
  const Json json = parse(text);
  Timing& timing = spec.timing;
  read(json, "timing", timing.text);
  timing.form = static_cast<CronForm>(json.value("form", 0));
  read(json, "zone", timing.zone);
  timing.gap = static_cast<GapRule>(json.value("gap", 0));
  timing.fold = static_cast<FoldRule>(json.value("fold", 0));
  read_duration(json, "jitter", timing.jitter);
  spec.overlap = static_cast<Overlap>(json.value("overlap", 0));
  read(json, "catchup", spec.catchup_max);
  read(json, "note", spec.note);
  JobSpec& job = spec.job;
  if (const auto it = json.find("job"); it != json.end()) spec_from_text(it->get<std::string>(), job);
  job.ns = spec.ns;
  job.queue = QueueName(json.value("queue", std::string(kDefaultQueue)));
  job.type = JobType(json.value("type", std::string()));
  read(json, "priority", job.priority);
  job.payload.encoding = static_cast<Encoding>(json.value("encoding", 0));
}

}  // namespace muster::store
