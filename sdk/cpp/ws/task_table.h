// The tasks of a worker: which may begin, which wait, which are over, and what is answered to a dispatch that comes again.
//
//   dispatch ─► waiting ─► running ─► ended                        (its outcome is sent, and remembered if it was a success)
//                             └─ time is over ─► overdue ─► ended  (its outcome is sent; the handler still has to return)
//
// A dispatch is run once: while its task, or another of its concurrency key, waits or runs, a repeat is refused; after a success
// it is answered with that success. A failure is not remembered: whoever dispatches the task again wants it tried again. The
// worker's thread that owns the machine calls it. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sdk/cpp/ws/channel.h"
#include "sdk/cpp/ws/moment.h"
#include "sdk/cpp/ws/task.h"
#include "sdk/cpp/ws/task_payloads.h"

namespace muster::sdk::ws {

inline constexpr std::size_t kTasksHeldMax = 1'024;  // waiting and running; one more is handed back
inline constexpr std::size_t kSuccessesRememberedMax = 1'024;
inline constexpr std::size_t kSuccessBytesRememberedMax = 16 * 1024 * 1024;

// One execution of a task on this worker.
using Execution = std::uint64_t;

struct TaskLimits {
  std::uint32_t max_parallel = 1;
  std::map<std::string, std::uint32_t> per_node;  // by node type
};

enum class Admission : std::uint8_t {
  accepted,  // it waits; to_start() says when it may begin
  running,   // it, or another of its key, is under way here
  finished,  // it succeeded before: `remembered` is its outcome
  full,      // too many wait
};

struct Admitted {
  Admission admission = Admission::accepted;
  const OutcomeFrame* remembered = nullptr;  // until the next call
};

class TaskTable {
 public:
  explicit TaskTable(TaskLimits limits) : limits_(std::move(limits)) {}

  Admitted admit(const TaskInfo& task);
  // The next that may begin now, if any; it counts as running from here on.
  std::optional<Execution> to_start(Moment now);
  const TaskInfo& task(Execution execution) const { return entries_.at(execution).task; }
  Moment began(Execution execution) const { return entries_.at(execution).began; }
  // Whether it is still to be reported: nobody took its outcome yet.
  bool is_running(Execution execution) const;

  // Tasks whose time is over: each is told once, and its handler's outcome no longer counts.
  std::vector<Execution> overdue(Moment now);
  std::optional<Ticks> next_due() const;

  // The handler has returned: its slot is free.
  void returned(Execution execution);
  // The outcome of a task that succeeded is on its way.
  void remember(const TaskInfo& task, OutcomeFrame outcome, Receipt receipt);
  void acked(Receipt receipt);
  // What the scheduler acknowledged before the connection broke it will not ask for again.
  void connection_lost();

  // Everything that waits, given up: to be handed back.
  std::vector<TaskInfo> drop_waiting();
  // Everything that runs, as if its time were over.
  std::vector<Execution> abandon();
  std::size_t inflight() const;  // waiting and running
  bool empty() const { return entries_.empty(); }

 private:
  enum class Phase : std::uint8_t { waiting, running, overdue };
  struct Entry {
    TaskInfo task;
    Phase phase = Phase::waiting;
    Moment began;
    std::optional<Ticks> due;
  };
  struct Success {
    std::string run_id;
    std::string task_id;
    std::optional<std::uint64_t> seq;
    OutcomeFrame outcome;
    Receipt receipt = 0;
    bool acked = false;
  };

  bool has_room_for(const Entry& entry) const;
  void forget_oldest();

  TaskLimits limits_;
  std::map<Execution, Entry> entries_;  // in the order they came
  Execution last_ = 0;
  std::deque<Success> successes_;  // oldest first
  std::size_t success_bytes_ = 0;
};

}  // namespace muster::sdk::ws
