// A worker: a registered process, what it offers, and how its silence is judged.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "model/capability.h"
#include "model/ids.h"
#include "model/job.h"
#include "model/lane.h"

namespace muster {

// The wire a worker came in by decides how often it must be heard.
enum class Dialect : std::uint8_t { http, resp, grpc, ws, agent };

struct HeartbeatPolicy {
  Duration interval{};
  Duration dead_after{};
};

// Silence for dead_after is death; three missed beats fit into it everywhere.
constexpr HeartbeatPolicy default_policy(Dialect dialect) {
  using namespace std::chrono_literals;
  switch (dialect) {
    case Dialect::http: return {10s, 30s};
    case Dialect::resp: return {30s, 90s};
    case Dialect::grpc: return {10s, 30s};
    // AstraFlow's workers beat every 30 s and up to 5 s later, and do not say so. 5 s more for a beat that is on its way.
    case Dialect::ws: return {35s, 110s};
    case Dialect::agent: return {15s, 60s};
  }
  return {10s, 30s};
}
static_assert(default_policy(Dialect::resp).interval * 3 <= default_policy(Dialect::resp).dead_after);
static_assert(default_policy(Dialect::agent).interval * 3 <= default_policy(Dialect::agent).dead_after);

// Clients of Kagzi stop beating when they are told to stop and finish their runs after that: what is leased to one that is silent
// stays leased until the lease itself is over.
constexpr bool leases_end_with_silence(Dialect dialect) { return dialect != Dialect::grpc; }

enum class WorkerState : std::uint8_t { online, draining, offline };

// Who took a worker out of service: what load did load may take back, what somebody decided only somebody.
enum class DrainOrigin : std::uint8_t {
  none,       // it does not drain
  asked,      // an operator wants it
  itself,     // the worker says so
  load,       // too little memory or disk is left
  overruled,  // it works: an operator put it back, and load may not drain it until it has fallen
};

// Graded from missed beats alone.
enum class Health : std::uint8_t { healthy, warn, degraded, unhealthy };

struct WorkerSpec {
  NamespaceName ns{kDefaultNamespace};
  WorkerId id;  // empty: the engine gives one
  Dialect dialect = Dialect::http;
  CapabilitySet capabilities;     // as offered, without those of labels and id
  std::vector<QueueName> queues;  // empty: every queue of the namespace
  Labels labels;
  std::uint32_t slots = 1;  // max_concurrent
  std::string hostname;
  std::string version;
  std::string metadata;                   // JSON object, kept after death; empty for none
  std::optional<HeartbeatPolicy> policy;  // empty: the dialect's
  std::optional<SessionId> resume;        // the session this process already had: its leases stay
};

struct Worker {
  WorkerSpec spec;  // policy is filled in
  SessionId session{};
  WorkerState state = WorkerState::online;
  Instant registered_at{};
  Instant last_seen_at{};
  std::optional<Instant> offline_at;
  std::string offline_cause;  // "silent", "unregistered", "replaced", "drained"
  std::optional<Instant> drain_deadline;
  std::string drain_reason;
  DrainOrigin drain_origin = DrainOrigin::none;
  std::uint32_t running = 0;
  std::uint64_t completed = 0;  // of this session
  std::uint64_t failed = 0;
  std::string stats;  // JSON object of the last heartbeat; empty for none
};

// Everything a worker can be asked for: what it said, its labels and its own name.
CapabilitySet offered(const WorkerSpec& spec);
// The same with its queues: what a claim of it may take.
Offer offer_of(const WorkerSpec& spec);

Health grade(const Worker& worker, Instant now);
// The instant at which the worker is dead unless it is heard before.
Instant dead_at(const Worker& worker);

std::string_view to_string(Dialect dialect);
std::string_view to_string(WorkerState state);
std::string_view to_string(Health health);
std::string_view to_string(DrainOrigin origin);
std::optional<Dialect> parse_dialect(std::string_view name);
std::optional<WorkerState> parse_worker_state(std::string_view name);

}  // namespace muster
