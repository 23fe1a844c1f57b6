// The runs whose tasks were sent to workers here: what stands where, and what a run is as a whole. Pure.
//
// A run is known from its first task on, and is what its known tasks are together; one that was done goes on when another task
// of it comes. The latest kRunsShownMax are remembered; the one that was begun longest ago is forgotten first.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "fronts/ws/feed/shapes.h"
#include "model/ids.h"

namespace muster::ws::feed {

inline constexpr std::size_t kRunsShownMax = 10'000;
inline constexpr std::size_t kNodesShownMax = 1'000;  // of one run; more are not counted
inline constexpr std::size_t kSnapshotNodesMax = 64;  // a snapshot of a larger run has no nodes

using StatusCounts = std::array<std::size_t, 6>;  // by RunStatus
RunStatus rollup(const StatusCounts& counts);

struct TaskName {
  std::string tenant;
  std::string run;
  std::string task;
  friend auto operator<=>(const TaskName&, const TaskName&) = default;
};

class Run {
 public:
  std::string client;
  std::map<std::string, Node> nodes;  // by task
  std::optional<Instant> started_at;
  std::optional<Instant> finished_at;

  RunStatus status() const { return rollup(counts_); }
  void set(Node& node, RunStatus status, Instant now);
  Node* add(const std::string& task);  // null: there are too many
  RunFacts facts(std::string_view id) const;
  // Empty when there are too many.
  std::vector<NamedNode> shown_nodes() const;

 private:
  friend class RunBoard;
  StatusCounts counts_{};
  std::map<std::string, JobId> jobs_;  // by task: the latest
};

class RunBoard {
 public:
  struct Place {
    Run* run = nullptr;
    Node* node = nullptr;  // null: the run has too many
  };
  // Makes what is not there.
  Place task(const TaskName& name, JobId job);
  std::optional<Place> find(const TaskName& name);
  const TaskName* name_of(JobId job) const;
  std::size_t size() const { return runs_.size(); }

 private:
  using Key = std::pair<std::string, std::string>;  // tenant, run
  std::map<Key, Run> runs_;
  std::unordered_map<JobId, TaskName> by_job_;
  std::deque<Key> by_age_;
};

}  // namespace muster::ws::feed
