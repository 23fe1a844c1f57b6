// How the records of a copy are written, noun by noun.
#pragma once

#include <map>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "store/postgres/tx.h"
#include "store/transfer/record.h"

namespace muster::store::postgres {

// Names that are in a target already, by which the records of a copy refer to each other. Rows of names are numbered anew.

class TransferNames {
 public:
  struct Queue {
    QueueKey key = 0;
    bool counted = false;  // under a cap
  };
  struct KnownWorker {
    WorkerKey key = 0;  // 0: the store does not know it any more
    Duration dead_after{};
  };

  void load(Tx& tx);

  void put(Tx& tx, const std::vector<NamespaceInfo>& records);
  void put(Tx& tx, const std::vector<transfer::QueueRecord>& records);
  void put(Tx& tx, const std::vector<Worker>& records);
  // Makes the lanes of these jobs that are not there yet.
  void put_lanes(Tx& tx, const std::vector<transfer::JobRecord>& records);

  // 0: there is none, which problem() then says.
  NamespaceKey ns(const NamespaceName& name);
  Queue queue(const NamespaceName& ns, const QueueName& name);
  KnownWorker worker(const NamespaceName& ns, const WorkerId& id);
  LaneKey lane(const JobSpec& spec);

  // The source refers to something that it does not have.
  const Status& problem() const { return problem_; }
  void lost(Status what);

 private:
  using LaneName = std::tuple<QueueKey, std::string, std::string, bool>;  // queue, type, needs, special
  LaneName name_of(const JobSpec& spec);

  std::map<std::string, NamespaceKey> namespaces_;
  std::map<std::pair<NamespaceKey, std::string>, Queue> queues_;
  std::map<LaneName, LaneKey> lanes_;
  std::map<std::pair<NamespaceKey, std::string>, KnownWorker> workers_;
  Status problem_;
};

// Jobs of a copy on their way into the tables, with everything that hangs on them: wishes, held keys, turns.

// Finished jobs of this many days go into partitions of their own; older ones into the default one.
inline constexpr std::int64_t kCopyDaysMax = 60;

// One batch, in the transaction. Ready jobs stand in their own lanes until everything is in. `days` are those that have a
// partition by now; it grows.
void put_jobs(Tx& tx, TransferNames& names, const std::vector<transfer::JobRecord>& records, std::set<std::int64_t>& days);
void put_dependencies(Tx& tx, const std::vector<transfer::DependencyRecord>& records);

// The keyspace of a copy, written into a schema. Keys keep their numbers.

void put_entries(Tx& tx, TransferNames& names, const std::vector<transfer::EntryRecord>& records);
void put_items(Tx& tx, const std::vector<transfer::ItemRecord>& records);
void put_fields(Tx& tx, const std::vector<transfer::FieldRecord>& records);
void put_scores(Tx& tx, const std::vector<transfer::ScoreRecord>& records);
// All are in: new ones get numbers above them.
void number_entries(Tx& tx);

// Plans and actions of a copy, written into a schema.

void put_plans(Tx& tx, TransferNames& names, const std::vector<Plan>& records);
void put_actions(Tx& tx, TransferNames& names, const std::vector<transfer::ActionRecord>& records);

// Steps, signals and schedules of a copy, on their way into a target.

void put_steps(Tx& tx, const std::vector<transfer::StepRecord>& records);
void put_signals(Tx& tx, const std::vector<transfer::SignalRecord>& records);
void put_schedules(Tx& tx, TransferNames& names, const std::vector<Schedule>& records);

}  // namespace muster::store::postgres
