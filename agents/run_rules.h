// What is next for a run that somebody holds, from what is known about it. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "agents/budget.h"
#include "model/agent_run.h"
#include "store/agents.h"

namespace muster::agents {

enum class NextStep : std::uint8_t {
  settle,      // it is final: its job is ended
  call_model,  // for the first time in this iteration, or again
  find_batch,  // its request was put into a batch by somebody who is gone
  wait_for_batch,
  look_at_tools,  // have they ended?
};

constexpr NextStep next_step(AgentRunState state) {
  switch (state) {
    case AgentRunState::pending:
    case AgentRunState::streaming: return NextStep::call_model;
    case AgentRunState::batch_submitting: return NextStep::find_batch;
    case AgentRunState::batch_pending:
    case AgentRunState::batch_processing: return NextStep::wait_for_batch;
    case AgentRunState::pending_tools:
    case AgentRunState::awaiting_input: return NextStep::look_at_tools;
    case AgentRunState::completed:
    case AgentRunState::cancelled:
    case AgentRunState::failed: return NextStep::settle;
  }
  return NextStep::settle;
}

// What has been spent by everybody whose limits count for a run.
struct FamilySpending {
  store::SpendingView shared{};
  store::Spending below{};
  std::vector<RunSpending> above{};
};

// Why a run may make no further call of the model.
struct StopReason {
  std::string_view error_type;
  std::string why;
  friend bool operator==(const StopReason&, const StopReason&) = default;
};
std::optional<StopReason> stop_reason(const store::AgentRunView& view, const AgentBudget& ns, const FamilySpending& spent);
// Whether stop_reason() has to know what was spent, runs above and below it left aside.
bool asks_for_spending(const store::AgentRunView& view, const AgentBudget& ns);

// Why a run is over whose job has ended without it. Nothing: it was cancelled.
std::optional<StopReason> reason_of_dead_job(const Job& job);

}  // namespace muster::agents
