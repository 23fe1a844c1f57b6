#include "fronts/http/codec/queues.h"

#include "command/namespaces.h"
#include "command/queues.h"
#include "command/server.h"
#include "fronts/http/codec/values.h"
#include "fronts/http/json/fields.h"

namespace muster::http {
namespace {

using In = JsonReader;
using command::NamespaceCreateRequest;
using command::QueueLimitRequest;
using command::QueuePauseRequest;
using command::QueueResumeRequest;

constexpr std::array kPauseFields{
    Field<QueuePauseRequest>{"namespace", [](In& in, QueuePauseRequest& out) { read(in, out.ns); }},
    Field<QueuePauseRequest>{"reason", [](In& in, QueuePauseRequest& out) { out.reason = in.read_string(); }},
};

constexpr std::array kResumeFields{
    Field<QueueResumeRequest>{"namespace", [](In& in, QueueResumeRequest& out) { read(in, out.ns); }},
};

constexpr std::array kRateFields{
    Field<RateLimit>{"count", [](In& in, RateLimit& out) { out.count = in.read_double(); }, Need::required},
    Field<RateLimit>{"per_ms", [](In& in, RateLimit& out) { out.per = read_duration(in); }},
    Field<RateLimit>{"burst", [](In& in, RateLimit& out) { out.burst = read_count(in); }},
};

std::map<std::string, std::uint32_t> read_caps(In& in) {
  std::map<std::string, std::uint32_t> caps;
  if (!in.enter_object()) return caps;
  std::string type;
  while (in.next_member(type)) {
    const FieldScope scope(in, type);
    const std::uint32_t cap = read_count(in);
    if (in.ok() && !caps.emplace(type, cap).second) in.refuse("given twice");
  }
  return caps;
}

constexpr std::array kLimitFields{
    Field<QueueLimitRequest>{"namespace", [](In& in, QueueLimitRequest& out) { read(in, out.ns); }},
    Field<QueueLimitRequest>{"running_max", [](In& in, QueueLimitRequest& out) { out.running_max = read_count(in); }},
    Field<QueueLimitRequest>{"running_max_by_type",
                             [](In& in, QueueLimitRequest& out) { out.running_max_by_type = read_caps(in); }},
    Field<QueueLimitRequest>{"rate", [](In& in, QueueLimitRequest& out) { read_object(in, kRateFields, out.rate.emplace()); }},
};

constexpr std::array kNamespaceFields{
    Field<NamespaceCreateRequest>{"name", [](In& in, NamespaceCreateRequest& out) { read(in, out.name); }, Need::required},
    Field<NamespaceCreateRequest>{"description", [](In& in, NamespaceCreateRequest& out) { out.description = in.read_string(); }},
};

constexpr std::array kBackupFields{
    Field<command::BackupCreateRequest>{"name", [](In& in, command::BackupCreateRequest& out) { out.name = in.read_string(); }},
    Field<command::BackupCreateRequest>{
        "path",
        [](In& in, command::BackupCreateRequest&) {
          in.refuse("a place on the server is not accepted; give \"name\", that of a file in its folder of backups");
        }},
};

void write_store(JsonWriter& out, const store::StoreInfo& store) {
  out.key("store");
  out.begin_object();
  out.member("kind", store.kind);
  out.member("location", store.location);
  out.member("schema_version", store.schema_version);
  out.member("bytes", store.bytes);
  out.member("jobs_live", store.jobs_live);
  out.member("jobs_finished", store.jobs_finished);
  out.member("commits", store.commits);
  out.member("group_size_mean", store.group_size_mean);
  out.end_object();
}

}  // namespace

Result<command::QueueListRequest> decode_queue_list(const std::vector<QueryParameter>& query) {
  QueryReader in(query);
  command::QueueListRequest out;
  out.ns = NamespaceName(in.text("namespace").value_or(""));
  if (Status read = in.finish(); !read.ok()) return read;
  return out;
}

Result<QueuePauseRequest> decode_queue_pause(std::string queue, std::string_view body) {
  QueuePauseRequest initial;
  initial.queue = QueueName(std::move(queue));
  if (body.empty()) return initial;
  return read_body(body, kPauseFields, std::move(initial));
}

Result<QueueResumeRequest> decode_queue_resume(std::string queue, std::string_view body) {
  QueueResumeRequest initial;
  initial.queue = QueueName(std::move(queue));
  if (body.empty()) return initial;
  return read_body(body, kResumeFields, std::move(initial));
}

Result<QueueLimitRequest> decode_queue_limit(std::string queue, std::string_view body) {
  QueueLimitRequest initial;
  initial.queue = QueueName(std::move(queue));
  return read_body(body, kLimitFields, std::move(initial));
}

Result<NamespaceCreateRequest> decode_namespace_create(std::string_view body) {
  return read_body(body, kNamespaceFields, NamespaceCreateRequest{});
}

Result<command::BackupCreateRequest> decode_backup_create(std::string_view body) {
  return read_body(body, kBackupFields, command::BackupCreateRequest{});
}

void write(JsonWriter& out, const QueueStats& queue) {
  out.begin_object();
  out.member("namespace", queue.ns.text());
  out.member("name", queue.queue.text());
  out.member("paused", queue.settings.paused);
  out.member_unless_empty("pause_reason", queue.settings.pause_reason);
  out.member("running_max", queue.settings.running_max);
  if (!queue.settings.running_max_by_type.empty()) {
    out.key("running_max_by_type");
    out.begin_object();
    for (const auto& [type, cap] : queue.settings.running_max_by_type) out.member(type, cap);
    out.end_object();
  }
  if (queue.settings.rate) {
    out.key("rate");
    out.begin_object();
    out.member("count", queue.settings.rate->count);
    out.member("per_ms", queue.settings.rate->per);
    out.member("burst", queue.settings.rate->burst);
    out.end_object();
  }
  out.member("scheduled", queue.scheduled);
  out.member("ready", queue.ready);
  out.member("running", queue.running);
  out.member("dead", queue.dead);
  out.member("enqueued_total", queue.enqueued_total);
  out.member("completed_total", queue.completed_total);
  out.member("oldest_ready_at", queue.oldest_ready_at);
  out.member("completed_per_second", queue.completed_per_second);
  out.end_object();
}

void write(JsonWriter& out, const NamespaceInfo& info) {
  out.begin_object();
  out.member("name", info.name.text());
  out.member("description", info.description);
  out.member("created_at", info.created_at);
  out.end_object();
}

void write(JsonWriter& out, const store::BackupReport& report) {
  out.begin_object();
  out.member("path", report.path);
  out.member("bytes", report.bytes);
  out.member("took_ms", report.took);
  out.end_object();
}

void write(JsonWriter& out, const command::ServerInfoReply& info) {
  out.begin_object();
  out.member("version", info.facts.version);
  out.member("started_at", info.facts.started_at);
  write_store(out, info.store);
  out.member("writable", info.health.writable);
  out.member_unless_empty("reason", info.health.reason);
  out.member("workers", info.workers);
  write_labels(out, "listeners", info.listeners);
  out.end_object();
}

}  // namespace muster::http
