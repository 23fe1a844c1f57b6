// gRPC-Web on the HTTP front: which requests are calls, what they become, what browsers are told, and how a call ends.
#include <atomic>
#include <future>
#include <mutex>

#include "fronts/http/front_testing.h"

namespace muster::http {
namespace {

using namespace std::string_literals;

constexpr std::string_view kPath = "/kagzi.v1.AdminService/GetStats";
constexpr std::string_view kBinary = "Content-Type: application/grpc-web+proto\r\n";

std::string frame(const std::string& bytes) { return "\0\0\0\0"s + static_cast<char>(bytes.size()) + bytes; }

class FrontRpc : public FrontTest {
 protected:
  // Answers at once with `answer`, and keeps the request.
  void start_answering(HttpOptions options = {}) {
    start(std::move(options));
    front->set_rpc([this](RpcRequest request, UniqueFunction<void(RpcAnswer)> reply) -> UniqueFunction<void()> {
      seen = std::move(request);
      RpcAnswer out = answer;
      if (!seen.refused.ok())
        out = {.code = 16, .message = seen.refused.message(), .details = "d", .response = {}, .metadata = {}};
      reply(std::move(out));
      return {};
    });
  }
  // As request_text(), without the content type that goes with JSON.
  Answer post(std::string_view body, std::string_view headers) {
    Client client = connect();
    client.send("POST " + std::string(kPath) + " HTTP/1.1\r\nHost: localhost\r\nContent-Length: " + std::to_string(body.size()) +
                "\r\n" + std::string(headers) + "\r\n" + std::string(body));
    return client.read_answer();
  }
  RpcRequest seen;
  RpcAnswer answer{.code = 0, .message = {}, .details = {}, .response = "out", .metadata = {}};
};

TEST_F(FrontRpc, ACallIsTakenApartAndAnswered) {
  start_answering();
  const Answer got = post(frame("in"), std::string(kBinary) + "grpc-timeout: 5S\r\nX-Correlation-Id: c1\r\n");
  EXPECT_EQ(got.status, 200);
  EXPECT_EQ(got.headers.at("content-type"), "application/grpc-web+proto");
  EXPECT_EQ(got.body, frame("out") + "\x80\0\0\0\x0f"s + "grpc-status:0\r\n");
  EXPECT_EQ(seen.path, kPath);
  EXPECT_EQ(seen.message, "in");
  EXPECT_EQ(seen.timeout, "5S");
  EXPECT_EQ(seen.caller.role, command::Role::operator_role);
  EXPECT_NE(std::find(seen.metadata.begin(), seen.metadata.end(), std::pair("x-correlation-id"s, "c1"s)), seen.metadata.end());
}

TEST_F(FrontRpc, AnErrorIsInTheHeadersAndInTheTrailers) {
  start_answering();
  answer = {.code = 5, .message = "no such thing", .details = "\x01", .response = {}, .metadata = {}};
  const Answer got = post(frame(""), kBinary);
  EXPECT_EQ(got.status, 200);
  EXPECT_EQ(got.headers.at("grpc-status"), "5");
  EXPECT_EQ(got.headers.at("grpc-message"), "no such thing");
  EXPECT_EQ(got.headers.at("grpc-status-details-bin"), "AQ");
  EXPECT_NE(got.body.find("grpc-status:5\r\n"), std::string::npos);
}

TEST_F(FrontRpc, AForeignPageMayNotCallAndIsNotToldItMay) {
  start_answering();
  const std::string origin = "Origin: https://evil.example\r\n";
  const Answer asked = call("OPTIONS", kPath, "", origin + "Access-Control-Request-Method: POST\r\n");
  EXPECT_EQ(asked.status, 403);
  EXPECT_FALSE(asked.headers.contains("access-control-allow-origin"));
  const Answer got = post(frame(""), origin + std::string(kBinary));
  EXPECT_EQ(got.status, 403);
  EXPECT_FALSE(got.headers.contains("access-control-allow-origin"));
  EXPECT_EQ(seen.path, "") << "nobody carried it out";
  EXPECT_EQ(post(frame(""), "Origin: http://localhost\r\n" + std::string(kBinary)).status, 200) << "its own page may";
}

TEST_F(FrontRpc, AnyOriginNeedsTokens) {
  HttpOptions options;
  options.rpc_origins = {"*"};
  start_answering(options);
  EXPECT_EQ(post(frame(""), "Origin: https://evil.example\r\n" + std::string(kBinary)).status, 403);
}

TEST_F(FrontRpc, ABrowserMayCallFromAnyOriginWhereTokensAreAskedFor) {
  HttpOptions options;
  options.rpc_origins = {"*"};
  options.auth = {.tokens = {{.name = "boss", .role = command::Role::operator_role, .secret = "s", .worker = {}}},
                  .required = true};
  start_answering(options);
  const std::string origin = "Origin: https://ui.example\r\n";
  const Answer asked =
      call("OPTIONS", kPath, "",
           origin + "Access-Control-Request-Method: POST\r\nAccess-Control-Request-Headers: x-grpc-web,x-own\r\n");
  EXPECT_EQ(asked.status, 204);
  EXPECT_EQ(asked.headers.at("access-control-allow-origin"), "https://ui.example");
  EXPECT_EQ(asked.headers.at("access-control-allow-headers"), "x-grpc-web,x-own");
  const Answer got = post(frame(""), origin + std::string(kBinary) + "Authorization: Bearer s\r\n");
  EXPECT_EQ(got.status, 200);
  EXPECT_EQ(got.headers.at("access-control-allow-origin"), "https://ui.example");
  EXPECT_NE(got.headers.at("access-control-expose-headers").find("grpc-status-details-bin"), std::string::npos);
  EXPECT_EQ(call("GET", "/api/v1/jobs", "", origin).status, 403) << "the rest of the front is as strict as ever";
}

TEST_F(FrontRpc, OriginsCanBeNamed) {
  HttpOptions options;
  options.rpc_origins = {"https://ui.example"};
  start_answering(options);
  EXPECT_EQ(post(frame(""), "Origin: https://ui.example\r\n" + std::string(kBinary)).status, 200);
  EXPECT_EQ(post(frame(""), "Origin: https://other.example\r\n" + std::string(kBinary)).status, 403);
}

TEST_F(FrontRpc, AForeignHostNameIsRefusedHereToo) {
  start_answering();
  Client client = connect();
  client.send("POST " + std::string(kPath) + " HTTP/1.1\r\nHost: rebound.example\r\n" + std::string(kBinary) +
              "Content-Length: 5\r\n\r\n" + frame(""));
  EXPECT_EQ(client.read_answer().status, 403);
}

TEST_F(FrontRpc, AWrongTokenIsTheCallsOwnError) {
  HttpOptions options;
  options.auth = {.tokens = {{.name = "boss", .role = command::Role::operator_role, .secret = "s", .worker = {}}},
                  .required = true};
  start_answering(options);
  EXPECT_EQ(post(frame(""), std::string(kBinary) + "Authorization: Bearer x\r\n").headers.at("grpc-status"), "16");
  EXPECT_EQ(post(frame(""), kBinary).headers.at("grpc-status"), "16");
  const Answer good = post(frame(""), std::string(kBinary) + "Authorization: Bearer s\r\n");
  EXPECT_FALSE(good.headers.contains("grpc-status"));
  EXPECT_EQ(seen.caller.name, "boss");
}

TEST_F(FrontRpc, OtherBodiesAndAFrontWithoutAHandlerAreRefused) {
  start();
  EXPECT_EQ(post(frame(""), kBinary).status, 404);
  front->set_rpc([](RpcRequest, UniqueFunction<void(RpcAnswer)> reply) -> UniqueFunction<void()> {
    reply({});
    return {};
  });
  EXPECT_EQ(post("{}", "Content-Type: application/json\r\n").status, 415);
  EXPECT_EQ(call("GET", kPath).status, 404);
}

TEST_F(FrontRpc, ACallWhoseClientLeavesIsCancelled) {
  start();
  std::atomic<bool> cancelled{false};
  std::atomic<bool> begun{false};
  UniqueFunction<void(RpcAnswer)> kept;
  front->set_rpc([&](RpcRequest, UniqueFunction<void(RpcAnswer)> reply) -> UniqueFunction<void()> {
    kept = std::move(reply);
    begun = true;
    return [&] { cancelled = true; };
  });
  {
    Client client = connect();
    client.send("POST " + std::string(kPath) + " HTTP/1.1\r\nHost: localhost\r\n" + std::string(kBinary) +
                "Content-Length: 5\r\n\r\n" + frame(""));
    ASSERT_TRUE(eventually([&] { return begun.load(); }));
  }
  EXPECT_TRUE(eventually([&] { return cancelled.load(); }));
  kept({});
}

}  // namespace
}  // namespace muster::http
