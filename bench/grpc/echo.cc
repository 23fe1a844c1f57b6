#include "bench/grpc/echo.h"

#include <absl/synchronization/mutex.h>
#include <grpcpp/grpcpp.h>

#include <fmt/format.h>

#include "kagzi_v1.grpc.pb.h"

namespace muster::bench::grpc_suite {
namespace {

namespace v1 = kagzi::v1;
using ::grpc::CallbackServerContext;
using ::grpc::ServerUnaryReactor;

constexpr const char* kSomeId = "00000000-0000-8001-8000-000000000001";

ServerUnaryReactor* done(CallbackServerContext* context) {
  ServerUnaryReactor* reactor = context->DefaultReactor();
  reactor->Finish(::grpc::Status::OK);
  return reactor;
}

class Workflows final : public v1::WorkflowService::CallbackService {
  ServerUnaryReactor* StartWorkflow(CallbackServerContext* context, const v1::StartWorkflowRequest*,
                                    v1::StartWorkflowResponse* response) override {
    response->set_run_id(kSomeId);
    return done(context);
  }
};

class Workers final : public v1::WorkerService::CallbackService {
  ServerUnaryReactor* Register(CallbackServerContext* context, const v1::RegisterRequest*,
                               v1::RegisterResponse* response) override {
    response->set_worker_id(kSomeId);
    response->set_heartbeat_interval_secs(10);
    return done(context);
  }
  ServerUnaryReactor* PollTask(CallbackServerContext* context, const v1::PollTaskRequest*,
                               v1::PollTaskResponse* response) override {
    response->set_run_id(kSomeId);
    response->set_workflow_type("bench");
    response->mutable_input()->set_data(R"({"n":1})");
    return done(context);
  }
  ServerUnaryReactor* BeginStep(CallbackServerContext* context, const v1::BeginStepRequest* request,
                                v1::BeginStepResponse* response) override {
    response->set_step_id(request->step_name());
    response->set_should_execute(true);
    return done(context);
  }
  ServerUnaryReactor* CompleteStep(CallbackServerContext* context, const v1::CompleteStepRequest*,
                                   v1::CompleteStepResponse*) override {
    return done(context);
  }
  ServerUnaryReactor* CompleteWorkflow(CallbackServerContext* context, const v1::CompleteWorkflowRequest*,
                                       v1::CompleteWorkflowResponse* response) override {
    response->set_status(v1::WORKFLOW_STATUS_COMPLETED);
    return done(context);
  }
};

}  // namespace

int serve_echo() {
  absl::SetMutexDeadlockDetectionMode(absl::OnDeadlockCycle::kIgnore);  // as our server does
  Workflows workflows;
  Workers workers;
  int port = 0;
  ::grpc::ServerBuilder builder;
  builder.AddListeningPort("127.0.0.1:0", ::grpc::InsecureServerCredentials(), &port);
  builder.RegisterService(&workflows);
  builder.RegisterService(&workers);
  const std::unique_ptr<::grpc::Server> server = builder.BuildAndStart();
  if (!server) return 1;
  fmt::print("echo ready grpc=127.0.0.1:{}\n", port);
  std::fflush(stdout);
  server->Wait();
  return 0;
}

}  // namespace muster::bench::grpc_suite
