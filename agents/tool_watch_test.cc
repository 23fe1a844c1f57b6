#include "agents/tool_watch.h"

#include <gtest/gtest.h>

namespace muster::agents {
namespace {

const JobId kRun{{1, 1}};
const JobId kFirst{{2, 1}};
const JobId kSecond{{2, 2}};

ToolExecution running(JobId job) {
  ToolExecution execution;
  execution.run = kRun;
  execution.job = job;
  execution.state = ToolExecutionState::running;
  return execution;
}

JobChange ended(JobId job) {
  JobChange change;
  change.id = job;
  change.to = JobState::completed;
  return change;
}

TEST(ToolWatch, ARunIsDueWhenTheLastOfItsToolsHasEnded) {
  std::vector<JobId> due;
  const auto watch = std::make_shared<ToolWatch>(BasePtr(), [&due](JobId run) { due.push_back(run); });
  watch->watch(kRun, {running(kFirst), running(kSecond)});
  watch->finished(ended(kFirst));
  EXPECT_TRUE(due.empty());
  watch->finished(ended(kSecond));
  EXPECT_EQ(due, std::vector<JobId>{kRun});
}

// The first tool ended between the look at it and the watch, so its end was heard before anybody waited for it.
TEST(ToolWatch, AToolThatEndedWhileItWasLookedAtDoesNotKeepTheRunWaiting) {
  std::vector<JobId> due;
  const auto watch = std::make_shared<ToolWatch>(BasePtr(), [&due](JobId run) { due.push_back(run); });
  watch->finished(ended(kFirst));
  watch->watch(kRun, {running(kFirst)});
  watch->watch(kRun, {running(kSecond)});
  watch->finished(ended(kSecond));
  EXPECT_EQ(due, std::vector<JobId>{kRun});
}

// A look finds that the first has ended, which nobody heard; what it looks at is watched already.
TEST(ToolWatch, AToolThatALookSawEndedDoesNotKeepTheRunWaiting) {
  std::vector<JobId> due;
  const auto watch = std::make_shared<ToolWatch>(BasePtr(), [&due](JobId run) { due.push_back(run); });
  watch->watch(kRun, {running(kFirst), running(kSecond)});
  watch->seen(kRun, {kFirst});
  EXPECT_TRUE(due.empty());
  watch->finished(ended(kSecond));
  EXPECT_EQ(due, std::vector<JobId>{kRun});
}

TEST(ToolWatch, AnEndThatIsHeardDuringTheLookIsNotForgotten) {
  std::vector<JobId> due;
  const auto watch = std::make_shared<ToolWatch>(BasePtr(), [&due](JobId run) { due.push_back(run); });
  watch->watch(kRun, {running(kFirst), running(kSecond)});
  watch->finished(ended(kSecond));  // behind the look at it
  watch->seen(kRun, {kFirst});
  EXPECT_EQ(due, std::vector<JobId>{kRun});
  watch->seen(kRun, {kFirst, kSecond});
  EXPECT_EQ(due.size(), 1U) << "once";
}

}  // namespace
}  // namespace muster::agents
