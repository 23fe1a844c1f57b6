// Workers that tell too much load in their heartbeats drain, and work again when it has fallen (load_rule.h). Called by Workers
// for every answered heartbeat, whatever wire it came by.
//
// How many calm beats a worker has had is known to this process alone: after a restart, or on another node of a cluster, they are
// counted anew. Thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "base/reply.h"
#include "engine/load_rule.h"
#include "engine/options.h"
#include "store/store.h"

namespace muster::engine {

inline constexpr std::size_t kCalmWorkersMax = 100'000;  // of those that are about to work again; above it all are counted anew

class LoadDrains {
 public:
  LoadDrains(store::Store& store, const Options& options);

  // `answers` are those of `beats`, which were accepted or refused; what load changes is told in them.
  void heard(const std::vector<store::Beat>& beats, store::Each<store::BeatReply> answers,
             Reply<store::Each<store::BeatReply>> reply);

 private:
  struct Work;
  using WorkerKey = std::pair<std::string, std::string>;  // namespace, id

  const LoadLimits& limits_of(const NamespaceName& ns) const;
  LoadVerdict judge(const store::Beat& beat, const store::BeatReply& answer, const LoadTold& told);
  void drain(std::shared_ptr<Work> work);
  void resume(std::shared_ptr<Work> work);

  store::Store& store_;
  const LoadLimits limits_;
  const std::map<std::string, LoadLimits> limits_by_namespace_;
  std::mutex mutex_;                               // leaf; guards calm_beats_
  std::map<WorkerKey, std::uint32_t> calm_beats_;  // of those with one or more
};

}  // namespace muster::engine
