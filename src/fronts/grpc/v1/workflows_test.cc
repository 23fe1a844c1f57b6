#include "fronts/grpc/v1/v1_testing.h"

namespace muster::rpc::v1 {
namespace {

using namespace std::chrono_literals;

class V1Workflows : public V1Test {
 protected:
  template <class Request>
  static Request named(const std::string& id, const std::string& ns = "default") {
    Request request;
    request.set_namespace_(ns);
    request.set_run_id(id);
    return request;
  }
};

TEST_F(V1Workflows, V01_WhatIsRequiredIsAskedForInOrder) {
  pb::StartWorkflowRequest request;
  const auto missing = [&] { return call<pb::StartWorkflowResponse>("Workflow", "StartWorkflow", request); };
  request.set_external_id("e");
  EXPECT_NE(missing().text.find("task_queue"), std::string::npos);
  request.set_task_queue("q");
  EXPECT_NE(missing().text.find("workflow_type"), std::string::npos);
  request.set_workflow_type("T");
  EXPECT_NE(missing().text.find("namespace"), std::string::npos);
  EXPECT_EQ(missing().code, WireCode::invalid_argument);
  request.set_namespace_("fresh");
  EXPECT_EQ(missing().code, WireCode::ok);
}

TEST_F(V1Workflows, V02_ErrorsCarryDetailsInTheNumbersOfThisDialect) {
  const auto unknown = call<pb::GetWorkflowResponse>("Workflow", "GetWorkflow", named<pb::GetWorkflowRequest>(kNobody));
  EXPECT_EQ(unknown.code, WireCode::not_found);
  EXPECT_EQ(detail_of(unknown.details).code(), 1);
  EXPECT_TRUE(detail_of(unknown.details).non_retryable());
  const auto bad = call<pb::GetWorkflowResponse>("Workflow", "GetWorkflow", named<pb::GetWorkflowRequest>("x"));
  EXPECT_EQ(bad.code, WireCode::invalid_argument);
  EXPECT_EQ(detail_of(bad.details).code(), 2);
  const std::string id = start_run("e");
  const auto cancel = named<pb::CancelWorkflowRequest>(id);
  call<pb::CancelWorkflowResponse>("Workflow", "CancelWorkflow", cancel);
  const auto twice = call<pb::CancelWorkflowResponse>("Workflow", "CancelWorkflow", cancel);
  EXPECT_EQ(twice.code, WireCode::failed_precondition);
  EXPECT_EQ(detail_of(twice.details).code(), 3);
}

TEST_F(V1Workflows, V03_V04_OneExternalIdIsOneRunWhileItGoesOn) {
  const auto first = call<pb::StartWorkflowResponse>("Workflow", "StartWorkflow", start_request("e"));
  EXPECT_FALSE(first->already_exists());
  const auto second = call<pb::StartWorkflowResponse>("Workflow", "StartWorkflow", start_request("e"));
  EXPECT_TRUE(second->already_exists());
  EXPECT_EQ(second->run_id(), first->run_id());
  claim(register_worker(), first->run_id());
  ASSERT_EQ(complete(first->run_id()).code, WireCode::ok);
  const auto third = call<pb::StartWorkflowResponse>("Workflow", "StartWorkflow", start_request("e"));
  EXPECT_FALSE(third->already_exists());
  EXPECT_NE(third->run_id(), first->run_id());
}

TEST_F(V1Workflows, AnExternalIdThatIsLeftOutIsMadeUp) {
  const std::string first = start_run("");
  EXPECT_NE(start_run(""), first);
  EXPECT_TRUE(Uuid::parse(run(first).external_id()));
}

TEST_F(V1Workflows, V05_APayloadHasASize) {
  pb::StartWorkflowRequest request = start_request("e");
  request.mutable_input()->set_data(std::string(3 * 1024 * 1024, '\xff'));
  EXPECT_EQ(call<pb::StartWorkflowResponse>("Workflow", "StartWorkflow", request).code, WireCode::invalid_argument);
  request.mutable_input()->set_data(std::string(512 * 1024, '\xff'));
  const auto started = call<pb::StartWorkflowResponse>("Workflow", "StartWorkflow", request);
  ASSERT_EQ(started.code, WireCode::ok) << started.text;
  EXPECT_EQ(run(started->run_id()).input().data(), request.input().data());
}

TEST_F(V1Workflows, ARunIsShownAsItIs) {
  pb::StartWorkflowRequest request = start_request("e");
  (*request.mutable_input()->mutable_metadata())["encoding"] = "json/plain";
  const std::string id = call<pb::StartWorkflowResponse>("Workflow", "StartWorkflow", request)->run_id();
  pb::Workflow got = run(id);
  EXPECT_EQ(got.namespace_(), "default");
  EXPECT_EQ(got.external_id(), "e");
  EXPECT_EQ(got.task_queue(), "q");
  EXPECT_EQ(got.workflow_type(), "T");
  EXPECT_EQ(got.status(), pb::WORKFLOW_STATUS_PENDING);
  EXPECT_EQ(got.version(), "1");
  EXPECT_EQ(got.input().data(), "{}");
  EXPECT_EQ(got.input().metadata().at("encoding"), "json/plain");
  EXPECT_TRUE(got.has_output());
  EXPECT_FALSE(got.has_error());
  EXPECT_EQ(got.attempts(), 0);
  EXPECT_FALSE(got.has_started_at());
  EXPECT_FALSE(got.has_worker_id());
  EXPECT_FALSE(got.has_schedule_id());
  const std::string worker = register_worker();
  claim(worker, id);
  got = run(id);
  EXPECT_EQ(got.status(), pb::WORKFLOW_STATUS_RUNNING);
  EXPECT_EQ(got.worker_id(), worker);
  EXPECT_TRUE(got.has_wake_up_at());
  ASSERT_EQ(fail(id)->status(), pb::WORKFLOW_STATUS_FAILED);
  got = run(id);
  EXPECT_EQ(got.status(), pb::WORKFLOW_STATUS_FAILED);
  EXPECT_EQ(got.error().message(), "boom");
  EXPECT_EQ(got.error().code(), pb::ERROR_CODE_CONFLICT);
  EXPECT_FALSE(got.has_worker_id());
  EXPECT_FALSE(got.has_wake_up_at());
  EXPECT_TRUE(got.has_finished_at());
}

TEST_F(V1Workflows, NamespacesMustBeNamedAndAreKeptApart) {
  const std::string id = start_run("e");
  EXPECT_EQ(call<pb::GetWorkflowResponse>("Workflow", "GetWorkflow", named<pb::GetWorkflowRequest>(id, "")).code,
            WireCode::invalid_argument);
  EXPECT_EQ(call<pb::GetWorkflowResponse>("Workflow", "GetWorkflow", named<pb::GetWorkflowRequest>(id, "other")).code,
            WireCode::not_found);
  EXPECT_EQ(call<pb::ListWorkflowsResponse>("Workflow", "ListWorkflows", pb::ListWorkflowsRequest()).code,
            WireCode::invalid_argument);
}

TEST_F(V1Workflows, OnlyUnfinishedRunsAreFoundByTheirExternalId) {
  const std::string id = start_run("e");
  pb::GetWorkflowByExternalIdRequest request;
  request.set_namespace_("default");
  EXPECT_EQ(call<pb::GetWorkflowByExternalIdResponse>("Workflow", "GetWorkflowByExternalId", request).code,
            WireCode::invalid_argument);
  request.set_external_id("e");
  EXPECT_EQ(call<pb::GetWorkflowByExternalIdResponse>("Workflow", "GetWorkflowByExternalId", request)->workflow().run_id(), id);
  claim(register_worker(), id);
  complete(id);
  EXPECT_EQ(call<pb::GetWorkflowByExternalIdResponse>("Workflow", "GetWorkflowByExternalId", request).code, WireCode::not_found);
  request.set_namespace_("never seen");
  EXPECT_EQ(call<pb::GetWorkflowByExternalIdResponse>("Workflow", "GetWorkflowByExternalId", request).code, WireCode::not_found);
}

TEST_F(V1Workflows, ListsAreFilteredByEverythingTheyOffer) {
  const std::string old = start_run("1", "A");
  advance(10s);
  const std::string young = start_run("2", "B");
  const auto ids = [this](pb::ListWorkflowsRequest request) {
    request.set_namespace_("default");
    request.mutable_page()->set_include_total_count(true);
    const auto page = call<pb::ListWorkflowsResponse>("Workflow", "ListWorkflows", request);
    EXPECT_EQ(page.code, WireCode::ok) << page.text;
    EXPECT_EQ(page->page().total_count(), page->workflows_size());
    std::vector<std::string> out;
    for (const auto& one : page->workflows()) out.push_back(one.run_id());
    return out;
  };
  pb::ListWorkflowsRequest request;
  EXPECT_EQ(ids(request), (std::vector{young, old}));
  request.set_workflow_type("A");
  EXPECT_EQ(ids(request), std::vector{old});
  request.Clear();
  request.set_task_queue("other");
  EXPECT_TRUE(ids(request).empty());
  request.Clear();
  request.mutable_created_after()->set_seconds(to_ms(clock.now() - 5s) / 1'000);
  EXPECT_EQ(ids(request), std::vector{young});
  request.Clear();
  request.mutable_created_before()->set_seconds(to_ms(clock.now() - 5s) / 1'000);
  EXPECT_EQ(ids(request), std::vector{old});
  request.Clear();
  request.set_status_filter(pb::WORKFLOW_STATUS_PENDING);
  EXPECT_EQ(ids(request).size(), 2U);
  for (const auto status : {pb::WORKFLOW_STATUS_UNSPECIFIED, pb::WORKFLOW_STATUS_SCHEDULED, pb::WORKFLOW_STATUS_PAUSED,
                            pb::WORKFLOW_STATUS_COMPLETED}) {
    request.set_status_filter(status);
    EXPECT_TRUE(ids(request).empty());
  }
  request.set_namespace_("default");
  request.set_status_filter(static_cast<pb::WorkflowStatus>(99));
  EXPECT_EQ(call<pb::ListWorkflowsResponse>("Workflow", "ListWorkflows", request).code, WireCode::invalid_argument);
}

TEST_F(V1Workflows, PagesEndWithoutAToken) {
  for (int i = 0; i < 4; ++i) start_run(std::to_string(i));
  pb::ListWorkflowsRequest request;
  request.set_namespace_("default");
  request.mutable_page()->set_page_size(2);
  const auto first = call<pb::ListWorkflowsResponse>("Workflow", "ListWorkflows", request);
  EXPECT_TRUE(first->page().has_more());
  EXPECT_EQ(first->page().total_count(), 0);
  request.mutable_page()->set_page_token(first->page().next_page_token());
  const auto last = call<pb::ListWorkflowsResponse>("Workflow", "ListWorkflows", request);
  EXPECT_EQ(last->workflows_size(), 2);
  EXPECT_FALSE(last->page().has_more());
  EXPECT_EQ(last->page().next_page_token(), "");
}

TEST_F(V1Workflows, V24_V25_CancelsAreOnce) {
  const auto request = named<pb::CancelWorkflowRequest>(start_run("e"));
  const auto cancelled = call<pb::CancelWorkflowResponse>("Workflow", "CancelWorkflow", request);
  EXPECT_TRUE(cancelled->cancelled());
  EXPECT_EQ(cancelled->status(), 6);
  EXPECT_EQ(call<pb::CancelWorkflowResponse>("Workflow", "CancelWorkflow", request).code, WireCode::failed_precondition);
  EXPECT_EQ(call<pb::CancelWorkflowResponse>("Workflow", "CancelWorkflow", named<pb::CancelWorkflowRequest>(kNobody)).code,
            WireCode::not_found);
}

TEST_F(V1Workflows, ARetryIsANewRunAndIsNotStartedTwice) {
  const std::string id = start_run("e");
  const auto request = named<pb::RetryWorkflowRequest>(id);
  EXPECT_TRUE(call<pb::RetryWorkflowResponse>("Workflow", "RetryWorkflow", request)->already_running());
  claim(register_worker(), id);
  fail(id);
  const auto retried = call<pb::RetryWorkflowResponse>("Workflow", "RetryWorkflow", request);
  ASSERT_EQ(retried.code, WireCode::ok) << retried.text;
  EXPECT_FALSE(retried->already_running());
  EXPECT_NE(retried->new_run_id(), id);
  EXPECT_EQ(run(retried->new_run_id()).status(), pb::WORKFLOW_STATUS_PENDING);
  EXPECT_EQ(run(retried->new_run_id()).external_id(), "retry-" + id);
  EXPECT_EQ(run(retried->new_run_id()).input().data(), "{}");
  const auto again = call<pb::RetryWorkflowResponse>("Workflow", "RetryWorkflow", request);
  EXPECT_TRUE(again->already_running());
  EXPECT_EQ(again->new_run_id(), retried->new_run_id());
}

TEST_F(V1Workflows, TerminationEndsUnfinishedRunsOnly) {
  auto request = named<pb::TerminateWorkflowRequest>(start_run("e"));
  request.set_reason("enough");
  const auto ended = call<pb::TerminateWorkflowResponse>("Workflow", "TerminateWorkflow", request);
  EXPECT_TRUE(ended->terminated());
  EXPECT_EQ(ended->status(), pb::WORKFLOW_STATUS_FAILED);
  EXPECT_EQ(run(request.run_id()).status(), pb::WORKFLOW_STATUS_FAILED);
  EXPECT_NE(run(request.run_id()).error().message().find("enough"), std::string::npos);
  EXPECT_EQ(call<pb::TerminateWorkflowResponse>("Workflow", "TerminateWorkflow", request).code, WireCode::failed_precondition);
  EXPECT_EQ(
      call<pb::TerminateWorkflowResponse>("Workflow", "TerminateWorkflow", named<pb::TerminateWorkflowRequest>(kNobody)).code,
      WireCode::not_found);
}

TEST_F(V1Workflows, EndsOfRunsThatDoNotRunAreRefused) {
  const std::string id = start_run("e");
  EXPECT_EQ(complete(id).code, WireCode::failed_precondition);
  EXPECT_EQ(fail(id).code, WireCode::failed_precondition);
  EXPECT_EQ(run(id).status(), pb::WORKFLOW_STATUS_PENDING);
  claim(register_worker(), id);
  EXPECT_EQ(complete(id, "\xff\xfe")->status(), pb::WORKFLOW_STATUS_COMPLETED);
  EXPECT_EQ(run(id).output().data(), "\xff\xfe");
  EXPECT_EQ(complete(id).code, WireCode::failed_precondition);
  EXPECT_EQ(fail(id).code, WireCode::failed_precondition);
  EXPECT_EQ(complete(kNobody).code, WireCode::not_found);
}

}  // namespace
}  // namespace muster::rpc::v1
