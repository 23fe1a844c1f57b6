#include "sdk/cpp/ws/task_payloads.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "base/base64.h"
#include "base/time_text.h"

namespace muster::sdk::ws {
namespace {

using json::Tree;
using session::Protocol;

// Constants of the wire. A handler that runs for a day is a mistake nobody waits for.
constexpr std::uint64_t kTimeoutMsLongest = 7ULL * 86'400'000;

bool is_given(const Tree& payload, const char* name) {
  const Tree* found = json::member(payload, name);
  return found != nullptr && !found->is_null();
}

muster::Status take_text(const Tree& payload, const char* name, std::string& out) {
  const std::string* found = json::text(payload, name);
  if (found == nullptr || found->empty())
    return muster::Status::invalid_argument(fmt::format("dispatch member '{}' must be a string that is not empty", name));
  out = *found;
  return {};
}

std::string text_or_nothing(const Tree& payload, const char* name) {
  const std::string* found = json::text(payload, name);
  return found == nullptr ? std::string() : *found;
}

std::optional<Instant> time_of(const Tree& payload, const char* name) {
  const std::string* found = json::text(payload, name);
  return found == nullptr ? std::nullopt : parse_rfc3339(*found);
}

muster::Status take_refs(const Tree& payload, Protocol protocol, std::vector<ResourceRef>& out) {
  if (!is_given(payload, "resource_refs")) return {};
  const Tree* refs = json::array(payload, "resource_refs");
  if (refs == nullptr) return muster::Status::invalid_argument("dispatch member 'resource_refs' must be an array");
  for (const Tree& entry : *refs) {
    ResourceRef ref;
    for (const auto& [name, place] :
         {std::pair{"resource_id", &ref.resource_id},
          std::pair{protocol == Protocol::v1 ? "worker_id" : "worker_name", &ref.worker_name}, std::pair{"type", &ref.type}})
      if (muster::Status status = take_text(entry, name, *place); !status.ok()) return status.annotate("resource_refs");
    ref.scope = text_or_nothing(entry, "scope");
    ref.expires_at = time_of(entry, "expires_at");
    out.push_back(std::move(ref));
  }
  return {};
}

std::string_view channel_name(OutputChannel channel) {
  switch (channel) {
    case OutputChannel::standard_output: return "stdout";
    case OutputChannel::standard_error: return "stderr";
    case OutputChannel::log: return "log";
    case OutputChannel::llm: return "llm";
    case OutputChannel::metric: return "metric";
    case OutputChannel::custom: break;
  }
  return "custom";
}

Tree chunk_document(const Chunk& chunk) {
  Tree out{{"channel", channel_name(chunk.channel)}};
  if (chunk.index) out["index"] = *chunk.index;
  if (!chunk.mime_type.empty()) out["mime_type"] = chunk.mime_type;
  if (chunk.is_binary)
    out["data_base64"] = to_base64(chunk.data);
  else
    out["text"] = chunk.data;
  if (chunk.metadata.is_object()) out["metadata"] = chunk.metadata;
  return out;
}

std::string_view status_name(Outcome::Status status) {
  switch (status) {
    case Outcome::Status::succeeded: return "SUCCEEDED";
    case Outcome::Status::failed: return "FAILED";
    case Outcome::Status::skipped: return "SKIPPED";
    case Outcome::Status::cancelled: break;
  }
  return "CANCELLED";
}

Tree artifact_document(const Artifact& artifact, std::string_view worker_name, Protocol protocol) {
  Tree out{{"resource_id", artifact.resource_id},
           {protocol == Protocol::v1 ? "worker_id" : "worker_name", worker_name},
           {"type", artifact.type}};
  if (artifact.size_bytes) out["size_bytes"] = *artifact.size_bytes;
  if (artifact.is_inline) out["inline"] = true;
  if (artifact.expires_at) out["expires_at"] = to_rfc3339(*artifact.expires_at);
  if (artifact.metadata.is_object()) out["metadata"] = artifact.metadata;
  return out;
}

// What the dispatch said about how it is run, repeated for those who look at results alone.
Tree echo_of(const TaskInfo& task) {
  Tree out{{"constraints", Tree::object()}};
  if (task.timeout) out["constraints"]["timeout_ms"] = task.timeout->count();
  if (!task.concurrency_key.empty()) out["concurrency_key"] = task.concurrency_key;
  if (!task.host_node_id.empty()) out["host_node_id"] = task.host_node_id;
  if (!task.middleware_chain.empty()) out["middleware_chain"] = task.middleware_chain;
  if (task.chain_index) out["chain_index"] = *task.chain_index;
  if (task.affinity.is_object()) out["affinity"] = task.affinity;
  return out;
}

}  // namespace

muster::Status read_dispatch(const session::Envelope& frame, Protocol protocol, TaskInfo& task) {
  const Tree& payload = frame.payload.tree();
  task.dispatch_id = frame.id;
  task.seq = frame.seq;
  muster::Status status;
  for (const auto& [name, place] :
       {std::pair{"run_id", &task.run_id}, std::pair{"task_id", &task.task_id}, std::pair{"node_id", &task.node_id},
        std::pair{"node_type", &task.node_type}, std::pair{"package_name", &task.package_name},
        std::pair{"package_version", &task.package_version}})
    if (muster::Status read = take_text(payload, name, *place); status.ok()) status = std::move(read);
  if (!status.ok()) return status;
  const Tree* parameters = json::member(payload, "parameters");
  if (parameters == nullptr || !parameters->is_object())
    return muster::Status::invalid_argument("dispatch member 'parameters' must be an object");
  task.parameters = *parameters;
  if (const Tree* constraints = json::member(payload, "constraints");
      constraints != nullptr && is_given(*constraints, "timeout_ms")) {
    const auto timeout = json::natural(*constraints, "timeout_ms");
    if (!timeout || *timeout == 0)
      return muster::Status::invalid_argument("dispatch member 'constraints.timeout_ms' must be an integer from 1");
    task.timeout = Duration(static_cast<std::int64_t>(std::min(*timeout, kTimeoutMsLongest)));
  }
  task.priority = json::integer(payload, "priority");
  task.concurrency_key = text_or_nothing(payload, "concurrency_key");
  task.host_node_id = text_or_nothing(payload, "host_node_id");
  task.middleware_chain = json::get<std::vector<std::string>>(payload, "middleware_chain").value_or(std::vector<std::string>());
  task.chain_index = json::natural(payload, "chain_index");
  if (const Tree* affinity = json::member(payload, "affinity")) task.affinity = *affinity;
  return take_refs(payload, protocol, task.resource_refs);
}

std::string feedback_payload(const TaskInfo& task, const Feedback& feedback) {
  Tree out{{"run_id", task.run_id}, {"task_id", task.task_id}};
  if (!feedback.stage.empty()) out["stage"] = feedback.stage;
  if (feedback.progress) out["progress"] = *feedback.progress;
  if (!feedback.message.empty()) out["message"] = feedback.message;
  if (!feedback.metrics.empty()) out["metrics"] = feedback.metrics;
  if (feedback.metadata.is_object()) out["metadata"] = feedback.metadata;
  for (const Chunk& chunk : feedback.chunks) out["chunks"].push_back(chunk_document(chunk));
  return json::dump(out);
}

OutcomeFrame result_frame(const TaskInfo& task, const Outcome& outcome, Duration took, std::string_view worker_name,
                          Protocol protocol) {
  Tree out{{"run_id", task.run_id},
           {"task_id", task.task_id},
           {"status", status_name(outcome.status)},
           {"result", outcome.result.is_object() ? outcome.result : Tree{{"value", outcome.result}}},
           {"duration_ms", std::max<std::int64_t>(0, took.count())},
           {"metadata", echo_of(task)}};
  if (outcome.status == Outcome::Status::failed) {
    out["error"] = {{"code", outcome.code.empty() ? std::string(session::kRunnerFailure.code) : outcome.code},
                    {"message", outcome.message.empty() ? std::string(session::kRunnerFailure.reason) : outcome.message}};
    if (!outcome.remediation.empty()) out["error"]["remediation"] = outcome.remediation;
  }
  for (const Artifact& artifact : outcome.artifacts)
    out["artifacts"].push_back(artifact_document(artifact, worker_name, protocol));
  return {.kind = session::FrameKind::result, .payload = json::dump(out)};
}

OutcomeFrame error_frame(const TaskInfo& task, const session::ErrorCode& code, std::string_view message, std::string_view where) {
  Tree details = Tree::object();
  for (const auto& [name, value] :
       {std::pair{"run_id", &task.run_id}, std::pair{"task_id", &task.task_id}, std::pair{"node_id", &task.node_id}})
    if (!value->empty()) details[name] = *value;
  const Tree out{{"code", code.code},
                 {"message", message.empty() ? code.reason : message},
                 {"context", {{"where", where}, {"details", std::move(details)}}}};
  return {.kind = session::FrameKind::error, .payload = json::dump(out)};
}

std::string next_request_payload(const TaskInfo& task, const NextAsk& ask) {
  Tree out{{"requestId", ask.request_id},
           {"runId", task.run_id},
           {"nodeId", task.node_id},
           {"middlewareId", task.node_id},
           {"payload", ask.payload}};
  if (task.chain_index) out["chainIndex"] = *task.chain_index;
  if (ask.timeout) out["timeoutMs"] = std::max<std::int64_t>(1, ask.timeout->count());
  return json::dump(out);
}

muster::Result<NextAnswer> read_next_response(const Tree& payload) {
  const std::string* id = json::text(payload, "requestId");
  if (id == nullptr) return muster::Status::invalid_argument("a next response without requestId");
  NextAnswer answer{.request_id = *id, .reply = {}};
  if (const Tree* result = json::member(payload, "result"); result != nullptr && result->is_object())
    answer.reply.result = *result;
  if (const Tree* error = json::member(payload, "error"); error != nullptr && error->is_object()) {
    answer.reply.error_code = text_or_nothing(*error, "code");
    answer.reply.error_message = text_or_nothing(*error, "message");
    if (answer.reply.error_code.empty()) answer.reply.error_code = session::kNextFailed.code;
  }
  return answer;
}

}  // namespace muster::sdk::ws
