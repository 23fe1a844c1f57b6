// What the Kagzi dialects remember about their workers between two calls.
//
// Requests name a worker by its id alone, and their workers are the same when they come from the same process, so two records are
// kept in the registry's internal keyspace, for kIdentityKept after the worker was last heard:
//
//   kagzi:worker:<namespace>\n<queue>\n<host>\n<pid>   the id of the worker that this process is
//   kagzi:home:<id>                                    its namespace
//
// The rest is memory: a copy of what the worker said, so that a poll asks the registry once; totals of its heartbeats; the runs
// it seems to have lost. All of that can be forgotten. Any thread.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/clock.h"
#include "base/unique_function.h"
#include "base/uuid.h"
#include "model/worker.h"

namespace muster::rpc {

class Roster {
 public:
  static constexpr std::size_t kWorkersMax = 200'000;              // remembered; then all are forgotten
  static constexpr Duration kIdentityKept{30LL * 24 * 3'600'000};  // records of a worker that is not heard any more
  static constexpr Duration kIdentityRenewed{24LL * 3'600'000};    // they are renewed this often
  static constexpr Duration kEchoKept{10'000};  // how long the FailWorkflow that follows a retried FailStep is expected
  static constexpr std::size_t kEchoesMax = 100'000;

  explicit Roster(const Clock& clock);

  Uuid new_id() { return ids_.next(); }

  struct Known {
    NamespaceName ns;
    std::shared_ptr<const WorkerSpec> spec;
  };
  std::optional<Known> find(Uuid id) const;
  void put(Uuid id, const WorkerSpec& spec, const std::string& stats);
  void forget(Uuid id);

  // Adds to the totals of a worker and returns what it is to report; true in `renew` once in kIdentityRenewed.
  struct Totals {
    std::uint64_t completed = 0;
    std::uint64_t failed = 0;
    bool renew = false;
  };
  Totals count(Uuid id, std::int32_t completed, std::int32_t failed);

  // A worker says that it works on nothing, while these are leased to it. The second time in a row, those that were among them
  // the first time are returned: it does not know of them.
  std::vector<LeaseRef> suspect(Uuid id, std::vector<LeaseRef> held);
  void trust(Uuid id);

  // Registrations of one process follow each other: `work` runs when no other of this key does. It calls leave() at its end.
  void enter(const std::string& key, UniqueFunction<void()> work);
  void leave(const std::string& key);

  // Polls that wait on a connection. True at the end of the last one: when it was cancelled, the connection itself may be gone,
  // which ends all its calls at once.
  void poll_waits(const std::string& connection);
  bool poll_ended(const std::string& connection);

  // A step's retry has re-queued the run; clients of the older dialect fail the whole run right afterwards and do not mean it.
  void expect_echo(JobId run);
  bool take_echo(JobId run);

 private:
  struct Entry {
    Known known;
    std::uint64_t completed = 0;
    std::uint64_t failed = 0;
    std::optional<std::vector<LeaseRef>> suspects;
    Ticks renewed_at{};
  };

  const Clock& clock_;
  UuidSource ids_;
  mutable std::mutex mutex_;  // leaf; guards what follows
  std::unordered_map<Uuid, Entry> workers_;
  std::map<std::string, std::vector<UniqueFunction<void()>>> queues_;
  std::unordered_map<JobId, Ticks> echoes_;
  std::unordered_map<std::string, std::size_t> polls_;  // by connection
};

}  // namespace muster::rpc
