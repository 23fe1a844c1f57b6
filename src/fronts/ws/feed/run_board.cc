#include "fronts/ws/feed/run_board.h"

#include <numeric>

namespace muster::ws::feed {

RunStatus rollup(const StatusCounts& counts) {
  const auto of = [&counts](RunStatus status) { return counts[static_cast<std::size_t>(status)]; };
  const std::size_t all = std::accumulate(counts.begin(), counts.end(), std::size_t{0});
  if (of(RunStatus::failed) > 0) return RunStatus::failed;
  if (of(RunStatus::queued) == all) return RunStatus::queued;
  if (of(RunStatus::queued) + of(RunStatus::running) > 0) return RunStatus::running;
  return of(RunStatus::cancelled) == all ? RunStatus::cancelled : RunStatus::succeeded;
}

Node* Run::add(const std::string& task) {
  if (const auto found = nodes.find(task); found != nodes.end()) return &found->second;
  if (nodes.size() >= kNodesShownMax) return nullptr;
  ++counts_[static_cast<std::size_t>(RunStatus::queued)];
  return &nodes[task];
}

void Run::set(Node& node, RunStatus status, Instant now) {
  --counts_[static_cast<std::size_t>(node.status)];
  ++counts_[static_cast<std::size_t>(status)];
  node.status = status;
  if (status == RunStatus::running) node.started_at = node.started_at.value_or(now);
  node.finished_at = is_final(status) ? std::optional(now) : std::nullopt;
  const RunStatus whole = rollup(counts_);
  if (whole != RunStatus::queued) started_at = started_at.value_or(now);
  finished_at = is_final(whole) ? std::optional(finished_at.value_or(now)) : std::nullopt;
}

RunFacts Run::facts(std::string_view id) const {
  RunFacts out{.run_id = id, .status = status(), .client = client, .started_at = started_at, .finished_at = finished_at};
  for (const auto& [task, node] : nodes)
    if (node.status == RunStatus::failed && out.error.empty()) out.error = node.error;
  return out;
}

std::vector<NamedNode> Run::shown_nodes() const {
  std::vector<NamedNode> out;
  if (nodes.size() > kSnapshotNodesMax) return out;
  for (const auto& [task, node] : nodes) out.push_back({task, &node});
  return out;
}

RunBoard::Place RunBoard::task(const TaskName& name, JobId job) {
  Key key{name.tenant, name.run};
  auto found = runs_.find(key);
  if (found == runs_.end()) {
    if (by_age_.size() >= kRunsShownMax) {
      const auto oldest = runs_.find(by_age_.front());
      for (const auto& [task, each] : oldest->second.jobs_) by_job_.erase(each);
      runs_.erase(oldest);
      by_age_.pop_front();
    }
    by_age_.push_back(key);
    found = runs_.emplace(std::move(key), Run()).first;
  }
  Run& run = found->second;
  Node* const node = run.add(name.task);
  if (node == nullptr) return {&run, node};
  JobId& latest = run.jobs_[name.task];
  if (latest != job) by_job_.erase(std::exchange(latest, job));
  by_job_.insert_or_assign(job, name);
  return {&run, node};
}

std::optional<RunBoard::Place> RunBoard::find(const TaskName& name) {
  const auto run = runs_.find({name.tenant, name.run});
  if (run == runs_.end()) return std::nullopt;
  const auto node = run->second.nodes.find(name.task);
  if (node == run->second.nodes.end()) return std::nullopt;
  return Place{&run->second, &node->second};
}

const TaskName* RunBoard::name_of(JobId job) const {
  const auto found = by_job_.find(job);
  return found == by_job_.end() ? nullptr : &found->second;
}

}  // namespace muster::ws::feed
