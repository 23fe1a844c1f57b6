#include <cctype>

#include "base/ask_testing.h"
#include "fronts/grpc/k0/k0_testing.h"

namespace muster::rpc::k0 {
namespace {

using namespace std::chrono_literals;

class K0Runs : public K0Test {};

TEST_F(K0Runs, K01_K02_AnIdThatIsNoUuidIsRefusedWithDetails) {
  pb::GetWorkflowRunRequest request;
  request.set_run_id("not-a-uuid");
  const auto got = call<pb::GetWorkflowRunResponse>("GetWorkflowRun", request);
  EXPECT_EQ(got.code, WireCode::invalid_argument);
  const pb::ErrorDetail detail = detail_of(got.details);
  EXPECT_EQ(detail.code(), pb::ERROR_CODE_INVALID_ARGUMENT);
  EXPECT_TRUE(detail.non_retryable());
}

TEST_F(K0Runs, K03_UnknownRunIsNotFoundAndNamesItself) {
  pb::GetWorkflowRunRequest request;
  for (const char* id : {kNobody, "00000000-0000-0000-0000-000000000000"}) {
    request.set_run_id(id);
    const auto got = call<pb::GetWorkflowRunResponse>("GetWorkflowRun", request);
    EXPECT_EQ(got.code, WireCode::not_found) << id;
    EXPECT_EQ(detail_of(got.details).code(), pb::ERROR_CODE_NOT_FOUND);
    EXPECT_EQ(detail_of(got.details).subject(), "workflow_run");
    EXPECT_EQ(detail_of(got.details).subject_id(), id);
  }
}

TEST_F(K0Runs, K04_RunOfAnotherNamespaceIsNotFound) {
  pb::GetWorkflowRunRequest request;
  request.set_run_id(start_run());
  request.set_namespace_id("other");
  EXPECT_EQ(call<pb::GetWorkflowRunResponse>("GetWorkflowRun", request).code, WireCode::not_found);
  request.set_namespace_id("default");
  EXPECT_EQ(call<pb::GetWorkflowRunResponse>("GetWorkflowRun", request).code, WireCode::ok);
}

TEST_F(K0Runs, IdsAreReadInEveryFormOfAUuid) {
  const std::string id = start_run();
  std::string simple = id;
  std::erase(simple, '-');
  std::string upper = id;
  for (char& c : upper) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  for (const std::string& form : {simple, upper, "{" + id + "}", "urn:uuid:" + id}) {
    SCOPED_TRACE(form);
    EXPECT_EQ(run(form).run_id(), id);
  }
}

TEST_F(K0Runs, BytesThatAreNoMessageAreRefused) {
  const auto got = end<pb::GetWorkflowRunResponse>(begin("kagzi.WorkflowService", "GetWorkflowRun", "\xff\xff\xff"));
  EXPECT_EQ(got.code, WireCode::invalid_argument);
  EXPECT_EQ(detail_of(got.details).code(), pb::ERROR_CODE_INVALID_ARGUMENT);
}

TEST_F(K0Runs, K05_K06_InputAndContextMustBeJson) {
  for (const char* bad : {"{bad", "nul", "{\"a\":1,}", "[1 2]", "'x'", "01", "1 2", "\"\xff\""}) {
    SCOPED_TRACE(bad);
    EXPECT_EQ(call<pb::StartWorkflowResponse>("StartWorkflow", start_request("T", bad)).code, WireCode::invalid_argument);
    pb::StartWorkflowRequest request = start_request();
    request.set_context(bad);
    EXPECT_EQ(call<pb::StartWorkflowResponse>("StartWorkflow", request).code, WireCode::invalid_argument);
  }
  pb::ListWorkflowRunsRequest all;
  EXPECT_EQ(call<pb::ListWorkflowRunsResponse>("ListWorkflowRuns", all)->workflow_runs_size(), 0);
}

TEST_F(K0Runs, K07_ARunBeginsPendingWithVersionOneAndItsInput) {
  pb::StartWorkflowRequest request = start_request("T", R"({"b":1, "a":2})");
  request.set_context(R"({"user":"u"})");
  const std::string id = call<pb::StartWorkflowResponse>("StartWorkflow", request)->run_id();
  const pb::WorkflowRun got = run(id);
  EXPECT_EQ(got.status(), pb::WORKFLOW_STATUS_PENDING);
  EXPECT_EQ(got.version(), "1");
  EXPECT_EQ(got.attempts(), 0);
  EXPECT_EQ(got.business_id(), "order-1");
  EXPECT_EQ(got.task_queue(), "q");
  EXPECT_EQ(got.workflow_type(), "T");
  EXPECT_EQ(got.namespace_id(), "default");
  EXPECT_EQ(got.input(), R"({"b":1, "a":2})");
  EXPECT_EQ(got.context(), R"({"user":"u"})");
  EXPECT_EQ(got.output(), "");
  EXPECT_TRUE(got.has_error());
  EXPECT_EQ(got.error().message(), "");
  EXPECT_TRUE(got.has_created_at());
  EXPECT_FALSE(got.has_started_at());
  EXPECT_FALSE(got.has_finished_at());
  EXPECT_FALSE(got.has_wake_up_at());
  EXPECT_EQ(got.worker_id(), "");
}

TEST_F(K0Runs, AnEmptyInputIsNull) { EXPECT_EQ(run(start_run("T", "")).input(), "null"); }

TEST_F(K0Runs, TextsThatAreNoNamesComeBackAsTheyWereSent) {
  pb::StartWorkflowRequest request = start_request("my type/v1 100%", "{}");
  request.set_task_queue("");
  request.set_namespace_id("team a/b");
  const auto started = call<pb::StartWorkflowResponse>("StartWorkflow", request);
  ASSERT_EQ(started.code, WireCode::ok) << started.text;
  pb::GetWorkflowRunRequest get;
  get.set_run_id(started->run_id());
  get.set_namespace_id("team a/b");
  const auto got = call<pb::GetWorkflowRunResponse>("GetWorkflowRun", get);
  ASSERT_EQ(got.code, WireCode::ok) << got.text;
  EXPECT_EQ(got->workflow_run().workflow_type(), "my type/v1 100%");
  EXPECT_EQ(got->workflow_run().task_queue(), "");
  EXPECT_EQ(got->workflow_run().namespace_id(), "team a/b");
}

TEST_F(K0Runs, K08_K09_OneIdempotencyKeyIsOneRunAlsoAfterItsEnd) {
  pb::StartWorkflowRequest request = start_request();
  request.set_idempotency_key("key-1");
  const std::string id = call<pb::StartWorkflowResponse>("StartWorkflow", request)->run_id();
  EXPECT_EQ(call<pb::StartWorkflowResponse>("StartWorkflow", request)->run_id(), id);
  claim(register_worker(), id);
  ASSERT_EQ(complete(id).code, WireCode::ok);
  EXPECT_EQ(call<pb::StartWorkflowResponse>("StartWorkflow", request)->run_id(), id);
}

TEST_F(K0Runs, AnIdempotencyKeyHas256BytesOfTheCallersOwn) {
  pb::StartWorkflowRequest request = start_request();
  request.set_idempotency_key(std::string(limits::kKeyBytesMax, 'k'));
  const auto longest = call<pb::StartWorkflowResponse>("StartWorkflow", request);
  EXPECT_EQ(longest.code, WireCode::ok) << longest.text;
  request.set_idempotency_key(std::string(limits::kKeyBytesMax + 1, 'k'));
  const auto refused = call<pb::StartWorkflowResponse>("StartWorkflow", request);
  EXPECT_EQ(refused.code, WireCode::invalid_argument);
  EXPECT_NE(refused.text.find("257"), std::string::npos) << refused.text;
}

TEST_F(K0Runs, K10_KeysOfTwoNamespacesAreTwoKeys) {
  pb::StartWorkflowRequest request = start_request();
  request.set_idempotency_key("key-1");
  const std::string first = call<pb::StartWorkflowResponse>("StartWorkflow", request)->run_id();
  request.set_namespace_id("other");
  EXPECT_NE(call<pb::StartWorkflowResponse>("StartWorkflow", request)->run_id(), first);
}

TEST_F(K0Runs, K43_CompletionKeepsTheOutputAndLetsGoOfTheWorker) {
  const std::string id = start_run();
  const std::string worker = register_worker();
  claim(worker, id);
  EXPECT_EQ(run(id).status(), pb::WORKFLOW_STATUS_RUNNING);
  EXPECT_EQ(run(id).worker_id(), worker);
  EXPECT_EQ(run(id).attempts(), 1);
  ASSERT_EQ(complete(id, R"({"done":true})").code, WireCode::ok);
  const pb::WorkflowRun got = run(id);
  EXPECT_EQ(got.status(), pb::WORKFLOW_STATUS_COMPLETED);
  EXPECT_EQ(got.output(), R"({"done":true})");
  EXPECT_TRUE(got.has_started_at());
  EXPECT_TRUE(got.has_finished_at());
  EXPECT_EQ(got.worker_id(), "");
}

TEST_F(K0Runs, OutputsMustBeJson) {
  const std::string id = start_run();
  claim(register_worker(), id);
  EXPECT_EQ(complete(id, "").code, WireCode::invalid_argument);
  EXPECT_EQ(complete(id, "{").code, WireCode::invalid_argument);
  EXPECT_EQ(complete_step(id, "a", "").code, WireCode::invalid_argument);
  EXPECT_EQ(run(id).status(), pb::WORKFLOW_STATUS_RUNNING);
}

TEST_F(K0Runs, FailWorkflowIsFinalAndKeepsTheText) {
  const std::string id = start_run();
  claim(register_worker(), id);
  ASSERT_EQ(fail(id, "it broke").code, WireCode::ok);
  EXPECT_EQ(run(id).status(), pb::WORKFLOW_STATUS_FAILED);
  EXPECT_EQ(run(id).error().message(), "it broke");
}

TEST_F(K0Runs, ErrorsOfTheFirstDaysAreTexts) {
  // Nine bytes that begin with `a` parse as an unknown field.
  for (const std::string& text : {std::string("plain words"), std::string("abcdefghi"), std::string("x")}) {
    SCOPED_TRACE(text);
    const std::string id = start_run();
    const std::string worker = register_worker();
    claim(worker, id);
    pb::FailWorkflowRequest request;
    request.set_run_id(id);
    request.set_error(text);
    ASSERT_EQ(call<pb::Empty>("FailWorkflow", request).code, WireCode::ok);
    EXPECT_EQ(run(id).error().message(), text);
  }
}

TEST_F(K0Runs, ErrorsAreAnsweredAsTextsWhereTheOperatorSaysSo) {
  options.compat_flags.plain_errors = true;
  restart();
  const std::string id = start_run();
  claim(register_worker(), id);
  ASSERT_EQ(fail(id, "it broke").code, WireCode::ok);
  pb::GetWorkflowRunRequest request;
  request.set_run_id(id);
  const auto got = begin("kagzi.WorkflowService", "GetWorkflowRun", request.SerializeAsString());
  ASSERT_TRUE(got->wait());
  // Field 8 with the text itself in it: tag 0x42, length 8.
  EXPECT_NE(got->response().find("\x42\x08it broke"), std::string::npos);
}

TEST_F(K0Runs, ALongErrorIsCutAndTheRunFailsAllTheSame) {
  const std::string id = start_run();
  claim(register_worker(), id);
  ASSERT_EQ(fail(id, std::string(100'000, 'x')).code, WireCode::ok);
  EXPECT_EQ(run(id).status(), pb::WORKFLOW_STATUS_FAILED);
  EXPECT_LE(run(id).error().message().size(), limits::kErrorBytesMax);
  EXPECT_TRUE(run(id).error().message().ends_with("..."));
}

TEST_F(K0Runs, K44_K45_RunsAreCancelledInEveryUnfinishedStateAndOnce) {
  const std::string worker = register_worker();
  const std::string sleeping = start_run();
  claim(worker, sleeping);
  ASSERT_EQ(sleep(sleeping, 60).code, WireCode::ok);
  const std::string running = start_run();
  claim(worker, running);
  const std::string pending = start_run();
  for (const std::string& id : {sleeping, running, pending}) {
    pb::CancelWorkflowRunRequest request;
    request.set_run_id(id);
    EXPECT_EQ(call<pb::Empty>("CancelWorkflowRun", request).code, WireCode::ok);
    EXPECT_EQ(run(id).status(), pb::WORKFLOW_STATUS_CANCELLED);
    EXPECT_TRUE(run(id).has_finished_at());
    EXPECT_EQ(call<pb::Empty>("CancelWorkflowRun", request).code, WireCode::failed_precondition);
  }
  pb::CancelWorkflowRunRequest unknown;
  unknown.set_run_id(kNobody);
  EXPECT_EQ(call<pb::Empty>("CancelWorkflowRun", unknown).code, WireCode::not_found);
}

TEST_F(K0Runs, K46_AnEndAfterTheEndIsRefusedAndChangesNothing) {
  const std::string id = start_run();
  claim(register_worker(), id);
  pb::CancelWorkflowRunRequest request;
  request.set_run_id(id);
  ASSERT_EQ(call<pb::Empty>("CancelWorkflowRun", request).code, WireCode::ok);
  EXPECT_EQ(complete(id).code, WireCode::failed_precondition);
  EXPECT_EQ(fail(id).code, WireCode::failed_precondition);
  EXPECT_EQ(sleep(id, 1).code, WireCode::failed_precondition);
  EXPECT_EQ(run(id).status(), pb::WORKFLOW_STATUS_CANCELLED);
  EXPECT_EQ(complete(kNobody).code, WireCode::not_found);
}

TEST_F(K0Runs, K52_ATokenThatIsNoneOfOursIsRefused) {
  pb::ListWorkflowRunsRequest request;
  for (const char* token : {"!!", "abcd", "MTIzNA=="}) {
    request.set_page_token(token);
    EXPECT_EQ(call<pb::ListWorkflowRunsResponse>("ListWorkflowRuns", request).code, WireCode::invalid_argument) << token;
  }
}

TEST_F(K0Runs, K53_PagesHoldEveryRunOnceNewestFirst) {
  std::vector<std::string> started;
  for (int i = 0; i < 25; ++i) started.insert(started.begin(), start_run());
  for (const char* filter : {"", "PENDING"}) {
    SCOPED_TRACE(filter);
    std::vector<std::string> seen;
    std::vector<int> sizes;
    std::vector<bool> more;
    pb::ListWorkflowRunsRequest request;
    request.set_page_size(10);
    request.set_filter_status(filter);
    do {
      const auto page = call<pb::ListWorkflowRunsResponse>("ListWorkflowRuns", request);
      ASSERT_EQ(page.code, WireCode::ok) << page.text;
      for (const auto& one : page->workflow_runs()) seen.push_back(one.run_id());
      sizes.push_back(page->workflow_runs_size());
      more.push_back(page->has_more());
      EXPECT_EQ(page->next_page_token().empty(), !page->has_more());
      request.set_page_token(page->next_page_token());
    } while (more.back() && sizes.size() < 10);
    EXPECT_EQ(sizes, (std::vector{10, 10, 5}));
    EXPECT_EQ(more, (std::vector{true, true, false}));
    EXPECT_EQ(seen, started);
  }
}

TEST_F(K0Runs, ListsAreFilteredByTheWordOfTheStatus) {
  const std::string worker = register_worker();
  const std::string sleeping = start_run();
  claim(worker, sleeping);
  ASSERT_EQ(sleep(sleeping, 60).code, WireCode::ok);
  const std::string failed = start_run();
  claim(worker, failed);
  ASSERT_EQ(fail(failed).code, WireCode::ok);
  const std::string running = start_run();
  claim(worker, running);
  const std::string pending = start_run();
  const auto listed = [this](const char* word) {
    pb::ListWorkflowRunsRequest request;
    request.set_filter_status(word);
    const auto page = call<pb::ListWorkflowRunsResponse>("ListWorkflowRuns", request);
    EXPECT_EQ(page.code, WireCode::ok) << page.text;
    std::vector<std::string> ids;
    for (const auto& one : page->workflow_runs()) ids.push_back(one.run_id());
    return ids;
  };
  EXPECT_EQ(listed("PENDING"), std::vector{pending});
  EXPECT_EQ(listed("SLEEPING"), std::vector{sleeping});
  EXPECT_EQ(listed("RUNNING"), std::vector{running});
  EXPECT_EQ(listed("FAILED"), std::vector{failed});
  EXPECT_TRUE(listed("COMPLETED").empty());
  EXPECT_TRUE(listed("NO SUCH WORD").empty());
  EXPECT_TRUE(listed("pending").empty());
}

TEST_F(K0Runs, ANamespaceWithoutRunsIsAnEmptyList) {
  pb::ListWorkflowRunsRequest request;
  request.set_namespace_id("never seen");
  const auto page = call<pb::ListWorkflowRunsResponse>("ListWorkflowRuns", request);
  EXPECT_EQ(page.code, WireCode::ok) << page.text;
  EXPECT_EQ(page->workflow_runs_size(), 0);
  EXPECT_FALSE(page->has_more());
}

TEST_F(K0Runs, BigRunsMakeShortPagesThatGoOn) {
  const std::string big = "\"" + std::string(1024 * 1024, 'x') + "\"";
  for (int i = 0; i < 5; ++i) start_run("T", big);
  pb::ListWorkflowRunsRequest request;
  std::size_t seen = 0;
  for (int pages = 0; pages < 10; ++pages) {
    const auto page = call<pb::ListWorkflowRunsResponse>("ListWorkflowRuns", request);
    ASSERT_EQ(page.code, WireCode::ok) << page.text;
    EXPECT_LT(page.call->response().size(), 4U * 1024 * 1024);
    seen += static_cast<std::size_t>(page->workflow_runs_size());
    if (!page->has_more()) break;
    request.set_page_token(page->next_page_token());
  }
  EXPECT_EQ(seen, 5U);
}

TEST_F(K0Runs, K65_AnInputOfThreeMebibytesIsTooLargeAndHalfAOneIsNot) {
  const auto sized = [](std::size_t bytes) { return "\"" + std::string(bytes, 'x') + "\""; };
  EXPECT_EQ(call<pb::StartWorkflowResponse>("StartWorkflow", start_request("T", sized(3 * 1024 * 1024))).code,
            WireCode::invalid_argument);
  EXPECT_EQ(call<pb::StartWorkflowResponse>("StartWorkflow", start_request("T", sized(512 * 1024))).code, WireCode::ok);
}

TEST_F(K0Runs, ADeadlineEndsTheRunWhateverItDoes) {
  const std::string worker = register_worker();
  pb::StartWorkflowRequest request = start_request();
  const auto deadline = std::chrono::ceil<std::chrono::seconds>((clock.now() + 5s).time_since_epoch());
  request.mutable_deadline_at()->set_seconds(deadline.count());
  const std::string id = call<pb::StartWorkflowResponse>("StartWorkflow", request)->run_id();
  EXPECT_EQ(run(id).deadline_at().seconds(), deadline.count());
  claim(worker, id);
  advance(6s);
  ASSERT_TRUE(eventually([&] { return run(id).status() == pb::WORKFLOW_STATUS_FAILED; }));
  EXPECT_EQ(complete(id).code, WireCode::failed_precondition);
}

TEST_F(K0Runs, ADisabledNamespaceTakesNoRuns) {
  pb::StartWorkflowRequest request = start_request();
  request.set_namespace_id("closed");
  ASSERT_EQ(call<pb::StartWorkflowResponse>("StartWorkflow", request).code, WireCode::ok);
  NamespaceChange change;
  change.name = NamespaceName("closed");
  change.enabled = false;
  EXPECT_TRUE(muster::ask<NamespaceInfo>([&](auto reply) { engine->queues().update_namespace(change, std::move(reply)); }).ok());
  EXPECT_EQ(call<pb::StartWorkflowResponse>("StartWorkflow", request).code, WireCode::failed_precondition);
}

TEST_F(K0Runs, HealthIsServing) {
  for (const char* service : {"kagzi.WorkflowService", "kagzi.HealthService"}) {
    const auto health = end<pb::HealthCheckResponse>(begin(service, "HealthCheck", {}));
    EXPECT_EQ(health->status(), pb::HealthCheckResponse::SERVING);
    EXPECT_EQ(health->timestamp().nanos(), 0);
    EXPECT_GT(health->timestamp().seconds(), 0);
  }
}

}  // namespace
}  // namespace muster::rpc::k0
