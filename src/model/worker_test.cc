#include "model/worker.h"

#include <gtest/gtest.h>

namespace muster {
namespace {

using namespace std::chrono_literals;

const Instant kNoon = Instant(1'700'000'000s);
constexpr std::array kDialects{Dialect::http, Dialect::resp, Dialect::grpc, Dialect::ws, Dialect::agent};

Worker heard_at_noon() {
  Worker worker;
  worker.spec.id = WorkerId("w1");
  worker.spec.policy = HeartbeatPolicy{.interval = 10s, .dead_after = 30s};
  worker.last_seen_at = kNoon;
  return worker;
}

TEST(Grade, CountsMissedBeatsHalfAnIntervalLate) {
  const Worker worker = heard_at_noon();
  EXPECT_EQ(grade(worker, kNoon), Health::healthy);
  EXPECT_EQ(grade(worker, kNoon + 14'999ms), Health::healthy);
  EXPECT_EQ(grade(worker, kNoon + 15s), Health::warn);
  EXPECT_EQ(grade(worker, kNoon + 24'999ms), Health::warn);
  EXPECT_EQ(grade(worker, kNoon + 25s), Health::degraded);
  EXPECT_EQ(grade(worker, kNoon + 35s), Health::unhealthy);
}

TEST(Grade, IsUnhealthyOfflineHoweverRecentlyHeard) {
  Worker worker = heard_at_noon();
  worker.state = WorkerState::offline;
  EXPECT_EQ(grade(worker, kNoon), Health::unhealthy);
}

TEST(Grade, TakesABeatFromTheFutureAsHealthy) { EXPECT_EQ(grade(heard_at_noon(), kNoon - 1h), Health::healthy); }

TEST(DeadAt, IsTheSilenceThePolicyAllows) {
  Worker worker = heard_at_noon();
  EXPECT_EQ(dead_at(worker), kNoon + 30s);
  worker.spec.policy.reset();
  worker.spec.dialect = Dialect::resp;
  EXPECT_EQ(dead_at(worker), kNoon + 90s);
}

TEST(DefaultPolicy, FitsThreeBeatsIntoEveryDialect) {
  for (const Dialect dialect : kDialects)
    EXPECT_LE(default_policy(dialect).interval * 3, default_policy(dialect).dead_after) << to_string(dialect);
}

TEST(Offered, HoldsWhatItSaidItsLabelsAndItsName) {
  WorkerSpec spec;
  spec.id = WorkerId("w1");
  spec.capabilities = CapabilitySet({"tool:a"});
  spec.labels = {{"zone", "b"}};
  EXPECT_EQ(offered(spec), CapabilitySet({"tool:a", "label:zone", "label:zone=b", "worker:w1"}));
}

TEST(WorkerNames, ParseBack) {
  for (const Dialect dialect : kDialects) EXPECT_EQ(parse_dialect(to_string(dialect)), dialect);
  for (const WorkerState state : {WorkerState::online, WorkerState::draining, WorkerState::offline})
    EXPECT_EQ(parse_worker_state(to_string(state)), state);
  EXPECT_EQ(parse_dialect("HTTP"), std::nullopt);
  EXPECT_EQ(parse_worker_state("gone"), std::nullopt);
}

}  // namespace
}  // namespace muster
