#include "sdk/cpp/reading.h"

namespace muster::sdk {

using namespace reading;

namespace {

std::vector<LeaseRef> leases(const Json& json, const char* key) {
  if (!find(json, key)) return {};
  return elements(json, key, lease);
}

WorkerInfo read_worker(const Json& json) {
  WorkerInfo worker;
  worker.ns = text(json, "namespace");
  worker.id = json.at("id").get<std::string>();
  worker.dialect = text(json, "dialect");
  worker.state = text(json, "state");
  worker.health = text(json, "health");
  worker.capabilities = texts(json, "capabilities");
  worker.queues = texts(json, "queues");
  worker.labels = labels(json, "labels");
  worker.slots = number<std::uint32_t>(json, "slots");
  worker.running = number<std::uint32_t>(json, "running");
  worker.completed = number<std::uint64_t>(json, "completed");
  worker.failed = number<std::uint64_t>(json, "failed");
  worker.hostname = text(json, "hostname");
  worker.version = text(json, "version");
  worker.registered_at = instant(json, "registered_at");
  worker.last_seen_at = instant(json, "last_seen_at");
  worker.offline_at = instant(json, "offline_at");
  worker.drain_deadline = instant(json, "drain_deadline");
  worker.offline_cause = text(json, "offline_cause");
  worker.drain_reason = text(json, "drain_reason");
  worker.document = document(json);
  return worker;
}

Queue read_queue(const Json& json) {
  Queue queue;
  queue.ns = text(json, "namespace");
  queue.name = json.at("name").get<std::string>();
  queue.paused = number<bool>(json, "paused");
  queue.pause_reason = text(json, "pause_reason");
  queue.running_max = number_if<std::uint32_t>(json, "running_max");
  if (const Json* by_type = find(json, "running_max_by_type"))
    for (const auto& [type, max] : by_type->items()) queue.running_max_by_type[type] = max.get<std::uint32_t>();
  if (const Json* rate = find(json, "rate"))
    queue.rate = Rate{.count = number<double>(*rate, "count"),
                      .per = duration(*rate, "per_ms"),
                      .burst = number<std::uint32_t>(*rate, "burst")};
  queue.scheduled = number<std::uint64_t>(json, "scheduled");
  queue.ready = number<std::uint64_t>(json, "ready");
  queue.running = number<std::uint64_t>(json, "running");
  queue.dead = number<std::uint64_t>(json, "dead");
  queue.enqueued_total = number<std::uint64_t>(json, "enqueued_total");
  queue.completed_total = number<std::uint64_t>(json, "completed_total");
  queue.oldest_ready_at = instant(json, "oldest_ready_at");
  queue.completed_per_second = number<double>(json, "completed_per_second");
  queue.document = document(json);
  return queue;
}

Namespace read_namespace(const Json& json) {
  return Namespace{.name = json.at("name").get<std::string>(),
                   .description = text(json, "description"),
                   .created_at = instant(json, "created_at"),
                   .document = document(json)};
}

ServerInfo read_server(const Json& json) {
  ServerInfo info;
  info.version = json.at("version").get<std::string>();
  info.started_at = instant(json, "started_at");
  if (const Json* store = find(json, "store")) {
    info.store_kind = text(*store, "kind");
    info.store_location = text(*store, "location");
    info.schema_version = number<std::uint32_t>(*store, "schema_version");
    info.store_bytes = number<std::uint64_t>(*store, "bytes");
    info.jobs_live = number<std::uint64_t>(*store, "jobs_live");
    info.jobs_finished = number<std::uint64_t>(*store, "jobs_finished");
    info.commits = number<std::uint64_t>(*store, "commits");
    info.group_size_mean = number<double>(*store, "group_size_mean");
  }
  info.writable = number_if<bool>(json, "writable").value_or(true);
  info.reason = text(json, "reason");
  info.workers = number<std::uint64_t>(json, "workers");
  if (const Json* listeners = find(json, "listeners"))
    for (const auto& [name, address] : listeners->items())
      if (address.is_string()) info.listeners[name] = address.get<std::string>();
  info.document = document(json);
  return info;
}

ClusterNode read_node(const Json& json) {
  ClusterNode node;
  node.name = json.at("name").get<std::string>();
  node.address = text(json, "address");
  node.version = text(json, "version");
  node.started_at = instant(json, "started_at");
  node.seen_at = instant(json, "seen_at");
  node.leader = number<bool>(json, "leader");
  node.listening = number<bool>(json, "listening");
  node.pending = number<std::uint32_t>(json, "pending");
  node.workers = number<std::uint64_t>(json, "workers");
  node.notify_lag = duration(json, "notify_lag_ms");
  node.document = document(json);
  return node;
}

Cluster read_cluster(const Json& json) {
  Cluster cluster;
  cluster.now = instant(json, "now");
  cluster.self = text(json, "self");
  cluster.leader = text(json, "leader");
  cluster.term = number<std::uint64_t>(json, "term");
  cluster.leader_until = instant(json, "leader_until");
  cluster.nodes = elements(json, "nodes", read_node);
  cluster.document = document(json);
  return cluster;
}

}  // namespace

Result<Registered> decode_registered(std::string_view body) {
  return decoded(body, [](const Json& json) {
    return Registered{.id = json.at("id").get<std::string>(),
                      .session = json.at("session").get<std::uint64_t>(),
                      .heartbeat = duration(json, "heartbeat_ms"),
                      .dead_after = duration(json, "dead_after_ms"),
                      .replaced = number<bool>(json, "replaced")};
  });
}

Result<BeatReply> decode_beat(std::string_view body) {
  return decoded(body, [](const Json& json) {
    return BeatReply{.state = json.at("state").get<std::string>(),
                     .drain_deadline = instant(json, "drain_deadline"),
                     .drain_reason = text(json, "drain_reason"),
                     .next_beat_in = duration(json, "next_beat_in_ms"),
                     .cancel = leases(json, "cancel"),
                     .lost = leases(json, "lost")};
  });
}

Result<WorkerInfo> decode_worker(std::string_view body) { return decoded(body, read_worker); }

Result<WorkerPage> decode_worker_page(std::string_view body) {
  return decoded(body, [](const Json& json) {
    return WorkerPage{.workers = elements(json, "workers", read_worker), .next = text(json, "next")};
  });
}

Result<Queue> decode_queue(std::string_view body) { return decoded(body, read_queue); }

Result<std::vector<Queue>> decode_queues(std::string_view body) {
  return decoded(body, [](const Json& json) { return elements(json, "queues", read_queue); });
}

Result<Namespace> decode_namespace(std::string_view body) { return decoded(body, read_namespace); }

Result<std::vector<Namespace>> decode_namespaces(std::string_view body) {
  return decoded(body, [](const Json& json) { return elements(json, "namespaces", read_namespace); });
}

Result<ServerInfo> decode_server(std::string_view body) { return decoded(body, read_server); }

Result<Cluster> decode_cluster(std::string_view body) { return decoded(body, read_cluster); }

Result<Backup> decode_backup(std::string_view body) {
  return decoded(body, [](const Json& json) {
    return Backup{.path = json.at("path").get<std::string>(),
                  .bytes = number<std::uint64_t>(json, "bytes"),
                  .took = duration(json, "took_ms"),
                  .document = document(json)};
  });
}

Result<Event> decode_event(const ServerEvent& event) {
  if (event.event == "gap")
    return Event{.number = event.id,
                 .kind = "gap",
                 .at = {},
                 .ns = {},
                 .id = {},
                 .queue = {},
                 .type = {},
                 .event = {},
                 .from = {},
                 .to = {},
                 .worker = {},
                 .cause = {},
                 .attempt = 0,
                 .paused = false,
                 .document = R"({"event":"gap"})"};
  return decoded(event.data, [&event](const Json& json) {
    Event out;
    out.number = event.id;
    out.kind = event.event;
    out.at = instant(json, "at");
    out.ns = text(json, "namespace");
    out.id = text(json, "id");
    out.queue = text(json, "queue");
    out.type = text(json, "type");
    out.event = text(json, "event");
    out.from = text(json, "from");
    out.to = text(json, "to");
    out.worker = text(json, "worker");
    out.cause = text(json, "cause");
    out.attempt = number<std::uint32_t>(json, "attempt");
    out.paused = number<bool>(json, "paused");
    out.document = document(json);
    return out;
  });
}

}  // namespace muster::sdk
