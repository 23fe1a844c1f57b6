// The front on a loopback port over the harness of the methods, and generated clients. Time stands still unless a test moves it;
// deadlines of calls are gRPC's own and real.
#pragma once

#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/grpcpp.h>

#include <memory>
#include <string>

#include "fronts/grpc/dialect/call_testing.h"
#include "fronts/grpc/front.h"
#include "kagzi_v1.grpc.pb.h"

namespace muster::rpc {

// Answers without reading the message as one.
struct RawAnswer {
  grpc::Status status;
  std::string bytes;
};

class FrontTest : public MethodTest {
 protected:
  void TearDown() override;

  void serve(GrpcOptions with = {});  // on a free port
  // A connection of its own.
  std::shared_ptr<grpc::Channel> connect(
      std::shared_ptr<grpc::ChannelCredentials> how = grpc::InsecureChannelCredentials()) const;
  std::unique_ptr<kagzi::v1::WorkerService::Stub> workers() const { return kagzi::v1::WorkerService::NewStub(connect()); }
  std::unique_ptr<kagzi::v1::WorkflowService::Stub> workflows() const { return kagzi::v1::WorkflowService::NewStub(connect()); }
  std::unique_ptr<kagzi::v1::AdminService::Stub> admin() const { return kagzi::v1::AdminService::NewStub(connect()); }

  RawAnswer call_raw(const std::string& path, const std::string& bytes) const;
  std::string register_worker();  // no call is open when it returns
  std::string start_run(const std::string& external_id) const;
  static kagzi::v1::PollTaskRequest poll_request(const std::string& worker);
  double open_calls() { return metrics->gauge("muster_grpc_calls_open", "").value(); }

  std::unique_ptr<GrpcFront> front;
};

}  // namespace muster::rpc
