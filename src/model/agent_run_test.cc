#include "model/agent_run.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <tuple>
#include <vector>

namespace muster {
namespace {

constexpr int kRunStates = static_cast<int>(AgentRunState::failed) + 1;
constexpr int kRunEvents = static_cast<int>(AgentRunEvent::failed) + 1;

std::vector<AgentRunState> run_states() {
  std::vector<AgentRunState> out;
  for (int i = 0; i < kRunStates; ++i) out.push_back(static_cast<AgentRunState>(i));
  return out;
}
std::vector<AgentRunEvent> run_events() {
  std::vector<AgentRunEvent> out;
  for (int i = 0; i < kRunEvents; ++i) out.push_back(static_cast<AgentRunEvent>(i));
  return out;
}

TEST(AgentRunMoves, AFinalRunStaysAsItIs) {
  for (const AgentRunState state : run_states()) {
    if (!is_final(state)) continue;
    for (const AgentRunEvent event : run_events())
      EXPECT_FALSE(next(state, event)) << to_string(state) << " " << static_cast<int>(event);
  }
}

TEST(AgentRunMoves, WhateverIsNotFinalMayBeCancelledAndMayFail) {
  for (const AgentRunState state : run_states()) {
    if (is_final(state)) continue;
    EXPECT_EQ(next(state, AgentRunEvent::cancelled), AgentRunState::cancelled) << to_string(state);
    EXPECT_EQ(next(state, AgentRunEvent::failed), AgentRunState::failed) << to_string(state);
  }
}

TEST(AgentRunMoves, AreThoseOfTheTableAndNoOthers) {
  std::set<std::pair<AgentRunState, AgentRunEvent>> listed;
  for (const AgentRunMove& move : kAgentRunMoves) {
    EXPECT_TRUE(listed.insert({move.from, move.on}).second) << "twice: " << to_string(move.from);
    EXPECT_FALSE(is_final(move.from));
    EXPECT_EQ(next(move.from, move.on), move.to);
  }
  for (const AgentRunState state : run_states())
    for (const AgentRunEvent event : run_events()) {
      if (event == AgentRunEvent::cancelled || event == AgentRunEvent::failed) continue;
      EXPECT_EQ(next(state, event).has_value(), listed.contains({state, event})) << to_string(state);
    }
}

TEST(AgentRunMoves, LeadFromTheBeginningEverywhereAndFromEverywhereToAnAnswer) {
  std::set<AgentRunState> seen{AgentRunState::pending};
  for (std::size_t before = 0; before != seen.size();) {
    before = seen.size();
    for (const AgentRunMove& move : kAgentRunMoves)
      if (seen.contains(move.from)) seen.insert(move.to);
  }
  std::set<AgentRunState> answered{AgentRunState::completed};
  for (std::size_t before = 0; before != answered.size();) {
    before = answered.size();
    for (const AgentRunMove& move : kAgentRunMoves)
      if (answered.contains(move.to)) answered.insert(move.from);
  }
  for (const AgentRunState state : run_states()) {
    const bool by_force = state == AgentRunState::cancelled || state == AgentRunState::failed;
    EXPECT_EQ(seen.contains(state), !by_force) << to_string(state);
    EXPECT_EQ(answered.contains(state), !by_force) << to_string(state);
  }
}

TEST(AgentRunMoves, ACallIsMadeAgainOnlyWhereOneWasUnderWay) {
  for (const AgentRunState state : run_states()) {
    const bool calling = state == AgentRunState::batch_submitting || state == AgentRunState::batch_pending ||
                         state == AgentRunState::batch_processing || state == AgentRunState::streaming;
    EXPECT_EQ(next(state, AgentRunEvent::retried).has_value(), calling) << to_string(state);
  }
}

TEST(AgentRunMoves, ATurnIsPausedWhereAnAnswerMayCome) {
  for (const AgentRunState state : run_states())
    EXPECT_EQ(next(state, AgentRunEvent::paused).has_value(), next(state, AgentRunEvent::answered).has_value())
        << to_string(state);
  EXPECT_EQ(next(AgentRunState::streaming, AgentRunEvent::paused), AgentRunState::pending);
}

TEST(AgentRunMoves, ToolsRunOnlyAfterEveryoneWasAsked) {
  EXPECT_EQ(next(AgentRunState::awaiting_input, AgentRunEvent::approved), AgentRunState::pending_tools);
  EXPECT_FALSE(next(AgentRunState::awaiting_input, AgentRunEvent::tools_done));
  EXPECT_FALSE(next(AgentRunState::pending_tools, AgentRunEvent::answered));
}

template <class Enum, class Parse>
void reads_its_names(Enum last, Parse parse) {
  std::set<std::string_view> names;
  for (int i = 0; i <= static_cast<int>(last); ++i) {
    const auto value = static_cast<Enum>(i);
    EXPECT_TRUE(names.insert(to_string(value)).second) << to_string(value);
    EXPECT_EQ(parse(to_string(value)), value);
  }
  EXPECT_FALSE(parse(""));
  EXPECT_FALSE(parse("Pending"));
}

TEST(AgentNames, AreReadAsTheyAreWritten) {
  reads_its_names(ToolApproval::ask, parse_tool_approval);
  reads_its_names(MessageRole::system, parse_message_role);
  reads_its_names(RunMode::streaming, parse_run_mode);
  reads_its_names(AgentRunState::failed, parse_agent_run_state);
  reads_its_names(BatchStatus::ended, parse_batch_status);
  reads_its_names(IterationTrigger::continuation, parse_iteration_trigger);
  reads_its_names(ToolExecutionState::skipped, parse_tool_execution_state);
  reads_its_names(ApprovalState::denied, parse_approval_state);
}

TEST(AgentUsage, AddsUp) {
  TokenUsage usage{1, 2, 3, 4};
  usage += {10, 20, 30, 40};
  EXPECT_EQ(usage, (TokenUsage{11, 22, 33, 44}));
  EXPECT_EQ(usage.total(), 110u);
}

}  // namespace
}  // namespace muster
