#include "fronts/grpc/front_testing.h"

#include <future>

namespace muster::rpc {

void FrontTest::TearDown() {
  front.reset();
  MethodTest::TearDown();
}

void FrontTest::serve(GrpcOptions with) {
  with.port = 0;
  auto started = GrpcFront::start(*loop, *door, *metrics, std::move(with));
  ASSERT_TRUE(started.ok()) << started.status().text();
  front = *std::move(started);
}

std::shared_ptr<grpc::Channel> FrontTest::connect(std::shared_ptr<grpc::ChannelCredentials> how) const {
  grpc::ChannelArguments arguments;
  arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
  arguments.SetMaxSendMessageSize(-1);
  return grpc::CreateCustomChannel("127.0.0.1:" + std::to_string(front->port()), how, arguments);
}

RawAnswer FrontTest::call_raw(const std::string& path, const std::string& bytes) const {
  grpc::GenericStub stub(connect());
  grpc::ClientContext context;
  const grpc::Slice slice(bytes);
  const grpc::ByteBuffer request(&slice, 1);
  grpc::ByteBuffer response;
  std::promise<grpc::Status> done;
  stub.UnaryCall(&context, path, {}, &request, &response, [&](const grpc::Status& status) { done.set_value(status); });
  RawAnswer answer{.status = done.get_future().get(), .bytes = {}};
  grpc::Slice single;
  if (answer.status.ok() && response.DumpToSingleSlice(&single).ok())
    answer.bytes.assign(reinterpret_cast<const char*>(single.begin()), single.size());
  return answer;
}

std::string FrontTest::register_worker() {
  kagzi::v1::RegisterRequest request;
  request.set_namespace_("default");
  request.set_task_queue("q");
  request.add_workflow_types("T");
  kagzi::v1::RegisterResponse response;
  grpc::ClientContext context;
  const grpc::Status status = workers()->Register(&context, request, &response);
  EXPECT_TRUE(status.ok()) << status.error_message();
  // An answer arrives a moment before its call is put away.
  EXPECT_TRUE(eventually([&] { return open_calls() == 0; }));
  return response.worker_id();
}

std::string FrontTest::start_run(const std::string& external_id) const {
  kagzi::v1::StartWorkflowRequest request;
  request.set_namespace_("default");
  request.set_external_id(external_id);
  request.set_task_queue("q");
  request.set_workflow_type("T");
  kagzi::v1::StartWorkflowResponse response;
  grpc::ClientContext context;
  const grpc::Status status = workflows()->StartWorkflow(&context, request, &response);
  EXPECT_TRUE(status.ok()) << status.error_message();
  return response.run_id();
}

kagzi::v1::PollTaskRequest FrontTest::poll_request(const std::string& worker) {
  kagzi::v1::PollTaskRequest request;
  request.set_namespace_("default");
  request.set_worker_id(worker);
  request.set_task_queue("q");
  request.add_workflow_types("T");
  return request;
}

}  // namespace muster::rpc
