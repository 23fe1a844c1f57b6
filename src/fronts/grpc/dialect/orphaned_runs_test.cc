// engine/orphaned_runs.h as a client of Kagzi meets it.
#include "engine/orphaned_runs.h"

#include "fronts/grpc/v1/v1_testing.h"

namespace muster::rpc::v1 {
namespace {

class Orphaned : public V1Test {
 protected:
  // Until the one of them is handed back.
  bool is_handed_back(const std::string& id) {
    engine::OrphanedRuns search(engine->jobs(), engine->runs(), clock, Duration(1));
    return eventually([&] {
      search.tick();
      clock.advance(Duration(1));
      return !is_taken(id);
    });
  }
  bool is_taken(const std::string& id) { return run(id).status() == pb::WORKFLOW_STATUS_RUNNING; }
};

TEST_F(Orphaned, ARunWhoseWorkerNeverSpokeOfItAfterARestartIsHandedBack) {
  const std::string worker = register_worker();
  const std::string id = start_run("one");
  claim(worker, id);
  restart();
  EXPECT_TRUE(is_handed_back(id));
  EXPECT_EQ(run(id).attempts(), 0) << "the hand-out costs nothing";
}

TEST_F(Orphaned, ARunWithAStepUnderItsLeaseIsLeftAlone) {
  const std::string worker = register_worker();
  const std::string silent = start_run("silent");
  claim(worker, silent);
  const std::string spoken = start_run("spoken");
  claim(worker, spoken);
  restart();
  ASSERT_EQ(begin_step(spoken, "a").code, WireCode::ok);
  EXPECT_TRUE(is_handed_back(silent));
  EXPECT_TRUE(is_taken(spoken));
}

TEST_F(Orphaned, ARunThatWasHandedOutLongBeforeIsLeftAlone) {
  const std::string worker = register_worker();
  const std::string early = start_run("early");
  claim(worker, early);
  advance(engine::OrphanedRuns::kLastMoments + Duration(1));
  ASSERT_EQ(beat(worker).code, WireCode::ok);
  const std::string late = start_run("late");
  claim(worker, late);
  restart();
  EXPECT_TRUE(is_handed_back(late));
  EXPECT_TRUE(is_taken(early));
}

}  // namespace
}  // namespace muster::rpc::v1
