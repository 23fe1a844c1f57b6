// gRPC's rules as bytes on a stream: what clients of the library never send, and what they must be told. A session of HTTP/2
// without a socket, on the front's loop.
#include "base/base64.h"
#include "fronts/grpc/catalogue.h"
#include "fronts/grpc/front_testing.h"
#include "fronts/grpc/message_reader.h"
#include "fronts/http2/raw_peer_testing.h"
#include "health_v1.pb.h"

namespace muster::rpc {
namespace {

using namespace std::string_literals;
using http2::Fields;
using http2::frame;
using http2::kEndHeaders;
using http2::kEndStream;
using http2::Kind;
using http2::Said;

constexpr const char* kInfo = "/kagzi.v1.AdminService/GetServerInfo";
constexpr const char* kStart = "/kagzi.v1.WorkflowService/StartWorkflow";

class WireTest : public FrontTest {
 protected:
  void TearDown() override {
    peer.reset();
    FrontTest::TearDown();
  }

  void open(GrpcOptions with = {}) {
    serve(std::move(with));
    peer = std::make_unique<http2::RawPeer>(*loop, http2::Limits(), front->streams());
  }

  void send(const std::string& bytes) { peer->send(bytes); }

  static Fields head(const std::string& path, const Fields& more = {}) {
    Fields fields{{":method", "POST"},
                  {":scheme", "http"},
                  {":path", path},
                  {":authority", "localhost"},
                  {"content-type", "application/grpc"},
                  {"te", "trailers"}};
    fields.insert(fields.end(), more.begin(), more.end());
    return fields;
  }

  // One request of its own; waits for the end of its answer.
  Said ask(const Fields& fields, const std::string& body) {
    next_stream();
    send(frame(Kind::headers, kEndHeaders, stream, http2::block(fields)) + frame(Kind::data, kEndStream, stream, body));
    return answer(stream);
  }
  Said answer(std::uint32_t of) { return peer->answer(of); }
  std::uint32_t next_stream() { return stream = peer->stream += 2; }

