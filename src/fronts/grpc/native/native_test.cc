// muster.v1 over the real store: signals, children, results that are waited for, timelines, and schedules with their settings.
#include "fronts/grpc/v1/v1_testing.h"
#include "muster_v1.pb.h"

namespace muster::rpc {
namespace {

using namespace std::chrono_literals;
namespace pb = ::muster::v1;

class NativeTest : public v1::V1Test {
 protected:
  std::shared_ptr<FakeCall> begin_native(std::string_view service, std::string_view method, std::string bytes,
                                         Metadata metadata = {}) {
    auto call = std::make_shared<FakeCall>(*core, std::move(bytes), std::move(metadata));
    call->caller = caller;
    call->connection = connection;
    find_method(service, method)->run(call);
    return call;
  }
  template <class Response, class Request>
  Answer<Response> runs(std::string_view method, const Request& request, Metadata metadata = {}) {
    return end<Response>(begin_native("muster.v1.RunService", method, request.SerializeAsString(), std::move(metadata)));
  }
  template <class Response, class Request>
  Answer<Response> schedules(std::string_view method, const Request& request) {
    return end<Response>(begin_native("muster.v1.ScheduleService", method, request.SerializeAsString()));
  }

  // A run that a worker holds.
  std::string held_run(const std::string& external_id = "held") {
    worker = register_worker();
    const std::string run = start_run(external_id);
    claim(worker, run);
    return run;
  }
  Answer<pb::AwaitSignalResponse> await_signal(const std::string& run, std::optional<int> seconds = {}) {
    pb::AwaitSignalRequest request;
    request.set_run_id(run);
    request.set_step("wait");
    request.set_signal("go");
    if (seconds) request.mutable_wait()->set_seconds(*seconds);
    return runs<pb::AwaitSignalResponse>("AwaitSignal", request);
  }
  Answer<pb::SignalResponse> send_signal(const std::string& run, const std::string& external_id = {}) {
    pb::SignalRequest request;
    request.set_run_id(run);
    request.set_external_id(external_id);
    request.set_signal("go");
    request.mutable_data()->set_data("42");
    request.mutable_data()->set_is_json(true);
    return runs<pb::SignalResponse>("Signal", request);
  }
  Answer<pb::AwaitChildResponse> await_child(const std::string& run, Metadata metadata = {}) {
    pb::AwaitChildRequest request;
    request.set_run_id(run);
    request.set_step("child");
    request.set_workflow_type("T");
    request.mutable_input()->set_data("1");
    request.mutable_input()->set_is_json(true);
    return runs<pb::AwaitChildResponse>("AwaitChild", request, std::move(metadata));
  }
  static pb::CreateScheduleRequest daily() {
    pb::CreateScheduleRequest request;
    pb::Schedule& schedule = *request.mutable_schedule();
    schedule.set_timing("0 9 * * *");
    schedule.set_zone("Europe/Vienna");
    schedule.set_task_queue("q");
    schedule.set_workflow_type("T");
    schedule.mutable_input()->set_data("{}");
    schedule.mutable_input()->set_is_json(true);
    return request;
  }
  std::string worker;
};

TEST_F(NativeTest, ASignalThatCameEarlyIsTakenAtOnce) {
  const std::string run = held_run();
  const auto sent = send_signal(run);
  ASSERT_EQ(sent.code, WireCode::ok) << sent.text;
  EXPECT_FALSE(sent->taken());
  const auto got = await_signal(run);
  ASSERT_EQ(got.code, WireCode::ok) << got.text;
  EXPECT_FALSE(got->parked());
  EXPECT_EQ(got->data().data(), "42");
  EXPECT_TRUE(got->data().is_json());
}

TEST_F(NativeTest, AWaitParksTheRunUntilTheSignalComes) {
  const std::string run = held_run();
  EXPECT_TRUE(await_signal(run)->parked());
  const auto sent = send_signal("", "held");
  ASSERT_EQ(sent.code, WireCode::ok) << sent.text;
  EXPECT_EQ(sent->run_id(), run);
  EXPECT_TRUE(sent->taken());
  claim(worker, run);
  EXPECT_EQ(await_signal(run)->data().data(), "42");
}

TEST_F(NativeTest, AWaitThatIsOverSaysSo) {
  const std::string run = held_run();
  EXPECT_TRUE(await_signal(run, 5)->parked());
  advance(6s);
  claim(worker, run);
  const auto late = await_signal(run, 5);
  EXPECT_FALSE(late->parked());
  EXPECT_TRUE(late->timed_out());
}

TEST_F(NativeTest, ASignalNeedsOneNameOfARunThatIsThere) {
  EXPECT_EQ(send_signal("", "").code, WireCode::invalid_argument);
  EXPECT_EQ(send_signal("x", "").code, WireCode::invalid_argument);
  EXPECT_EQ(send_signal("", "nobody").code, WireCode::not_found);
  const auto missing = send_signal("00000000-0000-4000-8000-000000000001");
  EXPECT_EQ(missing.code, WireCode::not_found);
  pb::ErrorDetail detail;
  ASSERT_TRUE(detail.ParseFromString(missing.details));
  EXPECT_EQ(detail.code(), "not_found");
}

TEST_F(NativeTest, AChildIsStartedOnceAndItsResultComesBack) {
  const std::string parent = held_run();
  const auto first = await_child(parent);
  ASSERT_EQ(first.code, WireCode::ok) << first.text;
  EXPECT_TRUE(first->parked());
  const std::string child = first->child_run_id();
  claim(worker, child);
  EXPECT_EQ(run(child).parent_run_id(), parent);
  ASSERT_EQ(complete(child, "7").code, WireCode::ok);
  claim(worker, parent);
  const auto second = await_child(parent);
  ASSERT_EQ(second.code, WireCode::ok) << second.text;
  EXPECT_FALSE(second->parked());
  EXPECT_TRUE(second->completed());
  EXPECT_EQ(second->child_run_id(), child);
  EXPECT_EQ(second->output().data(), "7");
}

TEST_F(NativeTest, AChildThatFailedComesBackAsItsError) {
  const std::string parent = held_run();
  const std::string child = await_child(parent)->child_run_id();
  claim(worker, child);
  ASSERT_EQ(fail(child).code, WireCode::ok);
  claim(worker, parent);
  const auto ended = await_child(parent);
  EXPECT_FALSE(ended->parked());
  EXPECT_FALSE(ended->completed());
  EXPECT_FALSE(ended->error_message().empty());
}

TEST_F(NativeTest, AnOldLeaseStartsNoChild) {
  const std::string parent = held_run();
  EXPECT_EQ(await_child(parent, {{"muster-fence", "1"}}).code, WireCode::failed_precondition);
  EXPECT_EQ(await_child(parent, {{"muster-fence", "x"}}).code, WireCode::invalid_argument);
  ASSERT_EQ(complete(parent).code, WireCode::ok);
  EXPECT_EQ(await_child(parent).code, WireCode::failed_precondition);
}

TEST_F(NativeTest, AResultIsWaitedForAndTheWaitIsBounded) {
  const std::string id = held_run();
  pb::GetResultRequest request;
  request.set_run_id(id);
  EXPECT_EQ(runs<pb::GetResultResponse>("GetResult", request)->state(), "running");
  request.mutable_wait()->set_seconds(30);
  const auto waiting = begin_native("muster.v1.RunService", "GetResult", request.SerializeAsString());
  EXPECT_FALSE(waiting->answered());
  ASSERT_EQ(complete(id, "9").code, WireCode::ok);
  const auto ended = end<pb::GetResultResponse>(waiting);
  EXPECT_EQ(ended->state(), "completed");
  EXPECT_EQ(ended->output().data(), "9");
  request.mutable_wait()->set_seconds(61);
  EXPECT_EQ(runs<pb::GetResultResponse>("GetResult", request).code, WireCode::invalid_argument);
  request.set_namespace_("other");
  request.mutable_wait()->set_seconds(1);
  EXPECT_EQ(runs<pb::GetResultResponse>("GetResult", request).code, WireCode::not_found);
}

TEST_F(NativeTest, TheTimelineHasEveryAttempt) {
  const std::string id = held_run();
  ASSERT_EQ(begin_step(id, "a b").code, WireCode::ok);
  ASSERT_EQ(complete_step(id, "a b", "5").code, WireCode::ok);
  ASSERT_EQ(begin_step(id, "c").code, WireCode::ok);
  pb::GetHistoryRequest request;
  request.set_run_id(id);
  request.set_page_size(1);
  const auto first = runs<pb::GetHistoryResponse>("GetHistory", request);
  ASSERT_EQ(first.code, WireCode::ok) << first.text;
  ASSERT_EQ(first->steps_size(), 1);
  EXPECT_EQ(first->steps(0).name(), "a b");
  EXPECT_EQ(first->steps(0).state(), "completed");
  EXPECT_EQ(first->steps(0).output().data(), "5");
  request.set_page_token(first->next_page_token());
  const auto second = runs<pb::GetHistoryResponse>("GetHistory", request);
  ASSERT_EQ(second->steps_size(), 1);
  EXPECT_EQ(second->steps(0).state(), "running");
  request.set_page_token("!!");
  EXPECT_EQ(runs<pb::GetHistoryResponse>("GetHistory", request).code, WireCode::invalid_argument);
}

TEST_F(NativeTest, AScheduleKeepsItsSettingsAndTakesChanges) {
  const auto made = schedules<pb::Schedule>("CreateSchedule", daily());
  ASSERT_EQ(made.code, WireCode::ok) << made.text;
  EXPECT_EQ(made->zone(), "Europe/Vienna");
  EXPECT_EQ(made->overlap(), "allow");
  EXPECT_TRUE(made->enabled());
  EXPECT_TRUE(made->has_next_fire_at());
  pb::UpdateScheduleRequest change;
  change.set_schedule_id(made->schedule_id());
  change.set_overlap("skip");
  change.set_timing("every 90s");
  change.mutable_input()->set_data("[1]");
  change.mutable_input()->set_is_json(true);
  const auto changed = schedules<pb::Schedule>("UpdateSchedule", change);
  ASSERT_EQ(changed.code, WireCode::ok) << changed.text;
  EXPECT_EQ(changed->overlap(), "skip");
  EXPECT_EQ(changed->timing(), "every 90s");
  EXPECT_EQ(changed->input().data(), "[1]");
  pb::ScheduleName name;
  name.set_schedule_id(made->schedule_id());
  EXPECT_FALSE(schedules<pb::Schedule>("PauseSchedule", name)->enabled());
  EXPECT_TRUE(schedules<pb::Schedule>("ResumeSchedule", name)->enabled());
  const auto triggered = schedules<pb::TriggerScheduleResponse>("TriggerSchedule", name);
  ASSERT_EQ(triggered.code, WireCode::ok) << triggered.text;
  EXPECT_EQ(run(triggered->run_id()).schedule_id(), made->schedule_id());
  const auto listed = schedules<pb::ListSchedulesResponse>("ListSchedules", pb::ListSchedulesRequest());
  EXPECT_EQ(listed->total(), 1);
  EXPECT_EQ(schedules<pb::Schedule>("DeleteSchedule", name).code, WireCode::ok);
  EXPECT_EQ(schedules<pb::Schedule>("GetSchedule", name).code, WireCode::not_found);
}

TEST_F(NativeTest, FiresAreForetoldAndFilledInOnce) {
  pb::CreateScheduleRequest request = daily();
  request.mutable_schedule()->set_timing("every 1h");
  const auto made = schedules<pb::Schedule>("CreateSchedule", request);
  ASSERT_EQ(made.code, WireCode::ok) << made.text;
  pb::PreviewScheduleRequest preview;
  preview.set_schedule_id(made->schedule_id());
  preview.set_count(3);
  const auto fires = schedules<pb::PreviewScheduleResponse>("PreviewSchedule", preview);
  ASSERT_EQ(fires->fires_size(), 3);
  EXPECT_EQ(fires->fires(1).seconds() - fires->fires(0).seconds(), 3'600);
  preview.set_count(-1);
  EXPECT_EQ(schedules<pb::PreviewScheduleResponse>("PreviewSchedule", preview).code, WireCode::invalid_argument);
  pb::BackfillScheduleRequest range;
  range.set_schedule_id(made->schedule_id());
  EXPECT_EQ(schedules<pb::BackfillScheduleResponse>("BackfillSchedule", range).code, WireCode::invalid_argument);
  range.mutable_from()->set_seconds(fires->fires(0).seconds() - 3 * 3'600);
  range.mutable_to()->set_seconds(fires->fires(0).seconds() - 3'600);
  const auto filled = schedules<pb::BackfillScheduleResponse>("BackfillSchedule", range);
  ASSERT_EQ(filled.code, WireCode::ok) << filled.text;
  EXPECT_EQ(filled->run_ids_size(), 2);
  EXPECT_EQ(schedules<pb::BackfillScheduleResponse>("BackfillSchedule", range)->existed(), 2);
}

TEST_F(NativeTest, SettingsThatAreNoneAreNamed) {
  const auto refused = [&](auto change) {
    pb::CreateScheduleRequest request = daily();
    change(request);
    const auto answer = schedules<pb::Schedule>("CreateSchedule", request);
    EXPECT_EQ(answer.code, WireCode::invalid_argument) << answer.text;
    return answer.text;
  };
  EXPECT_NE(refused([](auto& r) { r.mutable_schedule()->set_gap("never"); }).find("gap"), std::string::npos);
  EXPECT_NE(refused([](auto& r) { r.mutable_schedule()->set_fold("never"); }).find("fold"), std::string::npos);
  EXPECT_NE(refused([](auto& r) { r.mutable_schedule()->set_overlap("never"); }).find("overlap"), std::string::npos);
  EXPECT_NE(refused([](auto& r) { r.set_catchup_max(-1); }).find("catchup_max"), std::string::npos);
  EXPECT_NE(refused([](auto& r) { r.mutable_schedule()->clear_task_queue(); }).find("task_queue"), std::string::npos);
  EXPECT_NE(refused([](auto& r) { r.mutable_schedule()->mutable_input()->set_data("{"); }).find("input"), std::string::npos);
  refused([](auto& r) { r.mutable_schedule()->set_timing("never"); });
  refused([](auto& r) { r.mutable_schedule()->mutable_jitter()->set_seconds(-1); });
}

}  // namespace
}  // namespace muster::rpc
