// What a handler of a WebSocket worker gets and what it gives: the task it runs, the feedback it sends on the way, the resources
// it uses, and its outcome. Included by programs; Worker (worker.h) makes the tasks.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sdk/cpp/result.h"
#include "sdk/cpp/time.h"

namespace muster::sdk::ws {

using Json = nlohmann::json;

// Something that must lie on the worker before the task can run.
struct ResourceRef {
  std::string resource_id;
  std::string worker_name;  // who has it
  std::string type;
  std::string scope;  // empty: not said
  std::optional<Instant> expires_at;
};

// A dispatch as the scheduler sent it.
struct TaskInfo {
  std::string dispatch_id;
  std::optional<std::uint64_t> seq;  // the task's number within its run
  std::string run_id;
  std::string task_id;
  std::string node_id;
  std::string node_type;  // which handler it is for
  std::string package_name;
  std::string package_version;
  Json parameters = Json::object();
  std::optional<Duration> timeout;  // constraints.timeout_ms
  std::optional<std::int64_t> priority;
  std::string concurrency_key;  // empty: none
  std::string host_node_id;     // of a task within a chain of middlewares
  std::vector<std::string> middleware_chain;
  std::optional<std::uint64_t> chain_index;  // absent for the host
  std::vector<ResourceRef> resource_refs;
  Json affinity;  // null: none
};

enum class OutputChannel : std::uint8_t { standard_output, standard_error, log, llm, metric, custom };

// A piece of output. The pieces of one channel are in the order of their index.
struct Chunk {
  OutputChannel channel = OutputChannel::log;
  std::string data;
  bool is_binary = false;  // sent as base64; text is UTF-8
  std::string mime_type;   // empty: text/plain
  std::optional<std::uint64_t> index;
  Json metadata;  // null: none; {"terminal": true} marks the last one
};

struct Feedback {
  std::string stage;               // empty: not said
  std::optional<double> progress;  // 0 to 1
  std::string message;
  std::map<std::string, double> metrics;
  std::vector<Chunk> chunks;
  Json metadata;  // null: none; its member `results` becomes part of the node's result
};

// What a task leaves on the worker, or hands over inside its result.
struct Artifact {
  std::string resource_id;
  std::string type;
  std::optional<std::uint64_t> size_bytes;
  bool is_inline = false;  // the result holds it already
  std::optional<Instant> expires_at;
  Json metadata;  // null: none
};

// What a handler makes of a task.
struct Outcome {
  enum class Status : std::uint8_t { succeeded, failed, skipped, cancelled };
  Status status = Status::succeeded;
  Json result = Json::object();  // an object
  std::string code;              // failed: for programs, "E.…"
  std::string message;           // failed: for people
  std::string remediation;       // failed: what helps
  std::vector<Artifact> artifacts;

  static Outcome succeeded(Json result = Json::object());
  static Outcome failed(std::string code, std::string message, Json result = Json::object());
  static Outcome skipped(Json result = Json::object());
  static Outcome cancelled();
};

// What came back from the next of a chain.
struct NextReply {
  Json result = Json::object();
  std::string error_code;  // empty: it succeeded; `next_timeout`, `next_cancelled`, …
  std::string error_message;
  bool ok() const { return error_code.empty(); }
};

// A resource as the worker's registry has it (resources.h).
struct Resource {
  std::string resource_id;
  std::string type;
  std::string scope;
  std::string path;
  std::uint64_t size_bytes = 0;
  std::optional<Instant> expires_at;  // absent: when somebody removes it
  Json metadata;                      // null: none
};

// One task in the hands of a handler. Lives while the handler runs; callable from any thread.
class Task {
 public:
  virtual ~Task() = default;
  virtual const TaskInfo& info() const = 0;
  const Json& parameters() const { return info().parameters; }

  // Stop early: the task's time is over, or the worker's drain deadline has passed.
  virtual bool cancelled() const = 0;
  // Called once, when the task is cancelled, on a thread of the worker; at once if it is already. It must not block, and is not
  // called after the handler has returned.
  virtual void on_cancel(std::function<void()> then) = 0;

  // Delivered in order, also across a lost connection. exhausted: too much waits for the server, and this was left out.
  // invalid_argument: progress is outside 0 to 1, or it is too long.
  virtual Result<Nothing> feedback(const Feedback& feedback) = 0;

  // Runs what is next in the chain of middlewares and waits for it. invalid_argument: the task stands in no chain, or the payload
  // is no object. Everything else is told by the reply.
  virtual Result<NextReply> next(const Json& payload, std::optional<Duration> timeout = {}) = 0;

  // Those that the dispatch referred to; they stay while the task runs.
  virtual const std::vector<Resource>& resources() const = 0;
  // Leaves a resource on this worker and names it among the artifacts of the outcome.
  virtual Result<Nothing> keep(Resource resource) = 0;
};

// An exception it throws becomes an error frame of code E.RUNNER.FAILURE.
using Handler = std::function<Outcome(Task&)>;

}  // namespace muster::sdk::ws
