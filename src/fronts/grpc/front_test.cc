// The front over real connections: dispatch, bounds, cancelled and late clients, stopping.
#include <future>

#include "fronts/grpc/front_testing.h"
#include "kagzi_k0.pb.h"
#include "muster_v1.grpc.pb.h"

namespace muster::rpc {
namespace {

using namespace std::chrono_literals;
using Front = FrontTest;

std::chrono::system_clock::time_point in(std::chrono::milliseconds wait) { return std::chrono::system_clock::now() + wait; }

TEST_F(Front, AnswersAMethodOfEveryDialect) {
  serve();
  kagzi::v1::GetServerInfoResponse info;
  grpc::ClientContext first;
  EXPECT_TRUE(admin()->GetServerInfo(&first, {}, &info).ok());
  EXPECT_EQ(info.api_version(), "v1");
  EXPECT_TRUE(call_raw("/kagzi.WorkflowService/HealthCheck", "").status.ok());
  muster::v1::GetHistoryRequest request;
  request.set_run_id("00000000-0000-4000-8000-000000000001");
  muster::v1::GetHistoryResponse history;
  grpc::ClientContext second;
  const grpc::Status missing = muster::v1::RunService::NewStub(connect())->GetHistory(&second, request, &history);
  EXPECT_EQ(missing.error_code(), grpc::StatusCode::NOT_FOUND);
  muster::v1::ErrorDetail detail;
  ASSERT_TRUE(detail.ParseFromString(missing.error_details()));
  EXPECT_EQ(detail.code(), "not_found");
}

TEST_F(Front, AnUnknownMethodIsUnimplementedInTheWordsOfItsDialect) {
  serve();
  for (const char* path : {"/kagzi.v1.WorkerService/NoSuch", "/no.Such/Method", "/x"})
    EXPECT_EQ(call_raw(path, "").status.error_code(), grpc::StatusCode::UNIMPLEMENTED) << path;
  const RawAnswer answer = call_raw("/kagzi.WorkflowService/NoSuch", "");
  kagzi::ErrorDetail detail;
  ASSERT_TRUE(detail.ParseFromString(answer.status.error_details()));
  EXPECT_EQ(detail.code(), kagzi::ERROR_CODE_NOT_FOUND);
}

TEST_F(Front, BytesThatAreNoMessageAreRefusedWithDetails) {
  serve();
  for (const char* path : {"/kagzi.v1.WorkflowService/StartWorkflow", "/kagzi.WorkflowService/StartWorkflow",
                           "/muster.v1.RunService/Signal", "/grpc.health.v1.Health/Check"}) {
    const RawAnswer answer = call_raw(path, "\xff\xff\xff\xff");
    EXPECT_EQ(answer.status.error_code(), grpc::StatusCode::INVALID_ARGUMENT) << path;
    EXPECT_FALSE(answer.status.error_details().empty()) << path;
  }
}

TEST_F(Front, AMessageThatIsTooLargeIsRefusedWithDetails) {
  serve();
  const RawAnswer large = call_raw("/kagzi.v1.WorkflowService/StartWorkflow", std::string(5 << 20, 'x'));
  EXPECT_EQ(large.status.error_code(), grpc::StatusCode::RESOURCE_EXHAUSTED);
  EXPECT_FALSE(large.status.error_details().empty());
  const RawAnswer huge = call_raw("/kagzi.v1.WorkflowService/StartWorkflow", std::string(32 << 20, 'x'));
  EXPECT_EQ(huge.status.error_code(), grpc::StatusCode::RESOURCE_EXHAUSTED);
}

TEST_F(Front, ACompressedMessageIsJudgedByWhatItIsUnpacked) {
  serve();
  const auto start = [&](std::size_t bytes) {
    kagzi::v1::StartWorkflowRequest request;
    request.set_namespace_("default");
    request.set_external_id(std::string(bytes, 'x'));
    request.set_task_queue("q");
    request.set_workflow_type("T");
    kagzi::v1::StartWorkflowResponse response;
    grpc::ClientContext context;
    context.set_compression_algorithm(GRPC_COMPRESS_GZIP);
    return workflows()->StartWorkflow(&context, request, &response).error_code();
  };
  EXPECT_EQ(start(100), grpc::StatusCode::OK);
  EXPECT_EQ(start(64 << 20), grpc::StatusCode::RESOURCE_EXHAUSTED);
  grpc::ClientContext context;
  context.set_compression_algorithm(GRPC_COMPRESS_DEFLATE);
  kagzi::v1::GetServerInfoResponse info;
  EXPECT_EQ(admin()->GetServerInfo(&context, {}, &info).error_code(), grpc::StatusCode::UNIMPLEMENTED);
}

TEST_F(Front, CallsThatAreCancelledAtAnyMomentEndOnceAndLeaveNothing) {
  serve();
  const std::string worker = register_worker();
  struct Attempt {
    grpc::ClientContext context;
    kagzi::v1::PollTaskResponse response;
    std::promise<void> done;
  };
  const auto stub = workers();
  const kagzi::v1::PollTaskRequest request = poll_request(worker);
  for (int round = 0; round < 20; ++round) {
    std::vector<std::unique_ptr<Attempt>> attempts;
    for (int i = 0; i < 20; ++i) {
      auto& attempt = attempts.emplace_back(std::make_unique<Attempt>());
      stub->async()->PollTask(&attempt->context, &request, &attempt->response,
                              [&done = attempt->done](const grpc::Status&) { done.set_value(); });
      if (i % 5 == 0) start_run(std::to_string(round) + "-" + std::to_string(i));
      // Some before they arrive, some while they wait, some while their answer is on its way.
      if (i >= round) attempts[static_cast<std::size_t>(i - round)]->context.TryCancel();
    }
    for (const auto& attempt : attempts) attempt->context.TryCancel();
    for (const auto& attempt : attempts) attempt->done.get_future().wait();
  }
  EXPECT_TRUE(eventually([&] { return open_calls() == 0; }));
}

TEST_F(Front, APollThatItsClientGaveUpTakesNoRun) {
  serve();
  const std::string worker = register_worker();
  const auto stub = workers();
  grpc::ClientContext context;
  kagzi::v1::PollTaskResponse response;
  const kagzi::v1::PollTaskRequest request = poll_request(worker);
  std::promise<grpc::Status> done;
  stub->async()->PollTask(&context, &request, &response, [&](const grpc::Status& status) { done.set_value(status); });
  ASSERT_TRUE(eventually([&] { return open_calls() == 1; }));
  context.TryCancel();
  EXPECT_EQ(done.get_future().get().error_code(), grpc::StatusCode::CANCELLED);
  ASSERT_TRUE(eventually([&] { return open_calls() == 0; })) << "the place is free again";
  const std::string run = start_run("a");
  grpc::ClientContext again;
  EXPECT_TRUE(stub->PollTask(&again, request, &response).ok());
  EXPECT_EQ(response.run_id(), run);
}

TEST_F(Front, APollEndsAtItsClientsDeadline) {
  serve();
  const std::string worker = register_worker();
  grpc::ClientContext context;
  context.set_deadline(in(200ms));
  kagzi::v1::PollTaskResponse response;
  EXPECT_EQ(workers()->PollTask(&context, poll_request(worker), &response).error_code(), grpc::StatusCode::DEADLINE_EXCEEDED);
  EXPECT_TRUE(eventually([&] { return open_calls() == 0; }));
}

TEST_F(Front, OneCallMoreThanAllowedIsToldSo) {
  GrpcOptions narrow;
  narrow.limits.calls_max = 1;
  serve(narrow);
  const std::string worker = register_worker();
  const auto stub = workers();
  grpc::ClientContext context;
  kagzi::v1::PollTaskResponse response;
  const kagzi::v1::PollTaskRequest request = poll_request(worker);
  std::promise<void> done;
  stub->async()->PollTask(&context, &request, &response, [&](const grpc::Status&) { done.set_value(); });
  ASSERT_TRUE(eventually([&] { return open_calls() == 1; }));
  const RawAnswer refused = call_raw("/kagzi.v1.AdminService/GetServerInfo", "");
  EXPECT_EQ(refused.status.error_code(), grpc::StatusCode::RESOURCE_EXHAUSTED);
  EXPECT_FALSE(refused.status.error_details().empty());
  context.TryCancel();
  done.get_future().wait();
  EXPECT_TRUE(eventually([&] { return call_raw("/kagzi.v1.AdminService/GetServerInfo", "").status.ok(); }));
}

TEST_F(Front, StoppingTellsThoseWhoWaitToTryElsewhere) {
  serve();
  const std::string worker = register_worker();
  const auto stub = workers();
  grpc::ClientContext context;
  kagzi::v1::PollTaskResponse response;
  const kagzi::v1::PollTaskRequest request = poll_request(worker);
  std::promise<grpc::Status> done;
  stub->async()->PollTask(&context, &request, &response, [&](const grpc::Status& status) { done.set_value(status); });
  ASSERT_TRUE(eventually([&] { return open_calls() == 1; }));
  front->stop(20s);
  const grpc::Status status = done.get_future().get();
  EXPECT_EQ(status.error_code(), grpc::StatusCode::UNAVAILABLE);
  EXPECT_FALSE(status.error_details().empty()) << status.error_message();
  front->stop(20s);
}

TEST_F(Front, CallsAreCountedByServiceMethodAndCode) {
  serve();
  call_raw("/kagzi.v1.AdminService/GetServerInfo", "");
  call_raw("/kagzi.v1.WorkflowService/GetWorkflow", "");
  const std::string text = metrics->text();
  EXPECT_NE(text.find(R"(muster_grpc_calls_total{code="OK",method="GetServerInfo",service="kagzi.v1.AdminService"} 1)"),
            std::string::npos);
  EXPECT_NE(text.find(R"(code="INVALID_ARGUMENT",method="GetWorkflow")"), std::string::npos);
  EXPECT_NE(text.find("muster_grpc_call_seconds_count"), std::string::npos);
}

TEST_F(Front, ARunCarriesTheCorrelationOfItsCall) {
  serve();
  kagzi::v1::StartWorkflowRequest request;
  request.set_namespace_("default");
  request.set_external_id("e");
  request.set_task_queue("q");
  request.set_workflow_type("T");
  kagzi::v1::StartWorkflowResponse response;
  grpc::ClientContext context;
  context.AddMetadata("traceparent", "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01");
  ASSERT_TRUE(workflows()->StartWorkflow(&context, request, &response).ok());
  std::promise<std::string> carried;
  engine->jobs().get({*JobId::parse(response.run_id())}, [&](Result<store::Each<Job>> jobs) {
    carried.set_value(jobs.ok() && jobs->front().ok() ? jobs->front()->spec.correlation : "none");
  });
  EXPECT_EQ(carried.get_future().get(), "4bf92f3577b34da6a3ce929d0e0e4736");
}

TEST_F(Front, ABusyPortIsUnavailableAndAReachableAddressNeedsMore) {
  serve();
  GrpcOptions busy;
  busy.port = front->port();
  EXPECT_EQ(GrpcFront::start(*loop, *door, *metrics, busy).code(), Code::unavailable);
  GrpcOptions open;
  open.address = "0.0.0.0";
  open.port = 0;
  EXPECT_EQ(GrpcFront::start(*loop, *door, *metrics, open).code(), Code::invalid_argument);
  open.insecure = true;
  EXPECT_TRUE(GrpcFront::start(*loop, *door, *metrics, open).ok());
  GrpcOptions nowhere;
  nowhere.address = "no such name";
  EXPECT_EQ(GrpcFront::start(*loop, *door, *metrics, nowhere).code(), Code::invalid_argument);
}

}  // namespace
}  // namespace muster::rpc
