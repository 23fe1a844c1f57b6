// A worker without threads and sockets: the machine that speaks, the table of tasks, and what the one says turned into moves of
// the other. The worker's I/O thread owns it and calls work() whenever something came or is due; handlers run wherever the
// HandlerHost lets them. Pure but for that host.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/metrics.h"
#include "sdk/cpp/ws/machine.h"
#include "sdk/cpp/ws/resources.h"
#include "sdk/cpp/ws/task_payloads.h"
#include "sdk/cpp/ws/task_table.h"

namespace muster::sdk::ws {

// Where handlers run. Called by the core's thread; must not call back.
class HandlerHost {
 public:
  virtual ~HandlerHost() = default;
  virtual void begin(Execution execution, const TaskInfo& task, std::vector<Resource> resources) = 0;
  virtual void cancel(Execution execution) = 0;
  virtual void answer(Execution execution, NextAnswer answer) = 0;
  virtual void fail_nexts() = 0;  // of all tasks
};

// How a handler ended: with an outcome, or with what it threw.
struct Ending {
  Outcome outcome;
  std::optional<std::string> thrown;
};

struct CoreOptions {
  MachineOptions machine;  // without `health`
  TaskLimits limits;
  std::string worker_name;
  std::set<std::string> node_types;
  std::function<json::Tree()> load;  // cpu_pct, mem_pct, disk_pct as far as they are known
  std::function<bool()> healthy;
  std::function<void(const std::string& type, const Json& payload)> on_extension;
};

struct CoreCounts {
  std::uint64_t sessions = 0;
  std::uint64_t finished = 0;
  std::uint64_t refused = 0;
  std::uint64_t abandoned = 0;
};

class Core {
 public:
  // registry, metrics and host outlive it.
  Core(CoreOptions options, ResourceRegistry& registry, Metrics& metrics, HandlerHost& host);

  Machine& machine() { return machine_; }
  const Machine& machine() const { return machine_; }

  // Whatever is due or has come is acted upon.
  void work(Moment now);
  std::optional<Ticks> next_due() const;

  // --- from handlers ---
  void ended(Execution execution, Ending ending, Moment now);
  bool feedback(const std::string& task_id, std::string_view payload, Moment now);
  void next(Execution execution, const NextAsk& ask, Moment now);

  // --- the end ---
  // No more tasks; those that wait are handed back at once, those that run at the deadline. The earliest deadline counts.
  void drain(Ticks deadline, Moment now);
  bool is_over() const { return machine_.is_over(); }
  const std::optional<muster::Status>& refusal() const { return refusal_; }

  std::size_t inflight() const { return table_.inflight(); }
  const CoreCounts& counts() const { return counts_; }
  std::vector<std::string> take_notes() { return std::exchange(notes_, {}); }

 private:
  void take_events(Moment now);
  void delivered(const session::Envelope& frame, Moment now);
  void dispatched(const session::Envelope& frame, Moment now);
  void answered(const session::Envelope& frame);
  void refuse_package(const session::Envelope& frame, Moment now);
  void start_tasks(Moment now);
  void end_overdue(Moment now);
  void drain_further(Moment now);
  Receipt report(const TaskInfo& task, const OutcomeFrame& frame, Moment now);
  void hand_back(const TaskInfo& task, std::string_view why, Moment now);
  json::Tree health();
  MachineOptions with_health(MachineOptions options);

  CoreOptions options_;
  ResourceRegistry& registry_;
  Metrics& metrics_;
  HandlerHost& host_;
  Machine machine_;
  TaskTable table_;
  std::map<Execution, std::vector<Resource>> leased_;
  std::map<std::string, Execution, std::less<>> nexts_;  // who asked
  Receipt last_receipt_ = 0;
  CoreCounts counts_;
  std::vector<std::string> notes_;
  std::optional<Ticks> drain_deadline_;
  bool handed_back_ = false;
  std::optional<muster::Status> refusal_;
};

}  // namespace muster::sdk::ws
