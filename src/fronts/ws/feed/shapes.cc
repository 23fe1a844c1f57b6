#include "fronts/ws/feed/shapes.h"

#include <fmt/format.h>

#include <array>
#include <cctype>

#include "base/base64.h"
#include "session/wire_text.h"

namespace muster::ws::feed {
namespace {

constexpr std::array<std::string_view, 6> kStatusWords{"queued", "running", "succeeded", "failed", "cancelled", "skipped"};

// The members of one object, commas included.
class Members {
 public:
  explicit Members(std::string& out) : out_(out) { out_.push_back('{'); }
  void end() { out_.push_back('}'); }

  void text(std::string_view name, std::string_view value) {
    key(name);
    session::append_quoted(out_, value);
  }
  void text_if_any(std::string_view name, std::string_view value) {
    if (!value.empty()) text(name, value);
  }
  void raw(std::string_view name, std::string_view json) {
    key(name);
    out_.append(json);
  }
  void raw_if_any(std::string_view name, std::string_view json) {
    if (!json.empty()) raw(name, json);
  }
  void number(std::string_view name, std::uint64_t value) {
    key(name);
    session::append_number(out_, value);
  }
  void real(std::string_view name, double value) { raw(name, fmt::format("{}", value)); }
  void flag(std::string_view name, bool value) { raw(name, value ? "true" : "false"); }
  void instant(std::string_view name, Instant at) {
    key(name);
    session::append_timestamp(out_, at);
  }
  void instant_if_any(std::string_view name, const std::optional<Instant>& at) {
    if (at) instant(name, *at);
  }
  // An object inside, that `fill` gives members.
  template <class Fill>
  void object(std::string_view name, Fill fill) {
    key(name);
    Members inside(out_);
    fill(inside);
    inside.end();
  }

 private:
  void key(std::string_view name) {
    if (any_) out_.push_back(',');
    any_ = true;
    out_.append(1, '"').append(name).append("\":");
  }

