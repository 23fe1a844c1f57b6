// The registry of resources: which worker keeps what for later tasks, until when; and where tasks of an affinity key ran last.
//
// Kept in the store's internal keyspace, per namespace: a text for each resource, which expires with it, and one order of all of
// them by the instant of their end. The keyspace's own sweep removes what has expired; what it leaves in the order is taken out
// bit by bit by those who come later. Whether a resource is still there is judged when it is read, by the registry of workers.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/reply.h"
#include "model/resource.h"
#include "store/store.h"

namespace muster::engine {

class Resources {
 public:
  Resources(store::Store& store, const Clock& clock) : store_(store), clock_(clock) {}

  // Learns of them, or learns anew. REQUIRES: all of one namespace. invalid_argument: out of bounds, or its end has passed;
  // conflict: an active one of this id is another worker's. When the registry is full, those that end soonest are forgotten.
  void put(std::vector<Resource> resources, Reply<store::Each<Resource>> reply);
  // In the order of the ids; not_found: never known, or expired.
  void get(NamespaceName ns, std::vector<std::string> ids, Reply<store::Each<Resource>> reply);
  void list(ResourceQuery query, Reply<ResourcePage> reply);
  // Forgets one and answers what it was.
  void remove(NamespaceName ns, std::string id, Reply<Resource> reply);

  // Where tasks of these keys ran last, as far as it is remembered; empty: nowhere. In the order of the keys.
  void last_places(NamespaceName ns, std::vector<std::string> keys, Reply<std::vector<WorkerId>> reply);

 private:
  using Judged = UniqueFunction<void(Result<std::vector<Resource>>)>;
  // Asks the registry of workers about whoever has them.
  void judge(NamespaceName ns, std::vector<Resource> resources, Judged then);
  void keep(std::vector<Resource> told, std::vector<Status> refusals, const std::vector<store::KeyAnswer>& known,
            Reply<store::Each<Resource>> reply);
  void answer_texts(NamespaceName ns, const store::KeyAnswer& texts, Judged then);

  store::Store& store_;
  const Clock& clock_;
};

// Where the last worker of an affinity key is remembered, in store::KeySpace::internal.
std::string affinity_place_key(std::string_view key);

}  // namespace muster::engine
