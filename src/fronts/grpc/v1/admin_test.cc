#include "fronts/grpc/v1/v1_testing.h"

namespace muster::rpc::v1 {
namespace {

using namespace std::chrono_literals;

class V1Admin : public V1Test {};
class V1Namespaces : public V1Test {};
class V1Schedules : public V1Test {
 protected:
  pb::CreateWorkflowScheduleRequest request(const std::string& cron) {
    pb::CreateWorkflowScheduleRequest out;
    out.set_namespace_("default");
    out.set_task_queue("q");
    out.set_workflow_type("T");
    out.set_cron_expr(cron);
    return out;
  }
  pb::WorkflowSchedule create(const std::string& cron) {
    const auto made = call<pb::CreateWorkflowScheduleResponse>("WorkflowSchedule", "CreateWorkflowSchedule", request(cron));
    EXPECT_EQ(made.code, WireCode::ok) << made.text;
    return made->schedule();
  }
  template <class Request>
  static Request named(const std::string& id) {
    Request out;
    out.set_namespace_("default");
    out.set_schedule_id(id);
    return out;
  }
  pb::WorkflowSchedule get(const std::string& id) {
    return call<pb::GetWorkflowScheduleResponse>("WorkflowSchedule", "GetWorkflowSchedule",
                                                 named<pb::GetWorkflowScheduleRequest>(id))
        ->schedule();
  }
};

TEST_F(V1Schedules, V26_WhatIsNoScheduleIsRefused) {
  for (const char* cron : {"not a cron", "* * * * *", "@daily", "", "61 * * * * *", "0 0 0 31 2 *"}) {
    const auto made = call<pb::CreateWorkflowScheduleResponse>("WorkflowSchedule", "CreateWorkflowSchedule", request(cron));
    EXPECT_EQ(made.code, WireCode::invalid_argument) << cron;
  }
  pb::CreateWorkflowScheduleRequest bad = request("0 * * * * *");
  bad.clear_namespace_();
  EXPECT_EQ(call<pb::CreateWorkflowScheduleResponse>("WorkflowSchedule", "CreateWorkflowSchedule", bad).code,
            WireCode::invalid_argument);
}

TEST_F(V1Schedules, V27_AScheduleOfEverySecondFiresSoon) {
  const pb::WorkflowSchedule made = create("*/1 * * * * *");
  EXPECT_TRUE(made.enabled());
  EXPECT_EQ(made.max_catchup(), 50);
  EXPECT_LE(made.next_fire_at().seconds() * 1'000, to_ms(clock.now() + 5s));
  EXPECT_TRUE(made.has_created_at());
  pb::CreateWorkflowScheduleRequest off = request("0 * * * * *");
  off.set_enabled(false);
  off.set_max_catchup(0);
  const auto disabled = call<pb::CreateWorkflowScheduleResponse>("WorkflowSchedule", "CreateWorkflowSchedule", off);
  EXPECT_FALSE(disabled->schedule().enabled());
  EXPECT_EQ(disabled->schedule().max_catchup(), 0);
}

TEST_F(V1Schedules, V28_PausedSchedulesDoNotFireAndGoOnFromNowWhenResumed) {
  const std::string id = create("0 * * * * *").schedule_id();
  const auto paused = call<pb::PauseWorkflowScheduleResponse>("WorkflowSchedule", "PauseWorkflowSchedule",
                                                              named<pb::PauseWorkflowScheduleRequest>(id));
  EXPECT_FALSE(paused->schedule().enabled());
  advance(10min);
  const auto resumed = call<pb::ResumeWorkflowScheduleResponse>("WorkflowSchedule", "ResumeWorkflowSchedule",
                                                                named<pb::ResumeWorkflowScheduleRequest>(id));
  ASSERT_EQ(resumed.code, WireCode::ok) << resumed.text;
  EXPECT_TRUE(resumed->schedule().enabled());
  EXPECT_GT(resumed->schedule().next_fire_at().seconds() * 1'000, to_ms(clock.now()));
  advance(1min);
  ASSERT_TRUE(eventually([&] { return get(id).total_runs() > 0; }));
  EXPECT_EQ(get(id).total_runs(), 1);
}

TEST_F(V1Schedules, V29_ATriggerStartsARunOfTheSchedule) {
  const std::string id = create("0 0 0 1 1 *").schedule_id();
  call<pb::PauseWorkflowScheduleResponse>("WorkflowSchedule", "PauseWorkflowSchedule",
                                          named<pb::PauseWorkflowScheduleRequest>(id));
  const auto triggered = call<pb::TriggerWorkflowScheduleResponse>("WorkflowSchedule", "TriggerWorkflowSchedule",
                                                                   named<pb::TriggerWorkflowScheduleRequest>(id));
  ASSERT_EQ(triggered.code, WireCode::ok) << triggered.text;
  EXPECT_EQ(run(triggered->run_id()).schedule_id(), id);
  claim(register_worker(), triggered->run_id());
  complete(triggered->run_id());
  const auto runs =
      call<pb::ListScheduleRunsResponse>("WorkflowSchedule", "ListScheduleRuns", named<pb::ListScheduleRunsRequest>(id));
  ASSERT_EQ(runs->runs_size(), 1);
  EXPECT_EQ(runs->runs(0).run_id(), triggered->run_id());
  EXPECT_EQ(get(id).successful_runs(), 1);
  EXPECT_EQ(get(id).failed_runs(), 0);
  EXPECT_GE(get(id).total_runs(), 1);
}

TEST_F(V1Schedules, UpdatesChangeWhatIsPresentOnly) {
  const std::string id = create("0 * * * * *").schedule_id();
  auto update = named<pb::UpdateWorkflowScheduleRequest>(id);
  update.set_task_queue("q2");
  update.set_cron_expr("0 0 * * * *");
  update.mutable_input()->set_data("x");
  update.set_max_catchup(7);
  const auto changed = call<pb::UpdateWorkflowScheduleResponse>("WorkflowSchedule", "UpdateWorkflowSchedule", update);
  ASSERT_EQ(changed.code, WireCode::ok) << changed.text;
  EXPECT_EQ(changed->schedule().task_queue(), "q2");
  EXPECT_EQ(changed->schedule().workflow_type(), "T");
  EXPECT_EQ(changed->schedule().cron_expr(), "0 0 * * * *");
  EXPECT_EQ(changed->schedule().input().data(), "x");
  EXPECT_EQ(changed->schedule().max_catchup(), 7);
  update.set_cron_expr("* * * * *");
  EXPECT_EQ(call<pb::UpdateWorkflowScheduleResponse>("WorkflowSchedule", "UpdateWorkflowSchedule", update).code,
            WireCode::invalid_argument);
}

TEST_F(V1Schedules, UnknownSchedulesAndIdsThatAreNone) {
  for (const auto& [id, code] : {std::pair(kNobody, WireCode::not_found), std::pair("x", WireCode::invalid_argument)}) {
    EXPECT_EQ(call<pb::GetWorkflowScheduleResponse>("WorkflowSchedule", "GetWorkflowSchedule",
                                                    named<pb::GetWorkflowScheduleRequest>(id))
                  .code,
              code);
    EXPECT_EQ(call<pb::DeleteWorkflowScheduleResponse>("WorkflowSchedule", "DeleteWorkflowSchedule",
                                                       named<pb::DeleteWorkflowScheduleRequest>(id))
                  .code,
              code);
    EXPECT_EQ(call<pb::TriggerWorkflowScheduleResponse>("WorkflowSchedule", "TriggerWorkflowSchedule",
                                                        named<pb::TriggerWorkflowScheduleRequest>(id))
                  .code,
              code);
    EXPECT_EQ(call<pb::PauseWorkflowScheduleResponse>("WorkflowSchedule", "PauseWorkflowSchedule",
                                                      named<pb::PauseWorkflowScheduleRequest>(id))
                  .code,
              code);
    EXPECT_EQ(
        call<pb::ListScheduleRunsResponse>("WorkflowSchedule", "ListScheduleRuns", named<pb::ListScheduleRunsRequest>(id)).code,
        code);
  }
}

TEST_F(V1Schedules, PausedSchedulesAreListedTooAndDeletedOnesAreNot) {
  const std::string first = create("0 * * * * *").schedule_id();
  create("0 0 * * * *");
  call<pb::PauseWorkflowScheduleResponse>("WorkflowSchedule", "PauseWorkflowSchedule",
                                          named<pb::PauseWorkflowScheduleRequest>(first));
  pb::ListWorkflowSchedulesRequest list;
  list.set_namespace_("default");
  list.mutable_page()->set_page_size(1);
  const auto page = call<pb::ListWorkflowSchedulesResponse>("WorkflowSchedule", "ListWorkflowSchedules", list);
  EXPECT_EQ(page->schedules_size(), 1);
  EXPECT_TRUE(page->page().has_more());
  EXPECT_EQ(page->page().total_count(), 2);
  EXPECT_TRUE(call<pb::DeleteWorkflowScheduleResponse>("WorkflowSchedule", "DeleteWorkflowSchedule",
                                                       named<pb::DeleteWorkflowScheduleRequest>(first))
                  ->deleted());
  list.clear_page();
  EXPECT_EQ(call<pb::ListWorkflowSchedulesResponse>("WorkflowSchedule", "ListWorkflowSchedules", list)->schedules_size(), 1);
}

TEST_F(V1Namespaces, V30_ANameIsTakenOnce) {
  pb::CreateNamespaceRequest request;
  request.set_namespace_("team");
  EXPECT_EQ(call<pb::CreateNamespaceResponse>("Namespace", "CreateNamespace", request).code, WireCode::invalid_argument);
  request.set_display_name("The Team");
  request.set_description("what it does");
  const auto made = call<pb::CreateNamespaceResponse>("Namespace", "CreateNamespace", request);
  ASSERT_EQ(made.code, WireCode::ok) << made.text;
  EXPECT_EQ(made->namespace_().display_name(), "The Team");
  EXPECT_EQ(made->namespace_().description(), "what it does");
  EXPECT_TRUE(made->namespace_().enabled());
  EXPECT_TRUE(Uuid::parse(made->namespace_().id()));
  const auto twice = call<pb::CreateNamespaceResponse>("Namespace", "CreateNamespace", request);
  EXPECT_EQ(twice.code, WireCode::aborted);
  EXPECT_EQ(detail_of(twice.details).code(), 4);
}

TEST_F(V1Namespaces, V31_NamespacesAreChangedAndSwitchedOff) {
  pb::CreateNamespaceRequest create;
  create.set_namespace_("team");
  create.set_display_name("The Team");
  call<pb::CreateNamespaceResponse>("Namespace", "CreateNamespace", create);
  pb::UpdateNamespaceRequest update;
  update.set_namespace_("team");
  update.set_description("new words");
  const auto changed = call<pb::UpdateNamespaceResponse>("Namespace", "UpdateNamespace", update);
  ASSERT_EQ(changed.code, WireCode::ok) << changed.text;
  EXPECT_EQ(changed->namespace_().display_name(), "The Team");
  EXPECT_EQ(changed->namespace_().description(), "new words");
  pb::DisableNamespaceRequest disable;
  disable.set_namespace_("team");
  EXPECT_FALSE(call<pb::DisableNamespaceResponse>("Namespace", "DisableNamespace", disable)->namespace_().enabled());
  pb::StartWorkflowRequest start = start_request("e");
  start.set_namespace_("team");
  EXPECT_EQ(call<pb::StartWorkflowResponse>("Workflow", "StartWorkflow", start).code, WireCode::failed_precondition);
  pb::EnableNamespaceRequest enable;
  enable.set_namespace_("team");
  EXPECT_TRUE(call<pb::EnableNamespaceResponse>("Namespace", "EnableNamespace", enable)->namespace_().enabled());
  EXPECT_EQ(call<pb::StartWorkflowResponse>("Workflow", "StartWorkflow", start).code, WireCode::ok);
  update.set_namespace_("nobody");
  enable.set_namespace_("nobody");
  pb::GetNamespaceRequest get;
  get.set_namespace_("nobody");
  EXPECT_EQ(call<pb::UpdateNamespaceResponse>("Namespace", "UpdateNamespace", update).code, WireCode::not_found);
  EXPECT_EQ(call<pb::EnableNamespaceResponse>("Namespace", "EnableNamespace", enable).code, WireCode::not_found);
  EXPECT_EQ(call<pb::GetNamespaceResponse>("Namespace", "GetNamespace", get).code, WireCode::not_found);
}

TEST_F(V1Namespaces, V32_NamespacesAreListedWithAndWithoutAPage) {
  const auto all = call<pb::ListNamespacesResponse>("Namespace", "ListNamespaces", pb::ListNamespacesRequest());
  ASSERT_EQ(all.code, WireCode::ok) << all.text;
  ASSERT_EQ(all->namespaces_size(), 1);
  EXPECT_EQ(all->namespaces(0).namespace_(), "default");
  EXPECT_EQ(all->namespaces(0).display_name(), "default");
  for (const char* name : {"a", "b"}) {
    pb::CreateNamespaceRequest create;
    create.set_namespace_(name);
    create.set_display_name(name);
    call<pb::CreateNamespaceResponse>("Namespace", "CreateNamespace", create);
  }
  pb::ListNamespacesRequest paged;
  paged.mutable_page()->set_page_size(2);
  const auto first = call<pb::ListNamespacesResponse>("Namespace", "ListNamespaces", paged);
  EXPECT_EQ(first->namespaces_size(), 2);
  EXPECT_TRUE(first->page().has_more());
  paged.mutable_page()->set_page_token(first->page().next_page_token());
  const auto last = call<pb::ListNamespacesResponse>("Namespace", "ListNamespaces", paged);
  ASSERT_EQ(last->namespaces_size(), 1);
  EXPECT_EQ(last->namespaces(0).namespace_(), "default");
  EXPECT_FALSE(last->page().has_more());
}

TEST_F(V1Admin, V33_TheServerTellsWhatItSpeaks) {
  const auto info = call<pb::GetServerInfoResponse>("Admin", "GetServerInfo", pb::GetServerInfoRequest());
  EXPECT_EQ(info->api_version(), "v1");
  EXPECT_EQ(info->version(), "0.1.0");
  EXPECT_GE(info->supported_features_size(), 4);
  const auto health = call<pb::HealthCheckResponse>("Admin", "HealthCheck", pb::HealthCheckRequest());
  EXPECT_EQ(health->status(), pb::SERVING_STATUS_SERVING);
}

TEST_F(V1Admin, V34_StatsAndDepthsCountRunsWhereTheyAre) {
  const std::string worker = register_worker({"A", "B"});
  const std::string sleeping = start_run("1", "A");
  ASSERT_EQ(poll(worker, {"A", "B"})->run_id(), sleeping);
  sleep(sleeping, "nap", 60s);
  const std::string retried = start_run("2", "A");
  ASSERT_EQ(poll(worker, {"A", "B"})->run_id(), retried);
  begin_step(retried, "s");
  fail_step(retried, "s");
  const std::string running = start_run("3", "B");
  ASSERT_EQ(poll(worker, {"A", "B"})->run_id(), running);
  start_run("4", "B");
  const auto stats = call<pb::GetStatsResponse>("Admin", "GetStats", pb::GetStatsRequest());
  ASSERT_EQ(stats.code, WireCode::ok) << stats.text;
  EXPECT_EQ(stats->total_workflows(), 4);
  EXPECT_EQ(stats->pending_workflows(), 2);
  EXPECT_EQ(stats->running_workflows(), 1);
  EXPECT_EQ(stats->total_workers(), 1);
  EXPECT_EQ(stats->online_workers(), 1);
  EXPECT_EQ(stats->workflows_by_status().at("SLEEPING"), 1);
  EXPECT_EQ(stats->workflows_by_type().at("A"), 2);
  pb::GetQueueDepthRequest depth;
  EXPECT_EQ(call<pb::GetQueueDepthResponse>("Admin", "GetQueueDepth", depth).code, WireCode::invalid_argument);
  depth.set_namespace_("default");
  const auto depths = call<pb::GetQueueDepthResponse>("Admin", "GetQueueDepth", depth);
  EXPECT_EQ(depths->pending_count(), 2);
  EXPECT_EQ(depths->running_count(), 1);
  EXPECT_EQ(depths->sleeping_count(), 1);
  EXPECT_EQ(depths->depth_by_queue().at("q"), 2);
  depth.set_task_queue("other");
  EXPECT_EQ(call<pb::GetQueueDepthResponse>("Admin", "GetQueueDepth", depth)->pending_count(), 0);
}

TEST_F(V1Admin, TypesAreListedWithTheirQueues) {
  start_run("1", "A");
  start_run("2", "B");
  const std::string done = start_run("3", "C");
  const std::string worker = register_worker({"C"});
  ASSERT_EQ(poll(worker, {"C"})->run_id(), done);
  complete(done);
  pb::ListWorkflowTypesRequest request;
  request.set_namespace_("default");
  request.mutable_page()->set_page_size(2);
  const auto first = call<pb::ListWorkflowTypesResponse>("Admin", "ListWorkflowTypes", request);
  ASSERT_EQ(first->workflow_types_size(), 2);
  EXPECT_EQ(first->workflow_types(0).workflow_type(), "A");
  EXPECT_EQ(first->workflow_types(0).active_runs(), 1);
  EXPECT_EQ(first->workflow_types(0).task_queues(0), "q");
  request.mutable_page()->set_page_token(first->page().next_page_token());
  const auto last = call<pb::ListWorkflowTypesResponse>("Admin", "ListWorkflowTypes", request);
  ASSERT_EQ(last->workflow_types_size(), 1);
  EXPECT_EQ(last->workflow_types(0).workflow_type(), "C");
  EXPECT_EQ(last->workflow_types(0).active_runs(), 0);
  EXPECT_EQ(last->workflow_types(0).total_runs(), 1);
  request.clear_page();
  EXPECT_EQ(call<pb::ListWorkflowTypesResponse>("Admin", "ListWorkflowTypes", request)->workflow_types_size(), 3);
}

}  // namespace
}  // namespace muster::rpc::v1
