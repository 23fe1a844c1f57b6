#include "engine/task_terms.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/json_reader.h"
#include "base/time_text.h"
#include "model/validate.h"

namespace muster::engine {
namespace {

using json::Tree;

constexpr std::string_view kNodeKind = "node:";
constexpr std::string_view kWorkerKind = "worker:";
constexpr const char* kNobody = "resource:missing";  // needed by a job that nobody may claim

constexpr const char* kRefs = "resource_refs";
constexpr const char* kNameV2 = "worker_name";
constexpr const char* kNameV1 = "worker_id";

bool is_node_job(const JobSpec& spec) {
  const auto names = spec.needs.names();
  return std::any_of(names.begin(), names.end(), [](const std::string& name) { return name.starts_with(kNodeKind); });
}

// Most documents say nothing about terms, and reading one is work.
bool may_have_terms(const std::string& text) {
  constexpr std::array<std::string_view, 6> kTold{"\"resource_refs\"", "\"affinity\"", "\"concurrency_key\"",
                                                  "\"timeout_ms\"",    "\"priority\"", "\"run_id\""};
  return text.find("\"node_type\"") != std::string::npos &&
         std::any_of(kTold.begin(), kTold.end(), [&](std::string_view word) { return text.find(word) != std::string::npos; });
}

// A member that is there and not null.
const Tree* given_term(const Tree& object, const char* name) {
  const Tree* found = json::member(object, name);
  return found != nullptr && !found->is_null() ? found : nullptr;
}

std::string shown_term(const Tree& value) {
  std::string text = json::dump(value);
  constexpr std::size_t kShown = 60;
  if (text.size() <= kShown) return text;
  text.resize(kShown);
  return text + "…";
}

Status refuse_term(std::string_view name, const Tree& value, std::string_view accepted) {
  return Status::invalid_argument(fmt::format("{} of the task is {}; {} is accepted", name, shown_term(value), accepted));
}

Status read_term_instant(const Tree& object, const char* name, std::optional<Instant>& out) {
  const Tree* value = given_term(object, name);
  if (value == nullptr) return {};
  const std::string* text = json::text(object, name);
  out = text != nullptr ? parse_rfc3339(*text) : std::nullopt;
  return out ? Status() : refuse_term(name, *value, "a date and time with its offset");
}

Status read_term_text(const Tree& object, const char* name, std::string& out) {
  const Tree* value = given_term(object, name);
  if (value == nullptr) return {};
  const std::string* text = json::text(object, name);
  if (text == nullptr || text->empty() || text->size() > limits::kKeyBytesMax)
    return refuse_term(name, *value, fmt::format("a text of 1 to {} bytes", limits::kKeyBytesMax));
  out = *text;
  return {};
}

Status read_ref(const Tree& value, ResourceRef& out) {
  if (!value.is_object()) return refuse_term(kRefs, value, "a list of objects");
  if (Status status = read_term_text(value, "resource_id", out.id); !status.ok()) return status;
  if (out.id.empty()) return refuse_term(kRefs, value, "a resource_id in each");
  if (Status status = read_term_text(value, kNameV1, out.worker); !status.ok()) return status;
  if (Status status = read_term_text(value, kNameV2, out.worker); !status.ok()) return status;
  return read_term_instant(value, "expires_at", out.expires_at);
}

Status read_refs(const Tree& document, std::vector<ResourceRef>& out) {
  const Tree* refs = given_term(document, kRefs);
  if (refs == nullptr) return {};
  if (!refs->is_array() || refs->size() > kResourceRefsMax)
    return refuse_term(kRefs, *refs, fmt::format("a list of at most {}", kResourceRefsMax));
  for (const Tree& ref : *refs)
    if (Status status = read_ref(ref, out.emplace_back()); !status.ok()) return status;
  return {};
}

Status read_affinity(const Tree& document, std::optional<TaskAffinity>& out) {
  const Tree* affinity = given_term(document, "affinity");
  if (affinity == nullptr) return {};
  if (!affinity->is_object()) return refuse_term("affinity", *affinity, "an object with a key");
  TaskAffinity read;
  if (Status status = read_term_text(*affinity, "key", read.key); !status.ok()) return status;
  if (read.key.empty()) return refuse_term("affinity", *affinity, "an object with a key");
  std::string mode = "sticky";
  if (Status status = read_term_text(*affinity, "mode", mode); !status.ok()) return status;
  if (mode != "sticky" && mode != "preferred") return refuse_term("mode", *affinity, "sticky or preferred");
  read.mode = mode == "sticky" ? AffinityMode::sticky : AffinityMode::preferred;
  if (Status status = read_term_instant(*affinity, "expires_at", read.expires_at); !status.ok()) return status;
  out = std::move(read);
  return {};
}

Status read_timeout(const Tree& document, TaskTerms& out) {
  const Tree* constraints = given_term(document, "constraints");
  if (constraints == nullptr) return {};
  if (!constraints->is_object()) return refuse_term("constraints", *constraints, "an object");
  const Tree* value = given_term(*constraints, "timeout_ms");
  if (value == nullptr) return {};
  const auto length = json::natural(*constraints, "timeout_ms");
  constexpr auto kMost = static_cast<std::uint64_t>(limits::kJobTimeoutMax.count());
  if (!length || *length < 1 || *length > kMost) return refuse_term("timeout_ms", *value, fmt::format("1 to {}", kMost));
  out.timeout = Duration(static_cast<std::int64_t>(*length));
  return {};
}

Status read_priority(const Tree& document, TaskTerms& out) {
  const Tree* value = given_term(document, "priority");
  if (value == nullptr) return {};
  const auto number = json::integer(document, "priority");
  if (!number || *number < limits::kPriorityMin || *number > limits::kPriorityMax)
    return refuse_term("priority", *value, fmt::format("{} to {}", limits::kPriorityMin, limits::kPriorityMax));
  out.priority = static_cast<std::int32_t>(*number);
  return {};
}

// Without a key of its own a task is alone with its node in its run, as its worker sees it. A run that is named after the job
// has no second task, and needs no key.
Status read_concurrency(const Tree& document, std::string& out) {
  if (Status status = read_term_text(document, "concurrency_key", out); !status.ok() || !out.empty()) return status;
  const std::string* run = json::text(document, "run_id");
  const std::string* node = json::text(document, "node_id");
  if (node == nullptr) node = json::text(document, "node_type");
  if (run == nullptr || run->empty() || run->size() + 1 + node->size() > limits::kKeyBytesMax) return {};
  out = *run + ":" + *node;
  return {};
}

Status read_term_flag(const Tree& document, const char* name, bool& out) {
  const Tree* value = given_term(document, name);
  if (value == nullptr) return {};
  if (!value->is_boolean()) return refuse_term(name, *value, "true or false");
  out = value->get<bool>();
  return {};
}

// --- pins ---

JobError missing_resource(const ResourceRef& ref, std::string_view why) {
  return {kErrorResourceMissing, fmt::format("resource '{}' {}", ref.id, why)};
}

// Why a task cannot have the resource; nullopt: it can.
std::optional<JobError> judge_ref(const ResourceRef& ref, const TaskFacts& facts) {
  if (ref.expires_at && *ref.expires_at <= facts.now)
    return missing_resource(ref, fmt::format("expired at {}", to_rfc3339(*ref.expires_at)));
  const auto found = facts.resources.find(ref.id);
  if (found == facts.resources.end()) return missing_resource(ref, "is not known, or has expired");
  if (found->second.state == ResourceState::evicted)
    return missing_resource(ref, fmt::format("went with worker '{}'", found->second.worker_name));
  if (found->second.in_result)
    return missing_resource(ref, "is on no worker: its value stands in the result of the task that made it");
  return std::nullopt;
}

bool is_holder(const Resource& resource, const std::string& named) {
  return named == resource.worker_name || named == resource.worker.text();
}

// The resources of the refs are all on one worker, and it is the one that everybody names.
Status judge_pins(const JobSpec& spec, const TaskTerms& terms, const TaskFacts& facts) {
  const Resource& first = facts.resources.at(terms.refs.front().id);
  for (const ResourceRef& ref : terms.refs) {
    const Resource& resource = facts.resources.at(ref.id);
    if (!ref.worker.empty() && !is_holder(resource, ref.worker))
      return Status::conflict(
          fmt::format("resource '{}' is on worker '{}', not on '{}'", ref.id, resource.worker_name, ref.worker));
    const bool same = resource.worker.empty() || first.worker.empty() ? resource.worker_name == first.worker_name
                                                                      : resource.worker == first.worker;
    if (!same)
      return Status::conflict(fmt::format("resource '{}' is on worker '{}' and resource '{}' on worker '{}'; a task runs on one",
                                          first.id, first.worker_name, ref.id, resource.worker_name));
  }
  for (const std::string& need : spec.needs.names())
    if (need.starts_with(kWorkerKind) && !is_holder(first, need.substr(kWorkerKind.size())))
      return Status::conflict(
          fmt::format("resource '{}' is on worker '{}', and the job needs '{}'", first.id, first.worker_name, need));
  const auto named = spec.selector.find(kWorkerNameLabel);
  if (named != spec.selector.end() && named->second != first.worker_name)
    return Status::conflict(
        fmt::format("resource '{}' is on worker '{}', and the job selects '{}'", first.id, first.worker_name, named->second));
  return {};
}

// The refs in full, as every worker wants them.
void fill_refs(JobSpec& spec, const TaskFacts& facts) {
  auto document = json::parse_object(spec.payload.data);
  if (!document) return;
  for (Tree& ref : (*document)[kRefs]) {
    const Resource& resource = facts.resources.at(*json::text(ref, "resource_id"));
    ref.erase(kNameV1);
    ref[kNameV2] = resource.worker_name;
    if (json::text(ref, "type") == nullptr) ref["type"] = resource.type;
  }
  spec.payload.data = json::dump(*document);
}

void pin_job(JobSpec& spec, const TaskTerms& terms, const TaskFacts& facts) {
  const Resource* holder = &facts.resources.at(terms.refs.front().id);
  for (const ResourceRef& ref : terms.refs) {
    const Resource& resource = facts.resources.at(ref.id);
    if (holder->worker.empty()) holder = &resource;
    // What waits longer than its resource lives is in vain.
    const Duration left = std::min(*resource.expires_at, ref.expires_at.value_or(*resource.expires_at)) - facts.now;
    spec.expires_in = std::max(std::min(spec.expires_in.value_or(left), left), limits::kExpiryMin);
  }
  if (holder->worker.empty())
    spec.selector[kWorkerNameLabel] = holder->worker_name;
  else
    spec.needs = spec.needs.with(worker_capability(holder->worker.text()));
}

// --- affinity ---

void lean(JobSpec& spec, const TaskAffinity& affinity, const TaskFacts& facts) {
  if (!spec.affinity.sticky_key.empty() || !spec.affinity.prefer.empty()) return;
  if (affinity.expires_at && *affinity.expires_at <= facts.now) return;
  const auto place = facts.places.find(affinity.key);
  // A neighbour in the same submission may have asked for the place of a key whose end this task does not tell.
  const bool moves = affinity.mode == AffinityMode::preferred || affinity.expires_at;
  if (moves && place != facts.places.end() && !place->second.empty()) {
    spec.affinity.prefer = worker_capability(place->second.text());
    if (affinity.mode == AffinityMode::sticky)
      spec.affinity.prefer_wait = std::min(*affinity.expires_at - facts.now, limits::kPreferWaitMax);
  } else if (affinity.mode == AffinityMode::sticky) {
    spec.affinity.sticky_key = affinity.key;
  }
}

}  // namespace

// A sticky key that never ends is the store's own: it binds with the first claim and lasts as long as the worker.
bool TaskTerms::asks_for_place() const { return affinity && (affinity->mode == AffinityMode::preferred || affinity->expires_at); }

Result<std::optional<TaskTerms>> read_task_terms(const JobSpec& spec) {
  using Answer = std::optional<TaskTerms>;
  if (spec.payload.encoding != Encoding::json || !is_node_job(spec) || !may_have_terms(spec.payload.data)) return Answer();
  const auto document = json::parse_object(spec.payload.data);
  if (!document || json::text(*document, "node_type") == nullptr || json::member(*document, "parameters") == nullptr)
    return Answer();
  TaskTerms terms;
  if (Status status = read_refs(*document, terms.refs); !status.ok()) return status;
  if (Status status = read_affinity(*document, terms.affinity); !status.ok()) return status;
  if (Status status = read_timeout(*document, terms); !status.ok()) return status;
  if (Status status = read_priority(*document, terms); !status.ok()) return status;
  if (Status status = read_concurrency(*document, terms.concurrency_key); !status.ok()) return status;
  if (Status status = read_term_flag(*document, "fail_fast", terms.fail_fast); !status.ok()) return status;
  return Answer(std::move(terms));
}

TaskVerdict apply_task_terms(JobSpec& spec, const TaskTerms& terms, const TaskFacts& facts) {
  if (!spec.concurrency && !terms.concurrency_key.empty()) spec.concurrency = ConcurrencyKey{terms.concurrency_key, 1};
  if (!spec.timeout) spec.timeout = terms.timeout;
  if (spec.priority == 0) spec.priority = terms.priority.value_or(0);
  for (const ResourceRef& ref : terms.refs)
    if (auto error = judge_ref(ref, facts)) {
      spec.needs = spec.needs.with(kNobody);
      spec.expires_in = kStillbornKept;
      return {.refused = {}, .missing = std::move(error)};
    }
  if (terms.refs.empty()) {
    if (terms.affinity) lean(spec, *terms.affinity, facts);
    return {};
  }
  if (Status status = judge_pins(spec, terms, facts); !status.ok()) return {.refused = std::move(status), .missing = {}};
  const Resource& first = facts.resources.at(terms.refs.front().id);
  if (terms.fail_fast && !first.worker_live)
    return {.refused = Status::unavailable(
                fmt::format("worker '{}', which has resource '{}', is not there", first.worker_name, first.id)),
            .missing = {}};
  pin_job(spec, terms, facts);
  fill_refs(spec, facts);
  return {};
}

}  // namespace muster::engine
