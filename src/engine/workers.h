// Workers as the commands see them: validated, named when they bring no name, heartbeat policy of their dialect filled in.
#pragma once

#include <vector>

#include "base/reply.h"
#include "base/uuid.h"
#include "engine/load_drains.h"
#include "engine/lost_grants.h"
#include "engine/options.h"
#include "store/store.h"

namespace muster::engine {

class Workers {
 public:
  Workers(store::Store& store, const Clock& clock, const Options& options);

  void register_workers(std::vector<WorkerSpec> batch, Reply<store::Each<store::Registered>> reply);
  void heartbeat(std::vector<store::Beat> batch, Reply<store::Each<store::BeatReply>> reply);
  void drain(std::vector<store::Drain> batch, Reply<store::Each<Worker>> reply);
  void resume(std::vector<store::Resume> batch, Reply<store::Each<Worker>> reply);
  void unregister(std::vector<store::Unregister> batch, Reply<store::Each<Worker>> reply);
  void get(NamespaceName ns, std::vector<WorkerId> workers, Reply<store::Each<Worker>> reply);
  void list(store::WorkerQuery query, Reply<store::WorkerPage> reply);

 private:
  store::Store& store_;
  const Options options_;
  UuidSource names_;
  LostGrants lost_grants_;
  LoadDrains load_drains_;
};

}  // namespace muster::engine
