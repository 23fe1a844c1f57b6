#include "fronts/grpc/words/unheard.h"

#include "fronts/grpc/v1/v1_testing.h"

namespace muster::rpc::v1 {
namespace {

class Unheard : public V1Test {
 protected:
  void look() { release_unheard(*core, Duration(1), nullptr); }
  bool is_taken(const std::string& id) { return run(id).status() == pb::WORKFLOW_STATUS_RUNNING; }
};

TEST_F(Unheard, ARunWhoseWorkerNeverSpokeOfItAfterARestartIsHandedBack) {
  const std::string worker = register_worker();
  const std::string id = start_run("one");
  claim(worker, id);
  restart();
  look();
  EXPECT_TRUE(eventually([&] { return !is_taken(id); }));
  EXPECT_EQ(run(id).attempts(), 0) << "the hand-out costs nothing";
}

TEST_F(Unheard, ARunWithAStepUnderItsLeaseIsLeftAlone) {
  const std::string worker = register_worker();
  const std::string silent = start_run("silent");
  claim(worker, silent);
  const std::string spoken = start_run("spoken");
  claim(worker, spoken);
  restart();
  ASSERT_EQ(begin_step(spoken, "a").code, WireCode::ok);
  look();
  EXPECT_TRUE(eventually([&] { return !is_taken(silent); }));
  EXPECT_TRUE(is_taken(spoken));
}

TEST_F(Unheard, ARunThatWasHandedOutLongBeforeIsLeftAlone) {
  const std::string worker = register_worker();
  const std::string early = start_run("early");
  claim(worker, early);
  advance(kLastMoments + Duration(1));
  ASSERT_EQ(beat(worker).code, WireCode::ok);
  const std::string late = start_run("late");
  claim(worker, late);
  restart();
  look();
  EXPECT_TRUE(eventually([&] { return !is_taken(late); }));
  EXPECT_TRUE(is_taken(early));
}

}  // namespace
}  // namespace muster::rpc::v1
