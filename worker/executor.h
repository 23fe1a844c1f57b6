// Runs the plan of a job: tasks in order, the first failure ends it, outputs flow to the tasks that ask for them.
//
// Judges everything again although the server did: the tool must be announced, words are checked after the input is in them,
// paths must lie where the operator allows. Thread-safe: each slot calls run() for its own job.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "plan/plan.h"
#include "worker/job.h"
#include "worker/process/run.h"
#include "worker/toolbox.h"

namespace muster::worker {

inline constexpr Duration kVerifyTimeout{10'000};

struct ExecutorOptions {
  ResourceLimits limits;
  bool sandboxed = false;
  bool landlock = false;                                // the kernel keeps tools to their files
  std::vector<std::string> allowed_paths;               // prefixes; empty: any path
  std::size_t output_cap = 1024 * 1024;                 // of one output, in memory
  std::uint64_t spill_cap = 4ULL * 1024 * 1024 * 1024;  // of one output, altogether
  std::string temp_folder;
  std::string language = "C.UTF-8";
  Duration kill_grace = kKillGrace;
};

struct TaskResult {
  std::uint32_t number = 0;
  std::string command;
  RunResult run;
};

struct JobOutcome {
  bool completed = false;
  bool cancelled = false;
  std::string error;              // what a person wants to know when it did not complete
  std::vector<TaskResult> tasks;  // those that were started
};

class Executor {
 public:
  Executor(Toolbox tools, ExecutorOptions options, const Clock& clock);

  // `on_task` hears each task before it starts.
  using OnTask = std::function<void(std::uint32_t number, std::size_t total)>;
  JobOutcome run(const Job& job, const Cancel& cancel, const OnTask& on_task) const;

  // One tool by itself. `error` is empty when it succeeded; `task` is there when it was started.
  struct ToolCall {
    std::string tool;
    std::vector<std::string> args;
    std::string input;  // its standard input
    std::optional<std::uint32_t> timeout_secs;
  };
  struct ToolEnd {
    std::string error;
    std::optional<TaskResult> task;
  };
  using OnOutput = std::function<void(bool is_error, std::string_view bytes)>;
  ToolEnd call(const ToolCall& call, const Cancel& cancel, const OnOutput& on_output) const;

  struct Verdict {
    int exit_code = -1;
    std::string output;  // the first of it; or why it did not run
  };
  Verdict verify(const Verification& challenge, const Cancel& cancel) const;

  const Toolbox& tools() const { return tools_; }

 private:
  Status check_paths(const plan::Task& task, const std::string& folder) const;
  // What the kernel lets the tool do with files; nothing: whatever the worker may.
  std::optional<FileRights> rights_of(std::string_view tool, const std::string& folder) const;
  Result<RunRequest> prepare(const plan::Task& task, const std::string& folder) const;
  // An empty text: it succeeded.
  // `input`: what the task reads when no other task's output is; null: nothing.
  std::string run_task(const plan::Task& task, const std::string& folder, const Cancel& cancel, const Capture* input,
                       JobOutcome& outcome) const;

  Toolbox tools_;
  ExecutorOptions options_;
  const Clock& clock_;
};

}  // namespace muster::worker