  std::unique_ptr<http2::RawPeer> peer;
  std::uint32_t stream = 0;
};

TEST_F(WireTest, AnAnswerIsAHeadAMessageAndTrailers) {
  open();
  const Said info = ask(head(kInfo), framed(""));
  EXPECT_EQ(info.head.at(":status"), "200");
  EXPECT_EQ(info.head.at("content-type"), "application/grpc");
  EXPECT_EQ(info.head.at("grpc-accept-encoding"), "identity,gzip");
  EXPECT_EQ(info.status(), "0");
  std::string_view bytes = info.data;
  MessageReader reader(1 << 20);
  const auto message = reader.take(bytes);
  ASSERT_TRUE(message.ok() && *message);
  kagzi::v1::GetServerInfoResponse response;
  EXPECT_TRUE(response.ParseFromString((*message)->bytes));
  EXPECT_EQ(response.api_version(), "v1");
}

TEST_F(WireTest, AnErrorIsTrailersAloneWithItsTextEncoded) {
  open();
  Fields fields = head("/no.Such/M\xc3\xa4thod");
  const Said unknown = ask(fields, framed(""));
  EXPECT_EQ(unknown.head, unknown.end);
  EXPECT_EQ(unknown.status(), "12");
  EXPECT_NE(unknown.end.at("grpc-message").find("M%C3%A4thod"), std::string::npos);
  EXPECT_TRUE(unknown.end.contains("grpc-status-details-bin"));
  EXPECT_EQ(unknown.data, "");
}

TEST_F(WireTest, AnErrorNamesNoMoreOfWhatItWasAskedThanFitsItsHead) {
  open();
  const auto is_short = [](const Said& refused) { return refused.end.at("grpc-message").size() < 4 * kEchoedBytesMax; };
  const Said unknown = ask(head("/no.Such/" + std::string(15'000, '%')), framed(""));
  EXPECT_EQ(unknown.status(), "12");
  EXPECT_TRUE(is_short(unknown));
  grpc::health::v1::HealthCheckRequest service;
  service.set_service(std::string(900, 's'));
  const Said missing = ask(head("/grpc.health.v1.Health/Check"), framed(service.SerializeAsString()));
  EXPECT_EQ(missing.status(), "5");
  EXPECT_TRUE(is_short(missing));
  const Said binary = ask(head(kInfo, {{std::string(10'000, 'x') + "-bin", "*"}}), framed(""));
  EXPECT_EQ(binary.status(), "3");
  EXPECT_TRUE(is_short(binary));
}

TEST_F(WireTest, ContentTypesOfGrpcAreAcceptedAndOthersAreNot) {
  open();
  const auto of_type = [](const char* type) {
    Fields fields = head(kInfo);
    fields[4].second = type;
    return fields;
  };
  for (const char* type : {"application/grpc+proto", "application/grpc;charset=utf-8", "application/grpc+anything"})
    EXPECT_EQ(ask(of_type(type), framed("")).status(), "0") << type;
  for (const char* type : {"application/grpc-web", "application/json", ""}) {
    next_stream();
    send(frame(Kind::headers, kEndHeaders, stream, http2::block(of_type(type))) +
         frame(Kind::data, kEndStream, stream, framed("")));
    answer(stream);
    EXPECT_TRUE(peer->said[stream].head.empty()) << type << " is not ours to answer";
  }
}

TEST_F(WireTest, OneMessageIsOne) {
  open();
  EXPECT_EQ(ask(head(kInfo), framed("") + framed("")).status(), "12");
  EXPECT_EQ(ask(head(kInfo), "").status(), "12");
}

TEST_F(WireTest, MessagesThatAreCutOffOrOfAnUnknownKindAreRefused) {
  open();
  EXPECT_EQ(ask(head(kInfo), framed("abc").substr(0, 7)).status(), "3");
  EXPECT_EQ(ask(head(kInfo), framed("abc").substr(0, 3)).status(), "3");
  EXPECT_EQ(ask(head(kInfo), "\x02\0\0\0\0"s).status(), "3");
  EXPECT_EQ(ask(head(kStart), "\0\xff\xff\xff\xff"s).status(), "8") << "it is not waited for";
}

TEST_F(WireTest, CompressionIsSaidTwiceOrRefused) {
  open();
  EXPECT_EQ(ask(head(kInfo), "\x01\0\0\0\0"s).status(), "13") << "by gRPC's rules";
  EXPECT_EQ(ask(head(kInfo, {{"grpc-encoding", "identity"}}), "\x01\0\0\0\0"s).status(), "13");
  EXPECT_EQ(ask(head(kInfo, {{"grpc-encoding", "gzip"}}), "\x01\0\0\0\x03"s + "abc").status(), "3") << "it is no gzip";
  EXPECT_EQ(ask(head(kInfo, {{"grpc-encoding", "gzip"}}), framed("")).status(), "0") << "not every message needs to be";
  const Said other = ask(head(kInfo, {{"grpc-encoding", "zstd"}}), framed(""));
  EXPECT_EQ(other.status(), "12");
  EXPECT_EQ(other.head.at("grpc-accept-encoding"), "identity,gzip");
}

TEST_F(WireTest, TimeoutsAreReadAndOnesThatAreNoneRefused) {
  open();
  EXPECT_EQ(ask(head(kInfo, {{"grpc-timeout", "10S"}}), framed("")).status(), "0");
  for (const char* bad : {"soon", "-1S", "123456789S", "1"})
    EXPECT_EQ(ask(head(kInfo, {{"grpc-timeout", bad}}), framed("")).status(), "3") << bad;
}

TEST_F(WireTest, BinaryMetadataIsBase64WithItsPaddingOrWithout) {
  open();
  for (const char* good : {"AQI", "AQI=", "AQI,AwQ", ""})
    EXPECT_EQ(ask(head(kInfo, {{"x-test-bin", good}}), framed("")).status(), "0") << good;
  EXPECT_EQ(ask(head(kInfo, {{"x-test-bin", "*"}}), framed("")).status(), "3");
}

TEST_F(WireTest, MetadataMayBeLongButNotWithoutEnd) {
  open();
  EXPECT_EQ(ask(head(kInfo, {{"x-long", std::string(12'000, 'x')}}), framed("")).status(), "0");
  Fields long_ones = head(kInfo);
  next_stream();
  std::string block = http2::block(long_ones);
  for (int i = 0; i < 6; ++i) block += http2::block({{"x-long", std::string(12'000, 'x')}});
  send(frame(Kind::headers, 0, stream, block.substr(0, 16'000)));
  for (std::size_t from = 16'000; from < block.size(); from += 16'000)
    send(frame(Kind::continuation, from + 16'000 >= block.size() ? kEndHeaders : std::uint8_t{0}, stream,
               block.substr(from, 16'000)));
  send(frame(Kind::data, kEndStream, stream, framed("")));
  EXPECT_EQ(answer(stream).status(), "8");
}

TEST_F(WireTest, WhoeverIsNotLetInHasNoMessageRead) {
  GrpcOptions guarded;
  guarded.tokens = {{.name = "eye", .role = command::Role::read_only, .secret = "look", .worker = {}}};
  guarded.auth_required = true;
  open(guarded);
  next_stream();
  send(frame(Kind::headers, kEndHeaders, stream, http2::block(head(kStart))));
  EXPECT_EQ(answer(stream).status(), "16") << "before a byte of it has come";
}

TEST_F(WireTest, WhoeverIsNotAskedForATokenHasOnlyAShortMessageReadAndNoneUnpacked) {
  open();
  for (const char* path : {"/grpc.health.v1.Health/Check", "/grpc.health.v1.Health/Watch"}) {
    EXPECT_EQ(ask(head(path), framed(std::string(kOpenMessageBytesMax + 1, 'x'))).status(), "8") << path;
    EXPECT_EQ(ask(head(path, {{"grpc-encoding", "gzip"}}), "\x01\0\0\0\x03"s + "abc").status(), "12") << path;
  }
  grpc::health::v1::HealthCheckRequest service;
  EXPECT_EQ(ask(head("/grpc.health.v1.Health/Check"), framed(service.SerializeAsString())).status(), "0");
}

TEST_F(WireTest, AMessageInPiecesIsOne) {
  open();
  kagzi::v1::StartWorkflowRequest request;
  request.set_namespace_("default");
  request.set_external_id("e");
  request.set_task_queue("q");
  request.set_workflow_type("T");
  next_stream();
  send(frame(Kind::headers, kEndHeaders, stream, http2::block(head(kStart))));
  for (const char byte : framed(request.SerializeAsString())) send(frame(Kind::data, 0, stream, std::string_view(&byte, 1)));
  send(frame(Kind::data, kEndStream, stream));
  EXPECT_EQ(answer(stream).status(), "0");
}

TEST_F(WireTest, ACallThatMayAnswerMuchWaitsForRoomOnItsConnection) {
  open();
  kagzi::v1::GetWorkflowRequest request;
  request.set_namespace_("default");
  request.set_run_id(start_run("a"));
  net::run_on(*loop, [&] { peer->connection.room = false; });
  next_stream();
  send(frame(Kind::headers, kEndHeaders, stream, http2::block(head("/kagzi.v1.WorkflowService/GetWorkflow"))) +
       frame(Kind::data, kEndStream, stream, framed(request.SerializeAsString())));
  // Another connection asks the same and is answered.
  kagzi::v1::GetWorkflowResponse response;
  grpc::ClientContext context;
  EXPECT_TRUE(workflows()->GetWorkflow(&context, request, &response).ok());
  EXPECT_FALSE(peer->has_ended(stream));
  net::run_on(*loop, [&] {
    peer->connection.room = true;
    peer->session->output_drained();
  });
  EXPECT_EQ(answer(stream).status(), "0");
}

TEST_F(WireTest, AResetFreesThePlaceOfAPollAtOnceAndSoDoesAPeerThatIsGone) {
  open();
  const std::string worker = register_worker();
  const auto poll = [&] {
    next_stream();
    send(frame(Kind::headers, kEndHeaders, stream, http2::block(head("/kagzi.v1.WorkerService/PollTask"))) +
         frame(Kind::data, kEndStream, stream, framed(poll_request(worker).SerializeAsString())));
    EXPECT_EQ(open_calls(), 1);
  };
  poll();
  send(frame(Kind::rst_stream, 0, stream, http2::number32(8)));
  EXPECT_TRUE(eventually([&] { return open_calls() == 0; }));
  poll();
  net::run_on(*loop, [&] { peer->session->closed(); });
  EXPECT_TRUE(eventually([&] { return open_calls() == 0; }));
}

TEST_F(WireTest, AGrantWhoseAnswerCannotBeSentIsHandedBack) {
  open();
  const std::string worker = register_worker();
  const std::string run = start_run("a");
  next_stream();
  send(frame(Kind::headers, kEndHeaders, stream, http2::block(head("/kagzi.v1.WorkerService/PollTask"))) +
       frame(Kind::data, kEndStream, stream, framed(poll_request(worker).SerializeAsString())));
  EXPECT_EQ(answer(stream).status(), "0");
  // The system never takes the bytes.
  net::run_on(*loop, [&] {
    for (auto& done : std::exchange(peer->connection.waiting, {})) done(false);
  });
  grpc::ClientContext context;
  kagzi::v1::PollTaskResponse response;
  EXPECT_TRUE(workers()->PollTask(&context, poll_request(worker), &response).ok());
  EXPECT_EQ(response.run_id(), run);
}

TEST_F(WireTest, AWatchOfHealthThatIsHalfClosedGoesOnAndOneWithoutAQuestionDoesNot) {
  open();
  next_stream();
  send(frame(Kind::headers, kEndHeaders, stream, http2::block(head("/grpc.health.v1.Health/Watch"))) +
       frame(Kind::data, kEndStream, stream, framed("")));
  EXPECT_TRUE(eventually([&] {
    peer->read();
    return !peer->said[stream].data.empty();
  }));
  EXPECT_FALSE(peer->ended.contains(stream));
  EXPECT_EQ(ask(head("/grpc.health.v1.Health/Watch"), "").status(), "3");
}

}  // namespace
}  // namespace muster::rpc
