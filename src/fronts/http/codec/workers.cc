#include "fronts/http/codec/workers.h"

#include "fronts/http/codec/operations.h"
#include "fronts/http/codec/values.h"

namespace muster::http {
namespace {

struct RegistrationInput {
  WorkerSpec worker;
  std::optional<Duration> heartbeat;
  std::optional<Duration> dead_after;
};

constexpr std::array kRegistrationFields{
    given<&RegistrationInput::worker, &WorkerSpec::ns>("namespace"),
    given<&RegistrationInput::worker, &WorkerSpec::id>("id", "Given by the server when absent."),
    given<&RegistrationInput::worker, &WorkerSpec::capabilities>("capabilities", "kind:name"),
    given<&RegistrationInput::worker, &WorkerSpec::queues>("queues", "Every one of the namespace when absent."),
    given<&RegistrationInput::worker, &WorkerSpec::labels>("labels"),
    given<&RegistrationInput::worker, &WorkerSpec::slots>("slots", "Jobs at one time.").judged(1, limits::kSlotsMax),
    given<&RegistrationInput::worker, &WorkerSpec::hostname>("hostname"),
    given<&RegistrationInput::worker, &WorkerSpec::version>("version"),
    json_object<&RegistrationInput::worker, &WorkerSpec::metadata>("metadata"),
    given<&RegistrationInput::heartbeat>("heartbeat_ms", "How often it will be heard."),
    given<&RegistrationInput::dead_after>("dead_after_ms", "Silence that means death."),
    given<&RegistrationInput::worker, &WorkerSpec::resume>("resume", "The session this process had: its leases stay."),
};
constexpr Object<RegistrationInput> kRegistration{"WorkerSpec", "", kRegistrationFields};

constexpr std::array kBeatFields{
    given<&store::Beat::ns>("namespace"),
    given<&store::Beat::session>("session", kSessionDoc),
    json_object<&store::Beat::stats>("stats"),
    Field<store::Beat>{
        .name = "held",
        .doc = "Everything the worker holds, an empty list included. What it leaves out twice in a row is handed back.",
        .read =
            [](JsonReader& in, store::Beat& out, const Range& range) {
              out.names_all = true;
              read_value(in, out.held, range);
            },
        .draw = draw_member<&store::Beat::held>},
    given<&store::Beat::accepting>("accepting", "False: the worker drains itself."),
};
constexpr Object<store::Beat> kBeat{"BeatRequest", "", kBeatFields};

constexpr std::array kDrainFields{
    given<&store::Drain::ns>("namespace"),
    given<&store::Drain::deadline>("deadline_ms", "Then its jobs are handed back."),
    given<&store::Drain::reason>("reason"),
};
constexpr Object<store::Drain> kDrain{"DrainRequest", "", kDrainFields};

constexpr std::array kSendFields{
    given<&command::WorkerSendRequest::ns>("namespace"),
    given<&command::WorkerSendRequest::type>("type", "Begins with ext.vendor.").required(),
    json_object<&command::WorkerSendRequest::payload>("payload"),
};
constexpr Object<command::WorkerSendRequest> kSend{"SendRequest", "", kSendFields};

constexpr std::array kSentFields{
    shown<&command::WorkerSendReply::ns>("namespace"),
    shown<&command::WorkerSendReply::worker>("worker"),
    shown<&command::WorkerSendReply::type>("type"),
    shown<&command::WorkerSendReply::waiting>("waiting", "Frames the worker has to collect, this one among them."),
};
constexpr Object<command::WorkerSendReply> kSent{
    "Sent", "", kSentFields, R"({"namespace":"default","worker":"w1","type":"ext.vendor.acme.reload","waiting":1})"};
constexpr std::array kWorkerResumeFields{given<&store::Resume::ns>("namespace")};
constexpr Object<store::Resume> kWorkerResumeBody{"", "", kWorkerResumeFields};

constexpr const char* kDrainOriginDoc = "Who drains it; `overruled`: an operator put it back to work, whatever its load.";
template <class T>
void write_drain_origin(JsonWriter& out, std::string_view name, const T& value) {
  if (value.drain_origin == DrainOrigin::none) return;
  out.plain_key(name);
  write_value(out, value.drain_origin);
}

constexpr std::array kRegisteredFields{
    shown<&store::Registered::id>("id"),
    shown<&store::Registered::session>("session", kSessionDoc),
    shown<&store::Registered::policy, &HeartbeatPolicy::interval>("heartbeat_ms", "Beat this often."),
    shown<&store::Registered::policy, &HeartbeatPolicy::dead_after>("dead_after_ms", "Silence that means death."),
    shown<&store::Registered::replaced>("replaced", "An earlier session was ended."),
};
constexpr Object<store::Registered> kRegistered{
    "Registered", "", kRegisteredFields,
    R"({"id":"w1","session":7,"heartbeat_ms":10000,"dead_after_ms":30000,"replaced":false})"};

constexpr std::array kBeatReplyFields{
    shown<&store::BeatReply::state>("state"),
    shown<&store::BeatReply::drain_deadline>("drain_deadline", "Finish before."),
    shown_unless_blank<&store::BeatReply::drain_reason>("drain_reason"),
    shown<&store::BeatReply::drain_origin>("drain_origin", kDrainOriginDoc).written(write_drain_origin<store::BeatReply>),
    shown<&store::BeatReply::next_beat_in>("next_beat_in_ms", "Until the next beat."),
    shown<&store::BeatReply::cancel>("cancel", "Stop these."),
    shown<&store::BeatReply::lost>("lost", "Of `held`: no longer its own."),
    shown<&store::BeatReply::running>("running"),
};
constexpr Object<store::BeatReply> kBeatReply{"BeatReply", "", kBeatReplyFields,
                                              R"({"state":"online","next_beat_in_ms":10000,"cancel":[],"lost":[],"running":1})"};

// --- workers, graded at the time they are shown ---------------------------------------------------------------------

struct GradedWorker {
  const Worker* worker;
  Health health;
};

constexpr std::array kHeadFields{
    shown<&Worker::spec, &WorkerSpec::ns>("namespace"),
    shown<&Worker::spec, &WorkerSpec::id>("id"),
    shown<&Worker::session>("session", kSessionDoc),
    shown<&Worker::spec, &WorkerSpec::dialect>("dialect"),
    shown<&Worker::state>("state"),
};
constexpr std::array kFactFields{
    shown<&Worker::spec, &WorkerSpec::capabilities>("capabilities"),
    shown<&Worker::spec, &WorkerSpec::queues>("queues", "None: every one of the namespace."),
    shown<&Worker::spec, &WorkerSpec::labels>("labels"),
    shown<&Worker::spec, &WorkerSpec::slots>("slots"),
    shown<&Worker::running>("running"),
    shown<&Worker::completed>("completed"),
    shown<&Worker::failed>("failed"),
    shown_unless_blank<&Worker::spec, &WorkerSpec::hostname>("hostname"),
    shown_unless_blank<&Worker::spec, &WorkerSpec::version>("version"),
    json_object<&Worker::spec, &WorkerSpec::metadata>("metadata"),
    json_object<&Worker::stats>("stats", "Of its last heartbeat."),
};
constexpr std::array kBeatPolicyFields{
    shown<&HeartbeatPolicy::interval>("heartbeat_ms", "Interval."),
    shown<&HeartbeatPolicy::dead_after>("dead_after_ms", "Silence that means death."),
};
constexpr std::array kTimeFields{
    shown<&Worker::registered_at>("registered_at", "Registration."),
    shown<&Worker::last_seen_at>("last_seen_at", "Last beat."),
    shown<&Worker::offline_at>("offline_at", "Death."),
    shown_unless_blank<&Worker::offline_cause>("offline_cause"),
    shown<&Worker::drain_deadline>("drain_deadline", "End of the drain."),
    shown_unless_blank<&Worker::drain_reason>("drain_reason"),
    shown<&Worker::drain_origin>("drain_origin", kDrainOriginDoc).written(write_drain_origin<Worker>),
};
constexpr auto kRestFields = joined(kFactFields, fields_of<kBeatPolicyFields, &Worker::spec, &WorkerSpec::policy>(), kTimeFields);
constexpr std::array kHealthField{shown<&GradedWorker::health>("health")};
constexpr auto kWorkerFields =
    joined(fields_of<kHeadFields, &GradedWorker::worker>(), kHealthField, fields_of<kRestFields, &GradedWorker::worker>());
constexpr Object<GradedWorker> kWorker{
    "Worker", "", kWorkerFields,
    R"({"namespace":"default","id":"w1","session":7,"dialect":"http","state":"online","health":"healthy","capabilities":["tool:ffmpeg"],"queues":[],"labels":{"zone":"a"},"slots":4,"running":0,"completed":0,"failed":0,"registered_at":%at%,"last_seen_at":%at%})"};

struct GradedPage {
  std::vector<GradedWorker> workers;
  const std::string* next;
};

}  // namespace

static const Object<GradedWorker>& object_of(Of<GradedWorker>) { return kWorker; }

namespace {

constexpr std::array kWorkerPageFields{
    shown<&GradedPage::workers>("workers"),
    shown_unless_blank<&GradedPage::next>("next", "Cursor of the next page; absent at the end."),
};
constexpr Object<GradedPage> kWorkerPage{"WorkerPage", "", kWorkerPageFields, R"({"workers":[%Worker%]})"};

// --- requests about one worker, or many ----------------------------------------------------------------------------

constexpr std::array kUnregisterParameters{
    parameter<&store::Unregister::ns>("namespace", kDefaultNamespaceDoc),
    parameter<&store::Unregister::session>("session", "Refused when another session replaced it."),
};
constexpr std::array kWorkerGetParameters{parameter<&command::WorkerGetRequest::ns>("namespace", kDefaultNamespaceDoc)};
constexpr std::array kWorkerParameters{
    parameter<&store::WorkerQuery::ns>("namespace", "Empty: all."),
    parameter<&store::WorkerQuery::states>("state", "Repeatable, or a comma list."),
    parameter<&store::WorkerQuery::capability>("capability", "Offers it."),
    parameter<&store::WorkerQuery::labels>("label", "key=value; repeatable."),
    parameter<&store::WorkerQuery::queue>("queue", "Serves it."),
    parameter<&store::WorkerQuery::limit>("limit", kLimitDoc).within(1, limits::kPageMax),
    parameter<&store::WorkerQuery::cursor>("cursor", kCursorDoc),
};

constexpr std::array kWorkerOperations{
    Operation{
        .id = "worker_register",
        .body = body<kRegistration>(
            R"({"id":"w1","capabilities":["tool:ffmpeg"],"queues":["mail"],"labels":{"zone":"a"},"slots":4,"metadata":{"rack":"r7"}})"),
        .answers = {created<store::Registered>()}},
    Operation{.id = "worker_list",
              .parameters = draw_parameters<kWorkerParameters>,
              .answers = {Answer{.status = 200, .draw = draw_object<kWorkerPage>, .example = kWorkerPage.example}}},
    Operation{.id = "worker_get", .parameters = draw_parameters<kWorkerGetParameters>, .answers = {ok<GradedWorker>()}},
    Operation{
        .id = "worker_unregister",
        .parameters = draw_parameters<kUnregisterParameters>,
        .answers = {ok<GradedWorker>(
            R"({"namespace":"default","id":"w1","session":7,"dialect":"http","state":"offline","health":"unhealthy","capabilities":["tool:ffmpeg"],"queues":[],"labels":{"zone":"a"},"slots":4,"running":0,"completed":0,"failed":0,"registered_at":%at%,"last_seen_at":%at%,"offline_at":%at%,"offline_cause":"unregistered"})")}},
    Operation{
        .id = "worker_heartbeat",
        .body = optional_body<kBeat>(R"({"session":7,"stats":{"cpu":0.4},"held":[{"id":%id%,"fence":42}],"accepting":true})"),
        .answers = {ok<store::BeatReply>()}},
    Operation{
        .id = "worker_drain",
        .body = optional_body<kDrain>(R"({"deadline_ms":30000,"reason":"upgrade"})"),
        .answers = {ok<GradedWorker>(
            R"({"namespace":"default","id":"w1","session":7,"dialect":"http","state":"draining","health":"healthy","capabilities":["tool:ffmpeg"],"queues":[],"labels":{"zone":"a"},"slots":4,"running":0,"completed":0,"failed":0,"registered_at":%at%,"last_seen_at":%at%,"drain_deadline":"2026-11-15T09:00:30.000Z","drain_reason":"upgrade","drain_origin":"asked"})")}},
    Operation{.id = "worker_send",
              .body = body<kSend>(R"({"type":"ext.vendor.acme.reload","payload":{"what":"models"}})"),
              .answers = {ok<command::WorkerSendReply>()}},
    Operation{.id = "worker_resume",
              .body = optional_body<kWorkerResumeBody>(R"({"namespace":"default"})"),
              .answers = {ok<GradedWorker>()}},
};

// `worker` comes from the path.
template <class T>
T about_worker(std::string worker) {
  T out{};
  out.ns = NamespaceName(kDefaultNamespace);
  out.worker = WorkerId(std::move(worker));
  return out;
}

}  // namespace

std::span<const Operation> worker_operations() { return kWorkerOperations; }

const Object<store::Registered>& object_of(Of<store::Registered>) { return kRegistered; }
const Object<store::BeatReply>& object_of(Of<store::BeatReply>) { return kBeatReply; }
const Object<command::WorkerSendReply>& object_of(Of<command::WorkerSendReply>) { return kSent; }

Result<WorkerSpec> decode_registration(std::string_view body) {
  auto input = read_body(body, kRegistration);
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
  auto initial = about_worker<store::Beat>(std::move(worker));
  if (body.empty()) return initial;
  return read_body(body, kBeat, std::move(initial));
}

Result<store::Drain> decode_drain(std::string worker, std::string_view body) {
  auto initial = about_worker<store::Drain>(std::move(worker));
  if (body.empty()) return initial;
  return read_body(body, kDrain, std::move(initial));
}

Result<command::WorkerSendRequest> decode_worker_send(std::string worker, std::string_view body) {
  return read_body(body, kSend, about_worker<command::WorkerSendRequest>(std::move(worker)));
}

Result<store::Resume> decode_worker_resume(std::string worker, std::string_view body) {
  auto initial = about_worker<store::Resume>(std::move(worker));
  if (body.empty()) return initial;
  return read_body(body, kWorkerResumeBody, std::move(initial));
}

Result<store::Unregister> decode_unregister(std::string worker, const std::vector<QueryParameter>& query) {
  return read_query(query, kUnregisterParameters, about_worker<store::Unregister>(std::move(worker)));
}

Result<store::WorkerQuery> decode_worker_query(const std::vector<QueryParameter>& query) {
  return read_query(query, kWorkerParameters);
}

Result<command::WorkerGetRequest> decode_worker_get(std::string worker, const std::vector<QueryParameter>& query) {
  return read_query(query, kWorkerGetParameters, about_worker<command::WorkerGetRequest>(std::move(worker)));
}

void write_worker(JsonWriter& out, const Worker& worker, Instant now) {
  write_object(out, kWorker, {.worker = &worker, .health = grade(worker, now)});
}

void write_workers(JsonWriter& out, const store::WorkerPage& page, Instant now) {
  GradedPage graded{.workers = {}, .next = &page.next};
  graded.workers.reserve(page.workers.size());
  for (const Worker& worker : page.workers) graded.workers.push_back({.worker = &worker, .health = grade(worker, now)});
  write_object(out, kWorkerPage, graded);
}

}  // namespace muster::http
