// Names that are in a target already, by which the records of a copy refer to each other. Rows of names are numbered anew.
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

}  // namespace muster::store::postgres
