#include "cli/workflow_result.h"

#include <algorithm>
#include <chrono>
#include <thread>

#include <fmt/format.h>

#include "cli/exit_code.h"
#include "cli/format.h"

namespace muster::cli {
namespace {

constexpr sdk::Duration kAskAtATime{30'000};
constexpr sdk::Duration kPauseAfterFailure{500};
constexpr int kFailuresMax = 60;  // with the pause: half a minute of a server that is restarting

using Steady = std::chrono::steady_clock;

sdk::Duration left_of(const std::optional<sdk::Duration>& wait, Steady::time_point begun) {
  if (!wait) return kAskAtATime;
  const auto passed = std::chrono::duration_cast<sdk::Duration>(Steady::now() - begun);
  return std::clamp(*wait - passed, sdk::Duration(0), kAskAtATime);
}

sdk::Result<sdk::RunResult> wait_for(sdk::Client& client, const std::string& run, std::optional<sdk::Duration> wait) {
  const auto begun = Steady::now();
  int failures = 0;
  for (bool known = false;;) {
    const sdk::Duration left = left_of(wait, begun);
    sdk::Result<sdk::RunResult> result = client.run_result(run, left);
    if (result.ok()) {
      known = true;
      failures = 0;
      if (result->finished || left.count() == 0) return result;
      continue;
    }
    if (!result.error().transient() || !known || ++failures == kFailuresMax) return result;
    std::this_thread::sleep_for(kPauseAfterFailure);
  }
}

}  // namespace

int show_result(Context& context, sdk::Client& client, const std::string& run, std::optional<sdk::Duration> wait) {
  const sdk::Result<sdk::RunResult> result = wait_for(client, run, wait);
  if (!result.ok()) return context.fail("get the result of workflow run " + run, result.error());
  const bool completed = result->state == "completed";
  if (!context.wants_table())
    context.document(result->document);
  else if (completed && result->result)
    context.line(result->result->data);
  if (completed) return to_int(Exit::ok);
  std::string said = fmt::format("workflow run {} is {}", run, result->state);
  if (result->error) said += fmt::format(": {}: {}", result->error->kind, result->error->message);
  context.note(printable(said));
  return to_int(Exit::failure);
}

}  // namespace muster::cli
