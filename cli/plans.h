// What the plan and action commands share with each other and with their tests: tables, the inputs of an action, and following
// one to its end.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/table.h"
#include "sdk/cpp/client.h"

namespace CLI {
class App;
}

namespace muster::cli {

class Context;

Table plans_table(std::span<const sdk::Plan> plans, sdk::Instant now);
// What runs, task by task. Empty when the plan came without its text.
Table tasks_table(const sdk::Plan& plan);
Table actions_table(std::span<const sdk::Action> actions, sdk::Instant now);
// The jobs of one action: state, worker, attempts, time.
Table action_jobs_table(const std::vector<sdk::Job>& jobs, sdk::Instant now);
// `3/10 done, 2 running, 1 failed`
std::string counts_text(const sdk::ActionCounts& counts);

struct ActionArguments {
  sdk::ActionRequest request;
  std::vector<std::string> inputs;  // JSON, one each
  std::string inputs_file;          // FILE or -
  bool watch = false;
};

// --input, --inputs, --id, --job-unit, --priority, --timeout, --attempts, --watch.
void describe_action(CLI::App& command, ActionArguments& arguments);
// Every input as JSON text, those of --input first. None given: none returned. invalid_argument names the place.
sdk::Result<std::vector<std::string>> read_inputs(const ActionArguments& arguments);
// The elements of a JSON array, or one value a line, each as it was written. invalid_argument: neither.
sdk::Result<std::vector<std::string>> split_inputs(std::string_view text);

// Follows an action to its end: progress to stderr, then its jobs to stdout; the exit code says whether all of them completed.
int watch_action(Context& context, const std::string& id);

}  // namespace muster::cli
