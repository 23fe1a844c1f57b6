// Plans and actions as the commands see them: names and bounds are checked, then the store is asked.
#pragma once

#include <vector>

#include "base/reply.h"
#include "store/store.h"

namespace muster::engine {

class Plans {
 public:
  explicit Plans(store::Store& store) : store_(store) {}

  void put(store::PlanPut request, Reply<store::PlanStored> reply);
  void get(NamespaceName ns, std::vector<PlanId> plans, Reply<store::Each<Plan>> reply);
  void list(store::PlanQuery query, Reply<store::PlanPage> reply);
  void remove(NamespaceName ns, PlanId plan, Reply<Plan> reply);
  // Every job is validated as Jobs::enqueue would.
  void submit(ActionSpec action, Reply<store::ActionSubmitted> reply);
  void get_action(store::ActionQuery query, Reply<store::ActionView> reply);
  void list_actions(store::ActionListQuery query, Reply<store::ActionPage> reply);

 private:
  store::Store& store_;
};

}  // namespace muster::engine
