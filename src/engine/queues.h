// Queues and namespaces as the commands see them: validated, then forwarded.
#pragma once

#include <utility>
#include <vector>

#include "base/reply.h"
#include "engine/lanes.h"
#include "store/store.h"

namespace muster::engine {

class Queues {
 public:
  explicit Queues(store::Store& store, const AskedQueues* asked = nullptr) : store_(store), asked_(asked) {}

  void change(QueueChange change, Reply<QueueStats> reply);
  void list(NamespaceName ns, Reply<std::vector<QueueStats>> reply);
  void lanes(LanesQuery query, Reply<LanesListed> reply) { list_lanes(store_, asked_, std::move(query), std::move(reply)); }
  void create_namespace(NamespaceInfo info, Reply<NamespaceInfo> reply);
  void list_namespaces(Reply<std::vector<NamespaceInfo>> reply);
  void update_namespace(NamespaceChange change, Reply<NamespaceInfo> reply);
  void delete_namespace(NamespaceName ns, Reply<NamespaceInfo> reply);

 private:
  store::Store& store_;
  const AskedQueues* asked_;
};

}  // namespace muster::engine
