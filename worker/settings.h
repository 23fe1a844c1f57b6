// What the operator says about a worker: flags as they stand, and the settings they make.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/status.h"
#include "sdk/cpp/ws/worker.h"
#include "worker/agent.h"
#include "worker/toolbox.h"

namespace CLI {
class App;
}

namespace muster::worker {

inline constexpr std::size_t kConcurrentMax = 256;
inline constexpr std::size_t kOutputCapMin = 4 * 1024;
inline constexpr std::size_t kOutputCapMax = 64 * 1024 * 1024;
inline constexpr std::uint32_t kHeartbeatSecondsMax = 60;  // a worker is dead after 90 s of silence
inline constexpr std::uint32_t kShutdownSecondsMax = 86'400;
inline constexpr std::size_t kTagsMax = 32;
inline constexpr std::size_t kQueuesMax = 16;

enum class SandboxMode : std::uint8_t { off, automatic, require };

// The wire that jobs come over.
enum class Via : std::uint8_t { resp, ws };

struct Flags {
  std::optional<Via> via;      // absent: what the address says
  std::string connect;         // empty: the wire's default on this machine
  std::uint32_t protocol = 2;  // of ws: AstraFlow's first or second
  std::string tenant = "default";
  bool mtls = false;
  bool tls = false;
  std::string tls_cert;
  std::string tls_key;
  std::string key;
  std::string key_file;
  std::string data_dir;
  std::string id;
  std::string name;
  std::vector<std::string> tools;
  bool discover = false;
  std::vector<std::string> tags;  // key=value
  std::size_t max_concurrent = 1;
  std::uint32_t heartbeat_seconds = 0;  // 0: what the server asks for
  std::vector<std::string> allow;
  std::size_t output_cap = 1024 * 1024;
  std::uint64_t spill_cap = 4ULL * 1024 * 1024 * 1024;
  std::string spool;
  std::string temp_dir;
  std::uint32_t shutdown_seconds = 300;
  ResourceLimits limits;
  SandboxMode sandbox = SandboxMode::automatic;
  bool once = false;
  std::vector<std::string> queues{"ready"};
  std::string log_level = "info";
};

void describe_flags(CLI::App& app, Flags& flags);

using Environment = std::function<std::optional<std::string>(const char* name)>;

// Flags with their defaults filled in from the environment, checked as far as that goes without touching the server.
struct Settings {
  AgentOptions agent;  // its identity's id may be empty: the spool's, or a fresh one
  ExecutorOptions executor;
  Toolbox tools;
  SandboxMode sandbox = SandboxMode::automatic;
  std::string spool;  // empty: the first free one of spool_parent
  std::string spool_parent;
  std::optional<sdk::ws::WorkerOptions> ws;  // --via ws: used instead of `agent`, but for its identity
};

// invalid_argument: which flag, and what it accepts.
Result<Settings> make_settings(const Flags& flags, const std::string& ca_file, const Environment& environment);

}  // namespace muster::worker
