// Tokens and certificates on the gRPC front.
#include <fstream>
#include <sstream>

#include "fronts/grpc/front_testing.h"
#include "net/certificate_testing.h"

namespace muster::rpc {
namespace {

using namespace std::chrono_literals;

class FrontAuth : public FrontTest {
 protected:
  static GrpcOptions guarded() {
    GrpcOptions options;
    options.auth_required = true;
    options.tokens = {{.name = "boss", .role = command::Role::operator_role, .secret = "operate", .worker = {}},
                      {.name = "eye", .role = command::Role::read_only, .secret = "look", .worker = {}},
                      {.name = "fleet", .role = command::Role::worker, .secret = "work", .worker = {}}};
    return options;
  }
  grpc::Status start_with(const std::string& token) {
    kagzi::v1::StartWorkflowRequest request;
    request.set_namespace_("default");
    request.set_external_id("e");
    request.set_task_queue("q");
    request.set_workflow_type("T");
    kagzi::v1::StartWorkflowResponse response;
    grpc::ClientContext context;
    if (!token.empty()) context.AddMetadata("authorization", "Bearer " + token);
    return workflows()->StartWorkflow(&context, request, &response);
  }
  grpc::Status info_with(const std::string& token) {
    kagzi::v1::GetServerInfoResponse response;
    grpc::ClientContext context;
    context.AddMetadata("authorization", "Bearer " + token);
    return admin()->GetServerInfo(&context, {}, &response);
  }
};

TEST_F(FrontAuth, OnlyAnOperatorStartsRuns) {
  serve(guarded());
  EXPECT_TRUE(start_with("operate").ok());
  EXPECT_EQ(start_with("look").error_code(), grpc::StatusCode::PERMISSION_DENIED);
  EXPECT_EQ(start_with("work").error_code(), grpc::StatusCode::PERMISSION_DENIED);
  EXPECT_TRUE(info_with("look").ok());
}

TEST_F(FrontAuth, ACallWithoutATokenIsRefusedInTheWordsOfItsDialect) {
  serve(guarded());
  const grpc::Status status = start_with("");
  EXPECT_EQ(status.error_code(), grpc::StatusCode::UNAUTHENTICATED);
  kagzi::v1::ErrorDetail detail;
  ASSERT_TRUE(detail.ParseFromString(status.error_details()));
  EXPECT_EQ(detail.code(), kagzi::v1::ERROR_CODE_UNAUTHORIZED);
  EXPECT_TRUE(detail.non_retryable());
  EXPECT_TRUE(call_raw("/grpc.health.v1.Health/Check", "").status.ok()) << "probes carry no token";
}

TEST_F(FrontAuth, GuessingIsSlowedDownAndATokenThatIsRightIsNot) {
  serve(guarded());
  for (int i = 0; i < 6; ++i) EXPECT_EQ(info_with("wrong").error_code(), grpc::StatusCode::UNAUTHENTICATED) << i;
  EXPECT_EQ(info_with("wrong").error_code(), grpc::StatusCode::RESOURCE_EXHAUSTED);
  EXPECT_TRUE(start_with("operate").ok()) << "it was never used from there, and is right";
  advance(2s);
  EXPECT_EQ(info_with("wrong").error_code(), grpc::StatusCode::UNAUTHENTICATED);
}

TEST_F(FrontAuth, TokensCanBeReplacedWhileItRuns) {
  serve(guarded());
  ASSERT_TRUE(front
                  ->set_tokens({.tokens = {{.name = "eye", .role = command::Role::read_only, .secret = "new", .worker = {}}},
                                .required = true})
                  .ok());
  EXPECT_TRUE(info_with("new").ok());
  EXPECT_EQ(info_with("look").error_code(), grpc::StatusCode::UNAUTHENTICATED);
  EXPECT_EQ(front->set_tokens({.tokens = {}, .required = true}).code(), Code::invalid_argument);
  EXPECT_TRUE(info_with("new").ok());
}

std::string text_of(const std::string& path) {
  std::ifstream in(path);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

class FrontTls : public FrontTest {
 protected:
  void SetUp() override {
    FrontTest::SetUp();
    net::make_certificate(file("server.pem"), file("server.key"));
    net::make_certificate(file("client.pem"), file("client.key"));
  }
  std::string file(const std::string& name) const { return folder + "/" + name; }
  GrpcOptions secured() const {
    GrpcOptions with;
    with.tls = {.certificate_file = file("server.pem"), .key_file = file("server.key"), .client_ca_file = {}};
    return with;
  }
  grpc::Status ask(const std::shared_ptr<grpc::ChannelCredentials>& how) const {
    kagzi::v1::GetServerInfoResponse response;
    grpc::ClientContext context;
    context.set_deadline(std::chrono::system_clock::now() + 10s);
    return kagzi::v1::AdminService::NewStub(connect(how))->GetServerInfo(&context, {}, &response);
  }
  std::shared_ptr<grpc::ChannelCredentials> trusting(bool with_certificate) const {
    grpc::SslCredentialsOptions trust;
    trust.pem_root_certs = text_of(file("server.pem"));
    if (with_certificate) {
      trust.pem_cert_chain = text_of(file("client.pem"));
      trust.pem_private_key = text_of(file("client.key"));
    }
    return grpc::SslCredentials(trust);
  }
};

TEST_F(FrontTls, SpeaksTlsAndNothingElseWhenToldTo) {
  serve(secured());
  const grpc::Status status = ask(trusting(false));
  EXPECT_TRUE(status.ok()) << status.error_message();
  EXPECT_FALSE(ask(grpc::InsecureChannelCredentials()).ok());
}

TEST_F(FrontTls, AsksClientsForACertificateWhenTold) {
  GrpcOptions mutual = secured();
  mutual.tls.client_ca_file = file("client.pem");
  serve(mutual);
  const grpc::Status status = ask(trusting(true));
  EXPECT_TRUE(status.ok()) << status.error_message();
  EXPECT_FALSE(ask(trusting(false)).ok());
}

TEST_F(FrontTls, FilesThatDoNotFitAreRefusedAtTheStartAndWhenCheckedAgain) {
  GrpcOptions mixed = secured();
  mixed.tls.key_file = file("client.key");
  EXPECT_EQ(GrpcFront::start(*loop, *door, *metrics, mixed).code(), Code::invalid_argument);
  mixed.tls.key_file = file("missing");
  EXPECT_EQ(GrpcFront::start(*loop, *door, *metrics, mixed).code(), Code::invalid_argument);
  serve(secured());
  EXPECT_TRUE(front->reload_tls().ok());
  std::ofstream(file("server.pem")) << "not a certificate";
  EXPECT_EQ(front->reload_tls().code(), Code::invalid_argument);
}

}  // namespace
}  // namespace muster::rpc
