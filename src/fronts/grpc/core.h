// What the calls of one gRPC front share. Made by the front; used from any thread.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>

#include "base/metrics.h"
#include "base/reply.h"
#include "base/unique_function.h"
#include "command/door.h"
#include "fronts/grpc/alarms.h"
#include "fronts/grpc/call.h"
#include "fronts/grpc/dialect/connections.h"
#include "fronts/grpc/options.h"
#include "net/io_loop.h"

namespace muster::rpc {

// The leases of the runs this node handed out: K0 and V1 calls name a run but no lease. What is not here is read from the store.
// Bounded; any thread.
class Fences {
 public:
  struct Lease {
    Fence fence{};
    WorkerId worker;
    std::string connection;  // by which it was handed out; empty: not known
  };
  void put(JobId run, Lease lease);
  std::optional<Lease> find(JobId run) const;
  void forget(JobId run);

 private:
  static constexpr std::size_t kRunsMax = 200'000;  // then all are forgotten: they are only a shortcut
  mutable std::mutex mutex_;                        // leaf
  std::unordered_map<JobId, Lease> leases_;
};

// Namespaces known to exist, so that dialects which make them by use ask the store once. Any thread.
class KnownNamespaces {
 public:
  bool contains(const NamespaceName& name) const;
  void add(const NamespaceName& name);
  void forget(const NamespaceName& name);

 private:
  mutable std::mutex mutex_;  // leaf
  std::set<NamespaceName> names_;
};

// What the Kagzi dialects know about their workers: words/roster.h.
class Roster;
std::shared_ptr<Roster> make_roster(const Clock& clock);

struct Core {
  Core(net::IoLoop& on, command::Door& through, Metrics& counted, GrpcOptions options_in)
      : loop(on), door(through), metrics(counted), options(std::move(options_in)), alarms(on) {}

  net::IoLoop& loop;
  command::Door& door;
  Metrics& metrics;
  GrpcOptions options;
  Fences fences;
  Connections connections;
  KnownNamespaces namespaces;
  std::shared_ptr<Roster> roster = make_roster(door.clock());  // shared only because it is not known here
  Alarms alarms;
  std::atomic<bool> stopping{false};  // nothing is begun any more
  std::size_t run_watches = 0;        // open streams of AgentRunService/WatchRun; on the loop's thread

  // Runs `then` on the loop's thread when this much real time has passed, or at once when the front stops.
  void after(Duration wait, UniqueFunction<void()> then) { alarms.run_after(wait, std::move(then)); }
  const Clock& clock() const { return door.clock(); }
  Instant now() const { return door.clock().now(); }
};

// Runs a command for the caller of a call.
template <class Request>
auto ask(const CallRef& call, Request request, Reply<command::AnswerTo<Request>> reply) {
  return call->core.door.run(call->caller, std::move(request), std::move(reply));
}

// Makes sure the namespace is there, then goes on. `then` gets ok or why not: only an operator makes a namespace by using it,
// others get not_found.
void ensure_namespace(const CallRef& call, const NamespaceName& name, UniqueFunction<void(Status)> then);

}  // namespace muster::rpc
