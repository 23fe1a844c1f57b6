// The worker's side of the API: registration, heartbeats, claims, leases and outcomes.
//
// Fields are named as on the wire; absent ones are empty or std::nullopt. `document` is the object exactly as the server sent it,
// so that a program can show fields this version does not know.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "sdk/cpp/types_job.h"

namespace muster::sdk {

// One worker's right to one attempt.
struct LeaseRef {
  std::string id;
  std::uint64_t fence = 0;
  friend auto operator<=>(const LeaseRef&, const LeaseRef&) = default;
};

struct Grant {
  LeaseRef lease;
  std::string ns, queue, type;
  std::optional<Content> payload;
  Labels labels;
  std::uint32_t attempt = 0;
  std::uint32_t attempts_max = 0;
  std::optional<Instant> lease_expires_at;
  std::optional<Instant> times_out_at;
  std::optional<Content> partial;
  std::string correlation;
};

struct ClaimRequest {
  std::string ns, worker;
  std::optional<std::uint64_t> session;
  std::vector<std::string> queues;
  std::vector<std::string> narrow;
  std::uint32_t limit = 1;
  Duration wait{0};
  std::optional<Duration> lease;
};

struct ClaimReply {
  std::vector<Grant> grants;
  std::string block;  // "none", "no_slots", "draining"
  std::optional<Instant> retry_at;
};

struct Renewed {
  std::optional<Instant> lease_expires_at;
  bool cancel_requested = false;
};

struct Settled {
  std::string id, state;
  std::uint32_t attempt = 0;
  std::optional<Instant> run_at;
};

struct Redriven {
  std::vector<std::string> ids;
  bool more = false;
};

struct WorkerSpec {
  std::string ns, id;
  std::vector<std::string> capabilities;
  std::vector<std::string> queues;
  Labels labels;
  std::uint32_t slots = 1;
  std::string hostname, version;
  std::optional<Duration> heartbeat, dead_after;
  std::optional<std::uint64_t> resume;
};

struct Registered {
  std::string id;
  std::uint64_t session = 0;
  Duration heartbeat{0};
  Duration dead_after{0};
  bool replaced = false;
};

struct Beat {
  std::string ns, worker;
  std::uint64_t session = 0;
  std::map<std::string, double> stats;
  std::vector<LeaseRef> held;
  bool names_all = false;  // `held` is everything it holds: what the server granted besides is handed back
  bool accepting = true;
};

struct BeatReply {
  std::string state;
  std::optional<Instant> drain_deadline;
  std::string drain_reason;
  Duration next_beat_in{0};
  std::vector<LeaseRef> cancel;
  std::vector<LeaseRef> lost;
};

struct WorkerInfo {
  std::string ns, id, dialect, state, health;
  std::vector<std::string> capabilities, queues;
  Labels labels;
  std::uint32_t slots = 0;
  std::uint32_t running = 0;
  std::uint64_t completed = 0;
  std::uint64_t failed = 0;
  std::string hostname, version;
  std::optional<Instant> registered_at, last_seen_at, offline_at, drain_deadline;
  std::string offline_cause, drain_reason, drain_origin;
  std::string document;
};

struct WorkerQuery {
  std::string ns, state, capability, label, queue;
  std::optional<std::uint32_t> limit;
  std::string cursor;
};

struct WorkerPage {
  std::vector<WorkerInfo> workers;
  std::string next;
};

}  // namespace muster::sdk
