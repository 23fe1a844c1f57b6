// A worker for AstraFlow's schedulers over WebSocket, in one object: connects, registers what it can run, is pushed tasks, runs
// handlers on a few threads, and delivers what they make of them. Muster's server is such a scheduler, the original one too.
//
//   I/O thread:      socket, session, windows, heartbeats, which task may begin   (machine.h, task_table.h)
//   handler threads: one task each, at most max_parallel
//
// A connection that is lost is made again, at once and then with growing waits, and the session is resumed: running handlers go
// on, and what they make meanwhile is delivered afterwards, in order. A dispatch that comes again is run once.
#pragma once

#include <chrono>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "sdk/cpp/ws/resources.h"
#include "sdk/cpp/ws/task.h"

namespace muster::sdk::ws {

// docs/limits.md
inline constexpr std::uint32_t kParallelMax = 1'024;
inline constexpr std::size_t kOutcomeBytesMax = 8 * 1024 * 1024;  // of a result or an error; a longer one becomes an error
inline constexpr std::size_t kFeedbackBytesMax = 1024 * 1024;     // of one feedback

enum class ProtocolVersion : std::uint8_t { v1 = 1, v2 = 2 };
enum class AuthMode : std::uint8_t { token, mtls };

struct TlsFiles {
  std::string ca_file;    // PEM; empty: the system's authorities
  std::string cert_file;  // PEM, of this worker
  std::string key_file;
};

// Whether a worker could connect there. invalid_argument: what is wrong, and the accepted form.
Result<Nothing> check_url(std::string_view url);

// A package of nodes as the scheduler is told about it. Its manifest lists the node types that belong to it.
struct Package {
  std::string name;
  std::string version;
  Json manifest;  // null: one is made of the registered handlers; only one package may leave it to that
};

struct WorkerOptions {
  std::string url = "ws://127.0.0.1:8080/ws/worker";  // or wss://
  ProtocolVersion protocol = ProtocolVersion::v2;
  std::string tenant = "default";
  std::string name = "worker-local";  // for people; of protocol 1: who it is
  // Who this process is for the scheduler. Empty: what stands in the file, which is made when it is not there.
  std::string instance_id;
  std::string instance_file = "var/worker_instance_id";
  std::string version = "0.1.0";
  std::string hostname;  // empty: this machine's

  AuthMode auth = AuthMode::token;
  std::string token;        // empty: none is sent
  std::string fingerprint;  // of mtls; empty: SHA-256 of the certificate in tls.cert_file
  TlsFiles tls;

  std::uint32_t max_parallel = 1;
  std::map<std::string, std::uint32_t> per_node_limits;  // node type → tasks at a time
  std::vector<std::string> runtimes{"cpp"};
  std::vector<std::string> features;
  std::vector<Package> packages;           // empty: one package `<name>@<version>` of all handlers
  std::vector<std::string> payload_types;  // empty: those of execution
  std::uint32_t window = 64;               // frames under way, 1 to 64

  Duration heartbeat{30'000};
  Duration heartbeat_jitter{5'000};
  Duration drain_deadline{30'000};  // of shutdown(): then running tasks are handed back
  bool handles_signals = true;      // run(): SIGINT and SIGTERM drain, the second one stops
  std::string data_folder = ".";    // whose disk is told by heartbeats

  std::function<bool()> healthy;                // told by heartbeats; empty: always
  std::shared_ptr<ResourceRegistry> resources;  // shared with whoever fills it; null: one of its own
  // Frames `ext.vendor.*` of the scheduler. On the I/O thread: must not block or throw.
  std::function<void(const std::string& type, const Json& payload)> on_extension;
  std::function<void(std::string_view)> log;  // one line for people; empty: stderr
};

struct WorkerStatus {
  std::string instance_id;
  std::string state;           // NEW, HANDSHAKING, REGISTERED, READY, DRAINING, CLOSED, BACKOFF
  std::uint64_t sessions = 0;  // begun afresh
  std::uint64_t connections = 0;
  std::size_t inflight = 0;
  std::size_t unacknowledged = 0;  // frames the scheduler has not confirmed
  std::uint64_t finished = 0;      // tasks whose outcome was sent
  std::uint64_t refused = 0;       // dispatches that were not run: repeats, missing resources
  std::uint64_t abandoned = 0;     // tasks that the deadline of a drain handed back
  std::uint64_t feedback_dropped = 0;
};

class Worker {
 public:
  // invalid_argument: which setting, its value and what it may be. conflict: another process has the instance file. No connection
  // is made here.
  static Result<std::unique_ptr<Worker>> open(WorkerOptions options);
  ~Worker();  // as stop(), and waits for the I/O thread
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  // `function` is Outcome(Task&), or Json(Task&) for those that succeed or throw. Before start() or run(); a mistake (a type
  // twice, an empty one) is told by those.
  template <class F>
  Worker& register_node(std::string node_type, F&& function) {
    if constexpr (std::is_same_v<std::invoke_result_t<F&, Task&>, Outcome>) {
      return add(std::move(node_type), std::forward<F>(function));
    } else {
      return add(std::move(node_type),
                 [function = std::forward<F>(function)](Task& task) mutable { return Outcome::succeeded(Json(function(task))); });
    }
  }

  // start(), then waits for the end. unauthenticated: the scheduler refuses this worker.
  Result<Nothing> run();
  // Begins on threads of its own. invalid_argument: no handler, or a mistake in one. Once.
  Result<Nothing> start();
  // Until the worker has ended, by shutdown(), a signal, or because it was refused.
  Result<Nothing> wait();

  // After the end: until every handler has returned, at most so long. False: some have not, and must not lose what they use.
  bool wait_for_handlers(Duration at_most);

  // No new tasks; those that run go on until they end, or until the deadline, when they are handed back; then the worker says
  // goodbye. Any thread, any number of times; the earliest deadline counts.
  void shutdown();
  void drain(Duration deadline);
  void stop() { drain(Duration(0)); }

  WorkerStatus status() const;
  ResourceRegistry& resources();
  // `inflight_tasks`, `task_duration_ms_bucket{node_type}`, `heartbeat_sent_total`, `heartbeat_degraded_total`, as Prometheus
  // reads them.
  std::string metrics() const;

 private:
  struct State;
  explicit Worker(std::shared_ptr<State> state);
  Worker& add(std::string node_type, Handler handler);
  std::shared_ptr<State> state_;  // shared with handlers, which may outlive a deadline
};

}  // namespace muster::sdk::ws
