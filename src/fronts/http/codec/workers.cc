#include "fronts/http/codec/workers.h"

#include <fmt/format.h>

#include "fronts/http/codec/job_query.h"
#include "fronts/http/codec/values.h"
#include "fronts/http/json/fields.h"

namespace muster::http {
namespace {

using In = JsonReader;

struct RegistrationInput {
  WorkerSpec worker;
  std::optional<Duration> heartbeat;
  std::optional<Duration> dead_after;
};
using Registration = Field<RegistrationInput>;

constexpr std::array kRegistrationFields{
    Registration{"namespace", [](In& in, RegistrationInput& out) { read(in, out.worker.ns); }},
    Registration{"id", [](In& in, RegistrationInput& out) { read(in, out.worker.id); }},
    Registration{"capabilities", [](In& in, RegistrationInput& out) { out.worker.capabilities = CapabilitySet(read_texts(in)); }},
    Registration{"queues", [](In& in, RegistrationInput& out) { out.worker.queues = read_queues(in); }},
    Registration{"labels", [](In& in, RegistrationInput& out) { out.worker.labels = read_labels(in); }},
    Registration{"slots", [](In& in, RegistrationInput& out) { out.worker.slots = read_count(in); }},
    Registration{"hostname", [](In& in, RegistrationInput& out) { out.worker.hostname = in.read_string(); }},
    Registration{"version", [](In& in, RegistrationInput& out) { out.worker.version = in.read_string(); }},
    Registration{"metadata", [](In& in, RegistrationInput& out) { out.worker.metadata = read_json_object(in); }},
    Registration{"heartbeat_ms", [](In& in, RegistrationInput& out) { out.heartbeat = read_duration(in); }},
    Registration{"dead_after_ms", [](In& in, RegistrationInput& out) { out.dead_after = read_duration(in); }},
    Registration{"resume", [](In& in, RegistrationInput& out) { out.worker.resume = read_session(in); }},
};

constexpr std::array kLeaseFields{
    Field<LeaseRef>{"id", [](In& in, LeaseRef& out) { out.job = read_job_id(in); }, Need::required},
    Field<LeaseRef>{"fence", [](In& in, LeaseRef& out) { out.fence = read_fence(in); }, Need::required},
};

constexpr std::array kBeatFields{
    Field<store::Beat>{"namespace", [](In& in, store::Beat& out) { read(in, out.ns); }},
    Field<store::Beat>{"session", [](In& in, store::Beat& out) { out.session = read_session(in); }},
    Field<store::Beat>{"stats", [](In& in, store::Beat& out) { out.stats = read_json_object(in); }},
    Field<store::Beat>{"held",
                       [](In& in, store::Beat& out) {
                         out.names_all = true;
                         read_array(in, [&](In& element) { read_object(element, kLeaseFields, out.held.emplace_back()); });
                       }},
    Field<store::Beat>{"accepting", [](In& in, store::Beat& out) { out.accepting = in.read_bool(); }},
};

constexpr std::array kDrainFields{
    Field<store::Drain>{"namespace", [](In& in, store::Drain& out) { read(in, out.ns); }},
    Field<store::Drain>{"deadline_ms", [](In& in, store::Drain& out) { out.deadline = read_duration(in); }},
    Field<store::Drain>{"reason", [](In& in, store::Drain& out) { out.reason = in.read_string(); }},
};

void write_leases(JsonWriter& out, std::string_view name, const std::vector<LeaseRef>& leases) {
  out.key(name);
  out.begin_array();
  for (const LeaseRef& lease : leases) {
    out.begin_object();
    out.member("id", lease.job.text());
    out.member("fence", to_number(lease.fence));
    out.end_object();
  }
  out.end_array();
}

}  // namespace

Result<WorkerSpec> decode_registration(std::string_view body) {
  auto input = read_body(body, kRegistrationFields, RegistrationInput{});
  if (!input.ok()) return input.status();
  WorkerSpec worker = std::move(input->worker);
  worker.dialect = Dialect::http;
  if (input->heartbeat || input->dead_after) {
    const HeartbeatPolicy usual = default_policy(Dialect::http);
    // Who gives one of the two gets the other in the usual proportion, so that three beats still fit.
    HeartbeatPolicy policy;
    policy.interval =
        input->heartbeat.value_or(input->dead_after.value_or(usual.dead_after) / (usual.dead_after / usual.interval));
    policy.dead_after = input->dead_after.value_or(policy.interval * (usual.dead_after / usual.interval));
    worker.policy = policy;
  }
  return worker;
}

Result<store::Beat> decode_beat(std::string worker, std::string_view body) {
  store::Beat initial;
  initial.ns = NamespaceName(kDefaultNamespace);
  initial.worker = WorkerId(std::move(worker));
  if (body.empty()) return initial;
  return read_body(body, kBeatFields, std::move(initial));
}

Result<store::Drain> decode_drain(std::string worker, std::string_view body) {
  store::Drain initial;
  initial.ns = NamespaceName(kDefaultNamespace);
  initial.worker = WorkerId(std::move(worker));
  if (body.empty()) return initial;
  return read_body(body, kDrainFields, std::move(initial));
}

Result<store::Unregister> decode_unregister(std::string worker, const std::vector<QueryParameter>& query) {
  QueryReader in(query);
  store::Unregister out;
  out.ns = NamespaceName(in.text("namespace").value_or(kDefaultNamespace));
  out.worker = WorkerId(std::move(worker));
  if (const auto session = in.number("session", std::numeric_limits<std::uint64_t>::max())) out.session = SessionId{*session};
  if (Status read = in.finish(); !read.ok()) return read;
  return out;
}

Result<store::WorkerQuery> decode_worker_query(const std::vector<QueryParameter>& query) {
  QueryReader in(query);
  store::WorkerQuery out;
  out.ns = NamespaceName(in.text("namespace").value_or(""));
  for (const std::string& name : in.words("state")) {
    if (const auto state = parse_worker_state(name))
      out.states.push_back(*state);
    else
      in.refuse("state", fmt::format("\"{}\" is not a state; online, draining or offline is accepted", name));
  }
  out.capability = in.text("capability").value_or("");
  out.labels = read_label_parameters(in);
  out.queue = QueueName(in.text("queue").value_or(""));
  out.limit = static_cast<std::size_t>(in.number("limit", limits::kPageMax).value_or(limits::kPageDefault));
  if (out.limit == 0) in.refuse("limit", fmt::format("0 is not accepted; 1 to {} is", limits::kPageMax));
  out.cursor = in.text("cursor").value_or("");
  if (Status read = in.finish(); !read.ok()) return read;
  return out;
}

Result<command::WorkerGetRequest> decode_worker_get(std::string worker, const std::vector<QueryParameter>& query) {
  QueryReader in(query);
  command::WorkerGetRequest out;
  out.ns = NamespaceName(in.text("namespace").value_or(kDefaultNamespace));
  out.worker = WorkerId(std::move(worker));
  if (Status read = in.finish(); !read.ok()) return read;
  return out;
}

void write(JsonWriter& out, const store::Registered& registered) {
  out.begin_object();
  out.member("id", registered.id.text());
  out.member("session", to_number(registered.session));
  out.member("heartbeat_ms", registered.policy.interval);
  out.member("dead_after_ms", registered.policy.dead_after);
  out.member("replaced", registered.replaced);
  out.end_object();
}

void write(JsonWriter& out, const store::BeatReply& reply) {
  out.begin_object();
  out.member("state", to_string(reply.state));
  out.member("drain_deadline", reply.drain_deadline);
  out.member_unless_empty("drain_reason", reply.drain_reason);
  out.member("next_beat_in_ms", reply.next_beat_in);
  write_leases(out, "cancel", reply.cancel);
  write_leases(out, "lost", reply.lost);
  out.member("running", reply.running);
  out.end_object();
}

void write_worker(JsonWriter& out, const Worker& worker, Instant now) {
  out.begin_object();
  out.member("namespace", worker.spec.ns.text());
  out.member("id", worker.spec.id.text());
  out.member("session", to_number(worker.session));
  out.member("dialect", to_string(worker.spec.dialect));
  out.member("state", to_string(worker.state));
  out.member("health", to_string(grade(worker, now)));
  write_texts(out, "capabilities", worker.spec.capabilities.names());
  out.key("queues");
  out.begin_array();
  for (const QueueName& queue : worker.spec.queues) out.string(queue.text());
  out.end_array();
  write_labels(out, "labels", worker.spec.labels);
  out.member("slots", worker.spec.slots);
  out.member("running", worker.running);
  out.member("completed", worker.completed);
  out.member("failed", worker.failed);
  out.member_unless_empty("hostname", worker.spec.hostname);
  out.member_unless_empty("version", worker.spec.version);
  if (!worker.spec.metadata.empty()) out.key("metadata"), out.raw(worker.spec.metadata);
  if (!worker.stats.empty()) out.key("stats"), out.raw(worker.stats);
  if (worker.spec.policy) {
    out.member("heartbeat_ms", worker.spec.policy->interval);
    out.member("dead_after_ms", worker.spec.policy->dead_after);
  }
  out.member("registered_at", worker.registered_at);
  out.member("last_seen_at", worker.last_seen_at);
  out.member("offline_at", worker.offline_at);
  out.member_unless_empty("offline_cause", worker.offline_cause);
  out.member("drain_deadline", worker.drain_deadline);
  out.member_unless_empty("drain_reason", worker.drain_reason);
  out.end_object();
}

void write_workers(JsonWriter& out, const store::WorkerPage& page, Instant now) {
  out.begin_object();
  out.key("workers");
  out.begin_array();
  for (const Worker& worker : page.workers) write_worker(out, worker, now);
  out.end_array();
  out.member_unless_empty("next", page.next);
  out.end_object();
}

}  // namespace muster::http
