// Workers of the Kagzi dialects: the same rules for both, in values.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/reply.h"
#include "base/uuid.h"
#include "fronts/grpc/core.h"
#include "fronts/grpc/methods.h"
#include "model/worker.h"

namespace muster::rpc {

inline constexpr Duration kDrainDeadline{5 * 60'000};         // a worker that drains longer goes offline; its runs are released
inline constexpr std::int32_t kKagziConcurrencyMax = 10'000;  // ceiling of a registration's limits
inline constexpr std::uint32_t kV1Slots = 100;                // V1 workers do not say how much they take

struct Registration {
  std::string ns;  // encoded
  std::string task_queue;
  std::vector<std::string> types;
  std::string hostname;
  std::int32_t pid = 0;
  std::string version;
  Labels labels;
  std::uint32_t slots = 1;
  std::int32_t queue_limit = 0;  // <= 0: none
  std::vector<std::pair<std::string, std::int32_t>> type_limits;
};

// What a worker said that the registry has no field for; WorkerSpec::metadata.
struct WorkerNotes {
  std::int32_t pid = 0;
  std::uint32_t registrations = 1;
  std::vector<std::string> types;  // in the order they were sent; empty: there were too many
  std::int32_t queue_limit = 0;
  std::vector<std::pair<std::string, std::int32_t>> type_limits;
};
WorkerNotes notes_of(const Worker& worker);
std::uint32_t registrations_of(const WorkerSpec& spec);
std::vector<std::string> types_of(const Worker& worker);  // as they were sent
std::string queue_of(const Worker& worker);               // as it was sent; empty: all
std::string status_word(const Worker& worker);            // "ONLINE"

struct WorkerTotals {
  std::uint64_t completed = 0;
  std::uint64_t failed = 0;
};
// The larger of what it reported and what was counted here.
WorkerTotals totals_of(const Worker& worker);

// The same process and queue, while it is not offline, is the same worker.
void register_worker(const CallRef& call, Registration registration, Reply<store::Registered> reply);

// not_found: no such worker.
void find_worker(const CallRef& call, Uuid id, Reply<Worker> reply);

struct Heartbeat {
  std::optional<std::int32_t> active;  // how many runs it works on; empty: it did not say
  std::int32_t completed_delta = 0;
  std::int32_t failed_delta = 0;
  bool lengthens_leases = false;  // unless it names them
};
// With metadata `muster-runs` it names its leases, and is told in `muster-cancelled` which of them to stop.
void beat(const CallRef& call, Uuid id, Heartbeat heartbeat, Reply<store::BeatReply> reply);

struct Leaving {
  bool drain = false;
  bool by_operator = false;  // who takes a worker out of service, which drains by itself otherwise
};
// Drained, or offline once every registration of it has gone. not_found: unknown, or offline already.
void deregister_worker(const CallRef& call, Uuid id, Leaving leaving, Reply<Worker> reply);

struct WorkerListing {
  NamespaceName ns;
  std::string task_queue;  // as sent; empty: all
  std::vector<WorkerState> states;
  std::size_t limit = 0;
  std::string cursor;
};
struct WorkersPage {
  std::vector<Worker> workers;
  std::string next;
  std::uint64_t total = 0;  // that match, whatever the page
};
void list_workers(const CallRef& call, WorkerListing listing, Reply<WorkersPage> reply);

}  // namespace muster::rpc
