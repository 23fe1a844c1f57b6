// Which lanes have live jobs, and who serves them: a pure match of needs with offers, and the question that gathers both.
//
// The cost is bounded: so many lanes and workers are looked at, whatever there is.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/reply.h"
#include "model/worker.h"
#include "store/store.h"

namespace muster::engine {

inline constexpr std::size_t kLanesLookedAtMax = 2'000;
inline constexpr std::size_t kLaneWorkersLookedAtMax = 10'000;
inline constexpr std::size_t kLaneWorkersCountedMax = 1'000;  // able ones, of one lane
inline constexpr std::size_t kLaneWorkersNamedMax = 20;

struct LaneService {
  store::LaneStats stats;
  bool paused = false;                 // its queue
  bool served = false;                 // an online worker may take its jobs
  std::uint64_t able_workers = 0;      // online, up to kLaneWorkersCountedMax
  std::vector<WorkerId> workers{};     // the first of them
  std::vector<std::string> missing{};  // needs that no online worker of the namespace offers
};

// The online workers, for matching many lanes. What they were made of is not needed any longer.
class LaneServers {
 public:
  // Offers that no lane asks for are not remembered.
  LaneServers(std::span<const store::LaneStats> lanes, std::span<const Worker> workers);
  LaneService judge(store::LaneStats lane) const;

 private:
  struct Server {
    WorkerId id;
    Offer offer;  // without its capabilities
  };
  using Places = std::vector<std::uint32_t>;  // of servers, ascending
  Places offering(const NamespaceName& ns, const std::string& need) const;
  bool serves(const Server& server, const store::LaneStats& lane) const;

  std::vector<Server> servers_;
  std::map<NamespaceName, Places> by_namespace_;
  std::map<std::pair<NamespaceName, std::string>, Places> by_offer_;  // what a lane needs, or "kind:*"
};

struct LanesQuery {
  NamespaceName ns;                                  // empty: all
  QueueName queue;                                   // empty: all
  std::optional<std::vector<NamespaceName>> within;  // set: those and no other
  bool unserved = false;                             // only those
  std::uint64_t limit = limits::kPageDefault;
};

struct LanesListed {
  std::vector<LaneService> lanes;  // unserved first, then by how many wait
  std::uint64_t total = 0;         // lanes with live jobs that were looked at
  std::uint64_t unserved = 0;      // of them
  bool more = false;               // others are left out
};

// Unserved ones with waiting jobs first, then those where most wait.
void sort_lanes(std::vector<LaneService>& lanes);

// The store outlives the reply. invalid_argument: the limit.
void list_lanes(store::Store& store, LanesQuery query, Reply<LanesListed> reply);

}  // namespace muster::engine
