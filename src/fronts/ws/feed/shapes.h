// The events that AstraFlow's UIs are told, as texts: envelope and data of each type. Pure; who is told what and when is
// run_feed.h.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/json_reader.h"
#include "model/output.h"

namespace muster::ws::feed {

enum class RunStatus : std::uint8_t { queued, running, succeeded, failed, cancelled, skipped };
std::string_view to_string(RunStatus status);
constexpr bool is_final(RunStatus status) { return status != RunStatus::queued && status != RunStatus::running; }

// Whom an event is about, and so whom it is for.
struct Scope {
  std::string_view tenant;
  std::string_view run{};
  std::string_view worker{};
  std::string_view client{};  // set: only its connections are told
};

struct Error {
  std::string code;
  std::string message;
  bool empty() const { return code.empty() && message.empty(); }
};

// One task of a run.
struct Node {
  std::string node_id;
  RunStatus status = RunStatus::queued;
  std::string worker;
  std::string dispatch_id;
  std::uint64_t seq = 0;
  bool pending_ack = false;
  std::optional<Instant> started_at;
  std::optional<Instant> finished_at;
  std::string stage;
  std::optional<double> progress;
  std::string message;
  Error error;
  std::string artifacts;  // as RunArtifact[], or empty
};

struct RunFacts {
  std::string_view run_id;
  RunStatus status = RunStatus::queued;
  std::string_view client;
  std::optional<Instant> started_at;
  std::optional<Instant> finished_at;
  Error error{};
};
struct NamedNode {
  std::string_view task_id;
  const Node* node = nullptr;
};

// `data` of each type.
std::string run_status(const RunFacts& run);
std::string run_snapshot(const RunFacts& run, const std::vector<NamedNode>& nodes);
std::string node_state(std::string_view run_id, const Node& node, Instant at);

struct ResultSnapshot {
  std::string_view run_id;
  std::string_view node_id;
  std::uint64_t revision = 0;
  std::string_view content;      // JSON; empty: left out, because it is too long
  std::string_view artifacts{};  // RunArtifact[]; empty: none
  std::string_view summary{};    // JSON; empty: none
  bool complete = false;
};
std::string node_result_snapshot(const ResultSnapshot& snapshot);

struct Delta {
  std::string_view run_id;
  std::string_view node_id;
  std::uint64_t revision = 0;
  std::uint64_t sequence = 0;
};
std::string node_chunk_delta(const Delta& delta, const OutputChunk& chunk);
// `value`: JSON; empty: the member was removed.
std::string node_value_delta(const Delta& delta, std::string_view member, std::string_view value);

struct WorkerFacts {
  std::string_view name;
  std::string_view instance;
  std::string_view hostname;
  std::string_view version;
  bool connected = true;
  bool registered = true;
};
// `beat`: the payload of its heartbeat, or null.
std::string worker_heartbeat(const WorkerFacts& worker, Instant at, const json::Tree* beat);

struct PackageState {
  std::string_view name;
  std::string_view version;
  std::string_view status;
  std::string_view message{};
};
std::string worker_package(std::string_view worker, const PackageState& package);

// Artifacts of a result frame, in the names of the HTTP API: RunArtifact[].
std::string run_artifacts(const json::Tree& artifacts);

// One event as it is kept: everything but whether it is sent again.
struct Event {
  std::uint64_t number = 0;
  std::string type;
  std::string head;  // the envelope up to its scope
  std::string tail;  // from its data on
  std::string client;
  std::size_t bytes() const { return type.size() + head.size() + tail.size() + client.size(); }
};
struct Occurred {
  std::uint64_t number = 0;
  std::string_view type;
  Instant at{};
  Scope scope;
  std::string_view meta{};  // JSON; empty: none
};
Event make_event(const Occurred& occurred, std::string data);
void append_sse(std::string& out, const Event& event, bool replayed);
inline constexpr std::string_view kSseHeartbeat = ": heartbeat\n\n";

}  // namespace muster::ws::feed
