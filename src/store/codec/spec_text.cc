#include "store/codec/spec_text.h"

#include "base/json_reader.h"
#include "store/codec/usual_spec_text.h"

namespace muster::store {
namespace {

using Json = json::Tree;

// Text that this folder wrote always parses. A row that was damaged, or a number that JSON cannot write, must not stop whoever
// reads it: what does not fit is left as it is by default.
Json parse(std::string_view text) { return json::parse(text).value_or(Json::object()); }

std::vector<std::string> names_of(const CapabilitySet& set) { return {set.names().begin(), set.names().end()}; }

template <class T>
T value_or(const Json& tree, const char* key, T otherwise) {
  return json::get<T>(tree, key).value_or(std::move(otherwise));
}

template <class T>
void read(const Json& tree, const char* key, T& into) {
  if (auto found = json::get<T>(tree, key)) into = *std::move(found);
}

template <class T>
void read_enum(const Json& tree, const char* key, T& into) {
  if (const auto found = json::get<int>(tree, key)) into = static_cast<T>(*found);
}

template <class T>  // Duration, or an optional one
void read_duration(const Json& tree, const char* key, T& into) {
  if (const auto found = json::get<std::int64_t>(tree, key)) into = Duration(*found);
}

Json retry_to_json(const RetryPolicy& policy) {
  return {{"max", policy.attempts_max},      {"base", policy.backoff_base.count()},
          {"factor", policy.backoff_factor}, {"cap", policy.backoff_max.count()},
          {"jitter", policy.jitter},         {"not", policy.non_retryable}};
}

RetryPolicy retry_from_json(const Json& tree) {
  RetryPolicy policy;
  read(tree, "max", policy.attempts_max);
  read_duration(tree, "base", policy.backoff_base);
  read(tree, "factor", policy.backoff_factor);
  read_duration(tree, "cap", policy.backoff_max);
  read(tree, "jitter", policy.jitter);
  read(tree, "not", policy.non_retryable);
  return policy;
}

Json policy_to_json(const StepPolicy& policy) {
  Json tree = Json::object();
  if (policy.attempts_max != 0) tree["max"] = policy.attempts_max;
  if (policy.first_delay.count() != 0) tree["first"] = policy.first_delay.count();
  if (policy.factor != 0) tree["factor"] = policy.factor;
  if (policy.delay_max.count() != 0) tree["cap"] = policy.delay_max.count();
  if (!policy.non_retryable.empty()) tree["not"] = policy.non_retryable;
  return tree;
}

StepPolicy policy_from_json(const Json& tree) {
  StepPolicy policy;
  read(tree, "max", policy.attempts_max);
  read_duration(tree, "first", policy.first_delay);
  read(tree, "factor", policy.factor);
  read_duration(tree, "cap", policy.delay_max);
  read(tree, "not", policy.non_retryable);
  return policy;
}

Json run_to_json(const RunSpec& run) {
  static const RunSpec kDefault;
  Json tree = Json::object();
  if (!run.external_id.empty()) tree["external"] = run.external_id;
  if (run.version != kDefault.version) tree["version"] = run.version;
  if (!run.context.empty()) tree["context"] = run.context;
  if (run.steps != kDefault.steps) tree["steps"] = policy_to_json(run.steps);
  if (run.backoff != kDefault.backoff) tree["backoff"] = static_cast<int>(run.backoff);
  if (run.parent) tree["parent"] = {{"run", run.parent->run.text()}, {"step", run.parent->step}};
  if (!run.schedule.empty()) tree["schedule"] = run.schedule;
  if (!run.metadata.empty()) tree["metadata"] = run.metadata;
  return tree;
}

RunSpec run_from_json(const Json& tree) {
  RunSpec run;
  read(tree, "external", run.external_id);
  read(tree, "version", run.version);
  read(tree, "context", run.context);
  if (const auto it = tree.find("steps"); it != tree.end()) run.steps = policy_from_json(*it);
  read_enum(tree, "backoff", run.backoff);
  if (const auto it = tree.find("parent"); it != tree.end())
    if (const auto id = JobId::parse(value_or(*it, "run", std::string())))
      run.parent = RunParent{*id, value_or(*it, "step", std::string())};
  read(tree, "schedule", run.schedule);
  read(tree, "metadata", run.metadata);
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
  Json tree;
  // `needs` repeats the lane's names unless a selector or a preference widened them; a lane without needs costs nothing.
  if (!spec.needs.empty()) tree["needs"] = names_of(spec.needs);
  if (!spec.selector.empty()) tree["selector"] = spec.selector;
  if (!spec.labels.empty()) tree["labels"] = spec.labels;
  if (spec.run_at) tree["run_at"] = to_ms(*spec.run_at);
  if (spec.delay.count() != 0) tree["delay"] = spec.delay.count();
  if (spec.expires_in) tree["expires_in"] = spec.expires_in->count();
  if (spec.timeout) tree["timeout"] = spec.timeout->count();
  if (spec.lease_ttl) tree["lease"] = spec.lease_ttl->count();
  if (spec.retry != kDefault.retry) tree["retry"] = retry_to_json(spec.retry);
  if (spec.rescues_max != kDefault.rescues_max) tree["rescues"] = spec.rescues_max;
  if (!spec.idempotency_key.empty()) tree["idempotency"] = spec.idempotency_key;
  if (spec.unique) tree["unique"] = {{"key", spec.unique->key}, {"while", static_cast<int>(spec.unique->during)}};
  if (spec.concurrency) tree["concurrency"] = {{"key", spec.concurrency->key}, {"limit", spec.concurrency->limit}};
  if (spec.fairness) tree["fairness"] = {{"key", spec.fairness->key}, {"weight", spec.fairness->weight}};
  if (spec.affinity != kDefault.affinity)
    tree["affinity"] = {
        {"sticky", spec.affinity.sticky_key}, {"prefer", spec.affinity.prefer}, {"wait", spec.affinity.prefer_wait.count()}};
  if (!spec.after.empty()) {
    Json after = Json::array();
    for (const JobId& id : spec.after) after.push_back(id.text());
    tree["after"] = std::move(after);
  }
  if (spec.on_dependency_failure != kDefault.on_dependency_failure)
    tree["on_failure"] = static_cast<int>(spec.on_dependency_failure);
  if (!spec.correlation.empty()) tree["correlation"] = spec.correlation;
  if (spec.deadline) tree["deadline"] = to_ms(*spec.deadline);
  if (spec.run) tree["run"] = run_to_json(*spec.run);
  return tree.is_null() ? std::string() : json::dump(tree);
}

void any_from_text(std::string_view text, JobSpec& spec) {
  const Json tree = parse(text);
  if (auto needs = json::get<std::vector<std::string>>(tree, "needs")) spec.needs = CapabilitySet(*std::move(needs));
  read(tree, "selector", spec.selector);
  read(tree, "labels", spec.labels);
  if (const auto at = json::get<std::int64_t>(tree, "run_at")) spec.run_at = from_ms(*at);
  read_duration(tree, "delay", spec.delay);
  read_duration(tree, "expires_in", spec.expires_in);
  read_duration(tree, "timeout", spec.timeout);
  read_duration(tree, "lease", spec.lease_ttl);
  if (tree.contains("retry")) spec.retry = retry_from_json(*json::member(tree, "retry"));
  read(tree, "rescues", spec.rescues_max);
  read(tree, "idempotency", spec.idempotency_key);
  if (const auto it = tree.find("unique"); it != tree.end())
    spec.unique = UniqueKey{value_or(*it, "key", std::string()), static_cast<UniqueWhile>(value_or(*it, "while", 0))};
  if (const auto it = tree.find("concurrency"); it != tree.end())
    spec.concurrency = ConcurrencyKey{value_or(*it, "key", std::string()), value_or(*it, "limit", std::uint32_t{1})};
  if (const auto it = tree.find("fairness"); it != tree.end())
    spec.fairness = FairnessKey{value_or(*it, "key", std::string()), value_or(*it, "weight", std::uint32_t{1})};
  if (const auto it = tree.find("affinity"); it != tree.end()) {
    read(*it, "sticky", spec.affinity.sticky_key);
    read(*it, "prefer", spec.affinity.prefer);
    read_duration(*it, "wait", spec.affinity.prefer_wait);
  }
  for (const std::string& id : value_or(tree, "after", std::vector<std::string>()))
    if (const auto parsed = JobId::parse(id)) spec.after.push_back(*parsed);
  read_enum(tree, "on_failure", spec.on_dependency_failure);
  read(tree, "correlation", spec.correlation);
  if (const auto at = json::get<std::int64_t>(tree, "deadline")) spec.deadline = from_ms(*at);
  if (const auto it = tree.find("run"); it != tree.end()) spec.run = run_from_json(*it);
}

}  // namespace

std::string spec_to_text(const JobSpec& spec) {
  if (!has_only_budgets(spec)) {
    std::optional<std::string> usual = usual_spec_to_text(spec);
    return usual ? *std::move(usual) : any_to_text(spec);
  }
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
  if (usual_spec_from_text(text, spec)) return;
  any_from_text(text, spec);
  if (has_only_budgets(spec))
    last = {.budgets = {.timeout = spec.timeout, .retry = spec.retry, .rescues = spec.rescues_max}, .text = std::string(text)};
}

std::string error_to_text(const JobError& error) { return json::dump({{"kind", error.kind}, {"message", error.message}}); }

JobError error_from_text(std::string_view text) {
  JobError error;
  const Json tree = parse(text);
  read(tree, "kind", error.kind);
  read(tree, "message", error.message);
  return error;
}

std::string attempts_to_text(const std::vector<AttemptRecord>& attempts) {
  Json tree = Json::array();
  for (const AttemptRecord& record : attempts)
    tree.push_back({{"attempt", record.attempt},
                    {"fence", to_number(record.fence)},
                    {"worker", record.worker.text()},
                    {"started", to_ms(record.started_at)},
                    {"ended", to_ms(record.ended_at)},
                    {"outcome", static_cast<int>(record.outcome)},
                    {"kind", record.error.kind},
                    {"message", record.error.message}});
  return json::dump(tree);
}

std::vector<AttemptRecord> attempts_from_text(std::string_view text) {
  std::vector<AttemptRecord> out;
  if (text.empty()) return out;
  for (const Json& tree : parse(text)) {
    AttemptRecord& record = out.emplace_back();
    read(tree, "attempt", record.attempt);
    record.fence = Fence{value_or(tree, "fence", std::uint64_t{0})};
    record.worker = WorkerId(value_or(tree, "worker", std::string()));
    record.started_at = from_ms(value_or(tree, "started", std::int64_t{0}));
    record.ended_at = from_ms(value_or(tree, "ended", std::int64_t{0}));
    record.outcome = static_cast<JobEvent>(value_or(tree, "outcome", 0));
    read(tree, "kind", record.error.kind);
    read(tree, "message", record.error.message);
  }
  return out;
}

std::string progress_to_text(const Progress& progress) {
  return json::dump({{"fraction", progress.fraction},
                     {"message", progress.message},
                     {"at", to_ms(progress.at)},
                     {"encoding", progress.partial ? static_cast<int>(progress.partial->encoding) : 0}});
}

Progress progress_from_text(std::string_view text) {
  Progress progress;
  const Json tree = parse(text);
  read(tree, "fraction", progress.fraction);
  read(tree, "message", progress.message);
  progress.at = from_ms(value_or(tree, "at", std::int64_t{0}));
  return progress;
}

Encoding partial_encoding_from_text(std::string_view text) { return static_cast<Encoding>(value_or(parse(text), "encoding", 0)); }

std::string worker_to_text(const WorkerSpec& spec) {
  std::vector<std::string> queues;
  for (const QueueName& queue : spec.queues) queues.push_back(queue.text());
  const HeartbeatPolicy policy = spec.policy.value_or(default_policy(spec.dialect));
  return json::dump({{"dialect", static_cast<int>(spec.dialect)},
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
  const Json tree = parse(text);
  spec.dialect = static_cast<Dialect>(value_or(tree, "dialect", 0));
  spec.capabilities = CapabilitySet(value_or(tree, "capabilities", std::vector<std::string>()));
  for (std::string& queue : value_or(tree, "queues", std::vector<std::string>())) spec.queues.emplace_back(std::move(queue));
  read(tree, "labels", spec.labels);
  read(tree, "slots", spec.slots);
  read(tree, "hostname", spec.hostname);
  read(tree, "version", spec.version);
  read(tree, "metadata", spec.metadata);
  HeartbeatPolicy policy = default_policy(spec.dialect);
  read_duration(tree, "interval", policy.interval);
  read_duration(tree, "dead_after", policy.dead_after);
  spec.policy = policy;
}

std::string settings_to_text(const QueueSettings& settings) {
  Json tree = Json::object();
  if (settings.paused) tree["paused"] = true;
  if (!settings.pause_reason.empty()) tree["pause_reason"] = settings.pause_reason;
  if (settings.running_max) tree["running_max"] = *settings.running_max;
  if (!settings.running_max_by_type.empty()) tree["running_max_by_type"] = settings.running_max_by_type;
  if (settings.rate)
    tree["rate"] = {{"count", settings.rate->count}, {"per", settings.rate->per.count()}, {"burst", settings.rate->burst}};
  return json::dump(tree);
}

QueueSettings settings_from_text(std::string_view text) {
  QueueSettings settings;
  if (text.empty()) return settings;
  const Json tree = parse(text);
  read(tree, "paused", settings.paused);
  read(tree, "pause_reason", settings.pause_reason);
  if (const auto most = json::get<std::uint32_t>(tree, "running_max")) settings.running_max = *most;
  read(tree, "running_max_by_type", settings.running_max_by_type);
  if (const auto it = tree.find("rate"); it != tree.end()) {
    RateLimit rate;
    read(*it, "count", rate.count);
    read_duration(*it, "per", rate.per);
    read(*it, "burst", rate.burst);
    settings.rate = rate;
  }
  return settings;
}

std::string labels_to_text(const Labels& labels) { return json::dump(Json(labels)); }

std::string policy_to_text(const StepPolicy& policy) {
  return policy == StepPolicy() ? std::string() : json::dump(policy_to_json(policy));
}

StepPolicy policy_from_text(std::string_view text) { return text.empty() ? StepPolicy() : policy_from_json(parse(text)); }

std::string schedule_to_text(const ScheduleSpec& spec) {
  const Timing& timing = spec.timing;
  Json tree{{"timing", timing.text},
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
  if (!spec.note.empty()) tree["note"] = spec.note;
  if (const std::string job = spec_to_text(spec.job); !job.empty()) tree["job"] = job;
  return json::dump(tree);
}

void schedule_from_text(std::string_view text, ScheduleSpec& spec) {
  const Json tree = parse(text);
  Timing& timing = spec.timing;
  read(tree, "timing", timing.text);
  timing.form = static_cast<CronForm>(value_or(tree, "form", 0));
  read(tree, "zone", timing.zone);
  timing.gap = static_cast<GapRule>(value_or(tree, "gap", 0));
  timing.fold = static_cast<FoldRule>(value_or(tree, "fold", 0));
  read_duration(tree, "jitter", timing.jitter);
  spec.overlap = static_cast<Overlap>(value_or(tree, "overlap", 0));
  read(tree, "catchup", spec.catchup_max);
  read(tree, "note", spec.note);
  JobSpec& job = spec.job;
  if (const std::string* own = json::text(tree, "job")) spec_from_text(*own, job);
  job.ns = spec.ns;
  job.queue = QueueName(value_or(tree, "queue", std::string(kDefaultQueue)));
  job.type = JobType(value_or(tree, "type", std::string()));
  read(tree, "priority", job.priority);
  job.payload.encoding = static_cast<Encoding>(value_or(tree, "encoding", 0));
}

}  // namespace muster::store
