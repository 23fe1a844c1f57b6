// Health and reflection, as probes and tools use them.
#include <set>

#include "fronts/grpc/catalogue.h"
#include "fronts/grpc/front_testing.h"
#include "fronts/grpc/reflection.h"
#include "health_v1.grpc.pb.h"
#include "reflection_v1.grpc.pb.h"
#include "reflection_v1alpha.grpc.pb.h"

namespace muster::rpc {
namespace {

using namespace std::chrono_literals;
namespace health = grpc::health::v1;
namespace reflection = grpc::reflection::v1;

using Tools = FrontTest;

TEST_F(Tools, EveryServiceIsServingAndOthersAreNotFound) {
  serve();
  const auto stub = health::Health::NewStub(connect());
  for (const std::string& service : Catalogue::services()) {
    health::HealthCheckRequest request;
    request.set_service(service);
    health::HealthCheckResponse response;
    grpc::ClientContext context;
    EXPECT_TRUE(stub->Check(&context, request, &response).ok()) << service;
    EXPECT_EQ(response.status(), health::HealthCheckResponse::SERVING) << service;
  }
  health::HealthCheckRequest request;
  request.set_service("no.such.Service");
  health::HealthCheckResponse response;
  grpc::ClientContext context;
  EXPECT_EQ(stub->Check(&context, request, &response).error_code(), grpc::StatusCode::NOT_FOUND);
}

TEST_F(Tools, AWatcherHearsThatTheServerStops) {
  serve();
  const auto stub = health::Health::NewStub(connect());
  grpc::ClientContext context;
  const auto stream = stub->Watch(&context, {});
  health::HealthCheckResponse response;
  ASSERT_TRUE(stream->Read(&response));
  EXPECT_EQ(response.status(), health::HealthCheckResponse::SERVING);
  front->stop(20s);
  ASSERT_TRUE(stream->Read(&response));
  EXPECT_EQ(response.status(), health::HealthCheckResponse::NOT_SERVING);
  EXPECT_FALSE(stream->Read(&response));
  EXPECT_EQ(stream->Finish().error_code(), grpc::StatusCode::UNAVAILABLE);
}

TEST_F(Tools, AWatcherOfAnUnknownServiceIsToldSoAndMayLeave) {
  serve();
  const auto stub = health::Health::NewStub(connect());
  grpc::ClientContext context;
  health::HealthCheckRequest request;
  request.set_service("no.such.Service");
  const auto stream = stub->Watch(&context, request);
  health::HealthCheckResponse response;
  ASSERT_TRUE(stream->Read(&response));
  EXPECT_EQ(response.status(), health::HealthCheckResponse::SERVICE_UNKNOWN);
  context.TryCancel();
  EXPECT_FALSE(stream->Read(&response));
  EXPECT_EQ(stream->Finish().error_code(), grpc::StatusCode::CANCELLED);
  EXPECT_TRUE(eventually([&] { return open_calls() == 0; }));
}

TEST_F(Tools, WatchersTakeNoCallsPlaceAndHaveBoundsOfTheirOwn) {
  GrpcOptions narrow;
  narrow.limits.calls_max = 1;
  narrow.limits.watches_max = 2;
  serve(narrow);
  const auto stub = health::Health::NewStub(connect());
  grpc::ClientContext first, second, third;
  health::HealthCheckResponse response;
  const auto one = stub->Watch(&first, {});
  const auto two = stub->Watch(&second, {});
  ASSERT_TRUE(one->Read(&response));
  ASSERT_TRUE(two->Read(&response));
  EXPECT_TRUE(call_raw("/kagzi.v1.AdminService/GetServerInfo", "").status.ok());
  const auto three = stub->Watch(&third, {});
  EXPECT_FALSE(three->Read(&response));
  EXPECT_EQ(three->Finish().error_code(), grpc::StatusCode::RESOURCE_EXHAUSTED);
  first.TryCancel();
  EXPECT_EQ(one->Finish().error_code(), grpc::StatusCode::CANCELLED);
  EXPECT_TRUE(eventually([&] {
    grpc::ClientContext again;
    const auto stream = stub->Watch(&again, {});
    const bool let_in = stream->Read(&response);
    again.TryCancel();
    static_cast<void>(stream->Finish());
    return let_in;
  }));
  second.TryCancel();
  EXPECT_EQ(two->Finish().error_code(), grpc::StatusCode::CANCELLED);
}

TEST_F(Tools, OneAddressMayNotTakeAllWatches) {
  GrpcOptions narrow;
  narrow.limits.watches_per_address_max = 1;
  serve(narrow);
  const auto stub = health::Health::NewStub(connect());
  grpc::ClientContext first, second;
  health::HealthCheckResponse response;
  const auto one = stub->Watch(&first, {});
  ASSERT_TRUE(one->Read(&response));
  const auto two = stub->Watch(&second, {});
  EXPECT_FALSE(two->Read(&response));
  EXPECT_EQ(two->Finish().error_code(), grpc::StatusCode::RESOURCE_EXHAUSTED);
  first.TryCancel();
  EXPECT_EQ(one->Finish().error_code(), grpc::StatusCode::CANCELLED);
}

reflection::ServerReflectionResponse asked(const reflection::ServerReflectionRequest& request) {
  reflection::ServerReflectionResponse response;
  const auto bytes = reflect(request.SerializeAsString());
  EXPECT_TRUE(bytes && response.ParseFromString(*bytes));
  return response;
}

TEST(Reflection, GivesTheFileOfASymbolWithEverythingItNeeds) {
  reflection::ServerReflectionRequest request;
  for (const char* symbol :
       {"kagzi.v1.WorkerService", "kagzi.v1.WorkerService.PollTask", "kagzi.WorkflowService", "kagzi.ErrorDetail",
        "muster.v1.RunService", "grpc.health.v1.Health", "grpc.reflection.v1alpha.ServerReflection"}) {
    request.set_file_containing_symbol(symbol);
    EXPECT_GT(asked(request).file_descriptor_response().file_descriptor_proto_size(), 0) << symbol;
  }
  request.set_file_by_filename("kagzi_v1.proto");
  EXPECT_EQ(asked(request).file_descriptor_response().file_descriptor_proto_size(), 3) << "duration and timestamp besides";
  request.set_file_containing_symbol("no.such.Thing");
  EXPECT_EQ(asked(request).error_response().error_code(), 5);
  request.set_all_extension_numbers_of_type("kagzi.v1.Worker");
  EXPECT_EQ(asked(request).all_extension_numbers_response().base_type_name(), "kagzi.v1.Worker");
  request.mutable_file_containing_extension()->set_containing_type("kagzi.v1.Worker");
  EXPECT_EQ(asked(request).error_response().error_code(), 5);
  EXPECT_EQ(reflect("\xff\xff"), std::nullopt);
}

template <class Service, class Request, class Response>
std::set<std::string> listed(const std::shared_ptr<grpc::Channel>& channel) {
  const auto stub = Service::NewStub(channel);
  grpc::ClientContext context;
  const auto stream = stub->ServerReflectionInfo(&context);
  Request request;
  request.set_list_services("*");
  std::set<std::string> names;
  // Two questions in one stream.
  for (int i = 0; i < 2; ++i) {
    Response response;
    EXPECT_TRUE(stream->Write(request) && stream->Read(&response));
    for (const auto& service : response.list_services_response().service()) names.insert(service.name());
  }
  stream->WritesDone();
  EXPECT_TRUE(stream->Finish().ok());
  return names;
}

TEST_F(Tools, BothVersionsOfReflectionListEveryService) {
  serve();
  const auto newer =
      listed<reflection::ServerReflection, reflection::ServerReflectionRequest, reflection::ServerReflectionResponse>(connect());
  namespace alpha = grpc::reflection::v1alpha;
  const auto older = listed<alpha::ServerReflection, alpha::ServerReflectionRequest, alpha::ServerReflectionResponse>(connect());
  EXPECT_EQ(newer, older);
  for (const char* name :
       {"kagzi.WorkflowService", "kagzi.v1.WorkflowService", "kagzi.v1.WorkerService", "kagzi.v1.WorkflowScheduleService",
        "kagzi.v1.AdminService", "kagzi.v1.NamespaceService", "muster.v1.RunService", "muster.v1.ScheduleService",
        "muster.v1.AgentRunService", "grpc.health.v1.Health", "grpc.reflection.v1.ServerReflection"})
    EXPECT_TRUE(newer.contains(name)) << name;
}

}  // namespace
}  // namespace muster::rpc
