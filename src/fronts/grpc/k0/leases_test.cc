// Who may act on a run whose requests name no lease; the rules are those of v1/leases_test.cc.
#include "fronts/grpc/k0/k0_testing.h"

namespace muster::rpc::k0 {
namespace {

constexpr const char* kOfA = "ipv4:10.0.0.1:1";
constexpr const char* kOfB = "ipv4:10.0.0.2:1";
constexpr const char* kOfNobody = "ipv4:10.0.0.3:1";

class K0Leases : public K0Test {
 protected:
  void SetUp() override {
    K0Test::SetUp();
    connection = kOfA;
    a = register_worker({"T"}, 1);
    id = start_run();
    claim(a, id);
    begin_step(id, "step");
  }
  void hand_over_to_b() {
    pb::DeregisterWorkerRequest leave;
    leave.set_worker_id(a);
    ASSERT_EQ(call<pb::Empty>("DeregisterWorker", leave).code, WireCode::ok);
    connection = kOfB;
    b = register_worker({"T"}, 2);
    claim(b, id);
    ASSERT_TRUE(begin_step(id, "step")->should_execute());
  }

  std::string a;
  std::string b;
  std::string id;
};

TEST_F(K0Leases, NothingAFormerHolderSaysMovesTheRun) {
  hand_over_to_b();
  const auto before = steps(id, "step").size();
  connection = kOfA;
  const auto late = complete_step(id, "step", "1");
  EXPECT_EQ(late.code, WireCode::failed_precondition);
  EXPECT_EQ(detail_of(late.details).code(), pb::ERROR_CODE_PRECONDITION_FAILED);
  EXPECT_EQ(begin_step(id, "step").code, WireCode::failed_precondition);
  EXPECT_EQ(fail_step(id, "step", "boom").code, WireCode::failed_precondition);
  EXPECT_EQ(sleep(id, 5).code, WireCode::failed_precondition);
  EXPECT_EQ(complete(id).code, WireCode::failed_precondition);
  EXPECT_EQ(fail(id, "boom").code, WireCode::failed_precondition);
  EXPECT_EQ(run(id).status(), pb::WORKFLOW_STATUS_RUNNING);
  ASSERT_EQ(steps(id, "step").size(), before);
  EXPECT_EQ(steps(id, "step").back().status(), pb::STEP_ATTEMPT_STATUS_RUNNING);
  connection = kOfB;
  EXPECT_EQ(complete_step(id, "step", "2").code, WireCode::ok);
  EXPECT_EQ(complete(id).code, WireCode::ok);
}

TEST_F(K0Leases, AStrangersConnectionCannotSettleAHeldRun) {
  connection = kOfNobody;
  EXPECT_EQ(complete_step(id, "step", "1").code, WireCode::failed_precondition);
  EXPECT_EQ(complete(id).code, WireCode::failed_precondition);
  EXPECT_EQ(fail(id, "boom").code, WireCode::failed_precondition);
  EXPECT_EQ(sleep(id, 5).code, WireCode::failed_precondition);
  EXPECT_EQ(run(id).status(), pb::WORKFLOW_STATUS_RUNNING);
}

TEST_F(K0Leases, BeginningAStepAgainUnderOneLeaseIsAnotherAttempt) {
  ASSERT_TRUE(begin_step(id, "step")->should_execute());
  const auto attempts = steps(id, "step");
  ASSERT_EQ(attempts.size(), 2U);
  EXPECT_EQ(attempts[0].status(), pb::STEP_ATTEMPT_STATUS_FAILED);
  EXPECT_EQ(attempts[1].status(), pb::STEP_ATTEMPT_STATUS_RUNNING);
}

TEST_F(K0Leases, AReportOfTheLastHolderIsTakenWhileNobodyHoldsTheRun) {
  begin_step(id, "__sleep_0");
  ASSERT_EQ(sleep(id, 60).code, WireCode::ok);
  EXPECT_EQ(complete_step(id, "__sleep_0", "null").code, WireCode::ok);
  EXPECT_EQ(complete_step(id, "step", "7").code, WireCode::ok);
  EXPECT_EQ(run(id).status(), pb::WORKFLOW_STATUS_SLEEPING);
}

}  // namespace
}  // namespace muster::rpc::k0
