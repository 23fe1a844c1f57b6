#include "model/job_state.h"

#include <set>
#include <string>

#include <gtest/gtest.h>

namespace muster {
namespace {

constexpr std::array kEvents{JobEvent::enqueued, JobEvent::due,       JobEvent::claimed, JobEvent::completed,
                             JobEvent::failed,   JobEvent::exhausted, JobEvent::lost,    JobEvent::released,
                             JobEvent::snoozed,  JobEvent::cancelled, JobEvent::expired, JobEvent::redriven,
                             JobEvent::pruned};

TEST(JobMoves, AreExactlyThoseOfTheTable) {
  // The picture of docs/protocol-http.md, written down a second time by hand: state, event, state.
  const std::set<std::string> legal{"scheduled due ready",         "scheduled cancelled cancelled", "scheduled expired dead",
                                    "ready claimed running",       "ready cancelled cancelled",     "ready expired dead",
                                    "running completed completed", "running failed scheduled",      "running exhausted dead",
                                    "running lost ready",          "running released ready",        "running snoozed scheduled",
                                    "running cancelled cancelled", "dead redriven ready",           "cancelled redriven ready"};
  std::set<std::string> found;
  for (const JobState from : kJobStates)
    for (const JobEvent on : kEvents)
      if (const auto to = next(from, on)) {
        std::string move(to_string(from));
        found.insert(move.append(" ").append(to_string(on)).append(" ").append(to_string(*to)));
      }
  EXPECT_EQ(found, legal);
}

TEST(JobMoves, NameNoPairTwice) {
  std::set<std::pair<JobState, JobEvent>> pairs;
  for (const Move& move : kMoves)
    EXPECT_TRUE(pairs.emplace(move.from, move.on).second) << to_string(move.from) << " " << to_string(move.on);
}

TEST(JobMoves, LeaveAFinishedStateOnlyByRedrive) {
  for (const Move& move : kMoves) EXPECT_TRUE(!is_finished(move.from) || move.on == JobEvent::redriven) << to_string(move.on);
}

TEST(JobMoves, LeadIntoRunningOnlyByAClaim) {
  for (const Move& move : kMoves) EXPECT_EQ(move.to == JobState::running, move.on == JobEvent::claimed);
}

TEST(JobState, NamesParseBack) {
  for (const JobState state : kJobStates) EXPECT_EQ(parse_job_state(to_string(state)), state);
  EXPECT_EQ(parse_job_state("Ready"), std::nullopt);
  EXPECT_EQ(parse_job_state(""), std::nullopt);
}

TEST(JobState, EventsHaveDistinctNames) {
  std::set<std::string_view> names;
  for (const JobEvent event : kEvents) EXPECT_TRUE(names.insert(to_string(event)).second);
}

}  // namespace
}  // namespace muster
