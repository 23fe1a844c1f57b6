// Which lanes have live jobs, and who serves them: a pure match of needs with offers, and the question that gathers both.
//
// The cost is bounded: so many lanes and workers are looked at, whatever there is.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/reply.h"
#include "engine/asked_queues.h"
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

// The online workers, for matching many lanes with them. Workers that would serve the same of those lanes are one group, so that
// a fleet of equals costs what one of them does.
class LaneServers {
 public:
  // Offers that no lane asks for are not remembered.
  explicit LaneServers(std::span<const store::LaneStats> lanes);
  // asked: the queues that its claims name, sorted; empty: those it registered for.
  void add(const Worker& worker, std::vector<QueueName> asked = {});
  LaneService judge(store::LaneStats lane) const;

 private:
  using Place = std::uint32_t;        // of a group
  using Places = std::vector<Place>;  // ascending
  struct Likes {
    NamespaceName ns;
    std::vector<QueueName> queues, asked;
    std::vector<std::string> offers;  // of those that a lane needs
    JobKind takes = JobKind::any;
    friend auto operator<=>(const Likes&, const Likes&) = default;
  };
  struct Members {
    const Likes* likes;  // key of groups_
    std::uint64_t count = 0;
    std::vector<WorkerId> first{};  // up to kLaneWorkersNamedMax
  };
  Places offering(const NamespaceName& ns, const std::string& need) const;
  static bool serves(const Likes& likes, const store::LaneStats& lane);

  std::set<std::string> wanted_;  // what lanes need, and "kind:*" of each
  std::map<Likes, Place> groups_;
  std::vector<Members> members_;
  std::map<NamespaceName, Places> by_namespace_;
  std::map<std::pair<NamespaceName, std::string>, Places> by_offer_;
};

struct LanesQuery {
  NamespaceName ns;                                  // empty: all
  QueueName queue;                                   // empty: all
  std::optional<std::vector<NamespaceName>> within;  // set: of all, only those
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

// The store and the asked queues outlive the reply; asked may be null. invalid_argument: the limit.
void list_lanes(store::Store& store, const AskedQueues* asked, LanesQuery query, Reply<LanesListed> reply);

}  // namespace muster::engine