  std::string& out_;
  bool any_ = false;
};

template <class Fill>
std::string object_text(Fill fill) {
  std::string out;
  Members members(out);
  fill(members);
  members.end();
  return out;
}

std::string camel(std::string_view name) {
  std::string out;
  bool upper = false;
  for (const char c : name) {
    if (c == '_') {
      upper = !out.empty();
      continue;
    }
    out.push_back(upper ? static_cast<char>(std::toupper(static_cast<unsigned char>(c))) : c);
    upper = false;
  }
  return out;
}

void fill_error(Members& out, const Error& error) {
  if (error.empty()) return;
  out.object("error", [&](Members& inside) {
    inside.text("code", error.code);
    inside.text("message", error.message);
  });
}

void fill_state(Members& out, const Node& node) {
  out.text("stage", node.stage.empty() ? to_string(node.status) : std::string_view(node.stage));
  if (node.progress) out.real("progress", *node.progress);
  out.text_if_any("message", node.message);
  fill_error(out, node.error);
}

void append_node(std::string& out, const NamedNode& named) {
  const Node& node = *named.node;
  Members members(out);
  members.text("nodeId", node.node_id);
  members.text("taskId", named.task_id);
  members.text("status", to_string(node.status));
  members.text_if_any("workerName", node.worker);
  members.instant_if_any("startedAt", node.started_at);
  members.instant_if_any("finishedAt", node.finished_at);
  if (node.seq != 0) members.number("seq", node.seq);
  members.flag("pendingAck", node.pending_ack);
  members.text_if_any("dispatchId", node.dispatch_id);
  members.raw_if_any("artifacts", node.artifacts);
  members.object("state", [&](Members& inside) { fill_state(inside, node); });
  fill_error(members, node.error);
  members.end();
}

// A member's name within a JSON pointer.
std::string pointer_to(std::string_view member) {
  std::string out = "/";
  for (const char c : member) {
    if (c == '~')
      out.append("~0");
    else if (c == '/')
      out.append("~1");
    else
      out.push_back(c);
  }
  return out;
}

void fill_delta(Members& out, std::string_view kind, const Delta& delta, std::string_view operation, std::string_view path) {
  out.text("kind", kind);
  out.text("runId", delta.run_id);
  out.text("nodeId", delta.node_id);
  out.number("revision", delta.revision);
  out.number("sequence", delta.sequence);
  out.text("operation", operation);
  out.text("path", path);
}

}  // namespace

std::string_view to_string(RunStatus status) { return kStatusWords[static_cast<std::size_t>(status)]; }

std::string run_status(const RunFacts& run) {
  return object_text([&](Members& out) {
    out.text("kind", "run.status");
    out.text("runId", run.run_id);
    out.text("status", to_string(run.status));
    out.instant_if_any("startedAt", run.started_at);
    out.instant_if_any("finishedAt", run.finished_at);
    out.text_if_any("reason", run.error.code);
  });
}

std::string run_snapshot(const RunFacts& run, const std::vector<NamedNode>& nodes) {
  return object_text([&](Members& out) {
    out.text("kind", "run.snapshot");
    out.object("run", [&](Members& inside) {
      inside.text("runId", run.run_id);
      inside.text("status", to_string(run.status));
      inside.text("definitionHash", "");
      inside.text("clientId", run.client);
      inside.instant_if_any("startedAt", run.started_at);
      inside.instant_if_any("finishedAt", run.finished_at);
      fill_error(inside, run.error);
    });
    if (nodes.empty()) return;
    std::string list = "[";
    for (const NamedNode& node : nodes) {
      if (list.size() > 1) list.push_back(',');
      append_node(list, node);
    }
    list.push_back(']');
    out.raw("nodes", list);
  });
}

std::string node_state(std::string_view run_id, const Node& node, Instant at) {
  return object_text([&](Members& out) {
    out.text("kind", "node.state");
    out.text("runId", run_id);
    out.text("nodeId", node.node_id);
    out.object("state", [&](Members& inside) {
      fill_state(inside, node);
      inside.instant("lastUpdatedAt", at);
    });
  });
}

std::string node_result_snapshot(const ResultSnapshot& snapshot) {
  return object_text([&](Members& out) {
    out.text("kind", "node.result.snapshot");
    out.text("runId", snapshot.run_id);
    out.text("nodeId", snapshot.node_id);
    out.number("revision", snapshot.revision);
    out.text("format", "json");
    out.raw("content", snapshot.content.empty() ? "null" : snapshot.content);
    out.raw("artifacts", snapshot.artifacts.empty() ? "[]" : snapshot.artifacts);
    out.raw_if_any("summary", snapshot.summary);
    out.flag("complete", snapshot.complete);
  });
}

std::string node_chunk_delta(const Delta& delta, const OutputChunk& chunk) {
  const std::string_view channel = muster::to_string(chunk.channel);
  return object_text([&](Members& out) {
    fill_delta(out, "node.result.delta", delta, "append", fmt::format("/channels/{}", channel));
    out.object("payload", [&](Members& inside) {
      if (chunk.text)
        inside.text("text", chunk.data);
      else
        inside.text("data", to_base64(chunk.data));
      inside.text_if_any("mimeType", chunk.mime_type);
    });
    out.object("chunkMeta", [&](Members& inside) {
      inside.text("channel", channel);
      inside.raw_if_any("metadata", chunk.metadata);
    });
    out.flag("terminal", chunk.terminal);
  });
}

std::string node_value_delta(const Delta& delta, std::string_view member, std::string_view value) {
  return object_text([&](Members& out) {
    fill_delta(out, "node.result.delta", delta, value.empty() ? "remove" : "replace", pointer_to(member));
    if (!value.empty()) out.object("payload", [&](Members& inside) { inside.raw("value", value); });
    out.flag("terminal", false);
  });
}

std::string worker_heartbeat(const WorkerFacts& worker, Instant at, const json::Tree* beat) {
  return object_text([&](Members& out) {
    out.text("kind", "worker.heartbeat");
    out.text("workerName", worker.name);
    out.instant("at", at);
    out.text_if_any("instanceId", worker.instance);
    out.text_if_any("hostname", worker.hostname);
    out.text_if_any("version", worker.version);
    out.flag("connected", worker.connected);
    out.flag("registered", worker.registered);
    if (beat == nullptr) return;
    out.object("heartbeat", [&](Members& inside) {
      if (const auto healthy = json::flag(*beat, "healthy")) inside.flag("healthy", *healthy);
      if (const json::Tree* metrics = json::member(*beat, "metrics"); metrics != nullptr && metrics->is_object()) {
        json::Tree renamed = json::Tree::object();
        for (const auto& [name, value] : metrics->items()) renamed[camel(name)] = value;
        inside.raw("metrics", json::dump(renamed));
      }
      if (const json::Tree* packages = json::array(*beat, "packages")) inside.raw("packages", json::dump(*packages));
    });
  });
}

std::string worker_package(std::string_view worker, const PackageState& package) {
  return object_text([&](Members& out) {
    out.text("kind", "worker.package");
    out.text("workerName", worker);
    out.text("package", package.name);
    out.text_if_any("version", package.version);
    out.text("status", package.status);
    out.text_if_any("message", package.message);
  });
}

std::string run_artifacts(const json::Tree& artifacts) {
  if (!artifacts.is_array()) return {};
  json::Tree out = json::Tree::array();
  for (const json::Tree& artifact : artifacts) {
    if (!artifact.is_object()) continue;
    json::Tree renamed = json::Tree::object();
    // The first protocol says worker_id where the second says worker_name.
    for (const auto& [name, value] : artifact.items()) renamed[name == "worker_id" ? "workerName" : camel(name)] = value;
    out.push_back(std::move(renamed));
  }
  return json::dump(out);
}

Event make_event(const Occurred& occurred, std::string data) {
  Event event{.number = occurred.number,
              .type = std::string(occurred.type),
              .head = {},
              .tail = {},
              .client = std::string(occurred.scope.client)};
  Members head(event.head);
  head.text("version", "v1");
  head.text("id", std::to_string(occurred.number));
  head.text("type", occurred.type);
  head.instant("occurredAt", occurred.at);
  head.object("scope", [&](Members& scope) {
    scope.text("tenant", occurred.scope.tenant);
    scope.text_if_any("runId", occurred.scope.run);
    scope.text_if_any("workerName", occurred.scope.worker);
    scope.text_if_any("clientSessionId", occurred.scope.client);
  });
  if (!occurred.meta.empty()) event.tail.append(",\"meta\":").append(occurred.meta);
  event.tail.append(",\"data\":").append(data).append("}");
  return event;
}

void append_sse(std::string& out, const Event& event, bool replayed) {
  out.append("id: ").append(std::to_string(event.number));
  out.append("\nevent: ").append(event.type);
  out.append("\ndata: ").append(event.head);
  if (replayed) out.append(",\"replayed\":true");
  out.append(event.tail).append("\n\n");
}

}  // namespace muster::ws::feed
