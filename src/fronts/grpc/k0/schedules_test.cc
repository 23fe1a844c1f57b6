#include "fronts/grpc/k0/k0_testing.h"

namespace muster::rpc::k0 {
namespace {

using namespace std::chrono_literals;

std::int64_t seconds(Instant at) { return to_ms(at) / 1'000; }

class K0Schedules : public K0Test {
 protected:
  pb::CreateScheduleRequest request(const std::string& cron) {
    pb::CreateScheduleRequest out;
    out.set_task_queue("q");
    out.set_workflow_type("T");
    out.set_cron_expr(cron);
    return out;
  }
  pb::Schedule create(const std::string& cron) {
    const auto made = call<pb::CreateScheduleResponse>("CreateSchedule", request(cron));
    EXPECT_EQ(made.code, WireCode::ok) << made.text;
    return made->schedule();
  }
  std::size_t count_runs() {
    pb::ListWorkflowRunsRequest list;
    list.set_page_size(100);
    return static_cast<std::size_t>(call<pb::ListWorkflowRunsResponse>("ListWorkflowRuns", list)->workflow_runs_size());
  }
};

TEST_F(K0Schedules, K56_AScheduleTellsItsNextFireAndDefaults) {
  const pb::Schedule made = create("0 */5 * * * *");
  EXPECT_TRUE(made.enabled());
  EXPECT_EQ(made.max_catchup(), 100);
  EXPECT_EQ(made.input(), "null");
  EXPECT_GT(made.next_fire_at().seconds(), seconds(clock.now()));
  EXPECT_EQ(made.next_fire_at().seconds() % 300, 0);
  EXPECT_FALSE(made.has_last_fired_at());
  pb::GetScheduleRequest get;
  get.set_schedule_id(made.schedule_id());
  const auto got = call<pb::GetScheduleResponse>("GetSchedule", get);
  EXPECT_EQ(got->schedule().cron_expr(), "0 */5 * * * *");
  EXPECT_EQ(got->schedule().namespace_id(), "default");
}

TEST_F(K0Schedules, K57_WhatIsNoScheduleIsRefused) {
  for (const char* cron : {"not a cron", "*/5 * * * *", "0 0 0 31 2 *", "60 * * * * *", ""}) {
    EXPECT_EQ(call<pb::CreateScheduleResponse>("CreateSchedule", request(cron)).code, WireCode::invalid_argument) << cron;
  }
  pb::CreateScheduleRequest bad = request("0 * * * * *");
  bad.set_input("{");
  EXPECT_EQ(call<pb::CreateScheduleResponse>("CreateSchedule", bad).code, WireCode::invalid_argument);
  bad = request("0 * * * * *");
  bad.set_context("{");
  EXPECT_EQ(call<pb::CreateScheduleResponse>("CreateSchedule", bad).code, WireCode::invalid_argument);
  bad = request("0 * * * * *");
  bad.clear_task_queue();
  EXPECT_EQ(call<pb::CreateScheduleResponse>("CreateSchedule", bad).code, WireCode::invalid_argument);
  bad = request("0 * * * * *");
  bad.clear_workflow_type();
  EXPECT_EQ(call<pb::CreateScheduleResponse>("CreateSchedule", bad).code, WireCode::invalid_argument);
}

TEST_F(K0Schedules, ShorthandsAndYearsAreTaken) {
  EXPECT_FALSE(create("@daily").schedule_id().empty());
  EXPECT_FALSE(create("0 0 0 1 1 * 2030").schedule_id().empty());
}

TEST_F(K0Schedules, K58_DaysOfTheWeekBeginWithSunday) {
  const std::int64_t next = create("0 0 12 ? * 2").next_fire_at().seconds();
  EXPECT_EQ((next / 86'400 + 4) % 7, 1);  // 1970-01-01 was a Thursday; 1 = Monday
  EXPECT_EQ(next % 86'400, 12 * 3'600);
}

TEST_F(K0Schedules, K59_BothDayFieldsMustMatch) {
  const std::int64_t next = create("0 0 0 13 * 6").next_fire_at().seconds();
  EXPECT_EQ((next / 86'400 + 4) % 7, 5);  // a Friday
}

TEST_F(K0Schedules, MaxCatchupIsKeptWithinItsRange) {
  pb::CreateScheduleRequest wanted = request("0 * * * * *");
  wanted.set_max_catchup(-3);
  EXPECT_EQ(call<pb::CreateScheduleResponse>("CreateSchedule", wanted)->schedule().max_catchup(), 1);
  wanted.set_max_catchup(1'000'000);
  EXPECT_EQ(call<pb::CreateScheduleResponse>("CreateSchedule", wanted)->schedule().max_catchup(), 10'000);
}

TEST_F(K0Schedules, K60_AFireStartsARunWithTheKeyOfItsInstant) {
  pb::CreateScheduleRequest wanted = request("0 * * * * *");
  wanted.set_input(R"({"n":1})");
  const pb::Schedule made = call<pb::CreateScheduleResponse>("CreateSchedule", wanted)->schedule();
  const std::string worker = register_worker();
  advance(60s);
  beat(worker);
  const auto polled = poll(worker);
  ASSERT_FALSE(polled->run_id().empty());
  EXPECT_EQ(polled->workflow_input(), R"({"n":1})");
  const pb::WorkflowRun fired = run(polled->run_id());
  EXPECT_TRUE(fired.business_id().starts_with("schedule:" + made.schedule_id() + ":")) << fired.business_id();
  EXPECT_TRUE(fired.business_id().ends_with(":00+00:00")) << fired.business_id();
  EXPECT_EQ(fired.version(), "1");
}

TEST_F(K0Schedules, K61_ADisabledScheduleDoesNotFireAndCatchesUpWhenItIsEnabled) {
  pb::CreateScheduleRequest wanted = request("0 * * * * *");
  wanted.set_max_catchup(3);
  const std::string id = call<pb::CreateScheduleResponse>("CreateSchedule", wanted)->schedule().schedule_id();
  pb::UpdateScheduleRequest update;
  update.set_schedule_id(id);
  update.mutable_enabled()->set_value(false);
  EXPECT_FALSE(call<pb::UpdateScheduleResponse>("UpdateSchedule", update)->schedule().enabled());
  advance(10min);
  update.mutable_enabled()->set_value(true);
  EXPECT_EQ(count_runs(), 0U);
  const auto enabled = call<pb::UpdateScheduleResponse>("UpdateSchedule", update);
  ASSERT_EQ(enabled.code, WireCode::ok) << enabled.text;
  EXPECT_TRUE(enabled->schedule().enabled());
  EXPECT_TRUE(eventually([&] { return count_runs() == 3; })) << count_runs();
}

TEST_F(K0Schedules, K62_UnknownSchedules) {
  pb::GetScheduleRequest get;
  pb::UpdateScheduleRequest update;
  pb::DeleteScheduleRequest remove;
  for (const auto& [id, code] : {std::pair(kNobody, WireCode::not_found), std::pair("x", WireCode::invalid_argument)}) {
    get.set_schedule_id(id);
    update.set_schedule_id(id);
    remove.set_schedule_id(id);
    EXPECT_EQ(call<pb::GetScheduleResponse>("GetSchedule", get).code, code);
    EXPECT_EQ(call<pb::UpdateScheduleResponse>("UpdateSchedule", update).code, code);
    EXPECT_EQ(call<pb::Empty>("DeleteSchedule", remove).code, code);
  }
}

TEST_F(K0Schedules, K63_UpdatesChangeWhatIsPresentOnly) {
  const pb::Schedule made = create("0 * * * * *");
  pb::UpdateScheduleRequest update;
  update.set_schedule_id(made.schedule_id());
  update.mutable_task_queue()->set_value("q2");
  update.mutable_input()->set_value("[1]");
  update.mutable_version()->set_value("7");
  update.mutable_cron_expr()->set_value("0 0 * * * *");
  const auto changed = call<pb::UpdateScheduleResponse>("UpdateSchedule", update);
  ASSERT_EQ(changed.code, WireCode::ok) << changed.text;
  EXPECT_EQ(changed->schedule().task_queue(), "q2");
  EXPECT_EQ(changed->schedule().workflow_type(), "T");
  EXPECT_EQ(changed->schedule().input(), "[1]");
  EXPECT_EQ(changed->schedule().version(), "7");
  EXPECT_EQ(changed->schedule().next_fire_at().seconds() % 3'600, 0);
  update.mutable_cron_expr()->set_value("never");
  EXPECT_EQ(call<pb::UpdateScheduleResponse>("UpdateSchedule", update).code, WireCode::invalid_argument);
  pb::UpdateScheduleRequest bad;
  bad.set_schedule_id(made.schedule_id());
  bad.mutable_input()->set_value("{");
  EXPECT_EQ(call<pb::UpdateScheduleResponse>("UpdateSchedule", bad).code, WireCode::invalid_argument);
}

TEST_F(K0Schedules, SchedulesAreListedByQueueAndGoneAfterTheirEnd) {
  const std::string id = create("0 * * * * *").schedule_id();
  pb::ListSchedulesRequest list;
  EXPECT_EQ(call<pb::ListSchedulesResponse>("ListSchedules", list)->schedules_size(), 1);
  list.set_task_queue("other");
  EXPECT_EQ(call<pb::ListSchedulesResponse>("ListSchedules", list)->schedules_size(), 0);
  list.clear_task_queue();
  list.set_namespace_id("never seen");
  EXPECT_EQ(call<pb::ListSchedulesResponse>("ListSchedules", list).code, WireCode::ok);
  pb::DeleteScheduleRequest remove;
  remove.set_schedule_id(id);
  EXPECT_EQ(call<pb::Empty>("DeleteSchedule", remove).code, WireCode::ok);
  list.clear_namespace_id();
  EXPECT_EQ(call<pb::ListSchedulesResponse>("ListSchedules", list)->schedules_size(), 0);
}

}  // namespace
}  // namespace muster::rpc::k0
