#include "fronts/http/codec/events.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "fronts/http/codec/operations.h"
#include "fronts/http/codec/packages.h"
#include "fronts/http/codec/values.h"
#include "fronts/http/json/writer.h"
#include "fronts/http/run_events.h"

namespace muster::http {

namespace words {
constexpr std::array<std::string_view, 2> kWays{"from_worker", "to_worker"};
}
template <>
constexpr std::span<const std::string_view> kWords<command::ExtensionTold::Way> = words::kWays;

namespace {

std::optional<std::uint64_t> parse_number(std::string_view text) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

constexpr std::array kJobChangeFields{
    shown<&JobChange::at>("at"),
    shown<&JobChange::id>("id"),
    shown<&JobChange::lane, &Lane::ns>("namespace"),
    shown<&JobChange::lane, &Lane::queue>("queue"),
    shown<&JobChange::lane, &Lane::type>("type"),
    shown<&JobChange::event>("event"),
    shown<&JobChange::from>("from"),
    shown<&JobChange::to>("to"),
    shown<&JobChange::attempt>("attempt"),
    shown_unless_blank<&JobChange::fence>("fence"),
    shown_unless_blank<&JobChange::worker>("worker"),
    shown_unless_blank<&JobChange::cause>("cause"),
};
constexpr std::array kWorkerChangeFields{
    shown<&WorkerChange::at>("at"),
    shown<&WorkerChange::ns>("namespace"),
    shown<&WorkerChange::id>("id"),
    shown<&WorkerChange::session>("session"),
    shown<&WorkerChange::from>("from"),
    shown<&WorkerChange::to>("to"),
    shown_unless_blank<&WorkerChange::cause>("cause"),
};
constexpr std::array kQueueChangedFields{
    shown<&QueueChanged::at>("at"),
    shown<&QueueChanged::ns>("namespace"),
    shown<&QueueChanged::queue>("queue"),
    shown<&QueueChanged::paused>("paused"),
};

// The payload as it is, when there is room for it.
constexpr std::array kExtensionFields{
    shown<&command::ExtensionTold::at>("at"),
    shown<&command::ExtensionTold::ns>("namespace"),
    shown<&command::ExtensionTold::worker>("worker"),
    shown<&command::ExtensionTold::way>("direction"),
    shown<&command::ExtensionTold::type>("type"),
    shown<&command::ExtensionTold::payload_bytes>("payload_bytes"),
    Field<command::ExtensionTold>{.name = "payload",
                                  .write =
                                      [](JsonWriter& out, std::string_view name, const command::ExtensionTold& told) {
                                        if (!told.payload) return;
                                        out.plain_key(name);
                                        out.raw(*told.payload);
                                      }},
};

// The name of an event and what it tells.
template <class Change>
struct Told {
  std::string_view name;
  Object<Change> object;
};
constexpr Told<JobChange> told(const JobChange&) { return {"job", {"", "", kJobChangeFields}}; }
constexpr Told<WorkerChange> told(const WorkerChange&) { return {"worker", {"", "", kWorkerChangeFields}}; }
constexpr Told<QueueChanged> told(const QueueChanged&) { return {"queue", {"", "", kQueueChangedFields}}; }
Told<PackageChange> told(const PackageChange&) { return {"package", object_of(Of<PackageChange>{})}; }

constexpr Told<command::ExtensionTold> told(const command::ExtensionTold&) { return {"extension", {"", "", kExtensionFields}}; }

bool wants(const std::string& wanted, const std::string& value) { return wanted.empty() || wanted == value; }

bool wants_namespace(const EventFilter& filter, const NamespaceName& ns) {
  const auto& only = filter.only_namespaces;
  return wants(filter.ns, ns.text()) && (only.empty() || std::find(only.begin(), only.end(), ns.text()) != only.end());
}

bool passes(const EventFilter& filter, const JobChange& change) {
  return filter.jobs && wants_namespace(filter, change.lane->ns) && wants(filter.queue, change.lane->queue.text()) &&
         wants(filter.type, change.lane->type.text()) && (!filter.job || *filter.job == change.id);
}

bool passes(const EventFilter& filter, const WorkerChange& change) {
  return filter.workers && filter.queue.empty() && filter.type.empty() && !filter.job && wants_namespace(filter, change.ns);
}

bool passes(const EventFilter& filter, const QueueChanged& change) {
  return filter.queues && filter.type.empty() && !filter.job && wants_namespace(filter, change.ns) &&
         wants(filter.queue, change.queue.text());
}

bool passes(const EventFilter& filter, const command::ExtensionTold& told) {
  return filter.extensions && filter.queue.empty() && !filter.job && wants_namespace(filter, told.ns) &&
         wants(filter.type, told.type);
}

bool passes(const EventFilter& filter, const PackageChange& change) {
  return filter.packages && filter.queue.empty() && filter.type.empty() && !filter.job && wants_namespace(filter, change.ns);
}

constexpr std::array<std::string_view, 5> kKinds{"job", "worker", "queue", "extension", "package"};

void read_kinds(QueryReader& in, const ParameterText& text, EventRequest& out) {
  const std::vector<std::size_t> places = read_parameter_words(in, text.name, "kind", kKinds);
  if (places.empty()) return;
  out.filter.jobs = out.filter.workers = out.filter.queues = out.filter.extensions = out.filter.packages = false;
  const std::array<bool*, 5> wanted{&out.filter.jobs, &out.filter.workers, &out.filter.queues, &out.filter.extensions,
                                    &out.filter.packages};
  for (const std::size_t place : places) *wanted[place] = true;
}

void read_event_job(QueryReader& in, const ParameterText& text, EventRequest& out) {
  const auto job = in.text(text.name);
  if (!job || job->empty()) return;
  const auto id = parse_job_id(*job);
  if (id.ok())
    out.filter.job = *id;
  else
    in.refuse(text.name, id.status().message());
}

void read_pace(QueryReader& in, const ParameterText& text, EventRequest& out) {
  const auto pace = in.number(text.name, static_cast<std::uint64_t>(text.range.most));
  if (!pace) return;
  if (Duration(*pace) < kCoalesceMin)
    return in.refuse(text.name,
                     fmt::format("{} is not accepted; {} to {} is", *pace, kCoalesceMin.count(), kCoalesceMax.count()));
  out.pace = Duration(*pace);
}

// Where to resume comes from the header or the query; decode_event_request() knows which.
void read_later(QueryReader&, const ParameterText&, EventRequest&) {}

constexpr std::array kEventParameters{
    parameter<&EventRequest::filter, &EventFilter::ns>("namespace", "Only this one."),
    parameter<&EventRequest::filter, &EventFilter::queue>("queue", "Only this one."),
    parameter<&EventRequest::filter, &EventFilter::type>("type", "Only jobs of this type, and extension frames."),
    Parameter<EventRequest>{{.name = "job", .doc = "Only this job.", .draw = draw_of<JobId>}, read_event_job},
    Parameter<EventRequest>{{.name = "kinds",
                             .doc = "Repeatable, or a comma list.",
                             .draw =
                                 [](Schemas& out) {
                                   draw_type(out, "array");
                                   out.json.key("items");
                                   out.json.begin_object();
                                   draw_words(out, kKinds);
                                   out.json.end_object();
                                 }},
                            read_kinds},
    Parameter<EventRequest>{
        {.name = "coalesce_ms",
         .doc = "At most once in so long, and of each job, worker and queue only the newest.",
         .draw = draw_of<std::uint64_t>,
         .range = {static_cast<double>(kCoalesceMin.count()), static_cast<double>(kCoalesceMax.count()), true}},
        read_pace},
    Parameter<EventRequest>{{.name = "last_event_id",
                             .doc = "Resume after it; for clients that cannot set the header.",
                             .draw = draw_of<std::uint64_t>,
                             .range = {.least = 0}},
                            read_later},
    Parameter<EventRequest>{{.name = "Last-Event-ID",
                             .doc = "Resume after it.",
                             .draw = draw_of<std::uint64_t>,
                             .range = {.least = 0},
                             .in = "header"},
                            read_later},
};

void read_asked_later(QueryReader&, const ParameterText&, RunEventsAsked&) {}

constexpr std::array kRunEventParameters{
    parameter<&RunEventsAsked::ns>("namespace", kDefaultNamespaceDoc),
    parameter<&RunEventsAsked::client>("clientSessionId", "Runs of this client are told, too."),
    parameter<&RunEventsAsked::last_event_id>("last_event_id", "Resume after it; for clients that cannot set the header."),
    Parameter<RunEventsAsked>{{.name = "Last-Event-ID", .doc = "Resume after it.", .draw = draw_of<std::string>, .in = "header"},
                              read_asked_later},
};

constexpr Answer text_answer(std::string_view doc, unsigned status = 200) {
  return {.status = status, .doc = doc, .type = "text/plain"};
}

// What is not a command; the document needs their summaries too.
constexpr std::array kEventOperations{
    Operation{.id = "openapi",
              .answers = {Answer{.status = 200, .draw = draw_any_object, .example = R"({"openapi":"3.1.0"})"}},
              .summary = "This document."},
    Operation{.id = "events",
              .parameters = draw_parameters<kEventParameters>,
              .answers = {Answer{.status = 200,
                                 .doc = "Events named job, worker, queue, extension, package or gap; `id` is a growing number.",
                                 .type = "text/event-stream"}},
              .summary = "What happens, as server-sent events."},
    Operation{.id = "run_events",
              .parameters = draw_parameters<kRunEventParameters>,
              .answers = {Answer{.status = 200,
                                 .doc = "Events of AstraFlow's runs and workers; `id` counts those of the namespace.",
                                 .type = "text/event-stream"}},
              .summary = "What happens to AstraFlow's runs and workers, as server-sent events."},
    Operation{.id = "metrics",
              .answers = {text_answer("Prometheus text format 0.0.4.")},
              .summary = "Metrics in Prometheus text format."},
    Operation{.id = "healthz", .answers = {text_answer("ok")}, .summary = "The process runs."},
    Operation{.id = "readyz",
              .answers = {text_answer("ok"),
                          text_answer("It cannot: store_not_writable, or the reason for those who show a token.", 503)},
              .summary = "The store can write."},
};

}  // namespace

Result<RunEventsAsked> decode_run_events(const std::vector<QueryParameter>& query, const std::string& last_event_id) {
  auto asked = read_query(query, kRunEventParameters, RunEventsAsked());
  if (asked.ok() && !last_event_id.empty()) asked->last_event_id = last_event_id;
  return asked;
}

std::span<const Operation> event_operations() { return kEventOperations; }

Result<EventRequest> decode_event_request(const std::vector<QueryParameter>& query, const std::string& last_event_id) {
  QueryReader in(query);
  EventRequest out;
  read_parameters(in, kEventParameters, out);
  const std::string asked = in.text("last_event_id").value_or("");
  const std::string& resume = last_event_id.empty() ? asked : last_event_id;
  if (!resume.empty()) {
    out.after = parse_number(resume);
    if (!out.after) in.refuse("last_event_id", fmt::format("\"{}\" is not an event number", resume.substr(0, 64)));
  }
  if (Status read = in.finish(); !read.ok()) return read;
  return out;
}

bool passes(const EventFilter& filter, const command::Event& event) {
  return std::visit([&](const auto& change) { return passes(filter, change); }, event.what);
}

void append_event(std::string& out, const command::Event& event) {
  std::visit(
      [&](const auto& change) {
        const auto& [name, object] = told(change);
        fmt::format_to(std::back_inserter(out), "id: {}\nevent: {}\ndata: ", event.number, name);
        JsonWriter writer(out);
        write_object(writer, object, change);
        out.append("\n\n");
      },
      event.what);
}

void append_gap(std::string& out, std::uint64_t number) {
  fmt::format_to(std::back_inserter(out), "id: {}\nevent: gap\ndata: {{}}\n\n", number);
}

}  // namespace muster::http
