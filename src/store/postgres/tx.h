// One transaction of a verb that is not part of a group: locks what it is about, decides in C++, writes, commits.
//
// Calls are cheap to add and costly to wait for: write() only notes a statement, which leaves with the next ask() or with the
// commit. A failure is sticky: after it ask() answers no rows, write() does nothing, and the runner rolls back and decides
// whether the verb is tried again, so a verb's code need not test every step. It must not act on "no rows" outside the database
// before it asked failed().
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/clock.h"
#include "store/codec/id_codec.h"
#include "store/postgres/directory.h"
#include "store/postgres/wire/connection.h"

namespace muster::store::postgres {

struct Node;

class Tx {
 public:
  Tx(Connection& connection, Node& node) : connection_(connection), node_(node) {}

  // BEGIN, the time and the directory's version, in one exchange. Brings the directory up to date when it is behind.
  void begin();
  Rows ask(Sql statement, Params params = {});
  std::vector<Rows> ask_all();  // everything noted with write() so far, with their answers, in order
  void write(Sql statement, Params params = {});
  // What was noted, and the commit.
  Status commit();
  void rollback();
  bool failed() const { return failed_; }
  bool lacks_names() const { return !missing_.empty(); }
  // In a transaction that has just begun: makes what the other one asked for.
  void make_names(const Tx& lacking);
  const Trouble& trouble() const { return connection_.trouble(); }

  // Serialises everything in the cluster that decides by counts in this namespace: caps, rates, concurrency keys, sticky keys,
  // fair turns. Taken before any row is locked; several in ascending order.
  void lock_gates(std::vector<NamespaceKey> namespaces);

  Instant now() const { return now_; }
  std::int64_t now_ms() const { return to_ms(now_); }
  Node& node() { return node_; }
  Directory& directory();
  const IdCodec& ids() const;
  const StepIdCodec& step_ids() const;
  Changes changes;

  // A change of a job, with its lane, told after the commit. `worker` 0: none.
  JobChange& tell(std::int64_t job, LaneKey lane, std::optional<JobState> from, JobState to, JobEvent event,
                  std::uint32_t attempt, std::int64_t fence, WorkerKey worker, std::string cause = {});
  void wake(LaneKey lane);
  void wake_queue(QueueKey queue);  // every lane of it
  // Now, with what this transaction changed itself. When it is undone after all, the node reads the names anew.
  void reload_directory();
  bool local_only = false;      // its wake-ups concern this node alone
  bool proves_writing = false;  // it wrote a row that is kept: whatever kept the store from writing is over
  bool undone = false;          // the answer says why nothing is to be kept: rolled back, then delivered

  // The namespace's key, or why not; asks the database when the cache does not know it.
  Result<NamespaceKey> namespace_key(const NamespaceName& name);
  // Finds it, or asks for it: then the transaction is undone, the lane and its queue are made in one of their own and committed,
  // and the verb runs again (the answer until then means nothing). So nobody ever sees a lane that a rollback takes away.
  Result<LanePtr> lane_for(NamespaceKey ns, const QueueName& queue, const JobType& type, const CapabilitySet& needs, bool special,
                           LaneKey home = 0);
  // From the cache, else from the database; null: no such worker.
  WorkerPtr worker(WorkerKey key);
  WorkerPtr find_worker(NamespaceKey ns, const WorkerId& id);
  // Its rows as the database has them now; refreshes the cache.
  WorkerPtr load_worker(WorkerKey key);

 private:
  Connection& connection_;
  Node& node_;
  Instant now_{};
  std::size_t noted_ = 0;
  struct MissingName {
    NamespaceKey ns = 0;
    QueueName queue;
    JobType type;
    CapabilitySet needs;
    bool special = false;
    LaneKey home = 0;
    friend auto operator<=>(const MissingName&, const MissingName&) = default;
  };
  std::set<MissingName> missing_;
  bool failed_ = false;
  bool began_ = false;
  bool reloaded_ = false;
};

// The columns of directory_namespaces, namespace_change and transfer_namespaces.
NamespaceInfo namespace_at(const Rows& rows, std::size_t row);

}  // namespace muster::store::postgres
