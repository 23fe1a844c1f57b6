#include "fronts/http/codec/events.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "fronts/http/codec/values.h"
#include "fronts/http/json/writer.h"

namespace muster::http {
namespace {

std::optional<std::uint64_t> parse_number(std::string_view text) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

void write(JsonWriter& out, const JobChange& change) {
  out.begin_object();
  out.member("at", change.at);
  out.member("id", change.id.text());
  out.member("namespace", change.lane->ns.text());
  out.member("queue", change.lane->queue.text());
  out.member("type", change.lane->type.text());
  out.member("event", to_string(change.event));
  if (change.from) out.member("from", to_string(*change.from));
  out.member("to", to_string(change.to));
  out.member("attempt", change.attempt);
  if (to_number(change.fence) != 0) out.member("fence", to_number(change.fence));
  out.member_unless_empty("worker", change.worker.text());
  out.member_unless_empty("cause", change.cause);
  out.end_object();
}

void write(JsonWriter& out, const WorkerChange& change) {
  out.begin_object();
  out.member("at", change.at);
  out.member("namespace", change.ns.text());
  out.member("id", change.id.text());
  out.member("session", to_number(change.session));
  if (change.from) out.member("from", to_string(*change.from));
  out.member("to", to_string(change.to));
  out.member_unless_empty("cause", change.cause);
  out.end_object();
}

void write(JsonWriter& out, const QueueChanged& change) {
  out.begin_object();
  out.member("at", change.at);
  out.member("namespace", change.ns.text());
  out.member("queue", change.queue.text());
  out.member("paused", change.paused);
  out.end_object();
}

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

std::string_view name_of(const JobChange&) { return "job"; }
std::string_view name_of(const WorkerChange&) { return "worker"; }
std::string_view name_of(const QueueChanged&) { return "queue"; }

void read_kinds(QueryReader& in, EventFilter& filter) {
  const std::vector<std::string> kinds = in.words("kinds");
  if (kinds.empty()) return;
  filter.jobs = filter.workers = filter.queues = false;
  for (const std::string& kind : kinds) {
    if (kind == "job")
      filter.jobs = true;
    else if (kind == "worker")
      filter.workers = true;
    else if (kind == "queue")
      filter.queues = true;
    else
      in.refuse("kinds", fmt::format("\"{}\" is not a kind; job, worker or queue is accepted", kind));
  }
}

}  // namespace

Result<EventRequest> decode_event_request(const std::vector<QueryParameter>& query, const std::string& last_event_id) {
  QueryReader in(query);
  EventRequest out;
  out.filter.ns = in.text("namespace").value_or("");
  out.filter.queue = in.text("queue").value_or("");
  out.filter.type = in.text("type").value_or("");
  if (const auto job = in.text("job"); job && !job->empty()) {
    const auto id = parse_job_id(*job);
    if (id.ok())
      out.filter.job = *id;
    else
      in.refuse("job", id.status().message());
  }
  read_kinds(in, out.filter);
  const std::string resume = !last_event_id.empty() ? last_event_id : in.text("last_event_id").value_or("");
  if (!last_event_id.empty()) in.text("last_event_id");
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
        fmt::format_to(std::back_inserter(out), "id: {}\nevent: {}\ndata: ", event.number, name_of(change));
        JsonWriter writer(out);
        write(writer, change);
        out.append("\n\n");
      },
      event.what);
}

void append_gap(std::string& out, std::uint64_t number) {
  fmt::format_to(std::back_inserter(out), "id: {}\nevent: gap\ndata: {{}}\n\n", number);
}

}  // namespace muster::http
